//! All area agents of a hub: adds them within the limits, passes events to them, and ends them with their page or hub.

use super::event::{Effect, Event, Presence};
use super::messages;
use super::record::Agent;
use super::work::{Millis, Status};
use crate::limits::{AGENTS_ENDED_LEN_MAX, AGENTS_MAX, AGENTS_OF_SESSION_MAX};
use crate::refusal::{Kind, Refusal};
use serde_json::{Map, Value};

/// How soon to check again for a page that is away: it may be reloading, and no event reports when the hub gives it up.
const AWAY_CHECK_MS: u64 = 500;

/// All agents, in the order in which they were spawned.
#[derive(Debug, Default)]
pub struct Roster {
    agents: Vec<Agent>,
    away_check: Option<Millis>,
}

impl Roster {
    /// Handles an event and appends the effects. Only requests can be refused.
    pub fn on(&mut self, now: Millis, event: Event, out: &mut Vec<Effect>) -> Result<(), Refusal> {
        match event {
            Event::Spawn { id, session, region, plan, start, socket } => {
                self.room_for(&session)?;
                let mut agent = Agent::new(id, session, region, plan, now);
                agent.socket = Some(socket);
                if start {
                    agent.run(now, out);
                }
                self.agents.push(agent);
            }
            Event::Pause(id) => {
                let agent = self.find(&id)?;
                match agent.status {
                    Status::Running => agent.pause(out),
                    Status::Paused => {}
                    status @ (Status::Spawned | Status::Stopped | Status::Finished | Status::Error) => {
                        return Err(cannot(&id, status, "paused"));
                    }
                }
            }
            Event::Resume(id) => {
                let agent = self.find(&id)?;
                match agent.status {
                    Status::Spawned | Status::Paused => agent.run(now, out),
                    Status::Running => {}
                    status @ (Status::Stopped | Status::Finished | Status::Error) => {
                        return Err(cannot(&id, status, "resumed"));
                    }
                }
            }
            Event::Stop(id) => {
                let agent = self.find(&id)?;
                if !agent.status.is_end() {
                    agent.end(now, Status::Stopped, "it was stopped", out);
                }
            }
            Event::Done { id, turn, result } => {
                if let Ok(agent) = self.find(&id) {
                    agent.done(now, turn, result, out);
                }
            }
            Event::Evolving { id, turn, progress } => {
                if let Ok(agent) = self.find(&id) {
                    agent.evolving(turn, progress, out);
                }
            }
            Event::Sessions(sessions) => self.sessions(now, &sessions, out),
            Event::Closed(socket) => {
                for agent in self.agents.iter_mut().filter(|agent| agent.socket == Some(socket)) {
                    agent.socket = None;
                }
            }
            Event::Tick => {
                for agent in &mut self.agents {
                    agent.tick(now, out);
                }
                if self.away_check.is_some_and(|at| now >= at) {
                    self.away_check = None;
                    out.push(Effect::LookForSessions);
                }
            }
            Event::Shutdown => self.end_where(now, "the hub ends", out, |_| true),
        }
        self.forget_oldest();
        Ok(())
    }

    /// When an agent or the roster next acts without an event from outside.
    pub fn next_wake(&self) -> Option<Millis> {
        self.agents.iter().filter_map(Agent::next_wake).chain(self.away_check).min()
    }

    /// The number of agents that have not ended.
    pub fn alive(&self) -> usize {
        self.agents.iter().filter(|agent| !agent.status.is_end()).count()
    }

    /// One agent, in the form of a reply.
    pub fn row(&self, now: Millis, id: &str) -> Result<Map<String, Value>, Refusal> {
        self.agents
            .iter()
            .find(|agent| &*agent.id == id)
            .map(|agent| messages::row(agent, now))
            .ok_or_else(|| unknown(id))
    }

    /// All agents, or those of one session. Without their last reports, which [`Roster::row`] returns.
    pub fn rows(&self, now: Millis, session: Option<&str>) -> Vec<Map<String, Value>> {
        let of = |agent: &&Agent| session.is_none_or(|session| &*agent.session == session);
        let brief = |agent| {
            let mut row = messages::row(agent, now);
            row.shift_remove("lastReport");
            row
        };
        self.agents.iter().filter(of).map(brief).collect()
    }

    fn find(&mut self, id: &str) -> Result<&mut Agent, Refusal> {
        self.agents.iter_mut().find(|agent| &*agent.id == id).ok_or_else(|| unknown(id))
    }

    fn room_for(&self, session: &str) -> Result<(), Refusal> {
        let alive = || self.agents.iter().filter(|agent| !agent.status.is_end());
        let refuse = |what: &str, limit: usize| {
            let message = format!("{what} has {limit} area agents, which is the most; stop one of them first");
            Err(Refusal::new(Kind::BackendUnavailable, message))
        };
        if alive().filter(|agent| &*agent.session == session).count() >= AGENTS_OF_SESSION_MAX {
            return refuse("this page", AGENTS_OF_SESSION_MAX);
        }
        if alive().count() >= AGENTS_MAX {
            return refuse("this hub", AGENTS_MAX);
        }
        Ok(())
    }

    fn sessions(&mut self, now: Millis, sessions: &[(String, Presence)], out: &mut Vec<Effect>) {
        let presence = |agent: &Agent| {
            let found = sessions.iter().find(|(session, _)| **session == *agent.session);
            found.map_or(Presence::Gone, |(_, presence)| *presence)
        };
        self.end_where(now, "its page is gone", out, |agent| presence(agent) == Presence::Gone);
        let away = self.agents.iter().any(|agent| !agent.status.is_end() && presence(agent) == Presence::Away);
        self.away_check = away.then_some(now + AWAY_CHECK_MS);
    }

    fn end_where(&mut self, now: Millis, why: &str, out: &mut Vec<Effect>, which: impl Fn(&Agent) -> bool) {
        for agent in self.agents.iter_mut().filter(|agent| !agent.status.is_end() && which(agent)) {
            agent.end(now, Status::Stopped, why, out);
        }
    }

    fn forget_oldest(&mut self) {
        let ended = self.agents.iter().filter(|agent| agent.status.is_end()).count();
        let mut surplus = ended.saturating_sub(AGENTS_ENDED_LEN_MAX);
        self.agents.retain(|agent| {
            let forget = surplus > 0 && agent.status.is_end();
            surplus -= usize::from(forget);
            !forget
        });
    }
}

fn unknown(id: &str) -> Refusal {
    let id: String = id.chars().take(64).collect();
    Refusal::invalid(format!("there is no agent {id}; `list` tells which there are"))
}

fn cannot(id: &str, status: Status, what: &str) -> Refusal {
    Refusal::invalid(format!("agent {id} is {} and cannot be {what}", status.name()))
}
