//! One connected peer: its side, its dialect, and its outbox.

use super::outbox::{Kind, Outbox};
use super::outlet::Outlet;
use super::version;
use super::wake::Wake;
use crate::audit::Calls;
use crate::dialect::events::Posts;
use crate::dialect::scene::Scene;
use eye_core::{Conn, Input, Millis, PageEvent, Policy, Task};
use eye_protocol::SessionId;
use eye_protocol::close::Close;
use eye_protocol::limits::OUTBOX_STALL_MS;
use eye_protocol::messages::{PageInfo, Retiring};
use eye_protocol::rpc;
use eye_protocol::scope::{Bearer, Scope};
use std::sync::{Arc, Weak};
use tokio::sync::Notify;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Offers tools and evaluates code.
    Page,
    /// Sends requests.
    Agent,
}

impl Side {
    /// The event for the end of this side's connection.
    pub fn gone(self, conn: Conn) -> Input {
        match self {
            Self::Page => Input::page(conn, PageEvent::Left),
            Self::Agent => Input::AgentLeft { agent: conn },
        }
    }
}

/// The dialect of a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// eye's own dialect.
    Eye {
        /// The peer requested typed answers.
        typed: bool,
    },
    /// The original eye's dialect.
    Original,
    /// The original 3D page's dialect.
    Scene,
    /// BTCP over server-sent events. How the peer posts is a guess until its first POST.
    Events(Posts),
}

impl Voice {
    /// Whether a page of this dialect can execute the task at all.
    pub fn can(self, task: &Task) -> bool {
        match (self, task) {
            (Self::Original, task) => matches!(task, Task::Eval { .. }),
            (Self::Scene, task) => matches!(task, Task::Tool { .. } | Task::State),
            (Self::Eye { .. } | Self::Events(_), _) => true,
        }
    }

    /// Whether such a page stays connected when another one takes its session, and waits for its turn. If it were
    /// closed, it would reconnect by itself again and again.
    pub fn waits_for_its_turn(self) -> bool {
        self == Self::Events(Posts::ByHeader)
    }
}

/// An admitted page that has not sent hello yet.
#[derive(Clone, Debug)]
pub struct Joining {
    /// The requested session.
    pub session: SessionId,
    /// The origin of its document.
    pub origin: Arc<str>,
    /// The user's policy for pages of this origin.
    pub policy: Policy,
    /// Whether a token proves the origin, which then need not be on the list.
    pub by_token: bool,
}

/// The origin and policy of a peer, which are checked again when the user's list of origins changes.
#[derive(Clone, Debug)]
pub struct Listed {
    pub origin: Arc<str>,
    /// The policy that the peer has now; not used for an agent.
    pub policy: Policy,
    /// As [`Joining::by_token`].
    pub by_token: bool,
}

/// Signals from the hub to the task of a connection.
#[derive(Debug, Default)]
pub struct Signals {
    /// Something waits in the outbox.
    pub wake: Wake,
    /// The connection must end now, even during a write. A task that waits for `wake` is woken too.
    pub end: Notify,
    /// The connection may be read from again.
    pub ready: Notify,
}

impl Signals {
    /// Runs work that may take long, such as writing to a peer that does not read. `None`: the connection must end
    /// before the work is done.
    pub async fn unless_ended<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            done = work => Some(done),
            () = self.end.notified() => None,
        }
    }
}

#[expect(clippy::struct_excessive_bools, reason = "what was agreed with a peer, each for itself")]
#[derive(Debug)]
pub struct Peer {
    pub side: Side,
    pub voice: Voice,
    /// Whether its messages are batches.
    pub batched: bool,
    /// Whether it accepts binary results as binary messages.
    pub binary: bool,
    /// Whether it speaks only JSON-RPC: none of its frames is a line, so malformed text is never evaluated.
    pub rpc_only: bool,
    /// Whether its transport proved its user, so that it may become a page.
    pub may_provide: bool,
    /// Whether it is a document in a tab that the hub drives.
    pub driven: bool,
    /// Whether it represents a document of a denied site, which agents may not see.
    pub barred: bool,
    /// Whether it is an agent of another hub: its messages go there.
    pub foreign: bool,
    /// The scope of an agent's token.
    pub scope: Scope,
    /// The named token that admitted it. The connection ends when the token does.
    pub bearer: Option<Bearer>,
    /// Set if it has an origin. The connection ends when that is no longer allowed.
    pub listed: Option<Listed>,
    /// Set until its hello.
    pub joining: Option<Joining>,
    /// How a page joined, if it may have to join again when its turn comes.
    pub joined_as: Option<Box<(Joining, PageInfo)>>,
    pub outbox: Outbox,
    /// The reason for closing it once its outbox is empty.
    pub close: Option<Close>,
    /// The session it named, by which a POST without an id finds it.
    pub session: Option<Box<str>>,
    /// A secret id, by which the peer's own POSTs find it.
    pub client: Option<Box<str>>,
    /// The origin of its document; a page's POSTs must have the same one.
    pub origin: Option<Box<str>>,
    /// While set, responses go here instead of into the outbox: into the body of a POST.
    pub captured: Option<Vec<String>>,
    /// State of a page that speaks [`Voice::Scene`].
    pub scene: Scene,
    /// How such a page joined. A newer tab may take over its session; it joins again when that tab leaves.
    pub joined: Option<Joining>,
    /// Its messages are ignored from now on.
    pub deaf: bool,
    pub signals: Arc<Signals>,
    /// How it is connected, for the audit log.
    pub face: &'static str,
    /// Its open calls, for the audit log.
    pub calls: Calls,
    /// Since when its writer has made no progress.
    pub writing_since: Option<Millis>,
    /// Its socket, where that can be written to without waiting. It belongs to the task of the connection.
    pub outlet: Option<Weak<dyn Outlet>>,
    /// Whether a part of what was sent directly is left for its own task to write.
    pub unsent: bool,
}

