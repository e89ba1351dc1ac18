//! The life cycle of an upstream: start, serve, end, and restart after a pause.

use super::connection::{Connection, Failed, Wire};
use super::envelope::Era;
use super::handshake::Greeting;
use super::listener::Listener;
use super::pipes::ChildWire;
use super::reason::{self, Reason};
use super::server::{Start, State, Upstream, lock};
use super::{child, handshake, http, lists};
use crate::config::Transport;
use crate::context::{CallContext, Change, ChangeKind};
use crate::limits::BACK_OFF_MIN;
use eye_protocol::Code;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// Changes of a list within this time are handled as one.
const LIST_SETTLES: Duration = Duration::from_millis(50);

impl Upstream {
    /// Runs one life after another: start, serve, end, pause.
    pub(super) async fn live(self: Arc<Self>, life: u64, started: watch::Sender<Start>, mut failures: u32) {
        let mut started = Some(started);
        loop {
            let began = Instant::now();
            let connected = tokio::select! {
                () = self.stopped.cancelled() => Err("it was shut down".into()),
                connected = self.connect() => connected,
            };
            let why = match connected {
                Ok((connection, greeting, tools)) => {
                    self.is_up(&connection, greeting, tools).await;
                    if let Some(started) = started.take() {
                        let _ = started.send(Some(Ok(Arc::clone(&connection))));
                    }
                    self.attend(&connection).await;
                    connection.why_ended().into()
                }
                Err(why) => why,
            };
            let why = why.map(|text| self.spec.redact(&text));
            failures = if began.elapsed() >= self.pace.steady { 1 } else { failures + 1 };
            let (now, pause) = (Instant::now(), self.pace.pause(failures));
            reason::log(&self.spec.name, self.stopped.is_cancelled(), failures, &why.to_string());
            self.is_down(&why, now + pause.min(self.pace.use_pause_max), failures);
            if let Some(started) = started.take() {
                let _ = started.send(Some(Err(self.down(&why).into())));
            }
            // A server that is down is restarted while an agent has used it recently: it may come up by itself.
            if self.stopped.is_cancelled() || lock(&self.used).elapsed() >= self.pace.wanted {
                return;
            }
            tokio::select! {
                () = self.stopped.cancelled() => return,
                () = tokio::time::sleep_until(now + pause) => {}
            }
            let mut state = lock(&self.state);
            // A call may have started another life meanwhile.
            if self.lives.load(Ordering::Relaxed) != life || !matches!(&*state, State::Down { .. }) {
                return;
            }
            let (next, start) = watch::channel(None);
            started = Some(next);
            *state = State::Starting(start);
        }
    }

    async fn connect(self: &Arc<Self>) -> Result<(Arc<Connection>, Greeting, Vec<Box<RawValue>>), Reason> {
        let open = |root, wire| {
            let (name, roots, changes) = (&self.spec.name, Arc::clone(&self.roots), self.changes.clone());
            Arc::new(Connection::new(name, self.instance, root, roots, wire, changes))
        };
        let connection = match &self.spec.transport {
            Transport::Child { cwd, .. } => {
                let started = child::start(&self.spec, &self.env)?;
                let wire = ChildWire::default();
                lock(&self.stderr).clone_from(&wire.stderr_tail);
                let connection = open(Some(cwd.clone()), Wire::Child(wire));
                self.tasks.spawn(started.carry(Arc::clone(&connection)));
                connection
            }
            Transport::Http { .. } => {
                if let Some(bearer) = &self.bearer {
                    bearer.note_attempt();
                }
                let wire = http::HttpWire::new(&self.spec.transport, self.bearer.clone())?;
                open(None, Wire::Http(Arc::new(wire)))
            }
        };
        // If the caller gives up on this start, the guard closes the connection, which ends the child.
        let given_up = connection.closed.clone().drop_guard();
        let greeted = tokio::time::timeout(self.pace.start, handshake::greet(&connection, self.spec.era)).await;
        let greeting = greeted.unwrap_or_else(|_| Err(too_slow(&connection, self.pace.start))).map_err(|why| {
            why.map(|why| match self.spec.withheld(&self.env, &why) {
                Some(withheld) => format!("{why}; {withheld}"),
                None => why,
            })
        })?;
        let tools = if greeting.capabilities.get("tools").is_some_and(|tools| !tools.is_null()) {
            lists::tools(&connection)
                .await
                .map_err(|why| if connection.has_ended() { connection.why_ended().into() } else { why })?
        } else {
            Vec::new()
        };
        given_up.disarm();
        Ok((connection, greeting, tools))
    }

