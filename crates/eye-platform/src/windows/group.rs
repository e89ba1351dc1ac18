//! A program that ends together with everything it has started: a Windows job.

use std::io;
use tokio::process::{Child, Command};
use win32job::{ExtendedLimitInfo, Job};

/// A group of processes that must not outlive its holder. Windows ends them when the last handle of the job is closed,
/// also when this process is killed.
#[derive(Debug)]
pub struct Group(std::sync::Mutex<Option<Job>>);

impl Group {
    /// Starts a program in its own group.
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

    /// Does nothing: the program's input is already closed, and a program without a window can be asked in no other
    /// way.
    pub fn ask_to_end(&self) {}

    /// Kills all processes of the group.
    pub fn kill(&self) {
        let mut job = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        drop(job.take());
    }
}
