//! The allocations of one round trip, by place: a run with many round trips minus a run without them.

use crate::cost;
use crate::subject::{Kind, Load};
use crate::under::{self, Allocated, Under};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Places that allocate less often per call belong to the hub's own clock, not to a round trip.
const SELDOM: f64 = 0.02;
/// DHAT watches each access and is slow; fewer calls suffice.
const CALLS_MAX: u32 = 1_000;

/// The allocations of one round trip.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Memory {
    all: Allocated,
    /// By the function of ours that allocated.
    places: BTreeMap<String, Allocated>,
}

impl Memory {
    pub fn of(kind: &Kind<'_>, load: Load) -> Self {
        let calls = load.calls.min(CALLS_MAX);
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("allocations");
        let [without, with] = [0, calls].map(|calls| {
            cost::run(kind, &Under::Dhat(file.clone()), Load { calls, ..load });
            under::allocations(&file)
        });
        let each = |more: f64, less: f64| (more - less) / f64::from(calls);
        let mut all = Allocated::default();
        let mut places = BTreeMap::new();
        for (name, found) in with {
            let less = without.get(&name).copied().unwrap_or_default();
            let one = Allocated { blocks: each(found.blocks, less.blocks), bytes: each(found.bytes, less.bytes) };
            all.blocks += one.blocks;
            all.bytes += one.bytes;
            if one.blocks >= SELDOM {
                places.insert(name, one);
            }
        }
        Self { all, places }
    }

    /// Prints two rows of the table, beside an earlier run that may not have counted them.
    pub fn print(&self, relay: &Self, before: Option<&Self>) {
        let both = |all: &Allocated| [all.blocks, all.bytes];
        let (mine, its, was) = (both(&self.all), both(&relay.all), before.map(|before| both(&before.all)));
        for (at, name) in ["allocations", "bytes allocated"].into_iter().enumerate() {
            let was = was.map_or_else(String::new, |was| format!(" {:.1} |", was[at]));
            println!("| {name} | {:.1} | {:.1} | {:.2} |{was}", mine[at], its[at], mine[at] / its[at]);
        }
    }

    /// Prints where the hub allocates, the largest first.
    pub fn print_places(&self) {
        println!("\n| the hub allocates in | times | bytes |\n|---|--:|--:|");
        let mut places: Vec<_> = self.places.iter().collect();
        places.sort_by(|one, other| other.1.bytes.total_cmp(&one.1.bytes));
        for (name, Allocated { blocks, bytes }) in places {
            println!("| `{name}` | {blocks:.2} | {bytes:.0} |");
        }
    }
}
