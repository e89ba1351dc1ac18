//! The exit codes of the process. The numbers are part of the interface; `--help` lists them.

use eye_protocol::Code;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Success,
    /// The page's code threw, or the call failed with another error.
    Threw,
    /// The command line is wrong.
    Usage,
    /// No hub, or no page.
    Absent,
    Denied,
    Timeout,
    Interrupted,
}

/// Every exit with what it means, for `--help`.
pub const TABLE: [(Exit, &str); 7] = [
    (Exit::Success, "it went well"),
    (Exit::Threw, "the page's code threw, or its tool failed"),
    (Exit::Usage, "usage"),
    (Exit::Absent, "no hub or no page"),
    (Exit::Denied, "not allowed"),
    (Exit::Timeout, "timeout"),
    (Exit::Interrupted, "interrupted"),
];

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Threw => 1,
            Self::Usage => 2,
            Self::Absent => 3,
            Self::Denied => 4,
            Self::Timeout => 124,
            Self::Interrupted => 130,
        }
    }

    /// The inverse of [`Self::code`], for the exit code of a child process.
    pub fn from_code(code: u8) -> Option<Self> {
        TABLE.iter().map(|(exit, _)| *exit).find(|exit| exit.code() == code)
    }

    /// The exit for an error of a call.
    pub fn of(code: Code) -> Self {
        match code {
            Code::CONNECTION | Code::SESSION => Self::Absent,
            Code::TIMEOUT => Self::Timeout,
            Code::DENIED => Self::Denied,
            // Arguments that do not fit a tool's schema are a wrong command line.
            Code::SCHEMA => Self::Usage,
            Code::CANCELLED => Self::Interrupted,
            _ => Self::Threw,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_calls_have_their_exit_codes() {
        for (code, want) in [
            (Code::THREW, 1),
            (Code::INTERNAL, 1),
            (Code(-1), 1),
            (Code::CONNECTION, 3),
            (Code::SESSION, 3),
            (Code::DENIED, 4),
            (Code::TOOL, 1),
            (Code::SCHEMA, 2),
            (Code::TIMEOUT, 124),
            (Code::CANCELLED, 130),
        ] {
            assert_eq!(Exit::of(code).code(), want, "{code:?}");
        }
    }

    #[test]
    fn every_exit_is_found_by_its_number() {
        for (exit, _) in TABLE {
            assert_eq!(Exit::from_code(exit.code()), Some(exit));
        }
        assert_eq!(Exit::from_code(77), None);
    }
}
