//! The two halves of a document's page client: the one in the page's own world, and the one that looks and acts, in a
//! world in which nothing of the page's code runs. The second is made when it is first needed.

use super::{FRAME, Hands, Joined, Tab};
use crate::drive::frames::{self, Half};
use crate::drive::script::WORLD;
use crate::drive::sign::without_mark;
use crate::drive::verbs;
use crate::error::CommandError;
use eye_protocol::close::Close;
use eye_protocol::rpc;
use serde_json::json;

/// How the second half says that a message is for the first.
const FOR_PAGE: &str = ">";

/// Messages that wait for the second half. A page whose thread is busy for long may be asked much meanwhile.
const WAITING_LEN_MAX: usize = 1_024;

impl Joined {
    /// The client says something to the hub, or to the driver.
    pub(super) fn heard(&mut self, message: &str) -> Result<(), Close> {
        self.owed.settle(message);
        if !self.pings.is_empty() {
            let answered = frames::answered(message);
            self.pings.retain(|ping| !answered.iter().any(|id| id == ping.trim_matches('"')));
        }
        self.client.take(message.to_owned()).map_or(Ok(()), |rest| self.link.hear(&rest))
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
        if let Some(document) = &mut self.document {
            document.owed.add(sorted.ids);
            document.pings.extend_from_slice(&sorted.pings);
            document.welcome = sorted.welcome.or(document.welcome.take());
        }
        for (half, message) in sorted.for_page {
            self.hand(half, message);
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
        let (method, asked) = self.names.telling(context, message, true);
        self.session.note(method, &asked, context)
    }

    /// Whether the second half of the document is in this context.
    pub(super) fn are_hands(&self, context: i64) -> bool {
        let there = |document: &Joined| matches!(document.hands, Hands::There(hands) if hands == context);
        self.document.as_ref().is_some_and(there)
    }

    /// Hands a message to a half, in the order of what is handed to both.
    pub(super) fn pass_to(&mut self, half: Half, message: String) -> Result<(), CommandError> {
        // A client in one piece is all of it.
        let half = if self.names.hands { half } else { Half::Page };
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
            return self.hand(Half::Page, message.to_owned());
        }
        let Some(document) = &mut self.document else { return };
        if let Err(close) = document.heard(message) {
            self.closed(&close);
        }
    }
}
