//! All errors of commands: one sentence each, the exit code, and the next step.

use crate::certificate::CertificateError;
use crate::exit::Exit;
use eye_hub::HubError;
use eye_mcp::RpcError;
use eye_protocol::limits::FRAME_BYTES_MAX;
use eye_protocol::{Code, Error, Kind};
use std::borrow::Cow;
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The call ended with an error.
    #[error("{}", labelled(.0))]
    Call(#[from] Error),
    /// A bare word that threw, and that resembles a verb.
    #[error("{}", labelled(.error))]
    NearVerb {
        /// The page's error.
        error: Error,
        verb: &'static str,
    },
    /// A tool reported a failure, in its own words.
    #[error("{0}")]
    ToolFailed(String),
    #[error("{message}")]
    Usage {
        message: String,
        /// What to write instead, if the message does not say it.
        hint: Option<String>,
    },
    /// Some results had not arrived in time.
    #[error("still pending: {}", .0.join(", "))]
    Pending(Vec<String>),
    #[error("no answer within {seconds} s")]
    NoReply {
        /// The time waited.
        seconds: u64,
    },
    #[error("no browser was found to open {url}")]
    NoBrowser {
        /// The URL, for the user to open by hand.
        url: String,
    },
    /// A browser was asked to open a page, and no page joined.
    #[error("{url} was opened, but no page joined within {seconds} s")]
    NotJoined {
        url: String,
        /// The time waited, which `--timeout` sets.
        seconds: u64,
    },
    /// No hub runs, and the command does not start one.
    #[error("no hub runs")]
    NoHub,
    #[error("the hub went away before it answered")]
    HubGone,
    /// The hub is connected but does not answer.
    #[error("the hub did not answer in time")]
    HubSilent,
    /// The hub's process is stopped, by a signal or a debugger.
    #[error("the hub, process {pid}, is stopped and answers nothing")]
    HubStopped {
        /// From the credentials of the socket's peer.
        pid: u32,
    },
    #[error("the hub sent what this eye cannot read: {0}")]
    Garbled(String),
    #[error("a hub was started, but none answers on {}", .socket.display())]
    NotReached {
        /// The socket that was tried.
        socket: PathBuf,
        /// The hub's log, if its path is known.
        log: Option<PathBuf>,
    },
    #[error("the hub did not start: {message}")]
    NotStarted {
        message: String,
        hint: Option<String>,
        /// The hub's own exit code.
        exit: Exit,
    },
    #[error("cannot use the socket {}: {source}", .path.display())]
    Socket {
        /// The hub's Unix socket.
        path: PathBuf,
        source: io::Error,
    },
    /// The socket's folder may belong to another user.
    #[error("{} is not safe: {why}", .folder.display())]
    UnsafeFolder {
        folder: PathBuf,
        /// A clause, such as "it is a symbolic link".
        why: &'static str,
    },
    #[error("cannot reach {url}: {why}")]
    Unreachable {
        /// "the hub" if the address is unknown.
        url: String,
        why: String,
    },
    #[error("the token would travel to {url} in the clear")]
    TokenInTheClear {
        /// An address without TLS that is not on this machine.
        url: String,
    },
    /// The hub elsewhere refused the token.
    #[error("{url} refused this agent: {why}")]
    Refused {
        url: String,
        /// The remote hub's reason.
        why: String,
    },
    /// There is no link to a hub elsewhere.
    #[error("{message}")]
    NotConnected {
        message: String,
        hint: Option<String>,
        /// The exit code of this command.
        exit: Exit,
    },
    /// There is a link, but to another hub or by another transport.
    #[error("already connected to {url} by {transport}")]
    Elsewhere {
        url: String,
        /// The transport of the existing link.
        transport: &'static str,
    },
    /// A local hub uses the socket that a link needs.
    #[error("a local hub runs: {what}")]
    HubInTheWay {
        /// The hub's state, such as how many pages it serves.
        what: String,
    },
    /// A hub runs already, with other options than requested.
    #[error("a hub already runs, with {what}")]
    RunsOtherwise {
        /// The running hub's value of the option that differs.
        what: String,
    },
    #[error(transparent)]
    Hub(#[from] HubError),
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    #[error("the code has {bytes} bytes, over the limit of {} MiB", FRAME_BYTES_MAX >> 20)]
    CodeTooLong {
        /// The size of the refused frame or line.
        bytes: usize,
    },
    /// Reading or writing a file or stream failed.
    #[error("cannot {doing}: {source}")]
    Io {
        /// The action that failed, as an infinitive phrase.
        doing: String,
        source: io::Error,
    },
    /// The reader of our output has closed it. Nothing is left to do, and it is not an error.
    #[error("the output has no reader any more")]
    OutputClosed,
}

impl From<eye_client::Error> for Failure {
    fn from(error: eye_client::Error) -> Self {
        use eye_client::Error as Client;
        let hint = error.hint().map(str::to_owned);
        match error {
            Client::Answer(error) => Self::Call(error),
            Client::Disconnected { .. } => Self::HubGone,
            Client::Silent => Self::HubSilent,
            Client::Unreachable { address: url, source } => Self::Unreachable { url, why: source.to_string() },
            Client::Tls(why) => Self::Unreachable { url: "the hub".into(), why },
            Client::Refused { address: url, why } => Self::Refused { url, why },
            Client::TokenInTheClear { address: url } => Self::TokenInTheClear { url },
            Client::TooLong { bytes } => Self::CodeTooLong { bytes },
            Client::Garbled(why) => Self::Garbled(why),
            error @ (Client::Address { .. } | Client::Token | Client::Tool { .. }) => {
                Self::Usage { message: error.to_string(), hint }
            }
        }
    }
}

impl Failure {
    /// Converts an error of the gateway, with its hint.
    pub fn of_rpc(error: RpcError) -> Self {
        let code = i32::try_from(error.code).map_or(Code::INTERNAL, Code);
        let hint = error.hint();
        let without_hint = Error::new(code, error.message);
        Self::Call(match hint {
            Some(hint) => without_hint.hint(hint),
            None => without_hint,
        })
    }

    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: Some(hint.into()) }
    }

    /// Wraps an I/O error with the action that failed.
    pub fn io(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Io { doing, source }
    }

    pub fn exit(&self) -> Exit {
        match self {
            Self::Call(error) | Self::NearVerb { error, .. } => exit_of_call(error),
            Self::Usage { .. }
            | Self::CodeTooLong { .. }
            | Self::RunsOtherwise { .. }
            | Self::Elsewhere { .. }
            | Self::HubInTheWay { .. } => Exit::Usage,
            Self::Io { .. } | Self::ToolFailed(_) => Exit::Threw,
            Self::Pending(_)
            | Self::HubSilent
            | Self::HubStopped { .. }
            | Self::NoReply { .. }
            | Self::NotJoined { .. } => Exit::Timeout,
            Self::NoHub
            | Self::HubGone
            | Self::Garbled(_)
            | Self::NotReached { .. }
            | Self::NoBrowser { .. }
            | Self::Socket { .. }
            | Self::Unreachable { .. } => Exit::Absent,
            Self::NotStarted { exit, .. } | Self::NotConnected { exit, .. } => *exit,
            Self::UnsafeFolder { .. } | Self::Refused { .. } | Self::TokenInTheClear { .. } => Exit::Denied,
            Self::Hub(error) => exit_of_hub(error),
            Self::Certificate(error) => exit_of_certificate(error),
            Self::OutputClosed => Exit::Success,
        }
    }

    pub fn hint(&self) -> Option<Cow<'_, str>> {
        let text: Cow<'_, str> = match self {
            Self::Call(error) => return error.hint.as_deref().map(Cow::from),
            Self::NearVerb { verb, .. } => format!("did you mean eye {verb}?").into(),
            Self::Usage { hint, .. } | Self::NotStarted { hint, .. } | Self::NotConnected { hint, .. } => {
                return hint.as_deref().map(Cow::from);
            }
            Self::Pending(ids) => format!("ask again with eye collect {}", ids.join(" ")).into(),
            Self::NoReply { .. } => "see who listens: a page answers with eye.respond(message, response)".into(),
            Self::NoBrowser { .. } => "open it yourself, or name a browser in BROWSER".into(),
            Self::NotJoined { url, .. } => {
                format!("it must load eye.js (eye join says how); eye doctor {url} finds what is in the way").into()
            }
            Self::NoHub => "start one with eye up".into(),
            Self::HubGone => "the code may have run; look before asking again (the next call starts a hub)".into(),
            Self::HubSilent => "look with eye status; if it hangs too, end the hub's process".into(),
            Self::HubStopped { pid } => {
                format!("let it go on with kill -CONT {pid}, or end it with kill -9 {pid}: the next call starts a hub")
                    .into()
            }
            Self::Garbled(_) => "the hub may be of another version: eye down, then ask again".into(),
            Self::NotReached { log, .. } => format!("see {}", log.as_ref()?.display()).into(),
            Self::Socket { .. } => "name another with EYE_SOCKET".into(),
            Self::UnsafeFolder { folder, .. } => {
                format!("remove {} if it is not yours, or set XDG_RUNTIME_DIR or EYE_SOCKET", folder.display()).into()
            }
            Self::Unreachable { .. } => {
                "check the address, and that a hub listens there; a private certificate goes into SSL_CERT_FILE".into()
            }
            Self::TokenInTheClear { .. } => {
                "use wss:// or https://, or forward the port to this machine: ssh -L 8765:localhost:8765 HOST".into()
            }
            Self::Refused { .. } => "set EYE_TOKEN to what `eye token show` prints on the hub's machine".into(),
            Self::Elsewhere { .. } => "end that first: eye disconnect".into(),
            Self::HubInTheWay { .. } | Self::RunsOtherwise { .. } => "stop it first: eye down".into(),
            Self::Hub(error) => return hint_of_hub(error).map(Cow::from),
            Self::Certificate(error) => return hint_of_certificate(error).map(Cow::from),
            Self::CodeTooLong { .. } | Self::Io { .. } | Self::ToolFailed(_) | Self::OutputClosed => return None,
        };
        Some(text)
    }
}

