//! What a driven page needs of the hub. The hub implements it; neither knows more of the other.

use eye_protocol::Error;
use std::fmt::Debug;
use std::pin::Pin;
use std::sync::Arc;

/// Something that is there later.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The hub, as a transport sees it.
pub trait Hub: Debug + Send + Sync {
    /// A document of a tab joins under the tab's session. `origin` is what the browser says, not the page.
    fn join(&self, session: &str, origin: &str) -> Arc<dyn PageLink>;

    /// Why agents may not see pages of an origin; `None`: they may.
    fn denies(&self, origin: &str) -> Option<Error>;
}

/// A document in the hub, as a WebSocket would be one. Dropping it leaves.
pub trait PageLink: Debug + Send + Sync {
    /// The document says a message. `Err`: it is closed, with a code and a reason.
    fn hear(&self, message: &str) -> Result<(), (u16, String)>;

    /// The document says a binary message.
    fn hear_binary(&self, message: &[u8]) -> Result<(), (u16, String)>;

    /// Whether the document's site is denied to agents: then nothing of what it says may be passed on.
    fn is_barred(&self) -> bool;

    /// The next messages for the document. `Err`: it is closed, with a code and a reason.
    fn next(&self) -> Later<'_, Result<Vec<String>, (u16, String)>>;
}
