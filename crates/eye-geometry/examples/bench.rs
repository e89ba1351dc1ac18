//! Measures evolution: shaders per second and core, scaling over two threads, fitness compared with random search with
//! as many shaders, the machine's time per pixel, and Hilbert conversions. Prints and asserts nothing. Build with
//! --release.
#![allow(clippy::print_stdout, reason = "printing is all it does")]
#![allow(clippy::expect_used, clippy::cast_precision_loss, reason = "a measurement that fails is of no use")]

#[path = "bench/unseen.rs"]
mod unseen;

use eye_geometry::evolution::{Metric, Outcome, Request, evolve, picture, random_search};
use eye_geometry::hilbert::{d2xy, xy2d};
use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

const RINGS: &str = "
fn main(uv: vec2f) -> vec4f {
  let p = uv * 2.0 - 1.0;
  let d = length(p);
  let ring = smoothstep(0.4, 0.45, d) - smoothstep(0.5, 0.55, d);
  return vec4f(vec3f(ring * 0.4 + 0.1), 1.0);
}";

const FRACTAL: &str = "
@fragment fn paint(@location(0) uv: vec2f) -> @location(0) vec4f {
  let c = (uv - vec2f(0.7, 0.5)) * 2.5;
  var z = vec2f(0.0);
  var n = 0;
  for (var i = 0; i < 32; i++) {
    if dot(z, z) > 4.0 { break; }
    z = vec2f(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
    n = i;
  }
  let t = f32(n) / 32.0;
  return vec4f(t, t * t, 0.2, 1.0);
}";

const WASTEFUL: &str = "
fn wave(x: f32, k: f32) -> f32 { return sin(x * k) * 0.5 + 0.5 + 0.0 * cos(x); }
fn main(uv: vec2f) -> vec4f {
  let p = uv * 2.0 - vec2f(1.0, 1.0);
  let d = sqrt(pow(abs(p.x), 2.0) + pow(abs(p.y), 2.0));
  var sum = 0.0;
  for (var i = 0; i < 4; i++) { sum += wave(p.x, 3.0) * 0.25; }
  let shade = mix(0.0, 1.0, clamp(d, 0.0, 4.0)) * 1.0 + 0.0;
  let glow = exp(log(max(sum, 0.001)) * 1.0);
  return vec4f(shade * 0.5 + glow * 0.0, glow, wave(uv.y, 2.0) * 1.0, 1.0);
}";

const PLAIN: &str = "
fn main(uv: vec2f) -> vec4f {
  let p = uv - 0.5;
  let a = uv.x;
  let b = uv.y * 0.5;
  return vec4f(a, b, length(p), 1.0);
}";

const SUNSET: &str = "
fn main(uv: vec2f) -> vec4f {
  let sun = 1.0 - smoothstep(0.15, 0.2, distance(uv, vec2f(0.6, 0.4)));
  let sky = mix(vec3f(0.9, 0.5, 0.2), vec3f(0.1, 0.2, 0.5), uv.y);
  let sea = step(0.7, uv.y) * 0.3;
  return vec4f(sky + vec3f(sun, sun * 0.8, 0.0) - sea, 1.0);
}";

const GREYED: &str = "
fn main(uv: vec2f) -> vec4f {
  let sun = 1.0 - smoothstep(0.15, 0.2, distance(uv, vec2f(0.6, 0.4)));
  let sky = mix(0.5, 0.4, uv.y);
  let tone = sky + sun * 0.1;
  return vec4f(tone, tone, tone, 1.0);
}";

const CLOUDS: &str = "
fn hash(p: vec2f) -> f32 { return fract(sin(dot(p, vec2f(12.9898, 78.233))) * 43758.5453); }
fn noise(p: vec2f) -> f32 {
  let i = floor(p);
  let f = fract(p);
  let u = f * f * (3.0 - 2.0 * f);
  let a = mix(hash(i), hash(i + vec2f(1.0, 0.0)), u.x);
  let b = mix(hash(i + vec2f(0.0, 1.0)), hash(i + vec2f(1.0, 1.0)), u.x);
  return mix(a, b, u.y);
}
fn main(uv: vec2f) -> vec4f {
  let low = noise(uv * 4.0);
  let high = noise(uv * 64.0) * 0.01;
  let tone = pow(low, 1.0) + high * 0.25;
  let sky = vec3f(0.3, 0.5, 0.9) / 1.0;
  return vec4f(mix(sky, vec3f(1.0), clamp(tone, 0.0, 1.0)), 1.0);
}";

fn request(seed_shader: &str, metric: Metric) -> Request {
    Request {
        seed_shader: seed_shader.into(),
        target_shader: None,
        generations: 25,
        metric,
        mutation_rate: 0.2,
        population: 24,
        seed: 1,
        size: 64,
        time_budget: Duration::from_mins(10),
        threads: 1,
    }
}

fn run(request: &Request) -> Outcome {
    evolve(request, &AtomicBool::new(false), &mut |_| {}).expect("it evolves")
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The seconds of the fastest of three runs.
fn fastest(mut work: impl FnMut()) -> f64 {
    (0..3)
        .map(|_| {
            let began = Instant::now();
            work();
            began.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seeds: u64 = if arguments.iter().any(|argument| argument == "--quick") { 3 } else { 9 };
    let tables: [(&str, &dyn Fn()); 5] = [
        ("machine", &machine),
        ("speed", &speed),
        ("fitness", &|| fitnesses(seeds)),
        ("unseen", &|| unseen_shaders(seeds)),
        ("hilbert", &hilbert),
    ];
    let is_wanted = |name: &str| arguments.iter().any(|argument| argument == name);
    let all = tables.iter().all(|(name, _)| !is_wanted(name));
    for (name, print) in tables {
        if all || is_wanted(name) {
            print();
        }
    }
}

fn machine() {
    println!("### The machine, per pixel\n\n| shader | ns per pixel, 256 x 256, compiling included |\n|---|---:|");
    for (name, shader) in [("rings", RINGS), ("fractal, 32 steps", FRACTAL), ("sunset", SUNSET), ("wasteful", WASTEFUL)]
    {
        let seconds = fastest(|| {
            black_box(picture(shader, 256, &AtomicBool::new(false)).expect("it paints"));
        });
        println!("| {name} | {:.1} |", seconds * 1e9 / 65_536.0);
    }
}

fn speed() {
    println!("\n### Shaders bred per second, 64 x 64 pixels each\n");
    println!("| seed | metric | one thread | two threads | scaling |\n|---|---|---:|---:|---:|");
    for (name, shader, metric) in [("rings", RINGS, Metric::Entropy), ("fractal", FRACTAL, Metric::VisualQuality)] {
        let rate = |threads| {
            // A large population, so that the work is measured, not the waiting of two threads for each other on a busy
            // machine.
            let request = Request { threads, population: 200, generations: 6, ..request(shader, metric) };
            let mut evaluations = 0;
            let seconds = fastest(|| evaluations = run(&request).evaluations);
            evaluations as f64 / seconds
        };
        let (one, two) = (rate(1), rate(2));
        println!("| {name} | {metric} | {one:.0} | {two:.0} | {:.2} |", two / one);
    }
}

fn fitnesses(seeds: u64) {
    // The second one has the defaults of the geometry app.
    fitness(seeds, 24, 25);
    fitness(seeds, 20, 10);
}

fn fitness(seeds: u64, population: usize, generations: u32) {
    println!(
        "\n### Fitness against random search: medians of {seeds} seeds, {population} shaders in {generations} generations\n"
    );
    println!(
        "| metric | seed shader | its fitness | random search | evolution | evolution wins | invalid per shader |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|");
    let cases = [
        ("rings", request(RINGS, Metric::Entropy)),
        ("fractal", request(FRACTAL, Metric::Entropy)),
        ("rings", request(RINGS, Metric::VisualQuality)),
        ("sunset, greyed", request(GREYED, Metric::VisualQuality)),
        ("plain → sunset", Request { target_shader: Some(SUNSET.into()), ..request(PLAIN, Metric::Correctness) }),
        ("rings → fractal", Request { target_shader: Some(FRACTAL.into()), ..request(RINGS, Metric::Correctness) }),
        ("wasteful", request(WASTEFUL, Metric::Performance)),
        ("clouds", request(CLOUDS, Metric::Performance)),
    ];
    for (name, base) in cases {
        let (mut bred, mut random, mut wins, mut invalid, mut first) = (Vec::new(), Vec::new(), 0, 0.0, 0.0);
        for seed in 1..=seeds {
            let request = Request { seed, population, generations, threads: 2, ..base.clone() };
            let evolved = run(&request);
            let other = random_search(&request, &AtomicBool::new(false)).expect("it searches");
            wins += u64::from(evolved.best_fitness > other.best_fitness);
            invalid += evolved.invalid as f64 / evolved.evaluations as f64 / seeds as f64;
            first = evolved.seed_fitness;
            bred.push(evolved.best_fitness);
            random.push(other.best_fitness);
        }
        let metric = base.metric;
        println!(
            "| {metric} | {name} | {first:.3} | {:.3} | {:.3} | {wins} of {seeds} | {invalid:.2} |",
            median(random),
            median(bred)
        );
    }
}

/// Ten shaders on which the search was not tuned, with the settings of the geometry app. With `correctness` the target
/// is the next one.
fn unseen_shaders(seeds: u64) {
    println!("\n### Ten shaders that it was not tuned on: medians of {seeds} seeds, 20 shaders in 10 generations\n");
    println!("| shader | entropy: random, evolution | visual quality | correctness, towards the next | performance |");
    println!("|---|---:|---:|---:|---:|");
    let (mut won, mut runs) = ([0; 4], 0);
    for (at, (name, shader)) in unseen::UNSEEN.into_iter().enumerate() {
        let next = unseen::UNSEEN[(at + 1) % unseen::UNSEEN.len()].1;
        let bases = [
            request(shader, Metric::Entropy),
            request(shader, Metric::VisualQuality),
            Request { target_shader: Some(next.into()), ..request(shader, Metric::Correctness) },
            request(shader, Metric::Performance),
        ];
        runs += seeds;
        let cells = bases.into_iter().zip(&mut won).map(|(base, won)| {
            let (mut bred, mut random, mut wins) = (Vec::new(), Vec::new(), 0);
            for seed in 1..=seeds {
                let request = Request { seed, population: 20, generations: 10, threads: 2, ..base.clone() };
                let evolved = run(&request).best_fitness;
                let other = random_search(&request, &AtomicBool::new(false)).expect("it searches").best_fitness;
                wins += u64::from(evolved > other);
                bred.push(evolved);
                random.push(other);
            }
            *won += wins;
            format!("{:.3}, {:.3} ({wins} of {seeds})", median(random), median(bred))
        });
        println!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    println!("| all | {} |", won.map(|won| format!("{won} of {runs}")).join(" | "));
}

fn hilbert() {
    println!("\n### Hilbert conversions per second, there and back\n\n| side | per second |\n|---|---:|");
    for order in [8, 11, 26] {
        let side = 1u64 << order;
        let times = 1_000_000u64;
        let seconds = fastest(|| {
            let mut index = 0;
            for _ in 0..times {
                let (x, y) = d2xy(side, index);
                index = (xy2d(side, black_box(x), y) + 0x9e37_79b9) & (side * side - 1);
            }
            black_box(index);
        });
        println!("| {side} | {:.1} million |", 2.0 * times as f64 / seconds / 1e6);
    }
}
