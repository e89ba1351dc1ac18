//! Formats entries as rows. Keeps the previous row's agent, page and method as written text, and the hash of its
//! arguments: an agent often repeats the same call, and the repeated parts are then copied.

use super::entry::{Clock, Ended, Entry, hash, tool_name};
use super::members::{Members, key};
use eye_protocol::SessionId;
use eye_protocol::scope::Scope;
use ring::hmac;
use std::borrow::Cow;
use std::sync::Arc;

/// Room for a row of usual length.
const ROW_BYTES: usize = 384;

/// Formats rows, and caches parts of the last one.
#[derive(Debug)]
pub struct Rows {
    key: hmac::Key,
    /// Whether rows include the arguments.
    contents: bool,
    clock: Clock,
    who: Option<Who>,
    /// The members of the last row that describe `who`, as JSON.
    text: Vec<u8>,
    hashed: Hashed,
}

/// Arguments of the last row, and the members that describe them, as JSON.
#[derive(Debug, Default)]
struct Hashed {
    arguments: Vec<u8>,
    /// Size of the whole arguments, of which these are the first; `None` before the first row.
    bytes: Option<usize>,
    text: Vec<u8>,
}

#[derive(Debug)]
struct Who {
    agent: Option<Arc<str>>,
    scope: Scope,
    face: &'static str,
    page: Option<(SessionId, Arc<str>)>,
    op: Cow<'static, str>,
}

impl Who {
    fn of(entry: &Entry) -> Self {
        let Entry { agent, scope, face, page, op, .. } = entry;
        Self { agent: agent.clone(), scope: scope.clone(), face, page: page.clone(), op: op.clone() }
    }

    fn is(&self, entry: &Entry) -> bool {
        // Nearly always the same texts in the same places.
        let same = |one: &str, other: &str| std::ptr::eq(one, other) || one == other;
        let agent = match (&self.agent, &entry.agent) {
            (Some(one), Some(other)) => same(one, other),
            (one, other) => one == other,
        };
        let page = match (&self.page, &entry.page) {
            (Some((one, origin)), Some((other, of))) => one == other && same(origin, of),
            (one, other) => one == other,
        };
        agent && page && same(self.face, entry.face) && same(&self.op, &entry.op) && self.scope == entry.scope
    }
}

impl Rows {
    /// `key` is the key of the hashes.
    pub fn new(key: hmac::Key, contents: bool) -> Self {
        Self { key, contents, clock: Clock::default(), who: None, text: Vec::new(), hashed: Hashed::default() }
    }

    /// Writes an entry as a line, without its newline.
    pub fn write(&mut self, entry: &Entry, out: &mut Vec<u8>) {
        let arguments = entry.without_environment();
        let text = || std::str::from_utf8(&arguments).unwrap_or_default();
        let tool = matches!(&*entry.op, "tools/call" | "gateway/call").then(|| tool_name(text())).flatten();
        out.reserve(ROW_BYTES);
        let mut row = Members::begin(out, self.clock.text(entry.at_ms));
        row.written(self.who(entry));
        row.name(key!("server"), entry.server.as_deref());
        row.name(key!("tool"), tool.as_deref());
        row.written(self.described(&arguments, entry.bytes));
        match entry.ended {
            Ended::Ok => row.written(br#","ending":"ok""#),
            ended => row.plain(key!("ending"), ended.word().as_bytes()),
        }
        if let Some(code) = entry.ended.code() {
            row.number(key!("code"), code);
        }
        row.number(key!("ms"), entry.us / 1000);
        row.number(key!("us"), entry.us);
        row.number(key!("answered"), entry.answered as u64);
        if self.contents {
            row.text(key!("args"), text());
        }
        row.end();
    }

    /// The members that name the agent, the page and the method.
    fn who(&mut self, entry: &Entry) -> &[u8] {
        if !self.who.as_ref().is_some_and(|who| who.is(entry)) {
            self.text.clear();
            let mut row = Members::more(&mut self.text);
            row.name(key!("agent"), entry.agent.as_deref());
            row.name(key!("token"), entry.scope.name());
            row.name(key!("face"), Some(entry.face));
            row.name(key!("page"), entry.page.as_ref().map(|(session, _)| session.as_str()));
            row.name(key!("origin"), entry.page.as_ref().map(|(_, origin)| &**origin));
            row.name(key!("op"), Some(&entry.op));
            self.who = Some(Who::of(entry));
        }
        &self.text
    }

    /// The members that describe the arguments.
    fn described(&mut self, arguments: &[u8], bytes: usize) -> &[u8] {
        let Hashed { arguments: known, bytes: known_bytes, text } = &mut self.hashed;
        if *known_bytes != Some(bytes) || *known != arguments {
            known.clear();
            known.extend_from_slice(arguments);
            *known_bytes = Some(bytes);
            text.clear();
            let mut row = Members::more(text);
            row.number(key!("bytes"), bytes as u64);
            row.plain(key!("hash"), &hash(&self.key, arguments));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eye_protocol::Code;
    use eye_protocol::limits::AUDIT_ARGUMENTS_BYTES_MAX;

    #[test]
    fn a_row_behind_another_says_what_it_says_alone() {
        let key = hmac::Key::new(hmac::HMAC_SHA256, b"k");
        let page = |origin: &str| Some((SessionId::parse("p").unwrap(), origin.into()));
        let mut entries = vec![Entry::new("eval".into(), "1"); 7];
        entries[2].agent = Some("a".into());
        entries[3].face = "unix";
        entries[4].page = page("http://a");
        entries[5].page = page("http://b");
        entries[6].scope = Scope::nothing("none");
        entries.push(Entry::new("eval".into(), "2"));
        entries.push(Entry::new("page/look".into(), "2"));
        for ended in [Ended::Fired, Ended::Error(Code::THREW)] {
            entries.push(Entry { ended, ..Entry::new("page/look".into(), "2") });
        }
        // Cut after the same beginning.
        entries.extend([1, 2].map(|more| Entry::new("eval".into(), &"x".repeat(AUDIT_ARGUMENTS_BYTES_MAX + more))));
        let mut behind = Rows::new(key.clone(), true);
        for entry in &entries {
            let [mut one, mut other] = [Vec::new(), Vec::new()];
            behind.write(entry, &mut one);
            Rows::new(key.clone(), true).write(entry, &mut other);
            assert_eq!(String::from_utf8(one), String::from_utf8(other));
        }
    }
}
