//! A program that is started with all that it starts itself, and ends with it.

use super::process::with_usual_turns;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io;
use tokio::process::{Child, Command};

/// A group of processes that must not outlive its holder.
#[derive(Debug)]
pub struct Group(Option<Pid>);

impl Group {
    /// Starts a program in a group of its own.
    pub fn start(command: &mut Command) -> io::Result<(Child, Self)> {
        let child = with_usual_turns(|| command.process_group(0).kill_on_drop(true).spawn())?;
        let group = Self(child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw));
        Ok((child, group))
    }

    /// Asks all of it to end.
    pub fn ask_to_end(&self) {
        self.signal(Signal::TERM);
    }

    /// Ends all of it.
    pub fn kill(&self) {
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        if let Some(pid) = self.0 {
            // It may be gone already, which is what is wanted.
            let _ = kill_process_group(pid, signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
