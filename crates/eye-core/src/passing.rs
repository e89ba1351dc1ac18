//! Requests for pages that other hubs hold: resolved like requests for pages here, passed on, and answered when the
//! other hub answers.

use crate::agent::UsedPage;
use crate::candidate::Candidate;
use crate::effect::Effect;
use crate::elsewhere::{Back, Caller, ChangedInterest, ChangedRow, PageElsewhere, RowHere, TopicsNews};
use crate::ids::{Conn, Millis};
use crate::input::Input;
use crate::passed::Passed;
use crate::session_event::Outcome;
use crate::snapshots::Snapshotting;
use crate::switchboard::Switchboard;
use crate::task::{Asker, Mode, News, Reply, ReplyForm};
use eye_protocol::compact::Form;
use eye_protocol::limits::{AWAY_CALL_MARGIN_MS, CALL_TIMEOUT_DEFAULT_MS, CALL_TIMEOUT_MAX_MS};
use eye_protocol::messages::{Presence, SessionRow};
use eye_protocol::rpc::json;
use eye_protocol::{Code, Error, SessionId};

impl Switchboard {
    /// From now on [`Switchboard::take_changed_rows`] returns the rows that other hubs list; all of them at first.
    pub fn want_rows(&mut self) {
        self.elsewhere.wanted = true;
        self.elsewhere.changed = self.sessions.keys().cloned().collect();
        self.topics.want_interests();
    }

    /// Whether [`Switchboard::take_changed_interests`] would return anything.
    pub fn has_changed_interests(&self) -> bool {
        self.topics.has_changed_interests()
    }

    /// The interests that changed here since the last call.
    pub fn take_changed_interests(&mut self) -> Vec<ChangedInterest> {
        self.topics.take_changed_interests()
    }

    /// Whether rows may have changed.
    pub fn has_changed_rows(&self) -> bool {
        !self.elsewhere.changed.is_empty()
    }

    /// The rows that may have changed, with the highest ref of each; `None` for a session without a page that is there
    /// or expected.
    pub fn take_changed_rows(&mut self, now: Millis) -> Vec<ChangedRow> {
        let changed = std::mem::take(&mut self.elsewhere.changed);
        let row_of = |session: &SessionId| {
            let held = self.sessions.get(session)?;
            let listed = held.presence() != Presence::Gone && !held.is_recalled();
            let row = || crate::row::row(now, held, None);
            listed.then(|| RowHere { row: row(), last_ref: held.info().last_ref, page: held.page() })
        };
        changed.into_iter().map(|session| (session.clone(), row_of(&session))).collect()
    }

    pub(crate) fn row_changed(&mut self, session: &SessionId) {
        if self.elsewhere.wanted && !self.elsewhere.changed.contains(session) {
            self.elsewhere.changed.insert(session.clone());
        }
    }

    /// Handles a report from another hub.
    pub(crate) fn on_elsewhere(&mut self, now: Millis, input: Input, out: &mut Vec<Effect>) {
        match input {
            Input::Back(back) => self.back(now, *back, out),
            Input::Topics(news) => match *news {
                TopicsNews::Interests { hub, interests } => self.receive_interests(now, &hub, interests, out),
                TopicsNews::Published(message) => self.published_elsewhere(now, message, out),
            },
            Input::Listed(changes) => {
                for change in changes {
                    self.note_gone(now, &change);
                    self.elsewhere.change(change.clone());
                    self.watch_anew(&change, out);
                }
            }
            _ => {}
        }
    }

    /// A page that another hub holds, unless this hub's own page has the session.
    pub(crate) fn page_elsewhere(&self, session: &SessionId) -> Option<&PageElsewhere> {
        let page = self.elsewhere.get(session)?;
        let here = self.sessions.get(session).is_some_and(|held| held.presence() == Presence::Connected);
        (!here).then_some(page)
    }

    /// The pages of other hubs that an agent may see.
    pub(crate) fn visible_elsewhere(&self, agent: Conn) -> impl Iterator<Item = &PageElsewhere> + Clone {
        let all = self.elsewhere.pages.values().map(|page| &**page);
        all.filter(move |page| self.sees_origin(agent, &page.origin) && self.page_elsewhere(&page.id).is_some())
    }

    /// Every page that an agent may see, here or elsewhere.
    pub(crate) fn candidates(&self, agent: Conn) -> impl Iterator<Item = &dyn Candidate> + Clone {
        let here = self.visible(agent).filter(|held| self.page_elsewhere(held.id()).is_none());
        let elsewhere = self.visible_elsewhere(agent).map(|page| page as &dyn Candidate);
        here.map(|held| held as &dyn Candidate).chain(elsewhere)
    }

