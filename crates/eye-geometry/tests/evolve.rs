//! Runs of evolution: they beat random search, repeat exactly, end, and survive every mutant.

use eye_geometry::evolution::{Ended, Failure, Metric, Outcome, Progress, Request, evolve, picture, random_search};
use proptest::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const RINGS: &str = "
fn main(uv: vec2f) -> vec4f {
  let p = uv * 2.0 - 1.0;
  let ring = smoothstep(0.4, 0.45, length(p)) - smoothstep(0.5, 0.55, length(p));
  return vec4f(vec3f(ring * 0.4 + 0.1), 1.0);
}";

const GREYED: &str = "
fn main(uv: vec2f) -> vec4f {
  let sun = 1.0 - smoothstep(0.15, 0.2, distance(uv, vec2f(0.6, 0.4)));
  let tone = mix(0.5, 0.4, uv.y) + sun * 0.1;
  return vec4f(tone, tone, tone, 1.0);
}";

const WASTEFUL: &str = "
fn main(uv: vec2f) -> vec4f {
  let p = uv * 2.0 - vec2f(1.0, 1.0);
  let d = sqrt(pow(abs(p.x), 2.0) + pow(abs(p.y), 2.0));
  let unused = sin(d) * cos(d) / 3.0;
  let shade = mix(0.0, 1.0, clamp(d, 0.0, 4.0)) * 1.0 + 0.0;
  let glow = exp(log(max(uv.x, 0.001)) * 1.0) + 0.0 * tan(d);
  return vec4f(shade * 0.5 + glow * 0.0, glow, uv.y * 1.0, 1.0);
}";

const FRACTAL: &str = "
struct In { @location(0) uv: vec2f }
const STEPS = 16;
var<private> count: i32;
fn square(z: vec2f) -> vec2f { return vec2f(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y); }
@fragment fn paint(in: In) -> @location(0) vec4f {
  let c = (in.uv - vec2f(0.7, 0.5)) * 2.5;
  var z = vec2f();
  for (var i = 0; i < STEPS; i++) {
    if dot(z, z) > 4 && i > 1 { break; }
    z = square(z) + c;
    count += 1;
  }
  let t = f32(count) / f32(STEPS);
  return vec4f(t, t * t, select(0.2, 0.5, t > 0.9), 1);
}";

const KERNEL: &str = "
struct Params { resolution: vec2u }
@group(0) @binding(1) var<uniform> params: Params;
@group(0) @binding(0) var<storage, read_write> pixels: array<u32>;
fn hash(n: u32) -> u32 { var h = n * 747796405u + 2891336453u; h = ((h >> ((h >> 28u) + 4u)) ^ h) * 277803737u; return (h >> 22u) ^ h; }
@compute @workgroup_size(8, 8) fn kernel(@builtin(global_invocation_id) id: vec3u) {
  let at = id.y * params.resolution.x + id.x;
  var table = array(0.1, 0.4, 0.9);
  var tone = table[at % 3] + f32(hash(at) & 255u) / 512.0;
  switch id.x % 4u { case 0: { tone *= 0.5; } case 1, 2: { tone += 0.1; } default: {} }
  pixels[at] = pack4x8unorm(vec4f(tone, sin(tone * 9.0), 0.3, 1.0));
}";

fn request(seed_shader: &str, metric: Metric) -> Request {
    Request {
        seed_shader: seed_shader.into(),
        target_shader: None,
        generations: 12,
        metric,
        mutation_rate: 0.2,
        population: 16,
        seed: 7,
        size: 24,
        time_budget: Duration::from_hours(1),
        threads: 2,
    }
}

fn run(request: &Request) -> Outcome {
    evolve(request, &AtomicBool::new(false), &mut |_| {}).unwrap_or_else(|failure| panic!("{failure:?}"))
}

#[test]
fn breeding_beats_random_search_on_every_metric() {
    let requests = [
        request(FRACTAL, Metric::Entropy),
        request(GREYED, Metric::VisualQuality),
        Request { target_shader: Some(FRACTAL.into()), ..request(RINGS, Metric::Correctness) },
        request(WASTEFUL, Metric::Performance),
    ];
    for base in requests {
        let (mut bred, mut random) = (0.0, 0.0);
        for seed in 1..=3 {
            let request = Request { seed, generations: 20, ..base.clone() };
            let outcome = run(&request);
            assert!(outcome.best_fitness > outcome.seed_fitness, "{outcome:?}");
            bred += outcome.best_fitness;
            random += random_search(&request, &AtomicBool::new(false)).expect("it searches").best_fitness;
        }
        assert!(bred > random, "{}: {bred} against {random}", base.metric);
    }
}

#[test]
fn the_outcome_depends_on_the_seed_and_not_on_the_threads() {
    for metric in Metric::ALL {
        let base = Request { generations: 4, ..request(FRACTAL, metric) };
        let alone = run(&Request { threads: 1, ..base.clone() });
        for threads in [2, 5] {
            assert_eq!(run(&Request { threads, ..base.clone() }), alone);
        }
    }
    let base = Request { generations: 4, ..request(FRACTAL, Metric::Entropy) };
    assert_ne!(run(&Request { seed: 8, ..base.clone() }).shader, run(&base).shader);
}

