//! A program that is started with all that it starts itself, and ends with it: a job of the system's.

use std::io;
use tokio::process::{Child, Command};
use win32job::{ExtendedLimitInfo, Job};

/// A group of processes that must not outlive its holder: the system ends them when the last handle of the job is
/// closed, also when this process is killed.
#[derive(Debug)]
pub struct Group(std::sync::Mutex<Option<Job>>);

impl Group {
    /// Starts a program in a group of its own.
    pub fn start(command: &mut Command) -> io::Result<(Child, Self)> {
        let mut limits = ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        let job = Job::create_with_limit_info(&limits).map_err(io::Error::other)?;
        let child = command.kill_on_drop(true).spawn()?;
        if let Some(handle) = child.raw_handle() {
            job.assign_process(handle as isize).map_err(io::Error::other)?;
        }
        Ok((child, Self(std::sync::Mutex::new(Some(job)))))
    }

    /// Asks all of it to end: its input is closed by now, and there is no other way to ask a program without a window.
    pub fn ask_to_end(&self) {}

    /// Ends all of it.
    pub fn kill(&self) {
        let mut job = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        drop(job.take());
    }
}
