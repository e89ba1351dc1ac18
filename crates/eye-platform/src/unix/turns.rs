//! How long a thread runs at a time where others want the processor too, and how it lets them go first.

use std::cell::Cell;
use std::thread;
use std::time::Duration;

/// How long a thread runs at a time. Its share of the processor is the same: whoever takes shorter turns takes more of
/// them, and goes before those who take longer ones, also where these have just begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turns {
    /// For a thread that others wait for, and that never works for long.
    Short,
    /// As the system has it.
    Usual,
    /// For a thread that works for long, and gives way now and then.
    Working,
}

thread_local! {
    static TAKEN: Cell<Turns> = const { Cell::new(Turns::Usual) };
}

/// Says how long this thread runs at a time from now on. Threads and programs that it starts inherit it.
pub fn take_turns(turns: Turns) {
    TAKEN.set(turns);
    set(match turns {
        Turns::Short => Duration::from_micros(100),
        Turns::Usual => Duration::ZERO,
        // Longer than the short ones, which go before it therefore.
        Turns::Working => Duration::from_micros(200),
    });
    wake_exactly(turns == Turns::Working);
}

/// Lets everything that waits for this core go first. A yield does not: Linux takes it as one among the threads of the
/// same session, and goes on with the thread that yielded while programs of other sessions wait.
pub fn give_way() {
    if cfg!(target_os = "linux") {
        thread::sleep(MOMENT);
    } else {
        thread::yield_now();
    }
}

/// Enough for the system to look who else is there.
const MOMENT: Duration = Duration::from_micros(20);

/// Starts something that is to inherit nothing of this thread's turns.
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

/// Zero is the system's own choice.
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
        // The policy stays the usual one, for which only the first of the three counts.
        flags: DeadlineFlags::from_bits_retain(KEEP_POLICY),
    };
    let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Deadline);
    // Systems before Linux 6.12 do nothing with it, and some containers forbid it.
    let _ = set_thread_priority_and_policy(THIS_THREAD, turn, policy);
}

/// Whether this thread wakes up from short sleeps at their end; the system would let it sleep for 50 µs more.
#[cfg(target_os = "linux")]
fn wake_exactly(exactly: bool) {
    // The least that there is; nothing is the system's own choice. Without it a moment is longer.
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(u64::from(exactly)));
}

/// Other systems have no such thing.
#[cfg(not(target_os = "linux"))]
fn wake_exactly(_: bool) {}

/// Other systems have no such thing.
#[cfg(not(target_os = "linux"))]
fn set(_: Duration) {}

/// `SCHED_FLAG_KEEP_POLICY`.
#[cfg(target_os = "linux")]
const KEEP_POLICY: u64 = 0x08;
/// By the system's own number of threads, which this call takes.
#[cfg(target_os = "linux")]
const THIS_THREAD: thread_priority::ThreadId = 0;

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::unwrap_used, reason = "this is test code, also where a function is no test")]
mod tests {
    use super::*;

    /// What the system says of this thread, in the library's words.
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
            // Before Linux 6.12 all turns are the same, and the system says zero.
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
