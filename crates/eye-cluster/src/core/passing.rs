//! Requests from one hub to another, and the answers to them.

use super::calls::{Out, REPEAT, error, fail, other_link_lost, unread};
use super::event::{Action, Life, SEND_ON_BYTES_MAX};
use super::state::Core;
use crate::wire::{self, Frame, Request, WireNews};
use eye_core::elsewhere::{Back, Listed, TopicMessage, TopicsNews};
use eye_core::passed::Passed;
use eye_core::{Asker, Conn, Input, Millis};
use eye_protocol::{Ending, Error, SessionId, Value};
use std::sync::Arc;

impl Core {
    pub(super) fn pass_on(&mut self, now: Millis, passed: Passed, out: &mut Vec<Action>) {
        let Passed { session, caller, asker, is_call, lifetime_ms, input } = passed;
        let silent = matches!(asker, Asker::Fired { .. });
        let is_over = self.directory.life_of(&session).is_some_and(|life| !self.hubs.is_alive(life));
        if is_over && self.up_since.is_some() && matches!(input, Input::GetState { .. }) {
            // By now the local hub knows that the page is no longer listed.
            return out.push(Action::Feed(input));
        }
        let to = match (self.up_since, self.directory.life_of(&session)) {
            (None, _) => Err(error("the link to the other hubs is down", REPEAT)),
            (Some(_), Some(life)) if self.hubs.is_alive(life) => Ok(life.clone()),
            (Some(_), _) => Err(unread()),
        };
        let to = match (to, wire::ask(input, silent)) {
            (Ok(to), Some(ask)) => (to, ask),
            (Err(error), _) => return fail(asker, is_call, now, error, out),
            (Ok(_), None) => return,
        };
        let (to, ask) = to;
        let call = self.calls.next();
        let request = Arc::new(wire::request(call, session, &caller, lifetime_ms, ask));
        self.calls.note_asked(caller.agent, &to);
        if !silent {
            let kept = (size(&request) <= SEND_ON_BYTES_MAX).then(|| request.clone());
            let until = now + lifetime_ms;
            let one = Out { to: to.clone(), agent: caller.agent, asker, is_call, asked_at: now, until, request: kept };
            self.calls.put(call, one);
        }
        out.push(Action::Send { to, frame: Frame::Request(request) });
    }

    /// Sends a message to the other hubs that have subscribers for it.
    pub(super) fn publish(&self, hubs: &[Life], message: TopicMessage, out: &mut Vec<Action>) {
        let message = wire::WireMessage::from(message);
        for to in hubs.iter().filter(|life| self.up_since.is_some() && self.hubs.is_alive(life)) {
            let frame = Frame::Publish(Box::new(message.clone()));
            out.push(Action::Send { to: to.clone(), frame });
        }
    }

    pub(super) fn frame(&mut self, now: Millis, from: Life, frame: Frame, out: &mut Vec<Action>) {
        self.hubs.note(now, &from);
        match frame {
            Frame::Loop => {}
            Frame::Request(request) => {
                if !self.hubs.is_next(&from, request.call) {
                    return;
                }
                let held = self.directory.holds(&request.session);
                // `Leave` concerns the agent, so it is served wherever the page is.
                if held || request.ask == wire::Ask::Leave {
                    out.push(Action::Serve { from, request });
                } else {
                    out.push(Action::Send { to: from, frame: Frame::NotMine { call: request.call } });
                }
            }
            Frame::Cancel { agent, call } => out.push(Action::Cancel { from, agent, call }),
            Frame::Left { agent } => out.push(Action::Leave { from, agent: Some(agent) }),
            Frame::Ended { call, ending, delta } => self.ended(&from, call, wire::ending_in(ending), delta, out),
            Frame::Result { call, result } => self.result(&from, call, result.map_err(Into::into), out),
            Frame::Progress { call, progress } => {
                if let Some(Out { asker: Asker::Agent(reply), to, .. }) = self.calls.out.get(&call)
                    && *to == from
                {
                    let back = Back::Progress { reply: reply.clone(), progress };
                    out.push(Action::Feed(Input::Back(Box::new(back))));
                }
            }
            Frame::News { agent, session, news } => {
                let session = SessionId::parse(&session);
                // That a page has left a hub says nothing any more where it is known to be at another.
                let is_stale = |session: &SessionId| {
                    news == WireNews::PageGone && self.directory.life_of(session).is_some_and(|life| *life != from)
                };
                if let Some(session) = session.filter(|session| !is_stale(session)) {
                    let back = Back::News { agent: Conn(agent), session, news: news.into() };
                    out.push(Action::Feed(Input::Back(Box::new(back))));
                }
            }
            Frame::NotMine { call } => self.not_mine(now, &from, call, out),
            Frame::WantInterests => self.topics.tell_all(from, out),
            Frame::Interests { all, changed } => {
                // The full list comes first, and again after either hub lost its link or took the other for dead. In
                // that case the agents of this hub have been disconnected from the other.
                let hub = self.name_of(&from).filter(|_| all);
                out.extend(hub.map(|hub| Action::Feed(Input::Listed(vec![Listed::Unwatched(hub)]))));
                if all && !self.calls.at(&from).is_empty() {
                    // That hub may have ended or lost some of them with its link.
                    let frame = Frame::Asked { last: self.calls.last() };
                    out.push(Action::Send { to: from.clone(), frame });
                }
                self.topics.receive(from, all, changed, out);
            }
            Frame::Asked { last } => {
                let below = self.hubs.lost_below(&from, last);
                out.push(Action::Send { to: from, frame: Frame::Lost { below } });
            }
            Frame::Lost { below } => self.requests_lost(now, &from, below, out),
            Frame::HandOver(handover) => self.handed_over(&from, handover, out),
            Frame::Seek { seek, word } => self.seek(from, seek, &word, out),
            Frame::Sought { seek, pages } => self.sought(now, &from, seek, pages, out),
            Frame::Publish(message) => {
                let news = TopicsNews::Published((*message).into());
                out.push(Action::Feed(Input::Topics(Box::new(news))));
            }
        }
    }

