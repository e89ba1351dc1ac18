//! The facts of a page by which the page that an agent means is chosen.

use crate::ids::Millis;
use eye_protocol::SessionId;
use eye_protocol::messages::Presence;

/// A page that an agent may mean, here or at another hub.
pub trait Candidate {
    fn id(&self) -> &SessionId;
    /// The origin that holds the session.
    fn origin(&self) -> &str;
    /// The name that the page's author gave it.
    fn alias(&self) -> Option<&str>;
    fn title(&self) -> Option<&str>;
    fn url(&self) -> Option<&str>;
    /// Whether it is a frame inside another page.
    fn is_frame(&self) -> bool;
    /// Whether it is a document of a tab that the hub drives.
    fn is_driven(&self) -> bool;
    fn presence(&self) -> Presence;
    /// Whether the page is known only from an earlier run of this hub.
    fn is_recalled(&self) -> bool;
    fn used_at(&self) -> Millis;
    fn made_at(&self) -> Millis;
    /// The name used in messages to agents.
    fn name(&self) -> String;
}
