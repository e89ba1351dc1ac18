//! Medians of samples, and of ratios between paths measured in the same round, with their confidence interval.

use std::time::Duration;

/// The required precision of a ratio, as a fraction of it.
const INTERVAL: f64 = 0.05;

/// The median; zero for no values.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

pub fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

/// A path compared with another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The median of the rounds.
    pub value: f64,
    /// Half of the 95 % interval of the median. `None`: not measured in rounds.
    pub plus_minus: Option<f64>,
}

impl Ratio {
    fn of(mut ratios: Vec<f64>) -> Self {
        ratios.sort_by(f64::total_cmp);
        // From the order alone, for any distribution: the number of values below the median is binomial.
        let count = ratios.len() as f64;
        let reach = 0.98 * count.sqrt();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in a short list")]
        let place = |at: f64| ratios[(at.max(0.0) as usize).min(ratios.len() - 1)];
        let plus_minus = (ratios.len() > 1)
            .then(|| (place((count / 2.0 + reach).ceil()) - place((count / 2.0 - reach).floor())) / 2.0);
        Self { value: median(ratios), plus_minus }
    }

    /// Whether it is known to 5 %.
    pub fn is_known(self) -> bool {
        self.plus_minus.is_some_and(|plus_minus| plus_minus <= self.value * INTERVAL)
    }
}

impl From<f64> for Ratio {
    fn from(value: f64) -> Self {
        Self { value, plus_minus: None }
    }
}

/// One path's medians, one per round.
#[derive(Debug, Default, Clone)]
pub struct Series(pub Vec<f64>);

impl Series {
    /// Adds the median of one round's samples.
    pub fn round(&mut self, samples: Vec<f64>) {
        self.0.push(median(samples));
    }

    pub fn median(&self) -> f64 {
        median(self.0.clone())
    }

    /// Compares this path with another, round by round: noise that lasts a round affects both.
    pub fn ratio(&self, to: &Self) -> Ratio {
        Ratio::of(self.0.iter().zip(&to.0).map(|(a, b)| a / b).collect())
    }
}

/// Bounds for the number of rounds: as many as the precision requires, within them.
#[derive(Clone, Copy, Debug)]
pub struct Rounds {
    pub least: usize,
    pub most: usize,
}

impl Rounds {
    pub fn turns(self) -> Turns {
        Turns { rounds: self, done: 0 }
    }
}

/// Rounds under way. The first only warms up and is discarded.
#[derive(Debug)]
pub struct Turns {
    rounds: Rounds,
    done: usize,
}

impl Turns {
    /// Whether to measure another round: until each path's ratio to the first is known to 5 %.
    pub fn more(&mut self, series: &mut [Series]) -> bool {
        if self.done == 1 {
            for one in series.iter_mut() {
                one.0.clear();
            }
        }
        let measured = self.done.saturating_sub(1);
        let known = || series[1..].iter().all(|one| one.ratio(&series[0]).is_known());
        let more = self.done == 0 || measured < self.rounds.least || (measured < self.rounds.most && !known());
        self.done += usize::from(more);
        more
    }

    /// How many rounds were done, with the first.
    pub fn done(&self) -> usize {
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(values: impl Fn(usize) -> f64, rounds: Rounds) -> (usize, Ratio) {
        let mut series: [Series; 2] = Default::default();
        let mut turns = rounds.turns();
        while turns.more(&mut series) {
            let at = turns.done();
            series[0].0.push(1.0);
            series[1].0.push(values(at));
        }
        (turns.done(), series[1].ratio(&series[0]))
    }

    #[test]
    fn it_is_measured_until_it_is_known_and_the_first_round_counts_for_nothing() {
        let bounds = Rounds { least: 9, most: 40 };
        // The first round is off by far; the others agree.
        let (done, ratio) = rounds(|at| if at == 1 { 100.0 } else { 2.0 }, bounds);
        assert_eq!((done, ratio), (10, Ratio { value: 2.0, plus_minus: Some(0.0) }));
        assert!(ratio.is_known());
        // They never agree: all rounds are done, and the ratio counts as unknown.
        let (done, ratio) = rounds(|at| if at % 2 == 0 { 1.0 } else { 3.0 }, bounds);
        assert_eq!((done, ratio.plus_minus), (41, Some(1.0)));
        assert!(!ratio.is_known());
        assert!(!Ratio::from(2.0).is_known());
    }

    #[test]
    fn one_bad_round_among_many_does_not_widen_the_interval() {
        let (_, ratio) = rounds(|at| if at == 5 { 50.0 } else { 2.0 }, Rounds { least: 20, most: 20 });
        assert_eq!(ratio, Ratio { value: 2.0, plus_minus: Some(0.0) });
    }
}
