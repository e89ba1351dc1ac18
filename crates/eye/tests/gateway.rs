//! `eye discover` and `eye servers` with a real hub: pages and upstreams in one catalogue, by folder.

use crate::stage::{answers, home};
use eye_testkit::{HubProcess, PageSetup, ScriptedPage, ToolReply};
use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

/// A small server: it greets, lists one tool, and answers the first call with its working folder.
const SMALL: &str = r#"read a
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}}'
read b; read c
echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"whereabouts","description":"Tells the folder.","inputSchema":{}}]}}'
read d
echo "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"$PWD\"}]}}"
cat > /dev/null"#;

#[test]
fn tools_of_pages_and_servers_are_found_together() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let tools = [json!({ "name": "addToCart", "inputSchema": { "properties": { "item": { "type": "string" } } } })];
    let setup = PageSetup::new(&home, "Shop").alias("shop");
    let _page = ScriptedPage::offering(&home, &setup, &tools, |_, _| ToolReply::Hold);
    assert_eq!(home.eye(["servers", "add", "small", "--", "sh", "-c", SMALL]).code, 0);
    // A discovery answers at once; a server that is still starting is found by the next one.
    let found = loop {
        let found = home.eye(["discover", "tell", "the", "folder"]);
        if !found.stdout.contains("small is starting") {
            break found;
        }
    };
    assert_eq!((found.code, found.stderr.as_str()), (0, ""));
    assert!(found.stdout.starts_with("whereabouts()  Tells the folder.\n"), "{}", found.stdout);
    let found = home.eye(["discover", "$.tools[?@.name == 'whereabouts'].server"]);
    assert_eq!(found, answers(0, "\"small\"\n", ""));
    let names: Value = serde_json::from_str(&home.eye(["discover", "$.tool_names"]).stdout).unwrap();
    let names = names.as_array().unwrap();
    assert!(names.contains(&"whereabouts".into()) && names.contains(&"addToCart".into()), "{names:?}");
    let wrong = home.eye(["discover", "$.tools[?("]);
    assert_eq!(wrong.stdout, "");
    assert!(wrong.code != 0 && wrong.stderr.contains("not a JSONPath"), "{}", wrong.stderr);
}

#[test]
fn servers_are_listed_with_how_they_are_and_run_where_they_are_asked_from() {
    let home = home();
    let _hub = HubProcess::start(&home);
    assert_eq!(
        home.eye(["servers"]).stderr,
        "note: no servers; add one with eye servers add, or take yours with eye servers import FILE\n"
    );
    home.eye(["servers", "add", "small", "--", "sh", "-c", SMALL]);
    let rows = || home.eye(["servers"]).stdout;
    assert!(rows().starts_with("small  not started"), "{}", rows());
    let call = |folder: &str| {
        let project = home.path(folder);
        let params = json!({ "name": "whereabouts", "arguments": {}, "cwd": project, "env": { "PATH": std::env::var("PATH").unwrap() } });
        let ran = home.eye(["rpc", &json!({ "method": "gateway/call", "params": params }).to_string()]);
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
        (
            answer["result"]["content"][0]["text"].as_str().unwrap_or(&ran.stdout).to_owned(),
            project.display().to_string(),
        )
    };
    for folder in ["work/a", "work/b"] {
        let (text, folder) = call(folder);
        assert_eq!(text, folder);
    }
    // A server's work is counted for the project that used it.
    for (folder, calls) in [("work/a", 1), ("work/b", 1), ("work", 0)] {
        let ran = home.command().args(["servers", "--json"]).current_dir(home.path(folder)).output().unwrap();
        let json: Value = serde_json::from_slice(&ran.stdout).unwrap();
        assert_eq!(
            (&json[0]["name"], &json[0]["counters"]["calls"]),
            (&"small".into(), &calls.into()),
            "{folder}: {json}"
        );
    }
    fs::write(home.path("config/eye/config.yaml"), "servers:\n  a: { comand: x }\n").unwrap();
    let ran = home.eye(["servers"]);
    assert!(ran.stderr.contains("unknown key `comand`"), "{}", ran.stderr);
}

