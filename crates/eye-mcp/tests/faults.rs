//! Misbehaving servers: each ends its own calls, and has no effect on other callers and servers.

use crate::stage::{DEADLINE, Home, call, call_with, faulty, names, state, text, until};
use eye_mcp::catalogue::{Found, Standing};
use eye_mcp::limits::{CALLS_MAX, LIST_PAGES_MAX, MESSAGE_BYTES_MAX, TOOLS_MAX};
use eye_mcp::{CallContext, Gateway, Scope, ServerState};
use eye_protocol::Code;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A gateway with a good server and a bad one.
fn beside(args: &[&str]) -> (Home, Gateway, Scope) {
    let home = Home::new();
    home.config(&faulty(&[("good", &[]), ("bad", args)]));
    let gateway = home.gateway();
    let scope = gateway.scope(home.project());
    (home, gateway, scope)
}

async fn good_answers(scope: &Scope) {
    assert!(text(call(scope, "good", "echo", json!({})).await).contains("echo"));
}

#[tokio::test]
async fn a_server_killed_in_a_call_ends_it_at_once_and_comes_back() {
    let (_home, gateway, scope) = beside(&[]);
    let before = text(call(&scope, "bad", "pid", json!({})).await);
    let mut changes = scope.changes();
    let waiting = {
        let scope = scope.clone();
        tokio::spawn(async move { call(&scope, "bad", "never", json!({})).await })
    };
    let died = call(&scope, "bad", "die", json!({})).await.unwrap_err();
    assert!(died.is(Code::CONNECTION), "{died}");
    assert!(died.message.contains("signal: 6") && died.message.contains("something broke"), "{died}");
    // The other call fails too, because its server is gone.
    assert!(waiting.await.unwrap().unwrap_err().is(Code::CONNECTION));
    assert_ne!(state(&scope, "bad"), ServerState::Ready);
    let entries = scope.entries();
    let standings: Vec<&Standing> = entries.iter().filter(|e| &*e.server == "bad").map(|e| &e.standing).collect();
    assert!(!standings.is_empty() && !standings.contains(&&Standing::Ready), "{standings:?}");
    good_answers(&scope).await;
    until(&mut changes, || state(&scope, "bad") == ServerState::Ready).await;
    assert_ne!(text(call(&scope, "bad", "pid", json!({})).await), before);
    gateway.shut_down().await;
}

#[tokio::test]
async fn a_server_that_never_answers_delays_nobody_else() {
    let (_home, gateway, scope) = beside(&["--silent"]);
    let start = {
        let scope = scope.clone();
        tokio::spawn(async move { scope.start("bad").await })
    };
    scope.learn(Duration::from_millis(300)).await;
    good_answers(&scope).await;
    let found = scope.discover("echo", &std::sync::Arc::default()).await.unwrap().text();
    assert!(found.starts_with("echo("), "{found}");
    assert_eq!(state(&scope, "bad"), ServerState::Starting);
    gateway.shut_down().await;
    assert!(start.await.unwrap().is_err());
}

#[tokio::test]
async fn a_program_that_is_no_server_is_recognized_by_its_output() {
    let (_home, gateway, scope) = beside(&["--garbage"]);
    let error = scope.start("bad").await.unwrap_err();
    assert!(error.message.contains("lines in a row that are no JSON-RPC"), "{error}");
    good_answers(&scope).await;
    gateway.shut_down().await;
}

#[tokio::test]
async fn a_server_that_cannot_start_says_why_and_is_not_tried_at_every_call() {
    let (_home, gateway, scope) = beside(&["--crash"]);
    let error = scope.start("bad").await.unwrap_err();
    assert!(error.message.contains("exit status: 3") && error.message.contains("cannot open the database"), "{error}");
    assert!(matches!(state(&scope, "bad"), ServerState::Failed { why } if why.contains("database")));
    good_answers(&scope).await;
    gateway.shut_down().await;
    let home = Home::new();
    home.config("servers:\n  none: { command: eye-no-such-program }\n  lost: { command: x, cwd: /nowhere }\n");
    let gateway = home.gateway();
    let scope = gateway.scope(home.project());
    let error = scope.start("none").await.unwrap_err();
    assert!(error.message.contains("not installed"), "{error}");
    let error = scope.start("lost").await.unwrap_err();
    assert!(error.message.contains("/nowhere is not there"), "{error}");
}

