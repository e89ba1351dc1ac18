//! What a relay tells the program that runs it.

use super::link::Transport;

/// What happens to a relay.
#[derive(Debug)]
pub enum RelayNews<'a> {
    /// The first link is up and the socket is taken.
    Ready(Transport),
    /// The remote hub is out of reach.
    Lost(&'a str),
    /// It is back.
    Back,
}
