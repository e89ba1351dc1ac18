//! `eye mcp`: an MCP client on stdio, the real hub, and scripted pages.

use crate::stage::mcp::{Client, with_meta};
use crate::stage::{home, page};
use eye_protocol::{Code, Error};
use eye_testkit::{Home, HubProcess, PageSetup, Reply, ScriptedPage, ToolReply};
use serde_json::{Value, json};

fn tools() -> Vec<Value> {
    vec![
        json!({
            "name": "add",
            "description": "Adds two numbers. Slowly.",
            "inputSchema": {
                "type": "object",
                "properties": { "a": { "type": "number" }, "b": { "type": "number" } },
                "required": ["a"]
            },
            "x-own": [1]
        }),
        json!({ "name": "slow" }),
    ]
}

fn reply(name: &str, arguments: &Value) -> ToolReply {
    let number = |name: &str| arguments[name].as_f64().unwrap_or_default();
    match name {
        "slow" => ToolReply::Hold,
        _ if arguments["a"] == -1 => ToolReply::Error(Error::new(Code::THREW, "negative").hint("use [\"1\"]")),
        _ => ToolReply::Result(json!({ "sum": number("a") + number("b") })),
    }
}

fn shop(home: &Home, alias: &str) -> ScriptedPage {
    ScriptedPage::offering(home, &PageSetup::new(home, "Shop").alias(alias), &tools(), reply)
}

#[test]
fn eye_answers_the_bare_value() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let mut client = Client::legacy(&home, &[]);
    for (expr, want) in
        [("document.title", "Shop"), ("5", "5"), ("({a:1})", r#"{"a":1}"#), ("undefined", "undefined"), ("empty", "")]
    {
        assert_eq!(client.text("eye", &json!({ "expr": expr }), false), want);
    }
    let result = client.call("eye", &json!({ "expr": "5", "page": "shop" }));
    assert_eq!(result["_meta"]["eye/untrusted"], true);
    client.finish();
}

#[test]
fn failures_reach_the_model_with_their_next_step() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let mut client = Client::legacy(&home, &[]);
    let refused = client.text("eye", &json!({ "expr": "1" }), true);
    assert!(refused.starts_with("no page is connected\nhint: "), "{refused}");
    let _page = page(&home);
    assert_eq!(client.text("eye", &json!({ "expr": "boom" }), true), "page: x");
    let elsewhere = client.text("eye", &json!({ "expr": "1", "page": "nowhere" }), true);
    assert!(elsewhere.contains("no page fits `nowhere`"), "{elsewhere}");
    assert!(client.text("eye", &json!({}), true).contains("`expr` is missing"));
    assert_eq!(client.refused("tools/call", &json!({ "name": "nothing" }))["code"], -32602);
    assert_eq!(client.refused("nothing/at/all", &json!({}))["code"], -32601);
}

#[test]
fn a_long_answer_is_cut_and_says_how_to_go_on() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let text = Client::legacy(&home, &[]).text("eye", &json!({ "expr": "large" }), false);
    assert!(text.len() < 41_000, "{}", text.len());
    assert!(text.contains("cut at 40000 of 5242880 characters"), "{}", &text[39_990..]);
}

#[test]
fn the_sparse_list_is_the_same_bytes_whatever_there_is_and_leaks_nothing() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let mut client = Client::legacy(&home, &[]);
    let before = client.ask("tools/list", &json!({})).to_string();
    let _page = shop(&home, "shop");
    let _other = shop(&home, "other");
    for params in [json!({}), json!({ "cursor": "0" }), json!({ "limit": 1000 })] {
        assert_eq!(client.ask("tools/list", &params).to_string(), before);
    }
    // An id of 0 is valid.
    client.send_message(&json!({ "jsonrpc": "2.0", "id": 0, "method": "tools/list" }));
    assert_eq!(client.response(0)["result"].to_string(), before);
    let modern = client.modern("tools/list", json!({}));
    assert_eq!(modern["tools"].to_string(), serde_json::from_str::<Value>(&before).unwrap()["tools"].to_string());
    assert_eq!(modern["resultType"], "complete");
    let none = client.ask("tools/list", &json!({ "cursor": "3" }));
    assert_eq!(none["tools"], json!([]));
    // A call that requests the whole list gets it.
    let all = client.text("mcp_call", &json!({ "method": "tools/list" }), false);
    let all: Value = serde_json::from_str(&all).unwrap();
    let names: Vec<&str> = all["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"page_shop__add") && names.contains(&"eye__click"), "{names:?}");
}

