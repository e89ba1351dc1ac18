//! Pages of other hubs that are no longer listed: their hub is gone, or they have not come back. Agents find the last
//! state of such a page by the same names as before.

use crate::candidate::Candidate;
use crate::elsewhere::PageElsewhere;
use crate::ids::Millis;
use eye_protocol::SessionId;
use eye_protocol::limits::{GONE_PAGES_MAX, SESSION_KEPT_MS};
use eye_protocol::messages::Presence;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;

/// A page that another hub held.
#[derive(Debug)]
pub(crate) struct GonePage {
    pub page: Arc<PageElsewhere>,
    at: Millis,
}

/// The pages that went last, for [`SESSION_KEPT_MS`]. Beyond [`GONE_PAGES_MAX`] the oldest is forgotten first.
#[derive(Debug, Default)]
pub(crate) struct GonePages {
    pages: FxHashMap<SessionId, GonePage>,
    /// In the order in which they went. A page that went twice also has its older entry.
    order: VecDeque<(Millis, SessionId)>,
}

impl GonePages {
    pub fn note(&mut self, now: Millis, page: Arc<PageElsewhere>) {
        self.order.push_back((now, page.id.clone()));
        self.pages.insert(page.id.clone(), GonePage { page, at: now });
        while let Some((at, _)) = self.order.front()
            && (self.order.len() > GONE_PAGES_MAX || now >= at + SESSION_KEPT_MS)
        {
            let Some((at, session)) = self.order.pop_front() else { break };
            if self.pages.get(&session).is_some_and(|gone| gone.at == at) {
                self.pages.remove(&session);
            }
        }
    }

    pub fn remove(&mut self, session: &SessionId) {
        self.pages.remove(session);
    }

    pub fn get(&self, session: &SessionId) -> Option<&PageElsewhere> {
        self.pages.get(session).map(|gone| &*gone.page)
    }

    pub fn iter(&self, now: Millis) -> impl Iterator<Item = &GonePage> + Clone {
        self.pages.values().filter(move |gone| now < gone.at + SESSION_KEPT_MS)
    }
}

impl Candidate for GonePage {
    fn id(&self) -> &SessionId {
        &self.page.id
    }
    fn origin(&self) -> &str {
        &self.page.origin
    }
    fn alias(&self) -> Option<&str> {
        self.page.alias.as_deref()
    }
    fn title(&self) -> Option<&str> {
        Some(&self.page.title)
    }
    fn url(&self) -> Option<&str> {
        Some(&self.page.url)
    }
    fn is_frame(&self) -> bool {
        self.page.frame
    }
    fn is_driven(&self) -> bool {
        false
    }
    fn presence(&self) -> Presence {
        Presence::Gone
    }
    fn is_recalled(&self) -> bool {
        false
    }
    fn used_at(&self) -> Millis {
        self.page.heard_at
    }
    fn made_at(&self) -> Millis {
        self.page.heard_at
    }
    fn name(&self) -> String {
        let page = &self.page;
        page.name.as_deref().or(page.alias.as_deref()).unwrap_or(page.id.as_str()).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(number: usize) -> Arc<PageElsewhere> {
        Arc::new(PageElsewhere {
            id: SessionId::parse(&format!("s{number}")).unwrap(),
            hub: "b".into(),
            origin: "http://shop.test".into(),
            name: None,
            alias: None,
            title: "".into(),
            url: "".into(),
            presence: Presence::Connected,
            visible: true,
            frame: false,
            eval: true,
            tools: 0,
            last_ref: None,
            heard_at: 0,
        })
    }

    #[test]
    fn so_many_are_remembered_for_an_hour_and_no_more() {
        let mut gone = GonePages::default();
        for number in 0..=GONE_PAGES_MAX {
            gone.note(1, page(number));
        }
        assert_eq!((gone.pages.len(), gone.order.len()), (GONE_PAGES_MAX, GONE_PAGES_MAX));
        assert!(gone.get(&page(0).id).is_none() && gone.get(&page(1).id).is_some());
        assert_eq!(gone.iter(SESSION_KEPT_MS).count(), GONE_PAGES_MAX);
        assert_eq!(gone.iter(SESSION_KEPT_MS + 1).count(), 0);
        gone.note(SESSION_KEPT_MS + 1, page(0));
        assert_eq!((gone.pages.len(), gone.order.len()), (1, 1));
    }
}
