//! What passes through the gateway when servers behave.

use crate::stage::{DEADLINE, Home, call, call_with, faulty, names, project, raw, state, text, until};
use eye_mcp::{CallContext, Era, NoticeSink, Scope, ServerState};
use eye_protocol::Code;
use eye_testkit::process::{gone, lives};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

fn one(args: &[&str]) -> (Home, eye_mcp::Gateway, Scope) {
    let home = Home::new();
    home.config(&faulty(&[("s", args)]));
    let gateway = home.gateway();
    let scope = gateway.scope(home.project());
    (home, gateway, scope)
}

#[tokio::test]
async fn a_server_starts_when_it_is_first_used() {
    let (_home, gateway, scope) = one(&["--chatty"]);
    assert_eq!(state(&scope, "s"), ServerState::Configured);
    let params = json!({ "name": "echo", "own": [1.0], "arguments": { "b": 1, "a": 2 } });
    let result = scope.call_tool("s", raw(&params), CallContext::default()).await.unwrap();
    let result: Value = serde_json::from_str(result.get()).unwrap();
    assert_eq!(result["content"][0]["text"], params.to_string());
    assert_eq!(state(&scope, "s"), ServerState::Ready);
    assert_eq!(scope.instructions("s").as_deref(), Some("Be careful."));
    gateway.shut_down().await;
}

