//! Pages that other hubs hold: each is a row here, is found as the pages of this hub are, and is asked by passing the request on.
//! Does not know how hubs reach each other.

use crate::agent::UsedPage;
use crate::event::{Asker, Conn, Effect, Input, Millis, Mode, News, Reply, ReplyForm};
use crate::select::Candidate;
use crate::session::Session;
use crate::session_event::{Event, Outcome};
use crate::switchboard::Switchboard;
use eye_protocol::close::Close;
use eye_protocol::compact::Form;
use eye_protocol::limits::{AWAY_CALL_MARGIN_MS, CALL_TIMEOUT_DEFAULT_MS, CALL_TIMEOUT_MAX_MS};
use eye_protocol::messages::{Presence, SessionRow};
use eye_protocol::rpc::json;
use eye_protocol::scope::Scope;
use eye_protocol::{Code, Ending, Error, SessionId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A page that another hub holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageElsewhere {
    /// Its session.
    pub id: SessionId,
    /// The name of the hub that holds it.
    pub hub: Arc<str>,
    /// The origin that holds the session.
    pub origin: Box<str>,
    /// The name its author gave it.
    pub alias: Option<Box<str>>,
    /// Its title.
    pub title: Box<str>,
    /// Its URL.
    pub url: Box<str>,
    /// Where the page is.
    pub presence: Presence,
    /// Whether a person can see it.
    pub visible: bool,
    /// Whether it is a frame inside another page.
    pub frame: bool,
    /// Whether it evaluates code.
    pub eval: bool,
    /// How many tools it offers.
    pub tools: u32,
    /// The highest ref that the page has given to agents.
    pub last_ref: Option<u32>,
    /// When this hub heard of it.
    pub heard_at: Millis,
}

/// A session here whose row may have changed, with its highest ref; `None` when it has no page that is there or expected.
pub type ChangedRow = (SessionId, Option<(SessionRow, Option<u32>)>);

/// What changed in the list of pages that other hubs hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listed {
    /// A page is there, or is another than before.
    There(Box<PageElsewhere>),
    /// A page is there no more.
    Gone(SessionId),
}

/// What another hub needs to know of the agent for whom it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Its connection here.
    pub agent: Conn,
    /// Its name.
    pub name: Box<str>,
    /// What its token allows.
    pub scope: Scope,
    /// The frame its calls are evaluated in.
    pub frame: Option<Box<str>>,
}

/// A request for a page that another hub holds.
#[derive(Debug)]
pub struct Passed {
    /// The page.
    pub session: SessionId,
    /// Who asks.
    pub caller: Caller,
    /// Who waits for the ending; [`Asker::Nobody`] when no answer is wanted.
    pub asker: Asker,
    /// Whether it is a call, which has an ending; everything else has a result.
    pub is_call: bool,
    /// How long until it counts as lost.
    pub lifetime_ms: u64,
    /// The request, which names the page by its id.
    pub input: Input,
}

/// What another hub says of a request that was passed on.
#[derive(Debug)]
pub enum Back {
    /// A call has ended.
    Ended {
        /// Who waits for it.
        asker: Asker,
        /// How it ended.
        ending: Ending,
        /// The change of state that it caused.
        delta: Option<Box<str>>,
        /// When it was passed on.
        asked_at: Millis,
    },
    /// A request that is no call has its result.
    Result {
        /// Where it goes.
        reply: Reply,
        /// What came of it.
        result: Result<String, Error>,
    },
    /// A call got further.
    Progress {
        /// Whose, and which.
        reply: Reply,
        /// How far, as JSON text.
        progress: Box<str>,
    },
    /// An agent hears of a session that it joined or watches.
    News {
        /// Its connection.
        agent: Conn,
        /// Which session.
        session: SessionId,
        /// What.
        news: News,
    },
}

