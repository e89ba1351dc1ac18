//! Agents that watch the state of a page, here or at another hub. When a page changes its hub, or comes back because
//! its hub has ended, each hub renews the watches of its own agents, and joins the page for those that had joined it;
//! also when the link between two hubs was lost.

use crate::effect::Effect;
use crate::elsewhere::{Caller, Listed};
use crate::ids::{Conn, Millis};
use crate::input::Input;
use crate::passed::Passed;
use crate::session_event::StateNews;
use crate::switchboard::Switchboard;
use crate::task::{Asker, News, Reply, ReplyForm};
use eye_protocol::limits::{AWAY_CALL_MARGIN_MS, CALL_TIMEOUT_DEFAULT_MS};
use eye_protocol::rpc::json;
use eye_protocol::{Error, SessionId};

impl Switchboard {
    /// Marks an agent of another hub that makes requests here. That hub renews the agent's watches.
    pub fn mark_guest(&mut self, agent: Conn) {
        self.change_agent(agent, |known| known.guest = true);
    }

    /// Sends a change of a session's state to the agents that watch it.
    pub(crate) fn tell_watchers(&self, session: &SessionId, revision: u64, news: &StateNews, out: &mut Vec<Effect>) {
        let Some(watchers) = self.watchers.get(session) else { return };
        let Some(held) = self.sessions.get(session) else { return };
        let (patch, json) = match news {
            StateNews::Patch(patch) => (true, &**patch),
            StateNews::Whole(text) => (false, &**text),
        };
        let news = News::State { revision, patch, json: json.to_owned() };
        // The page may have been at another hub, and of another origin, when they began to watch.
        let seeing = watchers.iter().filter(|agent| self.sees(**agent, held));
        out.extend(seeing.map(|agent| Effect::News { agent: *agent, session: session.clone(), news: news.clone() }));
    }

    /// Starts or stops watching a page's state. An agent that watched it at another hub is sent what it may have
    /// missed.
    pub(crate) fn watch(
        &mut self,
        now: Millis,
        agent: Conn,
        page: Option<&str>,
        (wanted, renewed): (bool, bool),
        out: &mut Vec<Effect>,
    ) -> Result<String, Error> {
        let session = self.find(agent, page)?;
        self.note_watcher(agent, &session, wanted);
        let held = self.sessions.get(&session);
        if let Some((revision, text)) = held.filter(|_| renewed).and_then(|held| held.state_to_tell(now)) {
            let news = News::State { revision, patch: false, json: text.into() };
            out.push(Effect::News { agent, session: session.clone(), news });
        }
        let state = held.and_then(|held| held.published.state.as_ref());
        let revision = state.map_or_else(|| "null".to_owned(), |state| state.revision().to_string());
        Ok(format!(r#"{{"sessionId":{},"revision":{revision}}}"#, json(session.as_str())))
    }

    fn note_watcher(&mut self, agent: Conn, session: &SessionId, wanted: bool) {
        let watchers = self.watchers.entry(session.clone()).or_default();
        watchers.retain(|watcher| *watcher != agent);
        if wanted {
            watchers.push(agent);
        } else if watchers.is_empty() {
            self.watchers.remove(session);
        }
    }

    /// An agent watches a page of another hub, or no more. It is noted at once, so that the page is followed while that
    /// hub is asked, and taken back if that hub refuses.
    pub(crate) fn watch_elsewhere(&mut self, reply: &Reply, session: &SessionId, wanted: bool) {
        let agent = reply.agent;
        if self.agents.get(&agent).is_none_or(|known| known.guest) {
            return;
        }
        let was_noted = self.watchers.get(session).is_some_and(|watchers| watchers.contains(&agent));
        self.elsewhere.watch_requests.put(reply, session, was_noted, wanted);
        self.note_watcher(agent, session, wanted);
        let hub = self.elsewhere.get(session).map(|page| page.hub.clone());
        self.elsewhere.watched.extend(hub.map(|hub| (session.clone(), hub)));
    }

    /// A request that was passed on is answered. If it was to watch a page, or to watch it no more, and is refused, all
    /// is as before.
    pub(crate) fn watch_answered(&mut self, reply: &Reply, is_refused: bool) {
        if let Some((session, wanted)) = self.elsewhere.watch_requests.take(reply, is_refused) {
            self.note_watcher(reply.agent, &session, wanted);
        }
    }

    /// Renews or forgets watches when the list of other hubs' pages changes.
    pub(crate) fn watch_anew(&mut self, change: &Listed, out: &mut Vec<Effect>) {
        match change {
            Listed::There(page) => self.renew_watches(&page.id, out),
            Listed::Gone(session) | Listed::LeftOut(session) => drop(self.elsewhere.watched.remove(session)),
            Listed::Unwatched(hub) => {
                let at = self.elsewhere.watched.iter().filter(|(_, at)| *at == hub);
                for session in at.map(|(session, _)| session.clone()).collect::<Vec<_>>() {
                    self.elsewhere.watched.remove(&session);
                    self.renew_watches(&session, out);
                }
            }
            Listed::All(_) => {}
        }
    }

    /// Watches and joins a page at the hub that holds it now, for the agents here that watched or joined it before.
    pub(crate) fn renew_watches(&mut self, session: &SessionId, out: &mut Vec<Effect>) {
        if !self.watchers.contains_key(session) && !self.members.contains_key(session) {
            return;
        }
        let Some(page) = self.page_elsewhere(session) else { return };
        if self.elsewhere.watched.get(session) == Some(&page.hub) {
            return;
        }
        let is_own = |agent: &Conn| self.agents.get(agent).is_some_and(|known| !known.guest);
        let seeing = |agent: &&Conn| is_own(agent) && self.sees_origin(**agent, &page.origin);
        let own = |all: Option<&Vec<Conn>>| all.into_iter().flatten().filter(seeing).copied().collect::<Vec<_>>();
        let (watchers, members) = (own(self.watchers.get(session)), own(self.members.get(session)));
        let hub = page.hub.clone();
        for agent in watchers {
            let reply = Reply { agent, form: ReplyForm::Rpc("0".into()) };
            let page = Some(session.as_str().into());
            self.renew(agent, session, Input::Watch { reply, page, wanted: true, renewed: true }, out);
        }
        for agent in members {
            let session_name = session.as_str().into();
            self.renew(agent, session, Input::Join { agent, form: None, session: session_name, renewed: true }, out);
        }
        self.elsewhere.watched.insert(session.clone(), hub);
    }

    fn renew(&mut self, agent: Conn, session: &SessionId, input: Input, out: &mut Vec<Effect>) {
        let Some(known) = self.agents.get_mut(&agent) else { return };
        known.passed = true;
        let (name, scope, frame) = (known.name.clone(), known.scope.clone(), known.frame.clone());
        let asker = Asker::Fired { scope: scope.clone() };
        let caller = Caller { agent, name, scope, frame };
        let lifetime_ms = CALL_TIMEOUT_DEFAULT_MS + AWAY_CALL_MARGIN_MS;
        let passed = Passed { session: session.clone(), caller, asker, is_call: false, lifetime_ms, input };
        out.push(Effect::PassOn(Box::new(passed)));
    }
}
