//! One entry of the directory: which hub holds a session, and what `eye pages` shows of its page.

use eye_core::Millis;
use eye_core::elsewhere::PageElsewhere;
use eye_protocol::SessionId;
use eye_protocol::messages::{Presence, SessionRow};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Titles and URLs are cut to this length in the directory, because every hub keeps every row.
const TEXT_BYTES_MAX: usize = 160;

/// One entry of the directory.
#[expect(clippy::struct_excessive_bools, reason = "a row of a table, not a state")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The name of the hub that holds the session.
    #[serde(with = "shared")]
    pub hub: Arc<str>,
    /// The life of that hub.
    #[serde(with = "shared")]
    pub life: Arc<str>,
    /// How often the session has moved to another hub.
    pub epoch: u64,
    /// The origin that the session belongs to.
    #[serde(with = "shared")]
    pub origin: Arc<str>,
    /// The name that a person gave the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Box<str>>,
    /// The name that the page's author gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<Box<str>>,
    pub title: Box<str>,
    pub url: Box<str>,
    /// Whether the page is connected. If not, the hub expects it to come back.
    pub connected: bool,
    /// Whether a person can see the page.
    pub visible: bool,
    /// Whether the page is a frame.
    pub frame: bool,
    /// Whether the page evaluates code.
    pub eval: bool,
    /// The number of tools that the page offers.
    pub tools: u32,
    /// The highest element ref that the page has given to agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_ref: Option<u32>,
}

/// Serializes text that many rows share.
mod shared {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::sync::Arc;

    pub fn serialize<S: Serializer>(text: &Arc<str>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(text)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<str>, D::Error> {
        String::deserialize(from).map(Into::into)
    }
}

impl Row {
    /// The row of a session that this hub holds.
    pub fn of(row: SessionRow, last_ref: Option<u32>, hub: &Arc<str>, life: &Arc<str>) -> Self {
        Self {
            hub: hub.clone(),
            life: life.clone(),
            epoch: 0,
            origin: row.origin.into(),
            name: row.name.map(Into::into),
            alias: row.alias.map(Into::into),
            title: cut(&row.title),
            url: cut(&row.url),
            connected: row.state == Presence::Connected,
            visible: row.visible,
            frame: row.frame,
            eval: row.eval,
            tools: u32::try_from(row.tools).unwrap_or(u32::MAX),
            last_ref,
        }
    }

    /// The row as an entry in the list of pages elsewhere.
    pub fn listed(&self, id: SessionId, heard_at: Millis) -> PageElsewhere {
        PageElsewhere {
            id,
            hub: self.hub.clone(),
            origin: self.origin.clone(),
            name: self.name.clone(),
            alias: self.alias.clone(),
            title: self.title.clone(),
            url: self.url.clone(),
            presence: if self.connected { Presence::Connected } else { Presence::Away },
            visible: self.visible,
            frame: self.frame,
            eval: self.eval,
            tools: self.tools,
            last_ref: self.last_ref,
            heard_at,
        }
    }
}

fn cut(text: &str) -> Box<str> {
    text[..text.floor_char_boundary(TEXT_BYTES_MAX)].into()
}

/// The key of a session in the directory. A session id may hold dots, which divide keys; it never holds `=`.
pub fn key(session: &SessionId) -> String {
    session.as_str().replace('.', "=")
}

/// The session that a key stands for.
pub fn session(key: &str) -> Option<SessionId> {
    SessionId::parse(&key.replace('=', "."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_session_id_is_a_key_and_comes_back() {
        for id in ["a", "a.b", ".a", "a.", "..", "A-b_9"] {
            let id = SessionId::parse(id).unwrap();
            assert!(!key(&id).contains('.'));
            assert_eq!(session(&key(&id)), Some(id));
        }
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(cut(&"ü".repeat(100)).len(), TEXT_BYTES_MAX);
        assert_eq!(cut(&format!("a{}", "ü".repeat(100))).len(), TEXT_BYTES_MAX - 1);
    }
}
