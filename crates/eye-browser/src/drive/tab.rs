//! One tab: its documents join the hub one after the other, each as a page with its own transport.

mod barred;
mod begin;
mod halves;
mod inner;
mod making;
mod popup;
mod recorded;
mod travel;

use super::client::Client;
use super::downloads::Downloads;
use super::events::{
    BindingCalled, ChooserOpened, ContextCreated, ContextDestroyed, Evaluated, Loading, Navigated, World,
};
use super::frames::{self, Half, Own};
use super::outer::{Number, Outer};
use super::owed::Owed;
use super::recording::Recording;
use super::script::Names;
use super::verbs;
use crate::cdp::{Event, Events, Session};
use crate::error::CommandError;
use eye_protocol::binary::Binary;
use eye_protocol::close::Close;
use eye_protocol::local::{LocalHub, LocalPage};
use eye_protocol::messages::ShownIn;
use eye_protocol::rpc::json;
use eye_protocol::{Ending, Error, Value};
use futures_util::stream::{FuturesUnordered, StreamExt};
use serde_json::json;
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot, watch};

/// Tells the page client that its document stays: the navigation became a download, or loaded nothing.
const STAYS: &str = "=";

/// Tells the page client the number of its frame in the tab.
const FRAME: &str = "%";

/// Shown in the outer document instead of a frame's number if agents may not see the frame.
const DENIED: &str = "denied to agents";

/// A document that has joined the hub.
struct Joined {
    context: i64,
    client: Client,
    hands: Hands,
    /// The hub's answer to the document's hello.
    welcome: Option<String>,
    /// Unanswered pings of the hub: their ids, as JSON.
    pings: Vec<String>,
    link: Arc<dyn LocalPage>,
    /// Its session in the hub, for the log.
    session: String,
    owed: Owed,
    /// The half that looks and acts and that answers the driver's requests. A client in one piece is entirely in the
    /// page's own world.
    acting: Half,
    /// Whether the log has a warning that a half sent a message about a call of the other half.
    warned: bool,
    /// Agents may not see the document: the driver answers in its place.
    barred: bool,
}

/// The state of the half of a document's client that looks and acts.
enum Hands {
    /// Not needed yet, or the document's client is in one piece.
    Absent,
    /// Being created. Messages for both halves wait, in order.
    Making(Vec<(Half, String)>),
    /// Exists in this context.
    There(i64),
}

/// The document of an execution context.
struct Known {
    /// As the browser reports it.
    origin: String,
    /// The site of its URL, if it has no origin of its own.
    site: Option<String>,
}

/// An operation that the driver runs in the background. Its result is handled by the tab.
type Doing = Pin<Box<dyn Future<Output = Done> + Send>>;

enum Done {
    /// A verb ended with this.
    Answer(String, Ending),
    /// Close the tab, after answering this call.
    Close(String),
    /// Input was made, or failed.
    Input(u64, Result<(), CommandError>),
    /// The page handles the call.
    Page(Own),
    /// Go to this entry of the tab's history, for this call.
    Travel(Own, i64),
    /// Nothing to do.
    Nothing,
}

