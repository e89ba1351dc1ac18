//! A page's state and a patch on it, one line each: steps, depth and bytes are bounded; the patch applies wholly or not
//! at all; and if it applies, the result is that of `json-patch`.
#![no_main]

use eye_core::document::{Document, Meter, Size};
use eye_protocol::limits::{PATCH_STEPS_MAX, STATE_BYTES_MAX, STATE_DEPTH_MAX, STATE_PARSED_BYTES_MAX};
use json_patch::Patch;
use libfuzzer_sys::fuzz_target;

/// The library has no limits; larger documents are not compared with it.
const COMPARED_BYTES_MAX: usize = 4 << 10;

fuzz_target!(|text: &str| {
    let Some((state, patch)) = text.split_once('\n') else { return };
    let Ok(mut document) = Document::parse(state, || {}) else { return };
    let before = document.value().clone();
    let outcome = document.patch(patch, &mut Meter::new(PATCH_STEPS_MAX));
    let size = Size::of(document.value(), &mut Meter::new(u64::MAX)).expect("there is no limit");
    assert!(size.depth <= STATE_DEPTH_MAX || outcome.is_err());
    assert!(document.text_bytes() <= STATE_BYTES_MAX && document.parsed_bytes() <= STATE_PARSED_BYTES_MAX);
    match outcome {
        Err(_) => assert_eq!(*document.value(), before, "a patch that does not fit changes nothing"),
        Ok(()) if text.len() <= COMPARED_BYTES_MAX => {
            let patch: Patch = serde_json::from_str(patch).expect("what is a patch here is one there");
            let mut theirs = before;
            json_patch::patch(&mut theirs, &patch).expect("what fits here fits there");
            assert_eq!(*document.value(), theirs);
        }
        Ok(()) => {}
    }
});
