//! Names of pages: which page an agent means, what a person called it (`eye use PAGE --as NAME`), and its name as a
//! sender.

use crate::agent::{Agent, UsedPage};
use crate::candidate::Candidate;
use crate::effect::Effect;
use crate::ids::{Conn, Millis};
use crate::row::row;
use crate::select;
use crate::session::Session;
use crate::switchboard::Switchboard;
use crate::task::Reply;
use eye_protocol::limits::NAME_BYTES_MAX;
use eye_protocol::messages::Presence;
use eye_protocol::rpc::json;
use eye_protocol::{Code, Error, SessionId};

impl Switchboard {
    /// Runs a step that may change the alias of a session's page.
    pub(crate) fn renaming(&mut self, session: &SessionId, step: impl FnOnce(&mut Self)) {
        let alias = |board: &Self| board.sessions.get(session).and_then(|held| held.info().alias.clone());
        let before = alias(self);
        step(self);
        let after = alias(self);
        self.names.alias_changed(session, before.as_deref(), after.as_deref());
    }

    /// Removes the names of a session that is forgotten.
    pub(crate) fn forget_names(&mut self, held: &Session) {
        self.names.alias_changed(held.id(), held.info().alias.as_deref(), None);
        if let Some(name) = held.given_name() {
            self.names.given.remove(name);
        }
    }

    /// The page that a request means.
    pub(crate) fn find(&self, agent: Conn, page: Option<&str>) -> Result<SessionId, Error> {
        self.find_surely(agent, page).map(|(session, _)| session)
    }

    /// The page that a request means. What the agent's target means is remembered.
    pub(crate) fn find_and_remember(&mut self, agent: Conn, page: Option<&str>) -> Result<SessionId, Error> {
        let (session, sure) = self.find_surely(agent, page)?;
        if let Some(known) = self.agents.get_mut(&agent).filter(|_| sure) {
            known.resolve(self.namings, session.clone());
        }
        Ok(session)
    }

    /// The page that a request means, and whether to remember it, because the agent's target means it until names
    /// change.
    fn find_surely(&self, agent: Conn, page: Option<&str>) -> Result<(SessionId, bool), Error> {
        let known = self.agents.get(&agent);
        if let Some(page) = page {
            let session = self.asked_here(agent, Some(page)).map_or_else(|| self.named(agent, page), Ok);
            return session.map(|session| (session, false));
        }
        if let Some(session) = known.and_then(|known| known.resolved(self.namings)) {
            debug_assert!(self.resolves_rightly(agent));
            return Ok((session.clone(), false));
        }
        self.find_anew(agent)
    }

    /// Whether what is remembered of an agent's target would be found again.
    pub(crate) fn resolves_rightly(&self, agent: Conn) -> bool {
        let resolved = self.agents.get(&agent).and_then(|known| known.resolved(self.namings));
        resolved.is_none_or(|session| self.find_anew(agent).is_ok_and(|(anew, _)| anew == *session))
    }

    /// The same without what is remembered.
    fn find_anew(&self, agent: Conn) -> Result<(SessionId, bool), Error> {
        let known = self.agents.get(&agent);
        if let Some(target) = known.and_then(|agent| agent.target.as_deref()) {
            let (session, sure) = self.named_surely(agent, target)?;
            let meant = known.and_then(|agent| agent.target_page.as_ref());
            return match meant.and_then(|meant| self.of_another_origin(meant, &session)) {
                Some(held) => Err(select::another_origin(target, held)),
                None => Ok((session, sure)),
            };
        }
        if let Some(held) = known.and_then(|known| self.at_hand(known)) {
            return Ok((held.id().clone(), false));
        }
        let last = known.and_then(|known| self.last_used_by(known));
        let elsewhere = last.and_then(|page| self.page_elsewhere(&page.session).filter(|held| page.is(*held)));
        match elsewhere.filter(|page| self.sees_origin(agent, &page.origin)) {
            Some(page) => Ok((page.id.clone(), false)),
            // Unlisted pages may exist, so the only listed page need not be the only one.
            None if last.is_none() && self.elsewhere.partial => Err(select::unlisted()),
            None => select::unnamed(last, self.candidates(agent)).map(|session| (session, false)),
        }
    }

