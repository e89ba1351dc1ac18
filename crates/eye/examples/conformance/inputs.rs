//! Tools that ask on before they answer: what modern clients are asked by results.

use crate::fixture::failed;
use eye_mcp::face::{Call, Outcome, Stop};
use serde_json::{Value, json};

/// One question.
fn request(method: &str, params: &Value) -> String {
    json!({"method": method, "params": params}).to_string()
}

fn form_request(message: &str, field: &str, kind: &str) -> String {
    let schema = json!({"type":"object","properties":{field:{"type":kind}},"required":[field]});
    request("elicitation/create", &json!({"mode":"form","message":message,"requestedSchema":schema}))
}

fn sampling_params(text: &str, tokens: u32) -> Value {
    json!({"messages":[{"role":"user","content":{"type":"text","text":text}}],"maxTokens":tokens})
}

fn sampling_request(text: &str, tokens: u32) -> String {
    request("sampling/createMessage", &sampling_params(text, tokens))
}

/// A server with sessions asks a model while the call waits, and fails where it cannot.
pub async fn sampled(call: &Call) -> Result<Outcome, Stop> {
    call.ask("sample", "sampling/createMessage", &sampling_params("Say hello", 20).to_string()).await?;
    Ok(text("Sampled"))
}

/// It tries one thing after the other: what its client can do, it finds out by asking.
pub async fn what_can_be(call: &Call) -> Result<Outcome, Stop> {
    let schema = json!({"type":"object","properties":{"name":{"type":"string"}}});
    let form = json!({"mode":"form","message":"What is your name?","requestedSchema":schema});
    match call.ask("ask", "elicitation/create", &form.to_string()).await {
        Ok(_) => Ok(text("Asked")),
        Err(_) => sampled(call).await,
    }
}

fn asks(requests: Vec<(&str, String)>, state: Option<String>) -> Stop {
    let requests = requests.into_iter().map(|(key, request)| (key.to_owned(), request)).collect();
    Stop::Input(Outcome::Input { requests, state })
}

/// What the client answered, if it is an object at all.
fn answer(call: &Call, key: &str) -> Option<Value> {
    let answer: Value = serde_json::from_str(call.input(key)?.get()).ok()?;
    answer.is_object().then_some(answer)
}

/// The answer to a form of one field, or the wish for it.
pub fn form(call: &Call, key: &str, message: &str, field: &str, kind: &str) -> Result<Value, Stop> {
    answer(call, key).ok_or_else(|| asks(vec![(key, form_request(message, field, kind))], None))
}

/// The tools whose names begin with `test_input_required_result_`.
pub fn call(call: &Call, which: &str) -> Result<Outcome, Stop> {
    match which {
        "elicitation" => {
            let name = form(call, "user_name", "What is your name?", "name", "string")?;
            Ok(text(&format!("Hello, {}!", name["content"]["name"].as_str().unwrap_or_default())))
        }
        "sampling" => {
            let wish =
                || asks(vec![("capital_question", sampling_request("What is the capital of France?", 100))], None);
            let answered = answer(call, "capital_question").ok_or_else(wish)?;
            Ok(text(answered["content"]["text"].as_str().unwrap_or_default()))
        }
        "list_roots" => {
            let roots =
                answer(call, "client_roots").ok_or_else(|| asks(vec![("client_roots", roots_request())], None))?;
            Ok(text(&format!("Roots: {}", roots["roots"])))
        }
        "request_state" | "tampered_state" => {
            let state = call.state()?;
            let wish =
                || asks(vec![("confirm", form_request("Please confirm", "ok", "boolean"))], Some(call.sealed(which)));
            let _confirmed = answer(call, "confirm").ok_or_else(wish)?;
            if state.as_deref() != Some(which) {
                return Err(failed("the state is another's"));
            }
            Ok(text("state-ok"))
        }
        "multiple_inputs" => multiple(call),
        "multi_round" => rounds(call),
        "capabilities" => {
            let mut requests = Vec::new();
            if call.can("elicitation") {
                requests.push(("ask", form_request("What is your name?", "name", "string")));
            }
            if call.can("sampling") {
                requests.push(("sample", sampling_request("Say hello", 20)));
            }
            Err(asks(requests, None))
        }
        other => Err(failed(&format!("no such tool: {other}"))),
    }
}

fn roots_request() -> String {
    request("roots/list", &json!({}))
}

fn multiple(call: &Call) -> Result<Outcome, Stop> {
    call.state()?;
    let answers = ["user_name", "greeting", "client_roots"].map(|key| answer(call, key));
    let [Some(name), Some(greeting), Some(roots)] = answers else {
        let requests = vec![
            ("user_name", form_request("What is your name?", "name", "string")),
            ("greeting", sampling_request("Generate a greeting", 50)),
            ("client_roots", roots_request()),
        ];
        return Err(asks(requests, Some(call.sealed("multiple"))));
    };
    Ok(text(&format!("{} {} {}", greeting["content"]["text"], name["content"]["name"], roots["roots"])))
}

fn rounds(call: &Call) -> Result<Outcome, Stop> {
    match (call.state()?.as_deref(), answer(call, "step1"), answer(call, "step2")) {
        (Some("1"), Some(step1), _) => {
            let name = step1["content"]["name"].as_str().unwrap_or_default();
            let question = form_request("Step 2: What is your favorite color?", "color", "string");
            Err(asks(vec![("step2", question)], Some(call.sealed(&format!("2{name}")))))
        }
        (Some(state), _, Some(step2)) if state.starts_with('2') => {
            Ok(text(&format!("{} likes {}", &state[1..], step2["content"]["color"])))
        }
        _ => {
            let question = form_request("Step 1: What is your name?", "name", "string");
            Err(asks(vec![("step1", question)], Some(call.sealed("1"))))
        }
    }
}

fn text(text: &str) -> Outcome {
    Outcome::text(text, false)
}
