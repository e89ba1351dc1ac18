//! This process, its limits, and programs that it starts.

use std::fs::File;
use std::io;
use std::os::windows::io::AsHandle;
use std::os::windows::process::CommandExt;
use std::process::Command;

/// Programs that open a URL as the person would, in this order.
pub const OPENERS: [&str; 1] = ["explorer.exe"];
/// `CREATE_NO_WINDOW`: a console of its own, which is not shown. Programs that it starts get none either.
const NO_WINDOW: u32 = 0x0800_0000;
/// `CREATE_NEW_PROCESS_GROUP`: Ctrl-C at the terminal of the starter does not reach it.
const NEW_GROUP: u32 = 0x0000_0200;
/// `WSAEMFILE`
const OUT_OF_SOCKETS: i32 = 10024;

/// The name of this machine.
pub fn machine() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}

/// The process that started this one. The system tells it only by calls that are not safe.
pub fn parent() -> Option<u32> {
    None
}

/// Prepares a program to go on without the terminal it was started at; it calls [`detach`] itself.
pub fn in_background(command: &mut Command) {
    command.creation_flags(NO_WINDOW | NEW_GROUP);
}

/// Leaves the terminal, for a program that was started by [`in_background`]: it was started without one.
pub fn detach() {}

/// Lets go of standard output. Its starter reads one line and closes the pipe; what is written after that goes nowhere.
pub fn leave_stdout() {}

/// Lets standard error go into a file. It is the file that it was started with.
pub fn redirect_stderr(_: File) {}

/// Standard input without a buffer.
pub fn raw_stdin() -> io::Result<File> {
    io::stdin().as_handle().try_clone_to_owned().map(File::from)
}

/// Standard output without a buffer.
pub fn raw_stdout() -> io::Result<File> {
    io::stdout().as_handle().try_clone_to_owned().map(File::from)
}

/// There is no limit to raise.
pub fn raise_file_limit() {}

/// Threads have no niceness.
pub fn stand_back(_: i32) {}

/// How long a thread runs at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turns {
    /// For a thread that others wait for, and that never works for long.
    Short,
    /// As the system has it.
    Usual,
    /// For a thread that works for long, and gives way now and then.
    Working,
}

/// All turns are the system's.
pub fn take_turns(_: Turns) {}

/// All turns are the system's.
pub fn with_usual_turns<T>(start: impl FnOnce() -> T) -> T {
    start()
}

/// Lets others that wait for this core go first. A sleep would take a millisecond here.
pub fn give_way() {
    std::thread::yield_now();
}

/// Ends this process at once, whatever its threads do.
pub fn end_now() {
    std::process::abort();
}

/// Why the system refuses another socket, if that is what an error says.
pub fn out_of_files(error: &io::Error) -> Option<&'static str> {
    (error.raw_os_error() == Some(OUT_OF_SOCKETS)).then_some("the system has no sockets left")
}
