//! Servers that are down or hung for longer than the longest pause between two tries, and are found again. The waits
//! are short here; everything else is real: processes, pipes, signals.

use crate::stage::{DEADLINE, Home, call, call_with, faulty, names, state, text, until};
use eye_mcp::{CallContext, Gateway, Pace, Scope, ServerState, Settings, limits};
use eye_protocol::Code;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PROGRAM: &str = env!("CARGO_BIN_EXE_eye-mcp-fault-server");
/// The default pace with every wait shortened; the longest pause is reached after three failures.
const PACE: Pace = Pace {
    start: Duration::from_secs(1),
    back_off_min: Duration::from_millis(50),
    back_off_max: Duration::from_millis(200),
    use_pause_max: Duration::from_millis(100),
    steady: limits::STEADY,
    wanted: limits::WANTED,
};
/// Starts after which the longest pause has passed more than once.
const TRIES: usize = 6;

/// A server that logs every start to a file, and is broken in some way until another file exists.
struct Broken {
    home: Home,
    gateway: Gateway,
}

impl Broken {
    fn new(broken: &str) -> Self {
        let home = Home::new();
        let file = |name| home.path().join(name).display().to_string();
        let script =
            format!("echo tried >> {}; test -e {} || {broken}; exec {PROGRAM}", file("tries"), file("repaired"));
        home.config(&format!("servers:\n  db: {{ command: [sh, -c, {}] }}\n", json!(script)));
        let gateway = Gateway::new(Settings { pace: PACE, ..home.settings() });
        Self { home, gateway }
    }

    fn scope(&self) -> Scope {
        self.gateway.scope(self.home.project())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Waits until the server has been started so often that the longest pause has passed; it is still broken.
    async fn stays_broken(&self, began: Instant) {
        let waiting = async {
            while count(&self.file("tries")) < TRIES || began.elapsed() < PACE.back_off_max * 2 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(DEADLINE, waiting).await.expect("it is tried again and again");
    }

    fn repair(&self) {
        std::fs::write(self.file("repaired"), "").unwrap();
    }
}

fn count(file: &Path) -> usize {
    std::fs::read_to_string(file).unwrap_or_default().lines().count()
}

/// Repeats a discovery until it finds the tool; nothing else uses the server.
async fn found_by_discovery(scope: &Scope) -> String {
    let asking = async {
        loop {
            scope.learn(limits::DISCOVERY).await;
            let found = scope.discover("echo", &Arc::default()).await.unwrap().text();
            if found.starts_with("echo()") {
                return found;
            }
        }
    };
    tokio::time::timeout(DEADLINE, asking).await.expect("discovery finds it")
}

async fn found_by_name(scope: &Scope) {
    let asking = async { while scope.resolve_asking("db::echo", &Arc::default()).await.is_err() {} };
    tokio::time::timeout(DEADLINE, asking).await.expect("its full name finds it");
    assert!(text(call(scope, "db", "echo", json!({ "a": 1 })).await).contains(r#""a":1"#));
}

#[tokio::test]
async fn a_server_that_is_down_for_longer_than_the_longest_pause_is_found_again_by_itself() {
    let broken = Broken::new("{ echo 'no database' >&2; exit 4; }");
    let scope = broken.scope();
    let mut changes = scope.changes();
    let began = Instant::now();
    assert!(scope.start("db").await.unwrap_err().is(Code::CONNECTION));
    broken.stays_broken(began).await;
    assert!(names(&scope).is_empty());
    broken.repair();
    // No request is made.
    tokio::time::timeout(DEADLINE, until(&mut changes, || names(&scope).contains(&"echo".to_owned()))).await.unwrap();
    assert_eq!(state(&scope, "db"), ServerState::Ready);
    broken.gateway.shut_down().await;
}

#[tokio::test]
async fn a_server_that_is_down_for_longer_than_the_longest_pause_is_found_again_by_discovery_and_by_name() {
    for by_name in [false, true] {
        let broken = Broken::new("{ echo 'no database' >&2; exit 4; }");
        let scope = broken.scope();
        let began = Instant::now();
        let down = scope.resolve_asking("db::echo", &Arc::default()).await.unwrap_err().to_error();
        assert!(down.code == Code::CONNECTION && down.message.contains("no database"), "{down:?}");
        broken.stays_broken(began).await;
        let discovery = async {
            // Between two starts the server is in the state `Starting` for a moment.
            while !scope.notes().contains(&"db is down: it ended with exit status: 4: no database".to_owned()) {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(DEADLINE, discovery).await.expect("discovery says that it is down, and why");
        broken.repair();
        if by_name {
            found_by_name(&scope).await;
        } else {
            assert!(!found_by_discovery(&scope).await.contains("down"));
        }
        broken.gateway.shut_down().await;
    }
}

#[tokio::test]
async fn a_server_that_hangs_at_its_start_for_longer_than_the_longest_pause_is_found_again() {
    for by_name in [false, true] {
        let broken = Broken::new("exec sleep 600");
        let scope = broken.scope();
        let began = Instant::now();
        let error = scope.start("db").await.unwrap_err();
        assert!(error.message.contains("did not answer within 1 s of its start"), "{error}");
        // A hung start lasts longer than every pause, so two starts are enough.
        let waiting = async {
            while count(&broken.file("tries")) < 3 || began.elapsed() < PACE.back_off_max * 2 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(DEADLINE, waiting).await.expect("it is tried again");
        broken.repair();
        if by_name {
            found_by_name(&scope).await;
        } else {
            found_by_discovery(&scope).await;
        }
        broken.gateway.shut_down().await;
    }
}

#[tokio::test]
async fn a_server_that_is_killed_at_every_start_is_down_and_found_again() {
    let broken = Broken::new("kill -9 $$");
    let scope = broken.scope();
    let began = Instant::now();
    let error = scope.start("db").await.unwrap_err();
    assert!(error.message.contains("signal: 9"), "{error}");
    broken.stays_broken(began).await;
    broken.repair();
    found_by_name(&scope).await;
    broken.gateway.shut_down().await;
}

#[tokio::test]
async fn a_running_server_that_is_stopped_for_a_while_answers_again_afterwards() {
    let home = Home::new();
    home.config(&faulty(&[("db", &[]), ("other", &[])]));
    let gateway = Gateway::new(Settings { pace: PACE, ..home.settings() });
    let scope = gateway.scope(home.project());
    let pid = text(call(&scope, "db", "pid", json!({})).await);
    signal("STOP", &pid);
    let began = Instant::now();
    while began.elapsed() < PACE.back_off_max * 2 {
        let context = CallContext { timeout: Some(PACE.back_off_max), ..CallContext::default() };
        let late = call_with(&scope, "db", "echo", json!({}), context).await.unwrap_err();
        assert!(late.is(Code::TIMEOUT), "{late}");
        // Other servers and discovery are not affected.
        assert!(text(call(&scope, "other", "echo", json!({})).await).contains("arguments"));
        assert!(scope.discover("db::echo", &Arc::default()).await.unwrap().text().starts_with("db::echo()"));
    }
    signal("CONT", &pid);
    assert_eq!(text(call(&scope, "db", "pid", json!({})).await), pid);
    gateway.shut_down().await;
}

fn signal(name: &str, pid: &str) {
    assert!(Command::new("kill").args([&format!("-{name}"), pid]).status().unwrap().success());
}
