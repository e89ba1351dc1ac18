//! Lists of tools, resources and prompts, page by page.

use super::call::Call;
use super::client::Client;
use super::era::invalid_params;
use super::offers::List;
use crate::RpcError;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The cursor of a list: where the next page begins.
#[derive(Deserialize)]
pub(super) struct Cursor {
    cursor: Option<String>,
}

impl Cursor {
    /// The index of the first item. Cursors are ours, so any other text is an error.
    pub fn start(call: &Call) -> Result<usize, RpcError> {
        let Self { cursor } = call.params()?;
        match cursor {
            None => Ok(0),
            Some(text) => text.parse().map_err(|_| invalid_params(format!("`{text}` is no cursor of this list"))),
        }
    }
}

/// One page of a list, as members of a result.
pub(super) fn page_of(name: &str, all: &[Box<RawValue>], start: usize, len_max: usize) -> String {
    let end = all.len().min(start.saturating_add(len_max));
    let items: Vec<&str> = all.get(start..end).unwrap_or_default().iter().map(|raw| raw.get()).collect();
    let next = if end < all.len() { format!(r#","nextCursor":"{end}""#) } else { String::new() };
    format!(r#""{name}":[{}]{next}"#, items.join(","))
}

/// The embedding program's items of a list.
pub(super) fn provided(client: &Client, list: List) -> Vec<Box<RawValue>> {
    client.shared.offers().map(|offers| offers.list(list)).unwrap_or_default()
}
