//! What is known of a page that an agent may mean.

use crate::ids::Millis;
use eye_protocol::SessionId;
use eye_protocol::messages::Presence;

/// A page that an agent may mean, here or at another hub.
pub trait Candidate {
    /// Its session.
    fn id(&self) -> &SessionId;
    /// The origin that holds the session.
    fn origin(&self) -> &str;
    /// What its author called it.
    fn alias(&self) -> Option<&str>;
    /// Its title.
    fn title(&self) -> Option<&str>;
    /// Its URL.
    fn url(&self) -> Option<&str>;
    /// Whether it is a frame inside another page.
    fn is_frame(&self) -> bool;
    /// Whether it is a document of a tab that the hub drives.
    fn is_driven(&self) -> bool;
    /// Where the page is.
    fn presence(&self) -> Presence;
    /// Whether it is known only from a hub before this one.
    fn is_recalled(&self) -> bool;
    /// When it was last used.
    fn used_at(&self) -> Millis;
    /// When the session was made.
    fn made_at(&self) -> Millis;
    /// What it is called in messages.
    fn name(&self) -> String;
}
