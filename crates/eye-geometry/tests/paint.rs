//! Compares painted pictures with the same arithmetic in Rust.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "pixels are small numbers"
)]

use eye_geometry::Picture;
use eye_geometry::evolution::picture;
use std::sync::atomic::AtomicBool;

const SIDE: u32 = 20;

/// Expects every pixel to be what `expected` returns for its column and row, up to one rounding step.
fn check(source: &str, expected: impl Fn(u32, u32) -> [f64; 3]) {
    let painted: Picture =
        picture(source, SIDE, &AtomicBool::new(false)).unwrap_or_else(|failure| panic!("{failure:?} in {source}"));
    for (at, found) in (0u32..).zip(painted.rgba.as_chunks::<4>().0) {
        let (x, y) = (at % SIDE, at / SIDE);
        let wanted = expected(x, y).map(|value| value.clamp(0.0, 1.0) * 255.0);
        let near = found.iter().zip(wanted).all(|(&byte, value)| (f64::from(byte) - value).abs() <= 1.0);
        assert!(near, "at {x},{y}: {found:?} instead of {wanted:?} by\n{source}");
        assert_eq!(found[3], 255);
    }
}

fn uv(x: u32, y: u32) -> (f64, f64) {
    ((f64::from(x) + 0.5) / f64::from(SIDE), (f64::from(y) + 0.5) / f64::from(SIDE))
}

/// Expects a WGSL expression over `u` and `v`, both from 0 to 1, to match a Rust function.
fn same(wgsl: &str, rust: impl Fn(f64, f64) -> f64) {
    let head = "fn main(uv: vec2f) -> vec4f { let u = uv.x; let v = uv.y; let r = f32(";
    check(&format!("{head}{wgsl}); return vec4f(r, 1 - r, r * 0.5, 0.3); }}"), |x, y| {
        let (u, v) = uv(x, y);
        let r = rust(u, v);
        [r, 1.0 - r, r * 0.5]
    });
}

#[test]
fn a_plain_main_a_fragment_and_its_struct_forms_paint_the_same() {
    let sources = [
        "fn main(uv: vec2f) -> vec4f { return vec4f(uv, uv.x * uv.y, 1); }",
        "@fragment fn paint(@location(0) uv: vec2<f32>) -> @location(0) vec4<f32> { return vec4(uv, uv.x * uv.y, 1.0); }",
        "@fragment fn paint(@builtin(position) p: vec4f) -> @location(0) vec4f {
           let uv = p.xy / 20; return vec4(uv, uv.x * uv.y, p.w); }",
        "struct In { @builtin(position) p: vec4f, @location(0) uv: vec2f, @builtin(front_facing) front: bool }
         struct Out { @builtin(frag_depth) depth: f32, @location(0) colour: vec4f }
         @vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return vec4f(f32(i)); }
         @fragment fn paint(in: In) -> Out { var out: Out; out.depth = in.p.z;
           if in.front { out.colour = vec4f(in.uv, in.uv.x * in.uv.y, 1); } return out; }",
    ];
    for source in sources {
        check(source, |x, y| {
            let (u, v) = uv(x, y);
            [u, v, u * v]
        });
    }
}