/// A tab of a driven browser, or a frame of another origin in a tab.
pub struct Tab {
    session: Session,
    browser: Session,
    /// The id of its frame. For a tab it is the target id.
    target: String,
    outer: Outer,
    /// The number of a frame. Freed when dropped.
    number: Option<Number>,
    /// Frames of other origins in the same session, by frame id. Each gets the events of its documents.
    inner: HashMap<String, mpsc::Sender<Event>>,
    /// The documents of all those frames, by context: the frame, and the event that reported the context.
    inner_contexts: HashMap<i64, (String, Event)>,
    /// The URLs of those frames, as the browser reports them.
    inner_urls: HashMap<String, String>,
    /// The parent of each frame.
    inner_parents: HashMap<String, String>,
    names: Names,
    hub: Arc<dyn LocalHub>,
    /// Counts the requests of agents to this browser, so that an idle browser can be ended.
    used: watch::Sender<u64>,
    /// The folder for files that are given to pages.
    uploads: PathBuf,
    /// Waits for a file chooser to open.
    chooser: Option<oneshot::Sender<i64>>,
    joined: watch::Sender<bool>,
    contexts: HashMap<i64, Known>,
    /// The sites of documents without an origin of their own, by the unique id of their context. The oldest first.
    sandboxes: VecDeque<(String, String)>,
    /// The URL of its document, as the browser reports it.
    url: String,
    /// The context whose client has left by itself.
    left: Option<i64>,
    document: Option<Joined>,
    crashed: bool,
    /// Whether the browser is loading something into the tab. The current document gets no messages meanwhile.
    loading: bool,
    /// Calls for which the driver is checking whether the page shall handle them.
    undecided: HashSet<String>,
    /// The calls for which the tab moves to another entry of its history.
    going: Vec<Own>,
    /// The driver's own requests to the page client.
    questions: (mpsc::UnboundedSender<String>, mpsc::UnboundedReceiver<String>),
    doing: FuturesUnordered<Doing>,
    recording: Recording,
    downloads: Arc<Downloads>,
    /// The browser and window of the tab. A frame has those of its tab.
    shown_in: watch::Receiver<Option<ShownIn>>,
}

impl Tab {
    /// A tab or frame that has just attached and waits.
    pub fn new(
        (session, browser): (Session, Session),
        (target, url): (String, String),
        (outer, number): (Outer, Option<Number>),
        names: Names,
        hub: Arc<dyn LocalHub>,
        used: watch::Sender<u64>,
        (uploads, downloads): (PathBuf, Arc<Downloads>),
    ) -> Self {
        Self {
            session,
            browser,
            target,
            outer,
            number,
            inner: HashMap::new(),
            inner_contexts: HashMap::new(),
            inner_urls: HashMap::new(),
            inner_parents: HashMap::new(),
            names,
            hub,
            used,
            uploads,
            chooser: None,
            joined: watch::Sender::new(false),
            contexts: HashMap::new(),
            sandboxes: VecDeque::new(),
            url,
            left: None,
            document: None,
            crashed: false,
            loading: false,
            undecided: HashSet::new(),
            going: Vec::new(),
            questions: mpsc::unbounded_channel(),
            doing: FuturesUnordered::new(),
            recording: Recording::default(),
            downloads,
            shown_in: watch::channel(None).1,
        }
    }

    /// Sets the browser and window of the tab.
    pub fn shown_in(self, shown_in: watch::Receiver<Option<ShownIn>>) -> Self {
        Self { shown_in, ..self }
    }

    /// Turns true when a document of the tab has joined.
    pub fn joined(&self) -> watch::Receiver<bool> {
        self.joined.subscribe()
    }

