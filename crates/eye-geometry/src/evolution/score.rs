//! The fitness of a picture. Every fitness is 0 to 1, higher is better; `docs/evolution.md` has the same formulas in
//! words.

use super::metric::Metric;
use crate::Picture;
use crate::machine::Painted;
use crate::picture::luminance;

/// Pictures with at most this root mean square difference over all channels count as equal.
const TOLERANCE: f64 = 2.0 / 255.0;
/// The smallest spread that is assumed for a target: with a flat one, every small error would count as infinitely bad.
const SPREAD_MIN: f64 = 8.0 / 255.0;
/// The standard deviation of luminance that counts as full contrast; half black and half white has twice as much.
const CONTRAST_FULL: f64 = 0.25;
/// The best mean luminance step between neighbouring pixels: less is dull, more is noise.
const EDGES_BEST: f64 = 0.08;
/// The colourfulness by Hasler and Süsstrunk that counts as full: 109 of 255, which they call extremely colourful.
const COLOUR_FULL: f64 = 109.0 / 255.0;

/// What a run optimizes.
pub struct Goal {
    metric: Metric,
    reference: Picture,
    /// The variance of the reference picture's channels.
    spread: f64,
    seed_operations: u64,
}

impl Goal {
    /// `reference` is the picture of the target shader, or of the seed shader if there is no target.
    pub fn new(metric: Metric, reference: Picture, seed_operations: u64) -> Self {
        let spread = variance(&reference).max(SPREAD_MIN * SPREAD_MIN);
        Self { metric, reference, spread, seed_operations }
    }

    pub fn fitness(&self, painted: &Painted) -> f64 {
        match self.metric {
            Metric::Entropy => painted.picture.entropy() / 8.0,
            Metric::VisualQuality => visual_quality(&painted.picture),
            Metric::Correctness => 1.0 / (1.0 + self.error(&painted.picture) / self.spread),
            Metric::Performance => self.performance(painted),
        }
    }

    /// 1/2 for the seed's number of operations, 1 for no operations. A different picture stays below 1/2.
    #[allow(clippy::cast_precision_loss, reason = "operations are far below 2^52")]
    fn performance(&self, painted: &Painted) -> f64 {
        let (seed, own) = (self.seed_operations.max(1) as f64, painted.operations as f64);
        let saved = seed / (seed + own);
        let distance = self.error(&painted.picture).sqrt();
        if distance <= TOLERANCE { saved } else { 0.5 * saved * TOLERANCE / distance }
    }

    /// The mean square difference to the reference.
    fn error(&self, picture: &Picture) -> f64 {
        let pairs = channels(picture).zip(channels(&self.reference));
        mean(pairs.map(|(own, wanted)| (own - wanted) * (own - wanted)))
    }
}

/// The red, green and blue bytes as fractions.
fn channels(picture: &Picture) -> impl Iterator<Item = f64> {
    picture
        .rgba
        .as_chunks::<4>()
        .0
        .iter()
        .flat_map(|pixel| [pixel[0], pixel[1], pixel[2]])
        .map(|byte| f64::from(byte) / 255.0)
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}

/// Mean and standard deviation.
fn moments(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (sum, squares, count) = values
        .fold((0.0, 0.0, 0.0), |(sum, squares, count), value| (sum + value, squares + value * value, count + 1.0));
    if count == 0.0 {
        return (0.0, 0.0);
    }
    let mean: f64 = sum / count;
    (mean, (squares / count - mean * mean).max(0.0).sqrt())
}

/// The mean of the variances of the three channels.
fn variance(picture: &Picture) -> f64 {
    let deviations = (0..3).map(|channel| moments(channels(picture).skip(channel).step_by(3)).1);
    mean(deviations.map(|deviation| deviation * deviation))
}

fn visual_quality(picture: &Picture) -> f64 {
    let pixels = picture.rgba.as_chunks::<4>().0;
    let tones: Vec<f64> = pixels.iter().map(|&pixel| f64::from(luminance(pixel)) / 255.0).collect();
    let contrast = (moments(tones.iter().copied()).1 / CONTRAST_FULL).min(1.0);
    let steepness = edges(&tones, picture.width as usize) / EDGES_BEST;
    let edges = steepness * (1.0 - steepness).exp();
    let opponents = |weigh: fn([f64; 3]) -> f64| {
        moments(
            pixels.iter().map(move |pixel| weigh([pixel[0], pixel[1], pixel[2]].map(|byte| f64::from(byte) / 255.0))),
        )
    };
    let (red_green, red_green_spread) = opponents(|[red, green, _]| red - green);
    let (yellow_blue, yellow_blue_spread) = opponents(|[red, green, blue]| f64::midpoint(red, green) - blue);
    let colourful = red_green_spread.hypot(yellow_blue_spread) + 0.3 * red_green.hypot(yellow_blue);
    (contrast + edges + (colourful / COLOUR_FULL).min(1.0)) / 3.0
}

