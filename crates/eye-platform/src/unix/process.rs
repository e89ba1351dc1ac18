//! This process, its limits, and the programs that it starts.

pub use super::turns::{Turns, give_way, take_turns, with_usual_turns};

use rustix::process::{Resource, Rlimit, Signal, getpid, getrlimit, kill_process, setpriority_process, setrlimit};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::process::Command;

/// Programs that open a URL in the person's browser, in the order to try them.
pub const OPENERS: [&str; 3] =
    if cfg!(target_os = "macos") { ["open", "xdg-open", "wslview"] } else { ["xdg-open", "wslview", "open"] };

pub fn machine() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}

/// The id of the process that started this one.
pub fn parent() -> Option<u32> {
    rustix::process::getppid().and_then(|pid| u32::try_from(pid.as_raw_nonzero().get()).ok())
}

/// Prepares a program to continue without the terminal it was started from. The program itself calls [`detach`].
pub fn in_background(_: &mut Command) {}

/// Detaches this process from its terminal. For a program that [`in_background`] has prepared.
pub fn detach() {
    // Fails only if the process already leads a group, which is good enough.
    let _ = rustix::process::setsid();
}

/// Closes standard output, so that its reader sees the end.
pub fn leave_stdout() {
    if let Ok(nowhere) = OpenOptions::new().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(nowhere);
    }
}

/// Redirects standard error to a file.
pub fn redirect_stderr(file: File) {
    let _ = rustix::stdio::dup2_stderr(file);
}

/// Unbuffered standard input.
pub fn raw_stdin() -> io::Result<File> {
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

/// Unbuffered standard output.
pub fn raw_stdout() -> io::Result<File> {
    io::stdout().as_fd().try_clone_to_owned().map(File::from)
}

/// Raises the limit of open files to the maximum: the default is often 1,024.
pub fn raise_file_limit() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    }
}

/// Lowers the priority of this thread by `niceness`, where threads have their own priority.
pub fn stand_back(niceness: i32) {
    // On other systems this would slow the whole process.
    if cfg!(target_os = "linux") {
        let _ = setpriority_process(None, niceness);
    }
}

/// Ends this process at once, whatever its threads are doing.
pub fn end_now() {
    let _ = kill_process(getpid(), Signal::KILL);
}

/// The reason to report if an error means that no more files can be opened.
pub fn out_of_files(error: &io::Error) -> Option<&'static str> {
    match rustix::io::Errno::from_raw_os_error(error.raw_os_error()?) {
        rustix::io::Errno::MFILE => Some("no file descriptors are left; raise `ulimit -n`"),
        rustix::io::Errno::NFILE => Some("the system has no file descriptors left"),
        _ => None,
    }
}