    /// Rows of the pages that other hubs hold.
    pub(crate) fn rows_elsewhere(&self, now: Millis, agent: Option<Conn>) -> Vec<SessionRow> {
        let current = agent.and_then(|agent| self.last_used(agent));
        let seen = |page: &&PageElsewhere| {
            agent.is_none_or(|agent| self.sees_origin(agent, &page.origin)) && self.page_elsewhere(&page.id).is_some()
        };
        self.elsewhere
            .pages
            .values()
            .map(|page| &**page)
            .filter(seen)
            .map(|page| row_elsewhere(now, page, current))
            .collect()
    }

    /// Passes a request on when its page is elsewhere. `Some`: the request is for this hub.
    pub(crate) fn unless_elsewhere(&mut self, now: Millis, input: Input, out: &mut Vec<Effect>) -> Option<Input> {
        if self.elsewhere.pages.is_empty() {
            return Some(input);
        }
        let found = match (&input, input.page_request()) {
            (_, Some((agent, page))) => self.find_and_remember(agent, page),
            (Input::Leave { reply }, None) => match self.joined(reply.agent) {
                Some(session) => Ok(session.clone()),
                None => return Some(input),
            },
            (_, None) => return Some(input),
        };
        // A page that cannot be found is refused on the usual path.
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
        let (default_ms, scope) = (known.timeout_ms, known.scope.clone());
        let page = Some(session.as_str().into());
        let reply_of = |form| Reply { agent, form };
        let (asker, is_call, wait_ms, input) = match input {
            Input::Ask { form, task, timeout_ms, mode, .. } => {
                let form = match form {
                    Some(ReplyForm::Compact(Form::Bare)) => Some(ReplyForm::Place(known.order.reserve())),
                    other => other,
                };
                if let Err(error) = known.admit(now, 1) {
                    if let Some(form) = form {
                        self.ended(reply_of(form), Err(error), None, out);
                    }
                    return;
                }
                let timeout_ms = timeout_ms.or(default_ms);
                let (asker, mode) = match (mode, form.map(reply_of)) {
                    (Mode::Keep(id), reply) => match self.keep(now, agent, id) {
                        Ok((name, id)) => {
                            let receipt = format!(r#"{{"id":{}}}"#, json(&id));
                            out.extend(reply.map(|reply| Effect::Result { reply, result: Ok(receipt) }));
                            (Asker::Shelf { name, id, scope }, Mode::Answer)
                        }
                        Err(error) => {
                            return out.extend(reply.map(|reply| Effect::Result { reply, result: Err(error) }));
                        }
                    },
                    (mode, Some(reply)) => (Asker::Agent(reply), mode),
                    (_, None) => (Asker::Fired { scope }, Mode::Fire),
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
            Input::Snapshot { reply, wanted, .. } => {
                // To restore is a call to the page.
                let is_call = matches!(wanted, Snapshotting::Restore { .. });
                known.in_flight += usize::from(is_call);
                (Asker::Agent(reply.clone()), is_call, None, Input::Snapshot { reply, page, wanted })
            }
            Input::Watch { reply, wanted, renewed, .. } => {
                self.watch_elsewhere(&reply, &session, wanted);
                (Asker::Agent(reply.clone()), false, None, Input::Watch { reply, page, wanted, renewed })
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
                self.join_elsewhere(agent, &session);
                let asker = form.map_or(Asker::Fired { scope }, |form| Asker::Agent(reply_of(form)));
                (
                    asker,
                    false,
                    None,
                    Input::Join { agent, form: None, session: session.as_str().into(), renewed: false },
                )
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

    /// Handles a report on a request that was passed on.
    pub(crate) fn back(&mut self, now: Millis, back: Back, out: &mut Vec<Effect>) {
        match back {
            Back::Ended { asker, ending, delta, asked_at } => {
                self.follow_one(now, Outcome::Ended { asker, ending, asked_at, delta }, out);
            }
            Back::Result { reply, result } => {
                self.watch_answered(&reply, result.is_err());
                out.push(Effect::Result { reply, result });
            }
            Back::Progress { reply, progress } => out.push(Effect::Progress { reply, progress }),
            Back::News { agent, session, news } => {
                // The agent may have left the session meanwhile.
                if matches!(news, News::State { .. }) || self.joined(agent) == Some(&session) {
                    out.push(Effect::News { agent, session, news });
                }
            }
        }
    }
}

fn row_elsewhere(now: Millis, page: &PageElsewhere, current: Option<&UsedPage>) -> SessionRow {
    SessionRow {
        id: page.id.to_string(),
        hub: Some(page.hub.to_string()),
        name: page.name.as_deref().map(Into::into),
        alias: page.alias.as_deref().map(Into::into),
        title: page.title.to_string(),
        url: page.url.to_string(),
        origin: page.origin.to_string(),
        state: page.presence,
        visible: page.visible,
        frame: page.frame,
        parent: None,
        browser: None,
        window: None,
        eval: page.eval,
        tools: page.tools as usize,
        pending: 0,
        idle_ms: now.saturating_sub(page.heard_at),
        used_ms: None,
        used_by: None,
        current: current.is_some_and(|used| used.is(page)),
    }
}
