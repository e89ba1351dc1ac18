//! The gateway as a library: one JSON-RPC request in, its response out, without a server.

use super::scope::{More, Scope};
use crate::context::CallContext;
use crate::error::RpcError;
use crate::limits::LEARN;
use crate::status::ServerState;
use eye_protocol::{Code, Error, rpc};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub async fn call(scope: &Scope, request: Value) -> Value {
    let id = request.get("id").filter(|id| !id.is_null()).cloned().unwrap_or(json!(1));
    let method = request["method"].as_str().unwrap_or_default();
    let params = match request.get("params") {
        Some(Value::Object(params)) => Ok(params.clone()),
        None | Some(Value::Null) => Ok(Map::new()),
        Some(_) => Err(Error::new(Code::PARAMS, "the params must be an object").into()),
    };
    let outcome = match params {
        Ok(params) => answer(scope, method, params).await,
        Err(error) => Err(error),
    };
    match outcome {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(error) => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
    }
}

async fn answer(scope: &Scope, method: &str, params: Map<String, Value>) -> Result<Value, RpcError> {
    match method {
        "initialize" => Ok(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "eye", "version": env!("CARGO_PKG_VERSION") },
        })),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({ "tools": meta_tools() })),
        "tools/call" => call_tool(scope, params).await,
        _ => forwarded(scope, method, params).await,
    }
}

fn meta_tools() -> Value {
    json!([
        {
            "name": "mcp_discover",
            "description": "Finds tools by words or JSONPath ($.tools[?@.name contains 'file']).",
            "inputSchema": { "type": "object", "properties": { "query": { "type": "string" } }, "required": ["query"] }
        },
        {
            "name": "mcp_call",
            "description": "Calls a tool that mcp_discover found.",
            "inputSchema": {
                "type": "object",
                "properties": { "name": { "type": "string" }, "arguments": { "type": "object" } },
                "required": ["name"]
            }
        }
    ])
}

async fn call_tool(scope: &Scope, params: Map<String, Value>) -> Result<Value, RpcError> {
    let none = Map::new();
    let arguments = params.get("arguments").and_then(Value::as_object).unwrap_or(&none);
    match params.get("name").and_then(Value::as_str) {
        Some("mcp_discover") => {
            let query = ["query", "jsonpath"].iter().find_map(|key| arguments.get(*key)).and_then(Value::as_str);
            scope.learn(LEARN).await;
            let found = scope.discover(query.unwrap_or_default(), &Arc::default()).await;
            let found = found.map_err(|error| error.to_error())?;
            Ok(json!({ "content": [{ "type": "text", "text": found.text() }], "structuredContent": found }))
        }
        Some("mcp_call") => match arguments.get("method").and_then(Value::as_str) {
            Some("tools/call") | None => {
                let inner = arguments.get("params").and_then(Value::as_object).unwrap_or(arguments);
                named(scope, inner).await
            }
            Some(method) => {
                let inner = arguments.get("params").and_then(Value::as_object).cloned().unwrap_or_default();
                forwarded(scope, method, inner).await
            }
        },
        _ => named(scope, &params).await,
    }
}

/// Calls the tool that `name` resolves to.
async fn named(scope: &Scope, params: &Map<String, Value>) -> Result<Value, RpcError> {
    let name = params.get("name").and_then(Value::as_str);
    let name = name.ok_or_else(|| Error::new(Code::PARAMS, "`name` is missing").hint("find one with mcp_discover"))?;
    let more: Arc<More> = Arc::default();
    let (_, entry) = scope.resolve_asking(name, &more).await.map_err(|error| error.to_error())?;
    let mut params = params.clone();
    params.insert("name".into(), Value::from(&*entry.name));
    let result = scope.call_tool(&entry.server, raw(&params)?, CallContext::default()).await?;
    value(&result)
}

