//! The two halves of a document's page client: one in the page's own world, and one that looks and acts, in a world
//! without the page's code. The second half is created when it is first needed.

use super::{FRAME, Hands, Joined, Tab};
use crate::drive::frames::{self, Half};
use crate::drive::owed::Allowed;
use crate::drive::script::WORLD;
use crate::drive::sign::without_mark;
use crate::drive::verbs;
use crate::error::CommandError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use eye_protocol::close::Close;
use eye_protocol::rpc;
use serde_json::json;

/// The prefix of a message from the second half to the first.
const FOR_PAGE: &str = ">";

/// The message by which the first half requests the second.
const HANDS_WANTED: &str = "+";

/// The prefix of a binary message, which follows in base64.
const BINARY: &str = "#";

/// Pages of the browser itself, which agents may not use.
const BROWSERS_OWN: [&str; 6] =
    ["chrome://", "chrome-untrusted://", "chrome-extension://", "devtools://", "edge://", "brave://"];

/// Messages that may wait for the second half. While a page's thread is busy for long, many may come.
const WAITING_LEN_MAX: usize = 1_024;

impl Joined {
    /// Passes a message of a half to the hub or the driver. Drops what the half may not send: the page controls the
    /// half in its own world.
    fn receive(&mut self, half: Half, message: &str) -> Result<(), Close> {
        let (received, foreign) = if let Some(text) = message.strip_prefix(BINARY) {
            let Ok(bytes) = STANDARD.decode(text) else { return Ok(()) };
            let Allowed { rest, foreign } = self.owed.receive_binary(half, &bytes);
            (rest.map_or(Ok(()), |bytes| self.link.receive_binary(bytes)), foreign)
        } else {
            if !self.pings.is_empty() {
                let answered = frames::answered(message);
                self.pings.retain(|ping| !answered.iter().any(|id| id == ping.trim_matches('"')));
            }
            let left = if half == self.acting { self.client.take(message) } else { Some(message.into()) };
            let Some(message) = left else { return Ok(()) };
            let Allowed { rest, foreign } = self.owed.receive(half, &message);
            (rest.map_or(Ok(()), |message| self.link.receive(&message)), foreign)
        };
        if let Some(call) = foreign
            && !std::mem::replace(&mut self.warned, true)
        {
            let session = &self.session;
            tracing::warn!(session, call, ?half, "a page's client reported a call in place of its other half: ignored");
        }
        received
    }
}

impl Tab {
    /// Passes a message of the hub to the document.
    pub(super) fn deliver(&mut self, message: String) {
        self.used.send_modify(|count| *count += 1);
        if self.document.as_ref().is_some_and(|document| document.barred) {
            return self.deliver_barred(&message);
        }
        let sorted = frames::sort(message, self.crashed);
        for own in sorted.own {
            self.begin(own);
        }
        for (half, id) in sorted.calls {
            self.owe(half, id);
        }
        if let Some(document) = &mut self.document {
            document.pings.extend_from_slice(&sorted.pings);
            document.welcome = sorted.welcome.or(document.welcome.take());
        }
        for (half, message) in sorted.for_page {
            self.hand(half, message);
        }
        for id in sorted.cancelled {
            self.give_up(&id);
        }
    }

    /// The hub gives up a call: no half has to answer it any more, and the driver's own check for it is dropped.
    fn give_up(&mut self, id: &str) {
        self.undecided.remove(id);
        self.going.retain(|own| own.id != id);
        if let Some(document) = &mut self.document {
            document.owed.give_up(id);
        }
    }

    /// The half that gets what is for this half. A client in one piece gets everything.
    pub(super) fn half(&self, half: Half) -> Half {
        if self.names.hands { half } else { Half::Page }
    }

    /// Registers a call that a half gets: only that half may answer.
    pub(super) fn owe(&mut self, half: Half, id: String) {
        let half = self.half(half);
        if let Some(document) = &mut self.document {
            document.owed.add(half, id);
        }
    }

