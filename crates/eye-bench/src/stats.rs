//! Medians: of samples, and of ratios between paths that were measured in the same round.

use std::time::Duration;

/// The median; zero of nothing.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// A duration in µs.
pub fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

/// One path's medians, a round each.
#[derive(Debug, Default, Clone)]
pub struct Series(pub Vec<f64>);

impl Series {
    /// Adds the median of one round's samples.
    pub fn round(&mut self, samples: Vec<f64>) {
        self.0.push(median(samples));
    }

    /// The median over all rounds.
    pub fn median(&self) -> f64 {
        median(self.0.clone())
    }

    /// How this path compares with another, round by round: noise that lasts a round hits both.
    pub fn ratio(&self, to: &Self) -> f64 {
        median(self.0.iter().zip(&to.0).map(|(a, b)| a / b).collect())
    }
}
