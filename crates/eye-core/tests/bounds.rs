//! Whatever a page sends: steps, depth and bytes stay within the limits. The payloads that once broke the hub are
//! seeds.

use eye_core::document::{Document, Meter, Size};
use eye_core::schema::Estimate;
use eye_core::work::Check;
use eye_protocol::limits::{
    CHECK_STEPS_MAX, PATCH_STEPS_MAX, SCHEMA_NODES_MAX, STATE_BYTES_MAX, STATE_DEPTH_MAX, STATE_PARSED_BYTES_MAX,
};
use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;

const SENT_BYTES_MAX: usize = 64 << 10;

/// Bytes that one step may allocate: a value with its name, and the spare room of a list that grows.
const BYTES_A_STEP_MAX: u64 = 512;
/// Bytes that parsing one byte of a patch may allocate.
const BYTES_A_SENT_BYTE_MAX: u64 = 256;

/// Any JSON, with names that patches and schemas use.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z/~]{0,8}".prop_map(Value::from),
        (1..60_000_usize).prop_map(|count| Value::from(vec![0; count])),
        (1..200_000_usize).prop_map(|bytes| Value::from("x".repeat(bytes))),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..6).prop_map(|all| Value::Object(all.into_iter().collect())),
        ]
    })
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![Just("a".to_owned()), Just("b".to_owned()), Just("0".to_owned()), "[a-c]{1,2}"]
}

fn pointer() -> impl Strategy<Value = String> {
    let step = prop_oneof![Just("a"), Just("b"), Just("0"), Just("1"), Just("-"), Just("c")];
    prop::collection::vec(step, 0..5).prop_map(|steps| steps.iter().flat_map(|step| ["/", step]).collect())
}

fn operation() -> impl Strategy<Value = Value> {
    prop_oneof![
        (pointer(), any_json()).prop_map(|(path, value)| json!({"op":"add","path":path,"value":value})),
        pointer().prop_map(|path| json!({"op":"remove","path":path})),
        (pointer(), any_json()).prop_map(|(path, value)| json!({"op":"replace","path":path,"value":value})),
        (pointer(), pointer()).prop_map(|(from, path)| json!({"op":"move","from":from,"path":path})),
        (pointer(), pointer()).prop_map(|(from, path)| json!({"op":"copy","from":from,"path":path})),
        (pointer(), any_json()).prop_map(|(path, value)| json!({"op":"test","path":path,"value":value})),
    ]
}

/// A few operations, repeated: operations that double need repeating.
fn patch() -> impl Strategy<Value = Value> {
    (prop::collection::vec(operation(), 1..5), 1..600_usize).prop_map(|(operations, times)| {
        let mut all = Vec::new();
        let mut bytes = 2;
        for operation in operations.iter().cycle().take(operations.len() * times) {
            bytes += operation.to_string().len() + 1;
            if bytes > SENT_BYTES_MAX {
                break;
            }
            all.push(operation.clone());
        }
        Value::Array(all)
    })
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({})),
        Just(json!(true)),
        Just(json!({"type":"object"})),
        Just(json!({"type":"string","pattern":"^(a+)+$"})),
        Just(json!({"enum":[1,"a",null]})),
        Just(json!({"uniqueItems":true})),
        (0..8_usize).prop_map(|n| json!({"$ref":format!("#/$defs/d{n}")})),
        Just(json!({"$ref":"#"})),
    ];
    let one = leaf.prop_recursive(4, 24, 4, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            list.clone().prop_map(|all| json!({"allOf":all})),
            list.clone().prop_map(|all| json!({"anyOf":all,"unevaluatedProperties":false})),
            list.prop_map(|all| json!({"oneOf":all})),
            inner.clone().prop_map(|one| json!({"not":one})),
            inner.clone().prop_map(|one| json!({"items":one,"unevaluatedItems":false})),
            inner.clone().prop_map(|one| json!({"properties":{"a":one},"additionalProperties":false})),
            inner.clone().prop_map(|one| json!({"patternProperties":{"^a":one}})),
            (inner.clone(), inner)
                .prop_map(|(a, b)| json!({"if":a,"then":b,"unevaluatedProperties":{"type":"number"}})),
        ]
    });
    prop::collection::vec(one, 1..9).prop_map(|all| {
        let mut root = all[0].as_object().cloned().unwrap_or_default();
        let defs = all.iter().enumerate().map(|(n, one)| (format!("d{n}"), one.clone())).collect();
        root.insert("$defs".into(), Value::Object(defs));
        Value::Object(root)
    })
}

