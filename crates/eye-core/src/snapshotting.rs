//! What agents do with snapshots: save the page's state, list them, restore one. Also calls that are done only at a
//! certain revision.

use crate::effect::Effect;
use crate::ids::Millis;
use crate::input::Input;
use crate::session::Session;
use crate::session_event::{Event, Outcome};
use crate::snapshots::{Published, Snapshotting, conflict};
use crate::state::{State, StateQuery};
use crate::switchboard::Switchboard;
use crate::task::{Mode, Reply, Task, Terms};
use crate::then::Then;
use crate::work::Work;
use eye_protocol::limits::NAME_BYTES_MAX;
use eye_protocol::{Code, Ending, Error};

/// The method that sets a page's state.
const SET: &str = "state/set";

impl Switchboard {
    pub(crate) fn snapshot(
        &mut self,
        now: Millis,
        reply: Reply,
        page: Option<Box<str>>,
        wanted: Snapshotting,
        out: &mut Vec<Effect>,
    ) {
        let (name, if_revision) = match wanted {
            Snapshotting::Save(name) if name.is_empty() || name.len() > NAME_BYTES_MAX => {
                let error = Error::new(Code::PARAMS, format!("a name has 1 to {NAME_BYTES_MAX} bytes"));
                out.push(Effect::Result { reply, result: Err(error) });
                return;
            }
            Snapshotting::Save(name) => {
                // The page is asked for its state first: what a call has just changed may be on its way.
                let query = StateQuery { keep: Some(name), ..StateQuery::default() };
                let event = |reply| Event::StateWanted { reply, fresh: true, query };
                return self.want(now, reply, page.as_deref(), event, out);
            }
            Snapshotting::List => {
                return self.want(now, reply, page.as_deref(), |reply| Event::SnapshotsWanted { reply }, out);
            }
            Snapshotting::Restore { name, if_revision } => (name, if_revision),
        };
        let held = self.find(reply.agent, page.as_deref()).map(|session| self.sessions.get(&session));
        let document = match held {
            Ok(Some(held)) => held.published.snapshots.get(&name),
            Ok(None) => Err(Error::new(Code::SESSION, "the page is gone")),
            Err(error) => Err(error),
        };
        match document {
            Ok(document) => {
                let params = format!(r#"{{"state":{document}}}"#).into();
                let terms = Terms { delta: true, if_revision };
                let task = Task::Verb { method: SET.into(), params, again: false, terms };
                let (agent, form) = (reply.agent, Some(reply.form));
                let ask = Input::Ask { agent, form, task, page, timeout_ms: None, mode: Mode::Answer };
                self.check_and_ask(now, ask, out);
            }
            Err(error) => out.push(Effect::Result { reply, result: Err(error) }),
        }
    }
}

impl Session {
    pub(crate) fn list_snapshots(&self, reply: Reply, out: &mut Vec<Outcome>) {
        out.push(Outcome::Effect(Effect::Result { reply, result: Ok(self.published.snapshots.list()) }));
    }

    /// Keeps the known state under a name, here or on a worker.
    pub(crate) fn keep(&mut self, reply: Reply, name: Box<str>, out: &mut Vec<Outcome>) {
        let wall_ms = self.published.wall_ms;
        let Some(state) = &mut self.published.state else {
            let error =
                Error::new(Code::SESSION, "no state of this page is known").hint("`eye state` asks the page for it");
            return out.push(Outcome::Effect(Effect::Result { reply, result: Err(error) }));
        };
        if !state.is_light(&StateQuery::default())
            && let Some(document) = state.lend()
        {
            self.begin(Work::Read(document, None), Then::Save { reply, name }, out);
            return;
        }
        let of = Published { revision: state.revision(), wall_ms, at: state.changed_at() };
        let text = state.text().and_then(|text| {
            text.ok_or_else(|| Error::new(Code::SESSION, "the state is not at hand").hint("save it again"))
        });
        let result = text.map(|text| self.published.snapshots.keep(name, text, of));
        out.push(Outcome::Effect(Effect::Result { reply, result }));
    }

    /// Refuses a task that requires another revision, and replaces the required revision by the page's own number for
    /// it.
    pub(crate) fn at_revision(&self, task: &mut Task) -> Result<(), Error> {
        let Some(terms) = task.terms_mut() else { return Ok(()) };
        let Some(expected) = terms.if_revision else { return Ok(()) };
        match &self.published.state {
            Some(state) if state.is_current() && state.revision() == expected => {
                terms.if_revision = Some(state.page_revision());
                Ok(())
            }
            Some(state) if state.is_current() => Err(conflict(expected, state.revision())),
            Some(_) | None => {
                let message = format!("the page has published no state, so it is not at revision {expected}");
                Err(Error::new(Code::CONFLICT, message).hint("`eye state --json` tells the revision"))
            }
        }
    }

    /// The page found its state changed: replaces its error by the hub's own, with both revisions.
    pub(crate) fn conflicting(&self, if_revision: Option<u64>, ending: Ending) -> Ending {
        match (ending, if_revision) {
            (Err(error), Some(expected)) if error.code == Code::CONFLICT => {
                Err(conflict(expected, self.published.state.as_ref().map_or(0, State::revision)))
            }
            (ending, _) => ending,
        }
    }
}
