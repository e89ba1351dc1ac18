//! The tools that the suite calls.

use crate::fixture::{Fixture, PNG, Params, WAV};
use crate::inputs;
use eye_mcp::face::{Call, Era, Outcome, Stop, missing_capability};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::sleep;

/// Between two things that are told.
const PAUSE: Duration = Duration::from_millis(50);
const INPUTS: &str = "test_input_required_result_";

/// Those that take nothing, with what they are.
const PLAIN: [(&str, &str); 20] = [
    ("test_simple_text", "Answers a text"),
    ("test_image_content", "Answers a picture"),
    ("test_audio_content", "Answers a sound"),
    ("test_embedded_resource", "Answers a resource"),
    ("test_multiple_content_types", "Answers several things"),
    ("test_tool_with_logging", "Logs on the way"),
    ("test_logging_tool", "Logs on the way"),
    ("test_tool_with_progress", "Tells how far it is"),
    ("test_error_handling", "Fails"),
    ("test_elicitation_sep1034_defaults", "Asks with defaults"),
    ("test_elicitation_sep1330_enums", "Asks with choices"),
    ("test_streaming_elicitation", "Asks while it streams"),
    ("test_reconnection", "Lets its stream break off"),
    ("test_missing_capability", "Needs sampling"),
    ("test_trigger_tool_change", "Changes the list of tools"),
    ("test_trigger_prompt_change", "Changes the list of prompts"),
    ("test_input_required_result_elicitation", "Asks first"),
    ("test_input_required_result_sampling", "Asks a model first"),
    ("test_input_required_result_list_roots", "Asks for roots first"),
    ("test_input_required_result_request_state", "Remembers by the client"),
];
const MORE_INPUTS: [&str; 4] = ["multiple_inputs", "multi_round", "tampered_state", "capabilities"];

