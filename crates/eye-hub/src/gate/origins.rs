//! The file of origins that may join besides the loopback ones, with their restrictions, and of denied sites. One line
//! each.

use super::pattern::Pattern;
use super::tokens::FileVersion;
use crate::private;
use eye_core::Policy;
use eye_protocol::limits::{OWN_TOPIC_PREFIX, TOPIC_BYTES_MAX};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

#[expect(clippy::struct_excessive_bools, reason = "what is granted to an origin, each for itself")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// `https://example.com`, as a browser writes it.
    pub origin: String,
    /// Whether agents may evaluate code in its pages.
    pub eval: bool,
    /// Whether tools with irreversible effects need confirmation.
    pub confirm: bool,
    /// Whether its pages may join. Otherwise only agents in its pages may send requests, with the token.
    pub pages: bool,
    /// Whether its pages may use the backends (evolution, area agents, cartridges, the LLM) without the token.
    pub backends: bool,
    /// Topics that its pages share with pages of other origins.
    pub topics: Vec<Box<str>>,
}

impl Allowed {
    /// An origin whose pages may join and be evaluated in.
    pub fn new(origin: impl Into<String>) -> Self {
        Self { origin: origin.into(), eval: true, confirm: false, pages: true, backends: false, topics: Vec::new() }
    }
}

impl From<Allowed> for Policy {
    fn from(allowed: Allowed) -> Self {
        Self { eval_allowed: allowed.eval, confirm: allowed.confirm, topics: allowed.topics, denied: false }
    }
}

/// The file's entry for an origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Listed by name as allowed.
    Allowed(Allowed),
    /// Denied by this pattern.
    Denied(Pattern),
    /// Not listed.
    Unlisted,
}

impl Verdict {
    /// The entry of an allowed origin.
    pub fn allowed(self) -> Option<Allowed> {
        match self {
            Self::Allowed(allowed) => Some(allowed),
            Self::Denied(_) | Self::Unlisted => None,
        }
    }
}

/// The content of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// In the order they were added.
    pub allowed: Vec<Allowed>,
    /// Denied sites, in the order they were added.
    pub denied: Vec<Pattern>,
}

impl List {
    /// The verdict for an origin. An allowed name is more specific than any pattern.
    pub fn verdict(&self, origin: &str) -> Verdict {
        if let Some(allowed) = self.allowed.iter().find(|allowed| allowed.origin == origin) {
            return Verdict::Allowed(allowed.clone());
        }
        self.denied.iter().find(|pattern| pattern.fits(origin)).cloned().map_or(Verdict::Unlisted, Verdict::Denied)
    }

    pub fn is_empty(&self) -> bool {
        self.allowed.is_empty() && self.denied.is_empty()
    }
}

/// The file of allowed origins and denied sites. Read again for each lookup: joining is rare.
#[derive(Clone, Debug)]
pub struct Origins {
    file: PathBuf,
}

/// Why a text is not an origin.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{0}` is not an origin; write scheme, host and port only, such as https://example.com or http://box.local:5173"
)]
pub struct NotAnOrigin(String);

/// A line of the file that cannot be read. It may have held a restriction, so the whole list is not used.
#[derive(Debug, thiserror::Error)]
#[error(
    "line {line}: `{word}` is neither an origin nor one of eval=no, confirm=yes, agent=only, backends=yes, topics=…, deny"
)]
struct BadLine {
    /// Counted from 1.
    line: usize,
    word: String,
}

/// Converts an origin to the form that browsers send.
pub fn normalise(text: &str) -> Result<String, NotAnOrigin> {
    let wrong = || NotAnOrigin(text.to_owned());
    let (scheme, rest) = text.split_once("://").ok_or_else(wrong)?;
    let scheme = scheme.to_ascii_lowercase();
    let host = rest.strip_suffix('/').unwrap_or(rest).to_ascii_lowercase();
    let plain = |b: u8| b.is_ascii_alphanumeric() || b".-:[]_".contains(&b);
    if host.is_empty() || !host.bytes().all(plain) || !scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
        return Err(wrong());
    }
    let default_port = match scheme.as_str() {
        "http" => ":80",
        "https" => ":443",
        _ => "",
    };
    let host = if default_port.is_empty() { &host } else { host.strip_suffix(default_port).unwrap_or(&host) };
    Ok(format!("{scheme}://{host}"))
}

