//! Errors for shaders: their positions, unsupported features, and shaders that do not end.

use eye_geometry::evolution::{Failure, picture};
use std::sync::atomic::AtomicBool;

const SIDE: u32 = 20;
const PLAIN: &str = "fn main(uv: vec2f) -> vec4f { return vec4f(uv, 0, 1); }";

fn failure(source: &str) -> Failure {
    picture(source, SIDE, &AtomicBool::new(false)).expect_err("it must not paint")
}

/// Expects an error with these words in its message, at this line and column.
fn refused(source: &str, words: &str, at: Option<(u32, u32)>) {
    match failure(source) {
        Failure::Invalid { message, line, column } => {
            assert!(message.contains(words), "{message}");
            assert_eq!(line.zip(column), at, "{message}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn errors_are_reported_with_line_and_column() {
    refused("fn main(uv: vec2f) -> vec4f {\n  return vec4f(uv, 0, 1)\n}", "expected", Some((3, 1)));
    refused("fn main(uv: vec2f) -> vec4f {\n  /* ä */ return vec4f(uw, 0, 1);\n}", "uw", Some((2, 24)));
    refused("fn main(uv: vec2f) -> vec4f {\n  return vec3f(uv, 0);\n}", "return", Some((1, 1)));
    refused("", "nothing here paints", None);
    refused("fn other(uv: vec2f) -> vec4f { return vec4f(); }", "accepted are", None);
    refused("fn main(uv: vec3f) -> vec4f { return vec4f(); }", "one vec2f", None);
    refused("fn main(uv: vec2f) -> vec3f { return vec3f(); }", "vec4f colour", None);
    refused("@fragment fn f(@location(1) c: vec2f) -> @location(0) vec4f { return vec4f(); }", "@location(0)", None);
    refused("@compute @workgroup_size(1) fn k() {}", "writes no storage buffer", None);
}

#[test]
fn what_the_machine_has_not_is_named_with_its_place() {
    let texture = "@group(0) @binding(0) var t: texture_2d<f32>;\n@group(0) @binding(1) var s: sampler;\n
        @fragment fn f(@location(0) uv: vec2f) -> @location(0) vec4f { return textureSample(t, s, uv); }";
    refused(texture, "texture", Some((1, 23)));
    refused(
        "override k: f32 = 1;\nfn main(uv: vec2f) -> vec4f {\n  return vec4f(uv, k, 1);\n}",
        "override",
        Some((3, 10)),
    );
    refused(
        "fn main(uv: vec2f) -> vec4f {\n  return vec4f(unpack2x16float(u32(uv.x)), 0, 1);\n}",
        "Unpack2x16float",
        Some((2, 16)),
    );
    let two = "@group(0) @binding(0) var<storage, read_write> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
        @compute @workgroup_size(1) fn k() { a[0] = 1; b[0] = 1; }";
    refused(two, "second storage buffer", Some((2, 23)));
    let large = "fn main(uv: vec2f) -> vec4f { var a: array<f32, 20000>; a[0] = uv.x; return vec4f(a[1]); }";
    refused(large, "more than 16384", None);
}

#[test]
fn huge_types_are_refused_before_they_take_memory() {
    let zero = "fn main(uv: vec2f) -> vec4f { let a = array<f32, 500000000>(); return vec4f(a[u32(uv.x)]); }";
    refused(zero, "more than 16384", Some((1, 77)));
    let doubled: Vec<String> = (1..28).map(|n| format!("struct S{n} {{ a: S{0}, b: S{0} }}", n - 1)).collect();
    let structs = format!("struct S0 {{ a: f32 }} {} var<private> huge: S27;", doubled.concat());
    let source = format!("{structs}\nfn main(uv: vec2f) -> vec4f {{ huge.a = huge.b; return vec4f(uv, 0, 1); }}");
    assert!(matches!(failure(&source), Failure::Invalid { .. }));
}

#[test]
fn an_endless_loop_ends() {
    for source in [
        "fn main(uv: vec2f) -> vec4f { loop { if uv.x > 2 { break; } } return vec4f(); }",
        "fn main(uv: vec2f) -> vec4f { var i = 0; while uv.x < 2 || i < 0 { i += 1; } return vec4f(f32(i)); }",
        "fn f(x: f32) -> f32 { for (;;) { if x < 0 { return x; } } return 1; } fn main(uv: vec2f) -> vec4f { return vec4f(f(uv.y)); }",
    ] {
        assert!(matches!(failure(source), Failure::Endless { .. }), "{source}: {:?}", failure(source));
    }
}

#[test]
fn cancelling_ends_a_picture() {
    let source = "fn main(uv: vec2f) -> vec4f { loop { if uv.x > 2 { break; } } return vec4f(); }";
    assert_eq!(picture(source, SIDE, &AtomicBool::new(true)), Err(Failure::Cancelled));
}

fn paints(source: &str) {
    let painted = picture(source, 4, &AtomicBool::new(false));
    assert!(painted.is_ok(), "{painted:?}");
}

#[test]
fn nesting_at_the_limits_does_not_run_out_of_stack() {
    let sum =
        |times| format!("fn main(uv: vec2f) -> vec4f {{ let x = uv.x{}; return vec4f(x); }}", "+uv.x".repeat(times));
    paints(&sum(815));
    refused(&sum(820), "more than 4096", Some((1, 30)));
    let calls: Vec<String> = (1..1200).map(|n| format!("fn g{n}(x: f32) -> f32 {{ return g{}(x); }}", n - 1)).collect();
    let calls = calls.concat();
    paints(&format!(
        "fn g0(x: f32) -> f32 {{ return x; }} {calls} fn main(uv: vec2f) -> vec4f {{ return vec4f(g1199(uv.x)); }}"
    ));
    let chain = "else if uv.x > 2 {}".repeat(1500);
    paints(&format!("fn main(uv: vec2f) -> vec4f {{ if uv.x > 2 {{}} {chain} return vec4f(1); }}"));
    // Each of these ends, with a picture or with an error.
    for (open, close) in [("(", ")"), ("sin(", ")"), ("-", ""), ("vec2f(1,", ").y")] {
        let deep = format!("{}uv.x{}", open.repeat(400), close.repeat(400));
        let _ =
            picture(&format!("fn main(uv: vec2f) -> vec4f {{ return vec4f({deep}); }}"), 4, &AtomicBool::new(false));
    }
    let blocks = format!("{}{}", "{".repeat(2000), "}".repeat(2000));
    let _ = picture(&format!("fn main(uv: vec2f) -> vec4f {{ {blocks} return vec4f(); }}"), 4, &AtomicBool::new(false));
}

#[test]
fn sizes_outside_the_limits_are_refused() {
    for size in [0, 3, 1_025] {
        let refused = picture(PLAIN, size, &AtomicBool::new(false));
        assert!(matches!(refused, Err(Failure::OutOfRange { what: "size", .. })));
    }
    for size in [4, 1_024] {
        assert_eq!(picture(PLAIN, size, &AtomicBool::new(false)).map(|picture| picture.width), Ok(size));
    }
    refused(&format!("{PLAIN}//{}", " ".repeat(64 << 10)), "more than 65536", None);
}