#[test]
fn kernels_write_colours_packed_words_and_greys() {
    let sources = [
        "@group(0) @binding(0) var<storage, read_write> pixels: array<vec4f>;
         @compute @workgroup_size(8, 8) fn kernel(@builtin(global_invocation_id) id: vec3u) {
           pixels[id.y * 20 + id.x] = vec4f((vec2f(id.xy) + 0.5) / 20, 0, 1); }",
        "struct Frame { pixels: array<u32> } @group(0) @binding(0) var<storage, read_write> frame: Frame;
         @compute @workgroup_size(1) fn kernel(@builtin(global_invocation_id) id: vec3u) {
           frame.pixels[id.y * 20 + id.x] = pack4x8unorm(vec4f((vec2f(id.xy) + 0.5) / 20, 0, 1)); }",
        "@group(0) @binding(0) var<storage, read_write> pixels: array<vec4f, 400>;
         @compute @workgroup_size(1) fn kernel(@builtin(global_invocation_id) id: vec3u) {
           pixels[id.y * 20 + id.x].x = (f32(id.x) + 0.5) / 20; pixels[id.y * 20 + id.x][id.x % 20 - id.x + 1] = (f32(id.y) + 0.5) / 20; }",
    ];
    for source in sources {
        check(source, |x, y| [uv(x, y).0, uv(x, y).1, 0.0]);
    }
    let line = "struct Params { time: f32, resolution: vec2u } @group(0) @binding(1) var<uniform> params: Params;
         @group(0) @binding(0) var<storage, read_write> grey: array<f32>;
         @compute @workgroup_size(64) fn kernel(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) local: vec3u,
            @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) index: u32) {
           if any(id != group * vec3u(64, 1, 1) + local) || index != local.x || groups.x != 7 || arrayLength(&grey) != 400 { return; }
           grey[id.x] = 0.5; grey[id.x] += (f32(id.x % params.resolution.x) + 0.5) / 40 + params.time; }";
    check(line, |x, y| [0.5 + uv(x, y).0 / 2.0; 3]);
}

#[test]
fn a_kernel_cannot_write_outside_its_buffer() {
    let source = "@group(0) @binding(0) var<storage, read_write> grey: array<f32>;
         @compute @workgroup_size(1) fn kernel(@builtin(global_invocation_id) id: vec3u) {
           grey[id.y * 20 + id.x + 390] = 1; grey[id.x - 1u] = 1; grey[4000000000] = grey[id.x + 4000]; }";
    check(source, |x, y| if y == 0 && x != 19 || (y == 19 && x >= 10) { [1.0; 3] } else { [0.0; 3] });
}

#[test]
fn functions_of_angles_and_powers_are_as_in_rust() {
    same("acos(u) / 4", |u, _| u.acos() / 4.0);
    same("acosh(1 + u)", |u, _| (1.0 + u).acosh());
    same("asin(u) / 2", |u, _| u.asin() / 2.0);
    same("asinh(u)", |u, _| u.asinh());
    same("atan(u * 9) / 2", |u, _| (u * 9.0).atan() / 2.0);
    same("atan2(u - 0.3, v - 0.6) / 8 + 0.5", |u, v| (u - 0.3).atan2(v - 0.6) / 8.0 + 0.5);
    same("atanh(u) / 4", |u, _| u.atanh() / 4.0);
    same("cos(u * 20) / 2 + 0.5", |u, _| (u * 20.0).cos() / 2.0 + 0.5);
    same("cosh(u) - 1", |u, _| u.cosh() - 1.0);
    same("degrees(u) / 60", |u, _| u.to_degrees() / 60.0);
    same("exp(u) - 1", |u, _| u.exp() - 1.0);
    same("exp2(u) - 1", |u, _| u.exp2() - 1.0);
    same("inverseSqrt(u + 1)", |u, _| 1.0 / (u + 1.0).sqrt());
    same("log(u + 1)", |u, _| (u + 1.0).ln());
    same("log2(u + 1)", |u, _| (u + 1.0).log2());
    same("pow(u, v * 3)", |u, v| u.powf(v * 3.0));
    same("radians(u * 50)", |u, _| (u * 50.0).to_radians());
    same("sin(u * 40) / 2 + 0.5", |u, _| (u * 40.0).sin() / 2.0 + 0.5);
    same("sinh(u)", |u, _| u.sinh());
    same("sqrt(u)", |u, _| u.sqrt());
    same("tan(u)", |u, _| u.tan());
    same("tanh(u * 3)", |u, _| (u * 3.0).tanh());
}