/// All pages that other hubs hold.
#[derive(Debug, Default)]
pub(crate) struct Elsewhere {
    pages: FxHashMap<SessionId, PageElsewhere>,
    aliases: FxHashMap<Box<str>, FxHashSet<SessionId>>,
    /// Whether the rows of pages here are wanted by others.
    pub wanted: bool,
    /// Sessions here whose rows may have changed.
    pub changed: FxHashSet<SessionId>,
}

impl Elsewhere {
    pub fn get(&self, session: &SessionId) -> Option<&PageElsewhere> {
        self.pages.get(session)
    }

    fn change(&mut self, listed: Listed) {
        let id = match &listed {
            Listed::There(page) => page.id.clone(),
            Listed::Gone(id) => id.clone(),
        };
        if let Some(before) = self.pages.remove(&id)
            && let Some(alias) = before.alias
            && let Some(named) = self.aliases.get_mut(&alias)
        {
            named.remove(&id);
            if named.is_empty() {
                self.aliases.remove(&alias);
            }
        }
        if let Listed::There(page) = listed {
            if let Some(alias) = &page.alias {
                self.aliases.entry(alias.clone()).or_default().insert(id.clone());
            }
            self.pages.insert(id, *page);
        }
    }

    /// Whether a page of another origin calls itself by this word.
    pub fn has_rival(&self, word: &str, origin: Option<&str>) -> bool {
        let rivals = self.aliases.get(word).into_iter().flatten().filter_map(|id| self.pages.get(id));
        rivals.into_iter().any(|rival| Some(&*rival.origin) != origin)
    }
}

impl Candidate for PageElsewhere {
    fn id(&self) -> &SessionId {
        &self.id
    }
    fn origin(&self) -> &str {
        &self.origin
    }
    fn alias(&self) -> Option<&str> {
        self.alias.as_deref()
    }
    fn title(&self) -> Option<&str> {
        Some(&self.title)
    }
    fn url(&self) -> Option<&str> {
        Some(&self.url)
    }
    fn is_frame(&self) -> bool {
        self.frame
    }
    fn is_driven(&self) -> bool {
        false
    }
    fn presence(&self) -> Presence {
        self.presence
    }
    fn is_recalled(&self) -> bool {
        false
    }
    fn used_at(&self) -> Millis {
        self.heard_at
    }
    fn made_at(&self) -> Millis {
        self.heard_at
    }
    fn name(&self) -> String {
        self.alias.as_deref().unwrap_or(self.id.as_str()).to_owned()
    }
}

impl Switchboard {
    /// From now on [`Switchboard::take_changed_rows`] tells what others list of the pages here; all of them at first.
    pub fn want_rows(&mut self) {
        self.elsewhere.wanted = true;
        self.elsewhere.changed = self.sessions.keys().cloned().collect();
    }

    /// Whether rows may have changed.
    pub fn has_changed_rows(&self) -> bool {
        !self.elsewhere.changed.is_empty()
    }

    /// The rows that may have changed, with the highest ref of each; `None` for a session without a page that is there or expected.
    pub fn take_changed_rows(&mut self, now: Millis) -> Vec<ChangedRow> {
        let changed = std::mem::take(&mut self.elsewhere.changed);
        let row_of = |session: &SessionId| {
            let held = self.sessions.get(session)?;
            let listed = held.presence() != Presence::Gone && !held.is_recalled();
            listed.then(|| (crate::row::row(now, held, None), held.info().last_ref))
        };
        changed.into_iter().map(|session| (session.clone(), row_of(&session))).collect()
    }

    pub(crate) fn row_changed(&mut self, session: &SessionId) {
        if self.elsewhere.wanted && !self.elsewhere.changed.contains(session) {
            self.elsewhere.changed.insert(session.clone());
        }
    }

    /// The list of pages that other hubs hold has changed.
    pub(crate) fn listed(&mut self, changes: Vec<Listed>) {
        for change in changes {
            self.elsewhere.change(change);
        }
    }

