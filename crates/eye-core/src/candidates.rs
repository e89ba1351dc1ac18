//! Pages of this hub and of other hubs as candidates for what an agent means.

use crate::candidate::Candidate;
use crate::elsewhere::PageElsewhere;
use crate::ids::Millis;
use crate::session::Session;
use eye_protocol::SessionId;
use eye_protocol::messages::Presence;

impl Candidate for Session {
    fn id(&self) -> &SessionId {
        Session::id(self)
    }
    fn origin(&self) -> &str {
        Session::origin(self)
    }
    fn alias(&self) -> Option<&str> {
        self.info().alias.as_deref()
    }
    fn title(&self) -> Option<&str> {
        self.info().title.as_deref()
    }
    fn url(&self) -> Option<&str> {
        self.info().url.as_deref()
    }
    fn is_frame(&self) -> bool {
        self.info().frame == Some(true)
    }
    fn is_driven(&self) -> bool {
        Session::is_driven(self)
    }
    fn presence(&self) -> Presence {
        Session::presence(self)
    }
    fn is_recalled(&self) -> bool {
        Session::is_recalled(self)
    }
    fn used_at(&self) -> Millis {
        Session::used_at(self)
    }
    fn made_at(&self) -> Millis {
        Session::made_at(self)
    }
    fn name(&self) -> String {
        Session::name(self)
    }
}

impl Candidate for PageElsewhere {
    fn id(&self) -> &SessionId {
        &self.id
    }
    fn origin(&self) -> &str {
        &self.origin
    }
    fn alias(&self) -> Option<&str> {
        self.alias.as_deref()
    }
    fn title(&self) -> Option<&str> {
        Some(&self.title)
    }
    fn url(&self) -> Option<&str> {
        Some(&self.url)
    }
    fn is_frame(&self) -> bool {
        self.frame
    }
    fn is_driven(&self) -> bool {
        false
    }
    fn presence(&self) -> Presence {
        self.presence
    }
    fn is_recalled(&self) -> bool {
        false
    }
    fn used_at(&self) -> Millis {
        self.heard_at
    }
    fn made_at(&self) -> Millis {
        self.heard_at
    }
    fn name(&self) -> String {
        self.name.as_deref().or(self.alias.as_deref()).unwrap_or(self.id.as_str()).to_owned()
    }
}