#[test]
fn functions_of_plain_numbers_are_as_in_rust() {
    same("abs(u - v)", |u, v| (u - v).abs());
    same("ceil(u * 4) / 4", |u, _| (u * 4.0).ceil() / 4.0);
    same("clamp(u, 0.2, v)", |u, v| u.max(0.2).min(v));
    same("floor(u * 5) / 5", |u, _| (u * 5.0).floor() / 5.0);
    same("fma(u, v, 0.1)", |u, v| u * v + 0.1);
    same("fract(u * 3.1)", |u, _| (u * 3.1).fract());
    same("frexp(u * 3).fract", |u, _| u * 3.0 / (u * 3.0).log2().floor().exp2() / 2.0);
    same("f32(frexp(u * 3).exp + 6) / 8", |u, _| ((u * 3.0).log2().floor() + 7.0) / 8.0);
    same("ldexp(u, -2)", |u, _| u / 4.0);
    same("max(u, v)", f64::max);
    same("min(u, v)", f64::min);
    same("mix(u, v, 0.3)", |u, v| u * 0.7 + v * 0.3);
    same("mix(vec2f(u), vec2f(v), vec2f(0.3, 1)).y", |_, v| v);
    same("modf(u * 3).fract", |u, _| (u * 3.0).fract());
    same("modf(u * 3).whole / 3", |u, _| (u * 3.0).trunc() / 3.0);
    same("round(u * 3.3) / 4", |u, _| (u * 3.3).round() / 4.0);
    same("saturate(u * 3 - 1)", |u, _| (u * 3.0 - 1.0).clamp(0.0, 1.0));
    same("sign(u - 0.42) / 2 + 0.5", |u, _| (u - 0.42).signum() / 2.0 + 0.5);
    same("smoothstep(0.2, 0.8, u)", |u, _| {
        let t = ((u - 0.2) / 0.6).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    });
    same("step(0.4, u)", |u, _| f64::from(u >= 0.4));
    same("trunc(u * 6 - 3) / 6 + 0.5", |u, _| (u * 6.0 - 3.0).trunc() / 6.0 + 0.5);
    same("select(u, v, u > 0.52)", |u, v| if u > 0.52 { v } else { u });
    same("(u * 7) % 1.5 / 2", |u, _| (u * 7.0) % 1.5 / 2.0);
    same("(-u * 7) % 1.5 / 4 + 0.5", |u, _| (-u * 7.0) % 1.5 / 4.0 + 0.5);
    same("select(0.0, u, u >= v && !(u == v) || u != u)", |u, v| if u > v { u } else { 0.0 });
}

#[test]
fn functions_of_vectors_and_matrices_are_as_in_rust() {
    same("length(vec2f(u, v)) / 2", |u, v| u.hypot(v) / 2.0);
    same("length(u - 0.5)", |u, _| (u - 0.5).abs());
    same("distance(vec3f(u), vec3f(v, 0, 1)) / 2", |u, v| ((u - v).powi(2) + u * u + (u - 1.0).powi(2)).sqrt() / 2.0);
    same("dot(vec3f(u, v, 1), vec3f(v, 0.2, 0.1))", |u, v| u * v + v * 0.2 + 0.1);
    same("cross(vec3f(u, v, 0), vec3f(0, 1, v)).z", |u, _| u);
    same("cross(vec3f(u, v, 0.5), vec3f(0.25, 1, v)).x + 0.5", |_, v| v * v);
    same("normalize(vec2f(u, v)).y", |u, v| v / u.hypot(v));
    same("reflect(vec2f(u, -v), vec2f(0, 1)).y", |_, v| v);
    same(
        "faceForward(vec2f(u, v), vec2f(1, 0), vec2f(0.5 - u, 0)).x + 0.5",
        |u, _| if u > 0.5 { u + 0.5 } else { 0.5 - u },
    );
    same("refract(normalize(vec2f(u, -1)), vec2f(0, 1), 0.7).x", |u, _| u / u.hypot(1.0) * 0.7);
    same("refract(vec2f(1, 0), vec2f(0, 1), 3.0).x + u", |u, _| u);
    same("(mat2x2f(1, 2, 3, 4) * vec2f(u, v)).y / 6", |u, v| (2.0 * u + 4.0 * v) / 6.0);
    same("(vec2f(u, v) * mat2x2f(1, 2, 3, 4)).y / 7", |u, v| (3.0 * u + 4.0 * v) / 7.0);
    same("(mat2x3f(1, 2, 3, 4, 5, 6) * mat3x2f(u, v, v, u, 1, 1))[1].z / 9", |u, v| (3.0 * v + 6.0 * u) / 9.0);
    same("(transpose(mat2x3f(1, 2, 3, 4, 5, 6)) * vec3f(u, v, 1)).x / 6", |u, v| (u + 2.0 * v + 3.0) / 6.0);
    same("(mat2x2f(1, 2, 3, 4) * 0.1 + mat2x2f(u, u, u, u))[0].y / 2", |u, _| f64::midpoint(0.2, u));
    same("determinant(mat2x2f(u, 0.1, 0.2, v)) + 0.2", |u, v| u * v + 0.18);
    same("determinant(mat3x3f(u, 0, 0.3, 0.2, v, 0, 0, 1, 0.5))", |u, v| u * v * 0.5 + 0.06);
    same("determinant(mat4x4f(u,0,0,0, 0,v,0,0, 0,0,0.5,0.5, 0,0,-0.5,0.5))", |u, v| u * v * 0.5);
    same("vec4f(u, v, vec2f(u * v)).wzyx.bgr.x", |_, v| v);
    same("all(vec2f(u, v) < vec2f(0.6)) || any(vec2f(u, v) > vec2f(0.9))", |u, v| {
        f64::from((u < 0.6 && v < 0.6) || u > 0.9 || v > 0.9)
    });
    same("select(vec2f(u), vec2f(v), vec2<bool>(u < v, false)).x", f64::max);
}