/// All of them.
pub fn definitions() -> Vec<Value> {
    let plain = |name: &str, what: &str| json!({"name":name,"description":what,"inputSchema":{"type":"object"}});
    let one = |name: &str, argument: &str| {
        let properties = json!({argument:{"type":"string"}});
        let schema = json!({"type":"object","properties":properties,"required":[argument]});
        json!({"name":name,"description":"Asks the client","inputSchema":schema})
    };
    let mut all: Vec<Value> = PLAIN.iter().map(|(name, what)| plain(name, what)).collect();
    all.extend(MORE_INPUTS.iter().map(|name| plain(&format!("{INPUTS}{name}"), "Asks first")));
    all.push(one("test_sampling", "prompt"));
    all.push(one("test_elicitation", "message"));
    all.push(json!({"name":"test_custom_header","description":"Wants an argument in a header","inputSchema":{
        "type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}},"required":["region"]}}));
    all.push(json!({"name":"json_schema_2020_12_tool","description":"Tool with JSON Schema 2020-12 features","inputSchema":{
        "$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
        "$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
        "properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},
            "phone":{"type":"string"},"email":{"type":"string"}},
        "allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
        "if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
        "then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}}));
    all
}

/// Calls one.
pub async fn call(fixture: &Fixture, call: &Call, params: &Params) -> Result<Outcome, Stop> {
    let argument = |name: &str| params.arguments[name].as_str().unwrap_or_default().to_owned();
    match params.name.as_str() {
        "test_simple_text" => Ok(text("This is a simple text response for testing.")),
        "test_image_content" => Ok(content(&json!([{"type":"image","data":PNG,"mimeType":"image/png"}]))),
        "test_audio_content" => Ok(content(&json!([{"type":"audio","data":WAV,"mimeType":"audio/wav"}]))),
        "test_embedded_resource" => Ok(content(&json!([{"type":"resource","resource":{
            "uri":"test://embedded-resource","mimeType":"text/plain","text":"This is an embedded resource content."}}]))),
        "test_multiple_content_types" => Ok(content(&json!([
            {"type":"text","text":"Multiple content types test:"},
            {"type":"image","data":PNG,"mimeType":"image/png"},
            {"type":"resource","resource":{"uri":"test://mixed-content-resource","mimeType":"application/json",
                "text":"{\"test\":\"data\",\"value\":123}"}}]))),
        "test_tool_with_logging" | "test_logging_tool" => {
            for message in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                call.log("info", message).await;
                sleep(PAUSE).await;
            }
            Ok(text("Logged three times"))
        }
        "test_tool_with_progress" => {
            for done in [0.0, 50.0, 100.0] {
                call.progress(done, Some(100.0), None).await;
                sleep(PAUSE).await;
            }
            Ok(text("Told its progress three times"))
        }
        "test_error_handling" => Ok(Outcome::text("This tool intentionally returns an error for testing", true)),
        "test_sampling" => {
            let messages = json!([{"role":"user","content":{"type":"text","text":argument("prompt")}}]);
            let asked = json!({"messages":messages,"maxTokens":100});
            let response = value(&call.ask("sample", "sampling/createMessage", &asked.to_string()).await?);
            Ok(text(&format!("LLM response: {}", response["content"]["text"].as_str().unwrap_or_default())))
        }
        "test_elicitation" => {
            let field = |what: &str| json!({"type":"string","description":what});
            let properties = json!({"username":field("User's response"),"email":field("User's email address")});
            let schema = json!({"type":"object","properties":properties,"required":["username","email"]});
            let response = elicited(call, &argument("message"), &schema).await?;
            Ok(text(&format!("User response: action={}, content={}", response["action"], response["content"])))
        }
        "test_elicitation_sep1034_defaults" | "test_streaming_elicitation" => {
            call.progress(0.0, None, None).await;
            Ok(completed(&elicited(call, "Check these", &defaults()).await?))
        }
        "test_elicitation_sep1330_enums" => Ok(completed(&elicited(call, "Choose", &choices()).await?)),
        "test_reconnection" => {
            call.log("info", "The stream breaks off now").await;
            call.pause().await;
            sleep(PAUSE * 4).await;
            Ok(text("Reconnected"))
        }
        "test_missing_capability" if call.era() == Era::Legacy => inputs::sampled(call).await,
        "test_missing_capability" if !call.can("sampling") => Err(missing_capability("sampling").into()),
        "test_input_required_result_capabilities" if call.era() == Era::Legacy => inputs::what_can_be(call).await,
        "test_trigger_tool_change" => {
            fixture.change_tools();
            Ok(text("The list of tools changed"))
        }
        "test_trigger_prompt_change" => {
            fixture.change_prompts();
            Ok(text("The list of prompts changed"))
        }
        other => match other.strip_prefix(INPUTS) {
            Some(which) => inputs::call(call, which),
            None => Ok(text("Done")),
        },
    }
}

async fn elicited(call: &Call, message: &str, schema: &Value) -> Result<Value, Stop> {
    let asked = json!({"mode":"form","message":message,"requestedSchema":schema});
    Ok(value(&call.ask("ask", "elicitation/create", &asked.to_string()).await?))
}

fn defaults() -> Value {
    json!({"type":"object","properties":{
        "name":{"type":"string","default":"John Doe"},
        "age":{"type":"integer","default":30},
        "score":{"type":"number","default":95.5},
        "status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},
        "verified":{"type":"boolean","default":true}},"required":[]})
}

fn choices() -> Value {
    let titled = |word: &str| {
        json!([
        {"const":"value1","title":format!("First {word}")},
        {"const":"value2","title":format!("Second {word}")},
        {"const":"value3","title":format!("Third {word}")}])
    };
    json!({"type":"object","properties":{
        "untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
        "titledSingle":{"type":"string","oneOf":titled("Option")},
        "legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
        "untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
        "titledMulti":{"type":"array","items":{"anyOf":titled("Choice")}}},"required":[]})
}

fn completed(response: &Value) -> Outcome {
    let action = response["action"].as_str().unwrap_or_default();
    text(&format!("Elicitation completed: action={action}, content={}", response["content"]))
}

fn value(raw: &serde_json::value::RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap_or_default()
}

fn content(content: &Value) -> Outcome {
    Outcome::ours(format!(r#""content":{content}"#))
}

fn text(text: &str) -> Outcome {
    Outcome::text(text, false)
}
