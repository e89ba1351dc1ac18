//! Runs an event script, one event a line, and pictures the effects of each.

use crate::plain;
use eye_core::state::StateQuery;
use eye_core::{
    Conn, Effect, Input, Lane, Mode, Newcomer, News, PageEvent, Policy, Reply, ReplyForm, Snapshotting, Switchboard,
    Task, Terms, ToolQuery, Work,
};
use eye_protocol::answer::{parse_typed, write_typed};
use eye_protocol::compact::Form;
use eye_protocol::id::LineId;
use eye_protocol::messages::{Hello, PageInfo};
use eye_protocol::operations::Class;
use eye_protocol::scope::{Limits, Scope};
use eye_protocol::state::{Change, WholeState};
use eye_protocol::topics::Publish;
use eye_protocol::{Code, Ending, Error, SessionId};
use std::fmt::Write;

/// Plays the script and returns it with every effect below the event that caused it. With and without the short way of
/// calls, the effects are the same.
pub fn play(script: &str) -> String {
    let picture = play_it(script, Switchboard::on);
    let short = play_it(script, |board, now, input, out| {
        plain::on(board, now, input, out);
    });
    assert_eq!(picture, short);
    picture
}

fn play_it(script: &str, mut on: impl FnMut(&mut Switchboard, u64, Input, &mut Vec<Effect>)) -> String {
    let mut board = Switchboard::default();
    let mut picture = String::new();
    let mut works: Vec<(Lane, Work)> = Vec::new();
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        picture.push_str(line);
        picture.push('\n');
        let (now, event) = line.split_once(' ').expect("a time and an event");
        let mut effects = Vec::new();
        let now = now.parse().expect("a time in ms");
        if event.trim() == "works" {
            for (lane, work) in std::mem::take(&mut works) {
                on(&mut board, now, Input::Worked { lane, done: work.run(|| {}) }, &mut effects);
            }
        } else {
            on(&mut board, now, input(event.trim()), &mut effects);
        }
        for effect in effects {
            writeln!(picture, "    {}", show(&effect)).expect("a String takes it");
            if let Effect::Work { lane, work } = effect {
                works.push((lane, *work));
            }
        }
    }
    picture
}

fn input(event: &str) -> Input {
    if event == "tick" {
        return Input::Tick;
    }
    if event == "shutdown" {
        return Input::Shutdown;
    }
    let mut words = event.splitn(4, ' ');
    let mut next = || words.next().unwrap_or("");
    let (kind, conn, verb, rest) = (next(), next(), next(), next());
    let conn = Conn(conn.parse().expect("a connection number"));
    match kind {
        "page" => page(conn, verb, rest),
        "agent" => agent(conn, verb, rest),
        other => panic!("no such peer: {other}"),
    }
}

fn page(page: Conn, verb: &str, rest: &str) -> Input {
    let (first, tail) = rest.split_once(' ').unwrap_or((rest, ""));
    let call = || first.parse().expect("a call number");
    let revision = || first.parse().expect("a revision");
    match verb {
        "joins" => {
            let word =
                |key: &str| tail.split_once(key).map(|(_, value)| value.split(' ').next().unwrap_or("").to_owned());
            let info = PageInfo {
                title: word("titled ").or(Some("Shop".into())).filter(|title| title != "-"),
                url: Some(word("at ").unwrap_or_else(|| "http://localhost/".into())),
                alias: word("called "),
                eval: tail.contains("refusing").then_some(false),
                frame: tail.contains("framed").then_some(true),
                loading: tail.contains("loading").then_some(true),
                ..PageInfo::default()
            };
            let origin = word("from ").unwrap_or_else(|| "http://localhost".into()).into();
            let session = SessionId::parse(first).expect("a session id");
            let policy = policy(tail);
            let driven = tail.contains("driven");
            Input::PageJoined {
                page,
                session,
                who: Box::new(Newcomer { origin, info, policy, ask_first: false, driven }),
            }
        }
        "leaves" => Input::page(page, PageEvent::Left),
        "allowed" => Input::page(page, PageEvent::Allowed(policy(rest))),
        "hides" => Input::page(page, PageEvent::Leaving),
        "lives" => Input::page(page, PageEvent::Alive),
        "pauses" => Input::page(
            page,
            PageEvent::Changed(Box::new(PageInfo { paused: Some(rest.into()), ..PageInfo::default() })),
        ),
        "titled" => Input::page(
            page,
            PageEvent::Changed(Box::new(PageInfo { title: Some(rest.into()), ..PageInfo::default() })),
        ),
        "loaded" => {
            Input::page(page, PageEvent::Changed(Box::new(PageInfo { loading: Some(false), ..PageInfo::default() })))
        }
        "goes" => Input::page(
            page,
            PageEvent::Changed(Box::new(PageInfo { leaving: Some(rest.into()), ..PageInfo::default() })),
        ),
        "stops" => Input::page(
            page,
            PageEvent::Changed(Box::new(PageInfo { dialog: Some(rest.into()), ..PageInfo::default() })),
        ),
        "navigates" => Input::page(page, PageEvent::Navigating { call: call(), url: tail.into() }),
        "offers" => Input::page(page, PageEvent::Offers { id: Some("1".into()), tools: raws(rest) }),
        "withdraws" => Input::page(page, PageEvent::Withdraws { id: None, names: vec![rest.into()] }),
        "can" => Input::page(page, PageEvent::Capable(rest.split_whitespace().map(Into::into).collect())),
        "publishes" => Input::page(
            page,
            PageEvent::State { whole: WholeState { state: raws(tail).remove(0), revision: revision() }, wall_ms: 0 },
        ),
        "patches" => {
            let change = Change { patch: raws(tail).remove(0), revision: revision() };
            Input::page(page, PageEvent::StateChanged { change, wall_ms: 0 })
        }
        "says" => publish(page, rest),
        "hears" => subscribe(page, rest, true),
        "puts" => Input::page(page, PageEvent::Puts { message: rest.into(), wall_ms: 7 }),
        "progresses" => Input::page(page, PageEvent::Progressed { call: call(), progress: tail.into() }),
        "answers" => {
            let text = format!("x{tail}");
            let (_, ending) = parse_typed(&text).expect("a typed answer");
            Input::page(page, PageEvent::Answered { call: call(), ending })
        }
        other => panic!("pages do not {other}"),
    }
}