#[test]
fn whole_numbers_are_as_in_rust() {
    let n = |u: f64| ((u as f32) * 1000.0) as i32;
    same("f32(i32(u * 1000) / -7 + 200) / 256", |u, _| f64::from(n(u) / -7 + 200) / 256.0);
    same("f32((300 - i32(u * 1000)) % 7 + 7) / 14", |u, _| f64::from((300 - n(u)) % 7 + 7) / 14.0);
    same("f32(i32(u * 1000) / i32(v * 0.9)) / 1000", |u, _| f64::from(n(u)) / 1000.0);
    same("f32(i32(u * 1000) % i32(v * 0.9)) + 0.25", |_, _| 0.25);
    same("f32(u32(u * 1000) / u32(v * 0.9) + u32(u) % u32(u)) / 1000", |u, _| f64::from(n(u)) / 1000.0);
    same("f32(abs(i32(u * 1000) - 500)) / 500", |u, _| f64::from((n(u) - 500).abs()) / 500.0);
    same("f32(clamp(i32(u * 1000), 200, 700)) / 1000", |u, _| f64::from(n(u).clamp(200, 700)) / 1000.0);
    same("f32(clamp(u32(u * 1000), 200, 700)) / 1000", |u, _| f64::from(n(u).clamp(200, 700)) / 1000.0);
    same("f32(min(i32(u * 1000), 300) + max(i32(u * 1000) - 900, -50)) / 400", |u, _| {
        f64::from(n(u).min(300) + (n(u) - 900).max(-50)) / 400.0
    });
    same("f32(sign(i32(u * 1000) - 500) + 1) / 2", |u, _| f64::from((n(u) - 500).signum() + 1) / 2.0);
    same("f32(i32(u * 1000) < 300) + f32(u32(u * 1000) >= 700)", |u, _| f64::from(n(u) < 300 || n(u) >= 700));
    same("u32(-u) + u32(v * 2 - 1 > 0) / 1u", |_, v| f64::from(v > 0.5));
    same("f32(i32(u * 3e9 + 2.2e9) / 2147483647) * u", |u, _| u);
    same("f32(bool(i32(u * 3)) && bool(v * 0))", |_, _| 0.0);
    same("bitcast<f32>(bitcast<u32>(u) ^ 0x80000000u) + 1", |u, _| 1.0 - u);
    same("f32(dot(vec2u(u32(u * 1000)), vec2u(1, 2)) & 255) / 255", |u, _| f64::from((3 * n(u)) & 255) / 255.0);
}

