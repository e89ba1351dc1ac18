//! Handles the outcomes of a session: passes effects on, routes endings to their askers, notifies joined agents.

use crate::effect::Effect;
use crate::ids::{CallId, Conn, Millis};
use crate::lasting::{GivenMail, Lasting};
use crate::session_event::{Event, Outcome};
use crate::switchboard::Switchboard;
use crate::task::{Asker, News, Reply, ReplyForm};
use crate::work::Lane;
use eye_protocol::compact::Form;
use eye_protocol::messages::Presence;
use eye_protocol::{Ending, SessionId};

impl Switchboard {
    /// The hot path. An answer makes no deadline earlier, so no timer is set again.
    pub(crate) fn page_answered(
        &mut self,
        now: Millis,
        page: Conn,
        call: CallId,
        ending: Ending,
        out: &mut Vec<Effect>,
    ) {
        // Answers of a replaced page are ignored.
        let Some(session) = self.pages.get(&page) else { return };
        let mut outcomes = std::mem::take(&mut self.outcomes);
        if let Some(held) = self.sessions.get_mut(session) {
            held.answered(now, page, call, ending, &mut outcomes);
        }
        let more =
            |outcome: &Outcome| matches!(outcome, Outcome::State { .. } | Outcome::Work { .. } | Outcome::Later(_));
        if outcomes.iter().any(more) {
            let session = session.clone();
            self.follow(now, &session, outcomes, out);
            self.account(&session);
            return;
        }
        for outcome in outcomes.drain(..) {
            self.follow_one(now, outcome, out);
        }
        self.outcomes = outcomes;
    }

    pub(crate) fn page_on(&mut self, now: Millis, page: Conn, event: Event, out: &mut Vec<Effect>) {
        if let Some(session) = self.pages.get(&page).cloned() {
            self.session_on(now, &session, event, out);
        }
    }

    pub(crate) fn session_on(&mut self, now: Millis, session: &SessionId, event: Event, out: &mut Vec<Effect>) {
        let mut outcomes = std::mem::take(&mut self.outcomes);
        let Some(held) = self.sessions.get_mut(session) else { return };
        let lists = event.changes_row();
        let (before, offers) = (held.presence(), held.offers());
        held.on(now, event, &mut outcomes);
        let after = held.presence();
        self.known_changed |= offers != held.offers();
        if lists {
            self.row_changed(session);
        }
        self.arm(session);
        self.follow(now, session, outcomes, out);
        self.account(session);
        match (before, after) {
            (Presence::Connected, Presence::Away | Presence::Gone) => self.tell_members(session, &News::PageGone, out),
            (Presence::Away | Presence::Gone, Presence::Connected) => self.tell_members(session, &News::PageBack, out),
            _ => {}
        }
    }

    pub(crate) fn follow(
        &mut self,
        now: Millis,
        session: &SessionId,
        mut outcomes: Vec<Outcome>,
        out: &mut Vec<Effect>,
    ) {
        let mut later = Vec::new();
        for outcome in outcomes.drain(..) {
            match outcome {
                Outcome::State { revision, news } => {
                    if self.sessions.get_mut(session).is_some_and(|held| held.tells_later(now)) {
                        self.arm(session);
                    } else {
                        self.tell_watchers(session, revision, &news, out);
                    }
                    self.state_changed(now, session);
                }
                Outcome::Tools => {
                    if self.members.contains_key(session) && self.tools_news.is_due(now, session) {
                        self.tell_tools(session, out);
                    }
                }
                Outcome::Work { work, then } => {
                    self.begin_work(now, Lane::Session(session.clone()), work, then, out);
                }
                Outcome::Later(input) => later.push(input),
                Outcome::MailGiven { reply, result } => {
                    let given = GivenMail { session: session.clone(), reply, result };
                    out.push(Effect::Lasting(Lasting::Given(Box::new(given))));
                }
                Outcome::Effect(effect) => out.push(effect),
                Outcome::Ended { .. } => self.follow_one(now, outcome, out),
            }
        }
        self.outcomes = outcomes;
        for input in later {
            // The input before may have begun work.
            if let Some(input) = self.behind_work(input, out) {
                self.handle(now, input, out);
            }
        }
    }

    pub(crate) fn follow_one(&mut self, now: Millis, outcome: Outcome, out: &mut Vec<Effect>) {
        match outcome {
            Outcome::Effect(effect) => out.push(effect),
            Outcome::Tools
            | Outcome::State { .. }
            | Outcome::Work { .. }
            | Outcome::MailGiven { .. }
            | Outcome::Later(_) => {}
            Outcome::Ended { asker, ending, asked_at, delta } => {
                self.tally.ended(ending.as_ref().err().map(|error| error.code), now.saturating_sub(asked_at));
                if let Some(known) = asker.agent().and_then(|agent| self.agents.get_mut(&agent)) {
                    known.in_flight = known.in_flight.saturating_sub(1);
                }
                match asker {
                    Asker::Agent(reply) => self.ended(reply, ending, delta, out),
                    Asker::Framed { outline, at, .. } => self.part_ended(now, (outline, at), ending, delta, out),
                    Asker::Batch { batch, at, .. } => self.batch_ended(batch, at, ending, out),
                    Asker::Shelf { name, id, .. } => {
                        if let Some(memory) = self.memories.get_mut(&name) {
                            let before = memory.shelf.bytes();
                            memory.shelf.put(now, &id, ending, &mut self.deliveries);
                            let (after, wake) = (memory.shelf.bytes(), memory.shelf.next_wake());
                            self.shelf_changed(wake, out);
                            self.account_shelf(before, after);
                        }
                    }
                    Asker::State { .. } | Asker::Fired { .. } => {}
                }
            }
        }
    }

    pub(crate) fn ended(&mut self, reply: Reply, ending: Ending, delta: Option<Box<str>>, out: &mut Vec<Effect>) {
        let ReplyForm::Place(place) = reply.form else {
            out.push(Effect::Ended { reply, ending, delta });
            return;
        };
        let Some(known) = self.agents.get_mut(&reply.agent) else { return };
        for ending in known.order.fill(place, ending) {
            let reply = Reply { agent: reply.agent, form: ReplyForm::Compact(Form::Bare) };
            out.push(Effect::Ended { reply, ending, delta: None });
        }
    }

    /// Sends what a changed shelf delivers, and schedules its next wake. A wake that is too early does no harm.
    pub(crate) fn shelf_changed(&mut self, wake: Option<Millis>, out: &mut Vec<Effect>) {
        self.shelves_wake = self.shelves_wake.into_iter().chain(wake).min();
        out.extend(self.deliveries.drain(..).map(|(reply, result)| Effect::Result { reply, result }));
    }
}
