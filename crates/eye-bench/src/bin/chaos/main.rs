//! `cargo xtask chaos`: misbehaving pages and agents, a hub that is killed, and a count of every call's endings.
//!
//! Prints the calls that were lost, doubled or crossed, the latencies of bystanders, and the hub's memory and files. No
//! test depends on these figures. Fails if any call did not end exactly once.
#![allow(clippy::print_stdout, reason = "a program for people at a terminal")]
#![allow(clippy::cast_precision_loss, reason = "figures are read by people")]

mod agent;
mod bystander;
mod frames;
mod hub;
mod ledger;
mod page;
mod plan;
mod reasons;

use hub::Ward;
use ledger::Ledger;
use plan::Plan;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;

const HELP: &str = "\
usage: cargo xtask chaos [--debug] [--cluster] [--calls N] [--kills N] [--seed N] [--without KIND]

  --debug         a debug build of eye instead of the release one
  --cluster       three hubs over a real nats-server: hubs and NATS are killed, stopped for a while, and NATS loses its files;
                  pages come back through any hub, agents ask any hub
  --calls N       how many calls the agents make in all (default 1,000,000)
  --kills N       how often the hub is killed with -9 on the way (default 5; in a cluster 18)
  --seed N        the seed of every choice (default: a new one, which is printed)
  --without KIND  leaves out one kind of page: reloads, vanishes, answers-twice, late, foreign-ids, slow-reader,
                  half-open, bombs (documents and schemas that are small on the wire and large to work on)
";

fn main() -> ExitCode {
    let Some(plan) = Plan::from_args(std::env::args().skip(1)) else {
        println!("{HELP}");
        return ExitCode::from(2);
    };
    let of = if plan.is_cluster { "three hubs and NATS" } else { "one hub" };
    println!("chaos: {of}, {} calls, {} kills, seed {}", plan.calls, plan.kills, plan.seed);
    let ledger = Arc::new(Ledger::new(plan.calls));
    let over = Arc::new(AtomicBool::new(false));
    let mut ward = Ward::start(&plan);
    let pages = page::start_all(&ward.ports(), &plan, &over);
    let idle = bystander::measure_idle(&ward);

    let watching = bystander::watch(&ward, &over);
    let agents = agent::start_all(&ward, plan.seed, &ledger);
    ward.note_start();
    ward.supervise(&plan, &ledger, || agents.iter().all(thread::JoinHandle::is_finished));
    for agent in agents {
        agent.join().expect("an agent does not panic");
    }
    let busy = watching.finish();
    ward.settle();
    over.store(true, Relaxed);
    // The hub ends with its report, and the pages' sockets with the hub.
    let rested = ward.report();
    for page in pages {
        page.join().expect("a page does not panic");
    }

    ledger.print();
    println!("bystander, before        {idle}");
    println!("bystander, in the chaos  {busy}");
    println!("{rested}");
    if ledger.is_sound() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
