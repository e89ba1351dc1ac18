//! Named tokens against the real hub: every operation of the table, with every scope, on every front end.

use crate::stage::home;
use crate::stage::mcp::Client;
use eye_protocol::operations::{self, Class, Faces, Kind, Operation};
use eye_testkit::{Home, HubProcess, PageSetup, ScriptedPage, ToolReply};
use serde_json::{Map, Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use tungstenite::client::IntoClientRequest;

/// The classes for agents. `join` is for pages.
const SCOPES: [Class; 5] = [Class::Read, Class::Act, Class::Eval, Class::Servers, Class::Admin];

fn secret(home: &Home, args: &[&str]) -> String {
    let made = home.eye(["token", "new"].iter().chain(args));
    assert_eq!(made.code, 0, "{}", made.stderr);
    made.stdout.trim().to_owned()
}

fn page(home: &Home) -> ScriptedPage {
    let page =
        ScriptedPage::offering(home, &PageSetup::new(home, "Shop"), &[], |verb, _| ToolReply::Result(json!(verb)));
    page.send(r#"{"jsonrpc":"2.0","method":"state/update","params":{"state":{},"revision":1}}"#);
    page
}

/// Params with everything that is required.
fn params(operation: &Operation) -> Value {
    let value = |kind: Kind| match kind {
        Kind::Text | Kind::Target | Kind::Condition | Kind::Place | Kind::Answer => json!("x"),
        Kind::Integer | Kind::Any => json!(1),
        Kind::Flag => json!(true),
        Kind::Choice(words) => json!(words[0]),
        Kind::Texts => json!(["x"]),
        Kind::Point | Kind::Fields | Kind::Files | Kind::Objects => json!([]),
        Kind::Object => json!({}),
    };
    let required = operation.params.iter().filter(|param| param.required);
    Value::Object(required.map(|param| (param.name.to_owned(), value(param.kind))).collect::<Map<_, _>>())
}

/// For each request of the table, whether it is allowed. Requests that would end the hub are left out.
fn cells(scope: Class) -> Vec<(&'static Operation, String, bool)> {
    // Both have a test of their own: they are notifications, and every token may send them.
    let sent =
        operations::shown_by(Faces::RPC).filter(|operation| !matches!(operation.method, "hello" | "call/cancel"));
    let cell = |operation: &'static Operation| {
        let request = json!({ "jsonrpc": "2.0", "id": 7, "method": operation.method, "params": params(operation) });
        (operation, request.to_string(), scope.covers(operation.class))
    };
    sent.map(cell).filter(|(operation, _, allowed)| !(operation.method == "hub/stop" && *allowed)).collect()
}

fn check(face: &str, scope: Class, operation: &Operation, allowed: bool, answer: &str) {
    let (method, class) = (operation.method, operation.class.word());
    let refused = answer.contains(&format!("lacks the scope `{class}`")) && answer.contains("-32006");
    assert_eq!(refused, !allowed, "{face}: {method} with {}: {answer}", scope.word());
    if refused {
        assert!(answer.contains(&format!("eye token new NAME --may {class}")), "{face}: {method}: {answer}");
    }
}

/// Sends one HTTP request on a connection of its own; returns status line, headers and body as text.
fn http(home: &Home, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> String {
    let mut tcp = TcpStream::connect(("127.0.0.1", home.port())).unwrap();
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    for (name, value) in headers {
        head.extend([name, ": ", value, "\r\n"]);
    }
    write!(tcp, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut answer = Vec::new();
    tcp.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

fn bearer(secret: &str) -> (String, String) {
    ("Authorization".into(), format!("Bearer {secret}"))
}

#[test]
fn every_operation_with_every_scope_on_the_unix_socket() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    for scope in SCOPES {
        let secret = secret(&home, &[scope.word(), "--may", scope.word()]);
        let socket = UnixStream::connect(home.socket()).unwrap();
        let mut lines = BufReader::new(socket.try_clone().unwrap()).lines();
        let hello =
            json!({ "jsonrpc": "2.0", "method": "hello", "params": { "clientType": "agent", "token": secret } });
        writeln!(&socket, "{hello}").unwrap();
        for (operation, request, allowed) in cells(scope) {
            writeln!(&socket, "{request}").unwrap();
            let answer = lines.by_ref().map(Result::unwrap).find(|line| line.contains(r#""id":7"#)).unwrap();
            check("unix", scope, operation, allowed, &answer);
        }
        // Code in a line is code.
        writeln!(&socket, "a:1+1").unwrap();
        let answer = lines.by_ref().map(Result::unwrap).find(|line| line.starts_with('a')).unwrap();
        assert_eq!(answer.starts_with("a!:the token"), !scope.covers(Class::Eval), "{answer}");
    }
}

#[test]
fn hello_and_cancel_with_every_scope_give_no_more_and_reach_no_other_call() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let held = ScriptedPage::join(&home, &PageSetup::new(&home, "Shop"), |_| eye_testkit::Reply::Hold);
    let own = home.eye(["token", "show"]).stdout.trim().to_owned();
    let socket = UnixStream::connect(home.socket()).unwrap();
    let mut theirs = BufReader::new(socket.try_clone().unwrap()).lines().map(Result::unwrap);
    writeln!(&socket, "{}", json!({ "jsonrpc": "2.0", "id": 7, "method": "eval", "params": { "code": "x" } })).unwrap();
    let call = held.held();
    for scope in SCOPES {
        let secret = secret(&home, &[scope.word(), "--may", scope.word()]);
        let mut request = format!("ws://127.0.0.1:{}/ws?clientType=agent", home.port()).into_client_request().unwrap();
        request.headers_mut().insert("Authorization", format!("Bearer {secret}").parse().unwrap());
        let (mut ws, _) = tungstenite::connect(request).unwrap();
        let mut ask = |id: u32, method: &str, params: Value| {
            let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string();
            ws.send(tungstenite::Message::text(request)).unwrap();
            loop {
                let message = ws.read().unwrap();
                if let Ok(text) = message.to_text()
                    && text.contains(&format!(r#""id":{id}"#))
                {
                    break text.to_owned();
                }
            }
        };
        // Neither the hub's own token nor another name in hello raises the rights.
        let greeted = ask(1, "hello", json!({ "clientType": "agent", "token": own, "agent": "root" }));
        assert!(greeted.contains(r#""version""#), "{greeted}");
        let stop = ask(2, "hub/serve", json!({ "path": "/" }));
        assert!(stop.contains("-32006"), "{}: {stop}", scope.word());
        let code = ask(3, "eval", json!({ "code": "x", "mode": "fire" }));
        assert_eq!(code.contains("lacks the scope `eval`"), !scope.covers(Class::Eval), "{code}");
        if scope.covers(Class::Eval) {
            held.held();
        }
        // A call of another connection has the same id.
        let cancel = json!({ "jsonrpc": "2.0", "method": "call/cancel", "params": { "id": 7 } }).to_string();
        ws.send(tungstenite::Message::text(cancel)).unwrap();
        ws.send(tungstenite::Message::text(r#"{"jsonrpc":"2.0","id":9,"method":"ping","params":{}}"#)).unwrap();
        while !ws.read().unwrap().to_text().is_ok_and(|text| text.contains(r#""id":9"#)) {}
    }
    held.answer(&call, &Ok(eye_protocol::Value::Text("still there".into())));
    assert!(theirs.any(|line| line.contains("still there")));
}

#[test]
fn every_operation_with_every_scope_on_a_websocket() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    for scope in SCOPES {
        let secret = secret(&home, &[scope.word(), "--may", scope.word()]);
        let mut request = format!("ws://127.0.0.1:{}/ws?clientType=agent", home.port()).into_client_request().unwrap();
        request.headers_mut().insert("Authorization", format!("Bearer {secret}").parse().unwrap());
        let (mut socket, _) = tungstenite::connect(request).unwrap();
        for (operation, request, allowed) in cells(scope) {
            socket.send(tungstenite::Message::text(request)).unwrap();
            let answer = loop {
                let message = socket.read().unwrap();
                if let Ok(text) = message.to_text()
                    && text.contains(r#""id":7"#)
                {
                    break text.to_owned();
                }
            };
            check("ws", scope, operation, allowed, &answer);
        }
    }
}

#[test]
fn every_operation_with_every_scope_by_post() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    for scope in SCOPES {
        let secret = secret(&home, &[scope.word(), "--may", scope.word()]);
        let (name, value) = bearer(&secret);
        let headers = [(name.as_str(), value.as_str()), ("Content-Type", "application/json")];
        let mut stream = TcpStream::connect(("127.0.0.1", home.port())).unwrap();
        // A client of BTCP over HTTP that names its session in a header gets its responses in the body.
        let open = format!("GET /events?sessionId={}&clientType=agent HTTP/1.1\r\nHost: localhost\r\n", scope.word());
        write!(stream, "{open}{name}: {value}\r\n\r\n").unwrap();
        let mut events = BufReader::new(stream).lines();
        assert!(events.next().unwrap().unwrap().contains("200"), "the stream is open");
        let posted = [headers[0], headers[1], ("X-Session-ID", scope.word())];
        for (operation, request, allowed) in cells(scope) {
            check("/rpc", scope, operation, allowed, &http(&home, "POST", "/rpc", &headers, &request));
            check("/agent", scope, operation, allowed, &http(&home, "POST", "/agent", &headers, &request));
            // A request with a page's method is taken for a page's, which no agent's token is valid for.
            if operation.class == Class::Join {
                continue;
            }
            let answer = http(&home, "POST", "/message", &posted, &request);
            // This dialect first refuses every call of an agent that has joined no page.
            if operation.method == "tools/call" && answer.contains("Browser client not connected") {
                continue;
            }
            check("/message", scope, operation, allowed, &answer);
        }
    }
}

/// A small server: it greets, lists one tool, and answers every call.
const SMALL: &str = r#"read a
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}}'
read b; read c
echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"whereabouts","description":"Tells the folder.","inputSchema":{}}]}}'
n=3
while read line; do
  echo "{\"jsonrpc\":\"2.0\",\"id\":$n,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"here\"}]}}"
  n=$((n + 1))
done"#;

#[test]
fn every_tool_with_every_scope_over_mcp() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    assert_eq!(home.eye(["servers", "add", "small", "--", "sh", "-c", SMALL]).code, 0);
    for scope in SCOPES {
        let secret = secret(&home, &[scope.word(), "--may", scope.word()]);
        let mut stdio = Client::with_token(&home, &secret);
        let (name, value) = bearer(&secret);
        let accept = "application/json, text/event-stream";
        let headers = [(name.as_str(), value.as_str()), ("Content-Type", "application/json"), ("Accept", accept)];
        let info = json!({ "name": "test", "version": "1" });
        let params_of = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
        let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params_of }).to_string();
        let begun = http(&home, "POST", "/mcp", &headers, &initialize);
        let session =
            begun.lines().find_map(|line| line.to_lowercase().strip_prefix("mcp-session-id: ").map(str::to_owned));
        let session = session.unwrap_or_else(|| panic!("{begun}"));
        let mut headers = headers.to_vec();
        headers.push(("Mcp-Session-Id", session.trim()));
        let tools = operations::shown_by(Faces::MCP).map(|tool| (tool.name, tool.class, params(tool)));
        let tools = tools.map(|(name, class, arguments)| {
            (
                class,
                json!({ "name": "mcp_call", "arguments": { "name": format!("eye__{name}"), "arguments": arguments } }),
            )
        });
        let code = (Class::Eval, json!({ "name": "eye", "arguments": { "expr": "1" } }));
        // A tool of a server, by its full name from discovery, and from the list of `--full`.
        let servers = ["small::whereabouts", "small__whereabouts"]
            .map(|name| (Class::Servers, json!({ "name": "mcp_call", "arguments": { "name": name } })));
        let direct = (Class::Servers, json!({ "name": "small__whereabouts", "arguments": {} }));
        for (class, call) in tools.chain([code, direct]).chain(servers) {
            let request = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call }).to_string();
            let over_http = http(&home, "POST", "/mcp", &headers, &request);
            let id = stdio.send("tools/call", &call);
            let over_stdio = stdio.response(id).to_string();
            for (face, answer) in [("stdio", over_stdio), ("http", over_http)] {
                let refused = answer.contains(&format!("lacks the scope `{}`", class.word()));
                assert_eq!(refused, !scope.covers(class), "{face}: {call} with {}: {answer}", scope.word());
            }
        }
    }
}