#[test]
fn every_generation_is_reported_and_fitness_never_falls() {
    let request = request(RINGS, Metric::Entropy);
    let mut reports: Vec<Progress> = Vec::new();
    let outcome =
        evolve(&request, &AtomicBool::new(false), &mut |progress| reports.push(progress.clone())).expect("it evolves");
    assert_eq!(reports.iter().map(|progress| progress.generation).collect::<Vec<_>>(), (1..=12).collect::<Vec<_>>());
    assert!(
        reports
            .windows(2)
            .all(|pair| pair[0].best_fitness <= pair[1].best_fitness && pair[0].evaluations < pair[1].evaluations)
    );
    assert!(
        reports.iter().all(|progress| progress.generations == 12 && progress.mean_fitness <= progress.best_fitness)
    );
    let last = reports.last().expect("there are twelve");
    assert_eq!(
        (last.best_fitness, last.evaluations, last.invalid),
        (outcome.best_fitness, outcome.evaluations, outcome.invalid)
    );
    assert_eq!((outcome.generations_completed, outcome.ended), (12, Ended::Done));
    assert!(outcome.evaluations <= 1 + 12 * 16);
}

#[test]
fn the_bred_shader_paints_what_it_was_scored_for() {
    for shader in [RINGS, FRACTAL, KERNEL] {
        let request = request(shader, Metric::Entropy);
        let outcome = run(&request);
        let painted = picture(&outcome.shader, request.size, &AtomicBool::new(false)).expect("it paints");
        assert!((painted.entropy() / 8.0 - outcome.best_fitness).abs() < 1e-12, "{}", outcome.shader);
    }
}

#[test]
fn correctness_without_a_target_keeps_the_picture_and_saves_operations() {
    let outcome = run(&request(WASTEFUL, Metric::Correctness));
    assert_eq!((outcome.seed_fitness, outcome.best_fitness), (1.0, 1.0));
    let paint = |shader: &str| picture(shader, 24, &AtomicBool::new(false)).expect("it paints");
    assert_eq!(paint(&outcome.shader), paint(WASTEFUL));
}

#[test]
fn cancelling_ends_a_run_with_the_best_so_far() {
    let cancel = AtomicBool::new(false);
    let outcome = evolve(&request(RINGS, Metric::Entropy), &cancel, &mut |progress| {
        cancel.store(progress.generation == 2, Ordering::Relaxed);
    });
    let outcome = outcome.expect("there is a best so far");
    assert_eq!((outcome.ended, outcome.generations_completed), (Ended::Cancelled, 2));
    assert!(outcome.best_fitness > outcome.seed_fitness);
    let before = evolve(&request(RINGS, Metric::Entropy), &AtomicBool::new(true), &mut |_| {});
    assert_eq!(before, Err(Failure::Cancelled));
}

#[test]
fn the_time_budget_ends_a_run_with_the_best_so_far() {
    let outcome = run(&Request { time_budget: Duration::ZERO, ..request(RINGS, Metric::Entropy) });
    assert_eq!((outcome.ended, outcome.generations_completed), (Ended::TimeBudget, 0));
    assert!(outcome.best_fitness <= outcome.seed_fitness);
    let endless = Request { time_budget: Duration::MAX, generations: 1, ..request(RINGS, Metric::Entropy) };
    assert_eq!(run(&endless).ended, Ended::Done);
}

#[test]
fn what_cannot_be_bred_is_reported_with_its_place() {
    let wrong = "fn main(uv: vec2f) -> vec4f {\n  return vec4f(uv, 0, 1)\n}";
    let refused =
        |request: &Request| evolve(request, &AtomicBool::new(false), &mut |_| {}).expect_err("it cannot be bred");
    assert!(matches!(
        refused(&request(wrong, Metric::Entropy)),
        Failure::Invalid { line: Some(3), column: Some(1), .. }
    ));
    let target = Request { target_shader: Some(wrong.into()), ..request(RINGS, Metric::Correctness) };
    match refused(&target) {
        Failure::Invalid { message, line: Some(3), .. } => assert!(message.starts_with("target_shader: "), "{message}"),
        other => panic!("{other:?}"),
    }
    let endless = "fn main(uv: vec2f) -> vec4f { loop { if uv.x > 2 { break; } } return vec4f(); }";
    assert!(matches!(refused(&request(endless, Metric::Entropy)), Failure::Endless { .. }));
}

#[test]
fn numbers_out_of_range_are_named() {
    let base = request(RINGS, Metric::Entropy);
    let cases = [
        ("generations", Request { generations: 0, ..base.clone() }),
        ("generations", Request { generations: 1_001, ..base.clone() }),
        ("population", Request { population: 1, ..base.clone() }),
        ("population", Request { population: 1_001, ..base.clone() }),
        ("mutation_rate", Request { mutation_rate: f64::NAN, ..base.clone() }),
        ("mutation_rate", Request { mutation_rate: 1.01, ..base.clone() }),
        ("size", Request { size: 3, ..base.clone() }),
        ("threads", Request { threads: 0, ..base.clone() }),
        ("threads", Request { threads: 65, ..base }),
    ];
    for (name, request) in cases {
        match evolve(&request, &AtomicBool::new(false), &mut |_| {}) {
            Err(Failure::OutOfRange { what, .. }) => assert_eq!(what, name),
            other => panic!("{name}: {other:?}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// Mutants of mutants of every kind of shader: no panic, no hang, and the result is a shader that paints.
    #[test]
    fn no_mutant_breaks_a_run(seed in any::<u64>(), shader in 0usize..4, metric in 0usize..4, rate in 0.0f64..1.0) {
        let request = Request {
            seed,
            generations: 6,
            population: 8,
            size: 9,
            mutation_rate: rate,
            ..request([RINGS, WASTEFUL, FRACTAL, KERNEL][shader], Metric::ALL[metric])
        };
        let outcome = run(&request);
        prop_assert!((0.0..=1.0).contains(&outcome.best_fitness) && outcome.best_fitness >= outcome.seed_fitness);
        prop_assert!(picture(&outcome.shader, 9, &AtomicBool::new(false)).is_ok(), "{}", outcome.shader);
    }
}
