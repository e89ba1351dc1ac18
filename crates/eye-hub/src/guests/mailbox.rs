//! The mailbox as files: `in` gets what pages have to say to an agent, lines that others add to `out` go to the page.
//!
//! A line `{"_bridge": NAME, "_args": […], "_id": …}` in either file calls that function of the page's `ALGO.bridge`; its
//! result, with the `_id`, goes into the other file.

use crate::hub::links::{AgentLink, Links};
use crate::mount::Guest;
use eye_protocol::limits::{MAILBOX_BYTES_MAX, MAILBOX_FILE_BYTES_MAX, MAILBOX_OUT_TOPIC, MAILBOX_TOPIC};
use eye_protocol::messages::Hello;
use eye_protocol::rpc::{self, Message, json};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Notify;

/// For the agent to read.
const IN: &str = "in";
/// For the agent to write.
const OUT: &str = "out";

/// The mailbox files of one folder, as a guest.
#[derive(Debug)]
pub struct MailboxFiles(PathBuf);

impl MailboxFiles {
    /// Keeps the files of this folder.
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

/// Keeps the files of a folder until the hub ends. A folder that cannot be watched is left alone.
async fn keep(links: &Links, folder: PathBuf) {
    let changed = Arc::new(Notify::new());
    let Ok(_watcher) = watch(&folder, changed.clone()) else { return };
    let link = links.open(&Hello { agent: Some("mailbox files".into()), ..Hello::default() });
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
                // In order: a line waits for the one before it.
                for (from, text) in added {
                    if let Some((to, answer)) = serve(&link, from, &text).await {
                        files = aside(files, move |files| files.append(to, &answer)).await.0;
                    }
                }
            }
        }
    }
}

/// A disk that is slow or full stops no other work.
async fn aside<T: Send + 'static>(mut files: Files, act: impl FnOnce(&mut Files) -> T + Send + 'static) -> (Files, T) {
    let ran = tokio::task::spawn_blocking(move || {
        let done = act(&mut files);
        (files, done)
    });
    match ran.await {
        Ok(done) => done,
        // The closures above do not panic; were one to, no task would own the files any more.
        Err(_) => std::future::pending().await,
    }
}

fn watch(folder: &Path, changed: Arc<Notify>) -> notify::Result<RecommendedWatcher> {
    let mut watcher = notify::recommended_watcher(move |_| changed.notify_one())?;
    watcher.watch(folder, RecursiveMode::NonRecursive)?;
    Ok(watcher)
}

