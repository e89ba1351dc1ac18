//! Messages between hubs: requests for pages elsewhere, and the answers. Encoded as `MessagePack` with named fields, so
//! that hubs of two versions understand each other where a field is new. Fields of every call have one-letter names,
//! and absent values are left out: full names would be most of a small call.

use crate::row::Row;
use eye_core::elsewhere::Caller;
use eye_core::handover::Handover;
use eye_core::state::StateQuery;
use eye_core::{Conn, Input, Mode, News, PlainQuestion, Reply, ReplyForm, Snapshotting, ToolQuery};
use eye_protocol::answer::Bytes;
use eye_protocol::error::Kind;
use eye_protocol::id::LineId;
use eye_protocol::messages::Hello;
use eye_protocol::scope::Scope;
use eye_protocol::{Code, Ending, Error, SessionId, Value};
use scope::{scope_in, scope_out};
use serde::{Deserialize, Serialize};
use std::ops::Not;
use std::sync::Arc;

mod handover;
pub mod plain;
mod scope;
mod shared;
mod task;
mod topics;

pub use scope::{WireLimits, WireScope};
pub use task::{WireTask, WireTerms};
pub use topics::{WireAudience, WireHeardBy, WireInterest, WireMessage};

/// A heartbeat, as JSON.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beat {
    pub hub: String,
    pub life: String,
    /// Whether it is the last heartbeat: the hub ends.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub bye: bool,
}

/// One message from a hub to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Frame {
    /// A hub sends this to itself, to check that messages on its subject arrive.
    Loop,
    /// A request for a page. Shared with the sender's copy, which it may have to send again.
    #[serde(rename = "R", with = "shared")]
    Request(Arc<Request>),
    /// An agent no longer wants an answer.
    Cancel { agent: u64, call: u64 },
    /// An agent has disconnected.
    Left { agent: u64 },
    /// A call has ended.
    #[serde(rename = "E")]
    Ended {
        #[serde(rename = "c")]
        call: u64,
        #[serde(rename = "e")]
        ending: Result<WireValue, WireError>,
        /// The change of the page's state that the call caused.
        #[serde(rename = "d", default, skip_serializing_if = "Option::is_none")]
        delta: Option<Box<str>>,
    },
    /// The result of a request that is not a call.
    Result {
        call: u64,
        /// JSON text.
        result: Result<String, WireError>,
    },
    /// Progress of a call.
    Progress {
        call: u64,
        /// JSON text.
        progress: Box<str>,
    },
    /// A notification about a session for an agent.
    News { agent: u64, session: String, news: WireNews },
    /// The sender does not hold the session. It did nothing.
    NotMine { call: u64 },
    /// Asks which of the sender's requests have ended without an answer, because the other hub had no link meanwhile.
    Asked {
        /// The number of the sender's last request.
        last: u64,
    },
    /// The answer to [`Frame::Asked`]: all requests of the other hub with lower numbers have ended here, or never
    /// arrived.
    Lost { below: u64 },
    /// Requests the topic subscriptions of the other hub.
    WantInterests,
    /// The topic subscriptions of the sender, or their changes.
    Interests {
        /// Whether these are all of them.
        all: bool,
        /// Each subscription, and whether it exists.
        changed: Vec<(WireInterest, bool)>,
    },
    /// A message that was published at the sender.
    Publish(Box<WireMessage>),
    /// What the sender kept of a session that the other hub holds now. Sent as a message of its own: a hub that does
    /// not know this variant cannot read the frames that share its message.
    HandOver(#[serde(with = "handover")] Box<Handover>),
    /// Asks which pages of the other hub a word may name. Also sent as a message of its own.
    Seek {
        /// The sender's number for the search.
        seek: u64,
        word: Box<str>,
    },
    /// The answer to [`Frame::Seek`]: pages of the sender that the word may name.
    Sought {
        /// The other hub's number for the search.
        seek: u64,
        /// The best matches first, at most 16.
        pages: Vec<WireEntry>,
    },
}

impl Frame {
    /// Whether it is sent as a message of its own.
    pub fn is_alone(&self) -> bool {
        matches!(self, Self::HandOver(_) | Self::Seek { .. })
    }
}

/// An entry of the directory, as the hub that holds its page has written it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireEntry {
    #[serde(with = "shared::session")]
    pub session: SessionId,
    pub row: Row,
    pub revision: u64,
}

