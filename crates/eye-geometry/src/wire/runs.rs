//! Evolution runs on worker threads: limits how many run and wait, keeps their deadlines, and stores their cartridges.

use crate::breeding::{Breeding, SEED_MAX};
use crate::cartridge::{self, Facts};
use crate::evolution::{self, Ended, Metric, Outcome, Progress};
use crate::limits::{RUNS_MAX, RUNS_WAITING_MAX, STORED_SIDE};
use crate::refusal::{Kind, Refusal};
use crate::store::Store;
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{sleep_until, timeout_at};

/// Ends a run: the flag is for the computing thread, the notice for the task that waits for its turn.
#[derive(Debug, Default)]
pub struct Stop {
    flag: AtomicBool,
    stopped: Notify,
}

impl Stop {
    pub fn stop(&self) {
        self.flag.store(true, Ordering::Relaxed);
        self.stopped.notify_one();
    }

    fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }
}

/// Ends a run when its caller no longer waits for it.
struct StopOnDrop(Arc<Stop>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// The settings of a run.
#[derive(Clone, Debug)]
pub struct Job {
    /// The seed shader, as WGSL.
    pub seed_shader: String,
    pub breeding: Breeding,
    /// The time for the run, including the time that it waits for its turn.
    pub time_budget: Duration,
}

/// The result of a run.
#[derive(Debug)]
pub struct Bred {
    metric: Metric,
    seed: u64,
    outcome: Outcome,
    entropy: Option<f64>,
    elapsed: Duration,
    /// The id of the stored cartridge; `None` if it was not stored.
    pub cartridge_id: Option<String>,
    warning: Option<String>,
}

impl Bred {
    /// The URL of the cartridge at the hub.
    pub fn url(&self) -> Option<String> {
        self.cartridge_id.as_ref().map(|id| format!("/cartridges/{id}.rts.png"))
    }

    /// The result as members of a reply.
    pub fn members(&self) -> Map<String, Value> {
        let ended = match self.outcome.ended {
            Ended::Done => "done",
            Ended::TimeBudget => "time_budget",
            Ended::Cancelled => "cancelled",
        };
        let Value::Object(mut members) = json!({
            "bestFitness": self.outcome.best_fitness,
            "seedFitness": self.outcome.seed_fitness,
            "generationsCompleted": self.outcome.generations_completed,
            "evaluations": self.outcome.evaluations,
            "invalid": self.outcome.invalid,
            "evolvedShader": self.outcome.shader,
            "cartridgeId": self.cartridge_id,
            "cartridgeUrl": self.url(),
            "entropy": self.entropy,
            "fitnessMetric": self.metric.name(),
            "seed": self.seed,
            "ended": ended,
            "elapsedMs": u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX),
        }) else {
            return Map::new();
        };
        members.extend(self.warning.as_ref().map(|warning| ("warning".to_owned(), warning.clone().into())));
        members
    }
}

/// The progress of a run as members of a message.
pub fn progress_members(progress: &Progress) -> Map<String, Value> {
    let Value::Object(members) = json!({
        "generation": progress.generation,
        "generations": progress.generations,
        "bestFitness": progress.best_fitness,
        "meanFitness": progress.mean_fitness,
        "evaluations": progress.evaluations,
        "invalid": progress.invalid,
    }) else {
        return Map::new();
    };
    members
}

/// All runs of a hub.
#[derive(Debug)]
pub struct Runs {
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
    threads: usize,
    store: Arc<Store>,
    under_way: Mutex<Vec<Weak<Stop>>>,
    done: AtomicU64,
    evaluations: AtomicU64,
}

impl Runs {
    /// Runs with this many threads each.
    pub fn new(threads: usize, store: Arc<Store>) -> Self {
        Self {
            places: Arc::new(Semaphore::new(RUNS_MAX)),
            waiting: AtomicUsize::new(0),
            threads,
            store,
            under_way: Mutex::default(),
            done: AtomicU64::new(0),
            evaluations: AtomicU64::new(0),
        }
    }

