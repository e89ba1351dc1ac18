//! Servers that are late, hung, down or without a key: they are reported at once, do not delay others, and are found
//! when they are up.

use crate::stage::{DEADLINE, Home, faulty, names, state, until};
use eye_mcp::{ServerState, limits};
use eye_protocol::Code;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PROGRAM: &str = env!("CARGO_BIN_EXE_eye-mcp-fault-server");

async fn ask_at_once(scope: &eye_mcp::Scope, query: &str) -> String {
    let began = Instant::now();
    scope.learn(limits::DISCOVERY).await;
    let found = scope.discover(query, &Arc::default()).await.unwrap().text();
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    found
}

#[tokio::test]
async fn a_server_that_was_down_at_first_is_found_once_it_is_there() {
    let home = Home::new();
    // The server exits with an error until a file exists, like a program whose database comes up later.
    let flag = home.path().join("up");
    let script =
        format!("test -e {} || {{ echo a >&2; echo 'no database yet' >&2; exit 4; }}; exec {PROGRAM}", flag.display());
    home.config(&format!("servers:\n  late: {{ command: [sh, -c, {}] }}\n", json!(script)));
    let gateway = home.gateway();
    let scope = gateway.scope(home.project());
    let mut changes = scope.changes();
    let error = scope.start("late").await.unwrap_err();
    assert!(error.is(Code::CONNECTION), "{error}");
    let found = ask_at_once(&scope, "echo").await;
    assert!(found.contains("! late is down: it ended with exit status: 4: no database yet"), "{found}");
    let down = scope.resolve_asking("late::echo", &Arc::default()).await.unwrap_err().to_error();
    assert!(down.code == Code::CONNECTION && down.message.contains("no database yet"), "{down:?}");
    let unknown = scope.resolve_asking("nothing_like_it", &Arc::default()).await.unwrap_err().to_error();
    assert!(unknown.hint.as_ref().is_some_and(|hint| hint.contains("late is down")), "{unknown:?}");
    std::fs::write(&flag, "").unwrap();
    // Without another request, the server is retried.
    tokio::time::timeout(DEADLINE * 2, until(&mut changes, || names(&scope).contains(&"echo".to_owned())))
        .await
        .unwrap();
    assert_eq!(state(&scope, "late"), ServerState::Ready);
    assert!(ask_at_once(&scope, "echo").await.starts_with("echo()"));
    gateway.shut_down().await;
}

#[tokio::test]
async fn a_call_by_its_full_name_finds_a_server_that_came_up_meanwhile() {
    let home = Home::new();
    let flag = home.path().join("up");
    let script = format!("test -e {} || exit 4; exec {PROGRAM}", flag.display());
    home.config(&format!("servers:\n  late: {{ command: [sh, -c, {}] }}\n", json!(script)));
    let gateway = home.gateway();
    let scope = gateway.scope(home.project());
    assert!(scope.resolve_asking("late__echo", &Arc::default()).await.is_err());
    std::fs::write(&flag, "").unwrap();
    let resolving = async {
        while scope.resolve_asking("late__echo", &Arc::default()).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    // The pause before a use starts the server again is never longer than this.
    tokio::time::timeout(limits::USE_PAUSE_MAX + Duration::from_secs(5), resolving).await.unwrap();
    gateway.shut_down().await;
}

#[tokio::test]
async fn a_hung_server_is_reported_and_delays_no_discovery_and_no_call_of_another() {
    let home = Home::new();
    home.config(&faulty(&[("hung", &["--silent"]), ("good", &[])]));
    let gateway = home.gateway();
    let scope = gateway.scope(home.project());
    let first = ask_at_once(&scope, "nothing").await;
    assert!(first.contains("! hung is starting"), "{first}");
    let began = Instant::now();
    let (_, entry) = scope.resolve_asking("echo", &Arc::default()).await.unwrap();
    assert!(&*entry.server == "good" && began.elapsed() < limits::LEARN / 2, "{:?}", began.elapsed());
    let found = ask_at_once(&scope, "echo").await;
    assert!(found.starts_with("echo()") && found.contains("! hung is starting"), "{found}");
    assert_eq!(state(&scope, "hung"), ServerState::Starting);
    gateway.shut_down().await;
}

#[tokio::test]
async fn a_missing_variable_is_named_and_the_server_works_for_an_agent_that_has_it() {
    let home = Home::new();
    home.config(&faulty(&[("keyed", &[])]).replace(" }", ", env: { WHO: \"${EYE_TEST_API_KEY}\" } }"));
    let gateway = home.gateway();
    let scope = gateway.scope(home.project());
    let found = ask_at_once(&scope, "echo").await;
    assert!(found.contains("! keyed is down:") && found.contains("EYE_TEST_API_KEY"), "{found}");
    let mut project = home.project();
    project.env.insert("EYE_TEST_API_KEY".into(), "secret".into());
    let with_key = gateway.scope(project);
    with_key.start("keyed").await.unwrap();
    assert!(ask_at_once(&with_key, "echo").await.starts_with("echo()"));
    gateway.shut_down().await;
}
