//! Counters of calls for the hub, each agent and each page. Updated with every call; sampled once a second.

use super::latency::Latency;
use super::ring::{Gauges, Ring, Sample};
use eye_core::Millis;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

/// Samples of the whole hub: one per second, for an hour.
const HUB_SAMPLES_MAX: usize = 3600;
/// Seconds that one sample of an agent or a page covers.
const STEP_S: u64 = 5;
/// Samples of an agent or a page, for an hour.
const NAMED_SAMPLES_MAX: usize = HUB_SAMPLES_MAX / 5;
/// Agents, and likewise pages, that are counted separately; a new one replaces the least recently used.
const NAMED_LEN_MAX: usize = 64;

/// One call that ended.
#[derive(Clone, Copy, Debug)]
pub struct Counted<'a> {
    /// The agent's name; empty if it gave none.
    pub agent: &'a str,
    /// The target page's session.
    pub page: Option<&'a str>,
    /// How the agent was connected.
    pub face: &'static str,
    pub us: u64,
    pub failed: bool,
    pub asked_bytes: u64,
    pub answered_bytes: u64,
}

/// The counters of one agent, of one page, or of the hub.
#[derive(Debug)]
pub struct Series {
    /// Calls since the hub started.
    pub calls: u64,
    /// Calls that ended in an error.
    pub errors: u64,
    /// Time of the last call, on the hub's clock.
    pub last: Millis,
    /// How the agent was connected; empty for a page.
    pub face: &'static str,
    now: Sample,
    latency: Latency,
    ring: Ring,
}

impl Series {
    fn new(len_max: usize) -> Self {
        Self {
            calls: 0,
            errors: 0,
            last: 0,
            face: "",
            now: Sample::default(),
            latency: Latency::default(),
            ring: Ring::new(len_max),
        }
    }

    fn add(&mut self, now: Millis, call: &Counted<'_>) {
        self.calls += 1;
        self.errors += u64::from(call.failed);
        self.last = now;
        self.now.calls += 1;
        self.now.errors += u32::from(call.failed);
        self.now.asked_bytes += call.asked_bytes;
        self.now.answered_bytes += call.answered_bytes;
        self.latency.add(call.us);
    }

    fn close(&mut self, at_s: u64, gauges: Gauges) {
        let percentiles_us = self.latency.take();
        let sample = Sample { at_s, percentiles_us, gauges, ..std::mem::take(&mut self.now) };
        self.ring.push(sample);
    }

    pub fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.ring.samples().iter()
    }

    pub fn latest(&self) -> Option<&Sample> {
        self.ring.samples().back()
    }
}

/// Counters by name.
#[derive(Debug, Default)]
struct Named {
    all: IndexMap<Box<str>, Series, FxBuildHasher>,
    /// The place of the one that was looked up last: often it is the next one too.
    last: usize,
}

#[derive(Debug)]
pub struct Book {
    pub hub: Series,
    agents: Named,
    pages: Named,
}

impl Default for Book {
    fn default() -> Self {
        Self { hub: Series::new(HUB_SAMPLES_MAX), agents: Named::default(), pages: Named::default() }
    }
}

impl Book {
    /// Counts a call that ended.
    pub fn ended(&mut self, now: Millis, call: &Counted<'_>) {
        self.hub.add(now, call);
        let agent = named(&mut self.agents, call.agent);
        agent.add(now, call);
        agent.face = call.face;
        if let Some(page) = call.page {
            named(&mut self.pages, page).add(now, call);
        }
    }

    /// Closes the current sample. Called once a second.
    pub fn sample(&mut self, at_s: u64, gauges: Gauges) {
        self.hub.close(at_s, gauges);
        if at_s.is_multiple_of(STEP_S) {
            for series in self.agents.all.values_mut().chain(self.pages.all.values_mut()) {
                series.close(at_s, Gauges::default());
            }
        }
    }

    /// The agents that sent calls, by name.
    pub fn agents(&self) -> impl Iterator<Item = (&str, &Series)> {
        self.agents.all.iter().map(|(name, series)| (&**name, series))
    }

    pub fn agent(&self, name: &str) -> Option<&Series> {
        self.agents.all.get(name)
    }

    pub fn page(&self, session: &str) -> Option<&Series> {
        self.pages.all.get(session)
    }
}

/// The counters for a name. If there are too many names, a new one replaces the least recently used.
fn named<'a>(named: &'a mut Named, name: &str) -> &'a mut Series {
    let Named { all, last } = named;
    let again = all.get_index(*last).filter(|(known, _)| ***known == *name).map(|_| *last);
    let known = again.or_else(|| all.get_index_of(name));
    *last = known.unwrap_or_else(|| {
        if all.len() >= NAMED_LEN_MAX
            && let Some(at) = (0..all.len()).min_by_key(|at| all[*at].last)
        {
            all.swap_remove_index(at);
        }
        all.insert_full(name.into(), Series::new(NAMED_SAMPLES_MAX)).0
    });
    &mut all[*last]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call<'a>(agent: &'a str, page: Option<&'static str>) -> Counted<'a> {
        Counted { agent, page, face: "unix", us: 10, failed: agent == "bad", asked_bytes: 3, answered_bytes: 5 }
    }

    #[test]
    fn a_call_counts_for_the_hub_its_agent_and_its_page() {
        let mut book = Book::default();
        book.ended(1, &call("a", Some("p")));
        book.ended(2, &call("bad", Some("p")));
        book.sample(STEP_S, Gauges { pages: 1, ..Gauges::default() });
        let hub = book.hub.latest().unwrap();
        assert_eq!((hub.calls, hub.errors, hub.asked_bytes, hub.answered_bytes, hub.gauges.pages), (2, 1, 6, 10, 1));
        assert_eq!(hub.percentiles_us, [10; 3]);
        let page = book.page("p").unwrap();
        assert_eq!((page.calls, page.errors, page.latest().unwrap().calls), (2, 1, 2));
        assert_eq!(book.agent("a").unwrap().errors, 0);
        book.sample(STEP_S + 1, Gauges::default());
        assert_eq!(book.hub.latest().unwrap().calls, 0);
        assert_eq!(book.agent("a").unwrap().samples().count(), 1, "between the steps of named series");
    }

    #[test]
    fn only_so_many_names_are_distinguished() {
        let mut book = Book::default();
        for at in 0..NAMED_LEN_MAX {
            book.ended(at as u64, &call(&format!("a{at}"), None));
        }
        assert!(book.agent("a0").is_some());
        book.ended(0, &call("a0", None));
        book.ended(99, &call("new", None));
        assert!(book.agent("new").is_some() && book.agent("a0").is_none());
        assert_eq!(book.agents().count(), NAMED_LEN_MAX);
    }
}
