//! Pages that try to kill or freeze the hub, against the real binary: other pages still answer, and memory is bounded.

use crate::stage::{home, page};
use eye_testkit::process::peak_kib;
use eye_testkit::{DEADLINE, Home, HubProcess, PageSetup, Reply, ScriptedPage};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::sync::mpsc::channel;

/// The most memory that a hub under attack may take: twice its estimated budget of 256 MiB, because lists have spare
/// capacity; documents being parsed or freed; and the program itself. Without a budget this attack takes far more.
const MEMORY_KIB_MAX: u64 = 1 << 20;

fn hostile(home: &Home, session: &str) -> ScriptedPage {
    let setup = PageSetup::new(home, "Hostile").session(session);
    ScriptedPage::join(home, &setup, |_| Reply::text("hostile"))
}

fn notify(page: &ScriptedPage, method: &str, params: &Value) {
    page.send(&json!({"jsonrpc":"2.0","method":method,"params":params}).to_string());
}

/// Publishes a document and a patch of it.
fn patches(page: &ScriptedPage, state: &Value, patch: &Value) {
    notify(page, "state/update", &json!({"state":state,"revision":1}));
    notify(page, "state/patch", &json!({"patch":patch,"revision":2}));
}

fn registers(page: &ScriptedPage, schema: &Value) {
    let params = json!({"tools":[{"name":"t","inputSchema":schema}]});
    page.send(&json!({"jsonrpc":"2.0","id":"register","method":"tools/register","params":params}).to_string());
}

fn chain(length: usize, link: impl Fn(&Value) -> Value) -> Value {
    let mut defs = serde_json::Map::new();
    for n in 0..length {
        defs.insert(format!("d{n}"), link(&json!({"$ref":format!("#/$defs/d{}", n + 1)})));
    }
    defs.insert(format!("d{length}"), json!({}));
    json!({"$ref":"#/$defs/d0","$defs":defs})
}

/// Another page answers, within a tenth of what a call may take.
fn others_are_answered(home: &Home, after: &str) {
    let ran = home.eye(["--page", "Shop", "--timeout", "3", "document.title"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "Shop\n"), "after {after}: {}", ran.stderr);
}

fn memory_kib(hub: &HubProcess) -> u64 {
    peak_kib(hub.pid()).expect("the hub runs")
}

#[test]
fn no_page_kills_or_freezes_the_hub() {
    let home = home();
    let hub = HubProcess::start(&home);
    let _shop = page(&home);
    let page = hostile(&home, "hostile");

    let double: Vec<Value> = (0..26).map(|n| json!({"op":"copy","from":"/a","path":format!("/a/{n}")})).collect();
    patches(&page, &json!({"a":{}}), &double.into());
    others_are_answered(&home, "copies that double");

    notify(&page, "state/update", &json!({"state":{"a":[[]]},"revision":1}));
    for n in 0..16 {
        let deeper = json!({"op":"copy","from":"/a","path":format!("/a{}/-", "/0".repeat((2 << n) - 1))});
        notify(&page, "state/patch", &json!({"patch":[deeper],"revision":n + 2}));
    }
    others_are_answered(&home, "copies into their own depth");

    let front = vec![json!({"op":"add","path":"/0","value":0}); 20_000];
    patches(&page, &vec![0; 900_000].into(), &front.into());
    others_are_answered(&home, "items added at the front");

    registers(&page, &chain(20, |next| json!({"unevaluatedProperties":false,"allOf":[next, next]})));
    others_are_answered(&home, "a schema that doubles with what is unevaluated");
    registers(&page, &chain(20, |next| json!({"oneOf":[next, next]})));
    others_are_answered(&home, "a schema that doubles with oneOf");
    let tree = json!({"items":{"oneOf":[{"$ref":"#/$defs/t"},{"$ref":"#/$defs/t"},{"$ref":"#/$defs/t"}]}});
    registers(&page, &json!({"properties":{"x":{"$ref":"#/$defs/t"}},"$defs":{"t":tree}}));
    // Its answer comes after its registration.
    let there = home.eye(["--page", "hostile", "--timeout", "30", "1"]);
    assert_eq!(there.stdout, "hostile\n", "{}", there.stderr);
    let nested = (0..60).fold(json!([]), |inner, _| json!([inner]));
    let called = home.eye(["--page", "hostile", "--timeout", "10", "call", "t", &json!({"x":nested}).to_string()]);
    assert!(called.stderr.contains("would take too long"), "{}", called.stderr);
    others_are_answered(&home, "a call that multiplies with its arguments");

    let patterns: serde_json::Map<String, Value> = (0..400_000).map(|n| (format!("^p{n}$"), json!({}))).collect();
    registers(&page, &json!({"patternProperties":patterns}));
    others_are_answered(&home, "400,000 patterns");
    page.leave();

    for n in 0..12 {
        let left = hostile(&home, &format!("left{n}"));
        notify(&left, "state/update", &json!({"state":vec![0; 900_000],"revision":1}));
        left.leave();
        others_are_answered(&home, "a large state that is left behind");
    }
    let peak = memory_kib(&hub);
    assert!(peak <= MEMORY_KIB_MAX, "{peak} KiB");
}

#[test]
fn a_hub_that_is_kept_busy_ends_when_it_is_told_to() {
    let home = home();
    let hub = HubProcess::start(&home);
    let page = hostile(&home, "hostile");
    let front = Value::from(vec![json!({"op":"add","path":"/0","value":0}); 5_000]);
    for revision in 1..40 {
        notify(&page, "state/update", &json!({"state":vec![0; 400_000],"revision":2 * revision}));
        notify(&page, "state/patch", &json!({"patch":front,"revision":2 * revision + 1}));
    }
    let pid = Pid::from_raw(i32::try_from(hub.pid()).unwrap()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    let (done, is_done) = channel();
    std::thread::spawn(move || {
        hub.wait();
        let _ = done.send(());
    });
    is_done.recv_timeout(DEADLINE).expect("SIGTERM ends it, whatever it does");
}