    /// Ends all runs.
    pub fn stop(&self) {
        for stop in self.under_way.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            if let Some(stop) = stop.upgrade() {
                stop.stop();
            }
        }
    }

    /// The number of runs that must end before a new one begins.
    pub fn ahead(&self) -> usize {
        if self.places.available_permits() > 0 { 0 } else { self.waiting.load(Ordering::Relaxed) + 1 }
    }

    /// The number of ended runs, and of shaders that were painted and scored for them.
    pub fn counts(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.evaluations.load(Ordering::Relaxed))
    }

    /// Breeds, when it is its turn. Dropping the future ends the run. Progress that is not received in time is dropped.
    pub async fn breed(
        &self,
        job: Job,
        stop: Arc<Stop>,
        progress: Option<mpsc::Sender<Progress>>,
    ) -> Result<Bred, Refusal> {
        let begun = Instant::now();
        let _guard = StopOnDrop(stop.clone());
        self.note(&stop);
        let place = self.turn(begun + job.time_budget, &stop).await?;
        let Job { seed_shader, breeding, time_budget } = job;
        let seed = breeding.seed.map_or_else(random_seed, Ok)?;
        let left = time_budget.saturating_sub(begun.elapsed());
        let request = breeding.request(seed_shader, seed, left, self.threads);
        let store = self.store.clone();
        let work = move || {
            // Held until the thread is free again, also where the caller has left.
            let _place = place;
            let mut report = |now: &Progress| {
                if let Some(progress) = &progress {
                    let _ = progress.try_send(now.clone());
                }
            };
            let outcome = evolution::evolve(&request, &stop.flag, &mut report)?;
            let bred = Bred {
                metric: request.metric,
                seed,
                outcome,
                entropy: None,
                elapsed: begun.elapsed(),
                cartridge_id: None,
                warning: None,
            };
            Ok(if stop.is_set() { bred } else { kept(bred, &store) })
        };
        let bred = match tokio::task::spawn_blocking(work).await {
            Ok(bred) => bred,
            Err(_) => Err(Refusal::new(Kind::ExecutionFailed, "the evolution broke down; this is a fault of eye")),
        };
        self.done.fetch_add(1, Ordering::Relaxed);
        if let Ok(bred) = &bred {
            self.evaluations.fetch_add(bred.outcome.evaluations, Ordering::Relaxed);
        }
        bred
    }

    fn note(&self, stop: &Arc<Stop>) {
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        under_way.retain(|stop| stop.strong_count() > 0);
        under_way.push(Arc::downgrade(stop));
    }

    async fn turn(&self, deadline: Instant, stop: &Stop) -> Result<OwnedSemaphorePermit, Refusal> {
        if let Ok(place) = self.places.clone().try_acquire_owned() {
            return Ok(place);
        }
        let Some(_waiting) = Waiting::enter(&self.waiting) else {
            let message = format!("{RUNS_WAITING_MAX} evolutions are waiting already; ask again later");
            return Err(Refusal::new(Kind::BackendUnavailable, message));
        };
        let failed = |message: &str| Refusal::new(Kind::ExecutionFailed, message);
        tokio::select! {
            place = self.places.clone().acquire_owned() => place.map_err(|_| failed("the hub ends")),
            () = stop.stopped.notified() => Err(failed("cancelled before it began")),
            () = sleep_until(deadline.into()) => Err(failed("its time was over before it was its turn; ask again later")),
        }
    }
}

/// Counts one waiting run.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn enter(count: &'a AtomicUsize) -> Option<Self> {
        let room = |waiting| (waiting < RUNS_WAITING_MAX).then_some(waiting + 1);
        count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room).ok().map(|_| Self(count))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Measures the picture of a result and stores its cartridge. If that fails, adds a warning: the shader is in the reply
/// anyway.
fn kept(mut bred: Bred, store: &Store) -> Bred {
    let warn = |why: String| format!("the cartridge could not be stored: {why}");
    let picture = match evolution::picture(&bred.outcome.shader, STORED_SIDE, &AtomicBool::new(false)) {
        Ok(picture) => picture,
        Err(failure) => {
            bred.warning = Some(warn(failure.to_string()));
            return bred;
        }
    };
    let entropy = picture.entropy();
    bred.entropy = Some(entropy);
    let facts = Facts {
        metric: bred.metric,
        fitness: bred.outcome.best_fitness,
        entropy,
        generations: bred.outcome.generations_completed,
        seed: bred.seed,
    };
    let png = cartridge::encode(&picture, &bred.outcome.shader, &facts).map_err(|error| error.to_string());
    match png.and_then(|png| store.save(&png, facts).map_err(|error| error.to_string())) {
        Ok(id) => bred.cartridge_id = Some(id),
        Err(why) => bred.warning = Some(warn(why)),
    }
    bred
}

fn random_seed() -> Result<u64, Refusal> {
    let random = getrandom::u64().map_err(|error| Refusal::new(Kind::ExecutionFailed, error.to_string()))?;
    Ok(random & SEED_MAX)
}

/// Waits until `deadline` for runs that were told to stop.
pub async fn settled(runs: &Runs, deadline: Instant) {
    let all = u32::try_from(RUNS_MAX).unwrap_or(u32::MAX);
    let _ = timeout_at(deadline.into(), runs.places.acquire_many(all)).await;
}