/// Marks a page's error as the page's, so that its text cannot pass for ours.
fn labelled(error: &Error) -> Cow<'_, str> {
    match error.kind {
        Kind::Page => format!("page: {}", error.message).into(),
        Kind::Own | Kind::Unconfirmed | Kind::TooOften { .. } => error.message.as_str().into(),
    }
}

/// A page cannot choose the exit code: its errors are failures or timeouts.
fn exit_of_call(error: &Error) -> Exit {
    match (error.kind, error.code) {
        (Kind::Page, Code::TIMEOUT) => Exit::Timeout,
        (Kind::Page, _) => Exit::Threw,
        (Kind::Own | Kind::Unconfirmed | Kind::TooOften { .. }, code) => Exit::of(code),
    }
}

fn exit_of_hub(error: &HubError) -> Exit {
    match error {
        HubError::Exposed { .. } | HubError::Tls(_) => Exit::Usage,
        HubError::UnsafeSocketPath { .. } => Exit::Denied,
        HubError::Running { .. } | HubError::PortTaken { .. } | HubError::Io { .. } => Exit::Absent,
    }
}

fn exit_of_certificate(error: &CertificateError) -> Exit {
    match error {
        CertificateError::Missing | CertificateError::Broken { .. } | CertificateError::NotAName(_) => Exit::Usage,
        CertificateError::Io { .. } | CertificateError::NotMade(_) => Exit::Threw,
    }
}

fn hint_of_certificate(error: &CertificateError) -> Option<&'static str> {
    match error {
        CertificateError::Missing => Some("make one with eye tls, or name your own with --tls-cert and --tls-key"),
        CertificateError::Broken { .. } | CertificateError::NotMade(_) => Some("begin anew with eye tls --new"),
        CertificateError::NotAName(_) => Some("write it as box.local or 192.168.1.5"),
        CertificateError::Io { .. } => None,
    }
}

/// Hints for hub errors. Errors whose next step depends on details carry a hint of their own.
fn hint_of_hub(error: &HubError) -> Option<&'static str> {
    match error {
        HubError::Running { .. } => Some("see eye status, or stop it with eye down"),
        HubError::PortTaken { .. } => Some("stop that, or take another port with --port N or EYE_PORT"),
        HubError::Tls(_) => Some(
            "--tls-cert and --tls-key take two PEM files that belong together; eye tls makes such a pair, for eye up --tls",
        ),
        HubError::Exposed { .. } | HubError::UnsafeSocketPath { .. } | HubError::Io { .. } => None,
    }
}
