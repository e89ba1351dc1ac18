//! `eye servers`: what it writes into configs, and trial starts. Cases that need a hub are tested with MCP.

use crate::stage::{answers, home};
use std::fs;

/// A small server: it greets, lists one tool, and waits for its end.
const SMALL: &str = r#"read a
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}}'
read b; read c
echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"add","description":"Adds. Really.","inputSchema":{"properties":{"a":{"type":"number"}}}}]}}'
cat > /dev/null"#;

#[test]
fn a_server_that_was_added_can_be_tried() {
    let home = home();
    let added =
        home.eye(["servers", "add", "small", "--description", "Adds.", "--env", "K=${HOME}", "--", "sh", "-c", SMALL]);
    let file = home.path("config/eye/config.yaml");
    let note = format!("note: added to {}; try it with eye servers test small\n", file.display());
    assert_eq!(added, answers(0, "", &note));
    let ran = home.eye(["servers", "test", "small"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let (first, rest) = ran.stdout.split_once('\n').unwrap();
    assert!(first.starts_with("small answers after ") && first.ends_with(" ms (MCP 2025-11-25)"), "{first}");
    assert_eq!(rest, "add(a?: number)  Adds.\n");
    let json = home.eye(["servers", "test", "small", "--json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["server"]["name"], &json["server"]["state"]), (&"small".into(), &"ready".into()));
}

#[test]
fn a_server_that_does_not_start_says_why() {
    let home = home();
    home.eye(["servers", "add", "bad", "--", "sh", "-c", "echo 'no database' >&2; exit 4"]);
    let ran = home.eye(["servers", "test", "bad"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
    assert!(
        ran.stderr.contains("the server bad is down: it ended with exit status: 4; it said: no database"),
        "{}",
        ran.stderr
    );
    let ran = home.eye(["servers", "test", "nobody"]);
    assert_eq!(ran.stderr, "error: no server is called nobody\nhint: there are bad\n");
}

#[test]
fn what_stands_in_a_config_stays_and_a_name_is_taken_once() {
    let home = home();
    let file = home.path("work/.eye/config.yaml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "# ours\nservers:\n  a: { command: x } # stays\n").unwrap();
    let web = ["servers", "add", "--project", "web", "--url", "https://example.com/mcp", "--header", "K=${V:-1}"];
    assert_eq!(home.eye(web).code, 0);
    let text = fs::read_to_string(&file).unwrap();
    let want = "# ours\nservers:\n  a: { command: x } # stays\n  web:\n    url: \"https://example.com/mcp\"\n    headers: { K: \"${V:-1}\" }\n";
    assert_eq!(text, want);
    let again = home.eye(web);
    assert_eq!((again.code, again.stdout.as_str()), (2, ""));
    assert!(again.stderr.contains("a server `web` is there already"), "{}", again.stderr);
    assert_eq!(fs::read_to_string(&file).unwrap(), want);
    fs::write(&file, "servers:\n  a: { comand: x }\n").unwrap();
    let ran = home.eye(["servers", "add", "--project", "b", "--", "x"]);
    let want = format!("error: {}:2:8: unknown key `comand`\nhint: did you mean `command`?\n", file.display());
    assert_eq!(ran, answers(2, "", &want));
}

#[test]
fn the_servers_of_other_programs_are_taken_over() {
    let home = home();
    let other = home.path("mcp.json");
    fs::write(&other, r#"{ "mcpServers": { "one": { "command": "npx", "args": ["x"] }, "two": { "url": "https://e.com/mcp", "autoApprove": [] }, "eye": { "command": "eye" } } }"#).unwrap();
    let ran = home.eye(["servers", "import", other.to_str().unwrap()]);
    let file = home.path("config/eye/config.yaml");
    let want = format!(
        "note: left out: two: `autoApprove`\nnote: left out: eye: the server name `eye` is eye's own; take another\nnote: added to {}: one, two\n",
        file.display()
    );
    assert_eq!(ran, answers(0, "", &want));
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(
        text,
        "servers:\n  one:\n    command: \"npx\"\n    args: [\"x\"]\n  two:\n    url: \"https://e.com/mcp\"\n"
    );
    let again = home.eye(["servers", "import", other.to_str().unwrap()]);
    assert!(again.stderr.contains("one is left out: a server `one` is there already"), "{}", again.stderr);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}