#[test]
fn a_tool_of_a_page_is_found_by_words_and_called_by_name() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = shop(&home, "shop");
    let mut client = Client::legacy(&home, &[]);
    let found = client.text("mcp_discover", &json!({ "query": "add numbers" }), false);
    assert!(found.starts_with("add(a: number, b?: number)  Adds two numbers.\n"), "{found}");
    assert!(found.contains("hidden tools from 2 servers"), "{found}");
    let by_path = client.text("mcp_discover", &json!({ "jsonpath": "$.tools[?@.name=='add'].server" }), false);
    assert_eq!(by_path, r#""page:shop""#);
    let sum = json!({ "a": 1, "b": 2 });
    for name in ["add", "page:shop::add", "page_shop__add"] {
        let result = client.call("mcp_call", &json!({ "name": name, "arguments": sum }));
        assert_eq!(result["structuredContent"], json!({ "sum": 3.0 }), "{name}");
        assert_eq!(result["_meta"]["eye/untrusted"], true);
    }
    let selected = client.text("mcp_call", &json!({ "name": "add", "arguments": sum, "select": "$.sum" }), false);
    assert_eq!(selected, "3.0");
    let seed = json!({ "method": "tools/call", "params": { "name": "add", "arguments": sum } });
    assert_eq!(client.call("mcp_call", &seed)["structuredContent"], json!({ "sum": 3.0 }));
    let wrong = client.text("mcp_call", &json!({ "name": "add", "arguments": { "a": "x" } }), true);
    assert!(wrong.contains("/a"), "{wrong}");
    let threw = client.text("mcp_call", &json!({ "name": "add", "arguments": { "a": -1 } }), true);
    assert_eq!(threw, "page: negative\nhint: use `1`");
    assert!(client.text("mcp_call", &json!({ "name": "ad" }), true).contains("did you mean add?"));
}

#[test]
fn a_name_that_two_pages_have_is_an_error_that_lists_both() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let (_one, _two) = (shop(&home, "one"), shop(&home, "two"));
    let mut client = Client::legacy(&home, &[]);
    let both = client.text("mcp_call", &json!({ "name": "add", "arguments": { "a": 1 } }), true);
    assert!(both.contains("page:one::add") && both.contains("page:two::add"), "{both}");
}

#[test]
fn the_full_list_has_every_tool_under_a_stable_name() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = shop(&home, "shop");
    let mut client = Client::legacy(&home, &["--full"]);
    let list = client.ask("tools/list", &json!({}));
    let add = list["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "page_shop__add").unwrap();
    assert_eq!(add["x-own"], json!([1]));
    for tool in list["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        assert!(name.len() <= 64 && tool["inputSchema"]["type"] == "object", "{tool}");
    }
    let result = client.call("page_shop__add", &json!({ "a": 1, "b": 2 }));
    assert_eq!(result["structuredContent"], json!({ "sum": 3.0 }));
    // Its list changes with the pages, and the client is notified.
    let _other = shop(&home, "other");
    assert_eq!(changed(&mut client, "tools"), "notifications/tools/list_changed");
}

fn changed(client: &mut Client, what: &str) -> String {
    loop {
        let method = client.receive()["method"].as_str().unwrap_or_default().to_owned();
        if method.contains(what) {
            return method;
        }
    }
}

