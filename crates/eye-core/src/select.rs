//! Which page an agent means: by id, by alias, by part of a title or URL, by last use, or the only one there is.

use crate::agent::UsedPage;
use crate::candidate::Candidate;
use eye_protocol::error::NO_PAGE;
use eye_protocol::messages::Presence;
use eye_protocol::{Code, Error, SessionId};

/// How many candidates an error names.
const CANDIDATES_SHOWN_MAX: usize = 8;

/// Finds the page that `wanted` names: by its id, by its origin, or else by alias or part of a title or URL. Pages
/// choose their own ids, aliases and titles, so if pages of several origins fit, the agent has to say which it means.
/// Of several pages of one origin, the one with this alias is meant, then one with this title, then the one used last.
pub fn named<'a>(wanted: &str, sessions: impl Iterator<Item = &'a dyn Candidate> + Clone) -> Result<SessionId, Error> {
    named_surely(wanted, sessions).map(|(session, _)| session)
}

/// The same, and whether the page is meant however the pages are used.
pub fn named_surely<'a>(
    wanted: &str,
    sessions: impl Iterator<Item = &'a dyn Candidate> + Clone,
) -> Result<(SessionId, bool), Error> {
    let lower = wanted.to_lowercase();
    let holds = |text: Option<&str>| text.is_some_and(|text| holds_in_any_case(text, &lower));
    let is_alias = |s: &dyn Candidate| s.alias() == Some(wanted);
    let is_origin = |s: &dyn Candidate| s.origin() == wanted.trim_end_matches('/');
    let is_id = |s: &dyn Candidate| s.id().as_str() == wanted;
    let (mut has_id, mut by_id, mut by_origin, mut by_words) = (false, Vec::new(), Vec::new(), Vec::new());
    // Once for everything: there may be many pages, each in a place of its own in memory.
    for s in sessions.clone() {
        let (id, alias) = (is_id(s), is_alias(s));
        has_id |= id;
        if id || alias {
            by_id.push(s);
        }
        if is_origin(s) {
            by_origin.push(s);
        }
        if alias || holds(s.title()) || holds(s.url()) {
            by_words.push(s);
        }
    }
    if !has_id {
        by_id.clear();
    }
    for found in [by_id, by_origin, by_words] {
        let mut there: Vec<&dyn Candidate> = found.iter().copied().filter(|s| s.presence() != Presence::Gone).collect();
        if there.iter().any(|s| !s.is_recalled()) {
            there.retain(|s| !s.is_recalled());
        }
        // Pages that are there hide those that have gone or are known only from the hub's earlier run, and whole pages
        // hide the frames inside them.
        let pages: Vec<&dyn Candidate> = there.iter().copied().filter(|s| !s.is_frame()).collect();
        let Some(best) = [pages, there, found].into_iter().find(|list| !list.is_empty()) else { continue };
        if best.iter().any(|s| s.origin() != best[0].origin()) {
            let message = format!("`{wanted}` fits pages of several origins: {}", candidates(&best));
            return Err(Error::new(Code::SESSION, message).hint(choices(&best)));
        }
        // A title is what a person calls a page; a part of its URL may be in every URL of the site.
        let title =
            |s: &dyn Candidate| (s.title().is_some_and(|title| title.to_lowercase() == lower), holds(s.title()));
        let fits = |s: &dyn Candidate| (is_id(s), is_alias(s), title(s));
        let meant = *best.iter().max_by_key(|s| (fits(**s), s.used_at(), s.made_at(), s.id())).unwrap_or(&best[0]);
        let sure = best.iter().filter(|s| fits(**s) == fits(meant)).count() == 1;
        return Ok((meant.id().clone(), sure));
    }
    let there: Vec<&dyn Candidate> = sessions.filter(|s| s.presence() != Presence::Gone).collect();
    if there.is_empty() {
        return Err(no_page());
    }
    let message = format!("no page fits `{wanted}`; connected: {}", candidates(&there));
    Err(Error::new(Code::SESSION, message).hint("name one by id, alias, origin, or part of its title or URL"))
}

/// Whether a text contains another one, which is in lower case. It copies no ASCII text, and nearly all titles and URLs
/// are ASCII.
pub fn holds_in_any_case(text: &str, lower: &str) -> bool {
    if !text.is_ascii() {
        return text.to_lowercase().contains(lower);
    }
    let lower = lower.as_bytes();
    lower.is_empty() || text.as_bytes().windows(lower.len()).any(|part| part.eq_ignore_ascii_case(lower))
}

