//! Guests of the hub that live in this crate: other protocols at its endpoints, and adapters for other crates. The rest
//! of the hub does not refer to them; the program that runs a hub mounts those that it needs.

pub mod backends;
mod btcp;
mod conversation;
pub mod extension;
pub mod llm;
mod mailbox;
pub mod mcp;
mod original;

pub use backends::Computing;
pub use btcp::BtcpOverHttp;
pub use extension::ExtensionDoor;
pub use llm::PassThrough;
pub use mailbox::MailboxFiles;
pub use mcp::Mcp;
pub use original::OriginalEye;
