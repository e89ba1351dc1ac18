//! `eye pub`, `eye sub` and `eye read`: messages between agents and pages.

use crate::client;
use crate::env::Var;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::places;
use crate::results;
use crate::stream::{self, Bound};
use crate::ui;
use crate::verbs::eval::read_stdin;
use eye_protocol::rpc;
use eye_protocol::topics::{ReadMail, Subscribe};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long `--reply` waits for the response.
const REPLY: Duration = Duration::from_secs(5);

/// Publish a message under a topic
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye pub chat hello
         eye pub jobs '{\"id\": 7}' --wait 60
         eye pub quotes '{\"of\": \"EUR\"}' --reply

Agents that listen get it, and pages of the origin of the page in use (--all: pages of every origin). Where none does, it waits 5 seconds (--wait) for the first who will. \
--reply waits for a response and prints that.")]
pub struct PubArgs {
    /// Which topic
    topic: String,
    /// Text, or a JSON object or array; - is stdin
    message: String,
    /// How long it waits for a subscriber (5)
    #[arg(long, value_name = "SECONDS")]
    wait: Option<u64>,
    /// Drop it where nothing subscribes
    #[arg(long, conflicts_with = "wait")]
    no_wait: bool,
    /// Wait for a response and print it
    #[arg(long)]
    reply: bool,
    /// Reach pages of every origin, not only of the page in use
    #[arg(long)]
    all: bool,
}

#[derive(Deserialize)]
struct Published {
    status: String,
    #[serde(default)]
    count: u64,
    #[serde(default)]
    reason: String,
}

pub fn publish(args: &PubArgs, options: &Options) -> Result<Exit, Failure> {
    let message = parse(&args.message)?;
    let params = |message: Value| {
        let mut params = json!({ "topic": args.topic, "message": message });
        if let Some(seconds) = args.wait {
            params["timeout"] = (seconds * 1000).into();
        }
        if args.no_wait {
            params["queue"] = false.into();
        }
        if args.all {
            params["all"] = true.into();
        }
        params
    };
    if args.reply {
        return request(&params(message), options);
    }
    let Published { status, count, reason } =
        client::call("topic/publish", &params(message), options, client::Absent::Start)?;
    if options.errors {
        return Ok(Exit::Success);
    }
    match status.as_str() {
        "delivered" => ui::line(format_args!("delivered to {count}"))?,
        _ => ui::line(format_args!("{status}: {reason}"))?,
    }
    Ok(Exit::Success)
}

/// Publishes a request: the message names the topic of its response, and this waits for that.
fn request(params: &Value, options: &Options) -> Result<Exit, Failure> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let id = format!("{:x}-{:x}", std::process::id(), now.as_nanos());
    let topic = format!("_response_{id}");
    let mut params = params.clone();
    let message = params["message"].take();
    params["message"] = match message {
        Value::Object(mut members) => {
            members.insert("_requestId".into(), id.into());
            members.insert("_responseTopic".into(), topic.clone().into());
            Value::Object(members)
        }
        other => json!({ "message": other, "_requestId": id, "_responseTopic": topic }),
    };
    let mut link = client::open(options)?;
    link.send(&[
        &rpc::request("\"subscribe\"", "topic/subscribe", &Subscribe { topic }),
        &rpc::request("\"publish\"", "topic/publish", &params),
    ])?;
    let wait = options.timeout_ms.map_or(REPLY, Duration::from_millis);
    let bound = Bound { count: Some(1), seconds: Some(wait.as_secs().max(1)) };
    let mut answered = false;
    bound.follow(&mut link, "topic/message", None, |params| {
        answered = true;
        show(params, options)
    })?;
    if answered { Ok(Exit::Success) } else { Err(Failure::NoReply { seconds: wait.as_secs() }) }
}

