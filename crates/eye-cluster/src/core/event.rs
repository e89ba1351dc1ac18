//! The events of a hub in a cluster, and the actions that follow from them.

use crate::row::Row;
use crate::wire::{Frame, Request};
use eye_core::elsewhere::{ChangedInterest, ChangedRow, TopicMessage};
use eye_core::handover::Handover;
use eye_core::lasting::{GivenMail, Lasting, LastingLetter, LastingState, Recalled};
use eye_core::passed::Passed;
use eye_core::{Conn, Input, Millis, ReplyForm};
use eye_protocol::SessionId;
use eye_protocol::shared_token::{OwnTokens, SharedToken};
use std::sync::Arc;

/// The interval between heartbeats.
pub const BEAT_MS: Millis = 200;
/// A hub counts as dead after this much silence.
pub const DEAD_AFTER_MS: Millis = 4 * BEAT_MS;
/// The entries of a dead hub are removed from the directory after this time. Until then the hub may come back.
pub const FORGET_AFTER_MS: Millis = 30_000;
/// A request up to this size is kept until it is answered, so that it can be sent again when its page has moved.
pub const SEND_ON_BYTES_MAX: usize = 64 << 10;

/// One run of a hub. A hub that restarts gets a new one, and none is used twice.
pub type Life = Arc<str>;

#[derive(Debug)]
pub enum Event {
    /// The hub starts to connect to the others.
    Starts,
    /// The link is up, and messages to this hub arrive.
    Up,
    /// The link is down, or has lost messages.
    Down,
    /// Reading of the directory starts from its beginning.
    Reading,
    /// The directory has been read. Entries that were not in it are gone.
    Read,
    /// An entry of the directory was read; `None` when it was removed.
    Entry {
        session: SessionId,
        row: Option<Row>,
        revision: u64,
    },
    /// A write to the directory is over: the new revision, or `None` if another hub was faster or the write failed.
    Stored {
        session: SessionId,
        /// The row that was written.
        row: Option<Row>,
        revision: Option<u64>,
    },
    /// A heartbeat of a hub.
    Beat {
        name: Arc<str>,
        life: Life,
    },
    /// A hub has announced that it ends.
    Bye {
        life: Life,
    },
    /// A hub sent a frame.
    Frame {
        from: Life,
        frame: Frame,
    },
    /// A message had no receiver: the hub's life that it was sent to has ended.
    NoResponders {
        life: Life,
        /// The requests in that message, which no hub has read.
        calls: Vec<u64>,
    },
    /// An agent here sends a request for a page elsewhere.
    PassOn(Box<Passed>),
    /// An agent here no longer wants an answer.
    Cancel {
        agent: Conn,
        /// All forms that the id of the request can have.
        forms: Vec<ReplyForm>,
    },
    /// An agent here has disconnected.
    AgentLeft {
        agent: Conn,
    },
    /// Rows of local pages have changed.
    Rows(Vec<ChangedRow>),
    /// Topic subscriptions were added or removed here.
    Interests(Vec<ChangedInterest>),
    /// A message was published here and has subscribers at other hubs.
    Publish {
        /// The lives of those hubs.
        hubs: Vec<Life>,
        message: Box<TopicMessage>,
    },
    /// What this hub kept of a session goes to the hub that holds the session now.
    HandOver(Box<Handover>),
    /// A handover was not sent, because the link is down.
    Unsent(Box<Handover>),
    /// An operation on a state or letter that outlives its hub.
    Lasting(Lasting),
    /// The answer to [`StatesAction::Get`].
    Recalled(Box<Recalled>),
    /// The letters that an agent gets have been removed from the stream, or they cannot be removed.
    MailGiven(Box<GivenMail>),
    /// A word may name a page that this hub does not list.
    LookUp {
        word: Box<str>,
    },
    /// The answer to [`Action::LookUp`].
    LookedUp {
        look_up: u64,
        session: SessionId,
        found: Looked,
    },
    Tokens(TokensEvent),
    /// Time has passed. Sent once per heartbeat interval.
    Tick,
}

/// The result of looking up an entry.
#[derive(Clone, Debug)]
pub enum Looked {
    /// The entry.
    There { row: Row, revision: u64 },
    /// The directory has no entry.
    Nothing,
    /// The directory cannot be asked now.
    Unknown,
}

/// What happened to named tokens.
#[derive(Debug)]
pub enum TokensEvent {
    /// All tokens that this hub knows.
    Own(OwnTokens),
    /// Reading of the bucket starts from its beginning.
    Reading,
    /// The bucket has been read. Entries that were not in it are gone.
    Read,
    /// An entry of the bucket was read; `None` when it was removed.
    Entry { hash: Box<str>, token: Option<SharedToken>, revision: u64 },
    /// A write to the bucket failed, or another hub was faster.
    Refused { hash: Box<str> },
}

/// Actions on named tokens.
#[derive(Debug)]
pub enum TokensAction {
    /// Writes an entry, if its revision is still `replaces`; 0 when there is no entry yet.
    Put { token: SharedToken, replaces: u64 },
    /// Removes an entry, if its revision is still this one.
    Remove { hash: Box<str>, revision: u64 },
    /// Gives the local hub the tokens that were made or revoked elsewhere.
    Take(Vec<SharedToken>),
}

/// Actions on states and letters that outlive their hubs.
#[derive(Debug)]
pub enum StatesAction {
    /// Writes a state, unless the stored one is of a later claim.
    Put {
        state: Box<LastingState>,
        /// The claim by which this hub holds the session.
        epoch: u64,
    },
    /// One is looked for; [`Event::Recalled`] brings it.
    Get {
        /// Of which session.
        session: SessionId,
        /// Whether its letters are looked for, too.
        with_letters: bool,
    },
    /// Removes a state and the letters of its session.
    Remove(SessionId),
    /// Appends a letter to those of its session.
    Letter(Box<LastingLetter>),
    /// Replaces all letters of a session.
    Mail {
        session: SessionId,
        /// The oldest first.
        letters: Vec<LastingLetter>,
    },
    /// Removes the letters of a session; [`Event::MailGiven`] confirms it.
    Given(Box<GivenMail>),
}

#[derive(Debug)]
pub enum Action {
    /// Sends a frame to a hub.
    Send {
        to: Life,
        frame: Frame,
    },
    /// Writes an entry of the directory, if its revision is still `replaces`; 0 when there is no entry yet.
    Put {
        session: SessionId,
        row: Row,
        replaces: u64,
    },
    /// Removes an entry of the directory, if its revision is still this one.
    Remove {
        session: SessionId,
        revision: u64,
    },
    /// Looks up an entry; [`Event::LookedUp`] returns it.
    LookUp {
        /// The number of the look-up. The answer to an older look-up is ignored.
        look_up: u64,
        session: SessionId,
    },
    /// Reads the directory again from its beginning.
    ReadDirectory,
    Tokens(TokensAction),
    States(StatesAction),
    /// Passes an input to the local hub.
    Feed(Input),
    /// Runs a request of another hub's agent here.
    Serve {
        from: Life,
        request: Arc<Request>,
    },
    /// Cancels a request of another hub's agent.
    Cancel {
        from: Life,
        agent: u64,
        call: u64,
    },
    /// An agent of another hub has disconnected; without `agent`, all agents of that hub.
    Leave {
        from: Life,
        agent: Option<u64>,
    },
}
