//! The provider: what is listed, and who answers what.

use crate::{inputs, tools};
use eye_mcp::RpcError;
use eye_mcp::face::{Call, Change, List, Offers, Outcome, Provider, Stop};
use eye_protocol::local::Later;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Mutex;
use tokio::sync::broadcast;

/// One red pixel.
pub const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// No samples at all.
pub const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

/// What the suite expects of a server.
#[derive(Debug)]
pub struct Fixture {
    changes: broadcast::Sender<Change>,
    /// Lists that changed have one item more or less.
    extra: Mutex<(bool, bool)>,
}

impl Fixture {
    /// A fresh one.
    pub fn new() -> Self {
        Self { changes: broadcast::channel(16).0, extra: Mutex::new((false, false)) }
    }

    /// Changes the list of tools.
    pub fn change_tools(&self) {
        if let Ok(mut extra) = self.extra.lock() {
            extra.0 = !extra.0;
        }
        let _ = self.changes.send(Change::Tools);
    }

    /// Changes the list of prompts.
    pub fn change_prompts(&self) {
        if let Ok(mut extra) = self.extra.lock() {
            extra.1 = !extra.1;
        }
        let _ = self.changes.send(Change::Prompts);
    }

    fn items(&self, list: List) -> Vec<Value> {
        let (extra_tool, extra_prompt) = self.extra.lock().map(|extra| *extra).unwrap_or_default();
        match list {
            List::Tools => {
                let mut all = tools::definitions();
                if extra_tool {
                    all.push(
                        json!({"name":"test_extra","description":"Comes and goes","inputSchema":{"type":"object"}}),
                    );
                }
                all
            }
            List::Resources => vec![
                json!({"uri":"test://static-text","name":"Static text","description":"A text","mimeType":"text/plain"}),
                json!({"uri":"test://static-binary","name":"Static binary","description":"A picture","mimeType":"image/png"}),
                json!({"uri":"test://watched-resource","name":"Watched","description":"Changes","mimeType":"text/plain"}),
            ],
            List::Templates => vec![
                json!({"uriTemplate":"test://template/{id}/data","name":"Template","description":"Data by id","mimeType":"application/json"}),
            ],
            List::Prompts => {
                let argument = |name: &str| json!({"name":name,"description":"An argument","required":true});
                let mut all = vec![
                    json!({"name":"test_simple_prompt","description":"Without arguments"}),
                    json!({"name":"test_prompt_with_arguments","description":"With two","arguments":[argument("arg1"), argument("arg2")]}),
                    json!({"name":"test_prompt_with_embedded_resource","description":"Embeds","arguments":[argument("resourceUri")]}),
                    json!({"name":"test_prompt_with_image","description":"Shows a picture"}),
                    json!({"name":"test_input_required_result_prompt","description":"Asks first"}),
                ];
                if extra_prompt {
                    all.push(json!({"name":"test_extra_prompt","description":"Comes and goes"}));
                }
                all
            }
        }
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Params {
    pub name: String,
    pub uri: String,
    pub arguments: Value,
    pub r#ref: Value,
}

impl Offers for Fixture {
    fn list(&self, list: List) -> Vec<Box<RawValue>> {
        self.items(list).iter().filter_map(|item| RawValue::from_string(item.to_string()).ok()).collect()
    }

    fn changes(&self) -> broadcast::Receiver<Change> {
        self.changes.subscribe()
    }
}

impl Provider for Fixture {
    fn serve<'a>(&'a self, call: &'a Call) -> Option<Later<'a, Result<Outcome, Stop>>> {
        let params: Params = call.params().ok()?;
        let has = |list, member: &str, value: &str| self.items(list).iter().any(|item| item[member] == value);
        match call.method() {
            "tools/call" if has(List::Tools, "name", &params.name) => {
                Some(Box::pin(async move { tools::call(self, call, &params).await }))
            }
            "prompts/get" if has(List::Prompts, "name", &params.name) => {
                Some(Box::pin(async move { prompt(call, &params) }))
            }
            // What is none of ours is for the face to refuse.
            "resources/read" if is_known(&params.uri) => Some(Box::pin(async move { Ok(read(&params.uri)) })),
            "resources/subscribe" | "resources/unsubscribe" if params.uri.starts_with("test://") => {
                Some(Box::pin(async { Ok(Outcome::ours("")) }))
            }
            "completion/complete" if params.r#ref["name"] == "test_prompt_with_arguments" => Some(Box::pin(async {
                Ok(Outcome::ours(r#""completion":{"values":["paris","park","party"],"total":3,"hasMore":false}"#))
            })),
            _ => None,
        }
    }
}

fn template_id(uri: &str) -> Option<&str> {
    uri.strip_prefix("test://template/")?.strip_suffix("/data")
}

fn is_known(uri: &str) -> bool {
    matches!(uri, "test://static-text" | "test://static-binary" | "test://watched-resource")
        || template_id(uri).is_some()
}

fn read(uri: &str) -> Outcome {
    let content = match (uri, template_id(uri)) {
        ("test://static-binary", _) => json!({"uri":uri,"mimeType":"image/png","blob":PNG}),
        (_, Some(id)) => {
            let text = json!({"id":id,"templateTest":true,"data":format!("Data for ID: {id}")}).to_string();
            json!({"uri":uri,"mimeType":"application/json","text":text})
        }
        _ => json!({"uri":uri,"mimeType":"text/plain","text":"This is the content of the static text resource."}),
    };
    Outcome::ours(format!(r#""contents":[{content}]"#))
}

fn prompt(call: &Call, params: &Params) -> Result<Outcome, Stop> {
    let text = |text: &str| json!({"role":"user","content":{"type":"text","text":text}});
    let argument = |name: &str| params.arguments[name].as_str().unwrap_or_default().to_owned();
    let messages = match params.name.as_str() {
        "test_prompt_with_arguments" => {
            vec![text(&format!("Prompt with arguments: arg1='{}', arg2='{}'", argument("arg1"), argument("arg2")))]
        }
        "test_prompt_with_embedded_resource" => vec![
            json!({"role":"user","content":{"type":"resource","resource":{
                "uri":argument("resourceUri"),"mimeType":"text/plain","text":"Embedded resource content for testing."}}}),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image" => vec![
            json!({"role":"user","content":{"type":"image","data":PNG,"mimeType":"image/png"}}),
            text("Please analyze the image above."),
        ],
        "test_input_required_result_prompt" => {
            let context =
                inputs::form(call, "user_context", "What context should the prompt use?", "context", "string")?;
            vec![text(&format!("Context: {}", context["content"]["context"]))]
        }
        _ => vec![text("This is a simple prompt for testing.")],
    };
    Ok(Outcome::ours(format!(r#""messages":{}"#, Value::from(messages))))
}

/// Something that should not happen in a fixture.
pub fn failed(message: &str) -> Stop {
    Stop::Error(RpcError { code: -32603, message: message.into(), data: None })
}