/// Print the messages of a topic as they come
#[derive(Debug, clap::Args)]
#[command(after_help = format!("Example: eye sub chat --count 1\n         eye sub 'jobs.*' --for 60 --json\n\n\
A line is the message; --json tells topic, sender and time. A topic that ends in * stands for all that begin so. {}", stream::ENDS))]
pub struct SubArgs {
    /// Which topic
    topic: String,
    #[command(flatten)]
    bound: Bound,
}

pub fn subscribe(args: &SubArgs, options: &Options) -> Result<Exit, Failure> {
    follow(&args.topic, args.bound, options, |params| show(params, options))
}

/// Passes every message of a topic to `take`, until the limit.
pub fn follow(
    topic: &str,
    bound: Bound,
    options: &Options,
    take: impl FnMut(&str) -> Result<(), Failure>,
) -> Result<Exit, Failure> {
    let mut link = client::open(options)?;
    link.send(&[&rpc::request("\"subscribe\"", "topic/subscribe", &Subscribe { topic: topic.into() })])?;
    bound.follow(&mut link, "topic/message", None, take)?;
    Ok(Exit::Success)
}

#[derive(Deserialize)]
struct TopicMessage {
    message: Box<RawValue>,
}

fn show(params: &str, options: &Options) -> Result<(), Failure> {
    if options.json {
        return if options.errors { Ok(()) } else { ui::line(params) };
    }
    let TopicMessage { message } = client::read_result(params)?;
    ui::value(&results::of_raw(message.get()), options)
}

/// Print what the page had to say, each message once
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye read\n         eye read --wait 60\n
A page says it with eye.tell(message). The oldest comes first; --json tells sender and time.")]
pub struct ReadArgs {
    /// Wait so long for the first
    #[arg(long, value_name = "SECONDS")]
    wait: Option<u64>,
}

#[derive(Deserialize)]
struct Mail {
    messages: Vec<Box<RawValue>>,
    dropped: u64,
}

#[derive(Deserialize)]
struct Letter {
    msg: Box<RawValue>,
}

pub fn read(args: &ReadArgs, options: &Options) -> Result<Exit, Failure> {
    let timeout = args.wait.map(|seconds| seconds * 1000);
    let patient = Options { timeout_ms: timeout.or(options.timeout_ms), ..options.clone() };
    let Mail { messages, dropped } =
        client::call("mailbox/read", &ReadMail { page: None, timeout }, &patient, client::Absent::Start)?;
    empty_in();
    if dropped > 0 {
        ui::note(format_args!("{dropped} older messages gave way"));
    }
    for letter in messages {
        if options.json {
            ui::value(&eye_protocol::Value::Json(letter.get().into()), options)?;
        } else {
            let Letter { msg } = client::read_result(letter.get())?;
            ui::value(&results::of_raw(msg.get()), options)?;
        }
    }
    Ok(Exit::Success)
}

/// Empties the original's file of page mail, so that the original does not read the same messages again.
fn empty_in() {
    if Var::Server.get().is_some() {
        return;
    }
    if let Some(folder) = places::mailbox() {
        // A file that is missing or not ours does not need to be emptied.
        let _ = std::fs::OpenOptions::new().write(true).truncate(true).open(folder.join("in"));
    }
}

/// Parses a message: a JSON object or array as such, anything else as text.
pub fn parse(text: &str) -> Result<Value, Failure> {
    let text = if text == "-" { read_stdin()? } else { text.to_owned() };
    let structured = text.trim_start().starts_with(['{', '[']);
    Ok(match serde_json::from_str(&text) {
        Ok(value) if structured => value,
        Ok(_) | Err(_) => text.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_json_and_everything_else_is_text() {
        assert_eq!(parse("hello").unwrap(), json!("hello"));
        assert_eq!(parse("5").unwrap(), json!("5"));
        assert_eq!(parse(r#"{"a":1}"#).unwrap(), json!({ "a": 1 }));
        assert_eq!(parse("[1]").unwrap(), json!([1]));
        assert_eq!(parse("{oops").unwrap(), json!("{oops"));
    }
}
