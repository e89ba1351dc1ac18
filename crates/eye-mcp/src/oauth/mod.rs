//! OAuth 2.1 for upstreams: discovery of the authorization server (RFC 9728, RFC 8414), registration (RFC 7591), login
//! in the user's browser (PKCE, RFC 8707, RFC 9207), and tokens that are stored in a file, renewed, and sent to that
//! upstream only.
//!
//! Nothing here knows of MCP messages or the gateway. It opens no browser: the caller shows the URL.

mod bearer;
mod challenge;
mod client;
mod discover;
mod error;
mod fetch;
mod grant;
mod landing;
mod login;
mod metadata;
mod tokens;

pub use bearer::Bearer;
pub use challenge::Challenge;
pub use error::OAuthError;
pub use login::{Login, Wanted, logout};