impl Origins {
    /// The file need not exist.
    pub fn new(file: PathBuf) -> Self {
        Self { file }
    }

    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Changes with every change of the file.
    pub fn version(&self) -> Option<FileVersion> {
        FileVersion::of(&self.file)
    }

    /// Reads the list. One bad line makes the whole file an error.
    pub fn list(&self) -> io::Result<List> {
        match fs::read_to_string(&self.file) {
            Ok(text) => parse(&text).map_err(|bad| io::Error::new(io::ErrorKind::InvalidData, bad)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(List::default()),
            Err(error) => Err(error),
        }
    }

    /// Why the list cannot be used, as a sentence; `None`: it can.
    pub fn problem(&self) -> Option<String> {
        let error = self.list().err()?;
        Some(format!("no page may join: the list of allowed origins, {}, cannot be read: {error}", self.file.display()))
    }

    pub fn find(&self, origin: &str) -> io::Result<Verdict> {
        Ok(self.list()?.verdict(origin))
    }

    /// Adds an origin, or changes its entry. Removes a denial of exactly this origin.
    pub fn allow(&self, entry: Allowed) -> io::Result<()> {
        let mut list = self.list()?;
        list.denied.retain(|pattern| pattern.as_str() != entry.origin);
        match list.allowed.iter_mut().find(|allowed| allowed.origin == entry.origin) {
            Some(known) => *known = entry,
            None => list.allowed.push(entry),
        }
        self.write(&list)
    }

    /// Denies sites. Returns the allowed origins that fit the pattern and stay allowed: a name is more specific than a
    /// pattern.
    pub fn deny(&self, pattern: Pattern) -> io::Result<Vec<String>> {
        let mut list = self.list()?;
        list.allowed.retain(|allowed| allowed.origin != pattern.as_str());
        let stay = list.allowed.iter().filter(|allowed| pattern.fits(&allowed.origin));
        let stay = stay.map(|allowed| allowed.origin.clone()).collect();
        if !list.denied.contains(&pattern) {
            list.denied.push(pattern);
        }
        self.write(&list)?;
        Ok(stay)
    }

    /// Removes an allowed origin. `false`: it was not listed.
    pub fn remove(&self, origin: &str) -> io::Result<bool> {
        let mut list = self.list()?;
        let before = list.allowed.len();
        list.allowed.retain(|allowed| allowed.origin != origin);
        self.write_if(list.allowed.len() < before, &list)
    }

    /// Removes a denied pattern. `false`: it was not listed.
    pub fn undeny(&self, pattern: &Pattern) -> io::Result<bool> {
        let mut list = self.list()?;
        let before = list.denied.len();
        list.denied.retain(|denied| denied != pattern);
        self.write_if(list.denied.len() < before, &list)
    }

    fn write_if(&self, changed: bool, list: &List) -> io::Result<bool> {
        if changed {
            self.write(list)?;
        }
        Ok(changed)
    }

    fn write(&self, list: &List) -> io::Result<()> {
        let line = |a: &Allowed| {
            let eval = if a.eval { "" } else { " eval=no" };
            let confirm = if a.confirm { " confirm=yes" } else { "" };
            let pages = if a.pages { "" } else { " agent=only" };
            let backends = if a.backends { " backends=yes" } else { "" };
            let topics = if a.topics.is_empty() { String::new() } else { format!(" topics={}", a.topics.join(",")) };
            format!("{}{eval}{confirm}{pages}{backends}{topics}\n", a.origin)
        };
        let allowed = list.allowed.iter().map(line);
        let text: String = allowed.chain(list.denied.iter().map(|pattern| format!("{pattern} {DENY}\n"))).collect();
        private::write(&self.file, text.as_bytes())
    }
}

/// The last word of a denied pattern's line.
const DENY: &str = "deny";

/// Parses topics separated by commas. `None`: one of them cannot be shared, such as our own topics (`_…`).
pub fn parse_topics(text: &str) -> Option<Vec<Box<str>>> {
    let fits = |topic: &str| {
        let plain = !topic.chars().any(|c| c.is_whitespace() || c.is_control() || c == '#');
        plain && (1..=TOPIC_BYTES_MAX).contains(&topic.len()) && !topic.starts_with(OWN_TOPIC_PREFIX)
    };
    text.split(',').map(|topic| fits(topic).then(|| topic.into())).collect()
}

fn parse(text: &str) -> Result<List, BadLine> {
    let mut list = List::default();
    for (at, line) in text.lines().enumerate() {
        match parse_line(line).map_err(|UnknownWord(word)| BadLine { line: at + 1, word: word.to_owned() })? {
            Verdict::Allowed(allowed) => list.allowed.push(allowed),
            Verdict::Denied(pattern) => list.denied.push(pattern),
            Verdict::Unlisted => {}
        }
    }
    Ok(list)
}

/// A word of a line that has no meaning there.
struct UnknownWord<'a>(&'a str);

