//! Shaders: any text is painted within its step limit, or refused; none panics, hangs or overflows the stack.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::atomic::AtomicBool;

const SIDE: u32 = 16;

fuzz_target!(|text: &str| {
    if let Ok(picture) = eye_geometry::evolution::picture(text, SIDE, &AtomicBool::new(false)) {
        assert_eq!(picture.rgba.len() as u32, SIDE * SIDE * 4);
    }
});
