//! The probability of each operator. Depends on the metric, and rises for operators that have made fitter children.

use super::metric::Metric;
use crate::genome::Operator;
use fastrand::Rng;

const COUNT: usize = Operator::ALL.len();
/// The weight that every operator keeps, even if it never helps.
const SHARE_MIN: f64 = 0.02;
/// The factor by which old results count less, per generation.
const MEMORY: f64 = 0.8;

/// The weight of each operator, in the order of [`Operator::ALL`].
#[derive(Clone, Debug)]
pub struct Weights {
    shares: [f64; COUNT],
    initial: [f64; COUNT],
    tried: [f64; COUNT],
    better: [f64; COUNT],
}

impl Weights {
    pub fn new(metric: Metric) -> Self {
        // Constant, Operation, Builtin, Swizzle, Grow, Wrap, Hoist, Shrink, Simplify, Copy, Drop, Cross
        let weights: [f64; COUNT] = match metric {
            Metric::Entropy | Metric::VisualQuality => [4.0, 2.0, 1.0, 1.0, 3.0, 4.0, 1.0, 1.0, 0.1, 1.0, 0.5, 2.0],
            Metric::Correctness => [9.0, 2.0, 1.5, 1.0, 2.0, 2.0, 1.0, 1.0, 0.1, 1.5, 0.5, 2.0],
            Metric::Performance => [1.0, 1.0, 1.0, 0.5, 1.0, 0.5, 5.0, 6.0, 6.0, 2.0, 5.0, 3.0],
        };
        let sum: f64 = weights.iter().sum();
        let initial = weights.map(|weight| weight / sum);
        Self { shares: initial, initial, tried: [0.0; COUNT], better: [0.0; COUNT] }
    }

    pub fn choose(&self, rng: &mut Rng) -> Operator {
        let mut left = rng.f64() * self.shares.iter().sum::<f64>();
        for (operator, share) in Operator::ALL.into_iter().zip(self.shares) {
            left -= share;
            if left < 0.0 {
                return operator;
            }
        }
        Operator::Constant
    }

    /// Records the result of one child. To be called in an order that does not depend on threads.
    pub fn learn(&mut self, operator: Operator, is_better: bool) {
        let at = Operator::ALL.iter().position(|known| *known == operator).unwrap_or(0);
        self.tried[at] += 1.0;
        self.better[at] += f64::from(is_better);
    }

    /// Updates the weights with the results since the last generation.
    pub fn adapt(&mut self) {
        let rates: Vec<f64> =
            self.better.iter().zip(&self.tried).map(|(better, tried)| (better + 0.1) / (tried + 1.0)).collect();
        let sum: f64 = rates.iter().sum();
        for ((share, initial), rate) in self.shares.iter_mut().zip(self.initial).zip(&rates) {
            *share = SHARE_MIN + 0.5 * initial + 0.5 * rate / sum;
        }
        for count in self.tried.iter_mut().chain(&mut self.better) {
            *count *= MEMORY;
        }
    }
}
