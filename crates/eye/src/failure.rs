//! Everything that can end a command badly: one sentence, the exit it leads to, and the next step.

use crate::certificate::CertificateError;
use crate::exit::Exit;
use eye_hub::HubError;
use eye_mcp::RpcError;
use eye_protocol::limits::FRAME_BYTES_MAX;
use eye_protocol::{Code, Error, Kind};
use std::borrow::Cow;
use std::io;
use std::path::PathBuf;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The call came to an error.
    #[error("{}", labelled(.0))]
    Call(#[from] Error),
    /// A bare word that threw, and that is nearly a verb.
    #[error("{}", labelled(.error))]
    NearVerb {
        /// What the page said.
        error: Error,
        /// The verb.
        verb: &'static str,
    },
    /// A tool says that it failed, in its own words.
    #[error("{0}")]
    ToolFailed(String),
    /// The command line makes no sense.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to write instead.
        hint: Option<String>,
    },
    /// Some results were not there in time.
    #[error("still pending: {}", .0.join(", "))]
    Pending(Vec<String>),
    /// A request over topics got no response.
    #[error("no answer within {seconds} s")]
    NoReply {
        /// How long was waited.
        seconds: u64,
    },
    /// There is no browser to open a URL in.
    #[error("no browser was found to open {url}")]
    NoBrowser {
        /// Which.
        url: String,
    },
    /// A browser was told to open a page, and none joined.
    #[error("{url} was opened, but no page joined within {seconds} s")]
    NotJoined {
        /// Which.
        url: String,
        /// How long was waited.
        seconds: u64,
    },
    /// The hub is known to be absent.
    #[error("no hub runs")]
    NoHub,
    /// The connection ended in the middle of a call.
    #[error("the hub went away before it answered")]
    HubGone,
    /// The hub is there but says nothing.
    #[error("the hub did not answer in time")]
    HubSilent,
    /// The hub's process does not run.
    #[error("the hub, process {pid}, is stopped and answers nothing")]
    HubStopped {
        /// Which process.
        pid: u32,
    },
    /// The hub sent what cannot be read.
    #[error("the hub sent what this eye cannot read: {0}")]
    Garbled(String),
    /// A hub was started, and still none answers.
    #[error("a hub was started, but none answers on {}", .socket.display())]
    NotReached {
        /// Where it should.
        socket: PathBuf,
        /// Where it writes what went wrong, if that is known.
        log: Option<PathBuf>,
    },
    /// A started hub did not come up.
    #[error("the hub did not start: {message}")]
    NotStarted {
        /// What it said.
        message: String,
        /// What it said to do.
        hint: Option<String>,
        /// How it ended.
        exit: Exit,
    },
    /// The socket cannot be used.
    #[error("cannot use the socket {}: {source}", .path.display())]
    Socket {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folder of the socket might be another user's.
    #[error("{} is not safe: {why}", .folder.display())]
    UnsafeFolder {
        /// Which.
        folder: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A hub elsewhere cannot be reached.
    #[error("cannot reach {url}: {why}")]
    Unreachable {
        /// Where.
        url: String,
        /// What happened.
        why: String,
    },
    /// A token would be sent unencrypted to another machine.
    #[error("the token would travel to {url} in the clear")]
    TokenInTheClear {
        /// Where.
        url: String,
    },
    /// A hub elsewhere wants another token.
    #[error("{url} refused this agent: {why}")]
    Refused {
        /// Where.
        url: String,
        /// What it said.
        why: String,
    },
    /// No link to a hub elsewhere.
    #[error("{message}")]
    NotConnected {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: Option<String>,
        /// How it ends.
        exit: Exit,
    },
    /// There is a link, and not to where it should be.
    #[error("already connected to {url} by {transport}")]
    Elsewhere {
        /// Where to.
        url: String,
        /// How.
        transport: &'static str,
    },
    /// A local hub has the socket that a link needs.
    #[error("a local hub runs: {what}")]
    HubInTheWay {
        /// What it does.
        what: String,
    },
    /// A hub runs already, and not as asked.
    #[error("a hub already runs, with {what}")]
    RunsOtherwise {
        /// What is different.
        what: String,
    },
    /// The hub that runs here could not start, or stopped.
    #[error(transparent)]
    Hub(#[from] HubError),
    /// The certificate of this machine cannot be used or made.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// Code over the limit.
    #[error("the code has {bytes} bytes, over the limit of {} MiB", FRAME_BYTES_MAX >> 20)]
    CodeTooLong {
        /// How long it is.
        bytes: usize,
    },
    /// A file or stream of this machine.
    #[error("cannot {doing}: {source}")]
    Io {
        /// What was being done.
        doing: String,
        /// What the system said.
        source: io::Error,
    },
    /// The reader of our output has gone: there is nothing more to do, and it is no error.
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
    /// An error of the gateway, with its hint.
    pub fn of_rpc(error: RpcError) -> Self {
        let code = i32::try_from(error.code).map_or(Code::INTERNAL, Code);
        let hint = error.hint();
        let told = Error::new(code, error.message);
        Self::Call(match hint {
            Some(hint) => told.hint(hint),
            None => told,
        })
    }

    /// A mistake on the command line, and what to write instead.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: Some(hint.into()) }
    }

    /// Names what was being done when the system said no.
    pub fn io(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Io { doing, source }
    }

    /// How the process ends.
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

    /// The next step, where there is one.
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

/// An error in a page's words says so.
fn labelled(error: &Error) -> Cow<'_, str> {
    match error.kind {
        Kind::Page => format!("page: {}", error.message).into(),
        Kind::Own | Kind::Unconfirmed | Kind::TooOften { .. } => error.message.as_str().into(),
    }
}

/// A page cannot choose how the process ends: its errors are failures or timeouts.
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
        HubError::UnsafePlace { .. } => Exit::Denied,
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

/// The hub's own words name the next step where it depends on what is wrong; here is the rest.
fn hint_of_hub(error: &HubError) -> Option<&'static str> {
    match error {
        HubError::Running { .. } => Some("see eye status, or stop it with eye down"),
        HubError::PortTaken { .. } => Some("stop that, or take another port with --port N or EYE_PORT"),
        HubError::Tls(_) => Some(
            "--tls-cert and --tls-key take two PEM files that belong together; eye tls makes such a pair, for eye up --tls",
        ),
        HubError::Exposed { .. } | HubError::UnsafePlace { .. } | HubError::Io { .. } => None,
    }
}
