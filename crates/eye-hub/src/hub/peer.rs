//! One connected peer as the hub sees it: which side it is on, how it is spoken to, and what waits for it.

use super::outbox::{Kind, Outbox};
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
use std::sync::Arc;
use tokio::sync::Notify;

/// Which side a peer is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// It provides.
    Page,
    /// It asks.
    Agent,
}

impl Side {
    /// What happens when a connection of this side is closed.
    pub fn gone(self, conn: Conn) -> Input {
        match self {
            Self::Page => Input::page(conn, PageEvent::Left),
            Self::Agent => Input::AgentLeft { agent: conn },
        }
    }
}

/// How a peer is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// eye's own dialect.
    Eye {
        /// It asked for typed answers.
        typed: bool,
    },
    /// The original eye's.
    Original,
    /// The original 3D page's.
    Scene,
    /// BTCP over server-sent events. How it posts is a guess until its first POST.
    Events(Posts),
}

impl Voice {
    /// Whether a page that is spoken to so can do this at all.
    pub fn can(self, task: &Task) -> bool {
        match (self, task) {
            (Self::Original, task) => matches!(task, Task::Eval { .. }),
            (Self::Scene, task) => matches!(task, Task::Tool { .. } | Task::State),
            (Self::Eye { .. } | Self::Events(_), _) => true,
        }
    }

    /// Whether a page that is spoken to so stays connected when another one takes its session, and waits for its turn.
    /// Closed, it would come back by itself, for ever.
    pub fn waits_for_its_turn(self) -> bool {
        self == Self::Events(Posts::ByHeader)
    }
}

/// A page that the gate let in and that has not said hello yet.
#[derive(Clone, Debug)]
pub struct Joining {
    /// The session it claims.
    pub session: SessionId,
    /// Where its document comes from.
    pub origin: Arc<str>,
    /// What the user allowed pages of it.
    pub policy: Policy,
    /// Whether a token says that it is a page of this origin, which then need not be on the list.
    pub by_token: bool,
}

/// What a peer that came by an origin rests on: the user's list.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The origin.
    pub origin: Arc<str>,
    /// What its pages may do, as the peer knows it; without meaning for an agent.
    pub policy: Policy,
    /// As [`Joining::by_token`].
    pub by_token: bool,
}

/// How the hub reaches the task of a connection.
#[derive(Debug, Default)]
pub struct Signals {
    /// Something waits in the outbox.
    pub wake: Wake,
    /// The connection is to end now, whatever it is doing. What waits for `wake` is woken, too.
    pub end: Notify,
    /// It may be read from again.
    pub ready: Notify,
}

impl Signals {
    /// Does something that may take long, such as writing to a peer that does not read. `None`: the connection is to
    /// end before it is done.
    pub async fn unless_ended<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            done = work => Some(done),
            () = self.end.notified() => None,
        }
    }
}

