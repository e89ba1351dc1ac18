//! What happens to a hub of a cluster, and what follows.

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

/// How often a hub says that it is there.
pub const BEAT_MS: Millis = 200;
/// A hub that was silent for this long is dead.
pub const DEAD_AFTER_MS: Millis = 4 * BEAT_MS;
/// What a dead hub listed is removed from the directory after this; until then the hub may come back.
pub const FORGET_AFTER_MS: Millis = 30_000;
/// A request up to this size is kept until it is answered, so that it can be sent on when its page has moved.
pub const SEND_ON_BYTES_MAX: usize = 64 << 10;

/// One life of a hub: a hub that restarts has another one. Never used twice.
pub type Life = Arc<str>;

/// What happened.
#[derive(Debug)]
pub enum Event {
    /// The link is up, and this hub hears what is sent to it.
    Up,
    /// The link is down, or has lost something.
    Down,
    /// The directory is read from its beginning.
    Reading,
    /// The directory has been read; what was not in it is gone.
    Read,
    /// An entry of the directory; `None` when it was removed.
    Entry {
        /// Whose.
        session: SessionId,
        /// What it says.
        row: Option<Row>,
        /// Its revision.
        revision: u64,
    },
    /// A write to the directory is over: the new revision, or `None` when another hub was faster or it failed.
    Stored {
        /// Whose entry.
        session: SessionId,
        /// The row that was written; `None` for a removal.
        row: Option<Row>,
        /// The revision it has.
        revision: Option<u64>,
    },
    /// A hub says that it is there.
    Beat {
        /// Its name.
        name: Arc<str>,
        /// Its life.
        life: Life,
    },
    /// A hub ends, in order.
    Bye {
        /// Its life.
        life: Life,
    },
    /// A hub told something.
    Frame {
        /// Its life.
        from: Life,
        /// What.
        frame: Frame,
    },
    /// A message reached no hub: the life it was for has ended.
    NoResponders {
        /// The life.
        life: Life,
        /// The requests in that message, which no hub has read.
        calls: Vec<u64>,
    },
    /// An agent here asks a page elsewhere.
    PassOn(Box<Passed>),
    /// An agent here no longer wants an answer.
    Cancel {
        /// Who.
        agent: Conn,
        /// The forms of the request's id.
        forms: Vec<ReplyForm>,
    },
    /// An agent here is gone.
    AgentLeft {
        /// Which.
        agent: Conn,
    },
    /// Rows of pages here.
    Rows(Vec<ChangedRow>),
    /// What is listened to here from now on, and what no more.
    Interests(Vec<ChangedInterest>),
    /// A message was published here and is heard at other hubs.
    Publish {
        /// Their lives.
        hubs: Vec<Life>,
        /// What.
        message: Box<TopicMessage>,
    },
    /// What was kept here of a session goes to the hub that holds it now.
    HandOver(Box<Handover>),
    /// The same was not sent: the link is down.
    Unsent(Box<Handover>),
    /// Something is to be done with a state that outlives its hub.
    Lasting(Lasting),
    /// What came of looking for such a state.
    Recalled(Box<Recalled>),
    /// The letters that an agent gets have been removed where they outlive this hub, or cannot be.
    MailGiven(Box<GivenMail>),
    /// A word may stand for a page that this hub does not list.
    LookUp {
        /// Which word.
        word: Box<str>,
    },
    /// An entry of the directory was looked up.
    LookedUp {
        /// The number of the look-up.
        look_up: u64,
        /// Whose.
        session: SessionId,
        /// What was found.
        found: Looked,
    },
    /// Something of named tokens.
    Tokens(TokensEvent),
    /// Time has passed.
    Tick,
}

/// What a look-up of an entry found.
#[derive(Clone, Debug)]
pub enum Looked {
    /// This.
    There {
        /// What it says.
        row: Row,
        /// Its revision.
        revision: u64,
    },
    /// There is none.
    Nothing,
    /// It cannot be known now.
    Unknown,
}

/// What happened to named tokens.
#[derive(Debug)]
pub enum TokensEvent {
    /// What this hub knows, all of it.
    Own(OwnTokens),
    /// The bucket is read from its beginning.
    Reading,
    /// The bucket has been read; what was not in it is gone.
    Read,
    /// An entry of the bucket; `None` when it was removed.
    Entry {
        /// Of which token.
        hash: Box<str>,
        /// What it says.
        token: Option<SharedToken>,
        /// Its revision.
        revision: u64,
    },
    /// A write to the bucket failed, or another hub was faster.
    Refused {
        /// Of which token.
        hash: Box<str>,
    },
}

/// What follows for named tokens.
#[derive(Debug)]
pub enum TokensAction {
    /// An entry is written, if its revision is still this one; 0 when there is none.
    Put {
        /// What.
        token: SharedToken,
        /// The revision it replaces.
        replaces: u64,
    },
    /// An entry is removed, if its revision is still this one.
    Remove {
        /// Of which token.
        hash: Box<str>,
        /// Its revision.
        revision: u64,
    },
    /// The hub here learns of tokens that were made or taken back elsewhere.
    Take(Vec<SharedToken>),
}

/// What follows for states and letters that outlive their hubs.
#[derive(Debug)]
pub enum StatesAction {
    /// One is written, unless one of a later claim is there.
    Put {
        /// What.
        state: Box<LastingState>,
        /// The claim by which this hub holds the session.
        epoch: u64,
    },
    /// One is looked for, with the letters of its session; [`Event::Recalled`] brings them.
    Get(SessionId),
    /// One is removed, with the letters of its session.
    Remove(SessionId),
    /// A letter is written behind those of its session.
    Letter(Box<LastingLetter>),
    /// The letters of a session are these and no others.
    Mail {
        /// Which session.
        session: SessionId,
        /// Its letters, the oldest first.
        letters: Vec<LastingLetter>,
    },
    /// The letters of a session are removed; [`Event::MailGiven`] says when they are.
    Given(Box<GivenMail>),
}

/// What follows.
#[derive(Debug)]
pub enum Action {
    /// A hub is told something.
    Send {
        /// Its life.
        to: Life,
        /// What.
        frame: Frame,
    },
    /// An entry is written, if its revision is still this one; 0 when there is none.
    Put {
        /// Whose.
        session: SessionId,
        /// What.
        row: Row,
        /// The revision it replaces.
        replaces: u64,
    },
    /// An entry is removed, if its revision is still this one.
    Remove {
        /// Whose.
        session: SessionId,
        /// Its revision.
        revision: u64,
    },
    /// An entry is looked up; [`Event::LookedUp`] brings it.
    LookUp {
        /// The number of the look-up: an answer to an older one says nothing.
        look_up: u64,
        /// Whose.
        session: SessionId,
    },
    /// The directory is read again from its beginning.
    ReadDirectory,
    /// Something of named tokens.
    Tokens(TokensAction),
    /// Something of states that outlive their hubs.
    States(StatesAction),
    /// The hub here learns something.
    Feed(Input),
    /// A request of another hub's agent is done here.
    Serve {
        /// That hub's life.
        from: Life,
        /// What.
        request: Arc<Request>,
    },
    /// Another hub's agent cancels.
    Cancel {
        /// That hub's life.
        from: Life,
        /// Its agent.
        agent: u64,
        /// Which request.
        call: u64,
    },
    /// Another hub's agent is gone; `None` stands for all of that hub.
    Leave {
        /// That hub's life.
        from: Life,
        /// Its agent.
        agent: Option<u64>,
    },
}
