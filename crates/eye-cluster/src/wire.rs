//! What hubs send each other: requests for pages elsewhere, and what comes back. `MessagePack` with named fields, so
//! that hubs of two versions understand each other where a field is new. What every call has is named by a letter, and
//! what is not there is left out: names would be most of a small call.

use crate::row::Row;
use eye_core::elsewhere::Caller;
use eye_core::state::StateQuery;
use eye_core::{Conn, Input, Mode, News, Reply, ReplyForm, Snapshotting, ToolQuery};
use eye_protocol::answer::Bytes;
use eye_protocol::error::Kind;
use eye_protocol::messages::Hello;
use eye_protocol::scope::Scope;
use eye_protocol::{Code, Ending, Error, SessionId, Value};
use scope::{scope_in, scope_out};
use serde::{Deserialize, Serialize};
use std::ops::Not;
use std::sync::Arc;

mod handover;
mod scope;
mod shared;
mod task;
mod topics;

pub use handover::{WireHandover, WireSnapshot, WireState};
pub use scope::{WireLimits, WireScope};
pub use task::{WireTask, WireTerms};
pub use topics::{WireAudience, WireHeardBy, WireInterest, WireMessage};

/// A heartbeat, as JSON.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beat {
    /// The hub's name.
    pub hub: String,
    /// Its life.
    pub life: String,
    /// Whether it is the last one.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub bye: bool,
}

/// One thing that a hub tells another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Frame {
    /// To itself: its subject reaches it.
    Loop,
    /// A request for a page. Shared with who may have to send it on.
    #[serde(rename = "R", with = "shared")]
    Request(Arc<Request>),
    /// An agent no longer wants an answer.
    Cancel {
        /// Whose.
        agent: u64,
        /// Which.
        call: u64,
    },
    /// An agent is gone.
    Left {
        /// Which.
        agent: u64,
    },
    /// A call has ended.
    #[serde(rename = "E")]
    Ended {
        /// Which.
        #[serde(rename = "c")]
        call: u64,
        /// How.
        #[serde(rename = "e")]
        ending: Result<WireValue, WireError>,
        /// The change of state that it caused.
        #[serde(rename = "d", default, skip_serializing_if = "Option::is_none")]
        delta: Option<Box<str>>,
    },
    /// A request that is no call has its result.
    Result {
        /// Which.
        call: u64,
        /// JSON text, or an error.
        result: Result<String, WireError>,
    },
    /// A call got further.
    Progress {
        /// Which.
        call: u64,
        /// How far, as JSON text.
        progress: Box<str>,
    },
    /// An agent hears of a session.
    News {
        /// Which agent.
        agent: u64,
        /// Of which session.
        session: String,
        /// What.
        news: WireNews,
    },
    /// The session is not held here; nothing was done.
    NotMine {
        /// Which request.
        call: u64,
    },
    /// What does the other hub listen to?
    WantInterests,
    /// What is listened to at the sender, or what changed of it.
    Interests {
        /// Whether this is all of it.
        all: bool,
        /// What, and whether it is listened to.
        changed: Vec<(WireInterest, bool)>,
    },
    /// A message that was published at the sender.
    Publish(Box<WireMessage>),
    /// What the sender kept of a session that the other hub holds now. In a message of its own: a hub that does not
    /// know it cannot read what shares the message.
    HandOver(Box<WireHandover>),
    /// Which pages of the other hub does a word stand for? In a message of its own, too.
    Seek {
        /// The sender's number for it.
        seek: u64,
        /// The word.
        word: Box<str>,
    },
    /// The sender's pages that a word may stand for.
    Sought {
        /// The other hub's number for it.
        seek: u64,
        /// The best of them.
        pages: Vec<WireEntry>,
    },
}

impl Frame {
    /// Whether it is sent in a message of its own.
    pub fn is_alone(&self) -> bool {
        matches!(self, Self::HandOver(_) | Self::Seek { .. })
    }
}

/// An entry of the directory, as the hub that holds its page has written it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireEntry {
    /// Whose.
    #[serde(with = "shared::session")]
    pub session: SessionId,
    /// What it says.
    pub row: Row,
    /// Its revision.
    pub revision: u64,
}

/// A request for a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The sender's number for it, which grows.
    #[serde(rename = "c")]
    pub call: u64,
    /// The agent's connection at the sender.
    #[serde(rename = "a")]
    pub agent: u64,
    /// Who asks.
    #[serde(rename = "w")]
    pub caller: WireCaller,
    /// The page's session.
    #[serde(rename = "s", with = "shared::session")]
    pub session: SessionId,
    /// How much longer the sender waits, in ms.
    #[serde(rename = "l")]
    pub lifetime_ms: u64,
    /// What is asked.
    #[serde(rename = "k")]
    pub ask: Ask,
}

