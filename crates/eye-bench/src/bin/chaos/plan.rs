//! The plan of one run, from the command line.

use std::path::PathBuf;

/// Kills of the hub.
const KILLS_DEFAULT: u32 = 5;
/// Failures in a cluster: each kind of failure three times.
const KILLS_OF_CLUSTER_DEFAULT: u32 = 18;
const CALLS_DEFAULT: u64 = 1_000_000;

pub struct Plan {
    pub eye: PathBuf,
    pub calls: u64,
    pub kills: u32,
    /// Three hubs and a nats-server instead of one hub.
    pub is_cluster: bool,
    pub seed: u64,
    /// Kinds of pages that are left out.
    pub without: Vec<String>,
}

impl Plan {
    /// Reads `EYE [--cluster] [--calls N] [--kills N] [--seed N] [--without KIND]`; `xtask` puts the binary first.
    /// `None` for anything else.
    pub fn from_args(mut args: impl Iterator<Item = String>) -> Option<Self> {
        let eye = PathBuf::from(args.next().filter(|eye| !eye.starts_with('-'))?);
        let (calls, kills, seed) = (CALLS_DEFAULT, KILLS_DEFAULT, fastrand::u64(..));
        let mut plan = Self { eye, calls, kills, is_cluster: false, seed, without: Vec::new() };
        while let Some(flag) = args.next() {
            if flag == "--cluster" {
                plan.is_cluster = true;
                plan.kills = KILLS_OF_CLUSTER_DEFAULT;
                continue;
            }
            let value = args.next()?;
            let number = || value.replace(['_', ','], "").parse::<u64>().ok();
            match flag.as_str() {
                "--calls" => plan.calls = number()?,
                "--kills" => plan.kills = u32::try_from(number()?).ok()?,
                "--seed" => plan.seed = number()?,
                "--without" => plan.without.push(value),
                _ => return None,
            }
        }
        Some(plan)
    }
}
