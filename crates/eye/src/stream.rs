//! Streams: what happens, a line each as it happens, until a bound that everyone who reads it can rely on.

use crate::failure::Failure;
use eye_client::connection::Connection;
use eye_protocol::rpc::{self, Message};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// How long a stream lasts without a terminal and without a limit: a script must not hang on it.
const UNSEEN: Duration = Duration::from_secs(10);

/// What every stream says of its end in its help.
pub const ENDS: &str = "Ends after --count lines or --for seconds; without either on a terminal with Ctrl-C, elsewhere after \
                        10 seconds.";

/// When a stream ends.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Bound {
    /// End after so many lines
    #[arg(long, value_name = "N")]
    pub count: Option<usize>,
    /// End after so many seconds
    #[arg(long = "for", value_name = "SECONDS")]
    pub seconds: Option<u64>,
}

impl Bound {
    /// How long it lasts, when it does not last until it is interrupted.
    pub fn lasts(self) -> Option<Duration> {
        match (self.seconds, self.count) {
            (Some(seconds), _) => Some(Duration::from_secs(seconds)),
            (None, None) if !std::io::stdout().is_terminal() => Some(UNSEEN),
            (None, _) => None,
        }
    }

    /// Hands over the params of each notification of that method, until the bound. An error of the hub's ends it, and
    /// so does the answer to the request `until`.
    pub fn follow(
        self,
        link: &mut Connection,
        method: &str,
        until: Option<&str>,
        mut heard: impl FnMut(&str) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let ends = self.lasts().map(|lasts| Instant::now() + lasts);
        let mut left = self.count.unwrap_or(usize::MAX);
        while left > 0 {
            let wait = ends.map(|ends| ends.saturating_duration_since(Instant::now()));
            if wait == Some(Duration::ZERO) {
                break;
            }
            link.set_patience(wait)?;
            let frame = match link.receive() {
                Ok(Some(frame)) => frame,
                Ok(None) => return Err(Failure::HubGone),
                Err(eye_client::Error::Silent) if ends.is_some() => break,
                Err(error) => return Err(error.into()),
            };
            match rpc::parse_one(&frame) {
                Some(Message::Response { outcome: Err(error), .. }) => return Err(error.into()),
                Some(Message::Response { id, .. }) if until == Some(&*id) => break,
                Some(Message::Notification { method: found, params }) if found == method => {
                    heard(&params)?;
                    left -= 1;
                }
                Some(_) | None => {
                    if let Some(error) = rpc::error_without_id(&frame) {
                        return Err(error.into());
                    }
                }
            }
        }
        Ok(())
    }
}