/// [`Caller`]. A message without it, or without its scope, cannot be read: what is missing must never allow everything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WireCaller {
    /// The agent's name.
    #[serde(rename = "n", with = "shared")]
    pub name: Arc<str>,
    /// What its token allows.
    #[serde(rename = "s")]
    pub scope: WireScope,
    /// The frame its calls are evaluated in.
    #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<Box<str>>,
}

/// What is asked of a page elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    #[serde(rename = "C")]
    Call {
        #[serde(rename = "t")]
        task: WireTask,
        #[serde(rename = "m", default, skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u64>,
        #[serde(rename = "f", default, skip_serializing_if = "Not::not")]
        fire: bool,
        #[serde(rename = "q", default, skip_serializing_if = "Not::not")]
        silent: bool,
    },
    Batch {
        tasks: Vec<(WireTask, Option<u64>)>,
    },
    ListTools {
        filter: Option<String>,
    },
    GetTool {
        name: String,
    },
    State {
        fresh: bool,
        path: Option<String>,
        since: Option<u64>,
    },
    Save {
        name: Box<str>,
    },
    Saved,
    Restore {
        name: Box<str>,
        if_revision: Option<u64>,
    },
    Watch {
        wanted: bool,
        #[serde(default)]
        renewed: bool,
    },
    Mail {
        timeout_ms: Option<u64>,
    },
    Info,
    Join,
    Leave,
}

/// [`Value`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum WireValue {
    Text(String),
    Json(String),
    Rendering(String),
    Bytes {
        media_type: String,
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
        origin: String,
    },
}

/// [`Error`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WireError {
    pub code: i32,
    pub message: String,
    pub hint: Option<String>,
    pub stack: Option<String>,
    pub value: Option<String>,
    pub kind: WireKind,
}

/// [`Kind`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum WireKind {
    Own,
    Unconfirmed,
    TooOften { retry_after_ms: u64 },
    Page,
}

/// [`News`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum WireNews {
    Tools(String),
    PageGone,
    PageBack,
    State { revision: u64, patch: bool, json: String },
}

impl WireCaller {
    /// What the agent may do here.
    pub fn scope(&self) -> Scope {
        scope_in(self.scope.clone())
    }

    /// How the agent introduces itself here.
    pub fn hello(&self) -> Hello {
        Hello {
            agent: Some(self.name.to_string()).filter(|name| !name.is_empty()),
            frame: self.frame.as_deref().map(Into::into),
            ..Hello::default()
        }
    }
}

impl Request {
    /// The request as one of an agent that is here.
    pub fn input(self, agent: Conn) -> Input {
        let page = Some(self.session.as_str().into());
        let form = ReplyForm::Rpc(self.call.to_string().into());
        let reply = Reply { agent, form: form.clone() };
        match self.ask {
            Ask::Call { task, timeout_ms, fire, silent } => {
                let mode = if fire { Mode::Fire } else { Mode::Answer };
                let form = (!silent).then_some(form);
                Input::Ask { agent, form, task: task.into(), page, timeout_ms, mode }
            }
            Ask::Batch { tasks } => {
                let tasks = tasks.into_iter().map(|(task, timeout_ms)| (task.into(), timeout_ms)).collect();
                Input::AskBatch { reply, tasks, page }
            }
            Ask::ListTools { filter } => Input::Tools { reply, page, query: ToolQuery::List(filter) },
            Ask::GetTool { name } => Input::Tools { reply, page, query: ToolQuery::Get(name) },
            Ask::State { fresh, path, since } => {
                Input::GetState { reply, page, fresh, query: StateQuery { path, since, keep: None } }
            }
            Ask::Save { name } => Input::Snapshot { reply, page, wanted: Snapshotting::Save(name) },
            Ask::Saved => Input::Snapshot { reply, page, wanted: Snapshotting::List },
            Ask::Restore { name, if_revision } => {
                Input::Snapshot { reply, page, wanted: Snapshotting::Restore { name, if_revision } }
            }
            Ask::Watch { wanted, renewed } => Input::Watch { reply, page, wanted, renewed },
            Ask::Mail { timeout_ms } => Input::ReadMail { reply, page, timeout_ms },
            Ask::Info => Input::Info { reply, session: page },
            Ask::Join => Input::Join { agent, form: Some(form), session: self.session.as_str().into() },
            Ask::Leave => Input::Leave { reply },
        }
    }
}

/// What of an input another hub is asked. `None`: it is nothing that is passed on.
pub fn ask(input: Input, silent: bool) -> Option<Ask> {
    Some(match input {
        Input::Ask { task, timeout_ms, mode, .. } => {
            Ask::Call { task: task.into(), timeout_ms, fire: mode == Mode::Fire, silent }
        }
        Input::AskBatch { tasks, .. } => {
            Ask::Batch { tasks: tasks.into_iter().map(|(task, timeout_ms)| (task.into(), timeout_ms)).collect() }
        }
        Input::Tools { query: ToolQuery::List(filter), .. } => Ask::ListTools { filter },
        Input::Tools { query: ToolQuery::Get(name), .. } => Ask::GetTool { name },
        Input::GetState { fresh, query, .. } => Ask::State { fresh, path: query.path, since: query.since },
        Input::Snapshot { wanted, .. } => match wanted {
            Snapshotting::Save(name) => Ask::Save { name },
            Snapshotting::List => Ask::Saved,
            Snapshotting::Restore { name, if_revision } => Ask::Restore { name, if_revision },
        },
        Input::Watch { wanted, renewed, .. } => Ask::Watch { wanted, renewed },
        Input::ReadMail { timeout_ms, .. } => Ask::Mail { timeout_ms },
        Input::Info { .. } => Ask::Info,
        Input::Join { .. } => Ask::Join,
        Input::Leave { .. } => Ask::Leave,
        _ => return None,
    })
}

