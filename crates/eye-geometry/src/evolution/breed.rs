//! Makes one child: chooses parents, changes a copy, and repeats until the copy is a shader that paints.

use super::individual::Individual;
use super::score::Goal;
use super::shader;
use super::weights::Weights;
use crate::genome::{self, Operator, Parent};
use crate::limits::CHILD_ATTEMPTS_MAX;
use crate::machine::{Halt, Machine, Painted, Watch};
use fastrand::Rng;
use std::hash::Hasher;

/// The number of individuals that are compared to choose one parent, at the beginning and at the end of a run.
const TOURNAMENT: (f64, f64) = (2.0, 5.0);
/// The share of children of the seed, at the beginning and at the end of a run: the search first explores the
/// surroundings, and then the best places in them.
const SEED_SHARE: (f64, f64) = (0.4, 0.02);
/// The most changes of one child.
const CHANGES_MAX: u32 = 8;

/// What all children of a generation share.
pub struct Nursery<'a> {
    pub first: &'a Individual,
    pub goal: &'a Goal,
    pub size: u32,
    pub mutation_rate: f64,
    /// The progress of the run, 0 to 1.
    pub progress: f64,
    pub random_seed: u64,
    pub steps_max: u64,
    pub bytes_max: usize,
    pub watch: Watch<'a>,
}

/// The result of the attempts to make one child.
pub struct Birth {
    /// `None` if no attempt gave a shader that paints.
    pub child: Option<Individual>,
    /// The last change that made it.
    pub operator: Operator,
    /// Whether it is fitter than the parent that it was copied from.
    pub is_better: bool,
    pub invalid: u64,
}

impl Nursery<'_> {
    /// The child at this place of this generation. The same seed gives the same child on every thread. `None` when the
    /// time is over.
    pub fn child(
        &self,
        machine: &mut Machine,
        population: &[Individual],
        weights: &Weights,
        place: (u32, usize),
    ) -> Option<Birth> {
        let mut rng = Rng::with_seed(scattered(self.random_seed, u64::from(place.0), place.1 as u64));
        let mut birth = Birth { child: None, operator: Operator::Constant, is_better: false, invalid: 0 };
        for _ in 0..CHILD_ATTEMPTS_MAX {
            let is_anew = rng.f64() < self.now(SEED_SHARE);
            let parent = if is_anew { self.first } else { self.tournament(population, &mut rng) };
            let Some((unit, operator)) = self.changed(parent, population, weights, &mut rng) else { continue };
            let source = genome::print(&unit);
            if source == parent.source {
                continue;
            }
            let painted = match self.paint(machine, &source) {
                Ok(painted) => painted,
                Err(Some(Halt::Over)) => return None,
                Err(Some(Halt::Steps) | None) => {
                    birth.invalid += 1;
                    continue;
                }
            };
            let fitness = self.goal.fitness(&painted);
            birth.is_better = fitness > parent.fitness;
            birth.operator = operator;
            birth.child = Some(Individual::new(unit, source, fitness, painted.operations, fingerprint(&painted)));
            break;
        }
        Some(birth)
    }

    /// A value that moves linearly from `first` to `last` during the run.
    fn now(&self, (first, last): (f64, f64)) -> f64 {
        first + (last - first) * self.progress
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a tournament has a few members")]
    fn tournament<'p>(&self, population: &'p [Individual], rng: &mut Rng) -> &'p Individual {
        let size = self.now(TOURNAMENT).round() as usize;
        // The population is sorted, so the lowest index is the fittest.
        let chosen = (0..size).map(|_| rng.usize(..population.len())).min().unwrap_or(0);
        &population[chosen]
    }

    /// A copy with one change, or by chance with more, and the operator of the last change.
    fn changed(
        &self,
        parent: &Individual,
        population: &[Individual],
        weights: &Weights,
        rng: &mut Rng,
    ) -> Option<(genome::TranslationUnit, Operator)> {
        let mate = self.tournament(population, rng);
        let other = Parent { unit: &mate.unit, survey: mate.survey() };
        let strength = 0.25 + self.mutation_rate;
        let mut unit = parent.unit.clone();
        let mut last = None;
        for change in 0..CHANGES_MAX {
            if change > 0 && rng.f64() >= self.mutation_rate {
                break;
            }
            let operator = weights.choose(rng);
            // After a change the old survey no longer describes the shader.
            let fresh = last.is_some().then(|| genome::survey(&mut unit));
            let survey = fresh.as_ref().unwrap_or_else(|| parent.survey());
            if genome::mutate(operator, &mut unit, survey, &other, strength, rng) {
                last = Some(operator);
            }
        }
        last.map(|operator| (unit, operator))
    }

    /// Paints a child. Fails if it does not compile, is too long, or does not end.
    fn paint(&self, machine: &mut Machine, source: &str) -> Result<Painted, Option<Halt>> {
        if source.len() > self.bytes_max {
            return Err(None);
        }
        let program = shader::program(source, self.size).map_err(|_| None)?;
        machine.paint(&program, self.steps_max, self.watch).map_err(Some)
    }
}

/// A hash of the picture.
pub fn fingerprint(painted: &Painted) -> u64 {
    // This hasher has fixed keys, unlike that of a `HashMap`.
    #[allow(clippy::default_constructed_unit_structs, reason = "it is a struct with keys")]
    let mut hasher = std::hash::DefaultHasher::default();
    hasher.write(&painted.picture.rgba);
    hasher.finish()
}

/// Mixes three numbers into one, so that neighbours differ completely: the finaliser of `SplitMix64`, applied once per
/// number.
pub fn scattered(seed: u64, generation: u64, place: u64) -> u64 {
    let mix = |value: u64| {
        let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    };
    mix(mix(mix(seed) ^ generation) ^ place)
}