#[test]
fn state_is_a_resource_that_reports_its_changes() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = page(&home);
    let uri = format!("eye://session/{}/state", page.session());
    let mut client = Client::legacy(&home, &[]);
    let publish = |n: u32| {
        page.send(&format!(
            r#"{{"jsonrpc":"2.0","method":"state/update","params":{{"state":{{"n":{n}}},"revision":{n}}}}}"#
        ));
    };
    publish(1);
    let list = client.ask("resources/list", &json!({}));
    assert!(list["resources"].as_array().unwrap().iter().any(|resource| resource["uri"] == uri), "{list}");
    client.ask("resources/subscribe", &json!({ "uri": uri }));
    publish(2);
    loop {
        let notice = client.receive();
        if notice["method"] == "notifications/resources/updated" {
            assert_eq!(notice["params"]["uri"], uri);
            break;
        }
    }
    let read = client.ask("resources/read", &json!({ "uri": uri }));
    assert_eq!(read["contents"][0]["text"], r#"{"n":2}"#);
    assert_eq!(read["contents"][0]["_meta"]["eye/untrusted"], true);
    assert_eq!(client.refused("resources/read", &json!({ "uri": "eye://session/nobody/state" }))["code"], -32002);
    let refused = client.refused("resources/read", &with_meta(json!({ "uri": "eye://session/nobody/state" })));
    assert_eq!(refused["code"], -32602);
}

#[test]
fn cancelling_reaches_the_page_and_has_no_answer() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = ScriptedPage::join(&home, &PageSetup::new(&home, "Shop"), |code| match code {
        "wait" => Reply::Hold,
        _ => Reply::text(code),
    });
    let mut client = Client::legacy(&home, &[]);
    let id = client.send("tools/call", &json!({ "name": "eye", "arguments": { "expr": "wait" } }));
    let held = page.held();
    client
        .send_message(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
    assert_eq!(page.cancelled(), held.id);
    assert_eq!(client.text("eye", &json!({ "expr": "next" }), false), "next");
    assert!(client.notices.is_empty(), "{:?}", client.notices);
}

#[test]
fn progress_comes_under_the_clients_own_token_and_before_the_answer() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = shop(&home, "shop");
    let mut client = Client::legacy(&home, &[]);
    let arguments = json!({ "name": "slow", "arguments": {} });
    let params = json!({ "name": "mcp_call", "arguments": arguments, "_meta": { "progressToken": "mine" } });
    let id = client.send("tools/call", &params);
    let held = page.held_tool();
    page.progress(&held, json!({ "progress": 1, "total": 2, "message": "half" }));
    let answer = client.receive();
    assert_eq!(answer["method"], "notifications/progress");
    assert_eq!(answer["params"], json!({ "progressToken": "mine", "progress": 1, "total": 2, "message": "half" }));
    page.answer_tool(&held, Ok(&json!({ "content": [] })));
    assert_eq!(client.response(id)["result"]["content"], json!([]));
}

#[test]
fn messages_are_read_however_they_are_cut() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = page(&home);
    let mut client = Client::legacy(&home, &[]);
    let ask = |id: u64| {
        let params = json!({ "name": "eye", "arguments": { "expr": "document.title" } });
        format!("{}\r\n", json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
    };
    for byte in ask(1).bytes() {
        client.write(&[byte]);
    }
    assert_eq!(client.response(1)["result"]["content"][0]["text"], "Shop");
    let many: String = (2..200).map(ask).collect();
    client.write(many.as_bytes());
    for id in 2..200 {
        assert_eq!(client.response(id)["result"]["content"][0]["text"], "Shop");
    }
    client.write(b"garbage\n");
    assert_eq!(client.receive()["error"]["code"], -32700);
}

#[test]
fn batches_are_for_the_revision_that_has_them() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let batch = json!([
        { "jsonrpc": "2.0", "id": 1, "method": "ping" },
        { "jsonrpc": "2.0", "method": "notifications/initialized" },
        { "jsonrpc": "2.0", "id": 2, "method": "nothing" }
    ]);
    let mut client = Client::of_version(&home, &[], "2025-03-26", &json!({}));
    client.send_message(&batch);
    let answers = client.receive();
    assert_eq!((&answers[0]["id"], &answers[1]["error"]["code"]), (&json!(1), &json!(-32601)), "{answers}");
    assert_eq!(answers.as_array().unwrap().len(), 2);
    let mut other = Client::legacy(&home, &[]);
    other.send_message(&batch);
    assert_eq!(other.receive()["error"]["code"], -32600);
}

