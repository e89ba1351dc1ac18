//! The two halves of a document's page client: the one in the page's own world, and the one that looks and acts, in a
//! world in which nothing of the page's code runs. The second is made when it is first needed.

use super::{FRAME, Hands, Joined, Tab};
use crate::drive::frames::{self, Half};
use crate::drive::owed::Heard;
use crate::drive::script::WORLD;
use crate::drive::sign::without_mark;
use crate::drive::verbs;
use crate::error::CommandError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use eye_protocol::close::Close;
use eye_protocol::rpc;
use serde_json::json;

/// How the second half says that a message is for the first.
const FOR_PAGE: &str = ">";

/// How the first half asks for the second.
const HANDS_WANTED: &str = "+";

/// How bytes begin, which follow in base64.
const BINARY: &str = "#";

/// Pages of the browser itself, which are not an agent's.
const BROWSERS_OWN: [&str; 6] =
    ["chrome://", "chrome-untrusted://", "chrome-extension://", "devtools://", "edge://", "brave://"];

/// Messages that wait for the second half. A page whose thread is busy for long may be asked much meanwhile.
const WAITING_LEN_MAX: usize = 1_024;

impl Joined {
    /// A half of the client says something to the hub, or to the driver. What it has no part in is dropped: the half in
    /// the page's own world says what the page wants.
    fn heard(&mut self, half: Half, message: &str) -> Result<(), Close> {
        let (heard, foreign) = if let Some(text) = message.strip_prefix(BINARY) {
            let Ok(bytes) = STANDARD.decode(text) else { return Ok(()) };
            let Heard { rest, foreign } = self.owed.hear_binary(half, &bytes);
            (rest.map_or(Ok(()), |bytes| self.link.hear_binary(bytes)), foreign)
        } else {
            if !self.pings.is_empty() {
                let answered = frames::answered(message);
                self.pings.retain(|ping| !answered.iter().any(|id| id == ping.trim_matches('"')));
            }
            let left = if half == self.acting { self.client.take(message) } else { Some(message.into()) };
            let Some(message) = left else { return Ok(()) };
            let Heard { rest, foreign } = self.owed.hear(half, &message);
            (rest.map_or(Ok(()), |message| self.link.hear(&message)), foreign)
        };
        if let Some(call) = foreign
            && !std::mem::replace(&mut self.warned, true)
        {
            let session = &self.session;
            tracing::warn!(
                session,
                call,
                ?half,
                "a page's client spoke of a call in place of its other half: not heard"
            );
        }
        heard
    }
}

impl Tab {
    /// The hub has something for the document.
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

    /// The hub gives a call up: no half owes it any more, and what the browser looked up for it is not gone on with.
    fn give_up(&mut self, id: &str) {
        self.undecided.remove(id);
        self.going.retain(|own| own.id != id);
        if let Some(document) = &mut self.document {
            document.owed.give_up(id);
        }
    }

    /// The half that does what is for this one: a client in one piece is all of it.
    pub(super) fn half(&self, half: Half) -> Half {
        if self.names.hands { half } else { Half::Page }
    }

    /// Notes a call that a half is handed: it alone may answer.
    pub(super) fn owe(&mut self, half: Half, id: String) {
        let half = self.half(half);
        if let Some(document) = &mut self.document {
            document.owed.add(half, id);
        }
    }

    /// Hands a message to the document, which owes answers to its calls.
    pub(super) fn hand(&mut self, half: Half, message: String) {
        if let Err(error) = self.pass_to(half, message) {
            self.fail(&verbs::refusal(&error));
            // The browser itself shows the dialog: the page is there, and can say nothing.
            if matches!(error, CommandError::Dialog(_)) {
                self.pong_all();
            }
        } else if self.loading {
            self.pong_all();
        }
    }

