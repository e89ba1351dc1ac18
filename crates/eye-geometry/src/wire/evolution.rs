//! One connection of `/evolution`: starts and cancels runs. Its runs end when it closes.

use super::message::{Message, news, reply};
use super::runs::{Bred, Job, Runs, Stop, progress_members};
use super::talk::{Incoming, Outgoing};
use crate::breeding::Breeding;
use crate::evolution::Progress;
use crate::limits::{
    RUNS_OF_CONNECTION_MAX, SHADER_BYTES_MAX, TIME_BUDGET_DEFAULT_MS, TIME_BUDGET_MAX_MS, TIME_BUDGET_MIN_MS,
};
use crate::refusal::{Kind, Refusal};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Progress messages that may wait. Further ones are dropped.
const PROGRESS_LEN_MAX: usize = 8;

/// The request in a message.
#[derive(Debug)]
enum Ask {
    Evolve { job: Job, progress: bool },
    Cancel,
}

impl Ask {
    fn read(message: &Message) -> Result<Self, Refusal> {
        match message.action.as_str() {
            "evolve" => {}
            "cancel" => return Ok(Self::Cancel),
            _ => return Err(Refusal::invalid("action must be one of: evolve, cancel")),
        }
        let fields = message.fields();
        let missing = || Refusal::invalid("seed_shader is required and must be a non-empty string");
        let seed_shader = match fields.get("seed_shader") {
            Some(Value::String(text)) if !text.trim().is_empty() => fields.text("seed_shader", SHADER_BYTES_MAX)?,
            _ => None,
        };
        let budget = fields.integer("time_budget_ms", TIME_BUDGET_MIN_MS..=TIME_BUDGET_MAX_MS)?;
        let job = Job {
            seed_shader: seed_shader.ok_or_else(missing)?.to_owned(),
            breeding: Breeding::read(fields)?,
            time_budget: Duration::from_millis(budget.unwrap_or(TIME_BUDGET_DEFAULT_MS)),
        };
        Ok(Self::Evolve { job, progress: fields.flag("progress")?.unwrap_or(false) })
    }
}

/// One connection and its runs.
struct Talk {
    runs: Arc<Runs>,
    outgoing: Outgoing,
    /// By the request's id, as JSON.
    under_way: HashMap<String, Arc<Stop>>,
    /// Dropping the set ends its runs.
    tasks: JoinSet<(Value, Result<Bred, Refusal>)>,
}

/// Serves one connection until either side closes it.
pub async fn talk(runs: Arc<Runs>, mut incoming: Incoming, outgoing: Outgoing) {
    let mut talk = Talk { runs, outgoing, under_way: HashMap::new(), tasks: JoinSet::new() };
    loop {
        let answer = tokio::select! {
            text = incoming.recv() => match text {
                Some(text) => talk.receive(&text),
                None => return,
            },
            Some(ended) = talk.tasks.join_next() => ended.ok().map(|(id, outcome)| {
                talk.under_way.remove(&id.to_string());
                reply(&id, outcome.map(|bred| bred.members()))
            }),
        };
        // Does not wait for a peer that does not read: closes the connection.
        if answer.is_some_and(|answer| talk.outgoing.try_send(answer).is_err()) {
            return;
        }
    }
}

impl Talk {
    fn receive(&mut self, text: &str) -> Option<String> {
        let message = match Message::parse(text) {
            Ok(message) => message,
            Err((id, refusal)) => return Some(reply(&id, Err(refusal))),
        };
        let begun = Ask::read(&message).and_then(|ask| match ask {
            Ask::Evolve { job, progress } => self.begin(&message.id, job, progress),
            Ask::Cancel => self.cancel(&message.id),
        });
        begun.err().map(|refusal| reply(&message.id, Err(refusal)))
    }

    /// Cancels a run. The run itself sends the reply, with its best shader so far.
    fn cancel(&self, id: &Value) -> Result<(), Refusal> {
        let stop = self.under_way.get(&id.to_string());
        stop.ok_or_else(|| Refusal::invalid(format!("no evolution {id} is under way on this connection")))?.stop();
        Ok(())
    }

