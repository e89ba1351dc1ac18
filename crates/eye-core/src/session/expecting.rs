//! What is expected of a page, and the requests that wait for it: tools and state that it has not offered yet, the
//! document that it is leaving for, the end of a dialog that stops it.

use super::expected::{Expecting, Stopped, Wanted};
use super::{PageStatus, Session};
use crate::calls::Phase;
use crate::effect::Effect;
use crate::ids::{Conn, Millis, earlier};
use crate::input::Input;
use crate::known::Known;
use crate::session_event::Outcome;
use crate::state::State;
use crate::task::{Asker, Mode, Reply};
use crate::then::Then;
use crate::work::Work;
use eye_protocol::limits::{
    ARRIVAL_LOOK_MS, DIALOG_MS, LEAVING_MS, OFFER_MS, SESSION_CALLS_MAX, SESSION_WAITING_BYTES_MAX,
};
use eye_protocol::messages::PageInfo;
use eye_protocol::page_hint::quoted;
use eye_protocol::{Code, Error};

impl Session {
    /// What a hub remembers of the session across a restart.
    pub(crate) fn known(&self) -> Known {
        let Expecting { had_tools: tools, had_state: state, .. } = self.expecting;
        Known {
            id: self.id.clone(),
            origin: self.origin.clone(),
            info: self.info.clone(),
            tools,
            state,
            name: self.given_name.clone(),
        }
    }

    /// Whether its pages have offered tools, and a state. Both are remembered across a restart.
    pub(crate) fn offers(&self) -> (bool, bool) {
        (self.expecting.had_tools, self.expecting.had_state)
    }

    /// A page has joined.
    pub(super) fn joined(&mut self, now: Millis) {
        self.expecting.joined_at = now;
        self.expecting.leaving_at = None;
        self.expecting.stopped = None;
    }

    /// The page reports changes of its info.
    pub(super) fn changed(&mut self, now: Millis, info: PageInfo, out: &mut Vec<Outcome>) {
        let (loaded, goes) = (info.loading == Some(false), info.leaving.is_some());
        self.merge(info);
        if goes {
            self.expecting.leaving_at = self.info.leaving.as_ref().map(|_| now);
        }
        if self.expecting.leaving_at.is_none() {
            self.send_waiting(out);
        }
        let stopped = self.info.dialog.as_ref().map(|_| Stopped { at: now, is_reported: false });
        self.expecting.stopped = stopped.map(|new| self.expecting.stopped.unwrap_or(new));
        self.arrive(out);
        if loaded {
            self.release_waiting(out);
        }
    }

    /// Whether its page is leaving for another document, for which calls wait.
    pub(crate) fn is_leaving(&self, now: Millis) -> bool {
        self.expecting.leaving_at.is_some() && self.leaving_until().is_none_or(|until| now < until)
    }

    /// Until when calls wait for the document that the page is leaving for. None for a driven tab: its browser reports
    /// how the navigation ended.
    fn leaving_until(&self) -> Option<Millis> {
        self.expecting.leaving_at.filter(|_| !self.driven).map(|at| at + LEAVING_MS)
    }

    /// Whether the browser's own dialog has stopped the page for long enough to be reported.
    pub(crate) fn is_stopped(&self, now: Millis) -> bool {
        self.page().is_some() && self.expecting.stopped.is_some_and(|dialog| now >= dialog.at + DIALOG_MS)
    }

    /// The refusal while a dialog is open.
    pub(crate) fn dialog_open(&self) -> Error {
        let dialog = quoted(self.info.dialog.as_deref().unwrap_or_default());
        Error::new(Code::CONNECTION, format!("a dialog is open in the page {}: {dialog}", self.name()))
            .hint("a person has to answer it in the browser; what a verb causes, it answers with --accept or --dismiss")
    }

    /// The page that left has joined under another session: it is not expected back.
    pub(super) fn arrived_elsewhere(&mut self, now: Millis) {
        if let PageStatus::Away { until, .. } = &mut self.status {
            *until = now;
        }
    }

    /// The error of a call that waited for the page.
    pub(super) fn absence(&self) -> Error {
        let hint = "open it again, or choose another one: `eye pages`";
        let name = self.name();
        if self.page().is_some()
            && let Some(url) = &self.info.leaving
        {
            let message = format!("the page {name} is leaving for {}, which has not answered yet", quoted(url));
            return Error::new(Code::TIMEOUT, message).hint("ask again, or wait longer with --timeout");
        }
        let message = match &self.info.leaving {
            Some(url) => format!("the page {name} left for {} and has not come back", quoted(url)),
            None => format!("the page {name} has not come back"),
        };
        Error::new(Code::SESSION, message).hint(hint)
    }