#[tokio::test]
async fn results_and_errors_pass_to_the_letter() {
    let (_home, gateway, scope) = one(&[]);
    let odd = scope.call_tool("s", raw(&json!({ "name": "odd" })), CallContext::default()).await.unwrap();
    assert_eq!(odd.get(), r#"{"z":1.0,"content":[{"type":"hologram","b":2,"a":1e2}],"_meta":{"k":"v"},"a":null}"#);
    let error = scope.call_tool("s", raw(&json!({ "name": "fail" })), CallContext::default()).await.unwrap_err();
    assert_eq!(eye_protocol::rpc::json(&error), r#"{"code":-32042,"message":"not today","data":{"z":1.0,"a":[]}}"#);
    let count = scope.entries().into_iter().find(|entry| &*entry.name == "count").unwrap();
    assert!(count.tool().get().ends_with(r#""x-own":[1.0]}"#), "{}", count.tool());
    gateway.shut_down().await;
}

#[tokio::test]
async fn progress_comes_in_order_under_the_callers_token() {
    let (_home, gateway, scope) = one(&[]);
    let received = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&received);
    let progress = NoticeSink::new(move |params| sink.lock().unwrap().push(params.get().to_owned()));
    let params = json!({ "name": "progress", "_meta": { "progressToken": "mine", "k": 1 } });
    let context = CallContext { progress: Some(progress), ..CallContext::default() };
    scope.call_tool("s", raw(&params), context).await.unwrap();
    let want: Vec<String> =
        (1..=3).map(|n| format!(r#"{{"progressToken":"mine","progress":{n},"total":3,"own":"kept"}}"#)).collect();
    assert_eq!(*received.lock().unwrap(), want);
    gateway.shut_down().await;
}

#[tokio::test]
async fn a_cancelled_a_late_and_a_dropped_call_are_cancelled_at_the_server() {
    let (_home, gateway, scope) = one(&[]);
    scope.start("s").await.unwrap();
    let cancelled = CancellationToken::new();
    let context = CallContext { cancelled: cancelled.clone(), ..CallContext::default() };
    let never = call_with(&scope, "s", "never", json!({}), context);
    let (error, ()) = tokio::join!(never, async { cancelled.cancel() });
    assert!(error.unwrap_err().is(Code::CANCELLED));
    let context = CallContext { timeout: Some(Duration::from_millis(50)), ..CallContext::default() };
    let error = call_with(&scope, "s", "never", json!({}), context).await.unwrap_err();
    assert!(error.is(Code::TIMEOUT) && error.message.contains("0.05 s"), "{error}");
    let dropped = tokio::time::timeout(Duration::from_millis(50), call(&scope, "s", "never", json!({}))).await;
    assert!(dropped.is_err());
    // The handshake and the list had the ids 1 and 2.
    assert_eq!(text(call(&scope, "s", "cancelled", json!({})).await), "[3,4,5]");
    gateway.shut_down().await;
}

#[tokio::test]
async fn a_message_in_many_writes_and_many_in_one_are_read_alike() {
    for args in [&["--split"][..], &[]] {
        let (_home, gateway, scope) = one(args);
        let many = (0..50).map(|n| {
            let scope = scope.clone();
            tokio::spawn(async move { text(call(&scope, "s", "echo", json!({ "n": n })).await) })
        });
        for (n, answer) in many.collect::<Vec<_>>().into_iter().enumerate() {
            assert!(answer.await.unwrap().contains(&format!("{{\"n\":{n}}}")));
        }
        assert_eq!(text(call(&scope, "s", "many", json!({})).await), "one of many");
        gateway.shut_down().await;
    }
}

#[tokio::test]
async fn a_list_that_changes_is_reported_and_read_again() {
    let (_home, gateway, scope) = one(&[]);
    scope.start("s").await.unwrap();
    let mut changes = scope.changes();
    call(&scope, "s", "grow", json!({})).await.unwrap();
    until(&mut changes, || names(&scope).contains(&"grown".to_owned())).await;
    gateway.shut_down().await;
}

#[tokio::test]
async fn tools_are_known_before_their_server_starts_again() {
    let (home, gateway, scope) = one(&[]);
    assert!(names(&scope).is_empty());
    scope.learn(DEADLINE).await;
    let known = names(&scope);
    assert!(known.contains(&"echo".to_owned()));
    gateway.shut_down().await;
    let gateway = home.gateway();
    let scope = gateway.scope(home.project());
    assert_eq!((names(&scope), state(&scope, "s")), (known, ServerState::Known));
    let found = gateway.discover("echo").await.unwrap().text();
    assert!(found.starts_with("echo()  Does echo.\n"), "{found}");
    assert_eq!(state(&scope, "s"), ServerState::Known);
    gateway.shut_down().await;
}

#[tokio::test]
async fn two_projects_with_a_server_of_one_name_have_two_servers() {
    let home = Home::new();
    let (one, other) = (home.path().join("one"), home.path().join("other"));
    for folder in [&one, &other] {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let config = faulty(&[("s", &[])]).replace(" }", &format!(", env: {{ WHO: \"${{WHO:-{name}}}\" }} }}"));
        home.trusted_config(folder, &config);
    }
    let gateway = home.gateway();
    let (a, b) = (gateway.scope(project(&one)), gateway.scope(project(&other)));
    // A project's tools wait for approval.
    for scope in [&a, &b] {
        let held = call(scope, "s", "where", json!({})).await.unwrap_err();
        assert!(held.is(Code::DENIED) && held.message.contains("approval"), "{held}");
        assert!(names(scope).is_empty() && scope.approve("s").unwrap() > 0);
    }
    let mut changes = b.changes();
    assert_eq!(text(call(&a, "s", "where", json!({})).await), format!("{} one", one.display()));
    assert_eq!(text(call(&b, "s", "where", json!({})).await), format!("{} other", other.display()));
    let pid = text(call(&a, "s", "pid", json!({})).await);
    assert_ne!(pid, text(call(&b, "s", "pid", json!({})).await));
    // Another agent in the same folder shares the instance.
    let same = gateway.scope(project(&one));
    assert_eq!(pid, text(call(&same, "s", "pid", json!({})).await));
    // A deeper folder of the same project has its own instance, because it runs in another folder.
    std::fs::create_dir_all(one.join("deep")).unwrap();
    let deep = gateway.scope(project(&one.join("deep")));
    assert_eq!(text(call(&deep, "s", "where", json!({})).await), format!("{} one", one.join("deep").display()));
    // Changes of the other instance are not reported here. A tool that was added later needs approval again.
    let mut there = a.changes();
    call(&a, "s", "grow", json!({})).await.unwrap();
    until(&mut there, || a.servers()[0].unapproved == 1).await;
    assert!(tokio::time::timeout(Duration::ZERO, changes.recv()).await.is_err());
    call(&b, "s", "grow", json!({})).await.unwrap();
    until(&mut changes, || b.servers()[0].unapproved == 1).await;
    assert!(!names(&b).contains(&"grown".to_owned()));
    gateway.shut_down().await;
}

#[tokio::test]
async fn a_modern_server_is_found_out_and_spoken_to() {
    let (_home, gateway, scope) = one(&["--modern"]);
    let answer = text(call(&scope, "s", "echo", json!({})).await);
    let params: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(params["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    assert_eq!(scope.era("s"), Some(Era::Modern));
    gateway.shut_down().await;
}

#[tokio::test]
async fn what_the_config_forbids_is_neither_listed_nor_called() {
    let home = Home::new();
    home.config(&faulty(&[("s", &[])]).replace(" }", ", deny: [\"sec*\"] }"));
    let gateway = home.gateway();
    let scope = gateway.scope(home.project());
    scope.start("s").await.unwrap();
    assert!(!names(&scope).contains(&"secret".to_owned()));
    assert!(call(&scope, "s", "secret", json!({})).await.unwrap_err().is(Code::DENIED));
    let params = Some(raw(&json!({ "name": "secret" })));
    let error = scope.request("s", "tools/call", params, CallContext::default()).await.unwrap_err();
    assert!(error.is(Code::DENIED), "{error}");
    gateway.shut_down().await;
}

#[tokio::test]
async fn results_of_reading_tools_are_kept_where_the_config_says_so() {
    let home = Home::new();
    home.config(&faulty(&[("s", &[])]).replace(" }", ", cache: { ttl: 600 } }"));
    let gateway = home.gateway();
    let scope = gateway.scope(home.project());
    scope.start("s").await.unwrap();
    let count = async |arguments: Value| text(call(&scope, "s", "count", arguments).await);
    assert_eq!((count(json!({})).await, count(json!({})).await), ("1".into(), "1".into()));
    assert_eq!(count(json!({ "a": 1 })).await, "2");
    // A tool without `readOnlyHint` is called every time.
    let pid = || call(&scope, "s", "pid", json!({}));
    assert_eq!(text(pid().await), text(pid().await));
    gateway.metrics().settle();
    let tools = &gateway.metrics().snapshot()["s"];
    assert_eq!((tools["count"].calls, tools["count"].cached, tools["pid"].cached), (3, 1, 0));
    assert!(tools["count"].tokens_in > 0 && tools["count"].tokens_out > 0);
    gateway.shut_down().await;
}

#[tokio::test]
async fn a_changed_config_is_taken_up_and_a_bad_one_changes_nothing() {
    let (home, gateway, scope) = one(&[]);
    let pid: u32 = text(call(&scope, "s", "pid", json!({})).await).parse().unwrap();
    let mut changes = scope.changes();
    home.config(&faulty(&[("t", &["--tools", "1"])]));
    until(&mut changes, || scope.servers().iter().any(|server| server.name == "t")).await;
    assert_eq!(scope.servers().len(), 1);
    assert!(call(&scope, "s", "echo", json!({})).await.unwrap_err().message.contains("no server is called s"));
    assert!(text(call(&scope, "t", "echo", json!({})).await).contains("echo"));
    home.config("servers:\n  u: { comand: x }\n");
    let report = tokio::time::timeout(DEADLINE, async {
        while scope.config_errors().is_empty() {
            tokio::task::yield_now().await;
        }
    });
    report.await.expect("the mistake is told");
    assert_eq!(scope.servers()[0].name, "t");
    assert!(text(call(&scope, "t", "echo", json!({})).await).contains("echo"));
    assert!(gone(pid).await, "the server that no config names ends");
    gateway.shut_down().await;
}

#[tokio::test]
async fn a_server_may_start_before_it_is_asked() {
    let home = Home::new();
    home.config(&faulty(&[("s", &[])]).replace(" }", ", startup: with_hub }"));
    let gateway = home.gateway();
    let scope = gateway.scope(home.project());
    let mut changes = scope.changes();
    until(&mut changes, || state(&scope, "s") == ServerState::Ready).await;
    gateway.shut_down().await;
}

#[tokio::test]
async fn the_end_of_the_gateway_is_the_end_of_every_process_it_started() {
    let home = Home::new();
    let file = home.path().join("grandchild");
    home.config(&faulty(&[("s", &["--grandchild", file.to_str().unwrap()]), ("t", &[])]));
    let gateway = home.gateway();
    let scope = gateway.scope(home.project());
    let mut pids = Vec::new();
    for server in ["s", "t"] {
        pids.push(text(call(&scope, server, "pid", json!({})).await).parse().unwrap());
    }
    pids.push(std::fs::read_to_string(&file).unwrap().parse().unwrap());
    assert!(pids.iter().all(|pid| lives(*pid)));
    gateway.shut_down().await;
    // The children are gone; the grandchild was killed, and the system may need a moment to remove it.
    assert!(!pids[..2].iter().any(|pid| lives(*pid)), "{pids:?}");
    assert!(gone(pids[2]).await);
}

#[tokio::test]
async fn a_server_that_asks_for_roots_is_told_the_folder_of_its_project() {
    let (home, gateway, scope) = one(&[]);
    let context = CallContext { timeout: Some(Duration::from_millis(200)), ..CallContext::default() };
    // The server requests its roots and never answers this call; the next call returns the roots that it got.
    let _ = call_with(&scope, "s", "ask", json!({ "method": "roots/list" }), context).await;
    let sent: Value = serde_json::from_str(&text(call(&scope, "s", "asked", json!({})).await)).unwrap();
    let uri = format!("file://{}", home.app().display());
    assert_eq!(sent[0]["result"], json!({ "roots": [{ "uri": uri, "name": "app" }] }), "{sent}");
    gateway.shut_down().await;
}

#[tokio::test]
async fn calls_are_counted_for_the_project_that_made_them() {
    let home = Home::new();
    home.config(&faulty(&[("s", &[])]));
    let gateway = home.gateway();
    let other = home.app().join("deep");
    std::fs::create_dir_all(&other).unwrap();
    let (a, b) = (gateway.scope(home.project()), gateway.scope(project(&other)));
    call(&a, "s", "echo", json!({})).await.unwrap();
    call(&a, "s", "echo", json!({})).await.unwrap();
    call(&b, "s", "echo", json!({})).await.unwrap();
    let calls = |scope: &Scope| scope.servers()[0].counters.calls;
    assert_eq!((calls(&a), calls(&b), gateway.metrics().of("s").calls), (2, 1, 3));
    gateway.shut_down().await;
}
