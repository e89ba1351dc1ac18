//! The link over NATS: subjects, messages, the bucket of the directory. Nothing is published unless the link is up,
//! because the library would keep the message and deliver it seconds late.

mod alone;
mod bucket;
mod mail;
mod often;
mod outgoing;
mod rare;
mod sending;
mod served;
mod states;
mod turn;

use crate::core::{Action, Core, Event, Life, StatesAction, TokensAction, TokensEvent};
use crate::packet::Writer;
use crate::parts::Parts;
use crate::queue::Queue;
use crate::settings::{HubStatus, Settings, Status};
use crate::wire::{Beat, Frame};
use crate::{FromHub, HubHandle};
use alone::Alone;
use async_nats::connection::State;
use async_nats::message::OutboundMessage;
use async_nats::{Client, ConnectOptions, Message, Subject};
use bucket::{Bucket, NamedTokens, Sessions};
use eye_core::Effect;
use futures_util::FutureExt;
use mail::{Mail, MailStream, Op};
use often::Often;
use outgoing::Outgoing;
use rare::{Rare, Sources};
use served::Served;
use states::States;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::unconstrained;

/// A larger message is sent in parts: the server's own limit is 1 MiB, and small calls can pass between the parts.
pub const PART_BYTES_MAX: usize = 128 << 10;
/// The longest pause before the next attempt to connect to a server.
const RECONNECT_MS_MAX: u64 = 200;
/// The oldest server version that works with the directory.
const SERVER_VERSION_MIN: (u64, u64) = (2, 11);