#[test]
fn servers_do_not_exist_for_a_token_without_their_scope() {
    let home = home();
    let _hub = HubProcess::start(&home);
    assert_eq!(home.eye(["servers", "add", "small", "--", "sh", "-c", SMALL]).code, 0);
    assert_eq!(home.eye(["call", "small::whereabouts"]).code, 0, "the hub knows its tools");
    let secret = secret(&home, &["ci", "--may", "read"]);
    let eye = |args: &[&str]| eye_testkit::Running::of(home.command().args(args).env("EYE_TOKEN", &secret)).wait();
    for query in ["$.tools", "$.servers", "$.tool_names", "tell the folder"] {
        let ran = eye(&["discover", query]);
        assert!(!ran.stdout.contains("whereabouts") && !ran.stdout.contains("read a"), "{query}: {}", ran.stdout);
    }
    let found = eye(&["discover", "tell the folder"]);
    let output = format!("{}{}", found.stdout, found.stderr);
    assert!(output.contains("tools of MCP servers are left out: the token `ci` lacks the scope `servers`"), "{output}");
    assert!(home.eye(["discover", "tell the folder"]).stdout.contains("whereabouts"), "others find them");
}

#[test]
fn pages_of_other_origins_do_not_exist_for_a_token() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let here = ScriptedPage::echo(&home, "Here");
    let other = PageSetup { origin: Some("http://localhost:1".into()), ..PageSetup::new(&home, "Other") };
    let other = ScriptedPage::join(&home, &other, |code| eye_testkit::Reply::text(code));
    let origin = format!("http://localhost:{}", home.port());
    let secret = secret(&home, &["ci", "--may", "eval", "--pages", &origin]);
    let eye = |args: &[&str]| eye_testkit::Running::of(home.command().args(args).env("EYE_TOKEN", &secret)).wait();
    let pages = eye(&["pages", "--json"]).stdout;
    assert!(pages.contains(here.session()) && !pages.contains(other.session()), "{pages}");
    assert_eq!(eye(&["document.title"]).stdout, "document.title\n", "there is one page, so it is meant");
    for args in [&["--page", other.session(), "1"][..], &["use", other.session()], &["--page", "Other", "1"]] {
        let ran = eye(args);
        assert_eq!(ran.code, 3, "{args:?}: {}{}", ran.stdout, ran.stderr);
        assert!(!ran.stderr.contains(other.session()) || args.contains(&other.session()), "{}", ran.stderr);
    }
    assert!(
        !eye(&["rpc", r#"{"method":"gateway/discover","params":{"query":"$.pages"}}"#])
            .stdout
            .contains(other.session())
    );
    let mut command = home.command();
    let mut running = eye_testkit::Running::of(
        command.args(["sub", "news", "--count", "1", "--for", "20"]).env("EYE_TOKEN", &secret),
    );
    // Publishing waits for a subscriber, so the order of the two does not matter.
    let publish = |text: &str| {
        format!(r#"{{"jsonrpc":"2.0","method":"topic/publish","params":{{"topic":"news","message":"{text}"}}}}"#)
    };
    other.send(&publish("theirs"));
    here.send(&publish("ours"));
    let _ = running.child();
    assert_eq!(running.wait().stdout, "ours\n");
}

#[test]
fn tokens_are_listed_expire_and_are_revoked() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let secret = secret(&home, &["ci", "--may", "read,act", "--expires", "30d"]);
    let listed = home.eye(["token", "list"]).stdout;
    assert!(listed.starts_with("ci  read,act  all pages  for 29days"), "{listed}");
    assert!(!listed.contains(&secret));
    let eye = |args: &[&str]| eye_testkit::Running::of(home.command().args(args).env("EYE_TOKEN", &secret)).wait();
    assert_eq!(eye(&["look"]).code, 0);
    let refused = eye(&["1+1"]);
    assert_eq!(refused.code, 4, "{}", refused.stderr);
    assert!(refused.stderr.contains("the token `ci` lacks the scope `eval`"), "{}", refused.stderr);
    assert_eq!(home.eye(["token", "revoke", "ci"]).code, 0);
    let revoked = eye(&["look"]);
    assert_eq!(revoked.code, 4, "{}", revoked.stderr);
    assert!(revoked.stderr.contains("is not this hub's"), "{}", revoked.stderr);
    assert_eq!(home.eye(["token", "revoke", "ci"]).code, 2);
    assert_eq!(home.eye(["token", "new", "a", "--may", "all"]).code, 2);
}

#[test]
fn a_join_token_is_a_page_of_its_origin_and_nothing_else() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let origin = "https://shop.example";
    let secret = secret(&home, &["shop", "--may", "join", "--origin", origin]);
    let join = |path: &str, origin: &str| {
        let mut request = format!("ws://127.0.0.1:{}{path}", home.port()).into_client_request().unwrap();
        request.headers_mut().insert("Origin", origin.parse().unwrap());
        tungstenite::connect(request).is_ok()
    };
    let with_token = format!("/ws?clientType=browser&version=1.0.0&token={secret}");
    assert!(!join("/ws?clientType=browser&version=1.0.0", origin), "not without it");
    assert!(join(&with_token, origin));
    assert!(!join(&with_token, "https://evil.example"), "not from elsewhere");
    assert!(!join("/ws?clientType=browser&version=1.0.0&token=wrong", origin));
    let (name, value) = bearer(&secret);
    let answer = http(&home, "POST", "/rpc", &[(&name, &value)], r#"{"jsonrpc":"2.0","id":1,"method":"session/list"}"#);
    assert!(answer.starts_with("HTTP/1.1 403") && answer.contains("not for an agent"), "{answer}");
}
