//! Sends requests to a hub: hello and request leave in one write, a missing hub is started, a retiring one replaced.

use crate::env::{self, Var};
use crate::failure::Failure;
use crate::frozen;
use crate::options::{Options, TokenFor};
use crate::places;
use crate::start::{self, STARTS_MAX};
use crate::trust;
use eye_client::connection::{Connection, Opening};
use eye_client::{Address, Server, Trust};
use eye_protocol::limits::{CALL_TIMEOUT_DEFAULT_MS, FRAME_BYTES_MAX, NAME_BYTES_MAX};
use eye_protocol::messages::{ClientType, Eval, Hello, PROTOCOL_VERSION, Stop};
use eye_protocol::rpc::{self, Message};
use eye_protocol::{Ending, Error, answer};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::ErrorKind;
use std::time::Duration;

/// Milliseconds beyond a call's own timeout before the hub counts as hung.
const HUNG_AFTER_MS: u64 = 15_000;
/// The id of the only request on a connection.
const ID: &str = "1";

/// What to do when no hub runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// Start one.
    Start,
    /// Fail. The hub is then not asked to give way to a newer one either.
    Report,
}

/// Evaluates code in a page.
pub fn eval(code: &str, options: &Options) -> Result<Ending, Failure> {
    let frame = format!("{ID}:{code}");
    check_length(&frame)?;
    let (ending, _) = exchange(&frame, options, Absent::Start, |frame| match answer::parse_typed(frame) {
        Some((ID, ending)) => Some(Ok(ending)),
        _ => None,
    })?;
    Ok(ending)
}

/// Calls a method of the hub, on a connection of its own.
pub fn call<T: DeserializeOwned>(
    method: &str,
    params: &impl Serialize,
    options: &Options,
    absent: Absent,
) -> Result<T, Failure> {
    let (result, _) = request(method, params, options, absent)?;
    read_result(&result)
}

/// Calls a method, and returns the connection for further requests of the same command.
pub fn ask<T: DeserializeOwned>(
    method: &str,
    params: &impl Serialize,
    options: &Options,
) -> Result<(T, Conversation), Failure> {
    let (result, link) = request(method, params, options, Absent::Start)?;
    Ok((read_result(&result)?, Conversation { link, patience: patience(options) }))
}

/// Calls a tool. `progress` receives the raw parameters of each `call/progress` notification.
pub fn call_tool(
    params: &impl Serialize,
    options: &Options,
    conversation: Option<Conversation>,
    mut progress: impl FnMut(&str),
) -> Result<Box<str>, Failure> {
    let frame = rpc::request(ID, "tools/call", params);
    check_length(&frame)?;
    let mut wanted = |frame: &str| match rpc::parse_one(frame) {
        Some(Message::Response { id, outcome }) if &*id == ID => Some(outcome.map(Into::into).map_err(Failure::from)),
        Some(Message::Notification { method, params }) if method == "call/progress" => {
            progress(&params);
            None
        }
        _ => None,
    };
    // A tool may have a timeout of its own that this side does not know: then only the hub ends the call.
    let patience = options.timeout_ms.map(|_| patience(options));
    let Some(Conversation { mut link, .. }) = conversation else {
        return exchange_within(&frame, options, Absent::Start, patience, wanted).map(|(result, _)| result);
    };
    link.send(&[&frame])?;
    match listen(&mut link, patience, &mut wanted)? {
        Reply::Answer(result) => Ok(result),
        Reply::Retiring => Err(Failure::HubGone),
    }
}

/// Runs a verb in the page. Returns the hub's result as JSON.
pub fn verb(verb: &str, params: &impl Serialize, options: &Options) -> Result<Box<str>, Failure> {
    request(&format!("page/{verb}"), params, options, Absent::Start).map(|(result, _)| result)
}

/// Evaluates code in a page. Returns the hub's result as JSON, with the delta and revision check of the flags.
pub fn eval_in_full(code: &str, options: &Options) -> Result<Box<str>, Failure> {
    let (delta, if_revision) = (options.delta, options.if_revision);
    let params = Eval { code: code.into(), delta, if_revision, ..Eval::default() };
    request("eval", &params, options, Absent::Start).map(|(result, _)| result)
}

/// Sends one JSON-RPC request unchanged, and returns the response frame unchanged. `id` is JSON text.
pub fn send_raw(request: &str, id: &str, options: &Options) -> Result<String, Failure> {
    check_length(request)?;
    let (answer, _) = exchange(request, options, Absent::Start, |frame| match rpc::parse_one(frame) {
        // The response to a request that could not be parsed has the id null.
        Some(Message::Response { id: found, .. } | Message::Invalid { id: found, .. })
            if &*found == id || &*found == "null" =>
        {
            Some(Ok(frame.to_owned()))
        }
        _ => None,
    })?;
    Ok(answer)
}

/// A connection on which a hub has already answered.
pub struct Conversation {
    link: Connection,
    patience: Duration,
}