#[test]
fn a_client_means_its_own_last_page_never_anothers() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let at = |alias: &'static str| {
        ScriptedPage::join(&home, &PageSetup::new(&home, alias).alias(alias), move |_| Reply::text(alias))
    };
    let (_one, _two) = (at("one"), at("two"));
    let (mut first, mut second) = (Client::legacy(&home, &[]), Client::legacy(&home, &[]));
    assert_eq!(first.text("eye", &json!({ "expr": "x", "page": "one" }), false), "one");
    assert_eq!(second.text("eye", &json!({ "expr": "x", "page": "two" }), false), "two");
    assert_eq!(first.text("eye", &json!({ "expr": "x" }), false), "one");
    assert_eq!(second.text("eye", &json!({ "expr": "x" }), false), "two");
    assert_eq!(home.eye(["-p", "two", "x"]).stdout, "two\n");
    let mut third = Client::start(&home, &["--page", "one"]);
    assert_eq!(third.text("eye", &json!({ "expr": "x" }), false), "one");
}

#[test]
fn a_client_outlives_its_hub() {
    let home = home();
    let hub = HubProcess::start(&home);
    let mut client = Client::legacy(&home, &[]);
    client.ask("ping", &json!({}));
    hub.kill();
    let id = client.send("tools/list", &json!({}));
    assert_eq!(client.response(id)["result"]["tools"].as_array().unwrap().len(), 3);
    assert_eq!(home.eye(["down"]).code, 0);
    // The next request starts a hub again.
    client.ask("ping", &json!({}));
}

#[test]
fn what_is_under_way_when_a_hub_stops_is_answered() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = ScriptedPage::join(&home, &PageSetup::new(&home, "Shop"), |_| Reply::Hold);
    let mut client = Client::legacy(&home, &[]);
    let id = client.send("tools/call", &json!({ "name": "eye", "arguments": { "expr": "wait" } }));
    page.held();
    assert_eq!(home.eye(["down"]).code, 0);
    let response = client.response(id);
    let text = response.to_string();
    assert!(text.contains("shut"), "{text}");
}

