//! The events that a relay reports to the program that runs it.

use super::link::Transport;

#[derive(Debug)]
pub enum RelayNews<'a> {
    /// The first link is up and the socket is taken.
    Ready(Transport),
    /// The remote hub cannot be reached, for this reason.
    Lost(&'a str),
    /// The remote hub can be reached again.
    Back,
}
