//! The errors between a server, its authorization server and the user, with the next step for each.

use std::io;

#[derive(Debug, thiserror::Error)]
pub enum OAuthError {
    #[error("{url} cannot be reached: {why}")]
    Unreached { url: String, why: String },
    #[error("{url} answered {status}")]
    Status { url: String, status: u16 },
    #[error("the answer of {url} is not the expected JSON: {why}")]
    Malformed { url: String, why: String },
    #[error("{0} is not https: a token would travel in the clear")]
    Insecure(String),
    #[error("a server elsewhere names {0}, which is on this machine")]
    Loopback(String),
    #[error("`{0}` is not a URL")]
    NotUrl(String),
    #[error("{0} does not ask for a login")]
    NotProtected(String),
    #[error("the metadata at {at} is of {found}, not of {wanted}")]
    OtherResource { at: String, found: String, wanted: String },
    #[error("the metadata at {at} is of the issuer {found}, not of {wanted}")]
    OtherIssuer { at: String, found: String, wanted: String },
    #[error("no metadata of the authorization server {0} was found")]
    NoServer(String),
    #[error("the authorization server {0} does not offer PKCE with S256")]
    NoPkce(String),
    #[error("the authorization server {0} does not register clients by itself")]
    NoRegistration(String),
    #[error("the authorization server {issuer} refused: {error}")]
    Refused { issuer: String, error: String },
    #[error("the answer to the login came from the issuer {found}, not from {wanted}")]
    MixedUp { found: String, wanted: String },
    #[error("no answer to the login came within {0} s")]
    TooLate(u64),
    #[error("another login of this server is under way")]
    Busy,
    #[error("cannot {doing}: {source}")]
    Io { doing: String, source: io::Error },
}

impl OAuthError {
    pub(super) fn io(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Io { doing, source }
    }

    /// The next step.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unreached { .. } | Self::Status { .. } | Self::Malformed { .. } => {
                "try again later; if it stays so, tell those who run the server"
            }
            Self::Insecure(_) => "reach the server over https, or through a tunnel that ends on this machine",
            Self::NotUrl(_) => "look at the server's `url` in its config",
            Self::NotProtected(_) => {
                "if it wants a token all the same, give it one: `headers: { Authorization: \"Bearer ${TOKEN}\" }`"
            }
            Self::Loopback(_)
            | Self::OtherResource { .. }
            | Self::OtherIssuer { .. }
            | Self::MixedUp { .. }
            | Self::NoServer(_)
            | Self::NoPkce(_) => "nothing was sent to it; tell those who run the server",
            Self::NoRegistration(_) => "register a client there yourself, and name it with --client-id and --port",
            Self::Refused { .. } => "log in again, and allow what is asked for",
            Self::TooLate(_) => "log in again; the address works once and for a while",
            Self::Busy => "end that one with Ctrl-C, or finish it in the browser",
            Self::Io { .. } => "look at the folder and its rights",
        }
    }
}
