//! Documents, patches and schemas that are small on the wire and large, deep or slow to process.

use fastrand::Rng;
use serde_json::{Value as Json, json};

/// A random one of them, as a frame.
pub fn any(rng: &mut Rng) -> String {
    let (method, params) = match rng.u8(..6) {
        0 => ("state/update", json!({ "state": { "a": {} }, "revision": 1 })),
        1 => ("state/patch", json!({ "patch": doubling(rng.u32(10..40)), "revision": 2 })),
        2 => ("state/patch", json!({ "patch": deepening(rng.usize(4..24)), "revision": 2 })),
        3 => ("state/update", json!({ "state": vec![0; rng.usize(1..500_000)], "revision": 1 })),
        4 => ("state/patch", json!({ "patch": inserting(rng.usize(1..5_000)), "revision": 2 })),
        _ => ("tools/register", json!({ "tools": [tool(rng)] })),
    };
    json!({ "jsonrpc": "2.0", "id": "bomb", "method": method, "params": params }).to_string()
}

/// Each `copy` doubles the document.
fn doubling(times: u32) -> Json {
    (0..times).map(|n| json!({ "op": "copy", "from": "/a", "path": format!("/a/{n}") })).collect()
}

/// Each `copy` nests the document in itself.
fn deepening(times: usize) -> Json {
    let step = |n: usize| json!({ "op": "copy", "from": "", "path": format!("/a{}", "/b/a".repeat(n) + "/b") });
    (0..times).map(step).collect()
}

/// Each `add` moves every element of the list.
fn inserting(times: usize) -> Json {
    (0..times).map(|_| json!({ "op": "add", "path": "/0", "value": 0 })).collect()
}

/// A tool whose schema branches at every level.
fn tool(rng: &mut Rng) -> Json {
    let depth = rng.usize(2..24);
    let word = if rng.bool() { "oneOf" } else { "allOf" };
    let level = |n: usize| {
        let next = json!({ "$ref": format!("#/$defs/d{}", n + 1) });
        (format!("d{n}"), json!({ "unevaluatedProperties": false, word: [next, next] }))
    };
    let mut defs: serde_json::Map<String, Json> = (0..depth).map(level).collect();
    defs.insert(format!("d{depth}"), json!({ "type": "object" }));
    let schema = json!({ "type": "object", "$defs": defs, "$ref": "#/$defs/d0" });
    json!({ "name": "bomb", "description": "A schema that branches.", "inputSchema": schema })
}
