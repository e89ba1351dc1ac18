//! Why a shader cannot be painted or bred.

/// Why a run has no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The shader is not WGSL, or cannot paint a picture.
    #[error("{message}")]
    Invalid {
        /// What is wrong, and what is accepted.
        message: String,
        /// From 1; `None` if unknown.
        line: Option<u32>,
        /// From 1; `None` if unknown.
        column: Option<u32>,
    },
    /// A number of the request is out of its range.
    #[error("{what} must be {accepted}, not {found}")]
    OutOfRange {
        /// The name of the number.
        what: &'static str,
        /// The accepted range.
        accepted: String,
        /// The number in the request.
        found: String,
    },
    /// The seed or target shader takes too many steps at some pixel.
    #[error("the shader runs for more than {steps} steps at a pixel; it may loop for ever")]
    Endless {
        /// The limit that it exceeded.
        steps: u64,
    },
    /// A thread could not be started.
    #[error("no thread could be started: {reason}")]
    Thread {
        /// The message of the operating system.
        reason: String,
    },
    /// Cancelled, or out of time, before there was a result.
    #[error("cancelled before the first picture was painted")]
    Cancelled,
}

impl Failure {
    /// Marks the error as one of the target shader.
    pub(super) fn of_target(self) -> Self {
        match self {
            Self::Invalid { message, line, column } => {
                Self::Invalid { message: format!("target_shader: {message}"), line, column }
            }
            other @ (Self::OutOfRange { .. } | Self::Endless { .. } | Self::Thread { .. } | Self::Cancelled) => other,
        }
    }
}