    /// Passes messages between the hub and the documents until the tab is closed.
    pub async fn run(mut self, mut events: Events) {
        let mut shown_in = self.shown_in.clone();
        loop {
            let link = self.document.as_ref().map(|document| document.link.clone());
            let next = async {
                match &link {
                    Some(link) => link.next().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                event = events.next() => match event {
                    Some(event) => self.happened(&event),
                    None => return,
                },
                messages = next => match messages {
                    Ok(messages) => messages.into_iter().for_each(|message| self.deliver(message)),
                    Err(close) => self.closed(&close),
                },
                Ok(()) = shown_in.changed() => self.note_shown_in(),
                Some(question) = self.questions.1.recv() => self.ask(question),
                Some(done) = self.doing.next(), if !self.doing.is_empty() => self.done(done),
            }
        }
    }

    fn happened(&mut self, event: &Event) {
        if self.is_of_inner(event) {
            return;
        }
        match &*event.method {
            "Runtime.bindingCalled" => {
                if let Some(BindingCalled { name, payload, execution_context_id }) = event.read()
                    && name == self.names.binding
                {
                    self.receive(execution_context_id, &payload);
                }
            }
            "Runtime.evaluate" => {
                let Some(context) = event.note else { return };
                if let Some(Evaluated { result }) = event.read() {
                    for message in result.value.said.split_terminator('\n') {
                        self.receive(context, message);
                    }
                }
                self.is_alive(context);
            }
            "Page.createIsolatedWorld" => {
                if let (Some(context), Some(World { execution_context_id })) = (event.note, event.read()) {
                    self.hands_begin(context, execution_context_id);
                }
            }
            "Runtime.executionContextCreated" => {
                if let Some(ContextCreated { context }) = event.read()
                    && context.aux_data.is_default
                    && context.aux_data.frame_id == self.target
                {
                    let site = self.site_of_sandbox(&context.origin, context.unique_id);
                    self.contexts.insert(context.id, Known { origin: context.origin, site });
                }
            }
            "Runtime.executionContextDestroyed" => {
                if let Some(ContextDestroyed { execution_context_id }) = event.read() {
                    self.contexts.remove(&execution_context_id);
                    self.leave(execution_context_id);
                }
            }
            "Runtime.executionContextsCleared" => {
                self.contexts.clear();
                self.part();
            }
            "Page.javascriptDialogOpening" => {
                if let Some(dialog) = self.session.dialog() {
                    self.fail(&verbs::shows(&dialog));
                }
            }
            "Page.fileChooserOpened" => {
                let opened = event.read::<ChooserOpened>().and_then(|opened| opened.backend_node_id);
                if let (Some(node), Some(waiting)) = (opened, self.chooser.take()) {
                    // Fails if the request no longer waits.
                    let _ = waiting.send(node);
                }
            }
            "Inspector.targetCrashed" => {
                self.crashed = true;
                self.fail(&verbs::refusal(&CommandError::Crashed));
            }
            "Page.frameStartedLoading" if self.is_own(event) => self.loading = true,
            "Page.frameStoppedLoading" if self.is_own(event) => {
                self.loading = false;
                // If the document was replaced, it has left by now.
                let _ = self.send_to_page(STAYS);
                self.send_to_hands(STAYS);
            }
            "Inspector.targetReloadedAfterCrash" => self.crashed = false,
            "Page.frameNavigated" => {
                self.crashed = false;
                if let Some(Navigated { frame }) = event.read().filter(|at: &Navigated| at.frame.id == self.target) {
                    self.url = frame.url;
                    self.put_again();
                }
            }
            "Page.frameStartedNavigating" => self.starts_navigating(event),
            "Page.navigatedWithinDocument" if self.is_own(event) => self.went_within(),
            "Page.getFrameTree" => self.know_frames(event),
            method if method.starts_with("Network.") => self.record(event),
            _ => {}
        }
    }

    /// Whether a loading event is about the tab's own document, not one of its frames.
    fn is_own(&self, event: &Event) -> bool {
        event.read::<Loading>().is_some_and(|loading| loading.frame_id == self.target)
    }

    /// A document joins the hub with its hello. If agents may not see the document, nothing of it goes to the hub.
    fn join(&mut self, context: i64, origin: &str, hello: &str) {
        // The previous document leaves before this one joins.
        self.part();
        // A frame that agents may not see does not join. The outer page can still navigate the tab.
        let unknown = origin == "null" && self.url.is_empty();
        if self.outer.is_frame() && self.hub.denies(origin).is_some() {
            return self.label_outer(DENIED);
        }
        if self.outer.is_frame() && unknown {
            return;
        }
        let link = self.hub.join(&self.names.session, origin);
        let barred = link.is_barred();
        let hello = match (barred, self.outer.is_frame()) {
            (true, _) => Self::barred_hello(origin),
            (false, true) => self.framed(hello),
            (false, false) => hello.to_owned(),
        };
        let received = link.receive(&hello);
        let client = Client::new(self.questions.0.clone());
        let (hands, welcome, pings, owed) = (Hands::Absent, None, Vec::new(), Owed::default());
        let (session, acting, warned) = (self.names.session.clone(), self.half(Half::Hands), false);
        let document = Joined { context, client, hands, welcome, pings, link, session, owed, acting, warned, barred };
        self.document = Some(document);
        self.note_shown_in();
        if barred {
            self.recording.end(&self.session);
        }
        if let Some(number) = &self.number {
            let label = number.label();
            // With two halves, the second one gets the number when it starts.
            if !self.names.hands {
                let _ = self.send_to_page(&format!("{FRAME}{label}"));
            }
            self.label_outer(&label);
        }
        self.joined.send_replace(true);
        if let Err(close) = received {
            self.closed(&close);
        }
    }

    /// Tells the hub in which browser and window the document is.
    fn note_shown_in(&self) {
        if let (Some(document), Some(shown_in)) = (&self.document, &*self.shown_in.borrow()) {
            document.link.is_shown_in(shown_in.clone());
        }
    }

    /// Tells the document around a frame the frame's number, or that it is denied.
    fn label_outer(&self, label: &str) {
        let (outer, label) = (self.outer.clone(), label.to_owned());
        self.doing.push(Box::pin(async move {
            // Fails only if the frame's element is gone, which then needs no number.
            let _ = outer.tell(&label).await;
            Done::Nothing
        }));
    }

    fn done(&mut self, done: Done) {
        if let Done::Page(own) | Done::Travel(own, _) = &done
            && !self.undecided.remove(&own.id)
        {
            return;
        }
        let received = match (done, &mut self.document) {
            (Done::Answer(id, Ok(Value::Bytes(bytes))), Some(document)) => {
                let mut message = Vec::new();
                Binary { id: &id, media_type: &bytes.media_type, bytes: &bytes.bytes }.write(&mut message);
                document.link.receive_binary(&message)
            }
            (Done::Close(id), Some(document)) => {
                let received = document.link.receive(&frames::answer(&id, &Ok(Value::Text("closed".to_owned()))));
                // Closed by the browser, because a page could delay its own closing with a dialog.
                let _ = self.browser.send("Target.closeTarget", &json!({ "targetId": self.target }));
                received
            }
            (Done::Answer(id, ending), Some(document)) => document.link.receive(&frames::answer(&id, &ending)),
            (Done::Input(number, outcome), Some(_)) => {
                let reply = match outcome {
                    Ok(()) => json!({ "input": number }),
                    Err(error) => json!({ "input": number, "error": error.to_string() }),
                };
                // A page that shows a dialog receives this when the dialog is answered. Its calls have already been
                // answered.
                self.send_to_hands(&json(&reply));
                Ok(())
            }
            (Done::Page(own), Some(_)) => {
                self.owe(own.half(), own.id.clone());
                self.hand(own.half(), own.message());
                Ok(())
            }
            (Done::Travel(own, entry), Some(_)) => {
                self.travel(own, entry);
                Ok(())
            }
            (Done::Nothing, _) | (_, None) => Ok(()),
        };
        if let Err(close) = received {
            self.closed(&close);
        }
    }

    /// Ends all unanswered calls of the document with an error.
    fn fail(&mut self, error: &Error) {
        self.going.clear();
        let Some(document) = &mut self.document else { return };
        document.client.fail(error);
        for answer in document.owed.fail(error) {
            let _ = document.link.receive(&answer);
        }
    }

    fn leave(&mut self, context: i64) {
        self.hands_left(context);
        if self.document.as_ref().is_some_and(|document| document.context == context) {
            self.part();
        }
    }

    /// The document leaves the hub.
    fn part(&mut self) {
        self.goes_elsewhere();
        if let Some(document) = self.document.take() {
            document.client.left();
        }
    }

    /// The hub closed the document's connection. If that is because its site is denied now, the driver takes the
    /// document's place.
    fn closed(&mut self, close: &Close) {
        let Close { code, reason } = close;
        let _ = self.send_to_page(&format!("!{code} {reason}"));
        self.send_to_hands(&format!("!{code} {reason}"));
        let left = self.document.as_ref().map(|document| (document.context, document.barred));
        self.part();
        if let Some((context, false)) = left
            && *code == Close::REVOKED
            && let Some(known) = self.contexts.get(&context)
        {
            let origin = self.origin_of(known);
            if self.hub.denies(&origin).is_some() {
                self.join(context, &origin, "");
            }
        }
    }
}
