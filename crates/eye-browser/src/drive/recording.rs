//! Records a tab's requests while agents want them, and answers `page/net`.

use super::frames::{Own, params};
use super::net::{Net, Whose};
use super::verbs::{self, RequestBodies};
use crate::cdp::{Event, Session};
use eye_protocol::local::LocalHub;
use eye_protocol::{Code, Error};
use serde::Deserialize;
use serde_json::json;
use std::time::{Duration, Instant};

/// Recording stops when no agent has asked for this long, because it slows the page.
const IDLE: Duration = Duration::from_mins(10);

/// The recorded requests of a tab, and when an agent last asked for them.
#[derive(Debug, Default)]
pub struct Recording(Option<(Net, Instant)>);

impl Recording {
    /// Records an event, or stops recording if no agent has asked for too long.
    pub fn take(&mut self, session: &Session, event: &Event, whose: &dyn Fn(&str) -> Whose) {
        match &mut self.0 {
            Some((net, last)) if last.elapsed() < IDLE => net.take(event, whose),
            Some(_) => self.stop(session),
            None => {}
        }
    }

    /// Stops recording and drops the requests.
    pub fn end(&mut self, session: &Session) {
        if self.0.is_some() {
            self.stop(session);
        }
    }

    fn stop(&mut self, session: &Session) {
        self.0 = None;
        // Fails only if the tab is gone, which records nothing.
        let _ = session.send("Network.disable", &json!({}));
    }

    /// Returns the rows of requests, or one request with the bodies to fetch. Leaves out requests of documents that
    /// agents may not see, and what other origins answered to the page.
    pub fn answer(
        &mut self,
        session: &Session,
        own: &Own,
        hub: &dyn LocalHub,
    ) -> Result<(String, Option<RequestBodies>), Error> {
        #[derive(Deserialize)]
        struct Wanted {
            #[serde(default)]
            agent: String,
            id: Option<String>,
            #[serde(default)]
            all: bool,
            #[serde(default)]
            secrets: bool,
            #[serde(default)]
            off: bool,
            /// The origins that the agent's token covers, set by the hub. Absent: all.
            pages: Option<Vec<String>>,
        }
        let Wanted { agent, id, all, secrets, off, pages } = params(own)?;
        let may = |whose: &Whose| match whose {
            Whose::Origin(origin) => {
                pages.as_ref().is_none_or(|pages| pages.contains(origin)) && hub.denies(origin).is_none()
            }
            Whose::NoOrigin => pages.is_none(),
            Whose::Unknown => false,
        };
        if off {
            self.stop(session);
            return Ok(("requests are not recorded any more".to_owned(), None));
        }
        let (Some((net, last)), id) = (&mut self.0, id) else {
            session.send("Network.enable", &json!({})).map_err(|error| verbs::refusal(&error))?;
            // Requests the existing frames: their origins decide who may see their requests.
            session.note("Page.getFrameTree", &json!({}), 0).map_err(|error| verbs::refusal(&error))?;
            self.0 = Some((Net::default(), Instant::now()));
            let text = "requests are recorded from now on; what loading asks for is there after eye reload";
            return Ok((text.to_owned(), None));
        };
        *last = Instant::now();
        let Some(id) = id else {
            let rows = Some(net.rows(&agent, all, &may)).filter(|rows| !rows.is_empty());
            return Ok((rows.unwrap_or_else(|| "nothing new".to_owned()), None));
        };
        let Some(found) = net.find(&id).filter(|found| may(found.document())) else {
            let text = format!("there is no request {id}; `eye net --all` lists those that are kept");
            return Err(Error::new(Code::PARAMS, text));
        };
        if !may(&found.origin()) {
            let text = format!("{}\n(headers and bodies of this origin are denied to this agent)", found.row());
            return Ok((text, None));
        }
        let bodies = RequestBodies {
            id: found.id.clone(),
            has_body: found.has_body,
            is_answered: found.is_answered(),
            media_type: found.media_type().to_owned(),
        };
        Ok((found.details(secrets), Some(bodies)))
    }
}
