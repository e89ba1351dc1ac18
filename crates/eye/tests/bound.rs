//! An agent's calls stay with the page that it used before: no call moves to another page by itself.

use crate::stage::home;
use crate::stage::mcp::Client;
use eye_protocol::messages::{Presence, SessionRow};
use eye_testkit::{DEADLINE, HubProcess, PageSetup, ScriptedPage, ToolReply};
use serde_json::{Value, json};
use std::time::Instant;

#[test]
fn a_tool_that_a_client_called_in_one_page_is_not_called_in_another_by_its_bare_name() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let greet = [json!({ "name": "greet" })];
    let page = |alias: &'static str| {
        let answer = move |_: &str, _: &Value| ToolReply::Result(json!(alias));
        ScriptedPage::offering(&home, &PageSetup::new(&home, alias).alias(alias), &greet, answer)
    };
    let one = page("one");
    let mut client = Client::legacy(&home, &[]);
    let call = json!({ "name": "greet", "arguments": {} });
    assert_eq!(client.text("mcp_call", &call, false), "one");
    let (session, _two) = (one.session().to_owned(), page("two"));
    one.leave();
    // Its session is over: the list of pages no longer expects it back.
    let gone = || {
        let rows: Vec<SessionRow> = serde_json::from_str(&home.eye(["pages", "--json"]).stdout).expect("rows");
        rows.iter().all(|row| row.id != session || row.state == Presence::Gone)
    };
    let deadline = Instant::now() + DEADLINE;
    while !gone() {
        assert!(Instant::now() < deadline, "the page is gone in time");
    }
    let refused = client.text("mcp_call", &call, true);
    assert!(refused.contains("`greet` was a tool of page:one, which no longer offers it"), "{refused}");
    assert!(refused.contains("call page:two::greet"), "{refused}");
    // Another client has never used it elsewhere.
    assert_eq!(Client::legacy(&home, &[]).text("mcp_call", &call, false), "two");
    // From then on the named page is used.
    let named = json!({ "name": "page:two::greet", "arguments": {} });
    assert_eq!(client.text("mcp_call", &named, false), "two");
    assert_eq!(client.text("mcp_call", &call, false), "two");
}
