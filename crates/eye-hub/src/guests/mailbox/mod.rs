//! The mailbox as files: messages of pages for an agent go to `in`; lines that other programs add to `out` go to the
//! page.
//!
//! A line `{"_bridge": NAME, "_args": […], "_id": …}` in either file calls that function of the page's `ALGO.bridge`;
//! its result, with the `_id`, goes into the other file.

mod files;

use crate::hub::links::{AgentLink, Links};
use crate::mount::Guest;
use eye_protocol::limits::{MAILBOX_OUT_TOPIC, MAILBOX_TOPIC};
use eye_protocol::local::Identity;
use eye_protocol::rpc::{self, Message, json};
use files::{Files, IN, OUT};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Notify;

#[derive(Debug)]
pub struct MailboxFiles(PathBuf);

impl MailboxFiles {
    /// Serves the files of this folder.
    pub fn new(folder: PathBuf) -> Self {
        Self(folder)
    }
}

impl Guest for MailboxFiles {
    fn begin(&self, links: Links) {
        let folder = self.0.clone();
        tokio::spawn(async move { keep(&links, folder).await });
    }

    fn own_agents(&self) -> usize {
        1
    }
}

/// Serves the files of a folder until the hub ends. Does nothing if the folder cannot be watched.
async fn keep(links: &Links, folder: PathBuf) {
    let changed = Arc::new(Notify::new());
    let Ok(_watcher) = watch(&folder, changed.clone()) else { return };
    let link = links.open(Identity { name: Some("mailbox files".into()), ..Identity::default() }, "inside");
    for topic in [MAILBOX_TOPIC, MAILBOX_OUT_TOPIC] {
        link.notify("topic/subscribe", &json(&json!({ "topic": topic })));
    }
    let mut files = Files::begin(folder);
    loop {
        tokio::select! {
            news = link.news() => match news {
                Some(news) => if let Some((file, letter)) = letter(&news) {
                    files = aside(files, move |files| files.append(file, &letter)).await.0;
                },
                None => return,
            },
            () = changed.notified() => {
                let (kept, added) = aside(files, Files::new_lines).await;
                files = kept;
                // In order: each line waits for the one before it.
                for (from, text) in added {
                    if let Some((to, answer)) = serve(&link, from, &text).await {
                        files = aside(files, move |files| files.append(to, &answer)).await.0;
                    }
                }
            }
        }
    }
}

/// Runs file access on a thread of its own: a slow or full disk must not block other work.
async fn aside<T: Send + 'static>(mut files: Files, act: impl FnOnce(&mut Files) -> T + Send + 'static) -> (Files, T) {
    let ran = tokio::task::spawn_blocking(move || {
        let done = act(&mut files);
        (files, done)
    });
    match ran.await {
        Ok(done) => done,
        // The closures above do not panic; if one did, no task would own the files any more.
        Err(_) => std::future::pending().await,
    }
}

fn watch(folder: &Path, changed: Arc<Notify>) -> notify::Result<RecommendedWatcher> {
    let mut watcher = notify::recommended_watcher(move |_| changed.notify_one())?;
    watcher.watch(folder, RecursiveMode::NonRecursive)?;
    Ok(watcher)
}

/// Formats a message of a page or an agent as a line, with the file it belongs to.
fn letter(news: &str) -> Option<(&'static str, String)> {
    #[derive(Deserialize)]
    struct TopicMessage {
        topic: String,
        message: Box<RawValue>,
        from: String,
        time: u64,
    }
    let Some(Message::Notification { params, .. }) = rpc::parse_one(news) else { return None };
    let TopicMessage { topic, message, from, time } = serde_json::from_str(&params).ok()?;
    // Serialized again: the message may contain line breaks, and each line of the file is read on its own.
    let message: Value = serde_json::from_str(message.get()).ok()?;
    if topic == MAILBOX_OUT_TOPIC {
        // Text of one line is written as it is.
        let line = message.as_str().filter(|text| !text.contains(['\n', '\r'])).map(str::to_owned);
        return Some((OUT, line.unwrap_or_else(|| json(&message))));
    }
    Some((IN, format!(r#"{{"from":{},"msg":{},"timestamp":{time}}}"#, json(&from), json(&message))))
}

#[derive(Deserialize)]
struct Line {
    #[serde(default, rename = "_bridge")]
    bridge: Option<String>,
    #[serde(default, rename = "_args")]
    args: Vec<Value>,
    #[serde(default, rename = "_id")]
    id: Option<Value>,
}

/// Executes a line. Returns the result and the file that it goes to.
async fn serve(link: &AgentLink, from: &'static str, text: &str) -> Option<(&'static str, String)> {
    let to = if from == IN { OUT } else { IN };
    match serde_json::from_str::<Line>(text) {
        Ok(Line { bridge: Some(name), args, id }) => {
            let answer = call_bridge(link, &name, &args).await;
            Some((to, with_id(answer, id)))
        }
        // An answer written by this hub or by another program.
        Ok(Line { id: Some(_), .. }) => None,
        Ok(_) | Err(_) if from == OUT => {
            let message = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
            let written = link.request("page/write", &json(&json!({ "message": message })), None).await;
            // The writer reads in the other file why the message was not delivered.
            written.err().map(|error| (to, json(&json!({ "error": error.one_line(), "msg": message }))))
        }
        Ok(_) | Err(_) => None,
    }
}

async fn call_bridge(link: &AgentLink, name: &str, args: &[Value]) -> Value {
    let code = format!(
        "await (async (bridge, name, args) => typeof bridge?.[name] === 'function' ? bridge[name](...args) : \
         {{ success: false, error: 'Unknown bridge command' }})(globalThis.ALGO?.bridge, {}, {})",
        json(name),
        json(args)
    );
    match link.request("eval", &json(&json!({ "code": code })), None).await {
        Ok(result) => {
            let mut result: Value = serde_json::from_str(result.get()).unwrap_or_default();
            result["value"].take()
        }
        Err(error) => json!({ "success": false, "error": error.one_line() }),
    }
}

fn with_id(answer: Value, id: Option<Value>) -> String {
    let mut members = match answer {
        Value::Object(members) => members,
        other => serde_json::Map::from_iter([("result".to_owned(), other)]),
    };
    members.insert("_id".into(), id.unwrap_or_default());
    json(&members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_is_one_line_however_it_was_written() {
        let params = "{\"topic\":\"_mailbox\",\"message\":[\n{\"_bridge\":\"run\"}\n],\"from\":\"a\\nb\",\"time\":7}";
        let news = format!(r#"{{"jsonrpc":"2.0","method":"topic/message","params":{params}}}"#);
        assert_eq!(
            letter(&news).unwrap(),
            (IN, r#"{"from":"a\nb","msg":[{"_bridge":"run"}],"timestamp":7}"#.to_owned())
        );
    }

    #[test]
    fn answers_carry_their_id() {
        assert_eq!(with_id(json!({ "success": true }), Some(json!(7))), r#"{"success":true,"_id":7}"#);
        assert_eq!(with_id(json!("text"), None), r#"{"result":"text","_id":null}"#);
    }
}
