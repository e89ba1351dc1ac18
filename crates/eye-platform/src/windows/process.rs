//! This process, its limits, and the programs that it starts.

use std::fs::File;
use std::io;
use std::os::windows::io::AsHandle;
use std::os::windows::process::CommandExt;
use std::process::Command;

/// Programs that open a URL in the person's browser, in the order to try them.
pub const OPENERS: [&str; 1] = ["explorer.exe"];
/// `CREATE_NO_WINDOW`: a console of its own without a window, also for the programs that it starts.
const NO_WINDOW: u32 = 0x0800_0000;
/// `CREATE_NEW_PROCESS_GROUP`: Ctrl-C in the starter's terminal does not reach it.
const NEW_GROUP: u32 = 0x0000_0200;
/// `WSAEMFILE`
const OUT_OF_SOCKETS: i32 = 10024;

pub fn machine() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}

/// Always `None`: the parent process can only be read with unsafe calls.
pub fn parent() -> Option<u32> {
    None
}

/// Prepares a program to continue without the terminal it was started from. The program itself calls [`detach`].
pub fn in_background(command: &mut Command) {
    command.creation_flags(NO_WINDOW | NEW_GROUP);
}

/// Does nothing: a program of [`in_background`] is started without a terminal.
pub fn detach() {}

/// Does nothing: the starter reads one line and closes the pipe, and later output is lost.
pub fn leave_stdout() {}

/// Does nothing: the program is started with this file as its standard error.
pub fn redirect_stderr(_: File) {}

/// Unbuffered standard input.
pub fn raw_stdin() -> io::Result<File> {
    io::stdin().as_handle().try_clone_to_owned().map(File::from)
}

/// Unbuffered standard output.
pub fn raw_stdout() -> io::Result<File> {
    io::stdout().as_handle().try_clone_to_owned().map(File::from)
}

/// Does nothing: there is no such limit.
pub fn raise_file_limit() {}

/// Does nothing: threads have no niceness.
pub fn stand_back(_: i32) {}

/// How long a thread runs at a time. Has no effect on Windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turns {
    /// For a thread that others wait for, and that never works for long.
    Short,
    /// The system's default.
    Usual,
    /// For a thread that works for long, and calls [`give_way`] now and then.
    Working,
}

/// Does nothing.
pub fn take_turns(_: Turns) {}

/// Only calls `start`.
pub fn with_usual_turns<T>(start: impl FnOnce() -> T) -> T {
    start()
}

/// Lets other threads that wait for this core run first. Yields, because a sleep would take a millisecond on Windows.
pub fn give_way() {
    std::thread::yield_now();
}

/// Ends this process at once, whatever its threads are doing.
pub fn end_now() {
    std::process::abort();
}

/// The reason to report if an error means that the system has no more sockets.
pub fn out_of_files(error: &io::Error) -> Option<&'static str> {
    (error.raw_os_error() == Some(OUT_OF_SOCKETS)).then_some("the system has no sockets left")
}