/// What a page had to say, or an agent wrote, as a line of the file that it is for.
fn letter(news: &str) -> Option<(&'static str, String)> {
    #[derive(Deserialize)]
    struct Heard {
        topic: String,
        message: Box<RawValue>,
        from: String,
        time: u64,
    }
    let Some(Message::Notification { params, .. }) = rpc::parse_one(news) else { return None };
    let Heard { topic, message, from, time } = serde_json::from_str(&params).ok()?;
    // Written anew: white space between its parts may be newlines, and each line of the file is read for itself.
    let message: Value = serde_json::from_str(message.get()).ok()?;
    if topic == MAILBOX_OUT_TOPIC {
        // Text stands as it is where it is one line.
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

/// Does what a line asks for; what came of it is for the file that is named.
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
            // The writer reads here why it was not delivered.
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

/// Lines of ours that are remembered until they are met again.
const OWN_LINES_MAX: usize = 4_096;

/// The two files, and how far each has been read. Others may empty them.
#[derive(Debug)]
struct Files {
    folder: PathBuf,
    read: [(&'static str, u64); 2],
    /// Lines of ours that could not be skipped when they were written.
    own: VecDeque<(&'static str, String)>,
}

impl Files {
    /// What stands there already has been read: it was for a hub before this one.
    fn begin(folder: PathBuf) -> Self {
        let read = [OUT, IN].map(|file| (file, length(&folder.join(file))));
        Self { folder, read, own: VecDeque::new() }
    }

    /// Adds a line. One that does not fit is lost: the mailbox is full until it is emptied.
    fn append(&mut self, file: &str, line: &str) {
        let path = self.folder.join(file);
        let before = length(&path);
        if before + line.len() as u64 > MAILBOX_FILE_BYTES_MAX {
            return;
        }
        let open = OpenOptions::new().create(true).append(true).open(&path);
        let written = open.and_then(|mut open| open.write_all(format!("{line}\n").as_bytes()));
        if written.is_err() {
            return;
        }
        for (known, read) in self.read.iter_mut().filter(|(known, _)| *known == file) {
            if before < *read {
                // It was emptied since the last look: all of it is new.
                *read = 0;
            }
            if *read == before {
                // Our own lines need no reading.
                *read += line.len() as u64 + 1;
            } else {
                // Others have emptied the file or added to it: it will be met again, and must not be taken for theirs.
                self.own.push_back((known, line.to_owned()));
                while self.own.len() > OWN_LINES_MAX {
                    self.own.pop_front();
                }
            }
        }
    }

    /// Whole lines that others have added since the last look.
    fn new_lines(&mut self) -> Vec<(&'static str, String)> {
        let folder = &self.folder;
        let added = self.read.iter_mut().flat_map(|(file, read)| {
            let text = added_to(&folder.join(*file), read).unwrap_or_default();
            let whole: Vec<String> = text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect();
            whole.into_iter().map(|line| (*file, line))
        });
        let mut added: Vec<(&'static str, String)> = added.collect();
        let own = &mut self.own;
        added.retain(|line| match own.iter().position(|known| known == line) {
            Some(at) => own.remove(at).is_none(),
            None => true,
        });
        added
    }
}

fn added_to(path: &Path, read: &mut u64) -> io::Result<String> {
    let now = length(path);
    if now < *read {
        *read = 0;
    }
    // A line that is being written is read with the next look.
    if now == *read || !ends_a_line(path)? {
        return Ok(String::new());
    }
    let bytes = read_from(path, *read)?;
    // Counted in bytes of the file: what is not text is longer as text, and what lies before would be read again.
    *read += bytes.len() as u64;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |about| about.len())
}

fn ends_a_line(path: &Path) -> io::Result<bool> {
    let mut file = fs::File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// Bytes of a file, at most [`MAILBOX_BYTES_MAX`] of them, cut behind the last whole line.
fn read_from(path: &Path, from: u64) -> io::Result<Vec<u8>> {
    let mut file = fs::File::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(MAILBOX_BYTES_MAX as u64).read_to_end(&mut bytes)?;
    if let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') {
        bytes.truncate(end + 1);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> (tempfile::TempDir, Files) {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join(IN), "old\n").unwrap();
        let files = Files::begin(home.path().to_owned());
        (home, files)
    }

    #[test]
    fn others_lines_are_read_once_and_our_own_never() {
        let (home, mut files) = files();
        assert_eq!(files.new_lines(), []);
        files.append(IN, "ours");
        assert_eq!(files.new_lines(), []);
        let mut open = OpenOptions::new().append(true).open(home.path().join(IN)).unwrap();
        open.write_all(b"theirs\nunfinished").unwrap();
        assert_eq!(files.new_lines(), []);
        open.write_all(b"\n").unwrap();
        assert_eq!(files.new_lines(), [(IN, "theirs".to_owned()), (IN, "unfinished".to_owned())]);
        fs::write(home.path().join(IN), "").unwrap();
        assert_eq!(files.new_lines(), []);
        files.append(IN, "after");
        fs::write(home.path().join(OUT), "a\n\nb\n").unwrap();
        assert_eq!(files.new_lines(), [(OUT, "a".to_owned()), (OUT, "b".to_owned())]);
        assert_eq!(files.new_lines(), []);
    }

    #[test]
    fn our_own_lines_are_never_taken_for_others_although_the_file_was_just_emptied() {
        let (home, mut files) = files();
        files.append(IN, "first");
        // Emptied by others, who have added a line of theirs before we looked.
        fs::write(home.path().join(IN), "x\n").unwrap();
        files.append(IN, r#"{"_bridge":"run","_id":1}"#);
        assert_eq!(files.new_lines(), [(IN, "x".to_owned())]);
        assert_eq!(files.new_lines(), []);
    }

    #[test]
    fn bytes_that_are_no_text_make_no_line_be_read_again() {
        let (home, mut files) = files();
        let mut open = OpenOptions::new().append(true).open(home.path().join(IN)).unwrap();
        open.write_all(b"once\n\xff\xff\xff\n").unwrap();
        assert_eq!(files.new_lines(), [(IN, "once".to_owned()), (IN, "\u{fffd}\u{fffd}\u{fffd}".to_owned())]);
        open.write_all(b"next\n").unwrap();
        assert_eq!(files.new_lines(), [(IN, "next".to_owned())]);
    }

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
    fn a_file_that_nobody_empties_does_not_grow_for_ever() {
        let (home, mut files) = files();
        let line = "x".repeat(1 << 20);
        for _ in 0..=MAILBOX_FILE_BYTES_MAX >> 20 {
            files.append(IN, &line);
        }
        assert!(fs::metadata(home.path().join(IN)).unwrap().len() <= MAILBOX_FILE_BYTES_MAX);
    }

    #[test]
    fn answers_carry_their_id() {
        assert_eq!(with_id(json!({ "success": true }), Some(json!(7))), r#"{"success":true,"_id":7}"#);
        assert_eq!(with_id(json!("text"), None), r#"{"result":"text","_id":null}"#);
    }
}