#[test]
fn bits_are_as_in_rust() {
    let n = |u: f64| ((u as f32) * 1000.0) as u32;
    let bits = |wgsl: &str, rust: fn(u32) -> f64| same(&wgsl.replace('N', "u32(u * 1000)"), move |u, _| rust(n(u)));
    bits("f32(N * 2654435761u >> 24) / 255", |n| f64::from(n.wrapping_mul(2_654_435_761) >> 24) / 255.0);
    bits("f32(((N << 3) ^ (N & 0xf0u) | 1) & 255) / 255", |n| f64::from(((n << 3) ^ (n & 0xf0) | 1) & 255) / 255.0);
    bits("f32(~N & 255) / 255", |n| f64::from(!n & 255) / 255.0);
    bits("f32(((0 - i32(N)) >> 3) + 130) / 130", |n| f64::from((-n.cast_signed() >> 3) + 130) / 130.0);
    bits("f32(countOneBits(N)) / 10", |n| f64::from(n.count_ones()) / 10.0);
    bits("f32(countLeadingZeros(N)) / 32", |n| f64::from(n.leading_zeros()) / 32.0);
    bits("f32(countTrailingZeros(N)) / 32", |n| f64::from(n.trailing_zeros()) / 32.0);
    bits("f32(reverseBits(N) >> 22) / 1024", |n| f64::from(n.reverse_bits() >> 22) / 1024.0);
    bits("f32(firstLeadingBit(N)) / 16", |n| f64::from(n.ilog2()) / 16.0);
    bits("f32(firstLeadingBit(-1 - i32(N))) / 16", |n| f64::from(n.ilog2()) / 16.0);
    bits("f32(firstTrailingBit(N)) / 16", |n| f64::from(n.trailing_zeros()) / 16.0);
    bits("f32(extractBits(N, 2u, 5u)) / 31", |n| f64::from((n >> 2) & 31) / 31.0);
    bits("f32(extractBits(i32(N), 2u, 5u) + 16) / 31", |n| {
        f64::from((((n >> 2) & 31) << 27).cast_signed() >> 27) / 31.0 + 16.0 / 31.0
    });
    bits("f32(extractBits(N, 40u, 5u) + extractBits(N, 3u, 0u)) + 0.5", |_| 0.5);
    bits("f32(insertBits(85u, N, 2u, 4u)) / 255", |n| f64::from((0x55 & !0x3c) | ((n & 0xf) << 2)) / 255.0);
    same("unpack4x8unorm(pack4x8unorm(vec4f(u, v, 0, 1))).y", |_, v| v);
    same("unpack4x8snorm(pack4x8snorm(vec4f(-u, v, 0, 1))).x + 1", |u, _| 1.0 + (0.5 - 127.0 * u).floor() / 127.0);
    same("unpack2x16unorm(pack2x16unorm(vec2f(u, v))).y", |_, v| v);
    same("unpack2x16snorm(pack2x16snorm(vec2f(-u, v))).x + 1", |u, _| 1.0 - u);
    same("f32(unpack4xU8(pack4xU8(vec4u(1, 2, u32(v * 199.7), 4))).z) / 200", |_, v| (v * 199.7).floor() / 200.0);
}

#[test]
fn control_flow_diverges_by_pixel() {
    let source = "
        fn steps(n: i32) -> f32 { var sum = 0.0;
          for (var i = 0; i < n; i++) { if i == 3 { continue; } if i > 9 { break; } sum += 0.1; } return sum; }
        fn pick(n: i32) -> f32 {
          switch n % 5 { case 0: { return 0.1; } case 1, 2: { if n > 10 { break; } return 0.2; } default: { return 0.3; } } return 0.9; }
        fn main(uv: vec2f) -> vec4f { let n = i32(uv.x * 20);
          var k = 0; loop { if k * k >= n { break; } k++; continuing { if n < 0 { k = 9; } } }
          while true { if uv.y > 0.5 { return vec4f(steps(n), pick(n), f32(k) / 5, 1); } break; }
          var down = n; loop { down -= 1; continuing { break if down < 5; } }
          return vec4f(pick(n), f32(down + 20) / 40, select(0.0, 1.0, n > 3 && uv.y < 0.25), 1); }";
    check(source, |x, y| {
        let n = x.cast_signed();
        let steps = (0..n).filter(|&i| i != 3 && i <= 9).count() as f64 * 0.1;
        let pick = match n % 5 {
            0 => 0.1,
            1 | 2 if n > 10 => 0.9,
            1 | 2 => 0.2,
            _ => 0.3,
        };
        let root = (0..9).find(|k| k * k >= n).expect("there is a root");
        if y >= 10 {
            return [steps, pick, f64::from(root) / 5.0];
        }
        let down = if n < 6 { n - 1 } else { 4 };
        [pick, f64::from(down + 20) / 40.0, f64::from(n > 3 && y < 5)]
    });
}