    /// The page of this session, if it is of another origin than the one that was meant. A tab that is driven goes from
    /// one origin to another; at another hub, that is a page that keeps its session.
    fn of_another_origin(&self, meant: &UsedPage, session: &SessionId) -> Option<&dyn Candidate> {
        if let Some(held) = self.sessions.get(session) {
            return (!held.is_driven() && *meant.origin != *held.origin()).then_some(held as &dyn Candidate);
        }
        let page = self.page_elsewhere(session).filter(|_| meant.session != *session)?;
        (*meant.origin != *page.origin).then_some(page as &dyn Candidate)
    }

    /// The page that an agent without a target used last, if that is there: nearly always, and found without looking at
    /// all the others.
    pub(crate) fn at_hand(&self, known: &Agent) -> Option<&Session> {
        let last = self.last_used_by(known).filter(|_| known.target.is_none())?;
        let held = self.sessions.get(&last.session).filter(|held| last.is_of(*held))?;
        let there = held.presence() != Presence::Gone && known.scope.sees(held.origin());
        (there && self.page_elsewhere(held.id()).is_none()).then_some(held)
    }

    /// The page here that an agent of another hub names by its id, as that hub does with all it passes on.
    pub(crate) fn asked_here(&self, agent: Conn, page: Option<&str>) -> Option<SessionId> {
        let known = self.agents.get(&agent).filter(|known| known.guest)?;
        let session = page.and_then(SessionId::parse)?;
        let held = self.sessions.get(&session)?;
        (held.presence() == Presence::Connected && known.scope.sees(held.origin())).then_some(session)
    }

    /// The page that an agent names: by the name that a person gave it, its id, its origin, or what it reports of
    /// itself.
    pub(crate) fn named(&self, agent: Conn, wanted: &str) -> Result<SessionId, Error> {
        self.named_surely(agent, wanted).map(|(session, _)| session)
    }

    /// The same, and whether it is so however the pages are used.
    pub(crate) fn named_surely(&self, agent: Conn, wanted: &str) -> Result<(SessionId, bool), Error> {
        let given = self.names.given.get(wanted).and_then(|id| self.sessions.get(id));
        if let Some(held) = given.filter(|held| self.sees(agent, held)) {
            return Ok((held.id().clone(), true));
        }
        let mut called = self
            .elsewhere
            .called(wanted)
            .filter(|page| self.sees_origin(agent, &page.origin) && self.page_elsewhere(&page.id).is_some());
        match (called.next(), called.next()) {
            (Some(page), None) => return Ok((page.id.clone(), true)),
            (Some(one), Some(other)) => {
                let message = format!("`{wanted}` is the name of pages at several hubs: {}, {}", one.id, other.id);
                return Err(Error::new(Code::SESSION, message).hint("name the page by its id"));
            }
            (None, _) => {}
        }
        match self.visible_session(agent, wanted) {
            Some(id) if !self.has_rival(&id) => Ok((id, true)),
            _ => select::named_surely(wanted, self.candidates(agent)),
        }
    }

    /// Whether the alias of a page of another origin is the id of this session.
    fn has_rival(&self, id: &SessionId) -> bool {
        let elsewhere = || self.page_elsewhere(id).map(|page| &*page.origin);
        let origin = elsewhere().or_else(|| self.sessions.get(id).map(Session::origin));
        if self.elsewhere.has_rival(id.as_str(), origin) {
            return true;
        }
        let Some(rivals) = self.names.aliases.get(id.as_str()) else { return false };
        rivals.iter().filter_map(|rival| self.sessions.get(rival)).any(|rival| Some(rival.origin()) != origin)
    }

    /// The name of a page as the sender of a message: never a word that stands for another sender.
    pub(crate) fn sender_name(&self, held: &Session) -> String {
        if let Some(name) = held.given_name() {
            return name.to_owned();
        }
        match &held.info().alias {
            Some(alias) if self.is_its_own(held, alias) => alias.clone(),
            Some(_) | None => held.id().to_string(),
        }
    }

    fn is_its_own(&self, held: &Session, alias: &str) -> bool {
        let same_origin = |id: &SessionId| self.sessions.get(id).is_none_or(|other| other.origin() == held.origin());
        let aliased = self.names.aliases.get(alias);
        // A slash separates the sender from the name that it gives itself.
        !alias.contains('/')
            && !self.names.given.contains_key(alias)
            && self.elsewhere.called(alias).next().is_none()
            && !self.memories.contains_key(alias)
            && SessionId::parse(alias).is_none_or(|id| same_origin(&id))
            && aliased.is_none_or(|sessions| sessions.iter().all(same_origin))
    }

