//! Requests for pages of other hubs that are not listed here: such a request waits until its word has been looked up,
//! so that no answer is based on an incomplete list.

use crate::effect::Effect;
use crate::ids::{Conn, Millis};
use crate::input::Input;
use crate::switchboard::Switchboard;
use crate::task::{Reply, ReplyForm};
use eye_protocol::compact::Form;
use eye_protocol::limits::NAME_BYTES_MAX;
use eye_protocol::messages::Presence;
use eye_protocol::{Code, Error, SessionId};

const DID_NOT_RUN: &str = "the request did not run; repeat it";

impl Switchboard {
    /// Lets a request wait whose page may be unlisted. `Some`: the request need not wait.
    pub(crate) fn unless_unlisted(&mut self, now: Millis, mut input: Input, out: &mut Vec<Effect>) -> Option<Input> {
        if !self.elsewhere.partial {
            return Some(input);
        }
        let Some(word) = self.unlisted(now, &input) else { return Some(input) };
        if let Input::Ask { agent, form: Some(form @ ReplyForm::Compact(Form::Bare)), .. } = &mut input
            && let Some(known) = self.agents.get_mut(agent)
        {
            *form = ReplyForm::Place(known.order.reserve());
        }
        if !self.elsewhere.lookups.has_room(&word, &input) {
            let error = Error::new(Code::CONNECTION, "too many pages are looked up at once");
            self.refuse(&input, &error.hint(DID_NOT_RUN), out);
            return None;
        }
        if self.elsewhere.lookups.put(now, &word, input) {
            out.push(Effect::LookUp { word });
        }
        None
    }

    /// Whether all pages of other hubs are listed. If not, unlisted pages have to be looked up.
    pub fn lists_all(&self) -> bool {
        !self.elsewhere.partial
    }

    /// The word that has to be looked up for a request, if any.
    fn unlisted(&self, now: Millis, input: &Input) -> Option<Box<str>> {
        let (agent, page) = input.page_request()?;
        let word = self.word(agent, page)?;
        // Other hubs know no page by a longer word.
        let is_known = word.len() > NAME_BYTES_MAX
            || self.names.given.contains_key(&*word)
            || self.elsewhere.called(&word).any(|page| self.sees_origin(agent, &page.origin))
            || SessionId::parse(&word).is_some_and(|id| self.is_listed(&id))
            || self.elsewhere.was_looked_up(now, &word);
        (!is_known).then_some(word)
    }

    /// Whether this hub knows where the page of a session is.
    fn is_listed(&self, session: &SessionId) -> bool {
        let here = self.presence(session).is_some_and(|presence| presence != Presence::Gone);
        here || self.elsewhere.get(session).is_some()
    }

    /// The word by which a request finds its page. Empty: it names none, so the only page is meant.
    fn word(&self, agent: Conn, page: Option<&str>) -> Option<Box<str>> {
        let known = self.agents.get(&agent)?;
        let last = || self.last_used_by(known).map(|page| page.session.as_str());
        Some(page.or(known.target.as_deref()).or_else(last).unwrap_or_default().into())
    }

    /// The lookup of a word has ended: continues the requests that waited for it.
    pub(crate) fn looked_up(&mut self, now: Millis, word: &str, known: bool, out: &mut Vec<Effect>) {
        if known {
            self.elsewhere.is_looked_up(now, word);
        }
        let requests = self.elsewhere.lookups.take(word);
        self.go_on_with(now, word, requests, known, out);
    }

    fn go_on_with(&mut self, now: Millis, word: &str, requests: Vec<Input>, known: bool, out: &mut Vec<Effect>) {
        let unknown = || {
            let message = format!("it is not known whether another hub holds `{word}`: the directory does not answer");
            Error::new(Code::CONNECTION, message).hint(DID_NOT_RUN)
        };
        for mut request in requests {
            // What names no page concerns the pages here, as long as no others are known.
            if !known && !word.is_empty() {
                self.refuse(&request, &unknown(), out);
                continue;
            }
            // The agent may have chosen another page meanwhile.
            let named = request.page_request().and_then(|(agent, page)| self.word(agent, page));
            if named.as_deref() != Some(word) && !word.is_empty() {
                request.bind(word);
            }
            let Some(request) = self.behind_work(request, out) else { continue };
            let Some(request) = self.unless_recalled(now, request, out) else { continue };
            self.go_on(now, request, out);
        }
    }

    /// Refuses the requests whose lookup takes too long.
    pub(crate) fn tick_lookups(&mut self, now: Millis, out: &mut Vec<Effect>) {
        for (word, requests) in self.elsewhere.lookups.overdue(now) {
            self.go_on_with(now, &word, requests, false, out);
        }
    }

    /// Ends a request that was not begun, with an error.
    pub(crate) fn refuse(&mut self, request: &Input, error: &Error, out: &mut Vec<Effect>) {
        let Some(reply) = request.reply() else { return };
        if matches!(request, Input::Ask { .. }) {
            self.ended(reply, Err(error.clone()), None, out);
        } else {
            out.push(Effect::Result { reply, result: Err(error.clone()) });
        }
    }

    /// Cancels a request of an agent that waits for a recall or a lookup.
    pub(crate) fn cancel_lookups(&mut self, agent: Conn, forms: &[ReplyForm], out: &mut Vec<Effect>) {
        if self.outliving.recalls.len() + self.elsewhere.lookups.len() == 0 {
            return;
        }
        let error = Error::new(Code::CANCELLED, "cancelled");
        for form in forms {
            let reply = Reply { agent, form: form.clone() };
            let mut taken = self.outliving.recalls.take_of(agent, Some(&reply));
            taken.extend(self.elsewhere.lookups.take_of(agent, Some(&reply)));
            for request in &taken {
                self.refuse(request, &error, out);
            }
        }
    }

    /// An agent leaves, or the hub is ending: ends what waits for a recall or a lookup, with an error if it can still
    /// be sent.
    pub(crate) fn stop_lookups(&mut self, agent: Option<Conn>, error: Option<&Error>, out: &mut Vec<Effect>) {
        let taken = match agent {
            Some(agent) => {
                let recalls = self.outliving.recalls.take_of(agent, None);
                recalls.into_iter().chain(self.elsewhere.lookups.take_of(agent, None)).collect::<Vec<_>>()
            }
            None => self.outliving.recalls.stop().into_iter().chain(self.elsewhere.lookups.stop()).collect(),
        };
        let Some(error) = error else { return };
        for request in &taken {
            self.refuse(request, error, out);
        }
    }
}
