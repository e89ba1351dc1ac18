//! Ten shaders on which the search was not tuned. They were chosen and committed before the search first ran on them.
//! None may be changed or removed because of its result.

/// Name and source.
pub const UNSEEN: [(&str, &str); 10] = [
    (
        "checker",
        "fn main(uv: vec2f) -> vec4f {
  let cell = floor(uv * 8.0);
  let on = (cell.x + cell.y) - 2.0 * floor((cell.x + cell.y) * 0.5);
  return vec4f(vec3f(on), 1.0);
}",
    ),
    (
        "ramp",
        "fn main(uv: vec2f) -> vec4f {
  return vec4f(uv.x, uv.x, uv.x, 1.0);
}",
    ),
    (
        "plasma",
        "fn main(uv: vec2f) -> vec4f {
  let v = sin(uv.x * 10.0) + sin(uv.y * 12.0) + sin((uv.x + uv.y) * 8.0) + sin(length(uv - vec2f(0.5)) * 20.0);
  return vec4f(sin(v) * 0.5 + 0.5, sin(v + 2.1) * 0.5 + 0.5, sin(v + 4.2) * 0.5 + 0.5, 1.0);
}",
    ),
    (
        "spiral",
        "fn main(uv: vec2f) -> vec4f {
  let p = uv - vec2f(0.5, 0.5);
  let a = atan2(p.y, p.x);
  let r = length(p);
  let s = sin(a * 3.0 + r * 40.0);
  return vec4f(step(0.0, s) * 0.8, 0.1, 0.3, 1.0);
}",
    ),
    (
        "cells",
        "fn point(i: vec2f) -> vec2f {
  return fract(sin(vec2f(dot(i, vec2f(127.1, 311.7)), dot(i, vec2f(269.5, 183.3)))) * 43758.5453);
}
fn main(uv: vec2f) -> vec4f {
  let p = uv * 5.0;
  let i = floor(p);
  var nearest = 8.0;
  for (var y = -1; y <= 1; y++) {
    for (var x = -1; x <= 1; x++) {
      let n = i + vec2f(f32(x), f32(y));
      nearest = min(nearest, distance(p, n + point(n)));
    }
  }
  return vec4f(nearest, nearest * 0.6, 0.2, 1.0);
}",
    ),
    (
        "bricks",
        "fn main(uv: vec2f) -> vec4f {
  var p = uv * vec2f(6.0, 12.0);
  let row = floor(p.y);
  if row - 2.0 * floor(row * 0.5) > 0.5 { p.x += 0.5; }
  let f = fract(p);
  let wall = step(0.06, f.x) * step(0.1, f.y);
  return vec4f(mix(vec3f(0.7, 0.7, 0.65), vec3f(0.6, 0.2, 0.1), wall), 1.0);
}",
    ),
    (
        "ripples",
        "fn main(uv: vec2f) -> vec4f {
  let one = sin(distance(uv, vec2f(0.2, 0.3)) * 60.0);
  let two = sin(distance(uv, vec2f(0.8, 0.6)) * 60.0);
  let level = (one + two) * 0.25 + 0.5;
  return vec4f(level * 0.3, level * 0.5, level, 1.0);
}",
    ),
    (
        "heart",
        "fn main(uv: vec2f) -> vec4f {
  let p = (uv - vec2f(0.5, 0.45)) * vec2f(2.6, -2.6);
  let a = p.x * p.x + p.y * p.y - 1.0;
  let inside = a * a * a - p.x * p.x * p.y * p.y * p.y;
  if inside < 0.0 { return vec4f(0.8, 0.1, 0.2, 1.0); }
  return vec4f(0.95, 0.9, 0.9, 1.0);
}",
    ),
    (
        "julia",
        "@fragment fn paint(@location(0) uv: vec2f) -> @location(0) vec4f {
  var z = (uv - vec2f(0.5, 0.5)) * 3.0;
  let c = vec2f(-0.7, 0.27);
  var steps = 0.0;
  for (var i = 0; i < 24; i++) {
    if dot(z, z) > 4.0 { break; }
    z = vec2f(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
    steps += 1.0;
  }
  let t = steps / 24.0;
  return vec4f(t * 0.9, t * t, sqrt(t), 1.0);
}",
    ),
    (
        "hills",
        "fn ridge(x: f32, k: f32) -> f32 {
  return 0.5 + 0.15 * sin(x * k) + 0.05 * sin(x * k * 2.7 + 1.0);
}
fn main(uv: vec2f) -> vec4f {
  var colour = mix(vec3f(0.7, 0.8, 1.0), vec3f(1.0, 0.9, 0.8), uv.y);
  for (var i = 0; i < 3; i++) {
    let k = 4.0 + f32(i) * 3.0;
    if uv.y > ridge(uv.x, k) + f32(i) * 0.12 { colour = vec3f(0.2, 0.35, 0.3) * (1.0 - f32(i) * 0.25); }
  }
  return vec4f(colour, 1.0);
}",
    ),
];
