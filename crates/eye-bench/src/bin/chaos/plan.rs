//! What one run does, from the command line.

use std::path::PathBuf;

/// How often the hub is killed when nothing else is asked for.
const KILLS_DEFAULT: u32 = 5;
/// How often something is killed or stopped in a cluster when nothing else is asked for: each kind of failure three
/// times.
const KILLS_OF_CLUSTER_DEFAULT: u32 = 18;
/// How many calls are made when nothing else is asked for.
const CALLS_DEFAULT: u64 = 1_000_000;

/// One run.
pub struct Plan {
    /// The real binary.
    pub eye: PathBuf,
    pub calls: u64,
    pub kills: u32,
    /// Three hubs and a nats-server instead of one hub.
    pub is_cluster: bool,
    pub seed: u64,
    /// Kinds of pages that stay away.
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
