//! Work that is too much for the hub's thread, as event scripts: inputs behind it keep their order.

use crate::script::play;
use eye_core::{Conn, Effect, Input, Mode, Newcomer, PageEvent, Policy, ReplyForm, Switchboard, Task, Terms};
use eye_protocol::limits::{LIGHT_BYTES_MAX, LIGHT_TOOLS_BYTES_MAX, MEMORY_BYTES_MAX};
use eye_protocol::messages::PageInfo;
use eye_protocol::state::WholeState;
use eye_protocol::{Ending, SessionId};

/// A document that a worker parses, with a member to look at.
fn large(n: u32) -> String {
    format!(r#"{{"n":{n},"text":"{}"}}"#, "x".repeat(LIGHT_BYTES_MAX))
}

fn plays(script: &str) -> Vec<String> {
    play(script).replace(&"x".repeat(LIGHT_BYTES_MAX), "…").lines().map(|line| line.trim_end().to_owned()).collect()
}

/// The effects below the last line of a script.
fn last(picture: &[String]) -> Vec<&str> {
    let effects = picture.iter().rev().take_while(|line| line.starts_with("    "));
    let mut effects: Vec<&str> = effects.map(|line| line.trim()).collect();
    effects.reverse();
    effects
}

#[test]
fn what_a_page_says_after_a_large_state_comes_after_it() {
    let script = format!(
        r#"0 page 1 joins scene
           0 agent 2 joins
           0 agent 2 changes go()
           1 page 1 publishes 1 {}
           2 page 1 answers 1 ="done"
           3 agent 2 reads n
           4 works"#,
        large(1)
    );
    let picture = plays(&script);
    assert!(picture.contains(&"    ⚙ a worker parses for session scene".to_owned()), "{picture:#?}");
    assert_eq!(
        last(&picture),
        [
            r#"← agent 2 1="done" with {"revision":1,"omitted":"the state is large: read it with state/get"}"#,
            "⚙ a worker reads for session scene"
        ],
        "the answer waited for the state that was published before it, and the reader for both"
    );
}

#[test]
fn a_page_that_leaves_during_its_work_has_left_afterwards() {
    let script = format!(
        r"0 page 1 joins scene
           0 agent 2 joins
           1 page 1 publishes 1 {}
           2 page 1 leaves
           3 works
           4 agent 2 reads n
           2003 tick
           2004 works",
        large(7)
    );
    let picture = plays(&script);
    // The page is expected back for 2 s.
    let read = last(&picture).join("");
    assert!(read.contains(r#""value":7"#) && read.contains(r#""stale":true"#), "{picture:#?}");
}

#[test]
fn a_page_that_comes_during_the_work_of_the_one_before_is_not_held_up() {
    let script = format!(
        r#"0 page 1 joins scene
           0 agent 2 joins
           1 page 1 publishes 1 {}
           2 page 3 joins scene
           3 page 3 publishes 1 {{"n":3}}
           4 works
           5 agent 2 reads n"#,
        large(1)
    );
    let picture = plays(&script);
    assert!(last(&picture).join("").contains(r#""value":3"#), "{picture:#?}");
}

#[test]
fn an_agent_waits_for_its_own_check_and_others_do_not() {
    let arguments = format!(r#"{{"text":"{}"}}"#, "x".repeat(LIGHT_BYTES_MAX));
    let script = format!(
        r#"0 page 1 joins scene
           0 agent 2 joins
           0 agent 3 joins
           0 page 1 offers {{"name":"put","inputSchema":{{"properties":{{"text":{{"maxLength":3}}}}}}}}
           1 agent 2 calls put {arguments}
           2 agent 2 asks a first()
           3 agent 3 asks b second()
           4 works"#
    );
    let picture = plays(&script);
    let effects: Vec<&String> = picture.iter().filter(|line| line.starts_with("    ")).collect();
    assert!(effects[1].contains("a worker checks for agent 2"), "{effects:#?}");
    assert!(effects[2].contains("evaluates 1: second()"), "{effects:#?}");
    assert!(effects[3].contains("do not fit put: /text:"), "{effects:#?}");
    assert!(effects[4].contains("evaluates 2: first()"), "{effects:#?}");
}

/// A definition that a worker prepares.
fn large_tool(name: &str) -> String {
    format!(r#"{{"name":"{name}","description":"{}"}}"#, "x".repeat(LIGHT_TOOLS_BYTES_MAX))
}

#[test]
fn a_call_of_a_tool_that_is_being_prepared_waits_for_it() {
    let script = format!(
        r#"0 page 1 joins scene
           0 agent 2 joins
           0 agent 3 joins
           1 page 1 offers {}
           1 page 1 offers {{"name":"small"}}
           9000 agent 2 calls put
           9000 agent 2 calls small
           9000 agent 2 asks a first()
           9000 agent 2 calls other
           9000 agent 3 asks b second()
           9001 tick
           9002 works"#,
        large_tool("put")
    );
    let picture = plays(&script);
    let effects: Vec<&str> = picture.iter().filter_map(|line| line.strip_prefix("    ")).collect();
    assert_eq!(
        effects,
        [
            "⚙ a worker compiles for session scene",
            "→ page 1 evaluates 1: second()",
            r#"→ page 1 {"success":true,"registered":1}"#,
            "→ page 1 calls 2: put {}",
            r#"→ page 1 {"success":true,"registered":1}"#,
            "→ page 1 calls 3: small {}",
            "→ page 1 evaluates 4: first()",
            "← agent 2 7!-32004 Tool not found: other | `eye tools` lists what there is",
        ],
        "the agent's order is kept, others do not wait, and each tool is called when it is there"
    );
}

#[test]
fn tools_are_listed_when_those_that_are_being_prepared_are_there() {
    let script = format!(
        "0 page 1 joins scene
           0 agent 2 joins
           1 page 1 offers {}
           2 agent 2 tools
           3 agent 2 tool put
           4 agent 2 leaves
           5 agent 3 joins
           5 agent 3 tools
           6 page 1 leaves
           7 works",
        large_tool("put")
    );
    let picture = plays(&script);
    let answer: Vec<&String> = picture.iter().filter(|line| line.contains("← agent")).collect();
    assert!(matches!(&answer[..], [one] if one.contains(r#"← agent 3 {"tools":[{"name":"put""#)), "{picture:#?}");
}

#[test]
fn what_an_agent_asked_before_it_left_finds_no_page_afterwards() {
    let script = format!(
        r#"0 page 1 joins scene from http://a.test
           0 agent 2 joins
           0 agent 2 limited http://a.test
           1 page 1 publishes 1 {}
           2 agent 2 saves mine
           3 agent 2 leaves
           100000 tick
           200000 tick
           300000 tick
           300001 page 3 joins other from http://b.test
           300001 page 3 publishes 1 {{"n":3}}
           300002 works
           300003 agent 5 joins
           300003 agent 5 saved"#,
        large(1)
    );
    let picture = plays(&script);
    assert!(last(&picture).join("").contains(r#""snapshots":[]"#), "{picture:#?}");
}

#[test]
fn a_hub_that_ends_gives_up_its_work() {
    let script = format!(
        r"0 page 1 joins scene
           0 agent 2 joins
           1 page 1 publishes 1 {}
           2 agent 2 reads n
           3 agent 2 asks a code()
           4 shutdown",
        large(1)
    );
    let picture = plays(&script);
    let answer = last(&picture).join("\n");
    assert!(answer.contains("the hub shut down before the page answered"), "{answer}");
    assert_eq!(picture.iter().filter(|line| line.contains("← agent 2")).count(), 2, "each has one ending: {answer}");
}

/// Runs inputs and the work that follows from them.
fn run(board: &mut Switchboard, now: u64, input: Input) -> Vec<Effect> {
    let (mut answer, mut inputs) = (Vec::new(), vec![input]);
    while let Some(input) = inputs.pop() {
        let mut effects = Vec::new();
        board.on(now, input, &mut effects);
        for effect in effects {
            match effect {
                Effect::Work { lane, work } => inputs.push(Input::Worked { lane, done: work.run(|| {}) }),
                other => answer.push(other),
            }
        }
    }
    answer
}

fn joins(board: &mut Switchboard, now: u64, page: u64) {
    let (origin, info) = ("http://localhost".into(), PageInfo::default());
    let who = Newcomer { origin, info, policy: Policy::default(), ask_first: false, driven: false };
    let session = SessionId::parse(&format!("s{page}")).expect("an id");
    run(board, now, Input::PageJoined { page: Conn(page), session, who: Box::new(who) });
}

#[test]
fn the_oldest_state_gives_way_when_memory_is_short() {
    let mut board = Switchboard::default();
    let zeros = format!("[{}]", vec!["0"; 500_000].join(","));
    for page in 1..=12 {
        joins(&mut board, page, page);
        let whole = WholeState { state: zeros.clone().into(), revision: 1 };
        run(&mut board, page, Input::page(Conn(page), PageEvent::State { whole, wall_ms: 0 }));
        assert!(board.kept_bytes() <= MEMORY_BYTES_MAX, "{} after {page}", board.kept_bytes());
    }
    assert!(board.kept_bytes() > MEMORY_BYTES_MAX / 2);
    let agent = Conn(100);
    run(&mut board, 20, Input::AgentJoined { agent });
    let mut asks = |page: u64| {
        let reply = eye_core::Reply { agent, form: ReplyForm::Rpc("1".into()) };
        let query = eye_core::state::StateQuery { path: Some("0".into()), ..Default::default() };
        let page = Some(format!("s{page}").into());
        run(&mut board, 20, Input::GetState { reply, page, fresh: false, query })
    };
    assert!(matches!(asks(1)[..], [Effect::Send { task: Task::State, .. }]), "the page is asked for what gave way");
    assert!(matches!(&asks(12)[..], [Effect::Result { result: Ok(_), .. }]), "the newest is known");
}

#[test]
fn kept_results_and_mail_count_and_give_way_too() {
    let mut board = Switchboard::default();
    let agents: Vec<Conn> = (100..106).map(Conn).collect();
    joins(&mut board, 0, 1);
    for (n, agent) in agents.iter().enumerate() {
        run(&mut board, 0, Input::AgentJoined { agent: *agent });
        let hello = eye_protocol::messages::Hello { agent: Some(format!("a{n}")), ..Default::default() };
        run(&mut board, 0, Input::AgentHello { agent: *agent, hello: Box::new(hello) });
        for part in 0..4_u64 {
            let call = u64::try_from(n).expect("few") * 4 + part + 1;
            let task = Task::Eval { code: "x".into(), frame: None, terms: Terms::default() };
            let (form, mode) = (Some(ReplyForm::Rpc("1".into())), Mode::Keep(None));
            run(&mut board, 1, Input::Ask { agent: *agent, form, task, page: None, timeout_ms: None, mode });
            let ending: Ending = Ok(eye_protocol::Value::Text("x".repeat(15 << 20)));
            run(&mut board, call, Input::page(Conn(1), PageEvent::Answered { call, ending }));
            assert!(board.kept_bytes() <= MEMORY_BYTES_MAX);
        }
    }
    let mut collects = |agent: Conn| {
        let reply = eye_core::Reply { agent, form: ReplyForm::Rpc("1".into()) };
        let answer = run(&mut board, 50, Input::Collect { reply, ids: Vec::new(), timeout_ms: None });
        match answer.into_iter().next() {
            Some(Effect::Result { result: Ok(text), .. }) => text,
            other => panic!("{other:?}"),
        }
    };
    assert!(collects(agents[0]).contains("the hub needed its memory"));
    assert!(collects(agents[5]).len() > 50 << 20);
    assert!(board.kept_bytes() < MEMORY_BYTES_MAX);
}

#[test]
fn a_title_that_moves_is_remembered_now_and_then() {
    let mut board = Switchboard::default();
    joins(&mut board, 0, 1);
    assert!(board.take_known().is_some(), "a page that comes is remembered at once");
    let mut written = 0;
    for now in 0..10_000 {
        let info = PageInfo { title: Some(now.to_string()), ..PageInfo::default() };
        run(&mut board, now, Input::page(Conn(1), PageEvent::Changed(Box::new(info))));
        if board.next_wake().is_some_and(|at| at <= now) {
            run(&mut board, now, Input::Tick);
        }
        written += u32::from(board.take_known().is_some());
    }
    assert_eq!(written, 4);
}

#[test]
fn many_tools_that_are_replaced_are_freed_elsewhere() {
    let mut board = Switchboard::default();
    joins(&mut board, 0, 1);
    let mut offers = |count: usize| {
        let about = "x".repeat(100);
        let tool = |n: usize| format!(r#"{{"name":"tool{n}","description":"{about}"}}"#).into();
        let tools = (0..count).map(tool).collect();
        let answer = run(&mut board, 1, Input::page(Conn(1), PageEvent::Offers { id: None, tools }));
        answer.iter().any(|effect| matches!(effect, Effect::Free(_)))
    };
    assert!(!offers(1_000), "nothing is replaced");
    assert!(!offers(10), "a few are freed at once");
    assert!(offers(1_000));
}