/// The refusal when the target of an agent's connection means a page of another origin now.
pub fn another_origin(target: &str, held: &dyn Candidate) -> Error {
    let message = format!("the page `{target}` is gone; what is called so now is of another origin, {}", held.origin());
    Error::new(Code::SESSION, message).hint("choose a page: `eye pages`")
}

/// Finds the page of an agent that named none.
pub fn unnamed<'a>(
    last_used: Option<&UsedPage>,
    sessions: impl Iterator<Item = &'a dyn Candidate> + Clone,
) -> Result<SessionId, Error> {
    let mut there: Vec<&dyn Candidate> =
        sessions.clone().filter(|s| s.presence() != Presence::Gone && !s.is_frame()).collect();
    if there.iter().any(|s| !s.is_recalled()) {
        // Pages of the hub's earlier run may have been closed long ago, so they do not count beside pages that are
        // here.
        there.retain(|s| !s.is_recalled());
    }
    if let Some(last) = last_used {
        let known = sessions.clone().find(|s| last.is(*s));
        match known {
            // If no other page is there, the refusal of the call says how long this one has been gone.
            Some(known) if known.presence() != Presence::Gone || there.is_empty() => return Ok(known.id().clone()),
            None if there.is_empty() => return Err(no_page()),
            // To act in another page without being told to would be a wrong answer.
            _ => {
                let gone = known.map_or_else(|| last.session.to_string(), |known| candidates(&[known]));
                let message = format!("the page used last is gone: {gone}; connected: {}", candidates(&there));
                return Err(Error::new(Code::SESSION, message).hint(choices(&there)));
            }
        }
    }
    match there.as_slice() {
        [] => match sessions.filter(|s| !s.is_frame()).collect::<Vec<_>>().as_slice() {
            [gone] => Ok(gone.id().clone()),
            _ => Err(no_page()),
        },
        [only] => Ok(only.id().clone()),
        several => {
            let message = format!("there are {} pages: {}", several.len(), candidates(several));
            Err(Error::new(Code::SESSION, message).hint(choices(several)))
        }
    }
}

/// The refusal when an agent named no page, and not all pages are listed here.
pub fn unlisted() -> Error {
    let message = "there are more pages than this hub lists";
    Error::new(Code::SESSION, message).hint("choose one: --page ID, or `eye use ID`")
}

fn no_page() -> Error {
    Error::new(Code::SESSION, NO_PAGE).hint("open a page that loads eye.js; `eye status` shows the line to add to it")
}

/// How to choose one of the pages, for good or for one call. An id that is another page's alias would choose none.
fn choices(sessions: &[&dyn Candidate]) -> String {
    let is_taken = |id: &SessionId| {
        let mut others = sessions.iter().filter(|other| other.id() != id);
        others.any(|other| other.alias() == Some(id.as_str()))
    };
    let choice = |s: &&dyn Candidate| if is_taken(s.id()) { s.origin().to_owned() } else { s.id().to_string() };
    let pages = sessions.iter().take(CANDIDATES_SHOWN_MAX).map(|s| format!("--page {}", choice(s)));
    format!("choose one: {}, or `eye use ID`", pages.collect::<Vec<_>>().join(" or "))
}

fn candidates(sessions: &[&dyn Candidate]) -> String {
    let one = |s: &&dyn Candidate| {
        let title = s.title().unwrap_or("");
        let url = s.url().unwrap_or("");
        format!("{} ({title} {url})", s.name())
    };
    let mut text = sessions.iter().take(CANDIDATES_SHOWN_MAX).map(one).collect::<Vec<_>>().join(", ");
    if sessions.len() > CANDIDATES_SHOWN_MAX {
        text.push_str(", …");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::holds_in_any_case;

    #[test]
    fn a_text_is_found_in_any_case_with_and_without_letters_beyond_ascii() {
        for (text, lower, is_held) in [
            ("My Shop", "shop", true),
            ("My Shop", "shops", false),
            ("My Shop", "", true),
            ("", "s", false),
            ("MÜNCHEN", "münchen", true),
            ("Munchen", "münchen", false),
            ("STRASSE", "straße", false),
            ("İstanbul", "stanbul", true),
        ] {
            assert_eq!(holds_in_any_case(text, lower), is_held, "{lower} in {text}");
        }
    }
}
