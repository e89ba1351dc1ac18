//! The search: in each generation the fittest of parents and children survive. Also the random search that it is
//! compared with.

use super::breed::{Birth, Nursery, fingerprint, scattered};
use super::failure::Failure;
use super::individual::Individual;
use super::paint::{on_deep_stack, painted};
use super::request::{Ended, Outcome, Progress, Request};
use super::score::Goal;
use super::shader;
use super::weights::Weights;
use crate::genome;
use crate::limits::{CHILD_BYTES_MIN, CHILD_STEPS_MIN, SHADER_BYTES_MAX, STACK_BYTES, TILE_STEPS_MAX};
use crate::machine::{Machine, Painted, Watch};
use fastrand::Rng;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

/// Which individuals become parents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The fittest so far.
    Evolve,
    /// Only the seed shader.
    Random,
}

/// Breeds until all generations are done, the time is over, or the caller cancels.
pub fn search(
    request: &Request,
    strategy: Strategy,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Outcome, Failure> {
    let started = Instant::now();
    let (seed, goal, steps) = on_deep_stack(|| first(request, cancel))?;
    let mut nursery = Nursery {
        first: &seed,
        goal: &goal,
        size: request.size,
        mutation_rate: request.mutation_rate,
        progress: 0.0,
        random_seed: request.seed,
        steps_max: (steps * 8).clamp(CHILD_STEPS_MIN, TILE_STEPS_MAX),
        bytes_max: (seed.source.len() * 4).clamp(CHILD_BYTES_MIN, SHADER_BYTES_MAX),
        watch: Watch { cancel, deadline: started.checked_add(request.time_budget) },
    };
    let mut run = Run {
        seed_fitness: seed.fitness,
        population: vec![seed.clone()],
        weights: Weights::new(request.metric),
        machines: (0..request.threads).map(|_| Machine::default()).collect(),
        evaluations: 1,
        invalid: 0,
    };
    let mut ended = Ended::Done;
    let mut completed = 0;
    for generation in 1..=request.generations {
        nursery.progress = f64::from(generation - 1) / f64::from(request.generations);
        let (births, is_complete) = run.generation(&nursery, strategy, generation, request.population)?;
        let mut rng = Rng::with_seed(scattered(request.seed, u64::from(generation), u64::MAX));
        run.take(births, strategy, request.population, nursery.progress, &mut rng);
        if !is_complete {
            ended = if cancel.load(Ordering::Relaxed) { Ended::Cancelled } else { Ended::TimeBudget };
            break;
        }
        completed = generation;
        progress(&run.progress(generation, request.generations));
    }
    Ok(run.outcome(completed, ended))
}

/// The seed as an individual, the goal of the run, and the steps that the seed takes.
fn first(request: &Request, cancel: &AtomicBool) -> Result<(Individual, Goal, u64), Failure> {
    let watch = Watch { cancel, deadline: None };
    let mut machine = Machine::default();
    let mut paint = |source: &str| painted(&mut machine, &shader::program(source, request.size)?, watch);
    let target = match &request.target_shader {
        Some(target) => Some(paint(target).map_err(Failure::of_target)?.picture),
        None => None,
    };
    let own: Painted = paint(&request.seed_shader)?;
    let unit = shader::tree(&request.seed_shader)?;
    // The printed tree must paint, because breeding starts from it.
    let source = genome::print(&unit);
    let printed = paint(&source)?;
    let goal = Goal::new(request.metric, target.unwrap_or_else(|| own.picture.clone()), own.operations);
    let fitness = goal.fitness(&printed);
    let seed = Individual::new(unit, source, fitness, printed.operations, fingerprint(&printed));
    Ok((seed, goal, own.steps))
}

/// The state of a search.
struct Run {
    seed_fitness: f64,
    /// Sorted by fitness, the fittest first.
    population: Vec<Individual>,
    weights: Weights,
    /// One per thread.
    machines: Vec<Machine>,
    evaluations: u64,
    invalid: u64,
}

impl Run {
    /// The children of one generation in the order of their places, and whether the generation is complete.
    fn generation(
        &mut self,
        nursery: &Nursery<'_>,
        strategy: Strategy,
        generation: u32,
        count: usize,
    ) -> Result<(Vec<Birth>, bool), Failure> {
        let parents = match strategy {
            Strategy::Evolve => &self.population[..],
            Strategy::Random => std::slice::from_ref(nursery.first),
        };
        let next = AtomicUsize::new(0);
        let weights = &self.weights;
        let work = |machine: &mut Machine| {
            let mut births = Vec::new();
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                if place >= count {
                    return births;
                }
                match nursery.child(machine, parents, weights, (generation, place)) {
                    Some(birth) => births.push((place, birth)),
                    None => return births,
                }
            }
        };
        let mut births = std::thread::scope(|scope| {
            let mut workers = Vec::new();
            for machine in &mut self.machines {
                let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, || work(machine));
                workers.push(worker.map_err(|error| Failure::Thread { reason: error.to_string() })?);
            }
            let joined = workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            Ok(joined.flatten().collect::<Vec<_>>())
        })?;
        births.sort_by_key(|(place, _)| *place);
        let is_complete = births.len() == count;
        Ok((births.into_iter().map(|(_, birth)| birth).collect(), is_complete))
    }

    /// Merges parents and children, keeps one individual per picture and operation count, and selects the fittest and
    /// by chance some others.
    fn take(&mut self, births: Vec<Birth>, strategy: Strategy, count: usize, progress: f64, rng: &mut Rng) {
        for birth in births {
            self.invalid += birth.invalid;
            if let Some(child) = birth.child {
                self.evaluations += 1;
                self.weights.learn(birth.operator, birth.is_better);
                self.population.push(child);
            }
        }
        self.population.sort_by(Individual::compare);
        match strategy {
            Strategy::Evolve => {
                self.weights.adapt();
                let mut seen = HashSet::new();
                self.population.retain(|individual| seen.insert((individual.picture, individual.operations)));
                self.select(count, progress, rng);
            }
            Strategy::Random => self.population.truncate(1),
        }
    }

    /// Gives half of the places, and at the end of the run all, to the fittest. Each other place goes to the fitter of
    /// two random individuals.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a population is small"
    )]
    fn select(&mut self, count: usize, progress: f64, rng: &mut Rng) {
        let fittest = (count as f64 * (0.5 + 0.5 * progress)).ceil() as usize;
        let mut rest = self.population.split_off(self.population.len().min(fittest));
        while self.population.len() < count && !rest.is_empty() {
            let drawn = rng.usize(..rest.len()).min(rng.usize(..rest.len()));
            self.population.push(rest.remove(drawn));
        }
        self.population.sort_by(Individual::compare);
    }

    fn best(&self) -> &Individual {
        self.population
            .iter()
            .min_by(|one, other| one.compare(other))
            .expect("the seed or something fitter is always there")
    }

    #[allow(clippy::cast_precision_loss, reason = "a population is small")]
    fn progress(&self, generation: u32, generations: u32) -> Progress {
        let sum: f64 = self.population.iter().map(|individual| individual.fitness).sum();
        Progress {
            generation,
            generations,
            best_fitness: self.best().fitness,
            mean_fitness: sum / self.population.len() as f64,
            evaluations: self.evaluations,
            invalid: self.invalid,
        }
    }

    fn outcome(&self, generations_completed: u32, ended: Ended) -> Outcome {
        let best = self.best();
        Outcome {
            best_fitness: best.fitness,
            seed_fitness: self.seed_fitness,
            generations_completed,
            evaluations: self.evaluations,
            invalid: self.invalid,
            shader: best.source.clone(),
            ended,
        }
    }
}