/// The user's policy: `barred` allows nothing, `denied` no code, `careful` asks to confirm, `sharing TOPIC` shares it.
fn policy(words: &str) -> Policy {
    let shared = words.split_once("sharing ").map(|(_, topic)| topic.split(' ').next().unwrap_or("").into());
    Policy {
        eval_allowed: !words.contains("denied"),
        confirm: words.contains("careful"),
        topics: shared.into_iter().collect(),
        denied: words.contains("barred"),
    }
}

/// A request of an agent about the state of its page.
fn of_state(reply: Reply, verb: &str, rest: &str) -> Option<Input> {
    let (first, tail) = rest.split_once(' ').unwrap_or((rest, ""));
    let wanted = match verb {
        "reads" | "refreshes" => {
            let path = Some(rest.to_owned()).filter(|path| !path.is_empty());
            let query = StateQuery { path, ..StateQuery::default() };
            return Some(Input::GetState { reply, page: None, fresh: verb == "refreshes", query });
        }
        "reads-since" => {
            let query = StateQuery { since: Some(first.parse().expect("a revision")), ..StateQuery::default() };
            return Some(Input::GetState { reply, page: None, fresh: false, query });
        }
        "watches" | "unwatches" => {
            return Some(Input::Watch { reply, page: None, wanted: verb == "watches", renewed: false });
        }
        "saves" => Snapshotting::Save(rest.into()),
        "saved" => Snapshotting::List,
        "restores" => Snapshotting::Restore { name: first.into(), if_revision: tail.parse().ok() },
        _ => return None,
    };
    Some(Input::Snapshot { reply, page: None, wanted })
}

