//! A tool's schema and a call's arguments, one line each: a schema that registration accepts is quick to compile and to
//! check.
#![no_main]

use eye_core::schema::Estimate;
use eye_protocol::limits::CHECK_STEPS_MAX;
use libfuzzer_sys::fuzz_target;
use serde_json::value::RawValue;

fuzz_target!(|text: &str| {
    let Some((schema, arguments)) = text.split_once('\n') else { return };
    let Ok(schema) = serde_json::from_str::<Box<RawValue>>(schema) else { return };
    let Ok(estimate) = Estimate::of("t", &schema) else { return };
    let Ok(compiled) = estimate.compile("t") else { return };
    if let Ok(arguments) = serde_json::from_str(arguments) {
        let _ = compiled.check("t", &arguments, CHECK_STEPS_MAX);
    }
});