/// A request for a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The sender's number for the request. It grows.
    #[serde(rename = "c")]
    pub call: u64,
    /// The agent's connection at the sender.
    #[serde(rename = "a")]
    pub agent: u64,
    #[serde(rename = "w")]
    pub caller: WireCaller,
    #[serde(rename = "s", with = "shared::session")]
    pub session: SessionId,
    /// How much longer the sender waits.
    #[serde(rename = "l")]
    pub lifetime_ms: u64,
    #[serde(rename = "k")]
    pub ask: Ask,
}

/// [`Caller`]. Required, like its scope: without them a message cannot be read, because a missing scope must never mean
/// full access.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WireCaller {
    #[serde(rename = "n", with = "shared")]
    pub name: Arc<str>,
    /// What its token permits.
    #[serde(rename = "s")]
    pub scope: WireScope,
    /// The frame that evaluates its calls.
    #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<Box<str>>,
}

/// The kind of a request for a page elsewhere.
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
    Join {
        #[serde(default)]
        renewed: bool,
    },
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

    /// The agent's hello at this hub.
    pub fn hello(&self) -> Hello {
        Hello {
            agent: Some(self.name.to_string()).filter(|name| !name.is_empty()),
            frame: self.frame.as_deref().map(Into::into),
            ..Hello::default()
        }
    }
}

impl Request {
    /// The request, if it is code for a page whose value the agent waits for, and nothing more.
    pub fn plain(&self) -> Option<PlainQuestion<'_>> {
        let Ask::Call { task: WireTask::Eval { code, frame: None, terms }, timeout_ms, fire: false, silent: false } =
            &self.ask
        else {
            return None;
        };
        let id = self.line_id().filter(|_| *terms == WireTerms::default())?;
        Some(PlainQuestion { id, session: &self.session, code, timeout_ms: *timeout_ms })
    }

    fn line_id(&self) -> Option<LineId> {
        LineId::parse(&self.call.to_string())
    }

    /// The request as an input of a local agent.
    pub fn input(self, agent: Conn) -> Input {
        let page = Some(self.session.as_str().into());
        let form = ReplyForm::Rpc(self.call.to_string().into());
        let reply = || Reply { agent, form: form.clone() };
        let line = self.line_id().map(ReplyForm::Line);
        match self.ask {
            Ask::Call { task, timeout_ms, fire, silent } => {
                let form = line.filter(|_| matches!(task, WireTask::Eval { .. })).unwrap_or(form);
                let mode = if fire { Mode::Fire } else { Mode::Answer };
                let form = (!silent).then_some(form);
                Input::Ask { agent, form, task: task.into(), page, timeout_ms, mode }
            }
            Ask::Batch { tasks } => {
                let tasks = tasks.into_iter().map(|(task, timeout_ms)| (task.into(), timeout_ms)).collect();
                Input::AskBatch { reply: reply(), tasks, page }
            }
            Ask::ListTools { filter } => Input::Tools { reply: reply(), page, query: ToolQuery::List(filter) },
            Ask::GetTool { name } => Input::Tools { reply: reply(), page, query: ToolQuery::Get(name) },
            Ask::State { fresh, path, since } => {
                Input::GetState { reply: reply(), page, fresh, query: StateQuery { path, since, keep: None } }
            }
            Ask::Save { name } => Input::Snapshot { reply: reply(), page, wanted: Snapshotting::Save(name) },
            Ask::Saved => Input::Snapshot { reply: reply(), page, wanted: Snapshotting::List },
            Ask::Restore { name, if_revision } => {
                Input::Snapshot { reply: reply(), page, wanted: Snapshotting::Restore { name, if_revision } }
            }
            Ask::Watch { wanted, renewed } => Input::Watch { reply: reply(), page, wanted, renewed },
            Ask::Mail { timeout_ms } => Input::ReadMail { reply: reply(), page, timeout_ms },
            Ask::Info => Input::Info { reply: reply(), session: page },
            Ask::Join { renewed } => {
                Input::Join { agent, form: Some(form), session: self.session.as_str().into(), renewed }
            }
            Ask::Leave => Input::Leave { reply: reply() },
        }
    }
}

/// The request that stands for an input at another hub. `None`: this kind of input is not sent to other hubs.
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
        Input::Join { renewed, .. } => Ask::Join { renewed },
        Input::Leave { .. } => Ask::Leave,
        _ => return None,
    })
}

/// Builds a request for the hub that holds the page.
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

/// An ending as it is sent.
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

/// An ending as it was received.
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
