//! Browsers that eye drives, over the protocol of their developer tools (CDP) as raw JSON.
//!
//! [`pipe`] carries messages, [`cdp`] matches answers to commands and ends every command, [`launch`] starts a browser,
//! [`drive`] makes its tabs pages of the hub, [`extension`] writes the extension for a person's own browser. The crate
//! reads no environment variables, prints nothing, and knows neither the hub nor HTTP servers.

pub mod cdp;
pub mod drive;
mod error;
pub mod extension;
pub mod launch;
mod limits;
mod picture;
pub mod pipe;

pub use error::{BrowserError, CommandError, Dialog};
