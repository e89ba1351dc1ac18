//! What follows from what happened: what the hub is to send, do and close.

use crate::elsewhere::TopicMessage;
use crate::handover::Handover;
use crate::heavy::Heavy;
use crate::ids::{CallId, Conn};
use crate::lasting::Lasting;
use crate::passed::Passed;
use crate::task::{News, Reply, ReplyForm, Task};
use crate::work::{Lane, Work};
use eye_protocol::close::Close;
use eye_protocol::rpc::RpcId;
use eye_protocol::{Ending, Error, SessionId};
use std::sync::Arc;

/// What follows.
#[derive(Debug)]
pub enum Effect {
    /// Work is to be done, anywhere but on the hub's thread; [`Input::Worked`](crate::task::Input::Worked) brings back
    /// what came of it.
    Work {
        /// Whose order waits for it.
        lane: Lane,
        /// What to do.
        work: Box<Work>,
    },
    /// A value is to be freed, anywhere but on the hub's thread.
    Free(Box<dyn Heavy>),
    /// A page is to do something.
    Send {
        /// Its connection.
        page: Conn,
        /// The hub's id of the call; `None` is fire and forget.
        call: Option<CallId>,
        /// What to do.
        task: Task,
    },
    /// A request of a page has its result, as JSON text.
    PageResult {
        /// Its connection.
        page: Conn,
        /// The page's own id.
        id: RpcId,
        /// What came of it.
        result: Result<String, Error>,
    },
    /// A call of an agent got further.
    Progress {
        /// Whose, and which.
        reply: Reply,
        /// How far, as JSON text.
        progress: Box<str>,
    },
    /// An agent hears of a session that it joined.
    News {
        /// Its connection.
        agent: Conn,
        /// Which session.
        session: SessionId,
        /// What.
        news: News,
    },
    /// A subscriber gets a message of a topic: the params, as JSON text.
    Message {
        /// Who.
        conn: Conn,
        /// What, shared by all who get it.
        params: Arc<str>,
    },
    /// A page is to abort a call whose answer no longer matters.
    Abort {
        /// Its connection.
        page: Conn,
        /// The call.
        call: CallId,
    },
    /// A page is asked for a sign of life.
    Ping {
        /// Its connection.
        page: Conn,
    },
    /// A page is told that it lost its session. A close follows.
    Replaced {
        /// Its connection.
        page: Conn,
    },
    /// A connection is to be closed, with a reason.
    Close {
        /// Which.
        conn: Conn,
        /// Why.
        close: Close,
    },
    /// A call of an agent has ended.
    Ended {
        /// Where the ending goes.
        reply: Reply,
        /// How it ended.
        ending: Ending,
        /// The change of state that it caused, when that was asked for and is known.
        delta: Option<Box<str>>,
    },
    /// A request is for a page that another hub holds.
    PassOn(Box<Passed>),
    /// An agent no longer wants an answer; what was asked may have been passed on.
    CancelElsewhere {
        /// Who asked.
        agent: Conn,
        /// The forms of the request's id.
        forms: Vec<ReplyForm>,
    },
    /// An agent is gone of which something was passed on.
    LeftElsewhere {
        /// Its connection.
        agent: Conn,
    },
    /// A message is heard at other hubs.
    PublishElsewhere {
        /// Which hubs, by their lives.
        hubs: Vec<Arc<str>>,
        /// What.
        message: Box<TopicMessage>,
    },
    /// Another hub holds a session from now on, and gets what was kept of it here.
    HandOver(Box<Handover>),
    /// Something is to be done with a state that outlives its hub.
    Lasting(Lasting),
    /// A word may stand for a page of another hub that is not listed: [`Input::LookedUp`](crate::Input::LookedUp) says
    /// when it has been looked up.
    LookUp {
        /// Which word.
        word: Box<str>,
    },
    /// A request of an agent that was no call has its result, as JSON text.
    Result {
        /// Where it goes.
        reply: Reply,
        /// What came of it.
        result: Result<String, Error>,
    },
}
