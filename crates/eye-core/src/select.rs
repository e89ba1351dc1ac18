//! Which page an agent means: by id, by alias, by part of a title or URL, by last use, or the only one there is.

use crate::session::Session;
use eye_protocol::messages::Presence;
use eye_protocol::{Code, Error, SessionId};

/// How many candidates an error names.
const CANDIDATES_SHOWN_MAX: usize = 8;
/// How many of them its hint spells out.
const CHOICES_SHOWN_MAX: usize = 3;

/// Finds the page that `wanted` names: by its id, or else by alias, origin, or part of a title or URL. Pages say their own
/// aliases and titles, so none of these beats another across origins: then the agent has to say which it means.
pub fn named<'a>(wanted: &str, sessions: impl Iterator<Item = &'a Session> + Clone) -> Result<SessionId, Error> {
    let lower = wanted.to_lowercase();
    let holds = |text: &Option<String>| text.as_ref().is_some_and(|text| text.to_lowercase().contains(&lower));
    let is_alias = |s: &Session| s.info().alias.as_deref() == Some(wanted);
    let is_origin = |s: &Session| s.origin() == wanted.trim_end_matches('/');
    let by_id: Vec<&Session> = sessions.clone().filter(|s| s.id().as_str() == wanted).collect();
    let by_words: Vec<&Session> = sessions
        .clone()
        .filter(|s| is_alias(s) || is_origin(s) || holds(&s.info().title) || holds(&s.info().url))
        .collect();
    for found in [by_id, by_words] {
        let mut there: Vec<&Session> = found.iter().copied().filter(|s| s.presence() != Presence::Gone).collect();
        if there.iter().any(|s| !s.is_recalled()) {
            there.retain(|s| !s.is_recalled());
        }
        // Pages that are there hide those that have gone or are known only from a hub before this one, and whole pages hide
        // the frames inside them.
        let whole: Vec<&Session> = there.iter().copied().filter(|s| s.info().frame != Some(true)).collect();
        let Some(best) = [whole, there, found].into_iter().find(|list| !list.is_empty()) else { continue };
        if best.iter().any(|s| s.origin() != best[0].origin()) {
            let message = format!("`{wanted}` fits pages of several origins: {}", candidates(&best));
            return Err(Error::new(Code::SESSION, message).hint(choices(&best)));
        }
        let aliased: Vec<&Session> = best.iter().copied().filter(|s| is_alias(s)).collect();
        match (aliased.as_slice(), best.as_slice()) {
            ([one], _) | (_, [one]) => return Ok(one.id().clone()),
            _ => {
                let message = format!("`{wanted}` fits {} pages: {}", best.len(), candidates(&best));
                return Err(Error::new(Code::SESSION, message).hint(choices(&best)));
            }
        }
    }
    let there: Vec<&Session> = sessions.filter(|s| s.presence() != Presence::Gone).collect();
    if there.is_empty() {
        return Err(nobody());
    }
    let message = format!("no page fits `{wanted}`; connected: {}", candidates(&there));
    Err(Error::new(Code::SESSION, message).hint("name one by id, alias, origin, or part of its title or URL"))
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
        match known {
            // Alone, it says itself how long it has been gone.
            Some(known) if known.presence() != Presence::Gone || there.is_empty() => return Ok(last.clone()),
            None if there.is_empty() => return Err(nobody()),
            // Another page is another page: acting there by itself would be a wrong answer.
            _ => {
                let gone = known.map_or_else(|| last.to_string(), |known| candidates(&[known]));
                let message = format!("the page used last is gone: {gone}; connected: {}", candidates(&there));
                return Err(Error::new(Code::SESSION, message).hint(choices(&there)));
            }
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
            Err(Error::new(Code::SESSION, message).hint(choices(several)))
        }
    }
}

fn nobody() -> Error {
    Error::new(Code::SESSION, "no page is connected")
        .hint("open a page that loads eye.js; `eye status` shows the line to add to it")
}

/// How to choose one of them, for good or for one call.
fn choices(sessions: &[&Session]) -> String {
    let pages: Vec<String> = sessions.iter().take(CHOICES_SHOWN_MAX).map(|s| format!("--page {}", s.id())).collect();
    format!("choose one: {}, or `eye use ID`", pages.join(" or "))
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
