//! One area agent: when it works, when it sends heartbeats, and how it ends.

use super::event::{Effect, Task};
use super::messages;
use super::plan::Plan;
use super::record::Agent;
use super::work::{Failed, Millis, Status, Work};
use crate::limits::{FAILURES_MAX, RETRY_MS};
use serde_json::{Map, Value};

impl Agent {
    /// When the agent next acts without an event from outside.
    pub fn next_wake(&self) -> Option<Millis> {
        if self.status.is_end() {
            return None;
        }
        Some(self.due.map_or(self.beat_at, |due| due.min(self.beat_at)))
    }

    /// Starts or resumes working.
    pub fn run(&mut self, now: Millis, out: &mut Vec<Effect>) {
        self.status = Status::Running;
        self.due = Some(now);
        self.tick(now, out);
    }

    /// Pauses. A task in progress starts again on resume.
    pub fn pause(&mut self, out: &mut Vec<Effect>) {
        self.status = Status::Paused;
        self.rest(out);
    }

    fn rest(&mut self, out: &mut Vec<Effect>) {
        self.due = None;
        if std::mem::take(&mut self.busy) {
            out.push(Effect::Abandon { id: self.id.clone() });
        }
    }

    /// Ends, with a reason.
    pub fn end(&mut self, now: Millis, status: Status, reason: &str, out: &mut Vec<Effect>) {
        self.status = status;
        self.error = (status == Status::Error).then(|| reason.to_owned());
        self.rest(out);
        self.before = None;
        self.tell(out, messages::ended(self, now, reason));
    }

    /// Handles the passing of time.
    pub fn tick(&mut self, now: Millis, out: &mut Vec<Effect>) {
        if self.status.is_end() {
            return;
        }
        if now >= self.beat_at {
            self.beats += 1;
            // A clock that was stopped does not cause a burst of heartbeats.
            self.beat_at = now + self.heartbeat_ms;
            self.tell(out, messages::heartbeat(self, now));
        }
        if self.due.is_some_and(|due| now >= due) {
            self.due = None;
            self.busy = true;
            self.turn += 1;
            let (id, session, turn) = (self.id.clone(), self.session.clone(), self.turn);
            out.push(Effect::Do { id, session, turn, task: self.task() });
        }
    }

    fn task(&self) -> Task {
        let region = self.region;
        match &self.plan {
            Plan::Monitor { .. } => Task::Look { region, before: self.before.clone() },
            Plan::Analyzer { .. } => Task::Look { region, before: None },
            Plan::Executor(executing) => {
                let corner = [region.x, region.y, region.width, region.height];
                let args = corner.into_iter().chain(executing.args.iter().copied()).collect();
                Task::Execute { program: executing.program.clone(), args }
            }
            Plan::Evolver { seed_shader, breeding, place, .. } => {
                Task::Evolve { region, seed_shader: seed_shader.clone(), breeding: breeding.clone(), place: *place }
            }
        }
    }

    /// A task has ended. Ignored if the agent no longer waits for it.
    pub fn done(&mut self, now: Millis, turn: u32, result: Result<Work, Failed>, out: &mut Vec<Effect>) {
        if turn != self.turn || !self.busy {
            return;
        }
        self.busy = false;
        match result {
            Ok(work) => {
                self.failures = 0;
                self.turns += 1;
                self.take(work, out);
                if self.has_done_all() {
                    self.end(now, Status::Finished, "it has done all it was for", out);
                } else {
                    self.due = Some(now + self.plan.interval_ms());
                    self.tick(now, out);
                }
            }
            Err(Failed { message, for_good }) => {
                self.failures += 1;
                self.tell(out, messages::trouble(self, &message));
                if for_good || self.failures >= FAILURES_MAX {
                    self.end(now, Status::Error, &message, out);
                } else {
                    self.due = Some(now + self.plan.interval_ms().max(RETRY_MS));
                }
            }
        }
    }

    /// Reports the progress of an evolution.
    pub fn evolving(&self, turn: u32, progress: Map<String, Value>, out: &mut Vec<Effect>) {
        if turn == self.turn && self.busy {
            self.tell(out, messages::progress(self, progress));
        }
    }

    fn take(&mut self, work: Work, out: &mut Vec<Effect>) {
        let report = match (&self.plan, work) {
            (Plan::Monitor { threshold, .. }, Work::Seen(sight)) => {
                let first = self.before.is_none();
                // Compares with the last picture that was reported, so that a slow change is reported once it is large
                // enough.
                if !first && (sight.changed <= 0.0 || sight.changed < *threshold) {
                    return;
                }
                self.before = Some(sight.picture.clone());
                messages::change(&sight, first)
            }
            (_, Work::Seen(sight)) => messages::measures(&sight),
            (_, Work::Told(members)) => members,
        };
        self.reports += 1;
        let message = messages::report(self, report);
        self.last_report = Some(message.clone());
        self.tell(out, message);
    }

    fn has_done_all(&self) -> bool {
        match &self.plan {
            Plan::Monitor { .. } | Plan::Analyzer { interval_ms: Some(_) } => false,
            Plan::Analyzer { interval_ms: None } => true,
            Plan::Executor(executing) => executing.runs > 0 && self.turns >= executing.runs,
            Plan::Evolver { rounds, .. } => self.turns >= *rounds,
        }
    }

    fn tell(&self, out: &mut Vec<Effect>, message: Value) {
        out.push(Effect::Tell { id: self.id.clone(), socket: self.socket, message });
    }
}
