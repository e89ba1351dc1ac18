//! The readable resources: state, text and logs of pages, and the resources of running upstreams.

use super::ask;
use super::ask_hub::AskHub;
use super::call::{Call, Stop};
use super::content;
use super::era::{Era, RESOURCE_NOT_FOUND};
use super::limits::LIST_LEN_MAX;
use super::listing::{Cursor, page_of, provided};
use super::offers::List;
use super::outcome::Outcome;
use crate::{CallContext, RpcError};
use eye_protocol::rpc::json;
use eye_protocol::{Code, Error};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

const BASE: &str = "eye://session/";

/// The resources of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    State,
    Text,
    Logs,
}

const PARTS: [(Part, &str, &str, &str); 3] = [
    (Part::State, "state", "application/json", "What the page publishes as its state"),
    (Part::Text, "text", "text/plain", "The page's text"),
    (Part::Logs, "logs", "text/plain", "Console messages and errors of the page"),
];

pub fn state_uri(session: &str) -> String {
    format!("{BASE}{session}/state")
}

/// The session and part that a URI names.
fn parse(uri: &str) -> Option<(&str, Part)> {
    let (session, part) = uri.strip_prefix(BASE)?.split_once('/')?;
    let (part, ..) = PARTS.iter().find(|(_, name, ..)| *name == part)?;
    (!session.is_empty()).then_some((session, *part))
}

pub(super) async fn list(call: &Call) -> Result<Outcome, Stop> {
    let start = Cursor::start(call)?;
    let mut all = provided(&call.client, List::Resources);
    for row in call.client.rows().await {
        let Some(id) = row["id"].as_str() else { continue };
        let title = row["alias"].as_str().or_else(|| row["title"].as_str()).unwrap_or(id);
        for (_, part, kind, description) in PARTS {
            let name = json(&format!("{title}: {part}"));
            let uri = json(&format!("{BASE}{id}/{part}"));
            let text = format!(
                r#"{{"uri":{uri},"name":{name},"description":"{description}","mimeType":"{kind}","_meta":{{"eye/untrusted":true}}}}"#
            );
            all.extend(RawValue::from_string(text));
        }
    }
    for server in call.client.running() {
        all.extend(call.client.list_of(&server, "resources/list", "resources").await);
    }
    Ok(Outcome::ours(page_of("resources", &all, start, LIST_LEN_MAX)))
}

pub(super) async fn templates(call: &Call) -> Outcome {
    let mut all = provided(&call.client, List::Templates);
    for (_, part, kind, description) in PARTS {
        let text = format!(
            r#"{{"uriTemplate":"{BASE}{{id}}/{part}","name":"page {part}","description":"{description}","mimeType":"{kind}"}}"#
        );
        all.extend(RawValue::from_string(text));
    }
    for server in call.client.running() {
        all.extend(call.client.list_of(&server, "resources/templates/list", "resourceTemplates").await);
    }
    Outcome::ours(page_of("resourceTemplates", &all, 0, usize::MAX))
}

#[derive(Deserialize)]
struct Uri {
    uri: String,
}