/// The mean length of the luminance steps to the right and down.
fn edges(tones: &[f64], width: usize) -> f64 {
    let height = tones.len() / width.max(1);
    let steps = (0..height.saturating_sub(1)).flat_map(|y| (0..width.saturating_sub(1)).map(move |x| y * width + x));
    mean(steps.map(|at| {
        let (right, down) = (tones[at + 1] - tones[at], tones[at + width] - tones[at]);
        (right * right + down * down).sqrt()
    }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "these values are exact")]

    use super::*;

    fn picture(side: u32, colour: impl Fn(u32, u32) -> [u8; 3]) -> Picture {
        let pixels = (0..side * side).flat_map(|at| {
            let [red, green, blue] = colour(at % side, at / side);
            [red, green, blue, 255]
        });
        Picture { width: side, height: side, rgba: pixels.collect() }
    }

    fn painted(picture: Picture, operations: u64) -> Painted {
        Painted { picture, operations, steps: 0 }
    }

    fn ramp(x: u32, y: u32) -> [u8; 3] {
        [x, y, x + y].map(|value| u8::try_from(value * 8).unwrap_or(255))
    }

    #[test]
    fn correctness_is_one_for_the_target_and_a_half_for_its_mean() {
        let target = picture(16, |x, _| [if x < 8 { 100 } else { 200 }; 3]);
        let goal = Goal::new(Metric::Correctness, target.clone(), 1);
        assert_eq!(goal.fitness(&painted(target, 1)), 1.0);
        assert!((goal.fitness(&painted(picture(16, |_, _| [150; 3]), 1)) - 0.5).abs() < 1e-9);
        assert!(goal.fitness(&painted(picture(16, |_, _| [0; 3]), 1)) < 0.2);
    }

    #[test]
    fn correctness_of_a_flat_target_still_has_a_slope() {
        let goal = Goal::new(Metric::Correctness, picture(8, |_, _| [100; 3]), 1);
        let near = goal.fitness(&painted(picture(8, |_, _| [104; 3]), 1));
        let far = goal.fitness(&painted(picture(8, |_, _| [140; 3]), 1));
        assert!(near > 0.7 && far < near && far > 0.0, "{near} {far}");
    }

    #[test]
    fn performance_is_a_half_for_the_seed_and_counts_only_equal_pictures() {
        let goal = Goal::new(Metric::Performance, picture(16, ramp), 1_000);
        assert_eq!(goal.fitness(&painted(picture(16, ramp), 1_000)), 0.5);
        assert_eq!(goal.fitness(&painted(picture(16, ramp), 0)), 1.0);
        let nearly = picture(16, |x, y| ramp(x, y).map(|byte| byte.saturating_add(2)));
        assert!((goal.fitness(&painted(nearly, 500)) - 2.0 / 3.0).abs() < 1e-9);
        let other = picture(16, |x, y| ramp(x, y).map(|byte| byte.saturating_add(4)));
        assert!(goal.fitness(&painted(other, 0)) < 0.5);
    }

    #[test]
    fn visual_quality_wants_contrast_edges_and_colour_and_no_noise() {
        let quality = |colour: fn(u32, u32) -> [u8; 3]| visual_quality(&picture(64, colour));
        let flat = quality(|_, _| [128; 3]);
        let grey = quality(|x, _| [u8::try_from(x * 4).unwrap_or(255); 3]);
        let colours = quality(|x, y| [u8::try_from(x * 4).unwrap_or(255), u8::try_from(y * 4).unwrap_or(255), 40]);
        let noise =
            quality(|x, y| [u8::try_from((x * 7_919 + y * 104_729).wrapping_mul(2_654_435_761) >> 24).unwrap_or(0); 3]);
        assert!(flat < 0.01, "{flat}");
        assert!(flat < grey && grey < colours && noise < colours, "{flat} {grey} {colours} {noise}");
        for value in [grey, colours, noise] {
            assert!((0.0..=1.0).contains(&value));
        }
    }
}