/// Methods of the upstreams: lists are joined, other requests go to the server that has the item.
async fn forwarded(scope: &Scope, method: &str, params: Map<String, Value>) -> Result<Value, RpcError> {
    match method {
        "tools/list" => {
            scope.learn(LEARN).await;
            let tools: Result<Vec<Value>, RpcError> = scope.entries().iter().map(|entry| value(entry.tool())).collect();
            Ok(json!({ "tools": tools? }))
        }
        "resources/list" => Ok(json!({ "resources": values(&scope.gather(method).await)? })),
        "resources/templates/list" => Ok(json!({ "resourceTemplates": values(&scope.gather(method).await)? })),
        "prompts/list" => Ok(json!({ "prompts": values(&scope.gather(method).await)? })),
        "resources/read" => to_holder(scope, method, "resources/list", "uri", params).await,
        "prompts/get" => to_holder(scope, method, "prompts/list", "name", params).await,
        _ => Err(Error::new(Code::METHOD, format!("Method '{method}' not found")).into()),
    }
}

async fn to_holder(
    scope: &Scope,
    method: &str,
    list: &str,
    key: &str,
    params: Map<String, Value>,
) -> Result<Value, RpcError> {
    let wanted = params.get(key).cloned().unwrap_or_default();
    let all = scope.gather(list).await;
    let is_it = |item: &RawValue| value(item).is_ok_and(|item| item[key] == wanted);
    let holder = all.iter().find(|(_, item)| is_it(item)).map(|(server, _)| server.clone());
    // An item of a template is in no list: then every server with the capability is tried in turn.
    let candidates = match holder {
        Some(server) => vec![server],
        None => scope.with_capability(capability(list)),
    };
    let missing = Error::new(Code::PARAMS, format!("no server has {wanted}")).hint(format!("ask for {list}"));
    let mut answer = Err(missing.into());
    for server in candidates {
        answer =
            scope.request(&server, method, Some(raw(&params)?), CallContext::default()).await.and_then(|r| value(&r));
        if answer.is_ok() {
            break;
        }
    }
    answer
}

fn capability(list: &str) -> &str {
    list.split('/').next().unwrap_or(list)
}

fn values(items: &[(Box<str>, Box<RawValue>)]) -> Result<Vec<Value>, RpcError> {
    items.iter().map(|(_, item)| value(item)).collect()
}

fn value(raw: &RawValue) -> Result<Value, RpcError> {
    serde_json::from_str(raw.get()).map_err(|error| Error::new(Code::INTERNAL, error.to_string()).into())
}

fn raw(params: &Map<String, Value>) -> Result<Box<RawValue>, RpcError> {
    RawValue::from_string(rpc::json(params)).map_err(|error| Error::new(Code::INTERNAL, error.to_string()).into())
}

impl Scope {
    /// The running servers with a capability: `resources`, `prompts` or `completions`.
    pub fn with_capability(&self, capability: &str) -> Vec<Box<str>> {
        let running = self.servers().into_iter().filter(|server| server.state == ServerState::Ready);
        let able =
            running.filter(|server| self.capabilities(&server.name).is_some_and(|can| can[capability].is_object()));
        able.map(|server| server.name.into()).collect()
    }

    /// The items of a list of all servers that have it, each with its server; all are asked in parallel. Servers that
    /// do not answer are left out.
    pub async fn gather(&self, method: &str) -> Vec<(Box<str>, Box<RawValue>)> {
        /// Pages of one list that are requested, at most.
        const PAGES_MAX: usize = 100;
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Page {
            #[serde(default, alias = "resources", alias = "resourceTemplates", alias = "prompts")]
            items: Vec<Box<RawValue>>,
            #[serde(default)]
            next_cursor: Option<String>,
        }
        self.wake(LEARN).await;
        let mut asking = Vec::new();
        for server in self.with_capability(capability(method)) {
            let (scope, method) = (self.clone(), method.to_owned());
            asking.push(tokio::spawn(async move {
                let mut items = Vec::new();
                let mut cursor: Option<String> = None;
                for _ in 0..PAGES_MAX {
                    let params = cursor.take().and_then(|cursor| to_raw_value(&json!({ "cursor": cursor })).ok());
                    let context = CallContext { timeout: Some(LEARN), ..CallContext::default() };
                    let Ok(result) = scope.request(&server, &method, params, context).await else { break };
                    let Ok(page) = serde_json::from_str::<Page>(result.get()) else { break };
                    items.extend(page.items.into_iter().map(|item| (server.clone(), item)));
                    cursor = page.next_cursor;
                    if cursor.is_none() {
                        break;
                    }
                }
                items
            }));
        }
        let mut all = Vec::new();
        for items in asking {
            all.extend(items.await.unwrap_or_default());
        }
        all
    }
}