#[tokio::test]
async fn a_server_that_crashes_again_and_again_is_started_with_growing_pauses_until_it_is_asked_for() {
    let home = Home::new();
    let program = env!("CARGO_BIN_EXE_eye-mcp-fault-server");
    let log = home.path().join("starts");
    let script = format!("echo x >> {}; exec {program} --crash-after-list", log.display());
    home.config(&format!("servers:\n  bad: {{ command: [sh, -c, {}] }}\n", json!(script)));
    let gateway = home.gateway();
    let scope = gateway.scope(home.project());
    let mut changes = scope.changes();
    let began = Instant::now();
    // Whether the first start counts as a success depends on timing; that the server ends does not.
    let _ = scope.start("bad").await;
    let starts = || std::fs::read_to_string(&log).unwrap_or_default().lines().count();
    until(&mut changes, || starts() == 5 && matches!(state(&scope, "bad"), ServerState::Failed { .. })).await;
    // 0.25 + 0.5 + 1 + 2 seconds.
    assert!(began.elapsed() >= Duration::from_millis(3_750), "{:?}", began.elapsed());
    assert!(matches!(state(&scope, "bad"), ServerState::Failed { why } if why.contains("out of memory")));
    gateway.shut_down().await;
}

#[tokio::test]
async fn ten_thousand_tools_are_taken_and_found() {
    let (_home, gateway, scope) = beside(&["--tools", "10000"]);
    scope.start("bad").await.unwrap();
    good_answers(&scope).await;
    assert!(names(&scope).len() > 10_000);
    let found = scope.discover("tool_7777", &std::sync::Arc::default()).await.unwrap();
    let Found::Tools { lines, .. } = &found.found else { panic!("{found:?}") };
    assert!(lines[0].starts_with("tool_7777("), "{lines:?}");
    assert!(text(call(&scope, "bad", "echo", json!({})).await).contains("echo"));
    gateway.shut_down().await;
}

#[tokio::test]
async fn a_list_without_end_is_cut() {
    let (_home, gateway, scope) = beside(&["--endless"]);
    scope.start("bad").await.unwrap();
    assert_eq!(names(&scope).len(), LIST_PAGES_MAX);
    gateway.shut_down().await;
    let (_home, gateway, scope) = beside(&["--tools", &(TOOLS_MAX + 1).to_string()]);
    scope.start("bad").await.unwrap();
    assert_eq!(names(&scope).len(), TOOLS_MAX);
    good_answers(&scope).await;
    gateway.shut_down().await;
}

#[tokio::test]
async fn one_call_more_than_may_be_under_way_is_refused() {
    let (_home, gateway, scope) = beside(&[]);
    scope.start("bad").await.unwrap();
    let one = || {
        let scope = scope.clone();
        tokio::spawn(async move { call(&scope, "bad", "never", json!({})).await })
    };
    let under_way: Vec<_> = (0..CALLS_MAX).map(|_| one()).collect();
    let refused = one().await.unwrap().unwrap_err();
    assert!(refused.is(Code::CONNECTION) && refused.message.contains("already under way"), "{refused}");
    assert!(under_way.iter().all(|call| !call.is_finished()));
    good_answers(&scope).await;
    under_way.iter().for_each(tokio::task::JoinHandle::abort);
    gateway.shut_down().await;
}

#[tokio::test]
async fn a_result_of_a_hundred_mebibytes_ends_its_own_call_only() {
    let (_home, gateway, scope) = beside(&[]);
    let waiting = {
        let scope = scope.clone();
        tokio::spawn(async move {
            let context = CallContext { timeout: Some(Duration::from_secs(50)), ..CallContext::default() };
            call_with(&scope, "bad", "never", json!({}), context).await
        })
    };
    for id_last in [false, true] {
        let arguments = json!({ "mib": 100, "idLast": id_last });
        let error = call(&scope, "bad", "large", arguments).await.unwrap_err();
        assert!(error.message.contains(&format!("more than {} MiB", MESSAGE_BYTES_MAX >> 20)), "{error}");
    }
    assert!(!waiting.is_finished());
    waiting.abort();
    assert!(text(call(&scope, "bad", "echo", json!({})).await).contains("echo"));
    // A result within the limit passes.
    let eight = call(&scope, "bad", "large", json!({ "mib": 8 })).await.unwrap();
    assert_eq!(eight["content"][0]["text"].as_str().map(str::len), Some(8 << 20));
    good_answers(&scope).await;
    gateway.shut_down().await;
}