fn agent(agent: Conn, verb: &str, rest: &str) -> Input {
    let (first, tail) = rest.split_once(' ').unwrap_or((rest, ""));
    let reply = || Reply { agent, form: ReplyForm::Rpc("1".into()) };
    let ask = |form, code: &str, timeout_ms, mode| Input::Ask {
        agent,
        form,
        task: Task::Eval { code: code.into(), frame: None, terms: Terms::default() },
        page: None,
        timeout_ms,
        mode,
    };
    let line = |id: &str| Some(ReplyForm::Line(LineId::parse(id).expect("a call id")));
    match verb {
        "joins" => Input::AgentJoined { agent },
        "leaves" => Input::AgentLeft { agent },
        "revoked" => Input::AgentRevoked { agent, error: Error::new(Code::DENIED, "the token `ci` was revoked") },
        "named" => Input::AgentHello { agent, hello: Box::new(Hello { agent: Some(rest.into()), ..Hello::default() }) },
        "targets" => {
            Input::AgentHello { agent, hello: Box::new(Hello { target: Some(rest.into()), ..Hello::default() }) }
        }
        "asks" => ask(line(first), tail, None, Mode::Answer),
        "asks-bare" => ask(Some(ReplyForm::Compact(Form::Bare)), rest, None, Mode::Answer),
        "asks-briefly" => ask(line(first), tail, Some(100), Mode::Answer),
        "fires" => ask(None, rest, None, Mode::Fire),
        "fires-told" => ask(Some(reply().form), rest, None, Mode::Fire),
        "keeps" => ask(Some(reply().form), tail, None, Mode::Keep((first != "-").then(|| first.into()))),
        "changes" => Input::Ask {
            agent,
            form: Some(reply().form),
            task: Task::Eval { code: rest.into(), frame: None, terms: Terms { delta: true, if_revision: None } },
            page: None,
            timeout_ms: None,
            mode: Mode::Answer,
        },
        "changes-at" => Input::Ask {
            agent,
            form: Some(reply().form),
            task: Task::Eval {
                code: tail.into(),
                frame: None,
                terms: Terms { delta: false, if_revision: Some(first.parse().expect("a revision")) },
            },
            page: None,
            timeout_ms: None,
            mode: Mode::Answer,
        },
        "does" | "does-again" => Input::Ask {
            agent,
            form: Some(reply().form),
            task: Task::Verb {
                method: first.into(),
                params: if tail.is_empty() { "{}".into() } else { tail.into() },
                again: verb == "does-again",
                terms: Terms::default(),
            },
            page: None,
            timeout_ms: Some(5_000),
            mode: Mode::Answer,
        },
        "limited" => {
            let pages = rest.split_whitespace().map(Into::into).collect();
            let may = vec![Class::Read, Class::Act, Class::Eval];
            let limits = Limits { name: "ci".into(), id: "1".into(), may, pages, void: None };
            Input::AgentScoped { agent, scope: Scope::limited(limits) }
        }
        "publishes" => publish(agent, rest),
        "subscribes" | "unsubscribes" => subscribe(agent, rest, verb == "subscribes"),
        "mail" => Input::ReadMail { reply: reply(), page: None, timeout_ms: rest.parse().ok() },
        "calls" | "confirms" => Input::Ask {
            agent,
            form: Some(ReplyForm::Tool("7".into())),
            task: tool(first, tail, verb == "confirms"),
            page: None,
            timeout_ms: None,
            mode: Mode::Answer,
        },
        "calls-many" => Input::AskBatch {
            reply: reply(),
            tasks: rest.split(", ").map(|name| (tool(name, "", false), None)).collect(),
            page: None,
        },
        "tools" => Input::Tools {
            reply: reply(),
            page: None,
            query: ToolQuery::List(Some(rest.to_owned()).filter(|filter| !filter.is_empty())),
        },
        "tool" => Input::Tools { reply: reply(), page: None, query: ToolQuery::Get(rest.into()) },
        "enters" => Input::Join { agent, form: Some(reply().form), session: rest.into(), renewed: false },
        "exits" => Input::Leave { reply: reply() },
        "informs" => Input::Info { reply: reply(), session: None },
        "cancels" => Input::Cancel { agent, id: first.into() },
        "collects" => {
            Input::Collect { reply: reply(), ids: rest.split_whitespace().map(Into::into).collect(), timeout_ms: None }
        }
        "lists" => Input::List { reply: reply() },
        "uses" => Input::Use { reply: reply(), page: rest.into(), name: None },
        "names" => Input::Use { reply: reply(), page: first.into(), name: Some(tail.into()) },
        "forgets" => Input::Forget { reply: reply(), page: rest.into() },
        _ => of_state(reply(), verb, rest).unwrap_or_else(|| panic!("agents do not {verb}")),
    }
}

fn tool(name: &str, arguments: &str, confirmed: bool) -> Task {
    let arguments = if arguments.is_empty() { "{}" } else { arguments };
    Task::Tool { name: name.into(), arguments: arguments.into(), confirmed, terms: Terms::default() }
}

/// `TOPIC JSON`. After ` !` the terms of waiting: `!` alone forbids it, `!100` limits it; `!all` publishes to every
/// origin. After ` as ` what the sender calls itself.
fn publish(conn: Conn, rest: &str) -> Input {
    let (topic, message) = rest.split_once(' ').expect("a topic and a message");
    let (message, own_word) = message.split_once(" as ").map_or((message, None), |(text, word)| (text, Some(word)));
    let (message, waiting) = message.split_once(" !").unwrap_or((message, "?"));
    let message = Publish {
        topic: topic.into(),
        message: serde_json::from_str(message).expect("JSON"),
        own_word: own_word.map(Into::into),
        queue: waiting.is_empty().then_some(false),
        timeout: waiting.parse().ok(),
        all: waiting == "all",
    };
    Input::Publish { conn, id: Some("1".into()), message, wall_ms: 7 }
}

