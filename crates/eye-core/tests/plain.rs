//! The short way of code and values, as the hub takes it. The scripts of all tests are played both ways
//! ([`crate::script`]), and the property that every call ends exactly once is checked with it.

use crate::script::play;
use eye_core::{Effect, Input, Mode, PageEvent, PlainPass, Reply, ReplyForm, Switchboard, Task, Terms};
use eye_protocol::Value;
use insta::assert_snapshot;

/// Handles an input on the short way if that is possible. Returns whether it was.
pub fn on(board: &mut Switchboard, now: u64, input: Input, out: &mut Vec<Effect>) -> bool {
    match input {
        Input::Ask {
            agent,
            form: Some(ReplyForm::Line(id)),
            task: task @ Task::Eval { frame: None, terms: Terms { delta: false, if_revision: None }, .. },
            page: None,
            timeout_ms: None,
            mode: Mode::Answer,
        } => {
            let sent = board.ask_plainly(now, agent, id).map(|sent| (sent.page, sent.call));
            if let Some((page, call)) = sent {
                out.push(Effect::Send { page, call: Some(call), task });
                return true;
            }
            let passed = match &task {
                Task::Eval { code, .. } => board.pass_plainly(now, agent, id, code),
                _ => None,
            };
            if let Some(PlainPass { passed, .. }) = passed {
                out.push(Effect::PassOn(passed));
                return true;
            }
            let (form, mode) = (Some(ReplyForm::Line(id)), Mode::Answer);
            board.on(now, Input::Ask { agent, form, task, page: None, timeout_ms: None, mode }, out);
        }
        Input::Page { conn, event: PageEvent::Answered { call, ending: Ok(value) } }
            if !matches!(value, Value::Bytes(_)) =>
        {
            if let Some((agent, id)) = board.answer_plainly(now, conn, call) {
                let reply = Reply { agent, form: ReplyForm::Line(id) };
                out.push(Effect::Ended { reply, ending: Ok(value), delta: None });
                return true;
            }
            board.on(now, Input::page(conn, PageEvent::Answered { call, ending: Ok(value) }), out);
        }
        input => board.on(now, input, out),
    }
    false
}

/// The second call of an agent takes the short way, also by a name, and again after names changed.
#[test]
fn a_name_means_another_page_as_soon_as_it_does() {
    assert_snapshot!(play(
        "0 page 1 joins shop called store
         0 agent 2 joins
         0 agent 2 targets store
         1 agent 2 asks a x
         2 agent 2 asks b x
         3 agent 2 asks c x
         4 page 1 answers 3 =1
         5 page 3 joins other called store titled store
         6 agent 2 asks d x
         7 agent 2 asks e x
         8 page 3 titled Bank
         9 agent 2 asks f x
         10 page 3 leaves
         11 agent 2 asks g x"
    ), @"
    0 page 1 joins shop called store
    0 agent 2 joins
    0 agent 2 targets store
    1 agent 2 asks a x
        → page 1 evaluates 1: x
    2 agent 2 asks b x
        → page 1 evaluates 2: x
    3 agent 2 asks c x
        → page 1 evaluates 3: x
    4 page 1 answers 3 =1
        ← agent 2 c=1
    5 page 3 joins other called store titled store
    6 agent 2 asks d x
        → page 3 evaluates 1: x
    7 agent 2 asks e x
        → page 3 evaluates 2: x
    8 page 3 titled Bank
    9 agent 2 asks f x
        → page 3 evaluates 3: x
    10 page 3 leaves
        ← agent 2 d!-32000 the page left before it answered | the code may have run; look before you repeat it. The session waits for the page to come back
        ← agent 2 e!-32000 the page left before it answered | the code may have run; look before you repeat it. The session waits for the page to come back
        ← agent 2 f!-32000 the page left before it answered | the code may have run; look before you repeat it. The session waits for the page to come back
    11 agent 2 asks g x
    ");
}