/// Why a cluster cannot be joined.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// The credentials cannot be read.
    #[error("the credentials of the cluster cannot be read: {0}")]
    Credentials(#[source] std::io::Error),
    /// An address is not valid.
    #[error("NATS cannot be reached: {0}")]
    Connect(#[from] async_nats::ConnectError),
    /// A subscription was refused: a name cannot be part of a subject.
    #[error("NATS refuses a subscription: {0}")]
    Subscribe(#[from] async_nats::SubscribeError),
}

/// The subjects of one cluster.
#[derive(Debug)]
struct Subjects {
    prefix: String,
    /// The beginning of the subjects on which the server reports that a message had no receiver. The number of the
    /// message follows.
    unread: String,
}

impl Subjects {
    fn new(cluster: &str, life: &str) -> Self {
        Self { prefix: format!("eye.{cluster}"), unread: format!("eye.{cluster}.n.{life}.") }
    }
    fn of(&self, life: &str) -> String {
        format!("{}.h.{life}", self.prefix)
    }
    /// The subjects of letters. The key of the session follows.
    fn mail(&self) -> String {
        format!("{}.m", self.prefix)
    }
    fn beats(&self) -> String {
        format!("{}.b", self.prefix)
    }
    /// The subject on which the server reports that this message had no receiver. Without `format!`, because every
    /// message has one.
    fn unread(&self, message: u64) -> Subject {
        let number = message.to_string();
        let mut subject = String::with_capacity(self.unread.len() + number.len());
        subject.push_str(&self.unread);
        subject.push_str(&number);
        subject.into()
    }
}

/// The link of one hub.
struct NatsLink {
    hub: Arc<dyn HubHandle>,
    core: Core,
    life: Life,
    name: String,
    client: Client,
    subjects: Subjects,
    directory: Bucket<Sessions>,
    tokens: Bucket<NamedTokens>,
    states: States,
    mail: Mail,
    served: Served,
    /// The frames to send at the end of this turn.
    outgoing: Outgoing,
    /// The messages that the connection has not taken yet.
    unsent: VecDeque<OutboundMessage>,
    /// The last messages: number, receiver, and the requests in them.
    sent: VecDeque<(u64, Life, Vec<u64>)>,
    last_message: u64,
    writer: Arc<Writer>,
    /// Messages that were written apart come back through this channel.
    alone: mpsc::UnboundedSender<Alone>,
    parts: Parts,
    /// The number of messages dropped since the last heartbeat, and the reason of the last one.
    dropped: (u64, String),
    /// The last error that the server reported since the connection. It arrives only as an event: the refused operation
    /// returns as if it had succeeded.
    refused: Option<String>,
    actions: Vec<Action>,
}

/// What the rest of the hub sees of the link.
#[derive(Debug)]
pub struct Shown<'a> {
    /// Updated every 200 ms.
    pub status: &'a watch::Sender<Status>,
    /// Requests that other hubs have not answered. Updated after each turn.
    pub calls_out: &'a AtomicUsize,
}

/// Keeps the link up until `stop` is notified.
pub async fn run(
    settings: &Settings,
    hub: Arc<dyn HubHandle>,
    queue: &Queue,
    shown: &Shown<'_>,
    stop: &Notify,
) -> Result<(), JoinError> {
    let life: Life = life().into();
    let subjects = Subjects::new(&settings.cluster, &life);
    let (events, events_in) = mpsc::unbounded_channel();
    let options = options(settings, &subjects)?.event_callback(move |event| {
        let events = events.clone();
        async move {
            let _ = events.send(event);
        }
    });
    let client = options.connect(settings.servers.clone()).await?;
    let mut often = Often { own: client.subscribe(subjects.of(&life)).await?, queue, taken: VecDeque::new() };
    let beats = client.subscribe(subjects.beats()).await?;
    let unread = client.subscribe(format!("{}*", subjects.unread)).await?;
    let (stored, stored_in) = mpsc::unbounded_channel();
    let core = Core::new(settings.hub.as_str().into(), life.clone()).listing(settings.pages_max);
    let directory = Bucket::new(client.clone(), format!("eye-{}", settings.cluster), stored.clone());
    let tokens = Bucket::new(client.clone(), format!("eye_tokens-{}", settings.cluster), stored.clone());
    let mail_stream = MailStream { name: format!("eye_mail-{}", settings.cluster), prefix: subjects.mail() };
    let mail = Mail::new(client.clone(), mail_stream.clone(), stored.clone());
    let states = States::new(client.clone(), format!("eye_state-{}", settings.cluster), mail_stream, stored);
    let (served, writer) = (Served::new(hub.clone()), Arc::new(Writer::new(&life)));
    let (alone, alone_in) = mpsc::unbounded_channel();
    let mut link = NatsLink {
        hub,
        core,
        life,
        name: settings.hub.clone(),
        client,
        subjects,
        directory,
        tokens,
        states,
        mail,
        served,
        outgoing: Outgoing::default(),
        unsent: VecDeque::new(),
        sent: VecDeque::new(),
        last_message: 0,
        writer,
        alone,
        parts: Parts::default(),
        dropped: Default::default(),
        refused: None,
        actions: Vec::new(),
    };
    link.event(Event::Starts);
    link.hub.want_rows();
    let mut rare = Sources { beats, unread, alone: alone_in, stored: stored_in, link: events_in, stop }.stream();
    loop {
        let one = poll_fn(|context| {
            let one = link.poll_turn(context, &mut rare, &mut often);
            shown.calls_out.store(link.core.calls_out(), Relaxed);
            one
        });
        match one.await {
            Rare::Tick => link.tick(shown.status),
            Rare::Beat(message) => link.beat(&message),
            Rare::Unread(message) => link.unread(&message),
            Rare::Alone(one) => link.send_alone(one),
            Rare::Stored(events) => {
                for event in events {
                    link.stored_event(event, shown.status);
                }
            }
            Rare::Link(event) => link.link_event(&event),
            // Comes after `Rare::Stop`, where the loop has ended.
            Rare::AllWritten => {}
            Rare::Stop => {
                link.end(&mut rare, &mut often).await;
                return Ok(());
            }
        }
    }
}

fn options(settings: &Settings, subjects: &Subjects) -> Result<ConnectOptions, JoinError> {
    let options = ConnectOptions::new()
        .name(format!("eye {}", settings.hub))
        .ping_interval(Duration::from_secs(1))
        .custom_inbox_prefix(format!("{}.i.{}", subjects.prefix, settings.hub))
        // Random, so that hubs that lost a server together do not reconnect all at once.
        .reconnect_delay_callback(|_| Duration::from_millis(fastrand::u64(20..=RECONNECT_MS_MAX)))
        .retry_on_initial_connect();
    // The library parses a user and a password in a URL, but does not use them.
    let named = settings.servers.iter().filter_map(|server| server.parse::<async_nats::ServerAddr>().ok());
    let user =
        named.into_iter().find_map(|server| Some((server.username()?.to_owned(), server.password()?.to_owned())));
    let options = match user {
        Some((user, password)) => options.user_and_password(user, password),
        None => options,
    };
    let Some(file) = &settings.credentials else { return Ok(options) };
    let text = std::fs::read_to_string(file).map_err(JoinError::Credentials)?;
    if text.contains("BEGIN NATS USER JWT") {
        return options.credentials(&text).map_err(JoinError::Credentials);
    }
    Ok(options.nkey(text.trim().to_owned()))
}

/// A random word, so that no two runs of hubs share one.
fn life() -> String {
    let mut bytes = [0; 16];
    if getrandom::fill(&mut bytes).is_err() {
        fastrand::Rng::new().fill(&mut bytes);
    }
    format!("{:032x}", u128::from_be_bytes(bytes))
}

impl NatsLink {
    fn on_hub(&mut self, one: FromHub) {
        match one {
            FromHub::Rows(rows) => self.event(Event::Rows(rows)),
            FromHub::Interests(changed) => self.event(Event::Interests(changed)),
            FromHub::Effect(Effect::PublishElsewhere { hubs, message }) => {
                self.event(Event::Publish { hubs, message });
            }
            FromHub::Effect(Effect::HandOver(handover)) => self.event(Event::HandOver(handover)),
            FromHub::Effect(Effect::Lasting(lasting)) => self.event(Event::Lasting(lasting)),
            FromHub::Effect(Effect::LookUp { word }) => self.event(Event::LookUp { word }),
            FromHub::Effect(Effect::PassOn(passed)) => self.event(Event::PassOn(passed)),
            FromHub::Effect(Effect::CancelElsewhere { agent, forms }) => self.event(Event::Cancel { agent, forms }),
            FromHub::Effect(Effect::LeftElsewhere { agent }) => self.event(Event::AgentLeft { agent }),
            FromHub::Effect(effect) => {
                if let Some((to, frame)) = self.served.frame_of(effect) {
                    self.outgoing.push(to, frame, |life| self.subjects.of(life));
                }
            }
        }
    }

    fn event(&mut self, event: Event) {
        let mut actions = std::mem::take(&mut self.actions);
        self.core.on(self.hub.now(), event, &mut actions);
        for action in actions.drain(..) {
            match action {
                Action::Send { to, frame } if frame.is_alone() => self.write_alone(to, frame),
                Action::Send { to, frame } => self.outgoing.push(to, frame, |life| self.subjects.of(life)),
                Action::Put { session, row, replaces } => self.directory.put(session, row, replaces),
                Action::Remove { session, revision } => self.directory.remove(&session, revision),
                Action::LookUp { look_up, session } => self.directory.look_up(look_up, session),
                Action::ReadDirectory => self.directory.read(),
                Action::Tokens(TokensAction::Put { token, replaces }) => {
                    self.tokens.put(token.hash.clone(), token, replaces);
                }
                Action::Tokens(TokensAction::Remove { hash, revision }) => self.tokens.remove(&hash, revision),
                Action::Tokens(TokensAction::Take(tokens)) => self.hub.take_tokens(tokens),
                Action::States(StatesAction::Put { state, epoch }) => self.states.put(state, epoch),
                Action::States(StatesAction::Get { session, with_letters }) => self.states.get(session, with_letters),
                Action::States(StatesAction::Remove(session)) => {
                    self.states.remove(&session);
                    self.mail.put(Op::Mail(session, Vec::new()));
                }
                Action::States(StatesAction::Letter(letter)) => self.mail.put(Op::Letter(letter)),
                Action::States(StatesAction::Mail { session, letters }) => self.mail.put(Op::Mail(session, letters)),
                Action::States(StatesAction::Given(given)) => self.mail.put(Op::Given(given)),
                Action::Feed(input) => self.hub.feed(input),
                Action::Serve { from, request } => self.served.serve(from, Arc::unwrap_or_clone(request)),
                Action::Cancel { from, agent, call } => self.served.cancel(&from, agent, call),
                Action::Leave { from, agent } => {
                    if agent.is_none() {
                        self.parts.forget(&from);
                        self.outgoing.forget(&from);
                    }
                    self.served.leave(&from, agent);
                }
            }
        }
        self.actions = actions;
    }

    fn message(&mut self, message: &Message) {
        let (from, frames) = match self.parts.read(&message.payload) {
            Ok(Some(read)) => read,
            Ok(None) => return,
            Err(error) => {
                self.dropped.0 += 1;
                self.dropped.1 = error.to_string();
                return;
            }
        };
        for frame in frames {
            if from == self.life {
                self.is_up();
            } else {
                self.event(Event::Frame { from: from.clone(), frame });
            }
        }
    }

    /// A message of this hub to itself has arrived, so the server knows its subscriptions.
    fn is_up(&mut self) {
        if !self.core.is_up() {
            tracing::info!(server = self.client.server_info().version, "the link to the other hubs is up");
            self.event(Event::Up);
            self.directory.read();
            self.tokens.read();
        }
    }

    fn is_down(&mut self) {
        if self.core.is_up() {
            tracing::warn!("the link to the other hubs is down; this hub serves its own pages");
        }
        self.event(Event::Down);
        self.directory.stop();
        self.tokens.stop();
        self.states.stop();
        self.mail.stop();
        self.outgoing.clear();
        self.unsent.clear();
        self.parts.clear();
    }

    fn link_event(&mut self, event: &async_nats::Event) {
        match event {
            // A subscriber that was too slow has lost messages, and nothing reports which ones.
            async_nats::Event::Disconnected | async_nats::Event::SlowConsumer(_) | async_nats::Event::Closed => {
                self.is_down();
            }
            async_nats::Event::ServerError(error) => {
                tracing::error!(%error, "NATS refuses something");
                self.refused = Some(error.to_string());
            }
            async_nats::Event::ClientError(error) => tracing::debug!(%error, "the link to NATS"),
            async_nats::Event::Connected => {
                self.refused = None;
                self.ask_itself();
            }
            async_nats::Event::LameDuckMode | async_nats::Event::Draining => {}
        }
    }

    fn beat(&mut self, message: &Message) {
        let Ok(Beat { hub, life, bye }) = serde_json::from_slice(&message.payload) else { return };
        let life: Life = life.into();
        self.event(if bye { Event::Bye { life } } else { Event::Beat { name: hub.into(), life } });
    }

    /// The server reports that a message had no receiver.
    fn unread(&mut self, message: &Message) {
        let number = message.subject.rsplit('.').next().and_then(|number| number.parse().ok());
        let Some((_, life, calls)) = self.sent.iter().find(|(sent, _, _)| Some(*sent) == number) else { return };
        let (life, calls) = (life.clone(), calls.clone());
        self.event(Event::NoResponders { life, calls });
    }

    fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    fn tick(&mut self, status: &watch::Sender<Status>) {
        self.event(Event::Tick);
        if let Some(own) = self.hub.changed_tokens() {
            self.event(Event::Tokens(TokensEvent::Own(own)));
        }
        if let (messages @ 1.., error) = std::mem::take(&mut self.dropped) {
            tracing::warn!(messages, error, "messages of other hubs are dropped");
        }
        if !self.is_connected() {
            self.is_down();
        } else if self.core.is_up() {
            self.send_heartbeat(false);
        } else {
            self.ask_itself();
        }
        let (is_up, server) = (self.core.is_up(), self.client.server_info().version);
        let hubs = self.core.others().into_iter();
        status.send_modify(|status| {
            status.problem = problem(is_up, &server, self.refused.as_deref(), self.directory.trouble());
            status.up = is_up;
            status.read = self.core.has_read();
            status.partial = self.core.is_partial();
            status.server = server;
            status.hubs = hubs.map(|(name, pages)| HubStatus { name: name.to_string(), pages }).collect();
            status.calls_out = self.core.calls_out();
            status.parts = self.parts.waiting().0;
        });
    }

    fn stored_event(&mut self, event: Event, status: &watch::Sender<Status>) {
        let is_read = matches!(event, Event::Read);
        self.event(event);
        if is_read {
            status.send_modify(|status| status.read = true);
        }
    }

    /// Sends a message to this hub itself. When it arrives, the link is up.
    fn ask_itself(&self) {
        if let Ok(payload) = self.writer.frames(&[Frame::Loop])
            && self.is_connected()
        {
            // Comes again with the next tick. To wait for room would be to miss the loss of a connection that takes
            // nothing. Unconstrained: otherwise a busy turn would count as no room.
            let publish = self.client.publish(self.subjects.of(&self.life), payload.into());
            let _ = unconstrained(publish).now_or_never();
        }
    }

    /// Queues a heartbeat behind the messages before it.
    fn send_heartbeat(&mut self, bye: bool) {
        if self.core.is_up() && self.is_connected() {
            let beat = Beat { hub: self.name.clone(), life: self.life.to_string(), bye };
            let (subject, payload) = (self.subjects.beats().into(), eye_protocol::rpc::json(&beat).into());
            self.unsent.push_back(OutboundMessage { subject, reply: None, payload, headers: None });
        }
    }
}

/// The problem of the link that people are shown, if there is one.
fn problem(is_up: bool, server: &str, refused: Option<&str>, unread: Option<String>) -> Option<String> {
    let mut numbers = server.split('.').map_while(|number| number.parse::<u64>().ok());
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if let Some(refused) = refused {
        let rest = if is_up { "" } else { "; this hub serves its own pages only" };
        return Some(format!("NATS refuses something: {refused}{rest}"));
    }
    if !is_up {
        return Some("the link to NATS is down; this hub serves its own pages only".into());
    }
    if version < SERVER_VERSION_MIN {
        let (major, minor) = SERVER_VERSION_MIN;
        return Some(format!("nats-server {server} is older than {major}.{minor}"));
    }
    let hint = "this hub serves its own pages only; does nats-server run with JetStream (-js)?";
    unread.map(|error| format!("the directory cannot be read: {error}; {hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_server_a_lost_link_and_a_directory_that_cannot_be_read_are_problems() {
        let of = |is_up, server, refused| problem(is_up, server, refused, None);
        assert_eq!(of(true, "2.11.0", None), None);
        assert_eq!(of(true, "3.0.1", None), None);
        assert!(of(true, "2.10.9", None).unwrap().contains("older than 2.11"));
        assert!(of(false, "2.15.1", None).unwrap().contains("own pages only"));
        assert!(of(false, "2.15.1", Some("no")).unwrap().contains("something: no; this hub serves its own pages"));
        assert_eq!(of(true, "2.15.1", Some("no")).unwrap(), "NATS refuses something: no");
        let unread = problem(true, "2.15.1", None, Some("no stream".into())).unwrap();
        assert!(unread.contains("cannot be read: no stream; this hub serves its own pages"), "{unread}");
    }
}
