//! The actions of pages and the requests of agents, as inputs.

use super::steps::{PageDoes, Wants};
use super::world::{World, reply, session};
use eye_core::state::StateQuery;
use eye_core::{Conn, Input, Mode, PageEvent, Policy, ReplyForm, Snapshotting, Task, Terms, ToolQuery};
use eye_protocol::id::LineId;
use eye_protocol::limits::LIGHT_BYTES_MAX;
use eye_protocol::messages::PageInfo;
use eye_protocol::state::{Change, WholeState};
use eye_protocol::topics::Publish;
use eye_protocol::{Code, Error, Value};
use serde_json::value::RawValue;

fn raw(text: String) -> Box<RawValue> {
    RawValue::from_string(text).expect("JSON")
}

/// Text that is checked by a worker if it is large.
fn text(large: bool) -> String {
    if large { "x".repeat(LIGHT_BYTES_MAX) } else { "x".into() }
}

fn publish() -> Publish {
    let (topic, message) = ("news".into(), raw("1".into()));
    Publish { topic, message, own_word: None, queue: None, timeout: Some(50), all: true }
}

impl World {
    pub fn page_does(&mut self, number: u8, does: &PageDoes) {
        let Some(page) = self.pages.get(usize::from(number)).copied() else { return };
        let is_joined = self.board.session_of(page).is_some();
        let event = match does {
            PageDoes::Leaves => PageEvent::Left,
            PageDoes::Hides => PageEvent::Leaving,
            PageDoes::Changes { paused } => {
                let paused = Some(if *paused { "by the user" } else { "" }.into());
                PageEvent::Changed(Box::new(PageInfo { paused, ..PageInfo::default() }))
            }
            PageDoes::IsAllowed { nothing } => {
                PageEvent::Allowed(Policy { denied: *nothing, eval_allowed: !nothing, ..Policy::default() })
            }
            PageDoes::Lives => PageEvent::Alive,
            PageDoes::Navigates { call } => PageEvent::Navigating { call: (*call).into(), url: "http://x/".into() },
            PageDoes::Answers { call, wrong } => {
                let ending = if *wrong { Err(Error::new(Code::THREW, "no")) } else { Ok(Value::Json("1".into())) };
                PageEvent::Answered { call: (*call).into(), ending }
            }
            PageDoes::Progresses { call } => PageEvent::Progressed { call: (*call).into(), progress: "{}".into() },
            PageDoes::Offers { large } => {
                let schema = r#"{"properties":{"text":{"type":"string"}}}"#;
                let about = text(*large);
                let tool = format!(r#"{{"name":"put","description":"{about}","inputSchema":{schema}}}"#);
                let id = is_joined.then(|| self.ask(page).into());
                PageEvent::Offers { id, tools: vec![tool.into()] }
            }
            PageDoes::Withdraws => {
                let id = is_joined.then(|| self.ask(page).into());
                PageEvent::Withdraws { id, names: vec!["put".into()] }
            }
            PageDoes::IsCapable => PageEvent::Capable(vec!["eval".into()]),
            PageDoes::Publishes { large, revision } => {
                let state = format!(r#"{{"n":1,"text":"{}"}}"#, text(*large));
                PageEvent::State { whole: WholeState { state: state.into(), revision: (*revision).into() }, wall_ms: 0 }
            }
            PageDoes::Patches { revision, fits } => {
                let at = if *fits { "/n" } else { "/a/b" };
                let patch = format!(r#"[{{"op":"replace","path":"{at}","value":2}}]"#).into();
                PageEvent::StateChanged { change: Change { patch, revision: (*revision).into() }, wall_ms: 0 }
            }
            PageDoes::Puts => PageEvent::Puts { message: "1".into(), wall_ms: 0 },
            PageDoes::Says | PageDoes::Hears { .. } if !is_joined => return,
            PageDoes::Says => {
                let id = Some(self.ask(page).into());
                return self.on(Input::Publish { conn: page, id, message: publish(), wall_ms: 0 });
            }
            PageDoes::Hears { wanted } => {
                let id = Some(self.ask(page).into());
                return self.on(Input::Subscribe { conn: page, id, topic: "news".into(), wanted: *wanted });
            }
        };
        self.on(Input::page(page, event));
    }

    pub fn wants(&mut self, agent: u8, at: Option<u8>, wants: &Wants, form: u8) {
        let agent = self.agent(agent);
        let page = at.map(|at| session(at).as_str().into());
        let named = || session(at.unwrap_or(0)).as_str().into();
        let input = match wants {
            Wants::Code => return self.calls(agent, None, wants, 1),
            Wants::Eval { .. } | Wants::Tool { .. } | Wants::Verb { .. } | Wants::Fire | Wants::Keep { .. } => {
                return self.calls(agent, page, wants, form);
            }
            Wants::Batch => {
                let tool = || (tool("put", false), Some(80));
                let tasks = vec![tool(), (eval(false), None), tool()];
                Input::AskBatch { reply: reply(agent, self.ask(agent)), tasks, page }
            }
            Wants::State { fresh } => {
                let query = StateQuery::default();
                Input::GetState { reply: reply(agent, self.ask(agent)), page, fresh: *fresh, query }
            }
            Wants::Snapshot { which } => {
                let wanted = match which {
                    0 => Snapshotting::Save("before".into()),
                    1 => Snapshotting::List,
                    _ => Snapshotting::Restore { name: "before".into(), if_revision: None },
                };
                Input::Snapshot { reply: reply(agent, self.ask(agent)), page, wanted }
            }
            Wants::Watch { wanted } => {
                Input::Watch { reply: reply(agent, self.ask(agent)), page, wanted: *wanted, renewed: false }
            }
            Wants::Mail { waits } => {
                Input::ReadMail { reply: reply(agent, self.ask(agent)), page, timeout_ms: waits.then_some(300) }
            }
            Wants::Tools => Input::Tools { reply: reply(agent, self.ask(agent)), page, query: ToolQuery::List(None) },
            Wants::Join => {
                let form = Some(ReplyForm::Rpc(self.ask(agent).into()));
                Input::Join { agent, form, session: named(), renewed: false }
            }
            Wants::Leave => Input::Leave { reply: reply(agent, self.ask(agent)) },
            Wants::Info => Input::Info { reply: reply(agent, self.ask(agent)), session: page },
            Wants::Collect { waits } => {
                let timeout_ms = waits.then_some(300);
                Input::Collect { reply: reply(agent, self.ask(agent)), ids: Vec::new(), timeout_ms }
            }
            Wants::List => Input::List { reply: reply(agent, self.ask(agent)) },
            Wants::Use { named: own } => {
                let name = own.then(|| "bank".into());
                Input::Use { reply: reply(agent, self.ask(agent)), page: named(), name }
            }
            Wants::Forget => Input::Forget { reply: reply(agent, self.ask(agent)), page: named() },
            Wants::Says => {
                let id = Some(self.ask(agent).into());
                Input::Publish { conn: agent, id, message: publish(), wall_ms: 0 }
            }
            Wants::Hears { wanted } => {
                let id = Some(self.ask(agent).into());
                Input::Subscribe { conn: agent, id, topic: "news".into(), wanted: *wanted }
            }
        };
        self.on(input);
    }

    fn calls(&mut self, agent: Conn, page: Option<Box<str>>, wants: &Wants, form: u8) {
        let id = self.ask(agent);
        let form = Some(match form {
            0 => ReplyForm::Tool(id.into()),
            1 => ReplyForm::Line(LineId::parse(&id).expect("a line's id")),
            _ => ReplyForm::Rpc(id.into()),
        });
        let (task, mode, timeout_ms) = match wants {
            Wants::Tool { large } => (tool("put", *large), Mode::Answer, None),
            Wants::Verb { again } => {
                let (method, params) = ("page/look".into(), "{}".into());
                (Task::Verb { method, params, again: *again, terms: Terms::default() }, Mode::Answer, None)
            }
            Wants::Code => (eval(false), Mode::Answer, None),
            Wants::Fire => (eval(false), Mode::Fire, None),
            Wants::Keep { named } => (eval(false), Mode::Keep(named.then(|| "k".into())), None),
            Wants::Eval { brief, delta } => (eval(*delta), Mode::Answer, brief.then_some(50)),
            other => panic!("{other:?} is no call"),
        };
        self.on(Input::Ask { agent, form, task, page, timeout_ms, mode });
    }
}

fn eval(delta: bool) -> Task {
    let terms = Terms { delta, if_revision: None };
    Task::Eval { code: "x".into(), frame: None, terms }
}

fn tool(name: &str, large: bool) -> Task {
    let arguments = format!(r#"{{"text":"{}"}}"#, text(large)).into();
    Task::Tool { name: name.into(), arguments, confirmed: false, terms: Terms::default() }
}