impl Listed {
    /// For a page; `None` for a program, which has no origin.
    fn of_page(joining: &Joining) -> Option<Self> {
        let Joining { origin, policy, by_token, .. } = joining;
        let listed = Self { origin: origin.clone(), policy: policy.clone(), by_token: *by_token };
        origin.contains("://").then_some(listed)
    }
}

impl Peer {
    /// Sets another policy, in every stage of joining.
    pub fn allow(&mut self, policy: &Policy) {
        let waiting = self.joined_as.as_mut().map(|seat| &mut seat.0);
        for joining in [self.joining.as_mut(), self.joined.as_mut(), waiting].into_iter().flatten() {
            joining.policy.clone_from(policy);
        }
        if let Some(listed) = &mut self.listed {
            listed.policy.clone_from(policy);
        }
    }

    /// Sets the scope of the token.
    #[must_use]
    pub fn scoped(mut self, scope: Scope) -> Self {
        self.bearer = scope.bearer();
        if let Some(origin) = scope.origin() {
            self.listed = Some(Listed { origin: origin.into(), policy: Policy::default(), by_token: false });
        }
        self.scope = scope;
        self
    }

    /// Sets the named token that admitted the peer, if one was needed.
    #[must_use]
    pub fn borne_by(mut self, bearer: Option<Bearer>) -> Self {
        self.bearer = bearer.or(self.bearer);
        self
    }

    /// A peer with an empty outbox.
    pub fn new(side: Side, voice: Voice, outbox: Outbox, joining: Option<Joining>) -> Self {
        let face = match (voice, &outbox) {
            (Voice::Original, _) => "original",
            (_, Outbox::Stream(_)) => "unix",
            (_, Outbox::Messages { .. }) => "ws",
            (_, Outbox::Batches(_)) => "http",
            (_, Outbox::Events(_)) => "btcp-http",
            (_, Outbox::Inside(_)) => "inside",
        };
        Self {
            side,
            voice,
            batched: false,
            binary: false,
            rpc_only: false,
            may_provide: false,
            driven: false,
            barred: false,
            foreign: false,
            scope: Scope::ALL,
            bearer: None,
            listed: joining.as_ref().and_then(Listed::of_page),
            joining,
            joined_as: None,
            outbox,
            close: None,
            session: None,
            client: None,
            origin: None,
            captured: None,
            scene: Scene::default(),
            joined: None,
            deaf: false,
            signals: Arc::default(),
            face,
            calls: Calls::default(),
            writing_since: None,
            outlet: None,
            unsent: false,
        }
    }

    /// Writes a JSON-RPC frame, or keeps it for the body of a POST.
    pub fn rpc(&mut self, kind: Kind, json: &str) {
        match &mut self.captured {
            Some(captured) if kind == Kind::Response => captured.push(json.to_owned()),
            Some(_) | None => self.outbox.rpc(json),
        }
    }

    /// Whether it has accepted nothing for too long.
    pub fn stalled(&self, now: Millis) -> bool {
        self.writing_since.is_some_and(|since| now >= since + OUTBOX_STALL_MS)
    }

    /// Closes it once its outbox is written.
    pub fn close_after(&mut self, close: Close) {
        self.close.get_or_insert(close);
        self.signals.wake.notify_one();
    }

    /// Closes it now; its outbox is dropped.
    pub fn close_now(&mut self, close: Close) {
        self.outbox.take();
        self.close = Some(close);
        self.deaf = true;
        self.signals.end.notify_one();
        self.signals.wake.notify_one();
    }

    /// Refuses a late peer: none of its messages is executed, so it may safely repeat them at another hub.
    pub fn retire(&mut self) {
        if self.side == Side::Agent && self.voice != Voice::Original {
            let retiring = Retiring { version: version::HUB.into() };
            self.outbox.rpc(&rpc::notification("hub/retiring", &retiring));
        }
        self.deaf = true;
        self.close_after(Close::shutdown());
    }
}
