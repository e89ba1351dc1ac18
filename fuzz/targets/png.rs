//! Cartridges: any bytes are refused or decoded within the limits, and a decoded cartridge survives encoding unchanged.
#![no_main]

use eye_geometry::cartridge::{decode, encode};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(cartridge) = decode(bytes) else { return };
    let (Some(source), Some(facts)) = (&cartridge.source, &cartridge.facts) else { return };
    if let Ok(again) = encode(&cartridge.picture, source, facts) {
        let read = decode(&again).expect("what was written is read");
        assert_eq!((read.picture, read.source), (cartridge.picture, cartridge.source));
    }
});
