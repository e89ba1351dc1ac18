//! The decisions of a hub in a cluster: which hub holds which session, which calls are pending, which hubs are alive. A
//! function of time and event, without NATS: [`Core::on`] takes an event and returns the actions that follow.

mod calls;
mod claiming;
mod directory;
mod event;
mod former;
mod hubs;
mod judging;
mod lasting;
mod moving;
mod passing;
mod passing_along;
mod recalling;
mod seeking;
mod seeks;
mod state;
mod tokens;
mod topics;

pub use event::{
    Action, BEAT_MS, DEAD_AFTER_MS, Event, FORGET_AFTER_MS, Life, Looked, SEND_ON_BYTES_MAX, StatesAction,
    TokensAction, TokensEvent,
};
pub use state::Core;

use eye_core::{Input, Millis};

impl Core {
    /// Handles an event and appends the actions that follow.
    pub fn on(&mut self, now: Millis, event: Event, out: &mut Vec<Action>) {
        match event {
            Event::Starts => self.start_reading(now, out),
            Event::Up => {
                self.up_since = Some(now);
                self.heard_itself_at = now;
                self.hubs.link_is_up(now);
                self.topics.link_changes(out);
                self.write_all(out);
            }
            Event::Down => self.down(now, out),
            Event::Reading => self.directory.begin(),
            Event::Read => self.directory_read(out),
            Event::Entry { session, row, revision } => self.entry(now, session, row, revision, out),
            Event::Stored { session, row, revision } => self.stored(&session, row, revision, out),
            Event::Beat { name, life } => self.beat(now, name, &life, out),
            Event::Bye { life } => self.hub_ended(now, &life, &[], out),
            Event::Frame { from, frame } => self.frame(now, from, frame, out),
            Event::NoResponders { life, calls } => self.hub_ended(now, &life, &calls, out),
            Event::PassOn(passed) => self.pass_on(now, *passed, out),
            Event::Cancel { agent, forms } => self.calls.cancel(agent, &forms, out),
            Event::AgentLeft { agent } => self.calls.agent_left(agent, out),
            Event::Rows(rows) => self.rows(rows, out),
            Event::Interests(changed) => self.topics.change(changed, out),
            Event::HandOver(handover) => self.hand_over(handover, out),
            Event::Unsent(handover) => self.unsent(handover, out),
            Event::Publish { hubs, message } => self.publish(&hubs, *message, out),
            Event::Lasting(lasting) => self.lasting(lasting, out),
            Event::Recalled(recalled) => out.push(Action::Feed(Input::Recalled(recalled))),
            Event::MailGiven(given) => out.push(Action::Feed(Input::MailGiven(given))),
            Event::LookUp { word } => self.look_up(now, word, out),
            Event::LookedUp { look_up, session, found } => self.looked_up(now, look_up, &session, found, out),
            Event::Tokens(event) => self.tokens.on(event, out),
            Event::Tick => self.tick(now, out),
        }
    }

    fn down(&mut self, now: Millis, out: &mut Vec<Action>) {
        if self.up_since.take().is_none() {
            return;
        }
        self.directory.link_is_down();
        self.nothing_passes();
        self.seeks.link_is_down(out);
        self.tokens.link_is_down();
        self.topics.link_changes(out);
        self.end_everything(now, out);
    }

    fn end_everything(&mut self, now: Millis, out: &mut Vec<Action>) {
        for call in self.calls.all() {
            self.calls.end(now, call, &calls::link_lost(), out);
        }
        // The other hubs have ended their requests to this hub, or will do so now.
        let lives = self.hubs.all();
        out.extend(lives.into_iter().map(|from| Action::Leave { from, agent: None }));
    }

    /// This hub hung: the other hubs took it for dead, and it received nothing from them. So their silence does not
    /// count.
    fn hung(&mut self, now: Millis, out: &mut Vec<Action>) {
        self.up_since = self.up_since.map(|_| now);
        self.hubs.link_is_up(now);
        // The other hubs learn by this that their agents were disconnected here.
        self.topics.link_changes(out);
        self.end_everything(now, out);
    }

    fn tick(&mut self, now: Millis, out: &mut Vec<Action>) {
        match self.ticked_at.replace(now).map_or(0, |before| now - before) {
            DEAD_AFTER_MS.. => self.hung(now, out),
            // A busy machine slowed the other hubs on it down too, or their heartbeats are still unread in the queue.
            passed if passed > BEAT_MS => self.hubs.excuse(now, passed - BEAT_MS),
            _ => {}
        }
        for call in self.calls.expired(now) {
            self.calls.end(now, call, &calls::silent(), out);
        }
        self.pass_along_overdue(now, out);
        self.give_up_reading(now, out);
        self.seeks.tick(now, out);
        self.ask_hubs(out);
        // Judges no hub without a link, nor before it could have sent heartbeats for a whole period.
        let Some(up_since) = self.up_since else { return };
        // A hub that does not receive its own heartbeat would not receive those of others either: the server hangs, or
        // the network is cut.
        if now >= self.heard_itself_at + 2 * BEAT_MS {
            return;
        }
        for life in self.hubs.silent(now, up_since) {
            self.hub_ended(now, &life, &[], out);
        }
        self.tidy(now, out);
    }

    /// Removes the entries of hubs that have been dead for long. One hub does this for all.
    fn tidy(&mut self, now: Millis, out: &mut Vec<Action>) {
        let is_first = self.hubs.is_first(&self.life);
        let mut reads_again = self.directory.has_become_empty(&self.life);
        for life in self.hubs.long_dead(now) {
            let is_partial = is_first && self.directory.is_partial;
            if is_first && (is_partial || self.directory.entries.held_by(&life) > 0) && self.hubs.tidy(&life) {
                self.directory.remove_all_of(&life, out);
                // Entries that are not kept here are read once more, and removed then.
                reads_again |= is_partial;
            } else if self.directory.is_read && self.directory.entries.held_by(&life) == 0 {
                self.hubs.forget(&life);
            }
        }
        if reads_again && self.directory.is_read {
            self.directory.begin();
            out.push(Action::ReadDirectory);
        }
    }
}