pub(super) async fn read(call: &Call) -> Result<Outcome, Stop> {
    let Uri { uri } = call.params()?;
    let Some((session, part)) = parse(&uri) else { return read_upstream(call, &uri).await };
    let page = json(session);
    let answered = match part {
        Part::State => call.ask_hub("state/get", &format!(r#"{{"page":{page}}}"#)).await,
        Part::Text => call.ask_hub("page/text", &format!(r#"{{"page":{page}}}"#)).await,
        Part::Logs => call.ask_hub("page/logs", &format!(r#"{{"page":{page},"all":true}}"#)).await,
    };
    let result = match answered {
        Ok(result) => result,
        Err(error) if error.code == Code::SESSION => return Err(not_found(call, &uri, Some(&error)).into()),
        Err(error) => return Err(error.into()),
    };
    let kind = PARTS.iter().find(|(known, ..)| *known == part).map_or("text/plain", |(_, _, kind, _)| kind);
    let text = value_text(&result, part);
    let (uri, text) = (json(&uri), json(&text));
    Ok(Outcome::ours(format!(
        r#""contents":[{{"uri":{uri},"mimeType":"{kind}","text":{text},"_meta":{{"eye/untrusted":true}}}}]"#
    )))
}

/// State as JSON whatever its type; text and logs as plain text.
fn value_text(result: &RawValue, part: Part) -> String {
    #[derive(Deserialize)]
    struct Valued {
        value: Option<Box<RawValue>>,
        rendering: Option<String>,
    }
    match serde_json::from_str(result.get()) {
        Ok(Valued { value: Some(value), .. }) if part == Part::State => value.get().to_owned(),
        Ok(Valued { value: Some(value), .. }) => log_lines(&value).unwrap_or_else(|| content::plain(&value)),
        Ok(Valued { rendering: Some(rendering), .. }) => rendering,
        Ok(Valued { .. }) => "null".into(),
        Err(_) => result.get().to_owned(),
    }
}

/// The entries of a log, one per line.
fn log_lines(value: &RawValue) -> Option<String> {
    let entries: Vec<Value> = serde_json::from_str(value.get()).ok()?;
    let line = |entry: &Value| match (entry["level"].as_str(), entry["text"].as_str()) {
        (Some(level), Some(text)) => format!("{level}: {text}"),
        _ => entry.as_str().map_or_else(|| entry.to_string(), str::to_owned),
    };
    Some(entries.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// Reads a resource of a running upstream: of the one that lists it, else of the first one that answers.
async fn read_upstream(call: &Call, uri: &str) -> Result<Outcome, Stop> {
    let params = || RawValue::from_string(call.raw_params().to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned());
    if let Some(server) = owner(call, uri).await {
        return ask::upstream(call, &server, "resources/read", params(), None).await;
    }
    for server in &call.client.running() {
        // One of them may have a template that matches.
        if let Ok(found) = ask::upstream(call, server, "resources/read", params(), None).await {
            return Ok(found);
        }
    }
    Err(not_found(call, uri, None).into())
}

/// The upstream that lists a resource.
async fn owner(call: &Call, uri: &str) -> Option<String> {
    for server in call.client.running() {
        let all = call.client.list_of(&server, "resources/list", "resources").await;
        if all.iter().any(|raw| serde_json::from_str::<Uri>(raw.get()).is_ok_and(|one| one.uri == uri)) {
            return Some(server);
        }
    }
    None
}

/// The error for a missing resource, in each era's code.
fn not_found(call: &Call, uri: &str, error: Option<&Error>) -> RpcError {
    let code = match call.era() {
        Era::Legacy => RESOURCE_NOT_FOUND,
        Era::Modern => -32602,
    };
    let message = error.map_or_else(|| format!("Resource not found: {uri}"), |error| error.message.clone());
    let data = RawValue::from_string(format!(r#"{{"uri":{}}}"#, json(uri))).ok();
    RpcError { code, message, data }
}

/// `resources/subscribe`, legacy clients only.
pub(super) async fn subscribe(call: &Call) -> Result<Outcome, Stop> {
    let Uri { uri } = call.params()?;
    watch(call, &uri).await?;
    call.client.follow(&uri)?;
    Ok(Outcome::ours(""))
}

/// `resources/unsubscribe`, legacy clients only.
pub(super) fn unsubscribe(call: &Call) -> Result<Outcome, Stop> {
    let Uri { uri } = call.params()?;
    call.client.unfollow(&uri);
    Ok(Outcome::ours(""))
}

/// Starts watching a resource. Of a page's resources, only the state can be watched.
pub(super) async fn watch(call: &Call, uri: &str) -> Result<(), RpcError> {
    match parse(uri) {
        Some((session, Part::State)) => {
            let params = format!(r#"{{"page":{}}}"#, json(session));
            call.client.link.request("state/watch", &params, None).await?;
            Ok(())
        }
        Some(_) => Err(Error::new(Code::PARAMS, format!("{uri} does not tell when it changes"))
            .hint("follow the page's state, or read it again")
            .into()),
        None => {
            let server = owner(call, uri).await.ok_or_else(|| not_found(call, uri, None))?;
            let params = RawValue::from_string(format!(r#"{{"uri":{}}}"#, json(uri))).ok();
            let context = CallContext::default();
            call.client.upstreams()?.request(&server, "resources/subscribe", params, context).await.map(|_| ())
        }
    }
}

/// The pages, one per line.
pub fn page_lines(list: &RawValue) -> String {
    let list: Value = serde_json::from_str(list.get()).unwrap_or_default();
    let rows = list["sessions"].as_array().map_or(&[][..], Vec::as_slice);
    if rows.is_empty() {
        return "no page is connected".into();
    }
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let line = |row: &Value| {
        let mark = if row["current"] == true { "* " } else { "" };
        let alias = row["alias"].as_str().map_or(String::new(), |alias| format!(" ({alias})"));
        let browser = row["browser"].as_str().map_or(String::new(), |browser| format!(" in {browser}"));
        let window = row["window"].as_u64().map_or(String::new(), |window| format!(" window {window}"));
        let (id, state, title, url) = (text(row, "id"), text(row, "state"), text(row, "title"), text(row, "url"));
        format!("{mark}{id}{alias} {state}{browser}{window} {title} {url}")
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_uris_name_a_page() {
        assert_eq!(parse("eye://session/a.b-1/state"), Some(("a.b-1", Part::State)));
        assert_eq!(parse(&state_uri("x")), Some(("x", Part::State)));
        for uri in ["eye://session//state", "eye://session/x/else", "eye://session/x", "file:///x/state"] {
            assert_eq!(parse(uri), None, "{uri}");
        }
    }
}