fn raw(value: &Value) -> Box<RawValue> {
    RawValue::from_string(value.to_string()).expect("JSON")
}

/// Applies a patch as a worker does, and checks the result.
fn patched(document: &Value, patch: &Value) {
    let text = document.to_string();
    let Ok(mut document) = Document::parse(&text, || {}) else { return };
    let before = document.value().clone();
    let (meter, patch_text) = (&mut Meter::new(PATCH_STEPS_MAX), patch.to_string());
    let mut fits = Ok(());
    let allocated = allocation_counter::measure(|| fits = document.patch(&patch_text, meter));
    let steps = PATCH_STEPS_MAX - meter.left();
    // The program counts the steps itself; the allocated bytes are measured: nothing may be copied without counted
    // steps.
    let paid = BYTES_A_STEP_MAX * steps + BYTES_A_SENT_BYTE_MAX * patch_text.len() as u64;
    assert!(allocated.bytes_total <= paid, "{steps} steps, {} bytes", allocated.bytes_total);
    let size = Size::of(document.value(), &mut Meter::new(u64::MAX)).expect("no limit");
    assert!(size.depth <= STATE_DEPTH_MAX, "depth {}", size.depth);
    assert!(size.parsed_bytes <= STATE_PARSED_BYTES_MAX + text.len(), "parsed {}", size.parsed_bytes);
    assert!(document.parsed_bytes() <= STATE_PARSED_BYTES_MAX);
    // The size of numbers and escapes is an estimate, so the text may exceed the limit, but not by far.
    assert!(document.value().to_string().len() <= 4 * STATE_BYTES_MAX);
    if fits.is_err() {
        assert_eq!(document.value(), &before, "a patch that does not fit changes nothing");
    }
    // If the patch fits, the `json-patch` library comes to the same document.
    if fits.is_ok() {
        let operations: json_patch::Patch = serde_json::from_value(patch.clone()).expect("a patch");
        let mut other = before;
        json_patch::patch(&mut other, &operations).expect("it fits");
        assert_eq!(&other, document.value());
    }
}

/// Compiles a schema and checks arguments as a worker does, if the estimates allow it.
fn checked(schema: &Value, arguments: &Value) {
    let Ok(estimate) = Estimate::of("t", &raw(schema)) else { return };
    assert!(estimate.steps() <= SCHEMA_NODES_MAX + 128_000);
    let Ok(schema) = estimate.compile("t") else { return };
    let check = Check { tool: "t".into(), schema: Some(Arc::new(schema)), arguments: arguments.to_string().into() };
    if let Ok(Err(error)) = check.run(CHECK_STEPS_MAX / 50) {
        assert!(error.message.len() < 2_000);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_patch_stays_within_the_limits(document in any_json(), patch in patch()) {
        patched(&document, &patch);
    }

    #[test]
    fn any_schema_stays_within_the_limits(schema in schema(), arguments in any_json()) {
        checked(&schema, &arguments);
    }
}

#[test]
fn payloads_that_once_broke_the_hub_stay_within_the_limits() {
    let double: Vec<Value> = (0..26).map(|n| json!({"op":"copy","from":"/a","path":format!("/a/{n}")})).collect();
    patched(&json!({"a":{}}), &Value::Array(double));
    let deeper: Vec<Value> =
        (0..16).map(|n| json!({"op":"copy","from":"/a","path":format!("/a{}/-", "/0".repeat((2 << n) - 1))})).collect();
    patched(&json!({"a":[[]]}), &Value::Array(deeper));
    patched(&json!(vec![0; 900_000]), &Value::Array(vec![json!({"op":"add","path":"/0","value":0}); 1_500]));
    for link in [json!({"unevaluatedProperties":false}), json!({})] {
        for (branches, word) in [(1, "allOf"), (2, "allOf"), (2, "oneOf"), (3, "anyOf")] {
            let mut defs = serde_json::Map::new();
            for n in 0..20 {
                let mut one = link.as_object().cloned().unwrap_or_default();
                one.insert(word.into(), Value::Array(vec![json!({"$ref":format!("#/$defs/d{}", n + 1)}); branches]));
                defs.insert(format!("d{n}"), one.into());
            }
            defs.insert("d20".into(), json!({}));
            checked(&json!({"$ref":"#/$defs/d0","$defs":defs}), &json!({"a":1,"b":2}));
        }
    }
    let patterns: serde_json::Map<String, Value> = (0..4_000).map(|n| (format!("^p{n}$"), json!({}))).collect();
    checked(&json!({"patternProperties":patterns}), &json!({}));
}