#[test]
fn a_modern_client_needs_no_handshake() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = page(&home);
    let mut client = Client::start(&home, &[]);
    let about = client.modern("server/discover", json!({}));
    assert_eq!(about["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(about["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "eye");
    assert!(about["instructions"].as_str().unwrap().contains("eye.look()"));
    let call = json!({ "name": "eye", "arguments": { "expr": "document.title" } });
    let result = client.modern("tools/call", call);
    assert_eq!((&result["content"][0]["text"], &result["resultType"]), (&json!("Shop"), &json!("complete")));
    for removed in ["initialize", "ping", "logging/setLevel", "resources/subscribe"] {
        assert_eq!(client.refused(removed, &with_meta(json!({})))["code"], -32601, "{removed}");
    }
    let uri = format!("eye://session/{}/state", page.session());
    let listen = json!({ "notifications": { "resourceSubscriptions": [uri], "toolsListChanged": true } });
    let id = client.send("subscriptions/listen", &with_meta(listen));
    let acknowledged = client.receive();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged["params"]["notifications"]["resourceSubscriptions"], json!([uri]));
    page.send(r#"{"jsonrpc":"2.0","method":"state/update","params":{"state":{"n":1},"revision":1}}"#);
    let updated = client.receive();
    assert_eq!(updated["params"]["uri"], uri);
    assert_eq!(updated["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
    client.finish();
}

#[test]
fn the_version_of_a_modern_request_is_checked() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let mut client = Client::start(&home, &[]);
    let version = "io.modelcontextprotocol/protocolVersion";
    let mut params = with_meta(json!({}));
    params["_meta"][version] = "2027-01-01".into();
    let error = client.refused("tools/list", &params);
    assert_eq!((&error["code"], &error["data"]["requested"]), (&json!(-32022), &json!("2027-01-01")));
    let error = client.refused("tools/list", &json!({ "_meta": { version: "2026-07-28" } }));
    assert_eq!(error["code"], -32602);
}

#[test]
fn an_agent_on_an_ordinary_socket_asks_the_gateway() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = shop(&home, "shop");
    let ask = |method: &str, params: Value| {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let ran = home.eye(["rpc", &request.to_string()]);
        serde_json::from_str::<Value>(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
    };
    let servers = ask("gateway/servers", json!({}));
    assert!(servers.to_string().contains(r#""servers":[]"#), "{servers}");
    let found = ask("gateway/discover", json!({ "query": "add" })).to_string();
    assert!(found.contains("add(a: number, b?: number)"), "{found}");
    let called = ask("gateway/call", json!({ "name": "add", "arguments": { "a": 1, "b": 2 } })).to_string();
    assert!(called.contains(r#""sum":3.0"#), "{called}");
    assert!(ask("gateway/nothing", json!({})).to_string().contains("no such method"));
}

#[test]
fn an_expression_that_begins_like_an_announcement_is_none() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = ScriptedPage::echo(&home, "Echo");
    assert_eq!(home.eye(["mcp + 1"]).stdout, "mcp + 1\n");
}

#[test]
fn connect_prints_what_a_client_must_configure() {
    let home = home();
    let ran = home.eye(["mcp", "--print-config", "claude"]);
    // All of stdout is the file, which is committed: it contains no path of this machine.
    let body: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(body, json!({ "mcpServers": { "eye": { "command": "eye", "args": ["mcp"] } } }));
    assert!(ran.code == 0 && ran.stderr.starts_with("note: this goes into .mcp.json;"), "{}", ran.stderr);
    assert_eq!(home.eye(["mcp", "--print-config", "nobody"]).code, 2);
}

#[test]
fn inner_lists_come_in_whole_pages_and_ping_is_answered() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let long = "x".repeat(2_000);
    let tools: Vec<Value> = (0..60).map(|n| json!({ "name": format!("tool{n}"), "description": long })).collect();
    let setup = PageSetup::new(&home, "Many");
    let _page = ScriptedPage::offering(&home, &setup, &tools, |_, _| ToolReply::Result(json!({})));
    let mut client = Client::legacy(&home, &[]);
    assert_eq!(client.text("mcp_call", &json!({ "method": "ping" }), false), "{}");
    let (mut found, mut pages, mut params) = (0, 0, json!({}));
    loop {
        let text = client.text("mcp_call", &json!({ "method": "tools/list", "params": params }), false);
        let page: Value = serde_json::from_str(&text).unwrap();
        let listed = page["tools"].as_array().unwrap();
        found += listed.iter().filter(|tool| tool["description"].as_str().unwrap().contains(&long)).count();
        pages += 1;
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        params = json!({ "cursor": cursor });
    }
    assert_eq!(found, 60);
    assert!(pages >= 3, "{pages}");
}

#[test]
fn onboarding_is_a_further_tool_where_the_config_asks_for_it() {
    let home = home();
    let _hub = HubProcess::start(&home);
    assert_eq!(Client::legacy(&home, &[]).refused("tools/call", &json!({ "name": "onboarding" }))["code"], -32602);
    // A repository cannot switch it on: it has no entry that the user could trust.
    let folder = home.path("work/a/.eye");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("config.yaml"), "onboarding: true\n").unwrap();
    let list = Client::in_folder(&home, "work/a").ask("tools/list", &json!({}));
    assert_eq!(list["tools"].as_array().map(Vec::len), Some(3));
    std::fs::create_dir_all(home.path("config/eye")).unwrap();
    std::fs::write(home.path("config/eye/config.yaml"), "onboarding: true\n").unwrap();
    // Another folder, because its config has not been read before.
    std::fs::create_dir_all(home.path("work/b")).unwrap();
    let mut client = Client::in_folder(&home, "work/b");
    let list = client.ask("tools/list", &json!({}));
    assert_eq!(list["tools"][3]["name"], "onboarding");
    let arguments = json!({ "identity": "Claude", "instructions": "Be brief." });
    assert!(client.text("onboarding", &arguments, false).contains("Be brief."));
    assert_eq!(client.text("onboarding", &json!({ "identity": "Claude" }), false), "Be brief.");
    let default = client.text("onboarding", &json!({ "identity": "Nobody" }), false);
    assert!(default.contains("No instructions were left for you yet"), "{default}");
    assert_eq!(client.text("onboarding_list", &json!({}), false), "Claude");
    client.text("onboarding_delete", &json!({ "identity": "Claude" }), false);
    assert!(client.text("onboarding_list", &json!({}), false).contains("no identity"));
}