    /// Until when the page is expected to offer what it has not offered yet.
    fn offers_until(&self) -> Option<Millis> {
        match self.status {
            PageStatus::Connected { .. } => {
                let Expecting { joined_at, handover_until, .. } = self.expecting;
                Some(handover_until.unwrap_or(0).max(joined_at + OFFER_MS))
            }
            PageStatus::Away { until, .. } => Some(until),
            PageStatus::Gone { .. } => None,
        }
    }

    /// Whether a request should wait for what its page is expected to offer.
    pub(crate) fn expects(&self, now: Millis, agent: Conn, wanted: Wanted<'_>) -> bool {
        let loading = self.page().is_some() && self.info.loading == Some(true);
        let coming = self.awaits_handover(now);
        let tools =
            (self.expecting.had_tools || loading || coming) && (self.page().is_none() || self.toolbox.is_stale());
        let current = self.published.state.as_ref().is_some_and(State::is_current);
        let behind_work = self.expecting.behind;
        let missing = match wanted {
            Wanted::Tool(name) => (tools || behind_work) && !self.toolbox.has(name),
            Wanted::Tools => (tools || behind_work) && self.toolbox.is_empty(),
            Wanted::State => (self.expecting.had_state || loading) && !current,
            Wanted::Kept | Wanted::Order => false,
        };
        let leaving = matches!(wanted, Wanted::State) && self.is_leaving(now);
        let behind = || self.expecting.requests.iter().any(|input| input.conn() == Some(agent));
        let in_time = behind_work || self.offers_until().is_some_and(|until| now < until);
        match wanted {
            _ if self.expecting.over => false,
            Wanted::Kept => coming,
            // Revisions go on from those of the hub before, so even a state that the page has published here waits for
            // the handover.
            Wanted::State if coming => true,
            _ => leaving || in_time && missing || behind(),
        }
    }

    /// Lets a request wait. Returns it when too much waits.
    pub(crate) fn wait_for_offer(&mut self, request: Input) -> Option<Input> {
        let bytes = self.expecting.requests_bytes + request.len_bytes();
        if self.expecting.requests.len() >= SESSION_CALLS_MAX || bytes > SESSION_WAITING_BYTES_MAX {
            return Some(request);
        }
        self.expecting.requests_bytes = bytes;
        self.expecting.requests.push(request);
        None
    }

    /// The page has offered tools or a state.
    pub(crate) fn offered(&mut self, out: &mut Vec<Outcome>) {
        self.expecting.had_tools |= !self.toolbox.is_empty();
        self.expecting.had_state |= self.published.state.is_some();
        self.release_waiting(out);
    }

    /// Begins work. Inputs of the page wait behind it.
    pub(crate) fn begin(&mut self, work: Work, then: Then, out: &mut Vec<Outcome>) {
        self.working = true;
        self.expecting.behind = true;
        out.push(Outcome::Work { work, then });
    }

    pub(crate) fn is_working(&self) -> bool {
        self.working
    }

    /// Everything that the page sent before and during work has been handled.
    pub(crate) fn caught_up(&mut self, out: &mut Vec<Outcome>) {
        self.expecting.behind = false;
        self.release_waiting(out);
    }

    /// Handles the waiting requests again; those for which it is too early wait again.
    pub(super) fn release_waiting(&mut self, out: &mut Vec<Outcome>) {
        self.tell_untold(out);
        self.expecting.requests_bytes = 0;
        out.extend(self.expecting.requests.drain(..).map(Outcome::Later));
    }

    /// Removes a waiting request.
    pub(crate) fn take_waiting(&mut self, reply: &Reply) -> Option<Input> {
        let is_it = |input: &Input| match input {
            Input::Ask { agent, form: Some(form), .. } => *agent == reply.agent && *form == reply.form,
            Input::AskBatch { reply: own, .. }
            | Input::Tools { reply: own, .. }
            | Input::GetState { reply: own, .. }
            | Input::Snapshot { reply: own, .. }
            | Input::ReadMail { reply: own, .. } => own == reply,
            _ => false,
        };
        let at = self.expecting.requests.iter().rposition(is_it)?;
        let request = self.expecting.requests.remove(at);
        self.expecting.requests_bytes = self.expecting.requests_bytes.saturating_sub(request.len_bytes());
        Some(request)
    }

    /// Removes the waiting requests of an agent that left. With an error it is still connected, and receives the error.
    pub(super) fn forget_waiting(&mut self, agent: Conn, error: Option<&Error>, out: &mut Vec<Outcome>) {
        let is_its = |input: &mut Input| input.conn() == Some(agent);
        for request in self.expecting.requests.extract_if(.., is_its) {
            out.extend(error.and_then(|error| refused(request, error.clone())).map(Outcome::Effect));
        }
        self.expecting.requests_bytes = self.expecting.requests.iter().map(Input::len_bytes).sum();
    }