/// A request for the hub that holds its page.
pub fn request(call: u64, session: SessionId, caller: &Caller, lifetime_ms: u64, ask: Ask) -> Request {
    Request {
        call,
        agent: caller.agent.0,
        caller: WireCaller { name: caller.name.clone(), scope: scope_out(&caller.scope), frame: caller.frame.clone() },
        session,
        lifetime_ms,
        ask,
    }
}

/// An ending, as it is sent.
pub fn ending_out(ending: Ending) -> Result<WireValue, WireError> {
    match ending {
        Ok(Value::Text(text)) => Ok(WireValue::Text(text)),
        Ok(Value::Json(text)) => Ok(WireValue::Json(text)),
        Ok(Value::Rendering(text)) => Ok(WireValue::Rendering(text)),
        Ok(Value::Bytes(bytes)) => {
            let Bytes { media_type, bytes, origin, .. } = *bytes;
            Ok(WireValue::Bytes { media_type, bytes, origin })
        }
        Err(error) => Err(error.into()),
    }
}

/// An ending, as it came.
pub fn ending_in(ending: Result<WireValue, WireError>) -> Ending {
    match ending {
        Ok(WireValue::Text(text)) => Ok(Value::Text(text)),
        Ok(WireValue::Json(text)) => Ok(Value::Json(text)),
        Ok(WireValue::Rendering(text)) => Ok(Value::Rendering(text)),
        Ok(WireValue::Bytes { media_type, bytes, origin }) => {
            let mut bytes = Bytes::new(&media_type, bytes);
            bytes.origin = origin;
            Ok(Value::Bytes(Box::new(bytes)))
        }
        Err(error) => Err(error.into()),
    }
}

impl From<Error> for WireError {
    fn from(error: Error) -> Self {
        let Error { code, message, hint, stack, value, kind } = error;
        let kind = match kind {
            Kind::Own => WireKind::Own,
            Kind::Unconfirmed => WireKind::Unconfirmed,
            Kind::TooOften { retry_after_ms } => WireKind::TooOften { retry_after_ms },
            Kind::Page => WireKind::Page,
        };
        Self { code: code.0, message, hint, stack, value: value.map(|value| value.to_string()), kind }
    }
}

impl From<WireError> for Error {
    fn from(error: WireError) -> Self {
        let WireError { code, message, hint, stack, value, kind } = error;
        let kind = match kind {
            WireKind::Own => Kind::Own,
            WireKind::Unconfirmed => Kind::Unconfirmed,
            WireKind::TooOften { retry_after_ms } => Kind::TooOften { retry_after_ms },
            WireKind::Page => Kind::Page,
        };
        let value = value.and_then(|text| serde_json::from_str(&text).ok()).map(Box::new);
        Self { code: Code(code), message, hint, stack, value, kind }
    }
}

impl From<News> for WireNews {
    fn from(news: News) -> Self {
        match news {
            News::Tools(tools) => Self::Tools(tools),
            News::PageGone => Self::PageGone,
            News::PageBack => Self::PageBack,
            News::State { revision, patch, json } => Self::State { revision, patch, json },
        }
    }
}

impl From<WireNews> for News {
    fn from(news: WireNews) -> Self {
        match news {
            WireNews::Tools(tools) => Self::Tools(tools),
            WireNews::PageGone => Self::PageGone,
            WireNews::PageBack => Self::PageBack,
            WireNews::State { revision, patch, json } => Self::State { revision, patch, json },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_without_a_scope_is_not_one_that_may_do_everything() {
        let caller = WireCaller { name: "a".into(), scope: WireScope::All, frame: None };
        let written = rmp_serde::to_vec_named(&caller).unwrap();
        assert_eq!(rmp_serde::from_slice::<WireCaller>(&written).unwrap(), caller);
        let mut members: std::collections::BTreeMap<String, Option<String>> = std::collections::BTreeMap::new();
        members.insert("name".into(), Some("a".into()));
        members.insert("frame".into(), None);
        assert!(rmp_serde::from_slice::<WireCaller>(&rmp_serde::to_vec_named(&members).unwrap()).is_err());
        members.insert("scope".into(), None);
        assert!(rmp_serde::from_slice::<WireCaller>(&rmp_serde::to_vec_named(&members).unwrap()).is_err());
    }
}
