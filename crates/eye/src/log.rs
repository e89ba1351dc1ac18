//! The hub's log: lines of `tracing` in a bounded, rotated file. A thread writes them, so that no disk delays the hub.

use crate::env::Var;
use crate::failure::Failure;
use clap::ValueEnum;
use eye_hub::rotated::Rotated;
use eye_protocol::limits::{LOG_FILE_BYTES_MAX, LOG_FILES_MAX};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::time::Duration;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Layer, SubscriberExt};

/// Longest queue of lines that wait for the thread.
const LOG_QUEUE_LEN_MAX: usize = 1024;
/// How long a stopping hub waits until its last lines are written.
const LAST_LINES: Duration = Duration::from_secs(1);

/// How much is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogLevel {
    /// Nothing
    Off,
    /// What does not work
    Error,
    /// What was refused or went wrong elsewhere
    Warn,
    /// Starts and ends
    Info,
    /// Connections and sessions
    Debug,
    /// Calls
    Trace,
}

impl LogLevel {
    /// The level of the flag, else of `EYE_LOG`, else info.
    pub fn chosen(flag: Option<Self>) -> Result<Self, Failure> {
        match (flag, Var::Log.text()) {
            (Some(level), _) => Ok(level),
            (None, None) => Ok(Self::Info),
            (None, Some(text)) => Self::from_str(&text, true).map_err(|_| {
                let hint = "write off, error, warn, info, debug or trace";
                Failure::usage(format!("EYE_LOG `{text}` is not a level"), hint)
            }),
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }

    fn filter(self) -> LevelFilter {
        match self {
            Self::Off => LevelFilter::OFF,
            Self::Error => LevelFilter::ERROR,
            Self::Warn => LevelFilter::WARN,
            Self::Info => LevelFilter::INFO,
            Self::Debug => LevelFilter::DEBUG,
            Self::Trace => LevelFilter::TRACE,
        }
    }
}

/// Where lines go in addition to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// To standard error, for a hub in the foreground.
    Stderr,
    /// Nowhere: standard error is redirected to the current log file.
    Nothing,
}

/// The running log. Dropping it waits for the last lines.
#[must_use = "the last lines are written when it is dropped"]
pub struct Log(SyncSender<Message>);

enum Message {
    Line(Vec<u8>),
    End(std::sync::mpsc::Sender<()>),
}

/// Starts logging. Only the first call in a process has an effect.
pub fn begin(level: LogLevel, file: PathBuf, beside: Beside) -> Result<Log, Failure> {
    let (lines, waiting) = sync_channel(LOG_QUEUE_LEN_MAX);
    let missing = Arc::new(AtomicU64::new(0));
    let mut writer =
        Writing { file: Rotated::new(file.clone(), LOG_FILE_BYTES_MAX, LOG_FILES_MAX), path: file, beside };
    // The file is opened now: later, a hub without free file descriptors could not open the file to log that. If it
    // cannot be opened, the missing lines are counted.
    let _ = writer.file.append(b"");
    let lost = Arc::clone(&missing);
    let thread = std::thread::Builder::new().name("log".into());
    thread.spawn(move || writer.run(&waiting, &lost)).map_err(Failure::io("start a thread"))?;
    let sink = Sink { lines: lines.clone(), missing, beside };
    let lines_of = tracing_subscriber::fmt::layer().with_writer(sink).with_ansi(false).with_target(false);
    // Libraries' events about frames and bodies are left out.
    let ours = filter_fn(|about| about.target().starts_with("eye"));
    let subscriber = tracing_subscriber::registry().with(lines_of.with_filter(ours)).with(level.filter());
    let _ = tracing::subscriber::set_global_default(subscriber);
    Ok(Log(lines))
}

impl Drop for Log {
    fn drop(&mut self) {
        let (done, ended) = channel();
        if self.0.try_send(Message::End(done)).is_ok() {
            let _ = ended.recv_timeout(LAST_LINES);
        }
    }
}

/// Takes lines from any thread and never waits for the file.
struct Sink {
    lines: SyncSender<Message>,
    missing: Arc<AtomicU64>,
    beside: Beside,
}

impl<'a> MakeWriter<'a> for Sink {
    type Writer = &'a Self;

    fn make_writer(&'a self) -> &'a Self {
        self
    }
}

impl Write for &Sink {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.beside == Beside::Stderr {
            let _ = io::stderr().write_all(line);
        }
        if self.lines.try_send(Message::Line(line.to_vec())).is_err() {
            self.missing.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Writing {
    file: Rotated,
    path: PathBuf,
    beside: Beside,
}

impl Writing {
    fn run(mut self, waiting: &Receiver<Message>, missing: &AtomicU64) {
        while let Ok(message) = waiting.recv() {
            match message {
                Message::Line(line) => self.append(&line, missing),
                Message::End(done) => {
                    let _ = done.send(());
                }
            }
        }
    }

    fn append(&mut self, line: &[u8], missing: &AtomicU64) {
        let count = missing.swap(0, Ordering::Relaxed);
        let mut text = if count > 0 { format!("{count} lines are missing here\n").into_bytes() } else { Vec::new() };
        text.extend_from_slice(line);
        match self.file.append(&text) {
            Ok(true) if self.beside == Beside::Nothing => self.take_stderr(),
            Ok(_) => {}
            Err(_) => {
                missing.fetch_add(count + 1, Ordering::Relaxed);
            }
        }
    }

    /// Points standard error at the current file, so that a panic does not land in a rotated one.
    fn take_stderr(&self) {
        if let Ok(file) = OpenOptions::new().append(true).open(&self.path) {
            eye_platform::process::redirect_stderr(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_find_no_room_or_no_disk_are_counted() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("hub.log");
        std::os::unix::fs::symlink("/dev/full", &path).unwrap();
        let file = Rotated::new(path.clone(), LOG_FILE_BYTES_MAX, LOG_FILES_MAX);
        let mut writing = Writing { file, path: path.clone(), beside: Beside::Stderr };
        let missing = AtomicU64::new(2);
        writing.append(b"a\n", &missing);
        assert_eq!(missing.load(Ordering::Relaxed), 3);
        std::fs::remove_file(&path).unwrap();
        writing.append(b"b\n", &missing);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "3 lines are missing here\nb\n");
    }
}
