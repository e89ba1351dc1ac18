//! A page's Content-Security-Policy and document, as the doctor parses them: policies on the first line, then HTML.
#![no_main]
#![allow(dead_code, reason = "the doctor uses the rest")]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/eye/src/verbs/doctor/page/document.rs"]
mod document;
#[path = "../../crates/eye/src/verbs/doctor/page/policy.rs"]
mod policy;

fuzz_target!(|text: &str| {
    let (header, html) = text.split_once('\n').unwrap_or((text, ""));
    let read = document::read(html);
    let url = |text: &str| url::Url::parse(text).expect("an address");
    let (page, script, socket) =
        (url("https://shop.example/"), url("http://localhost:8765/eye.js"), url("ws://localhost:8765/ws"));
    let policies = policy::Policies::read([header].into_iter(), [header].into_iter(), &read.policies);
    let _ = (policies.script(&page, &script, ""), policies.socket(&page, &socket), policies.code(), policies.sandbox());
    let _ = (policies.would_block(&page, &script, &socket), policies.wants_trusted_types());
    for mended in policies.mended(&page, &script, &socket, "") {
        assert!(!mended.line().contains('\n'));
    }
    let _ = policies.before_tag(1);
});