    /// Another hub holds a session from now on: its page here is told so and closed, and what it was asked ends.
    pub(crate) fn release(&mut self, now: Millis, session: &SessionId, out: &mut Vec<Effect>) {
        let Some(page) = self.sessions.get(session).and_then(Session::page) else { return };
        out.push(Effect::Replaced { page });
        out.push(Effect::Close { conn: page, close: Close::taken_over() });
        self.pages.remove(&page);
        self.topics.forget(page);
        self.session_on(now, session, Event::Left { page }, out);
    }

    /// A page that another hub holds, unless this hub's own page has the session.
    pub(crate) fn page_elsewhere(&self, session: &SessionId) -> Option<&PageElsewhere> {
        let page = self.elsewhere.get(session)?;
        let here = self.sessions.get(session).is_some_and(|held| held.presence() == Presence::Connected);
        (!here).then_some(page)
    }

    /// The pages of other hubs that exist for an agent.
    pub(crate) fn visible_elsewhere(&self, agent: Conn) -> impl Iterator<Item = &PageElsewhere> + Clone {
        let scope = self.agents.get(&agent).map(|known| known.scope.clone()).unwrap_or_default();
        let all = self.elsewhere.pages.values();
        all.filter(move |page| scope.sees(&page.origin) && self.page_elsewhere(&page.id).is_some())
    }

    /// Every page that exists for an agent, here or elsewhere.
    pub(crate) fn candidates(&self, agent: Conn) -> impl Iterator<Item = &dyn Candidate> + Clone {
        let here = self.visible(agent).filter(|held| self.page_elsewhere(held.id()).is_none());
        let elsewhere = self.visible_elsewhere(agent).map(|page| page as &dyn Candidate);
        here.map(|held| held as &dyn Candidate).chain(elsewhere)
    }

    /// Rows of the pages that other hubs hold.
    pub(crate) fn rows_elsewhere(&self, now: Millis, agent: Option<Conn>) -> Vec<SessionRow> {
        let current = agent.and_then(|agent| self.last_used(agent));
        let seen = |page: &&PageElsewhere| {
            let scope = agent.and_then(|agent| self.agents.get(&agent)).map(|known| &known.scope);
            scope.is_none_or(|scope| scope.sees(&page.origin)) && self.page_elsewhere(&page.id).is_some()
        };
        self.elsewhere.pages.values().filter(seen).map(|page| row_elsewhere(now, page, current)).collect()
    }

    /// Passes a request on when its page is elsewhere. `Some`: it is for this hub.
    pub(crate) fn unless_elsewhere(&mut self, now: Millis, input: Input, out: &mut Vec<Effect>) -> Option<Input> {
        if self.elsewhere.pages.is_empty() {
            return Some(input);
        }
        let found = match &input {
            Input::Ask { agent, page, .. } => self.find(*agent, page.as_deref()),
            Input::AskBatch { reply, page, .. }
            | Input::Tools { reply, page, .. }
            | Input::GetState { reply, page, .. }
            | Input::Watch { reply, page, .. }
            | Input::ReadMail { reply, page, .. } => self.find(reply.agent, page.as_deref()),
            Input::Info { reply, session } => self.find(reply.agent, session.as_deref()),
            Input::Join { agent, session, .. } => self.named(*agent, session),
            Input::Use { reply, page, .. } | Input::Forget { reply, page } => self.named(reply.agent, page),
            Input::Leave { reply } => match self.joined(reply.agent) {
                Some(session) => Ok(session.clone()),
                None => return Some(input),
            },
            _ => return Some(input),
        };
        // What cannot be found is refused where it always is.
        let Ok(session) = found else { return Some(input) };
        if self.page_elsewhere(&session).is_none() {
            return Some(input);
        }
        self.pass_on(now, session, input, out);
        None
    }

