//! Follows the notifications of a stream, until a limit that a script can rely on.

use crate::failure::Failure;
use eye_client::connection::Connection;
use eye_protocol::rpc::{self, Message};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// How long a stream without a limit lasts when stdout is not a terminal: a script must not hang.
const UNSEEN: Duration = Duration::from_secs(10);

/// The sentence about a stream's end in every help text.
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
    /// How long the stream lasts. `None`: until it is interrupted or has enough lines.
    pub fn lasts(self) -> Option<Duration> {
        match (self.seconds, self.count) {
            (Some(seconds), _) => Some(Duration::from_secs(seconds)),
            (None, None) if !std::io::stdout().is_terminal() => Some(UNSEEN),
            (None, _) => None,
        }
    }

    /// Passes the parameters of each notification `method` to `take`, until the limit. An error from the hub ends it,
    /// and so does the response to the request `until`.
    pub fn follow(
        self,
        link: &mut Connection,
        method: &str,
        until: Option<&str>,
        mut take: impl FnMut(&str) -> Result<(), Failure>,
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
                    take(&params)?;
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
