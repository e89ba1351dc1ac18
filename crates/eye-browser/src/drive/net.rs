//! Records the requests of a tab, from the moment an agent first asks for them. Pure: events in, rows out.

use super::site::site_of;
use crate::cdp::Event;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{HashMap, VecDeque};
use std::fmt::Write;

/// The number of requests to keep; the oldest are dropped.
const REQUESTS_LEN_MAX: usize = 500;
/// The number of agents whose position in the list is kept.
const READERS_LEN_MAX: usize = 64;
/// The number of requests whose headers may arrive before the request.
const EARLY_LEN_MAX: usize = 64;
/// The longest URL in a row, in characters.
const URL_LEN_MAX: usize = 200;
/// The longest header value to keep.
const HEADER_BYTES_MAX: usize = 4096;
/// The most headers to keep per request.
const HEADERS_LEN_MAX: usize = 100;

/// Names of headers that carry a login.
const SECRETS: [&str; 4] = ["authorization", "proxy-authorization", "cookie", "set-cookie"];
/// A header whose name contains one of these counts as a login too.
const SECRET_PARTS: [&str; 6] = ["token", "secret", "api-key", "apikey", "session", "password"];

/// The recorded requests of a tab.
#[derive(Debug, Default)]
pub struct Net {
    requests: VecDeque<Request>,
    last: u64,
    changes: u64,
    /// Headers that arrived before their request: those sent and those received.
    early: HashMap<String, [Map<String, Value>; 2]>,
    /// The last change that each agent has read.
    readers: HashMap<String, u64>,
}

/// A recorded request.
#[derive(Debug, Default)]
pub struct Request {
    /// The browser's id of the request. Empty after a redirect.
    pub id: String,
    number: u64,
    changed: u64,
    method: String,
    url: String,
    /// The document that made the request.
    document: Whose,
    kind: String,
    media_type: String,
    status: Option<u16>,
    bytes: u64,
    began: f64,
    ended: Option<f64>,
    failed: Option<String>,
    /// Whether the request had a body.
    pub has_body: bool,
    sent: Map<String, Value>,
    received: Map<String, Value>,
}