fn subscribe(conn: Conn, topic: &str, wanted: bool) -> Input {
    Input::Subscribe { conn, id: Some("1".into()), topic: topic.into(), wanted }
}

fn raws(json: &str) -> Vec<Box<str>> {
    let raws: Vec<Box<serde_json::value::RawValue>> =
        serde_json::from_str(&format!("[{json}]")).expect("tool definitions");
    raws.iter().map(|raw| raw.get().into()).collect()
}

fn show(effect: &Effect) -> String {
    match effect {
        Effect::Send { page, call, task: Task::Eval { code, .. } } => match call {
            Some(call) => format!("→ page {} evaluates {call}: {code}", page.0),
            None => format!("→ page {} fires: {code}", page.0),
        },
        Effect::Send { page, call, task: Task::Tool { name, arguments, .. } } => {
            format!("→ page {} calls {}: {name} {arguments}", page.0, call.unwrap_or(0))
        }
        Effect::Send { page, call, task: Task::Verb { method, params, .. } } => {
            format!("→ page {} does {}: {method} {params}", page.0, call.unwrap_or(0))
        }
        Effect::Message { conn, params } => format!("→ {} hears {params}", conn.0),
        Effect::Send { page, call, task: Task::State } => {
            format!("→ page {} tells its state {}", page.0, call.unwrap_or(0))
        }
        Effect::Work { lane, work } => {
            let whose = match lane {
                Lane::Session(session) => format!("session {session}"),
                Lane::Agent(agent) => format!("agent {}", agent.0),
            };
            let what = match **work {
                Work::Parse(_) | Work::StateAnswer(_) => "parses",
                Work::Patch(..) => "patches",
                Work::Read(..) => "reads",
                Work::Compile(_) => "compiles",
                Work::Check(_) => "checks",
            };
            format!("⚙ a worker {what} for {whose}")
        }
        Effect::Free(_) => "⚙ something large is freed".into(),
        Effect::PassOn(passed) => {
            format!("⇒ {} is asked elsewhere for agent {}", passed.session, passed.caller.agent.0)
        }
        Effect::CancelElsewhere { agent, .. } => format!("⇒ agent {} cancels elsewhere", agent.0),
        Effect::LeftElsewhere { agent } => format!("⇒ agent {} has left", agent.0),
        Effect::Lasting(lasting) => format!("⇒ {lasting:?}"),
        Effect::LookUp { word } => format!("⇒ {word} is looked up"),
        Effect::HandOver(handover) => format!("⇒ {} is given away", handover.session),
        Effect::PublishElsewhere { hubs, message } => format!("⇒ {} hears {}", hubs.join(" and "), message.params),
        Effect::PageResult { page, result, .. } => format!("→ page {} {}", page.0, outcome(result)),
        Effect::Progress { reply, progress } => format!("← agent {} progress {progress}", reply.agent.0),
        Effect::News { agent, session, news } => format!("← agent {} hears of {session}: {}", agent.0, show_news(news)),
        Effect::Abort { page, call } => format!("→ page {} aborts {call}", page.0),
        Effect::Ping { page } => format!("→ page {} ping", page.0),
        Effect::Replaced { page } => format!("→ page {} is replaced", page.0),
        Effect::Close { conn, close } => format!("✕ {} closed {} {}", conn.0, close.code, close.reason),
        Effect::Ended { reply, ending, delta } => {
            let delta = delta.as_ref().map_or_else(String::new, |delta| format!(" with {delta}"));
            format!("← agent {} {}{delta}", reply.agent.0, answer(&reply.form, ending))
        }
        Effect::Result { reply, result } => format!("← agent {} {}", reply.agent.0, outcome(result)),
    }
}

fn show_news(news: &News) -> String {
    match news {
        News::Tools(tools) => format!("tools {tools}"),
        News::PageGone => "page gone".into(),
        News::PageBack => "page back".into(),
        News::State { revision, patch, json } => {
            format!("state {revision} {} {json}", if *patch { "patched" } else { "whole" })
        }
    }
}

fn outcome(result: &Result<String, eye_protocol::Error>) -> String {
    match result {
        Ok(json) => json.clone(),
        Err(error) => format!("!{} {}", error.code.0, error.one_line()),
    }
}

fn answer(form: &ReplyForm, ending: &Ending) -> String {
    let mut out = String::new();
    match form {
        ReplyForm::Line(id) => write_typed(id.as_str(), ending, &mut out),
        ReplyForm::Compact(form) => form.write(ending, &mut out),
        ReplyForm::Rpc(id) | ReplyForm::Tool(id) => write_typed(id, ending, &mut out),
        ReplyForm::Place(place) => out = format!("place {place} leaked"),
    }
    out.replace('\u{1f}', " | ")
}