/// `Unlisted`: an empty line or a comment.
fn parse_line(line: &str) -> Result<Verdict, UnknownWord<'_>> {
    let mut words = line.split('#').next().unwrap_or("").split_whitespace();
    let Some(origin) = words.next() else { return Ok(Verdict::Unlisted) };
    if words.clone().eq([DENY]) {
        return match Pattern::parse(origin) {
            Ok(pattern) if pattern.as_str() == origin => Ok(Verdict::Denied(pattern)),
            Ok(_) | Err(_) => Err(UnknownWord(origin)),
        };
    }
    if normalise(origin).ok().as_deref() != Some(origin) {
        return Err(UnknownWord(origin));
    }
    let mut allowed = Allowed::new(origin);
    for word in words {
        match word {
            "eval=no" => allowed.eval = false,
            "confirm=yes" => allowed.confirm = true,
            "backends=yes" => allowed.backends = true,
            "agent=only" => allowed.pages = false,
            unknown => {
                let topics = unknown.strip_prefix("topics=").and_then(parse_topics);
                allowed.topics = topics.ok_or(UnknownWord(unknown))?;
            }
        }
    }
    Ok(Verdict::Allowed(allowed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_kept_as_browsers_write_them() {
        for (text, want) in [
            ("https://Example.com", "https://example.com"),
            ("https://example.com/", "https://example.com"),
            ("https://example.com:443", "https://example.com"),
            ("http://box.local:5173", "http://box.local:5173"),
            ("http://[::1]:80", "http://[::1]"),
        ] {
            assert_eq!(normalise(text).unwrap(), want);
        }
        for text in ["example.com", "https://", "https://a/b", "https://a b", "https://a?x", "*", "https://*"] {
            assert!(normalise(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_file_holds_what_was_allowed() {
        let home = tempfile::tempdir().unwrap();
        let origins = Origins::new(home.path().join("eye/origins"));
        assert_eq!(origins.list().unwrap(), List::default());
        let entry = |origin: &str, eval| {
            let topics = if eval { vec!["chat".into(), "orders.*".into()] } else { Vec::new() };
            Allowed { eval, confirm: !eval, pages: eval, topics, ..Allowed::new(origin) }
        };
        origins.allow(entry("https://a.test", true)).unwrap();
        assert_eq!(origins.list().unwrap().allowed, [entry("https://a.test", true)]);
        origins.allow(entry("https://b.test", false)).unwrap();
        origins.allow(entry("https://a.test", false)).unwrap();
        assert_eq!(origins.list().unwrap().allowed, [entry("https://a.test", false), entry("https://b.test", false)]);
        assert_eq!(origins.find("https://a.test.evil").unwrap(), Verdict::Unlisted);
        assert!(origins.remove("https://a.test").unwrap());
        assert!(!origins.remove("https://a.test").unwrap());
        assert_eq!(origins.list().unwrap().allowed, [entry("https://b.test", false)]);
    }

    #[test]
    fn the_most_specific_wins() {
        let home = tempfile::tempdir().unwrap();
        let origins = Origins::new(home.path().join("origins"));
        let pattern = |text: &str| Pattern::parse(text).unwrap();
        let denied = |origin: &str| matches!(origins.find(origin).unwrap(), Verdict::Denied(_));
        origins.allow(Allowed { eval: false, ..Allowed::new("https://a.test") }).unwrap();
        assert_eq!(origins.deny(pattern("*.b.test")).unwrap(), Vec::<String>::new());
        assert_eq!(origins.deny(pattern("a.test")).unwrap(), ["https://a.test"]);
        assert!(!denied("https://a.test") && denied("http://a.test") && denied("https://x.b.test"));
        origins.deny(pattern("https://a.test")).unwrap();
        assert!(denied("https://a.test"));
        origins.allow(Allowed::new("https://x.b.test")).unwrap();
        assert!(!denied("https://x.b.test") && denied("https://y.b.test"));
        origins.allow(Allowed::new("https://a.test")).unwrap();
        assert!(!denied("https://a.test"), "it was denied by its name, and is allowed by it");
        assert!(origins.undeny(&pattern("*.b.test")).unwrap() && !origins.undeny(&pattern("*.b.test")).unwrap());
        assert_eq!(origins.find("https://y.b.test").unwrap(), Verdict::Unlisted);
        let text = fs::read_to_string(origins.file()).unwrap();
        assert_eq!(text, "https://x.b.test\nhttps://a.test\na.test deny\n");
    }

    #[test]
    fn a_file_with_one_bad_line_is_no_list() {
        let home = tempfile::tempdir().unwrap();
        let origins = Origins::new(home.path().join("origins"));
        for (text, line) in [
            ("https://a.test eval=none\n", "line 1"),
            ("# mine\n\nhttps://a.test\nhttps://b.test eval=no conform=yes\n", "line 4"),
            ("a.test\n", "line 1"),
            ("https://A.test\n", "line 1"),
            ("https://a.test/\n", "line 1"),
            ("https://a.test \u{a0}eval=no x\n", "line 1"),
            ("https://a.test eval=no deny\n", "line 1"),
            ("*.A.test deny\n", "line 1"),
            ("*.a.test\n", "line 1"),
            ("*.a.test denied\n", "line 1"),
        ] {
            fs::write(origins.file(), text).unwrap();
            let error = origins.find("https://a.test").unwrap_err();
            assert!(error.to_string().starts_with(line), "{text}: {error}");
            assert!(
                origins.allow(Allowed::new("https://c.test")).is_err(),
                "a list that cannot be read is not replaced"
            );
            assert_eq!(fs::read_to_string(origins.file()).unwrap(), text);
        }
        fs::write(origins.file(), b"https://a.test eval=no\n\xff\n").unwrap();
        assert_eq!(origins.find("https://a.test").unwrap_err().kind(), io::ErrorKind::InvalidData);
        for topics in ["topics=", "topics=a,", "topics=_mailbox", "topics=a,_b", "topics=a,,b"] {
            fs::write(origins.file(), format!("https://a.test {topics}\n")).unwrap();
            assert!(origins.list().is_err(), "{topics}");
        }
        fs::write(origins.file(), "# mine\n\n  https://a.test   agent=only # why\n").unwrap();
        assert_eq!(origins.list().unwrap().allowed, [Allowed { pages: false, ..Allowed::new("https://a.test") }]);
    }
}