    /// The name of a hub: from its heartbeats, or from an entry of the directory as long as none has arrived.
    fn name_of(&self, life: &Life) -> Option<Arc<str>> {
        let known = self.hubs.0.get(life).and_then(|known| known.name.clone());
        known.or_else(|| self.directory.entries.hub_of(life).cloned())
    }

    fn answered(&mut self, from: &Life, call: u64, out: &mut Vec<Action>) -> Option<Out> {
        let is_its = self.calls.out.get(&call).is_some_and(|one| one.to == *from);
        if is_its { self.calls.take(call, out) } else { None }
    }

    fn ended(&mut self, from: &Life, call: u64, ending: Ending, delta: Option<Box<str>>, out: &mut Vec<Action>) {
        let Some(one) = self.answered(from, call, out) else { return };
        let back = match one.asker {
            Asker::Agent(reply) if !one.is_call => Back::Result { reply, result: ending.map(|value| value.to_json()) },
            asker => Back::Ended { asker, ending, delta, asked_at: one.asked_at },
        };
        out.push(Action::Feed(Input::Back(Box::new(back))));
    }

    fn result(&mut self, from: &Life, call: u64, result: Result<String, Error>, out: &mut Vec<Action>) {
        let Some(one) = self.answered(from, call, out) else { return };
        let back = match one.asker {
            Asker::Agent(reply) if !one.is_call => Back::Result { reply, result },
            asker => Back::Ended { asker, ending: result.map(Value::Json), delta: None, asked_at: one.asked_at },
        };
        out.push(Action::Feed(Input::Back(Box::new(back))));
    }

    /// The requests to a hub with lower numbers have ended there without an answer, or never arrived.
    fn requests_lost(&mut self, now: Millis, from: &Life, below: u64, out: &mut Vec<Action>) {
        let states = self.calls.take_states(from, below, out);
        for call in self.calls.at(from).into_iter().filter(|call| *call < below) {
            self.calls.end(now, call, &other_link_lost(), out);
        }
        out.extend(states.into_iter().map(Action::Feed));
    }

    /// The other hub does not hold the page and did nothing. Sends the request again, once, to the hub that holds it.
    fn not_mine(&mut self, now: Millis, from: &Life, call: u64, out: &mut Vec<Action>) {
        let Some(mut one) = self.answered(from, call, out) else { return };
        let request = one.request.take().filter(|_| self.up_since.is_some());
        let now_at = request.as_ref().and_then(|request| self.directory.life_of(&request.session).cloned());
        let to = now_at.filter(|life| life != from && self.hubs.is_alive(life));
        let Some((mut request, to)) = request.zip(to) else {
            let moved = error("the page is no longer where it was", REPEAT);
            return fail(one.asker, one.is_call, one.asked_at, moved, out);
        };
        // A new number, because the other hub may have read higher ones.
        let call = self.calls.next();
        let again = Arc::make_mut(&mut request);
        again.call = call;
        again.lifetime_ms = one.until.saturating_sub(now);
        self.calls.note_asked(one.agent, &to);
        one.to = to.clone();
        self.calls.put(call, one);
        out.push(Action::Send { to, frame: Frame::Request(request) });
    }
}

fn size(request: &Request) -> usize {
    let of = |task: &wire::WireTask| match task {
        wire::WireTask::Eval { code, .. } => code.len(),
        wire::WireTask::Tool { arguments, .. } => arguments.len(),
        wire::WireTask::Verb { params, .. } => params.len(),
        wire::WireTask::State => 0,
    };
    match &request.ask {
        wire::Ask::Call { task, .. } => of(task),
        wire::Ask::Batch { tasks } => tasks.iter().map(|(task, _)| of(task)).sum(),
        _ => 0,
    }
}