    /// Gives a page a name that pages cannot take; an empty name removes it.
    pub(crate) fn name_page(&mut self, session: &SessionId, name: &str) -> Result<(), Error> {
        let wrong = |why: &str| Error::new(Code::PARAMS, format!("`{name}` cannot be a page's name: {why}"));
        if name.len() > NAME_BYTES_MAX {
            return Err(wrong(&format!("it is longer than {NAME_BYTES_MAX} bytes")));
        }
        if name.contains('/') || name.chars().any(char::is_control) {
            return Err(wrong("it holds a slash or a control character"));
        }
        if SessionId::parse(name).is_some_and(|id| id != *session && self.sessions.contains_key(&id)) {
            return Err(wrong("it is the id of another page").hint("choose another name"));
        }
        if let Some(other) = self.elsewhere.called(name).find(|page| page.id != *session) {
            let why = format!("the page {} at the hub `{}` has it", other.id, other.hub);
            return Err(wrong(&why).hint("choose another name, or take it back at that hub"));
        }
        if let Some(before) = self.names.given.get(name).cloned()
            && let Some(held) = self.sessions.get_mut(&before)
        {
            held.give_name(None);
            self.row_changed(&before);
        }
        let Some(held) = self.sessions.get_mut(session) else { return Ok(()) };
        if let Some(before) = held.given_name() {
            self.names.given.remove(before);
        }
        held.give_name((!name.is_empty()).then(|| name.into()));
        if !name.is_empty() {
            self.names.given.insert(name.into(), session.clone());
        }
        self.known_changed = true;
        self.row_changed(session);
        Ok(())
    }

    /// A page has come with the name that it was given at another hub. If a page here has that name, it keeps it.
    pub(crate) fn inherit_name(&mut self, session: &SessionId, name: &str) {
        let has_none = self.sessions.get(session).is_some_and(|held| held.given_name().is_none());
        if has_none && !name.is_empty() && !self.names.given.contains_key(name) {
            // Refused when a page of another hub has the name by now.
            let _ = self.name_page(session, name);
        }
    }

    /// An agent chooses its page, and may name it.
    pub(crate) fn use_page(
        &mut self,
        now: Millis,
        reply: Reply,
        page: &str,
        name: Option<&str>,
        out: &mut Vec<Effect>,
    ) {
        let result = self.named(reply.agent, page).and_then(|session| {
            if let Some(name) = name {
                self.name_page(&session, name)?;
            }
            self.used(now, reply.agent, &session);
            let current = self.last_used(reply.agent);
            Ok(self.sessions.get(&session).map_or_else(|| "null".into(), |held| json(&row(now, held, current))))
        });
        out.push(Effect::Result { reply, result });
    }

    /// Forgets a session whose page is not there: its state, its mail, its name, and which origin it belongs to.
    pub(crate) fn forget_page(&mut self, now: Millis, reply: Reply, page: &str, out: &mut Vec<Effect>) {
        let gone = self.forget_gone(now, reply.agent, page, out);
        let result = gone.unwrap_or_else(|| self.forgotten(reply.agent, page, out));
        out.push(Effect::Result { reply, result });
    }

    fn forgotten(&mut self, agent: Conn, page: &str, out: &mut Vec<Effect>) -> Result<String, Error> {
        let session = self.named(agent, page)?;
        let Some(held) = self.sessions.get(&session) else { return Ok("null".into()) };
        if held.presence() == Presence::Connected {
            let message = format!("the page {} is connected", held.name());
            return Err(Error::new(Code::SESSION, message).hint("close its tab first"));
        }
        if held.is_awaited() {
            let message = format!("an agent waits for the page {}", held.name());
            return Err(Error::new(Code::SESSION, message).hint("cancel what waits, or try again when it has ended"));
        }
        self.forget_session(&session);
        self.forget_state(&session, out);
        self.known_changed = true;
        Ok(forgotten(&session))
    }

    /// Whether an id belongs to another origin, whose page is not there: a page that claims it gets another id.
    pub fn is_kept_for_another(&self, session: &SessionId, origin: &str) -> bool {
        let held = self.sessions.get(session);
        held.is_some_and(|held| held.origin() != origin && held.presence() != Presence::Connected)
            || self.page_elsewhere(session).is_some_and(|page| *page.origin != *origin)
    }
}

/// The answer to an agent that forgets a session.
pub(crate) fn forgotten(session: &SessionId) -> String {
    format!(r#"{{"forgotten":{}}}"#, json(session.as_str()))
}
