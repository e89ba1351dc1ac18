//! Agents of other hubs that ask pages here: each is an agent of this hub while it asks, with the scope of its token.

use crate::Hub;
use crate::core::Life;
use crate::wire::{self, Frame, Request};
use eye_core::{Conn, Effect, Input, Reply, ReplyForm};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Agents of other hubs.
pub struct Served {
    hub: Arc<dyn Hub>,
    conns: FxHashMap<(Life, u64), Conn>,
    agents: FxHashMap<Conn, (Life, u64)>,
}

impl Served {
    /// None yet.
    pub fn new(hub: Arc<dyn Hub>) -> Self {
        Self { hub, conns: FxHashMap::default(), agents: FxHashMap::default() }
    }

    /// Does a request.
    pub fn serve(&mut self, from: Life, request: Request) {
        let key = (from, request.agent);
        let conn = if let Some(conn) = self.conns.get(&key) {
            *conn
        } else {
            let (scope, hello) = request.caller();
            let conn = self.hub.enter(scope, hello);
            self.agents.insert(conn, key.clone());
            self.conns.insert(key, conn);
            conn
        };
        self.hub.feed(request.input(conn));
    }

    /// An agent cancels.
    pub fn cancel(&self, from: &Life, agent: u64, call: u64) {
        if let Some(conn) = self.conns.get(&(from.clone(), agent)) {
            self.hub.feed(Input::Cancel { agent: *conn, id: call.to_string().into() });
        }
    }

    /// An agent is gone, or all of a hub.
    pub fn leave(&mut self, from: &Life, agent: Option<u64>) {
        let gone: Vec<(Life, u64)> = match agent {
            Some(agent) => vec![(from.clone(), agent)],
            None => self.conns.keys().filter(|(life, _)| life == from).cloned().collect(),
        };
        for key in gone {
            if let Some(conn) = self.conns.remove(&key) {
                self.agents.remove(&conn);
                self.hub.leave(conn);
            }
        }
    }

    /// This hub ends.
    pub fn leave_all(&mut self) {
        for (_, conn) in self.conns.drain() {
            self.hub.leave(conn);
        }
        self.agents.clear();
    }

    /// What an agent of another hub is told, for that hub.
    pub fn told(&self, effect: Effect) -> Option<(Life, Frame)> {
        let to = |conn: Conn| self.agents.get(&conn).map(|(life, _)| life.clone());
        match effect {
            Effect::Ended { reply, ending, delta } => {
                let frame = Frame::Ended { call: number(&reply)?, ending: wire::ending_out(ending), delta };
                Some((to(reply.agent)?, frame))
            }
            Effect::Result { reply, result } => {
                let frame = Frame::Result { call: number(&reply)?, result: result.map_err(Into::into) };
                Some((to(reply.agent)?, frame))
            }
            Effect::Progress { reply, progress } => {
                Some((to(reply.agent)?, Frame::Progress { call: number(&reply)?, progress }))
            }
            Effect::News { agent, session, news } => {
                let (life, number) = self.agents.get(&agent)?;
                let frame = Frame::News { agent: *number, session: session.to_string(), news: news.into() };
                Some((life.clone(), frame))
            }
            _ => None,
        }
    }
}

fn number(reply: &Reply) -> Option<u64> {
    match &reply.form {
        ReplyForm::Rpc(id) | ReplyForm::Tool(id) => id.parse().ok(),
        ReplyForm::Line(_) | ReplyForm::Compact(_) | ReplyForm::Place(_) => None,
    }
}
