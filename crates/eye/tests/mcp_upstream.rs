//! A server behind the gateway, here another hub, as MCP clients see it.

use crate::stage::home;
use crate::stage::mcp::Client;
use eye_testkit::{Home, HubProcess, PageSetup, Reply, ScriptedPage};
use serde_json::json;

/// A user whose one server is the hub of another home.
fn with_upstream(home: &Home, other: &Home) {
    upstream_in(&home.path("config/eye"), other);
}

/// The same in a config in any folder.
fn upstream_in(folder: &std::path::Path, other: &Home) {
    std::fs::create_dir_all(folder).expect("a folder is made");
    let path = |below: &str| other.path(below).display().to_string();
    let config = format!(
        "servers:\n  other:\n    command: [{program}, mcp]\n    description: Another hub\n    env:\n      HOME: {home}\n      XDG_RUNTIME_DIR: {run}\n      \
         XDG_CONFIG_HOME: {config}\n      XDG_STATE_HOME: {state}\n      EYE_PORT: \"{port}\"\n",
        program = env!("CARGO_BIN_EXE_eye"),
        home = path(""),
        run = path("run"),
        config = path("config"),
        state = path("state"),
        port = other.port(),
    );
    std::fs::write(folder.join("config.yaml"), config).expect("a config is written");
}

#[test]
fn tools_of_a_server_behind_the_gateway_are_found_and_called_like_those_of_pages() {
    let (home, other) = (home(), home());
    let (_hub, _behind) = (HubProcess::start(&home), HubProcess::start(&other));
    let _page = ScriptedPage::join(&other, &PageSetup::new(&other, "Behind"), |code| match code {
        "boom" => Reply::threw("far away"),
        _ => Reply::text("from behind"),
    });
    with_upstream(&home, &other);
    let mut client = Client::legacy(&home, &[]);
    // A discovery answers at once; a server that is still starting is found by the next one.
    let found = loop {
        let found = client.text("mcp_discover", &json!({ "query": "evaluate JavaScript" }), false);
        if !found.contains("other is starting") {
            break found;
        }
    };
    assert!(found.starts_with("eye(expr: string, page?: string)  Evaluate JavaScript"), "{found}");
    let call = json!({ "name": "other::eye", "arguments": { "expr": "1" } });
    assert_eq!(client.text("mcp_call", &call, false), "from behind");
    let as_found = json!({ "name": "eye", "arguments": { "expr": "1" } });
    assert_eq!(client.text("mcp_call", &as_found, false), "from behind");
    let failing = json!({ "name": "other::eye", "arguments": { "expr": "boom" } });
    assert_eq!(client.text("mcp_call", &failing, true), "page: far away");
    let prefixed = client.call("other__eye", &json!({ "expr": "1" }));
    assert_eq!(prefixed["_meta"]["eye/untrusted"], true);
    // A modern client of the same connection gets the fields of a modern result.
    let modern = client.modern("tools/call", json!({ "name": "other__eye", "arguments": { "expr": "1" } }));
    assert_eq!((&modern["resultType"], &modern["content"][0]["text"]), (&json!("complete"), &json!("from behind")));
    let servers = client.text("mcp_discover", &json!({ "query": "$.servers.other.description" }), false);
    assert_eq!(servers, r#""Another hub""#);
    assert!(home.eye(["discover", "evaluate", "JavaScript"]).stdout.starts_with("eye(expr: string"));
    assert!(home.eye(["servers"]).stdout.contains("other"));
}

#[test]
fn the_command_line_names_servers_above_every_file() {
    let (home, other) = (home(), home());
    let (_hub, _behind) = (HubProcess::start(&home), HubProcess::start(&other));
    let _here = ScriptedPage::join(&home, &PageSetup::new(&home, "Here"), |_| Reply::text("from here"));
    let _page = ScriptedPage::join(&other, &PageSetup::new(&other, "Behind"), |_| Reply::text("from behind"));
    // The user's own server of this name cannot run; the file of the command line overrides it.
    std::fs::create_dir_all(home.path("config/eye")).unwrap();
    std::fs::write(home.path("config/eye/config.yaml"), "servers:\n  other: { command: [/bin/false] }\n").unwrap();
    upstream_in(&home.path("elsewhere"), &other);
    let file = home.path("elsewhere/config.yaml").display().to_string();
    let server = format!("again={} mcp", env!("CARGO_BIN_EXE_eye"));
    let mut client = Client::legacy(&home, &["--config", &file, "--server", &server]);
    for (name, want) in [("other::eye", "from behind"), ("again::eye", "from here")] {
        let call = json!({ "name": name, "arguments": { "expr": "1" } });
        assert_eq!(client.text("mcp_call", &call, false), want);
    }
    let wrong = home.eye(["mcp", "--server", "nonsense"]);
    assert_eq!((wrong.code, wrong.stdout.as_str()), (2, ""));
    assert!(wrong.stderr.contains("names no server"), "{}", wrong.stderr);
}

#[test]
fn a_client_elsewhere_has_none_of_a_projects_servers() {
    let (home, other) = (home(), home());
    let _hub = HubProcess::start(&home);
    upstream_in(&home.path("work/.eye"), &other);
    let mut command = home.command();
    let elsewhere = json!({ "jsonrpc": "2.0", "id": 1, "method": "gateway/servers", "params": {} });
    let ran = eye_testkit::Running::of(command.args(["rpc", &elsewhere.to_string()])).wait();
    assert!(!ran.stdout.contains("Another hub"), "{}", ran.stdout);
    let here = json!({ "cwd": home.path("work"), "env": {} });
    let here = json!({ "jsonrpc": "2.0", "id": 1, "method": "gateway/servers", "params": here });
    assert!(home.eye(["rpc", &here.to_string()]).stdout.contains("Another hub"));
}