    fn pass_on(&mut self, now: Millis, session: SessionId, input: Input, out: &mut Vec<Effect>) {
        let Some(agent) = input.conn() else { return };
        self.used_elsewhere(now, agent, &session);
        let Some(known) = self.agents.get_mut(&agent) else { return };
        known.passed = true;
        let default_ms = known.timeout_ms;
        let page = Some(session.as_str().into());
        let reply_of = |form| Reply { agent, form };
        let (asker, is_call, wait_ms, input) = match input {
            Input::Ask { form, task, timeout_ms, mode, .. } => {
                let form = match form {
                    Some(ReplyForm::Compact(Form::Bare)) => Some(ReplyForm::Place(known.order.reserve())),
                    other => other,
                };
                if let Err(error) = known.admit(now, 1) {
                    return out.extend(form.map(|form| Effect::Ended {
                        reply: reply_of(form),
                        ending: Err(error),
                        delta: None,
                    }));
                }
                let timeout_ms = timeout_ms.or(default_ms);
                let (asker, mode) = match (mode, form.map(reply_of)) {
                    (Mode::Keep(id), reply) => match self.keep(now, agent, id) {
                        Ok((name, id)) => {
                            let receipt = format!(r#"{{"id":{}}}"#, json(&id));
                            out.extend(reply.map(|reply| Effect::Result { reply, result: Ok(receipt) }));
                            (Asker::Shelf { name, id }, Mode::Answer)
                        }
                        Err(error) => {
                            return out.extend(reply.map(|reply| Effect::Result { reply, result: Err(error) }));
                        }
                    },
                    (mode, Some(reply)) => (Asker::Agent(reply), mode),
                    (_, None) => (Asker::Nobody, Mode::Fire),
                };
                let is_call = mode == Mode::Answer;
                if is_call
                    && asker.agent().is_some()
                    && let Some(known) = self.agents.get_mut(&agent)
                {
                    known.in_flight += 1;
                }
                (asker, is_call, timeout_ms, Input::Ask { agent, form: None, task, page, timeout_ms, mode })
            }
            Input::AskBatch { reply, tasks, .. } => {
                let longest = tasks.iter().map(|(_, ms)| ms.or(default_ms).unwrap_or(CALL_TIMEOUT_DEFAULT_MS)).max();
                let tasks = tasks.into_iter().map(|(task, ms)| (task, ms.or(default_ms))).collect();
                (Asker::Agent(reply.clone()), false, longest, Input::AskBatch { reply, tasks, page })
            }
            Input::Tools { reply, query, .. } => {
                (Asker::Agent(reply.clone()), false, None, Input::Tools { reply, page, query })
            }
            Input::GetState { reply, fresh, query, .. } => {
                (Asker::Agent(reply.clone()), false, None, Input::GetState { reply, page, fresh, query })
            }
            Input::Watch { reply, wanted, .. } => {
                (Asker::Agent(reply.clone()), false, None, Input::Watch { reply, page, wanted })
            }
            Input::ReadMail { reply, timeout_ms, .. } => {
                (Asker::Agent(reply.clone()), false, timeout_ms, Input::ReadMail { reply, page, timeout_ms })
            }
            Input::Info { reply, .. } => {
                (Asker::Agent(reply.clone()), false, None, Input::Info { reply, session: page })
            }
            Input::Join { form, .. } => {
                self.leave(agent);
                self.used_elsewhere(now, agent, &session);
                if let Some(known) = self.agents.get_mut(&agent) {
                    known.joined.clone_from(&known.last_used);
                }
                let asker = form.map_or(Asker::Nobody, |form| Asker::Agent(reply_of(form)));
                (asker, false, None, Input::Join { agent, form: None, session: session.as_str().into() })
            }
            Input::Leave { reply } => {
                self.leave(agent);
                (Asker::Agent(reply.clone()), false, None, Input::Leave { reply })
            }
            Input::Use { reply, name, .. } => {
                let result = self.chosen_elsewhere(now, agent, &session, name.is_some());
                return out.push(Effect::Result { reply, result });
            }
            Input::Forget { reply, .. } => {
                let error = Error::new(Code::SESSION, format!("the page {session} is connected to another hub"));
                return out.push(Effect::Result { reply, result: Err(error.hint("close its tab first")) });
            }
            _ => return,
        };
        let Some(known) = self.agents.get(&agent) else { return };
        let caller = Caller { agent, name: known.name.clone(), scope: known.scope.clone(), frame: known.frame.clone() };
        let wait_ms = wait_ms.unwrap_or(CALL_TIMEOUT_DEFAULT_MS).min(CALL_TIMEOUT_MAX_MS);
        let lifetime_ms = wait_ms + AWAY_CALL_MARGIN_MS;
        out.push(Effect::PassOn(Box::new(Passed { session, caller, asker, is_call, lifetime_ms, input })));
    }

    fn chosen_elsewhere(
        &mut self,
        now: Millis,
        agent: Conn,
        session: &SessionId,
        named: bool,
    ) -> Result<String, Error> {
        let Some(page) = self.elsewhere.get(session) else { return Ok("null".into()) };
        if named {
            let message = format!("the page {session} is at the hub `{}`, and only that hub can name it", page.hub);
            return Err(Error::new(Code::SESSION, message).hint("leave out --as, or name it at that hub"));
        }
        Ok(json(&row_elsewhere(now, page, self.last_used(agent))))
    }

    fn used_elsewhere(&mut self, now: Millis, agent: Conn, session: &SessionId) {
        let Some(page) = self.elsewhere.get(session) else { return };
        let page = UsedPage { session: session.clone(), origin: page.origin.clone() };
        self.remember_used(now, agent, page);
    }

    /// Another hub says something of what was passed on.
    pub(crate) fn back(&mut self, now: Millis, back: Back, out: &mut Vec<Effect>) {
        match back {
            Back::Ended { asker, ending, delta, asked_at } => {
                self.follow_one(now, Outcome::Ended { asker, ending, asked_at, delta }, out);
            }
            Back::Result { reply, result } => out.push(Effect::Result { reply, result }),
            Back::Progress { reply, progress } => out.push(Effect::Progress { reply, progress }),
            Back::News { agent, session, news } => out.push(Effect::News { agent, session, news }),
        }
    }
}

fn row_elsewhere(now: Millis, page: &PageElsewhere, current: Option<&UsedPage>) -> SessionRow {
    SessionRow {
        id: page.id.to_string(),
        hub: Some(page.hub.to_string()),
        name: None,
        alias: page.alias.as_deref().map(Into::into),
        title: page.title.to_string(),
        url: page.url.to_string(),
        origin: page.origin.to_string(),
        state: page.presence,
        visible: page.visible,
        frame: page.frame,
        parent: None,
        eval: page.eval,
        tools: page.tools as usize,
        pending: 0,
        idle_ms: now.saturating_sub(page.heard_at),
        used_ms: None,
        used_by: None,
        current: current.is_some_and(|used| used.is(page)),
    }
}

impl Candidate for Session {
    fn id(&self) -> &SessionId {
        Session::id(self)
    }
    fn origin(&self) -> &str {
        Session::origin(self)
    }
    fn alias(&self) -> Option<&str> {
        self.info().alias.as_deref()
    }
    fn title(&self) -> Option<&str> {
        self.info().title.as_deref()
    }
    fn url(&self) -> Option<&str> {
        self.info().url.as_deref()
    }
    fn is_frame(&self) -> bool {
        self.info().frame == Some(true)
    }
    fn is_driven(&self) -> bool {
        Session::is_driven(self)
    }
    fn presence(&self) -> Presence {
        Session::presence(self)
    }
    fn is_recalled(&self) -> bool {
        Session::is_recalled(self)
    }
    fn used_at(&self) -> Millis {
        Session::used_at(self)
    }
    fn made_at(&self) -> Millis {
        Session::made_at(self)
    }
    fn name(&self) -> String {
        Session::name(self)
    }
}
