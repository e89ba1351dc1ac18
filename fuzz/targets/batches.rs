//! Batches: parsing, writing and parsing again gives the same elements.
#![no_main]

use eye_protocol::batch::{self, Batches, Element};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(elements) = batch::parse(text) else { return };
    let mut written = Batches::default();
    for element in &elements {
        match element {
            Element::Line(line) => written.line(line),
            Element::Rpc(json) => written.rpc(json),
        }
    }
    let (bytes, ends) = written.take();
    let text = String::from_utf8(bytes).expect("batches are text");
    let mut start = 0;
    let mut again = Vec::new();
    for end in ends {
        let one = &text[std::mem::replace(&mut start, end)..end];
        again.extend(batch::parse(one).expect("what was written is read").into_iter().map(|one| format!("{one:?}")));
    }
    assert_eq!(again, elements.iter().map(|one| format!("{one:?}")).collect::<Vec<_>>());
});
