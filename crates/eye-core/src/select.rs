//! Which page an agent means: by id, by alias, by part of a title or URL, by last use, or the only one there is.

use crate::session::Session;
use eye_protocol::messages::Presence;
use eye_protocol::{Code, Error, SessionId};

/// How many candidates an error names.
const CANDIDATES_SHOWN_MAX: usize = 8;

/// Finds the page that `wanted` names.
pub fn named<'a>(wanted: &str, sessions: impl Iterator<Item = &'a Session> + Clone) -> Result<SessionId, Error> {
    let by_id = sessions.clone().filter(|s| s.id().as_str() == wanted).collect();
    let by_alias = sessions.clone().filter(|s| s.info().alias.as_deref() == Some(wanted)).collect();
    let lower = wanted.to_lowercase();
    let holds = |text: &Option<String>| text.as_ref().is_some_and(|text| text.to_lowercase().contains(&lower));
    let by_part = sessions.clone().filter(|s| holds(&s.info().title) || holds(&s.info().url)).collect();
    for found in [by_id, by_alias, by_part] {
        let found: Vec<&Session> = found;
        let there: Vec<&Session> = found.iter().copied().filter(|s| s.presence() != Presence::Gone).collect();
        // Pages that are there hide those that have gone, and whole pages hide the frames inside them.
        let whole: Vec<&Session> = there.iter().copied().filter(|s| s.info().frame != Some(true)).collect();
        let best = [whole, there, found].into_iter().find(|list| !list.is_empty());
        match best.as_deref() {
            None | Some([]) => {}
            Some([one]) => return Ok(one.id().clone()),
            Some(several) => {
                let message = format!("`{wanted}` fits {} pages: {}", several.len(), candidates(several));
                return Err(Error::new(Code::SESSION, message).hint("name one by its id"));
            }
        }
    }
    let there: Vec<&Session> = sessions.filter(|s| s.presence() != Presence::Gone).collect();
    if there.is_empty() {
        return Err(nobody());
    }
    let message = format!("no page fits `{wanted}`; connected: {}", candidates(&there));
    Err(Error::new(Code::SESSION, message).hint("name one by id, alias, or part of its title or URL"))
}

/// Finds the page of an agent that named none.
pub fn unnamed<'a>(
    last_used: Option<&SessionId>,
    sessions: impl Iterator<Item = &'a Session> + Clone,
) -> Result<SessionId, Error> {
    let mut there: Vec<&Session> =
        sessions.clone().filter(|s| s.presence() != Presence::Gone && s.info().frame != Some(true)).collect();
    if there.iter().any(|s| !s.is_recalled()) {
        // Pages of a hub before this one may be closed long since: they do not stand beside those that are here.
        there.retain(|s| !s.is_recalled());
    }
    if let Some(last) = last_used {
        let known = sessions.clone().find(|s| s.id() == last);
        // A page that has gone for good does not stand in the way of the only one that is there.
        if known.is_some_and(|s| s.presence() != Presence::Gone || there.len() != 1) {
            return Ok(last.clone());
        }
    }
    match there.as_slice() {
        [] => match sessions.filter(|s| s.info().frame != Some(true)).collect::<Vec<_>>().as_slice() {
            [gone] => Ok(gone.id().clone()),
            _ => Err(nobody()),
        },
        [only] => Ok(only.id().clone()),
        several => {
            let message = format!("there are {} pages: {}", several.len(), candidates(several));
            Err(Error::new(Code::SESSION, message).hint("choose one: --page NAME, or `eye use NAME`"))
        }
    }
}

fn nobody() -> Error {
    Error::new(Code::SESSION, "no page is connected")
        .hint("open a page that loads eye.js; `eye status` shows the line to add to it")
}

fn candidates(sessions: &[&Session]) -> String {
    let one = |s: &&Session| {
        let title = s.info().title.as_deref().unwrap_or("");
        let url = s.info().url.as_deref().unwrap_or("");
        format!("{} ({title} {url})", s.name())
    };
    let mut text = sessions.iter().take(CANDIDATES_SHOWN_MAX).map(one).collect::<Vec<_>>().join(", ");
    if sessions.len() > CANDIDATES_SHOWN_MAX {
        text.push_str(", …");
    }
    text
}
