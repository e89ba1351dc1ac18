//! Makes one child: picks parents, changes a copy, and tries again until one is a shader that paints.

use super::individual::Individual;
use super::score::Goal;
use super::shader;
use super::weights::Weights;
use crate::genome::{self, Operator, Parent};
use crate::limits::CHILD_ATTEMPTS_MAX;
use crate::machine::{Halt, Machine, Painted, Watch};
use fastrand::Rng;
use std::hash::Hasher;

/// How many are compared to find one parent, at the beginning of a run and at its end.
const TOURNAMENT: (f64, f64) = (2.0, 5.0);
/// The share of children that are the seed's, at the beginning of a run and at its end: first the surroundings are
/// looked at, then the best places in them.
const SEED_SHARE: (f64, f64) = (0.4, 0.02);
/// Changes of one child.
const CHANGES_MAX: u32 = 8;

/// What all children of a run have in common.
pub struct Nursery<'a> {
    pub first: &'a Individual,
    pub goal: &'a Goal,
    pub size: u32,
    pub mutation_rate: f64,
    /// How far the run is, from 0 to 1.
    pub progress: f64,
    pub random_seed: u64,
    pub steps_max: u64,
    pub bytes_max: usize,
    pub watch: Watch<'a>,
}

/// What came of one attempt to make a child.
pub struct Birth {
    /// The child, unless none of the attempts was a shader that paints.
    pub child: Option<Individual>,
    /// The change that made it.
    pub operator: Operator,
    /// Whether it is fitter than the parent that it is a copy of.
    pub is_better: bool,
    pub invalid: u64,
}

impl Nursery<'_> {
    /// The child at this place of this generation: the same for the same seed, on every thread. `None` when time is up.
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

    /// A value that moves from one to the other while the run goes on.
    fn now(&self, (first, last): (f64, f64)) -> f64 {
        first + (last - first) * self.progress
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a tournament has a few members")]
    fn tournament<'p>(&self, population: &'p [Individual], rng: &mut Rng) -> &'p Individual {
        let size = self.now(TOURNAMENT).round() as usize;
        // The population is sorted, so the lowest number is the fittest.
        let chosen = (0..size).map(|_| rng.usize(..population.len())).min().unwrap_or(0);
        &population[chosen]
    }

    /// A copy with one change, and with more by chance; and the last change that was made.
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
            // After a change the old survey describes another shader.
            let fresh = last.is_some().then(|| genome::survey(&mut unit));
            let survey = fresh.as_ref().unwrap_or_else(|| parent.survey());
            if genome::mutate(operator, &mut unit, survey, &other, strength, rng) {
                last = Some(operator);
            }
        }
        last.map(|operator| (unit, operator))
    }

    /// Paints a child. Whatever does not compile, is too long or does not end is no child.
    fn paint(&self, machine: &mut Machine, source: &str) -> Result<Painted, Option<Halt>> {
        if source.len() > self.bytes_max {
            return Err(None);
        }
        let program = shader::program(source, self.size).map_err(|_| None)?;
        machine.paint(&program, self.steps_max, self.watch).map_err(Some)
    }
}

/// Stands for a picture.
pub fn fingerprint(painted: &Painted) -> u64 {
    // The keys of this hasher are fixed, unlike those of a map's.
    #[allow(clippy::default_constructed_unit_structs, reason = "it is a struct with keys")]
    let mut hasher = std::hash::DefaultHasher::default();
    hasher.write(&painted.picture.rgba);
    hasher.finish()
}

/// One number of three, so that neighbours have nothing in common: the finaliser of `SplitMix64`, once for each.
pub fn scattered(seed: u64, generation: u64, place: u64) -> u64 {
    let mix = |value: u64| {
        let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    };
    mix(mix(mix(seed) ^ generation) ^ place)
}
