//! All output of eye. Values go to stdout; errors, hints and notes to stderr. Control characters in foreign text are
//! escaped on a terminal; piped output stays exact.

use crate::env::Var;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::{Options, cut};
use eye_platform::process;
pub use eye_protocol::signature::one_line;
use eye_protocol::{Value, visible};
use std::borrow::Cow;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufWriter, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

const RED: &str = "\x1b[1;31m";
const CYAN: &str = "\x1b[1;36m";
const PLAIN: &str = "\x1b[0m";
/// Moves to the start of the line and clears it.
const BACK: &str = "\r\x1b[K";
/// The longest progress line when no terminal limits it.
const PROGRESS_CHARS_MAX: usize = 200;

/// Reports a failure and converts the outcome to the exit code.
pub fn finish(outcome: Result<Exit, Failure>) -> ExitCode {
    match outcome {
        Ok(exit) => ExitCode::from(exit.code()),
        Err(failure) => {
            report(&failure);
            ExitCode::from(failure.exit().code())
        }
    }
}

/// Prints a failure and its next step.
pub fn report(failure: &Failure) {
    if matches!(failure, Failure::OutputClosed) {
        return;
    }
    labelled(RED, "error", failure);
    if let Some(hint) = failure.hint() {
        labelled(CYAN, "hint", &hint);
    }
}

/// Prints a note on stderr.
pub fn note(text: impl Display) {
    labelled(CYAN, "note", &text);
}

/// Prints text on stderr unchanged.
pub fn aside(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

fn labelled(colour: &str, label: &str, text: &dyn Display) {
    let stderr = io::stderr().lock();
    let coloured = stderr.is_terminal() && Var::NoColor.get().is_none();
    let text = message(&text.to_string());
    let line = if coloured { format!("{colour}{label}:{PLAIN} {text}\n") } else { format!("{label}: {text}\n") };
    // If stderr is closed too, there is no place left for the error.
    let _ = { stderr }.write_all(line.as_bytes());
}

/// Escapes control characters and indents further lines, so that no foreign text can pass for a line of ours.
fn message(text: &str) -> String {
    visible::lines(text).replace('\n', "\n  ")
}

/// The text for stdout: exact, except on a terminal.
fn printed(text: &str) -> Cow<'_, str> {
    // Checks for a terminal only when there is something to escape, which is rare.
    let unsafe_char = |c: char| visible::is_unsafe(c) && c != '\n' && c != '\t';
    if text.contains(unsafe_char) && io::stdout().is_terminal() { visible::lines(text) } else { Cow::Borrowed(text) }
}

pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question on the terminal; anything but `y` or `yes` is no.
pub fn ask(question: &str) -> Result<bool, Failure> {
    aside(question);
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(Failure::io("read the answer"))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Prints the value of a call, according to the flags.
pub fn value(value: &Value, options: &Options) -> Result<(), Failure> {
    if options.errors {
        return Ok(());
    }
    let text = options.render(value);
    let left_out = options.bytes_max.map_or(0, |bytes_max| cut(&text, bytes_max).1);
    let mut shown = text;
    shown.truncate(shown.len() - left_out);
    shown.push('\n');
    text_out(&shown)?;
    if left_out > 0 {
        note(format_args!("{left_out} more bytes left out by --max-bytes"));
    }
    Ok(())
}

/// Prints one line.
pub fn line(text: impl Display) -> Result<(), Failure> {
    text_out(&format!("{text}\n"))
}

/// Prints what a command did, unless only errors are wanted.
pub fn done(options: &Options, text: &str) -> Result<Exit, Failure> {
    if !options.errors {
        line(text)?;
    }
    Ok(Exit::Success)
}

/// Prints text as it is, on a terminal with its control characters escaped.
pub fn text_out(text: &str) -> Result<(), Failure> {
    let text = printed(text);
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(not_printed)
}

/// Shows the progress of a call on stderr: one line that changes on a terminal, plain lines elsewhere.
pub struct ProgressLine {
    /// Width of the terminal; `None` if stderr is not one.
    columns: Option<usize>,
    shown: bool,
}

impl ProgressLine {
    pub fn new() -> Self {
        let stderr = io::stderr();
        let size = || terminal_size::terminal_size_of(&stderr).map_or(0, |(width, _)| usize::from(width.0));
        // A terminal that does not report its width is assumed to have 80 columns.
        let columns = stderr.is_terminal().then(size).map(|columns| if columns == 0 { 80 } else { columns });
        Self { columns, shown: false }
    }

    /// Shows the current progress.
    pub fn show(&mut self, text: &str) {
        match self.columns {
            // The last column stays free: a full line would wrap and could not be cleared.
            Some(columns) => aside(&format!("{BACK}{}", one_line(text, columns.saturating_sub(1)))),
            None => aside(&format!("progress: {}\n", one_line(text, PROGRESS_CHARS_MAX))),
        }
        self.shown = true;
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.shown && self.columns.is_some() {
            aside(BACK);
        }
    }
}

/// Buffers lines and prints them when flushed or when the buffer is full.
pub struct Lines(BufWriter<io::Stdout>);

impl Lines {
    pub fn new() -> Self {
        Self(BufWriter::with_capacity(64 << 10, io::stdout()))
    }

    pub fn line(&mut self, text: impl Display) -> Result<(), Failure> {
        writeln!(self.0, "{}", printed(&text.to_string())).map_err(not_printed)
    }

    pub fn flush(&mut self) -> Result<(), Failure> {
        self.0.flush().map_err(not_printed)
    }
}

fn not_printed(error: io::Error) -> Failure {
    if error.kind() == ErrorKind::BrokenPipe { Failure::OutputClosed } else { Failure::io("print the answer")(error) }
}

/// Unbuffered standard input, for data that is only passed on.
pub fn raw_stdin() -> Result<File, Failure> {
    process::raw_stdin().map_err(Failure::io("read from stdin"))
}

/// Unbuffered standard output.
pub fn raw_stdout() -> Result<File, Failure> {
    process::raw_stdout().map_err(not_printed)
}