    /// Whether the hub is ending: no page is asked any more.
    pub(crate) fn is_over(&self) -> bool {
        self.expecting.over
    }

    /// The hub is ending: ends the waiting requests.
    pub(super) fn stop_expecting(&mut self, error: &Error, out: &mut Vec<Outcome>) {
        self.expecting.over = true;
        self.expecting.requests_bytes = 0;
        let waiting = std::mem::take(&mut self.expecting.requests).into_iter();
        out.extend(waiting.filter_map(|request| refused(request, error.clone())).map(Outcome::Effect));
    }

    /// When the next thing that is expected is overdue.
    pub(super) fn expecting_wake(&self) -> Option<Millis> {
        let Expecting { stopped, behind, ref requests, .. } = self.expecting;
        let leaving = self.leaving_until();
        let dialog = stopped.filter(|dialog| !dialog.is_reported).map(|dialog| dialog.at + DIALOG_MS);
        let waits = !requests.is_empty() && !behind && self.page().is_some();
        let offers = self.offers_until().filter(|_| waits);
        let awaited = !requests.is_empty() || self.lasts.untold;
        let handover = self.expecting.handover_until.filter(|_| awaited && !behind);
        [dialog, offers, handover].into_iter().fold(leaving, earlier)
    }

    /// Gives up on what is overdue.
    pub(super) fn tick_expecting(&mut self, now: Millis, out: &mut Vec<Outcome>) {
        if self.leaving_until().is_some_and(|until| now >= until) {
            self.expecting.leaving_at = None;
            self.send_waiting(out);
        }
        if self.is_stopped(now)
            && let Some(dialog) = &mut self.expecting.stopped
            && !dialog.is_reported
        {
            dialog.is_reported = true;
            for key in self.calls.keys_where(|call| matches!(call.phase, Phase::Sent)) {
                let error = self.dialog_open();
                self.abort(key, out);
                self.end(key, Err(error), out);
            }
        }
        let handed_late = self.expecting.handover_until.take_if(|until| now >= *until).is_some();
        let overdue = handed_late || self.offers_until().is_none_or(|until| now >= until);
        if overdue && !self.is_leaving(now) {
            self.release_waiting(out);
        }
    }

    /// Sends the calls that waited for another document to the one that is there.
    pub(super) fn send_waiting(&mut self, out: &mut Vec<Outcome>) {
        let Some(page) = self.page() else { return };
        while let Some((key, task)) = self.calls.next_waiting() {
            if let Some(error) = self.forbids(&task) {
                self.end(key, Err(error), out);
                continue;
            }
            let fired = self.calls.get_mut(key).is_some_and(|call| matches!(call.asker, Asker::Fired { .. }));
            if fired {
                self.calls.remove(key);
            }
            out.push(Outcome::Effect(Effect::Send { page, call: (!fired).then_some(key), task }));
        }
    }

    /// Asks the page that has come for its outline, with which the calls that navigated to it end.
    pub(super) fn show_arrivals(&mut self, now: Millis, page: Conn, out: &mut Vec<Outcome>) {
        // A site that is denied shows no outline; its title says so.
        if self.is_denied() {
            return;
        }
        for key in self.calls.keys_where(|call| matches!(call.phase, Phase::Navigating { .. })) {
            let Some(call) = self.calls.get_mut(key) else { continue };
            let Some(task) = call.arrival.take() else { continue };
            call.phase = Phase::Sent;
            self.calls.postpone(key, now + ARRIVAL_LOOK_MS);
            out.push(Outcome::Effect(Effect::Send { page, call: Some(key), task: *task }));
        }
    }
}

/// The effect that ends a waiting request with an error, if an answer is wanted.
fn refused(request: Input, error: Error) -> Option<Effect> {
    match request {
        Input::Ask { agent, form, mode: Mode::Answer, .. } => {
            Some(Effect::Ended { reply: Reply { agent, form: form? }, ending: Err(error), delta: None })
        }
        Input::Ask { agent, form, .. } => {
            Some(Effect::Result { reply: Reply { agent, form: form? }, result: Err(error) })
        }
        Input::AskBatch { reply, .. }
        | Input::Tools { reply, .. }
        | Input::GetState { reply, .. }
        | Input::Snapshot { reply, .. }
        | Input::ReadMail { reply, .. } => Some(Effect::Result { reply, result: Err(error) }),
        _ => None,
    }
}
