//! What the hub is to do after an input: send, run, close.

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

#[derive(Debug)]
pub enum Effect {
    /// Do work off the hub's thread; [`Input::Worked`](crate::Input::Worked) brings back the result.
    Work {
        /// The lane that waits for the work.
        lane: Lane,
        work: Box<Work>,
    },
    /// Free a value off the hub's thread.
    Free(Box<dyn Heavy>),
    /// Send a task to a page.
    Send {
        page: Conn,
        /// The hub's id of the call; `None` for fire and forget.
        call: Option<CallId>,
        task: Task,
    },
    /// Send a page the result of its request, as JSON text.
    PageResult {
        page: Conn,
        /// The page's own id of the request.
        id: RpcId,
        result: Result<String, Error>,
    },
    /// Report the progress of an agent's call.
    Progress {
        reply: Reply,
        /// JSON text.
        progress: Box<str>,
    },
    /// Notify an agent of a session that it joined or watches.
    News { agent: Conn, session: SessionId, news: News },
    /// Send a subscriber a message of a topic.
    Message {
        conn: Conn,
        /// JSON text, shared by all subscribers.
        params: Arc<str>,
    },
    /// Abort a call whose answer no longer matters.
    Abort { page: Conn, call: CallId },
    /// Ping a page.
    Ping { page: Conn },
    /// Tell a page that it lost its session. A close follows.
    Replaced { page: Conn },
    /// Close a connection.
    Close { conn: Conn, close: Close },
    /// Report the ending of an agent's call.
    Ended {
        reply: Reply,
        ending: Ending,
        /// The change of state that the call caused, when the agent asked for it and it is known.
        delta: Option<Box<str>>,
    },
    /// Pass a request on to the hub that holds its page.
    PassOn(Box<Passed>),
    /// Cancel a request of an agent that may have been passed on.
    CancelElsewhere {
        agent: Conn,
        /// The forms that the request's id may have.
        forms: Vec<ReplyForm>,
    },
    /// An agent has left of which requests were passed on.
    LeftElsewhere { agent: Conn },
    /// Send a topic's message to other hubs.
    PublishElsewhere {
        /// Ids of the hubs, new with each run of a hub.
        hubs: Vec<Arc<str>>,
        message: Box<TopicMessage>,
    },
    /// Send what was kept of a session to the hub that holds it from now on.
    HandOver(Box<Handover>),
    /// Write, read or remove a state or letters that outlive this hub.
    Lasting(Lasting),
    /// Look up a word that may name an unlisted page of another hub. [`Input::LookedUp`](crate::Input::LookedUp)
    /// reports the end of the lookup.
    LookUp { word: Box<str> },
    /// Send an agent the result of a request that was not a call, as JSON text.
    Result { reply: Reply, result: Result<String, Error> },
}
