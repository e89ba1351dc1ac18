//! How long a thread runs at a time while others want the CPU, and how it lets them run first.

use std::cell::Cell;
use std::thread;
use std::time::Duration;

/// How long a thread runs at a time. Its share of the CPU stays the same: a thread with shorter turns gets more of
/// them, and runs before threads with longer turns, even if these have just begun theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turns {
    /// For a thread that others wait for, and that never works for long.
    Short,
    /// The system's default.
    Usual,
    /// For a thread that works for long, and calls [`give_way`] now and then.
    Working,
}

thread_local! {
    static TAKEN: Cell<Turns> = const { Cell::new(Turns::Usual) };
}

/// Sets how long this thread runs at a time. Threads and programs that it starts inherit this.
pub fn take_turns(turns: Turns) {
    TAKEN.set(turns);
    set(match turns {
        Turns::Short => Duration::from_micros(100),
        Turns::Usual => Duration::ZERO,
        // Longer than the short turns, so that threads with short turns run first.
        Turns::Working => Duration::from_micros(200),
    });
    wake_exactly(turns == Turns::Working);
}

/// Lets everything that waits for this core run first. A yield would not: Linux yields only to threads of the same
/// session, so programs of other sessions would still wait.
pub fn give_way() {
    if cfg!(target_os = "linux") {
        thread::sleep(MOMENT);
    } else {
        thread::yield_now();
    }
}

/// Long enough for the scheduler to choose another thread.
const MOMENT: Duration = Duration::from_micros(20);

/// Starts something that must not inherit this thread's turns.
pub fn with_usual_turns<T>(start: impl FnOnce() -> T) -> T {
    let taken = TAKEN.get();
    if taken == Turns::Usual {
        return start();
    }
    take_turns(Turns::Usual);
    let started = start();
    take_turns(taken);
    started
}

/// Sets the length of a turn. Zero is the system's default.
#[cfg(target_os = "linux")]
fn set(turn: Duration) {
    use thread_priority::{
        DeadlineFlags, RealtimeThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy,
        set_thread_priority_and_policy,
    };

    let turn = ThreadPriority::Deadline {
        runtime: turn,
        deadline: turn,
        period: turn,
        // Keeps the usual policy, for which only the first of the three values counts.
        flags: DeadlineFlags::from_bits_retain(KEEP_POLICY),
    };
    let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Deadline);
    // Has no effect before Linux 6.12, and some containers forbid it.
    let _ = set_thread_priority_and_policy(THIS_THREAD, turn, policy);
}

/// Whether this thread wakes exactly at the end of short sleeps. By default the system adds up to 50 µs.
#[cfg(target_os = "linux")]
fn wake_exactly(exactly: bool) {
    // One nanosecond is the minimum; zero is the system's default. If this fails, a moment is longer.
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(u64::from(exactly)));
}

/// Not available on other systems.
#[cfg(not(target_os = "linux"))]
fn wake_exactly(_: bool) {}

/// Not available on other systems.
#[cfg(not(target_os = "linux"))]
fn set(_: Duration) {}

/// `SCHED_FLAG_KEEP_POLICY`.
#[cfg(target_os = "linux")]
const KEEP_POLICY: u64 = 0x08;
/// The call takes thread ids of the kernel, for which 0 is the calling thread.
#[cfg(target_os = "linux")]
const THIS_THREAD: thread_priority::ThreadId = 0;

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::unwrap_used, reason = "this is test code, also where a function is no test")]
mod tests {
    use super::*;

    /// Reads an attribute of this thread from the library's debug output.
    fn attribute(name: &str) -> u64 {
        let all = format!("{:?}", thread_priority::get_thread_scheduling_attributes().unwrap());
        let (_, rest) = all.split_once(&format!("{name}: ")).unwrap();
        rest.split(',').next().unwrap().parse().unwrap()
    }

    fn nanoseconds() -> u64 {
        attribute("sched_runtime")
    }

    fn inherited() -> u64 {
        thread::spawn(nanoseconds).join().unwrap()
    }

    #[test]
    fn turns_are_taken_and_left_and_programs_do_not_inherit_them() {
        let this = thread::spawn(|| {
            let (policy, usual) = (attribute("sched_policy"), nanoseconds());
            // Before Linux 6.12 all turns are equal, and the system reports zero.
            if usual == 0 {
                return;
            }
            take_turns(Turns::Short);
            assert_eq!((attribute("sched_policy"), nanoseconds()), (policy, 100_000));
            assert_eq!(with_usual_turns(|| (nanoseconds(), inherited())), (usual, usual));
            assert_eq!(nanoseconds(), 100_000);
            take_turns(Turns::Working);
            assert_eq!((nanoseconds(), inherited()), (200_000, 200_000));
            assert_eq!(rustix::thread::current_timer_slack().unwrap(), 1);
            assert_ne!(with_usual_turns(|| rustix::thread::current_timer_slack().unwrap()), 1);
            take_turns(Turns::Usual);
            assert_eq!((attribute("sched_policy"), nanoseconds()), (policy, usual));
        });
        this.join().unwrap();
    }
}
