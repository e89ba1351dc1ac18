//! Reads from `/proc` whether a process lives, and its memory and CPU time.

use crate::deadline::DEADLINE;
use std::fs;
use std::future::poll_fn;
use std::task::Poll;
use std::time::{Duration, Instant};

/// Whether a process lives. A zombie has ended; its parent has only not reaped it yet.
pub fn lives(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The program's name, in parentheses, may contain anything.
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}

/// Whether a process ends before the deadline. Checks again after the other tasks of the runtime have run, because one
/// of them may have to end the process.
pub async fn gone(pid: u32) -> bool {
    let ends = Instant::now() + DEADLINE;
    poll_fn(|context| {
        let lives = lives(pid);
        if !lives || Instant::now() > ends {
            return Poll::Ready(!lives);
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}

/// The resident memory of a process, in KiB. `None`: there is no such process.
pub fn resident_kib(pid: u32) -> Option<u64> {
    memory_kib(pid, "VmRSS:")
}

/// The peak resident memory of a process, in KiB. `None`: there is no such process.
pub fn peak_kib(pid: u32) -> Option<u64> {
    memory_kib(pid, "VmHWM:")
}

/// The CPU time of a process's threads, without those that have ended.
pub fn processor_time(pid: u32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let used = threads.filter_map(|thread| {
        let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(used.sum())
}

fn memory_kib(pid: u32, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix(name))?.trim().trim_end_matches(" kB").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_process_lives_until_it_ends_and_not_until_it_is_asked_for() {
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        let pid = child.id();
        assert!(lives(pid) && resident_kib(pid) <= peak_kib(pid) && peak_kib(pid).is_some());
        child.kill().unwrap();
        let ends = Instant::now() + DEADLINE;
        while lives(pid) {
            assert!(Instant::now() < ends, "a killed process ends");
        }
        child.wait().unwrap();
        assert!(!lives(pid) && peak_kib(pid).is_none());
    }
}