impl Conversation {
    pub fn ask<T: DeserializeOwned>(&mut self, method: &str, params: &impl Serialize) -> Result<T, Failure> {
        self.link.send(&[&rpc::request(ID, method, params)])?;
        match listen(&mut self.link, Some(self.patience), answer_to_id)? {
            Reply::Answer(result) => read_result(&result),
            Reply::Retiring => Err(Failure::HubGone),
        }
    }
}

/// Stops the hub, and returns when another can take its place. Calls under way may take `drain_ms` before they end.
pub fn stop(drain_ms: Option<u64>, options: &Options) -> Result<(), Failure> {
    let (_, mut link) = request("hub/stop", &Stop { drain: drain_ms }, options, Absent::Report)?;
    see_off(&mut link)
}

/// Ends the relay, and returns when another can take its place. Returns the relay's answer.
pub fn end_relay<T: DeserializeOwned>(options: &Options) -> Result<T, Failure> {
    let (result, mut link) = request("relay/stop", &serde_json::json!({}), options, Absent::Report)?;
    see_off(&mut link)?;
    read_result(&result)
}

/// Parses a result of the hub.
pub fn read_result<T: DeserializeOwned>(result: &str) -> Result<T, Failure> {
    serde_json::from_str(result).map_err(|error| Failure::Garbled(error.to_string()))
}

/// Opens a connection for many calls. The hub has accepted the hello.
pub fn open(options: &Options) -> Result<Connection, Failure> {
    let hello = |server| rpc::request("\"hello\"", "hello", &hello(options, Absent::Start, server));
    for _ in 0..STARTS_MAX {
        let mut link = connect(Absent::Start)?;
        link.send(&[&hello(link.is_server())])?;
        match listen(&mut link, None, |frame| match rpc::parse_one(frame) {
            Some(Message::Response { outcome, .. }) => Some(outcome.map(|_| ()).map_err(Failure::from)),
            _ => None,
        })? {
            Reply::Answer(()) => return Ok(link),
            Reply::Retiring => {}
        }
    }
    Err(places::socket().not_reached())
}

/// Refuses a request that is longer than a frame may be.
pub fn check_length(frame: &str) -> Result<(), Failure> {
    if frame.len() > FRAME_BYTES_MAX { Err(Failure::CodeTooLong { bytes: frame.len() }) } else { Ok(()) }
}

/// How long to wait for an answer before the hub counts as hung.
pub fn patience(options: &Options) -> Duration {
    Duration::from_millis(options.timeout_ms.unwrap_or(CALL_TIMEOUT_DEFAULT_MS).saturating_add(HUNG_AFTER_MS))
}

fn request(
    method: &str,
    params: &impl Serialize,
    options: &Options,
    absent: Absent,
) -> Result<(Box<str>, Connection), Failure> {
    let frame = rpc::request(ID, method, params);
    check_length(&frame)?;
    exchange(&frame, options, absent, answer_to_id)
}

fn answer_to_id(frame: &str) -> Option<Result<Box<str>, Failure>> {
    match rpc::parse_one(frame) {
        Some(Message::Response { id, outcome }) if &*id == ID => Some(outcome.map(Into::into).map_err(Failure::from)),
        _ => None,
    }
}

enum Reply<T> {
    Answer(T),
    Retiring,
}

fn exchange<T>(
    question: &str,
    options: &Options,
    absent: Absent,
    wanted: impl FnMut(&str) -> Option<Result<T, Failure>>,
) -> Result<(T, Connection), Failure> {
    exchange_within(question, options, absent, Some(patience(options)), wanted)
}

fn exchange_within<T>(
    question: &str,
    options: &Options,
    absent: Absent,
    patience: Option<Duration>,
    mut wanted: impl FnMut(&str) -> Option<Result<T, Failure>>,
) -> Result<(T, Connection), Failure> {
    for _ in 0..STARTS_MAX {
        let mut link = connect(absent)?;
        let hello = rpc::notification("hello", &hello(options, absent, link.is_server()));
        link.send(&[&hello, question])?;
        match listen(&mut link, patience, &mut wanted)? {
            Reply::Answer(answer) => return Ok((answer, link)),
            // The hub has executed nothing of what was sent: a retiring hub serves no more calls.
            Reply::Retiring => {}
        }
    }
    Err(places::socket().not_reached())
}

fn listen<T>(
    link: &mut Connection,
    patience: Option<Duration>,
    mut wanted: impl FnMut(&str) -> Option<Result<T, Failure>>,
) -> Result<Reply<T>, Failure> {
    while let Some(frame) = frozen::receive(link, patience)? {
        if let Some(answer) = wanted(&frame) {
            return answer.map(Reply::Answer);
        }
        match about_connection(&frame) {
            Some(Ok(())) => {
                see_off(link)?;
                return Ok(Reply::Retiring);
            }
            Some(Err(error)) => return Err(error.into()),
            None => {}
        }
    }
    Err(Failure::HubGone)
}

