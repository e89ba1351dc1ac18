//! A program that ends together with everything it has started.

use super::process::with_usual_turns;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io;
use tokio::process::{Child, Command};

/// A group of processes that must not outlive its holder.
#[derive(Debug)]
pub struct Group(Option<Pid>);

impl Group {
    /// Starts a program in its own process group.
    pub fn start(command: &mut Command) -> io::Result<(Child, Self)> {
        let child = with_usual_turns(|| command.process_group(0).kill_on_drop(true).spawn())?;
        let group = Self(child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw));
        Ok((child, group))
    }

    /// Asks all processes of the group to end.
    pub fn ask_to_end(&self) {
        self.signal(Signal::TERM);
    }

    /// Kills all processes of the group.
    pub fn kill(&self) {
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        if let Some(pid) = self.0 {
            // Fails if the group has already ended.
            let _ = kill_process_group(pid, signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