#[test]
fn memory_of_every_kind_is_reached_by_fixed_and_computed_indices() {
    let source = "
        struct Ball { centre: vec2f, tones: array<f32, 4> }
        const TABLE = array(0.1, 0.2, 0.4, 0.8); const HALF: f32 = 0.5; alias Pair = vec2f;
        var<private> counter: i32 = 2; var<private> balls: array<Ball, 2>;
        fn bump(by: ptr<function, i32>, at: ptr<function, f32>) { *by += 1; *at = *at * HALF; counter += *by; }
        fn main(uv: vec2f) -> vec4f { let n = i32(uv.x * 20);
          balls[1].tones[n % 4] = 0.7; balls[n % 2].centre = Pair(uv.y, 1); balls[n % 2].centre[1] -= 0.75;
          var local = array<vec2f, 3>(); local[n % 3].y = 0.6; var by = 1; var half = local[n % 3].y;
          bump(&by, &half); local[n % 3].y = half; bump(&by, &half);
          let values = TABLE; let m = mat2x2f(0.1, 0.2, 0.3, 0.4); var w = vec4f(); w[n % 4] = 1;
          return vec4f(balls[1].tones[2] + balls[n % 2].centre.x / 4 + balls[0].centre.y * w.y,
            local[1].y + values[n % 4] / 4 + f32(counter) * 0.01, m[n % 2][n / 2 % 2] + w.z * 0.5, 1); }";
    check(source, |x, y| {
        let n = x as usize;
        let tone = if n % 4 == 2 { 0.7 } else { 0.0 };
        let local = if n % 3 == 1 { 0.3 } else { 0.0 };
        let matrix = [[0.1, 0.2], [0.3, 0.4]][n % 2][n / 2 % 2];
        [
            tone + uv(x, y).1 / 4.0,
            local + [0.1, 0.2, 0.4, 0.8][n % 4] / 4.0 + 0.07,
            matrix + if n % 4 == 2 { 0.5 } else { 0.0 },
        ]
    });
}

#[test]
fn an_index_outside_its_array_is_held_at_its_end() {
    let source = "fn main(uv: vec2f) -> vec4f { var a = array(0.2, 0.6); let n = i32(uv.x * 20) - 5; return vec4f(a[n], 0, 0, 1); }";
    check(source, |x, _| [if x == 5 { 0.2 } else { 0.6 }, 0.0, 0.0]);
}

#[test]
fn derivatives_are_differences_of_neighbours_and_discard_leaves_black() {
    let source = "@fragment fn paint(@builtin(position) p: vec4f) -> @location(0) vec4f {
          let f = vec3f(dpdx(p.x * 0.25), dpdy(p.y * p.y) / 100, fwidth(p.x + p.y) / 4);
          if p.x < 3 { discard; } return vec4f(f, 1); }";
    check(source, |x, y| if x < 3 { [0.0; 3] } else { [0.25, f64::from((y & !1) + 1) * 2.0 / 100.0, 0.5] });
}

#[test]
fn what_is_no_number_paints_black_and_what_is_too_bright_white() {
    let source = "fn main(uv: vec2f) -> vec4f { let z = uv.x - uv.x; return vec4f(z / z, uv.x / z, -uv.x / z, z); }";
    check(source, |_, _| [0.0, 1.0, 0.0]);
}
