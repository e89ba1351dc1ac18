//! Takes the place of a document whose site is denied to agents: reports where the tab is, and navigates it away.

use super::{Doing, Done, Known, Tab};
use crate::cdp::Session;
use crate::drive::frames::{Own, params};
use crate::drive::history::History;
use crate::drive::site::site_of;
use crate::drive::verbs;
use crate::error::CommandError;
use eye_protocol::batch::{self, Element};
use eye_protocol::id::split_call_id;
use eye_protocol::rpc::{self, Message};
use eye_protocol::{Code, Error};
use serde::Deserialize;
use serde_json::json;

/// The number of documents without an origin whose sites are remembered. Browsers keep fewer documents to come back to.
const SANDBOXES_LEN_MAX: usize = 64;

impl Tab {
    /// The hello in place of the document's. It contains only the origin.
    pub(super) fn barred_hello(origin: &str) -> String {
        let page = json!({ "title": "(denied to agents)", "url": origin, "eval": true });
        let hello = json!({ "clientType": "browser", "typed": true, "batch": true, "page": page });
        rpc::request("\"hello\"", "hello", &hello)
    }

    /// The origin of a document. A document without its own origin (a sandbox) counts to the site of its URL, if that
    /// is denied.
    pub(super) fn origin_of(&self, known: &Known) -> String {
        match &known.site {
            None => known.origin.clone(),
            Some(site) if !site.is_empty() && self.hub.denies(site).is_some() => site.clone(),
            Some(_) => "null".to_owned(),
        }
    }

    /// The site of a document without its own origin. A document from the back/forward cache sends its hello before the
    /// browser reports its URL, so sites are remembered by context id.
    pub(super) fn site_of_sandbox(&mut self, origin: &str, context: String) -> Option<String> {
        if !origin.is_empty() && origin != "://" {
            return None;
        }
        let known = self.sandboxes.iter().position(|(name, _)| !name.is_empty() && *name == context);
        let site = match known.and_then(|at| self.sandboxes.remove(at)) {
            Some((_, site)) => site,
            None => site_of(&self.url).unwrap_or_default(),
        };
        if self.sandboxes.len() >= SANDBOXES_LEN_MAX {
            self.sandboxes.pop_front();
        }
        self.sandboxes.push_back((context, site.clone()));
        Some(site)
    }

    /// Handles a message of the hub for a denied document: runs a navigation and rejects everything else.
    pub(super) fn deliver_barred(&mut self, message: &str) {
        let Ok(elements) = batch::parse(message) else { return };
        for element in &elements {
            let (id, method, given) = match element {
                Element::Line(line) => match split_call_id(line, b":") {
                    Some((id, _, _)) => (id.to_owned(), String::new(), String::new()),
                    None => continue,
                },
                Element::Rpc(json) => match rpc::parse_one(json) {
                    Some(Message::Request { id, method, .. }) if method == "ping" => {
                        self.pong(&id);
                        continue;
                    }
                    Some(Message::Request { id, method, params }) => {
                        (id.trim_matches('"').to_owned(), method.into_owned(), params.into_owned())
                    }
                    _ => continue,
                },
            };
            self.lead(Own { id, method, params: given });
        }
    }

    fn lead(&mut self, own: Own) {
        let session = self.session.clone();
        let doing: Doing = match own.method.as_str() {
            "page/close" => Box::pin(std::future::ready(Done::Close(own.id))),
            "page/goto" | "page/back" | "page/forward" | "page/reload" => {
                self.announce(&own.id);
                let here = self.url.clone();
                Box::pin(async move {
                    match go(&session, &own, &here).await {
                        Ok(()) => Done::Nothing,
                        Err(error) => Done::Answer(own.id, Err(error)),
                    }
                })
            }
            // Other calls do not reach this point: the hub refuses them.
            _ => {
                let error = Error::new(Code::DENIED, "this site is denied to agents");
                Box::pin(std::future::ready(Done::Answer(own.id, Err(error))))
            }
        };
        self.doing.push(doing);
    }
}

/// Navigates the tab, as its page would.
async fn go(session: &Session, own: &Own, here: &str) -> Result<(), Error> {
    #[derive(Deserialize)]
    struct To {
        url: String,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Went {
        error_text: Option<String>,
    }
    let failed = |error: CommandError| verbs::refusal(&error);
    match own.method.as_str() {
        "page/goto" => {
            let To { url } = params(own)?;
            let url = if url.starts_with('/') { format!("{}{url}", site_of(here).unwrap_or_default()) } else { url };
            let Went { error_text } = session.ask("Page.navigate", &json!({ "url": url })).await.map_err(failed)?;
            error_text.map_or(Ok(()), |why| Err(Error::new(Code::PARAMS, format!("{url} cannot be loaded: {why}"))))
        }
        "page/reload" => session.command("Page.reload", &json!({})).await.map(drop).map_err(failed),
        method => {
            let history = History::of(session).await.map_err(failed)?;
            let Some(entry) = history.step(method) else {
                return Err(Error::new(Code::PARAMS, "the tab has been nowhere else in that direction"));
            };
            let params = json!({ "entryId": entry.id });
            session.command("Page.navigateToHistoryEntry", &params).await.map(drop).map_err(failed)
        }
    }
}
