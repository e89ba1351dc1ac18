//! Runs an event script, one event a line, and pictures what follows from each.

use eye_core::{Conn, Effect, Input, Mode, Newcomer, Reply, ReplyForm, Source, Switchboard};
use eye_protocol::answer::{parse_typed, write_typed};
use eye_protocol::compact::Form;
use eye_protocol::id::LineId;
use eye_protocol::messages::{Hello, PageInfo};
use eye_protocol::{Ending, SessionId};
use std::fmt::Write;

/// Plays the script and returns it with every effect below the event that caused it.
pub fn play(script: &str) -> String {
    let mut board = Switchboard::default();
    let mut picture = String::new();
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        picture.push_str(line);
        picture.push('\n');
        let (now, event) = line.split_once(' ').expect("a time and an event");
        let mut effects = Vec::new();
        board.on(now.parse().expect("a time in ms"), input(event.trim()), &mut effects);
        for effect in &effects {
            writeln!(picture, "    {}", show(effect)).expect("a String takes it");
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
                ..PageInfo::default()
            };
            let origin = word("from ").unwrap_or_else(|| "http://localhost".into()).into();
            let session = SessionId::parse(first).expect("a session id");
            let eval_allowed = !tail.contains("denied");
            Input::PageJoined { page, session, who: Newcomer { origin, info, eval_allowed } }
        }
        "leaves" => Input::PageLeft { page },
        "hides" => Input::PageLeaving { page },
        "lives" => Input::PageAlive { page },
        "titled" => Input::PageChanged { page, info: PageInfo { title: Some(rest.into()), ..PageInfo::default() } },
        "navigates" => Input::PageNavigating { page, call: call(), url: tail.into() },
        "answers" => {
            let text = format!("x{tail}");
            let (_, ending) = parse_typed(&text).expect("a typed answer");
            Input::PageAnswered { page, call: call(), ending }
        }
        other => panic!("pages do not {other}"),
    }
}

fn agent(agent: Conn, verb: &str, rest: &str) -> Input {
    let (first, tail) = rest.split_once(' ').unwrap_or((rest, ""));
    let reply = || Reply { agent, form: ReplyForm::Rpc("1".into()) };
    let ask = |form, code: &str, timeout_ms, mode| Input::Ask {
        agent,
        form,
        source: Source { code: code.into(), frame: None },
        page: None,
        timeout_ms,
        mode,
    };
    let line = |id: &str| Some(ReplyForm::Line(LineId::parse(id).expect("a call id")));
    match verb {
        "joins" => Input::AgentJoined { agent },
        "leaves" => Input::AgentLeft { agent },
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
        "cancels" => Input::Cancel { agent, id: first.into() },
        "collects" => {
            Input::Collect { reply: reply(), ids: rest.split_whitespace().map(Into::into).collect(), timeout_ms: None }
        }
        "lists" => Input::List { reply: reply() },
        "uses" => Input::Use { reply: reply(), page: rest.into() },
        other => panic!("agents do not {other}"),
    }
}

fn show(effect: &Effect) -> String {
    match effect {
        Effect::Eval { page, call: Some(call), source } => {
            format!("→ page {} evaluates {call}: {}", page.0, source.code)
        }
        Effect::Eval { page, call: None, source } => format!("→ page {} fires: {}", page.0, source.code),
        Effect::Abort { page, call } => format!("→ page {} aborts {call}", page.0),
        Effect::Ping { page } => format!("→ page {} ping", page.0),
        Effect::Replaced { page } => format!("→ page {} is replaced", page.0),
        Effect::Close { conn, close } => format!("✕ {} closed {} {}", conn.0, close.code, close.reason),
        Effect::Ended { reply, ending } => format!("← agent {} {}", reply.agent.0, answer(&reply.form, ending)),
        Effect::Result { reply, result } => {
            let result = match result {
                Ok(json) => json.clone(),
                Err(error) => format!("!{} {}", error.code.0, error.one_line()),
            };
            format!("← agent {} {result}", reply.agent.0)
        }
    }
}

fn answer(form: &ReplyForm, ending: &Ending) -> String {
    let mut out = String::new();
    match form {
        ReplyForm::Line(id) => write_typed(id.as_str(), ending, &mut out),
        ReplyForm::Compact(form) => form.write(ending, &mut out),
        ReplyForm::Rpc(id) => write_typed(id, ending, &mut out),
        ReplyForm::Place(place) => out = format!("place {place} leaked"),
    }
    out.replace('\u{1f}', " | ")
}