/// A server with one tool that repeats its typed arguments, and writes to stderr.
const ECHO: &str = r#"read a; echo 'ready to repeat' >&2
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}}'
read b; read c
echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"repeat","description":"Repeats.","inputSchema":{"type":"object","properties":{"n":{"type":"integer"},"word":{"type":"string"}}}}]}}'
n=3
while read line; do
  said=$(printf %s "$line" | sed 's/.*"arguments":\([^}]*}\).*/\1/; s/"/\\"/g')
  echo "{\"jsonrpc\":\"2.0\",\"id\":$n,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"$said\"}]}}"
  n=$((n + 1))
done"#;

#[test]
fn what_discover_shows_is_what_call_takes() {
    let home = home();
    let _hub = HubProcess::start(&home);
    home.eye(["servers", "add", "parrot", "--", "sh", "-c", ECHO]);
    // A call by the full name starts it; from then on its schema types the words.
    let first = home.eye(["call", "parrot::repeat"]);
    assert_eq!((first.code, first.stdout.as_str()), (0, "{}\n"), "{}", first.stderr);
    for name in ["parrot::repeat", "repeat"] {
        let ran = home.eye(["call", name, "n=7", "word=8"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, "{\"n\":7,\"word\":\"8\"}\n"), "{name}: {}", ran.stderr);
    }
    let wrong = home.eye(["call", "parrot:repeat"]);
    assert!(wrong.code != 0 && wrong.stderr.contains("parrot::repeat"), "{}", wrong.stderr);
    assert_eq!(home.eye(["servers", "logs", "parrot"]).stdout, "ready to repeat\n");
}

#[test]
fn servers_are_switched_and_removed_where_they_are_written() {
    let home = home();
    let _hub = HubProcess::start(&home);
    home.eye(["servers", "add", "parrot", "--", "sh", "-c", ECHO]);
    assert_eq!(home.eye(["servers", "disable", "parrot"]).code, 0);
    assert!(home.eye(["servers"]).stdout.starts_with("parrot  off"), "{}", home.eye(["servers"]).stdout);
    assert_eq!(home.eye(["servers", "enable", "parrot"]).code, 0);
    assert!(home.eye(["servers"]).stdout.starts_with("parrot  not started"));
    assert_eq!(home.eye(["servers", "remove", "parrot"]).code, 0);
    assert_eq!(home.eye(["servers"]).stdout, "");
    let unknown = home.eye(["servers", "logs", "parrot"]).stderr;
    assert!(unknown.contains("there are none"), "{unknown}");
    // A file whose last server was removed accepts another one.
    let again = home.eye(["servers", "add", "parrot", "--", "sh", "-c", ECHO]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert_eq!(home.eye(["servers", "remove", "parrot"]).code, 0);
    let gone = home.eye(["servers", "remove", "parrot"]);
    assert!(gone.code == 2 && gone.stderr.contains("no server `parrot`"), "{}", gone.stderr);
}

#[test]
fn a_client_that_trims_the_environment_finds_the_hub_by_its_port() {
    let home = home();
    let hub = HubProcess::start(&home);
    let trimmed = |args: &[&str]| {
        let mut command = home.command();
        command.env_remove("XDG_RUNTIME_DIR").args(args).output().unwrap()
    };
    let ran = trimmed(&["status", "--json"]);
    let status: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let usual: Value = serde_json::from_str(&home.eye(["status", "--json"]).stdout).unwrap();
    assert_eq!(status["pid"], usual["pid"], "{status} {usual}");
    drop(hub);
}

#[test]
fn the_socket_of_a_killed_hub_does_not_hide_the_hub_of_the_port() {
    let home = home();
    HubProcess::start(&home).kill();
    assert!(home.socket().exists(), "what a killed hub leaves");
    let elsewhere = home.path("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::set_permissions(&elsewhere, Permissions::from_mode(0o700)).unwrap();
    let hub = HubProcess::start_by(home.command().env("XDG_RUNTIME_DIR", &elsewhere), &[]);
    let status: Value = serde_json::from_str(&home.eye(["status", "--json"]).stdout).unwrap();
    assert_eq!(status["pid"], hub.pid(), "{status}");
    let pages = home.eye(["pages"]);
    assert_eq!(pages.code, 0, "{pages:?}");
    assert!(home.socket().exists(), "no hub was started in its place");
    assert_eq!(home.eye(["down"]).stdout, "stopped\n");
    let lock = fs::File::open(elsewhere.join("eye/hub.lock")).unwrap();
    assert!(lock.try_lock_shared().is_ok(), "the hub has let go of its place when down returns");
    hub.wait();
}