    /// Answers for a page that is there and does not.
    pub(super) fn pong(&self, id: &str) {
        if let Some(document) = &self.document {
            let _ = document.link.hear(&format!("[{}]", rpc::response(id, Ok(r#"{"pong":true}"#))));
        }
    }

    fn pong_all(&mut self) {
        let pings = self.document.as_mut().map(|document| std::mem::take(&mut document.pings));
        for id in pings.unwrap_or_default() {
            self.pong(&id);
        }
    }

    /// A document has run what it was told: it is alive, whatever its page has made of the client in its own world.
    pub(super) fn is_alive(&mut self, context: i64) {
        if self.document.as_ref().is_some_and(|document| document.context == context) {
            self.pong_all();
        }
    }

    /// Hands a message to the page client.
    pub(super) fn tell(&self, message: &str) -> Result<(), CommandError> {
        self.document.as_ref().map_or(Ok(()), |document| self.tell_in(document.context, message))
    }

    /// The same to the half in a context. What that answers at once is the command's result; the rest comes by the
    /// binding.
    fn tell_in(&self, context: i64, message: &str) -> Result<(), CommandError> {
        let (method, asked) = self.names.telling(context, message);
        self.session.note(method, &asked, context)
    }

    /// Whether the second half of the document is in this context.
    pub(super) fn are_hands(&self, context: i64) -> bool {
        let there = |document: &Joined| matches!(document.hands, Hands::There(hands) if hands == context);
        self.document.as_ref().is_some_and(there)
    }

    /// Hands a message to a half, in the order of what is handed to both.
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
                self.tell_in(context, &message)
            }
            (Hands::There(context), Half::Both) => {
                let context = *context;
                self.tell_in(context, &message)?;
                self.tell(&message)
            }
            (Hands::Absent, Half::Both) | (_, Half::Page) => self.tell(&message),
        }
    }

    /// The first half needs the second, for the page's own code or an agent's.
    pub(super) fn want_hands(&mut self) {
        if self.document.as_ref().is_some_and(|document| matches!(document.hands, Hands::Absent)) {
            // A page that shows a dialog is answered when it asks again.
            let _ = self.make_hands();
        }
    }

    fn make_hands(&mut self) -> Result<(), CommandError> {
        if let Some(dialog) = self.session.dialog() {
            return Err(CommandError::Dialog(dialog));
        }
        let Some(document) = &mut self.document else { return Ok(()) };
        let asked = json!({ "frameId": self.target, "worldName": WORLD });
        // Its result comes among the events: if the document has gone before it was made, that is known by then.
        self.session.note("Page.createIsolatedWorld", &asked, document.context)?;
        document.hands = Hands::Making(Vec::new());
        Ok(())
    }

    /// The world for the second half of the document in `page` is there.
    pub(super) fn hands_begin(&mut self, page: i64, context: i64) {
        let Some(document) = self.document.as_mut().filter(|document| document.context == page) else { return };
        if !matches!(document.hands, Hands::Making(_)) {
            return;
        }
        let before = std::mem::replace(&mut document.hands, Hands::There(context));
        let welcome = document.welcome.clone();
        let asked = json!({ "expression": self.names.hands_source(), "contextId": context, "silent": true });
        let _ = self.session.send("Runtime.evaluate", &asked);
        if let Some(number) = &self.number {
            self.tell_hands(&format!("{FRAME}{}", number.label()));
        }
        if let Some(welcome) = welcome {
            self.tell_hands(&welcome);
        }
        if let Hands::Making(waiting) = before {
            for (half, message) in waiting {
                self.hand(half, message);
            }
        }
    }

    /// A context is gone, which may be that of the second half alone.
    pub(super) fn hands_left(&mut self, context: i64) {
        if self.are_hands(context)
            && let Some(document) = &mut self.document
        {
            document.hands = Hands::Absent;
        }
    }

    /// Tells the second half, if there is one.
    pub(super) fn tell_hands(&self, message: &str) {
        if let Some(Hands::There(context)) = self.document.as_ref().map(|document| &document.hands) {
            // A page that shows a dialog hears nothing; its calls have been told.
            let _ = self.tell_in(*context, message);
        }
    }

    /// The page client of a document says something.
    pub(super) fn said(&mut self, context: i64, message: &str) {
        if self.are_hands(context) {
            return self.hands_said(message);
        }
        // The function is in every frame; those of the same origin are the page's own to look into.
        let Some(known) = self.contexts.get(&context) else { return };
        let message = &*without_mark(message);
        if frames::is_hello(message) {
            if BROWSERS_OWN.iter().any(|scheme| known.origin.starts_with(scheme)) {
                return;
            }
            let origin = self.origin_of(known);
            return self.join(context, &origin, message);
        }
        let said_by = |document: &&mut Joined| document.context == context && !document.barred;
        let Some(document) = self.document.as_mut().filter(said_by) else { return };
        if message.is_empty() {
            // A later document may be kept and come back, with its client.
            self.left = (self.url.is_empty() || self.url.starts_with("about:")).then_some(context);
            self.part();
        } else if message == HANDS_WANTED {
            self.want_hands();
        } else if let Err(close) = document.heard(Half::Page, message) {
            self.closed(&close);
        }
    }

    /// A question of the driver's own.
    pub(super) fn ask(&mut self, question: String) {
        if let Err(error) = self.pass_to(Half::Hands, question)
            && let Some(document) = &self.document
        {
            document.client.fail(&verbs::refusal(&error));
        }
    }

    /// The second half says something. The driver makes input for no other.
    pub(super) fn hands_said(&mut self, message: &str) {
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
        if let Err(close) = document.heard(Half::Hands, message) {
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

    /// Keeps what the hub hears.
    #[derive(Debug, Default)]
    struct Hub(Mutex<Vec<String>>);

    impl Hub {
        fn heard(&self) -> Vec<String> {
            std::mem::take(&mut *self.0.lock().unwrap())
        }
    }

    impl LocalPage for Hub {
        fn hear(&self, message: &str) -> Result<(), Close> {
            self.0.lock().unwrap().push(message.to_owned());
            Ok(())
        }

        fn hear_binary(&self, message: &[u8]) -> Result<(), Close> {
            self.hear(&String::from_utf8_lossy(message))
        }

        fn is_barred(&self) -> bool {
            false
        }

        fn is_shown_in(&self, _: ShownIn) {}

        fn next(&self) -> Later<'_, Result<Vec<String>, Close>> {
            Box::pin(std::future::pending())
        }
    }

    /// A document that owes a look and a tool's call.
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
        let (sender, mut asked) = mpsc::unbounded_channel();
        let (mut document, hub) = joined(Half::Hands, sender);
        let client = document.client.clone();
        let asking = tokio::spawn(async move { client.ask("page/where", &json!({})).await });
        assert!(asked.recv().await.unwrap().contains(r#""id":"d1""#));

        document.heard(Half::Page, r#"["7:forged","d1:forged"]"#).unwrap();
        document.heard(Half::Page, &binary("7 text/plain\nforged")).unwrap();
        assert_eq!(hub.heard(), [""; 0]);
        assert!(document.warned);
        // Neither is the other way, and what is its own it says.
        document.heard(Half::Hands, &binary("8 text/plain\nx")).unwrap();
        document.heard(Half::Page, &binary("8 text/plain\ntrue")).unwrap();
        document.heard(Half::Hands, r#"["d1:there","7:true"]"#).unwrap();
        assert_eq!(hub.heard(), ["8 text/plain\ntrue", r#"["7:true"]"#]);
        assert_eq!(asking.await.unwrap(), Ok(eye_protocol::Value::Text("there".into())));
        let pong = r#"[{"jsonrpc":"2.0","id":"ping","result":{"pong":true}}]"#;
        document.heard(Half::Page, pong).unwrap();
        assert_eq!((hub.heard(), document.pings.len()), (vec![pong.to_owned()], 0));
    }

    #[tokio::test]
    async fn a_client_in_one_piece_answers_everything() {
        let (sender, mut asked) = mpsc::unbounded_channel();
        let (mut document, hub) = joined(Half::Page, sender);
        let client = document.client.clone();
        let asking = tokio::spawn(async move { client.ask("page/where", &json!({})).await });
        assert!(asked.recv().await.is_some());
        document.heard(Half::Page, r#"["7:true","d1:there","8:1"]"#).unwrap();
        assert_eq!(hub.heard(), [r#"["7:true","8:1"]"#]);
        assert!(asking.await.unwrap().is_ok() && !document.warned);
    }
}
