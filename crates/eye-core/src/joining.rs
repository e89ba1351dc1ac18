//! Agents that join and leave sessions, facts of a session and its tools, and news for the agents that joined.

use crate::effect::Effect;
use crate::ids::{Conn, Millis};
use crate::row::row;
use crate::switchboard::Switchboard;
use crate::task::{News, Reply, ReplyForm, ToolQuery};
use eye_protocol::messages::Presence;
use eye_protocol::rpc::json;
use eye_protocol::{Code, Error, SessionId};

impl Switchboard {
    pub(crate) fn join(
        &mut self,
        now: Millis,
        agent: Conn,
        form: Option<ReplyForm>,
        (session, renewed): (&str, bool),
        out: &mut Vec<Effect>,
    ) {
        let result = if let Ok(id) = self.named(agent, session) {
            self.leave(agent);
            self.used(now, agent, &id);
            self.note_member(agent, &id);
            if renewed {
                self.tell_member(agent, &id, out);
            }
            let tools = self.sessions.get(&id).map_or_else(|| "[]".into(), |held| held.toolbox().list(None));
            Ok(format!(r#"{{"success":true,"sessionId":{},"tools":{tools}}}"#, json(id.as_str())))
        } else {
            let there = self.session_ids(agent).join(", ");
            let hint = if there.is_empty() { "no page is connected".into() } else { format!("there are: {there}") };
            Err(Error::new(Code::SESSION, format!("Session not found: {session}")).hint(hint))
        };
        out.extend(form.map(|form| Effect::Result { reply: Reply { agent, form }, result }));
    }

    /// The last page that the agent used is the one that it has joined.
    fn note_member(&mut self, agent: Conn, session: &SessionId) {
        self.members.entry(session.clone()).or_default().push(agent);
        if let Some(known) = self.agents.get_mut(&agent) {
            known.joined.clone_from(&known.last_used);
        }
    }

    /// An agent joins a page of another hub, which it follows from then on.
    pub(crate) fn join_elsewhere(&mut self, agent: Conn, session: &SessionId) {
        self.note_member(agent, session);
        let hub = self.elsewhere.get(session).map(|page| page.hub.clone());
        self.elsewhere.watched.extend(hub.map(|hub| (session.clone(), hub)));
    }

    /// An agent that had joined the page at another hub is sent what it may have missed.
    fn tell_member(&self, agent: Conn, session: &SessionId, out: &mut Vec<Effect>) {
        let Some(held) = self.sessions.get(session).filter(|held| held.presence() == Presence::Connected) else {
            return;
        };
        for news in [News::PageBack, News::Tools(held.toolbox().list(None))] {
            out.push(Effect::News { agent, session: session.clone(), news });
        }
    }

    /// Leaves the session that an agent joined, and answers the request.
    pub(crate) fn leave_session(&mut self, reply: Reply, out: &mut Vec<Effect>) {
        self.leave(reply.agent);
        out.push(Effect::Result { reply, result: Ok(r#"{"success":true}"#.into()) });
    }

    pub(crate) fn leave(&mut self, agent: Conn) {
        let Some(session) = self.agents.get_mut(&agent).and_then(|known| known.joined.take()) else { return };
        if let Some(known) = self.agents.get_mut(&agent) {
            known.last_used = None;
        }
        if let Some(members) = self.members.get_mut(&session.session) {
            members.retain(|member| *member != agent);
            if members.is_empty() {
                self.members.remove(&session.session);
            }
        }
    }

    pub(crate) fn about_session(&self, now: Millis, agent: Conn, session: Option<&str>) -> Result<String, Error> {
        let session = self.find(agent, session)?;
        let Some(held) = self.sessions.get(&session) else { return Err(no_session(&session, agent, self)) };
        let row = json(&row(now, held, self.last_used(agent)));
        let made = now.saturating_sub(held.made_at());
        let members = self.members.get(&session).map_or(0, Vec::len);
        Ok(format!(r#"{},"createdMs":{made},"agents":{members}}}"#, row.trim_end_matches('}')))
    }

    pub(crate) fn about_tools(&self, agent: Conn, page: Option<&str>, query: &ToolQuery) -> Result<String, Error> {
        let session = self.find(agent, page)?;
        let Some(held) = self.sessions.get(&session) else { return Err(no_session(&session, agent, self)) };
        match query {
            ToolQuery::List(filter) => Ok(format!(r#"{{"tools":{}}}"#, held.toolbox().list(filter.as_deref()))),
            ToolQuery::Get(name) => held.toolbox().get(name).map(|tool| tool.definition.get().to_owned()),
        }
    }

    /// Sends the list of a session's tools to the agents that joined it.
    pub(crate) fn tell_tools(&self, session: &SessionId, out: &mut Vec<Effect>) {
        let tools = self.sessions.get(session).map_or_else(String::new, |held| held.toolbox().list(None));
        self.tell_members(session, &News::Tools(tools), out);
    }

    /// Sends news of a session to the agents that joined it.
    pub(crate) fn tell_members(&self, session: &SessionId, news: &News, out: &mut Vec<Effect>) {
        let members = self.members.get(session).into_iter().flatten();
        out.extend(members.map(|agent| Effect::News { agent: *agent, session: session.clone(), news: news.clone() }));
    }
}

fn no_session(session: &SessionId, agent: Conn, board: &Switchboard) -> Error {
    let there = board.session_ids(agent).join(", ");
    Error::new(Code::SESSION, format!("Session not found: {session}")).hint(format!("there are: {there}"))
}
