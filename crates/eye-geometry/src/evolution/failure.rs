//! Why a shader cannot be painted or bred.

/// Why there is no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The shader is not WGSL, or not of a kind that paints a picture.
    #[error("{message}")]
    Invalid {
        /// What is wrong, and what would be accepted.
        message: String,
        /// The line, from 1, where that is known.
        line: Option<u32>,
        /// The column, from 1, where that is known.
        column: Option<u32>,
    },
    /// A number of the request is out of its range.
    #[error("{what} must be {accepted}, not {found}")]
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// Its range.
        accepted: String,
        /// What was asked for.
        found: String,
    },
    /// The shader given as seed or target does not come to an end for some pixel.
    #[error("the shader runs for more than {steps} steps at a pixel; it may loop for ever")]
    Endless {
        /// The limit it ran into.
        steps: u64,
    },
    /// The machine has no thread left to give.
    #[error("no thread could be started: {reason}")]
    Thread {
        /// What the operating system says.
        reason: String,
    },
    /// Cancelled, or out of time, before there was anything to give back.
    #[error("cancelled before the first picture was painted")]
    Cancelled,
}

impl Failure {
    /// Says that it was the target shader that was wrong.
    pub(super) fn of_target(self) -> Self {
        match self {
            Self::Invalid { message, line, column } => {
                Self::Invalid { message: format!("target_shader: {message}"), line, column }
            }
            other @ (Self::OutOfRange { .. } | Self::Endless { .. } | Self::Thread { .. } | Self::Cancelled) => other,
        }
    }
}