    fn begin(&mut self, id: &Value, job: Job, wants_progress: bool) -> Result<(), Refusal> {
        let key = id.to_string();
        if self.under_way.contains_key(&key) {
            return Err(Refusal::invalid(format!("an evolution {id} is under way already; use another requestId")));
        }
        if self.under_way.len() >= RUNS_OF_CONNECTION_MAX {
            let message = format!("this connection has {RUNS_OF_CONNECTION_MAX} evolutions under way; wait for one");
            return Err(Refusal::new(Kind::BackendUnavailable, message));
        }
        let ahead = self.runs.ahead();
        if wants_progress && ahead > 0 {
            let members = Map::from_iter([("ahead".to_owned(), ahead.into())]);
            let _ = self.outgoing.try_send(news(id, "queued", members));
        }
        let stop = Arc::<Stop>::default();
        self.under_way.insert(key, stop.clone());
        let (runs, outgoing, id) = (self.runs.clone(), self.outgoing.clone(), id.clone());
        self.tasks.spawn(async move {
            if !wants_progress {
                let outcome = runs.breed(job, stop, None).await;
                return (id, outcome);
            }
            let (sender, mut reports) = mpsc::channel::<Progress>(PROGRESS_LEN_MAX);
            let breed = runs.breed(job, stop, Some(sender));
            let mut breed = std::pin::pin!(breed);
            loop {
                tokio::select! {
                    // Progress is sent before the reply.
                    biased;
                    Some(progress) = reports.recv() => {
                        let _ = outgoing.try_send(news(&id, "progress", progress_members(&progress)));
                    }
                    outcome = &mut breed => {
                        while let Ok(progress) = reports.try_recv() {
                            let _ = outgoing.try_send(news(&id, "progress", progress_members(&progress)));
                        }
                        return (id, outcome);
                    }
                }
            }
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::evolution::Metric;

    fn ask(members: &str) -> Result<Ask, String> {
        let message = Message::parse(&format!(r#"{{"requestId":"r","action":"evolve"{members}}}"#)).unwrap();
        Ask::read(&message).map_err(|refusal| refusal.message)
    }

    #[test]
    fn the_seeds_defaults_hold() {
        let Ok(Ask::Evolve { job, progress: false }) = ask(r#","seed_shader":"x""#) else { panic!() };
        let Job { breeding, time_budget, .. } = job;
        assert_eq!((breeding.generations, breeding.population, breeding.metric), (10, 20, Metric::Performance));
        assert_eq!((breeding.mutation_rate.to_bits(), breeding.seed), (0.1_f64.to_bits(), None));
        assert_eq!(time_budget, Duration::from_secs(55));
    }

    #[test]
    fn what_does_not_fit_is_refused_in_the_seeds_words() {
        const SHADER: &str = r#","seed_shader":"x""#;
        for (members, want) in [
            (String::new(), "seed_shader is required and must be a non-empty string"),
            (r#","seed_shader":"  ""#.into(), "seed_shader is required and must be a non-empty string"),
            (r#","seed_shader":5"#.into(), "seed_shader is required and must be a non-empty string"),
            (
                format!(r#","seed_shader":"{}""#, "x".repeat(SHADER_BYTES_MAX + 1)),
                "seed_shader is over the limit of 64 KiB",
            ),
            (format!(r#"{SHADER},"generations":0"#), "generations must be an integer between 1 and 100"),
            (format!(r#"{SHADER},"generations":101"#), "generations must be an integer between 1 and 100"),
            (format!(r#"{SHADER},"generations":2.5"#), "generations must be an integer between 1 and 100"),
            (format!(r#"{SHADER},"mutation_rate":0.009"#), "mutation_rate must be a number between 0.01 and 0.5"),
            (format!(r#"{SHADER},"mutationRate":0.51"#), "mutation_rate must be a number between 0.01 and 0.5"),
            (format!(r#"{SHADER},"population_size":1"#), "population_size must be an integer between 2 and 200"),
            (format!(r#"{SHADER},"populationSize":201"#), "population_size must be an integer between 2 and 200"),
            (
                format!(r#"{SHADER},"fitness_metric":"beauty""#),
                "fitness_metric must be one of: performance, visual_quality, correctness, entropy",
            ),
            (format!(r#"{SHADER},"time_budget_ms":99"#), "time_budget_ms must be an integer between 100 and 600000"),
            (format!(r#"{SHADER},"progress":"yes""#), "progress must be true or false"),
            (format!(r#"{SHADER},"seed":-1"#), "seed must be an integer between 0 and 9007199254740991"),
        ] {
            assert_eq!(ask(&members).unwrap_err(), want, "{members}");
        }
        for members in [
            format!(r#","seed_shader":"{}""#, "x".repeat(SHADER_BYTES_MAX)),
            format!(r#"{SHADER},"generations":1,"mutation_rate":0.01,"population_size":2"#),
            format!(
                r#"{SHADER},"generations":100,"mutation_rate":0.5,"population_size":200,"fitness_metric":"entropy""#
            ),
        ] {
            assert!(ask(&members).is_ok(), "{members}");
        }
    }
}