#[tokio::test]
async fn a_server_that_does_not_read_delays_nobody_else() {
    let home = Home::new();
    // It answers the handshake, and then reads nothing any more.
    let script = r#"read a; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}'; sleep 600"#;
    home.config(&format!("{}  deaf: {{ command: [sh, -c, {}] }}\n", faulty(&[("good", &[])]), json!(script)));
    let gateway = home.gateway();
    let scope = gateway.scope(home.project());
    let context = CallContext { timeout: Some(Duration::from_millis(300)), ..CallContext::default() };
    let filler = "x".repeat(1 << 20);
    let deaf = call_with(&scope, "deaf", "x", json!({ "filler": filler }), context);
    let (error, ()) = tokio::join!(deaf, good_answers(&scope));
    assert!(error.unwrap_err().is(Code::TIMEOUT));
    gateway.shut_down().await;
}

#[tokio::test]
async fn what_cannot_be_passed_on_to_the_agent_is_refused_by_name() {
    let (_home, gateway, scope) = beside(&[]);
    let context = CallContext { timeout: Some(Duration::from_millis(500)), ..CallContext::default() };
    let error = call_with(&scope, "bad", "ask", json!({}), context).await.unwrap_err();
    assert!(error.is(Code::TIMEOUT) && error.message.contains("elicitation/create"), "{error}");
    let request: Value = serde_json::from_str(&text(call(&scope, "bad", "asked", json!({})).await)).unwrap();
    assert_eq!((&request[0]["id"], &request[0]["error"]["code"]), (&json!("q1"), &json!(-32601)));
    assert!(request[0]["error"]["message"].as_str().unwrap().contains("elicitation/create"));
    gateway.shut_down().await;
}

#[tokio::test]
async fn a_question_goes_to_the_only_call_it_can_be_about_and_to_none_of_several() {
    let (_home, gateway, scope) = beside(&[]);
    let (sender, mut questions) = tokio::sync::mpsc::channel(8);
    // The timeout is suspended while a person is asked, so this call does not end by it.
    let context = || CallContext {
        timeout: Some(Duration::from_millis(300)),
        questions: Some(sender.clone()),
        ..CallContext::default()
    };
    let asking = tokio::spawn({
        let (scope, context) = (scope.clone(), context());
        async move { call_with(&scope, "bad", "ask", json!({}), context).await }
    });
    let question = questions.recv().await.unwrap();
    assert_eq!(question.method, "elicitation/create");
    let other = tokio::spawn({
        let (scope, context) = (scope.clone(), context());
        async move { call_with(&scope, "bad", "ask", json!({}), context).await }
    });
    let error = other.await.unwrap().unwrap_err();
    assert!(error.is(Code::TIMEOUT), "{error}");
    assert!(!asking.is_finished(), "it began before the other, and has as much time");
    question
        .answer
        .send(Ok(serde_json::value::RawValue::from_string(r#"{"action":"decline"}"#.into()).unwrap()))
        .unwrap();
    assert!(asking.await.unwrap().unwrap_err().is(Code::TIMEOUT));
    let request: Value = serde_json::from_str(&text(call(&scope, "bad", "asked", json!({})).await)).unwrap();
    let refused = request
        .as_array()
        .unwrap()
        .iter()
        .filter(|answer| answer["error"]["message"].as_str().is_some_and(|m| m.contains("several calls")));
    assert_eq!(refused.count(), 1, "{request}");
    assert!(request.as_array().unwrap().iter().any(|answer| answer["result"]["action"] == "decline"), "{request}");
    gateway.shut_down().await;
}

#[tokio::test]
async fn a_gateway_that_is_dropped_leaves_nobody_behind() {
    let (_home, gateway, scope) = beside(&[]);
    let pid: u32 = text(call(&scope, "good", "pid", json!({})).await).parse().unwrap();
    drop((gateway, scope));
    assert!(eye_testkit::process::gone(pid).await);
}

#[tokio::test]
async fn many_calls_at_once_are_answered_each_with_its_own() {
    let (_home, gateway, scope) = beside(&[]);
    scope.start("good").await.unwrap();
    let began = Instant::now();
    let calls: Vec<_> = (0..500)
        .map(|n| {
            let scope = scope.clone();
            tokio::spawn(async move {
                text(call(&scope, "good", "echo", json!({ "n": n })).await).contains(&format!("\"n\":{n}}}"))
            })
        })
        .collect();
    for one in calls {
        assert!(one.await.unwrap());
    }
    assert!(began.elapsed() < DEADLINE);
    gateway.shut_down().await;
}
