//! The scanner finds the same elements as `serde_json`, and accepts nothing else.
#![no_main]

use eye_protocol::scan;
use libfuzzer_sys::fuzz_target;
use serde_json::value::RawValue;

fuzz_target!(|text: &str| {
    let theirs: Option<Vec<&RawValue>> = serde_json::from_str(text).ok();
    let theirs = theirs.map(|all| all.into_iter().map(RawValue::get).collect::<Vec<_>>());
    assert_eq!(scan::elements(text, || {}), theirs);

    let mut members = Vec::new();
    let taken = scan::members(text, || {}, |name, value| members.push((name, value)));
    let object = text.trim_start_matches([' ', '\n', '\t', '\r']).starts_with('{');
    let is_json = serde_json::from_str::<&RawValue>(text).is_ok();
    assert_eq!(taken.is_some(), object && is_json);
    for (name, value) in members.into_iter().filter(|_| is_json) {
        serde_json::from_str::<&RawValue>(value).expect("a value is JSON");
        assert_eq!(scan::name(name).map(|name| name.into_owned()), serde_json::from_str::<String>(name).ok());
    }
});