    async fn is_up(self: &Arc<Self>, connection: &Arc<Connection>, greeting: Greeting, tools: Vec<Box<RawValue>>) {
        *lock(&self.state) = State::Ready(Arc::clone(connection));
        {
            let mut about = lock(&self.about);
            about.protocol = Some(greeting.version.clone());
            about.instructions.clone_from(&greeting.instructions);
            about.greeting = Some(greeting);
        }
        lock(&self.results).clear();
        self.list(connection, tools).await;
    }

    pub(super) fn tell(&self, kind: ChangeKind) {
        // There may be no listener.
        let _ = self.changes.send(Change { server: self.spec.name.clone(), kind, of: self.instance });
    }

    /// Follows a connection until it ends: fetches changed lists, and ends it when the upstream is stopped.
    async fn attend(self: &Arc<Self>, connection: &Arc<Connection>) {
        let listening = async {
            self.listen(connection).await;
            std::future::pending::<()>().await;
        };
        let following = async {
            loop {
                connection.tools_changed.notified().await;
                tokio::time::sleep(LIST_SETTLES).await;
                if let Ok(tools) = lists::tools(connection).await {
                    self.list(connection, tools).await;
                }
            }
        };
        tokio::select! {
            () = connection.closed.cancelled() => {}
            () = self.stopped.cancelled() => connection.end("it was shut down"),
            () = listening => {}
            () = following => {}
        }
        if let Wire::Http(wire) = &connection.wire {
            wire.farewell().await;
        }
    }

    /// Receives notifications, where that takes a request.
    async fn listen(&self, connection: &Arc<Connection>) {
        match (&connection.wire, connection.era()) {
            (Wire::Http(wire), Era::Legacy) => wire.listen(&connection.listener()).await,
            (Wire::Child(_), Era::Legacy) => {}
            (Wire::Child(_) | Wire::Http(_), Era::Modern) => {
                let capabilities = self.capabilities().unwrap_or_default();
                let announces = |list: &str| capabilities[list]["listChanged"] == true;
                let wanted = json!({ "notifications": {
                    "toolsListChanged": announces("tools"),
                    "resourcesListChanged": announces("resources"),
                    "promptsListChanged": announces("prompts"),
                } });
                let Ok(wanted) = to_raw_value(&wanted) else { return };
                while ["tools", "resources", "prompts"].iter().any(|list| announces(list)) {
                    let forever = Duration::from_hours(24);
                    let context = CallContext::default();
                    let ended =
                        connection.request("subscriptions/listen", Some(wanted.clone()), &context, forever).await;
                    if matches!(&ended, Err(Failed::Rpc(error)) if error.is(Code::METHOD)) {
                        return;
                    }
                    tokio::time::sleep(BACK_OFF_MIN).await;
                }
            }
        }
    }
}

fn too_slow(connection: &Connection, start: Duration) -> Reason {
    let stderr = match &connection.wire {
        Wire::Child(wire) => wire.stderr_tail.text(),
        Wire::Http(_) => String::new(),
    };
    let why = format!("it did not answer within {} s of its start", start.as_secs());
    Reason::Failed(if stderr.is_empty() { why } else { format!("{why}; it said: {stderr}") })
}