/// Waits for the end of a hub that announced it.
fn see_off(link: &mut Connection) -> Result<(), Failure> {
    while link.receive()?.is_some() {}
    if let Some(place) = link.place() {
        places::wait_for_end(place);
    }
    Ok(())
}

/// Recognises a frame about the whole connection: the hub retires, or it could not parse what we sent.
fn about_connection(frame: &str) -> Option<Result<(), Error>> {
    match rpc::parse_one(frame)? {
        Message::Notification { method, .. } if method == "hub/retiring" => Some(Ok(())),
        _ => rpc::error_without_id(frame).map(Err),
    }
}

fn connect(absent: Absent) -> Result<Connection, Failure> {
    if let Some(server) = Var::Server.text() {
        let trust = if Server::parse(&server)?.tls { trust::of_this_machine()? } else { Trust::default() };
        let address = Address::Server { url: server, token: token(), trust };
        return Ok(Connection::open(&address, &Opening::AGENT)?);
    }
    let socket = places::socket();
    socket.check()?;
    for round in 0..STARTS_MAX {
        match Connection::over_socket(&socket.path) {
            Ok(connection) => return Ok(connection),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            // A killed hub leaves its socket behind; the hub of the port may listen elsewhere.
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                let other = places::socket_of_port().and_then(|other| Connection::over_socket(&other.path).ok());
                if let Some(connection) = other {
                    return Ok(connection);
                }
            }
            Err(source) => return Err(Failure::Socket { path: socket.path, source }),
        }
        if absent == Absent::Report {
            return Err(Failure::NoHub);
        }
        start::hub_in_round(round, &[])?;
    }
    Err(socket.not_reached())
}

/// The token for the hub that `EYE_SERVER` names. The token file is the local hub's secret: it is never sent elsewhere.
fn token() -> Option<String> {
    Var::Token.text().map(|text| text.trim().to_owned())
}

fn hello(options: &Options, absent: Absent, elsewhere: bool) -> Hello {
    Hello {
        client_type: Some(ClientType::Agent),
        version: Some(PROTOCOL_VERSION.into()),
        typed: true,
        agent: agent(elsewhere),
        target: options.page.clone(),
        timeout: options.timeout_ms,
        frame: options.frame.clone(),
        // On the Unix socket the token lowers what this command may do; a hub elsewhere already received it in the HTTP
        // upgrade.
        token: Var::Token.text().filter(|_| !elsewhere && options.token_for == TokenFor::Asked),
        // A newer build asks an older hub to retire. We cannot start a hub elsewhere again, so we do not ask that one.
        build: (absent == Absent::Start && !elsewhere).then(|| env!("CARGO_PKG_VERSION").into()),
        ..Hello::default()
    }
}

/// The agent's name: the folder of the command, and for a hub elsewhere the machine's name too.
pub fn agent(elsewhere: bool) -> Option<String> {
    let folder = env::current_folder()?.to_string_lossy().into_owned();
    let name = if elsewhere { format!("{}:{folder}", eye_platform::process::machine()) } else { folder };
    // The end of a long path says more than its beginning.
    let from = name.ceil_char_boundary(name.len().saturating_sub(NAME_BYTES_MAX));
    Some(name[from..].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hello_says_who_asks_and_what_for() {
        let options = Options { page: Some("shop".into()), timeout_ms: Some(1500), ..Options::default() };
        let sent = hello(&options, Absent::Start, false);
        assert!(sent.typed && !sent.batch);
        assert_eq!(sent.target.as_deref(), Some("shop"));
        assert_eq!(sent.timeout, Some(1500));
        assert_eq!(sent.build.as_deref(), Some(env!("CARGO_PKG_VERSION")));
        assert_eq!(sent.agent, env::current_folder().map(|folder| folder.to_string_lossy().into_owned()));
        assert_eq!(hello(&options, Absent::Report, false).build, None);
        assert_eq!(hello(&options, Absent::Start, true).build, None);
    }

    #[test]
    fn a_retiring_hub_is_noticed() {
        let retiring = r#"{"jsonrpc":"2.0","method":"hub/retiring","params":{"version":"0.0.9"}}"#;
        assert_eq!(about_connection(retiring), Some(Ok(())));
        assert_eq!(about_connection("1:hub/retiring"), None);
        assert_eq!(about_connection(r#"{"jsonrpc":"2.0","id":"1","result":{}}"#), None);
        assert_eq!(about_connection(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32006,"message":"x"}}"#), None);
        let error = Error::new(eye_protocol::Code::DENIED, "the token `ci` was revoked");
        assert_eq!(about_connection(&rpc::response("null", Err(&error))), Some(Err(error)));
    }

    #[test]
    fn code_over_the_limit_is_refused_before_it_is_sent() {
        assert!(check_length(&"x".repeat(FRAME_BYTES_MAX)).is_ok());
        assert!(matches!(check_length(&"x".repeat(FRAME_BYTES_MAX + 1)), Err(Failure::CodeTooLong { .. })));
    }
}