/// One connected peer.
#[expect(clippy::struct_excessive_bools, reason = "what was agreed with a peer, each for itself")]
#[derive(Debug)]
pub struct Peer {
    /// Which side it is on.
    pub side: Side,
    /// How it is spoken to.
    pub voice: Voice,
    /// Whether its messages are batches.
    pub batched: bool,
    /// Whether it takes binary results as binary messages.
    pub binary: bool,
    /// Whether it speaks JSON-RPC only: nothing it sends is a line, so nothing malformed is evaluated.
    pub rpc_only: bool,
    /// Whether its carrier proved who it is, so that it may become a page.
    pub may_provide: bool,
    /// Whether it is a document of a tab that the hub drives.
    pub driven: bool,
    /// Whether it stands for a document that agents may not see: its site is denied.
    pub barred: bool,
    /// Whether it is an agent of another hub: what it is told goes there.
    pub foreign: bool,
    /// What an agent's token allows.
    pub scope: Scope,
    /// The named token that it was admitted by. It ends with it.
    pub bearer: Option<Bearer>,
    /// What it rests on beside, if it came by an origin. It ends when the origin is not allowed any more.
    pub listed: Option<Listed>,
    /// Set until it has said hello.
    pub joining: Option<Joining>,
    /// How a page joined that may have to join again when its turn comes.
    pub joined_as: Option<Box<(Joining, PageInfo)>>,
    /// What waits for it.
    pub outbox: Outbox,
    /// Why it is to be closed once its outbox is empty.
    pub close: Option<Close>,
    /// The session it named, which is how a POST without an id finds it.
    pub session: Option<Box<str>>,
    /// Its id towards itself, not to be guessed, which is how a POST finds it.
    pub client: Option<Box<str>>,
    /// Where its document comes from; who posts for it must come from there, too.
    pub origin: Option<Box<str>>,
    /// While set, answers go here instead of into the outbox: into the body of a POST.
    pub captured: Option<Vec<String>>,
    /// What is known of a page that speaks [`Voice::Scene`].
    pub scene: Scene,
    /// How such a page joined. A newer tab may take its session over; it joins again when that one leaves.
    pub joined: Option<Joining>,
    /// Nothing it says counts any more.
    pub deaf: bool,
    /// Its task.
    pub signals: Arc<Signals>,
    /// How it is connected, for the audit log.
    pub face: &'static str,
    /// Its calls that have not ended, for the audit log.
    pub calls: Calls,
    /// Since when its writer has been at it without progress.
    pub writing_since: Option<Millis>,
}

impl Listed {
    /// What a page rests on; a program, which has no origin, rests on nothing.
    fn of_page(joining: &Joining) -> Option<Self> {
        let Joining { origin, policy, by_token, .. } = joining;
        let listed = Self { origin: origin.clone(), policy: policy.clone(), by_token: *by_token };
        origin.contains("://").then_some(listed)
    }
}

impl Peer {
    /// Gives it another policy, wherever it is on its way into a session.
    pub fn allow(&mut self, policy: &Policy) {
        let waiting = self.joined_as.as_mut().map(|seat| &mut seat.0);
        for joining in [self.joining.as_mut(), self.joined.as_mut(), waiting].into_iter().flatten() {
            joining.policy.clone_from(policy);
        }
        if let Some(listed) = &mut self.listed {
            listed.policy.clone_from(policy);
        }
    }

    /// The same with what its token allows.
    #[must_use]
    pub fn scoped(mut self, scope: Scope) -> Self {
        self.bearer = scope.bearer();
        if let Some(origin) = scope.origin() {
            self.listed = Some(Listed { origin: origin.into(), policy: Policy::default(), by_token: false });
        }
        self.scope = scope;
        self
    }

    /// The same with the named token that it was admitted by, if one was needed.
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
        }
    }

    /// Writes a JSON-RPC frame, or keeps it for the body of a POST.
    pub fn rpc(&mut self, kind: Kind, json: &str) {
        match &mut self.captured {
            Some(captured) if kind == Kind::Response => captured.push(json.to_owned()),
            Some(_) | None => self.outbox.rpc(json),
        }
    }

    /// Whether it has taken nothing for too long.
    pub fn stalled(&self, now: Millis) -> bool {
        self.writing_since.is_some_and(|since| now >= since + OUTBOX_STALL_MS)
    }

    /// Closes it once everything before is written.
    pub fn close_after(&mut self, close: Close) {
        self.close.get_or_insert(close);
        self.signals.wake.notify_one();
    }

    /// Closes it now: what waits is dropped.
    pub fn close_now(&mut self, close: Close) {
        self.outbox.take();
        self.close = Some(close);
        self.deaf = true;
        self.signals.end.notify_one();
        self.signals.wake.notify_one();
    }

    /// What comes too late is told that nothing of what it says is done, so that it may safely say it again elsewhere.
    pub fn retire(&mut self) {
        if self.side == Side::Agent && self.voice != Voice::Original {
            let retiring = Retiring { version: version::HUB.into() };
            self.outbox.rpc(&rpc::notification("hub/retiring", &retiring));
        }
        self.deaf = true;
        self.close_after(Close::shutdown());
    }
}
