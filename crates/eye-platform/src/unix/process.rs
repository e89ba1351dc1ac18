//! This process, its limits, and programs that it starts.

pub use super::turns::{Turns, give_way, take_turns, with_usual_turns};

use rustix::process::{Resource, Rlimit, Signal, getpid, getrlimit, kill_process, setpriority_process, setrlimit};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::process::Command;

/// Programs that open a URL as the person would, in this order.
pub const OPENERS: [&str; 3] =
    if cfg!(target_os = "macos") { ["open", "xdg-open", "wslview"] } else { ["xdg-open", "wslview", "open"] };

/// The name of this machine.
pub fn machine() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}

/// The process that started this one.
pub fn parent() -> Option<u32> {
    rustix::process::getppid().and_then(|pid| u32::try_from(pid.as_raw_nonzero().get()).ok())
}

/// Prepares a program to go on without the terminal it was started at; it calls [`detach`] itself.
pub fn in_background(_: &mut Command) {}

/// Leaves the terminal, for a program that was started by [`in_background`].
pub fn detach() {
    // It fails only for a process that leads its group already, which is as good.
    let _ = rustix::process::setsid();
}

/// Lets go of standard output: what reads it sees its end.
pub fn leave_stdout() {
    if let Ok(nowhere) = OpenOptions::new().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(nowhere);
    }
}

/// Lets standard error go into a file.
pub fn redirect_stderr(file: File) {
    let _ = rustix::stdio::dup2_stderr(file);
}

/// Standard input without a buffer.
pub fn raw_stdin() -> io::Result<File> {
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

/// Standard output without a buffer.
pub fn raw_stdout() -> io::Result<File> {
    io::stdout().as_fd().try_clone_to_owned().map(File::from)
}

/// Lets this process open as many files as the system allows it: the usual limit is often 1,024.
pub fn raise_file_limit() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    }
}

/// Lets this thread stand behind others by so much, where threads have a priority of their own.
pub fn stand_back(niceness: i32) {
    // Elsewhere this would slow the whole process.
    if cfg!(target_os = "linux") {
        let _ = setpriority_process(None, niceness);
    }
}

/// Ends this process at once, whatever its threads do.
pub fn end_now() {
    let _ = kill_process(getpid(), Signal::KILL);
}

/// Why the system refuses another file, if that is what an error says.
pub fn out_of_files(error: &io::Error) -> Option<&'static str> {
    match rustix::io::Errno::from_raw_os_error(error.raw_os_error()?) {
        rustix::io::Errno::MFILE => Some("no file descriptors are left; raise `ulimit -n`"),
        rustix::io::Errno::NFILE => Some("the system has no file descriptors left"),
        _ => None,
    }
}
