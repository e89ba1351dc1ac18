//! A page that another hub holds.

use eye_core::elsewhere::PageElsewhere;
use eye_protocol::SessionId;
use eye_protocol::messages::Presence;

/// A connected page of the hub `b`.
pub fn page(id: SessionId, origin: &str) -> PageElsewhere {
    PageElsewhere {
        id,
        hub: "b".into(),
        origin: origin.into(),
        name: None,
        alias: None,
        title: "Shop".into(),
        url: format!("{origin}/").into(),
        presence: Presence::Connected,
        visible: true,
        frame: false,
        eval: true,
        tools: 0,
        last_ref: None,
        heard_at: 0,
    }
}
