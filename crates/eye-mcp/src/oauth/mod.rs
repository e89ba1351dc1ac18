//! OAuth 2.1 to upstreams: finding the authorization server of an upstream (RFC 9728, RFC 8414), registering with it
//! (RFC 7591), a login in the user's browser (PKCE, RFC 8707, RFC 9207), and tokens that are kept in a file, renewed,
//! and sent to that upstream alone.
//!
//! Knows no MCP and no gateway. It opens no browser: its caller shows the address.

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