/// The origin of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Whose {
    Origin(String),
    /// It has no origin: a file or an empty page.
    NoOrigin,
    /// The origin cannot be determined.
    #[default]
    Unknown,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WillBeSent {
    request_id: String,
    request: Sent,
    timestamp: f64,
    #[serde(rename = "type", default)]
    kind: String,
    redirect_response: Option<Received>,
    #[serde(rename = "documentURL", default)]
    document_url: String,
    #[serde(default)]
    frame_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sent {
    url: String,
    method: String,
    #[serde(default)]
    headers: Map<String, Value>,
    #[serde(default)]
    has_post_data: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Received {
    status: u16,
    #[serde(default)]
    mime_type: String,
    #[serde(default)]
    headers: Map<String, Value>,
}

/// The fields of `Network.responseReceived`, `loadingFinished`, `loadingFailed` and the two `ExtraInfo` events.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct About {
    request_id: String,
    #[serde(default)]
    timestamp: f64,
    response: Option<Received>,
    encoded_data_length: Option<f64>,
    error_text: Option<String>,
    headers: Option<Map<String, Value>>,
}

impl Net {
    /// Handles a network event. `whose` returns the origin of the document in a frame.
    pub fn take(&mut self, event: &Event, whose: &dyn Fn(&str) -> Whose) {
        let Some(kind) = event.method.strip_prefix("Network.") else { return };
        if kind == "requestWillBeSent" {
            if let Some(sent) = event.read() {
                self.begin(sent, whose);
            }
            return;
        }
        let Some(about) = event.read::<About>() else { return };
        let change = self.changes + 1;
        let Some(request) = self.requests.iter_mut().rev().find(|one| one.id == about.request_id) else {
            return self.came_early(kind, about);
        };
        match kind {
            "responseReceived" => {
                if let Some(response) = about.response {
                    request.answered(response);
                }
                // The row is reported when the request ends.
                return;
            }
            "requestWillBeSentExtraInfo" => return keep(&mut request.sent, about.headers.unwrap_or_default()),
            "responseReceivedExtraInfo" => return keep(&mut request.received, about.headers.unwrap_or_default()),
            "loadingFinished" => request.bytes = bytes(about.encoded_data_length),
            "loadingFailed" => request.failed = Some(about.error_text.unwrap_or_default()),
            _ => return,
        }
        request.ended = Some(about.timestamp);
        request.changed = change;
        self.changes = change;
    }

    /// Keeps headers that arrive before their request: the browser sends these events in any order.
    fn came_early(&mut self, kind: &str, about: About) {
        let side = match kind {
            "requestWillBeSentExtraInfo" => 0,
            "responseReceivedExtraInfo" => 1,
            _ => return,
        };
        if self.early.len() >= EARLY_LEN_MAX {
            self.early.clear();
        }
        let early = self.early.entry(about.request_id).or_default();
        keep(&mut early[side], about.headers.unwrap_or_default());
    }

    fn begin(&mut self, sent: WillBeSent, whose: &dyn Fn(&str) -> Whose) {
        let WillBeSent { request_id, request, timestamp, kind, redirect_response, document_url, frame_id } = sent;
        let address = document_url.strip_prefix("blob:").unwrap_or(&document_url);
        let document = site_of(address).map_or_else(|| whose(&frame_id), Whose::Origin);
        self.changes += 1;
        if let Some(response) = redirect_response
            && let Some(before) = self.requests.iter_mut().rev().find(|one| one.id == request_id)
        {
            before.answered(response);
            before.ended = Some(timestamp);
            before.changed = self.changes;
            // The request that follows it has the same id, and bodies are requested by id.
            before.id.clear();
        }
        self.last += 1;
        let [mut headers, received] = self.early.remove(&request_id).unwrap_or_default();
        keep(&mut headers, request.headers);
        self.requests.push_back(Request {
            id: request_id,
            number: self.last,
            changed: self.changes,
            method: request.method,
            url: request.url,
            document,
            kind: kind.to_lowercase(),
            began: timestamp,
            has_body: request.has_post_data,
            sent: headers,
            received,
            ..Request::default()
        });
        if self.requests.len() > REQUESTS_LEN_MAX {
            self.requests.pop_front();
        }
    }

    /// The requests that began or ended since this agent last asked, or all that are kept. Only those of documents that
    /// it `may` see.
    pub fn rows(&mut self, agent: &str, all: bool, may: &dyn Fn(&Whose) -> bool) -> String {
        let since = if all { 0 } else { self.readers.get(agent).copied().unwrap_or(0) };
        if self.readers.len() >= READERS_LEN_MAX && !self.readers.contains_key(agent) {
            self.readers.clear();
        }
        self.readers.insert(agent.to_owned(), self.changes);
        let mut text = String::new();
        if let Some(first) = self.requests.front().filter(|first| since == 0 && first.number > 1) {
            let _ = writeln!(text, "{} older ones are not kept", first.number - 1);
        }
        for request in self.requests.iter().filter(|one| one.changed > since && may(one.document())) {
            let _ = writeln!(text, "{}", request.row());
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// The request with this number, as its row shows it.
    pub fn find(&self, number: &str) -> Option<&Request> {
        let number: u64 = number.strip_prefix('n').unwrap_or(number).parse().ok()?;
        self.requests.iter().find(|request| request.number == number)
    }
}

impl Request {
    fn answered(&mut self, response: Received) {
        self.status = Some(response.status);
        self.media_type = response.mime_type;
        keep(&mut self.received, response.headers);
    }

    /// The document that made the request.
    pub fn document(&self) -> &Whose {
        &self.document
    }

    /// The origin that the request went to. A URL without an origin (`data:`) counts as the document's.
    pub fn origin(&self) -> Whose {
        let address = self.url.strip_prefix("blob:").unwrap_or(&self.url);
        site_of(address).map_or_else(|| self.document.clone(), Whose::Origin)
    }

    /// One line: number, method, outcome, kind, size, time, URL.
    pub fn row(&self) -> String {
        let Self { number, method, kind, bytes, .. } = self;
        let ended = match (&self.failed, self.status) {
            (Some(why), _) => why.strip_prefix("net::").unwrap_or(why).to_owned(),
            (None, Some(status)) => status.to_string(),
            (None, None) => "...".to_owned(),
        };
        let ms = self.ended.map_or_else(|| "running".to_owned(), |end| format!("{:.0}ms", (end - self.began) * 1000.0));
        let cut = self.url.chars().count() > URL_LEN_MAX;
        let url: String = self.url.chars().take(URL_LEN_MAX).chain(cut.then_some('…')).collect();
        format!("n{number} {method} {ended} {kind} {bytes}B {ms} {url}")
    }

    /// The row and the headers. Headers with a login are shown only with `secrets`.
    pub fn details(&self, secrets: bool) -> String {
        let mut text = self.row();
        for (mark, headers) in [('>', &self.sent), ('<', &self.received)] {
            for (name, value) in headers {
                let value = value.as_str().unwrap_or_default().replace('\n', "; ");
                let shown = if secrets || !is_secret(name) { value.as_str() } else { "(hidden: --secrets shows it)" };
                let _ = write!(text, "\n{mark} {name}: {shown}");
            }
        }
        text
    }

    /// The media type of the response.
    pub fn media_type(&self) -> &str {
        &self.media_type
    }

    /// Whether the body of the response can be requested.
    pub fn is_answered(&self) -> bool {
        self.status.is_some() && self.ended.is_some() && !self.id.is_empty()
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a size of bytes, which the browser writes as a number"
)]
fn bytes(length: Option<f64>) -> u64 {
    length.unwrap_or_default().max(0.0) as u64
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRETS.contains(&name.as_str()) || SECRET_PARTS.iter().any(|part| name.contains(part))
}

/// Adds headers under lower-case names, within the limits.
fn keep(headers: &mut Map<String, Value>, more: Map<String, Value>) {
    for (name, value) in more {
        let mut text = match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        if text.len() > HEADER_BYTES_MAX {
            text.truncate(text.floor_char_boundary(HEADER_BYTES_MAX));
            text.push('…');
        }
        if headers.len() < HEADERS_LEN_MAX {
            headers.insert(name.to_ascii_lowercase(), Value::String(text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(net: &mut Net, method: &str, params: &Value) {
        let params = serde_json::value::to_raw_value(params).unwrap();
        net.take(&Event { method: format!("Network.{method}").into(), params, note: None }, &|frame| {
            if frame == "own" { Whose::Origin("http://h".to_owned()) } else { Whose::Unknown }
        });
    }

    fn sent(net: &mut Net, id: &str, url: &str, more: &Value) {
        let request = json!({"url":url,"method":"GET","headers":{"Cookie":"a=1","Accept":"*/*"}});
        let mut params = json!({"requestId":id,"request":request,"timestamp":10.0,"type":"XHR"});
        for (name, value) in more.as_object().unwrap() {
            params[name] = value.clone();
        }
        event(net, "requestWillBeSent", &params);
    }

    #[test]
    fn each_agent_reads_what_began_or_ended_since_it_asked() {
        let mut net = Net::default();
        sent(&mut net, "1", "http://h/a", &json!({}));
        assert_eq!(net.rows("x", false, &|_| true), "n1 GET ... xhr 0B running http://h/a");
        assert_eq!(net.rows("x", false, &|_| true), "");
        event(&mut net, "responseReceived", &json!({"requestId":"1","timestamp":10.1,"response":{"status":200}}));
        event(&mut net, "loadingFinished", &json!({"requestId":"1","timestamp":10.25,"encodedDataLength":1234.0}));
        assert_eq!(net.rows("x", false, &|_| true), "n1 GET 200 xhr 1234B 250ms http://h/a");
        assert_eq!(net.rows("y", false, &|_| true), "n1 GET 200 xhr 1234B 250ms http://h/a");
        assert_eq!(net.rows("x", false, &|_| true), "");
        assert_eq!(net.rows("x", true, &|_| true), "n1 GET 200 xhr 1234B 250ms http://h/a");
        sent(&mut net, "2", "http://h/b", &json!({}));
        event(&mut net, "loadingFailed", &json!({"requestId":"2","timestamp":10.0,"errorText":"net::ERR_ABORTED"}));
        assert_eq!(net.rows("x", false, &|_| true), "n2 GET ERR_ABORTED xhr 0B 0ms http://h/b");
    }

    #[test]
    fn a_redirect_ends_its_request_and_begins_another() {
        let mut net = Net::default();
        sent(&mut net, "1", "http://h/a", &json!({}));
        sent(&mut net, "1", "http://h/b", &json!({"redirectResponse":{"status":302},"timestamp":10.01}));
        assert_eq!(
            net.rows("x", false, &|_| true),
            "n1 GET 302 xhr 0B 10ms http://h/a\nn2 GET ... xhr 0B running http://h/b"
        );
    }

    #[test]
    fn logins_are_hidden_unless_they_are_wanted() {
        let mut net = Net::default();
        sent(&mut net, "1", "http://h/a", &json!({}));
        let extra = json!({"requestId":"1","headers":{"Set-Cookie":"s=2","X-Api-Key":"k","Content-Type":"text/plain"}});
        event(&mut net, "responseReceivedExtraInfo", &extra);
        let hidden = net.find("n1").unwrap().details(false);
        assert!(!hidden.contains("a=1") && !hidden.contains("s=2") && !hidden.contains(": k"), "{hidden}");
        assert!(hidden.contains("> accept: */*") && hidden.contains("< content-type: text/plain"), "{hidden}");
        assert!(net.find("1").unwrap().details(true).contains("> cookie: a=1"));
        event(&mut net, "requestWillBeSentExtraInfo", &json!({"requestId":"2","headers":{"Cookie":"early=1"}}));
        sent(&mut net, "2", "http://h/b", &json!({}));
        assert!(net.find("n2").unwrap().details(true).contains("> cookie: "));
        assert!(net.find("n3").is_none() && net.find("x").is_none());
    }

    #[test]
    fn requests_are_of_the_origin_of_their_document() {
        let mut net = Net::default();
        let of = |url: &str, frame: &str| json!({ "documentURL": url, "frameId": frame });
        sent(&mut net, "1", "http://h/a", &of("http://h/", "own"));
        sent(&mut net, "2", "http://h/b", &of("http://me@other:81/x", "own"));
        sent(&mut net, "3", "http://other/c", &of("about:srcdoc", "own"));
        sent(&mut net, "4", "http://h/d", &of("about:srcdoc", "one of another"));
        sent(&mut net, "5", "blob:http://other/e", &of("blob:http://h/f", ""));
        let of = |number: &str| net.find(number).map(|one| (one.document().clone(), one.origin()));
        let origin = |text: &str| Whose::Origin(text.to_owned());
        let (own, other) = (origin("http://h"), origin("http://other"));
        assert_eq!(of("1"), Some((own.clone(), own.clone())));
        assert_eq!(of("2"), Some((origin("http://other:81"), own.clone())));
        assert_eq!(of("3"), Some((own.clone(), other.clone())));
        assert_eq!(of("4"), Some((Whose::Unknown, own.clone())));
        assert_eq!(of("5"), Some((own.clone(), other)));
        let rows = net.rows("x", true, &|document| *document == own);
        let numbers: Vec<&str> = rows.lines().filter_map(|row| row.split(' ').next()).collect();
        assert_eq!(numbers, ["n1", "n3", "n5"], "{rows}");
    }

    #[test]
    fn the_oldest_give_way_at_the_limit_and_that_is_said() {
        let mut net = Net::default();
        for n in 0..REQUESTS_LEN_MAX {
            sent(&mut net, &n.to_string(), "http://h", &json!({}));
        }
        assert!(!net.rows("x", true, &|_| true).contains("older"));
        sent(&mut net, "more", "http://h", &json!({}));
        assert!(net.rows("x", true, &|_| true).starts_with("1 older ones are not kept\nn2 "));
    }
}