    /// Passes a message to a half. If that fails, ends the document's calls.
    pub(super) fn hand(&mut self, half: Half, message: String) {
        if let Err(error) = self.pass_to(half, message) {
            self.fail(&verbs::refusal(&error));
            // The browser shows the dialog, so the page exists but cannot answer.
            if matches!(error, CommandError::Dialog(_)) {
                self.pong_all();
            }
        } else if self.loading {
            self.pong_all();
        }
    }

    /// Answers a ping for a page that exists and does not answer.
    pub(super) fn pong(&self, id: &str) {
        if let Some(document) = &self.document {
            let _ = document.link.receive(&format!("[{}]", rpc::response(id, Ok(r#"{"pong":true}"#))));
        }
    }

    fn pong_all(&mut self) {
        let pings = self.document.as_mut().map(|document| std::mem::take(&mut document.pings));
        for id in pings.unwrap_or_default() {
            self.pong(&id);
        }
    }

    /// A document has run the driver's message, so it is alive, even if its page has broken the client in its own
    /// world.
    pub(super) fn is_alive(&mut self, context: i64) {
        if self.document.as_ref().is_some_and(|document| document.context == context) {
            self.pong_all();
        }
    }

    /// Sends a message to the half in the page's own world.
    pub(super) fn send_to_page(&self, message: &str) -> Result<(), CommandError> {
        self.document.as_ref().map_or(Ok(()), |document| self.send_in(document.context, message))
    }

    /// Sends a message to the half in a context. The command's result holds what it answers right away; later messages
    /// come through the binding.
    fn send_in(&self, context: i64, message: &str) -> Result<(), CommandError> {
        let (method, params) = self.names.receive_command(context, message);
        self.session.note_written(method, &params, context)
    }

    /// Whether the second half of the document is in this context.
    pub(super) fn are_hands(&self, context: i64) -> bool {
        let there = |document: &Joined| matches!(document.hands, Hands::There(hands) if hands == context);
        self.document.as_ref().is_some_and(there)
    }

    /// Passes a message to a half. Keeps the order of the messages to both halves.
    pub(super) fn pass_to(&mut self, half: Half, message: String) -> Result<(), CommandError> {
        let half = self.half(half);
        let Some(document) = &mut self.document else { return Ok(()) };
        match (&mut document.hands, half) {
            (Hands::Making(waiting), _) if waiting.len() < WAITING_LEN_MAX => {
                waiting.push((half, message));
                Ok(())
            }
            (Hands::Making(_), _) => {
                let message = "the page is busy, and too much waits for it".to_owned();
                Err(CommandError::Refused { code: 0, message })
            }
            (Hands::Absent, Half::Hands) => {
                self.make_hands()?;
                self.pass_to(half, message)
            }
            (Hands::There(context), Half::Hands) => {
                let context = *context;
                self.send_in(context, &message)
            }
            (Hands::There(context), Half::Both) => {
                let context = *context;
                self.send_in(context, &message)?;
                self.send_to_page(&message)
            }
            (Hands::Absent, Half::Both) | (_, Half::Page) => self.send_to_page(&message),
        }
    }

    /// The first half needs the second, for the page's own code or for an agent's.
    pub(super) fn want_hands(&mut self) {
        if self.document.as_ref().is_some_and(|document| matches!(document.hands, Hands::Absent)) {
            // Fails while the page shows a dialog. The page asks again later.
            let _ = self.make_hands();
        }
    }

    fn make_hands(&mut self) -> Result<(), CommandError> {
        if let Some(dialog) = self.session.dialog() {
            return Err(CommandError::Dialog(dialog));
        }
        let Some(document) = &mut self.document else { return Ok(()) };
        let params = json!({ "frameId": self.target, "worldName": WORLD });
        // The result comes as an event, so that it is known by then whether the document has gone.
        self.session.note("Page.createIsolatedWorld", &params, document.context)?;
        document.hands = Hands::Making(Vec::new());
        Ok(())
    }

    /// The world for the second half of the document in `page` exists.
    pub(super) fn hands_begin(&mut self, page: i64, context: i64) {
        let Some(document) = self.document.as_mut().filter(|document| document.context == page) else { return };
        if !matches!(document.hands, Hands::Making(_)) {
            return;
        }
        let before = std::mem::replace(&mut document.hands, Hands::There(context));
        let welcome = document.welcome.clone();
        let params = json!({ "expression": self.names.hands_source(), "contextId": context, "silent": true });
        let _ = self.session.send("Runtime.evaluate", &params);
        if let Some(number) = &self.number {
            self.send_to_hands(&format!("{FRAME}{}", number.label()));
        }
        if let Some(welcome) = welcome {
            self.send_to_hands(&welcome);
        }
        if let Hands::Making(waiting) = before {
            for (half, message) in waiting {
                self.hand(half, message);
            }
        }
    }

    /// A context is gone. It may be that of the second half only.
    pub(super) fn hands_left(&mut self, context: i64) {
        if self.are_hands(context)
            && let Some(document) = &mut self.document
        {
            document.hands = Hands::Absent;
        }
    }

    /// Sends a message to the second half, if it exists.
    pub(super) fn send_to_hands(&self, message: &str) {
        if let Some(Hands::There(context)) = self.document.as_ref().map(|document| &document.hands) {
            // A page that shows a dialog does not receive it. Its calls have already been answered.
            let _ = self.send_in(*context, message);
        }
    }

    /// Handles a message of a page client.
    pub(super) fn receive(&mut self, context: i64, message: &str) {
        if self.are_hands(context) {
            return self.receive_from_hands(message);
        }
        // The binding exists in every frame. Only the client of a known document counts: the page itself looks into
        // frames of its origin.
        let Some(known) = self.contexts.get(&context) else { return };
        let message = &*without_mark(message);
        if frames::is_hello(message) {
            if BROWSERS_OWN.iter().any(|scheme| known.origin.starts_with(scheme)) {
                return;
            }
            let origin = self.origin_of(known);
            return self.join(context, &origin, message);
        }
        let is_sender = |document: &&mut Joined| document.context == context && !document.barred;
        let Some(document) = self.document.as_mut().filter(is_sender) else { return };
        if message.is_empty() {
            // The client leaves. A later document may stay in the back/forward cache and come back with its client.
            self.left = (self.url.is_empty() || self.url.starts_with("about:")).then_some(context);
            self.part();
        } else if message == HANDS_WANTED {
            self.want_hands();
        } else if let Err(close) = document.receive(Half::Page, message) {
            self.closed(&close);
        }
    }

    /// Passes on a request of the driver itself.
    pub(super) fn ask(&mut self, question: String) {
        if let Err(error) = self.pass_to(Half::Hands, question)
            && let Some(document) = &self.document
        {
            document.client.fail(&verbs::refusal(&error));
        }
    }

    /// Handles a message of the second half. The driver makes input for no other.
    pub(super) fn receive_from_hands(&mut self, message: &str) {
        let message = &*without_mark(message);
        if message.starts_with(r#"{"input""#) {
            return self.input(message);
        }
        if let Some(message) = message.strip_prefix(FOR_PAGE) {
            let owed = self.document.as_mut().map(|document| &mut document.owed);
            if let Some(message) = owed.and_then(|owed| owed.hand_on(Half::Hands, Half::Page, message)) {
                self.hand(Half::Page, message.into_owned());
            }
            return;
        }
        let Some(document) = &mut self.document else { return };
        if let Err(close) = document.receive(Half::Hands, message) {
            self.closed(&close);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::client::Client;
    use crate::drive::owed::Owed;
    use eye_protocol::local::{Later, LocalPage};
    use eye_protocol::messages::ShownIn;
    use std::sync::{Arc, Mutex};
    use tokio::sync::mpsc;

    /// Records the messages to the hub.
    #[derive(Debug, Default)]
    struct Hub(Mutex<Vec<String>>);

    impl Hub {
        fn taken(&self) -> Vec<String> {
            std::mem::take(&mut *self.0.lock().unwrap())
        }
    }

    impl LocalPage for Hub {
        fn receive(&self, message: &str) -> Result<(), Close> {
            self.0.lock().unwrap().push(message.to_owned());
            Ok(())
        }

        fn receive_binary(&self, message: &[u8]) -> Result<(), Close> {
            self.receive(&String::from_utf8_lossy(message))
        }

        fn is_barred(&self) -> bool {
            false
        }

        fn is_shown_in(&self, _: ShownIn) {}

        fn next(&self) -> Later<'_, Result<Vec<String>, Close>> {
            Box::pin(std::future::pending())
        }
    }

    /// A document that must answer a `page/look` and a tool call.
    fn joined(acting: Half, questions: mpsc::UnboundedSender<String>) -> (Joined, Arc<Hub>) {
        let hub = Arc::new(Hub::default());
        let mut owed = Owed::default();
        owed.add(acting, "7".into());
        owed.add(Half::Page, "8".into());
        let document = Joined {
            context: 1,
            client: Client::new(questions),
            hands: Hands::Absent,
            welcome: None,
            pings: vec![r#""ping""#.into()],
            link: hub.clone(),
            session: "tab".into(),
            owed,
            acting,
            warned: false,
            barred: false,
        };
        (document, hub)
    }

    fn binary(message: &str) -> String {
        format!("{BINARY}{}", STANDARD.encode(message))
    }

    #[tokio::test]
    async fn the_half_in_the_pages_world_answers_neither_calls_nor_questions_of_the_other() {
        let (sender, mut questions) = mpsc::unbounded_channel();
        let (mut document, hub) = joined(Half::Hands, sender);
        let client = document.client.clone();
        let asking = tokio::spawn(async move { client.ask("page/where", &json!({})).await });
        assert!(questions.recv().await.unwrap().contains(r#""id":"d1""#));

        document.receive(Half::Page, r#"["7:forged","d1:forged"]"#).unwrap();
        document.receive(Half::Page, &binary("7 text/plain\nforged")).unwrap();
        assert_eq!(hub.taken(), [""; 0]);
        assert!(document.warned);
        // Neither half may answer for the other, but each may send its own.
        document.receive(Half::Hands, &binary("8 text/plain\nx")).unwrap();
        document.receive(Half::Page, &binary("8 text/plain\ntrue")).unwrap();
        document.receive(Half::Hands, r#"["d1:there","7:true"]"#).unwrap();
        assert_eq!(hub.taken(), ["8 text/plain\ntrue", r#"["7:true"]"#]);
        assert_eq!(asking.await.unwrap(), Ok(eye_protocol::Value::Text("there".into())));
        let pong = r#"[{"jsonrpc":"2.0","id":"ping","result":{"pong":true}}]"#;
        document.receive(Half::Page, pong).unwrap();
        assert_eq!((hub.taken(), document.pings.len()), (vec![pong.to_owned()], 0));
    }

    #[tokio::test]
    async fn a_client_in_one_piece_answers_everything() {
        let (sender, mut questions) = mpsc::unbounded_channel();
        let (mut document, hub) = joined(Half::Page, sender);
        let client = document.client.clone();
        let asking = tokio::spawn(async move { client.ask("page/where", &json!({})).await });
        assert!(questions.recv().await.is_some());
        document.receive(Half::Page, r#"["7:true","d1:there","8:1"]"#).unwrap();
        assert_eq!(hub.taken(), [r#"["7:true","8:1"]"#]);
        assert!(asking.await.unwrap().is_ok() && !document.warned);
    }
}
