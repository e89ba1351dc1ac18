//! The catalogue of everything callable: search by words or JSONPath, and resolution of names. Pure: no I/O.

mod document;
mod entry;
mod error;
mod fields;
mod line;
mod names;
mod path;
mod ranking;
mod stems;
mod synonyms;
mod words;

pub use document::Provider;
pub use entry::{Entry, OWN, Standing};
pub use error::{DiscoverError, Unresolved};
pub use line::{is_hidden, shown};
pub use names::{prefixed, qualified};
pub use path::select;

use crate::limits::{ANSWERS_MAX, QUERY_BYTES_MAX};
use ranking::Ranking;
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// Similar or ambiguous names that an error lists.
const NAMES_SHOWN_MAX: usize = 5;
/// Results that show the first sentence of their description; the ones after them are signatures only.
const DESCRIBED_MAX: usize = 5;

/// Everything callable. The indexes for searching are built on first use.
#[derive(Debug, Default)]
pub struct Catalogue {
    entries: Vec<Arc<Entry>>,
    providers: Vec<Provider>,
    pages: Vec<Value>,
    /// Indexes into `entries`, by bare name.
    by_name: HashMap<Box<str>, Vec<u32>>,
    by_prefixed: OnceLock<HashMap<String, u32>>,
    ranking: OnceLock<Ranking>,
    document: OnceLock<Value>,
}

/// The result of a query.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Discovered {
    #[serde(flatten)]
    pub found: Found,
    /// The number of tools in the catalogue; the sparse list shows none of them.
    pub hidden: usize,
    /// The number of their providers.
    pub servers: usize,
    /// The server of the best match and its instructions, if it has some.
    #[serde(skip)]
    pub instructions: Option<(String, String)>,
    /// One line for each provider that is starting or down.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Found {
    /// For words: one line per tool, ready to call, best first.
    Tools {
        lines: Vec<String>,
        /// The number of further matches that are not shown.
        more: usize,
        /// No tool matches; the lines are similar ones.
        near: bool,
    },
    /// For JSONPath: exactly the values that the path selects.
    Values(Vec<Value>),
}

impl Catalogue {
    /// `pages` are rows about the pages, for queries.
    pub fn new(entries: Vec<Arc<Entry>>, providers: Vec<Provider>, pages: Vec<Value>) -> Self {
        let mut by_name: HashMap<Box<str>, Vec<u32>> = HashMap::new();
        for (at, entry) in entries.iter().enumerate() {
            by_name.entry(entry.name.clone()).or_default().push(u32::try_from(at).unwrap_or(u32::MAX));
        }
        Self { entries, providers, pages, by_name, ..Self::default() }
    }

    /// Every tool, in the order given to [`Catalogue::new`].
    pub fn entries(&self) -> &[Arc<Entry>] {
        &self.entries
    }

    /// Whether the search indexes are built.
    pub fn was_searched(&self) -> bool {
        self.ranking.get().is_some() && self.document.get().is_some()
    }

    /// Answers a query: JSONPath if it begins like one, else words.
    pub fn discover(&self, query: &str) -> Result<Discovered, DiscoverError> {
        let query = query.trim();
        if query.is_empty() {
            return Err(DiscoverError::Empty);
        }
        if query.len() > QUERY_BYTES_MAX {
            return Err(DiscoverError::TooLong);
        }
        let (found, best) = if path::is_path(query) {
            (Found::Values(path::select(query, self.document())?), None)
        } else {
            self.by_words(query)
        };
        let provider = best.and_then(|at| self.providers.iter().find(|of| of.name == *self.entries[at].server));
        let instructions = provider.and_then(|of| Some((of.name.clone(), of.instructions.clone()?)));
        Ok(Discovered {
            found,
            instructions,
            hidden: self.entries.len(),
            servers: self.providers.len(),
            notes: Vec::new(),
        })
    }

    /// The tools that match the words, and the index of the best.
    fn by_words(&self, query: &str) -> (Found, Option<usize>) {
        let ranking = self.ranking.get_or_init(|| Ranking::new(&self.entries, &self.providers));
        let mut ranked = ranking.search(query);
        let near = ranked.is_empty();
        if near {
            ranked = ranking.nearest(query);
        }
        // A tool of exactly this name comes first, whatever its score.
        let exact = self.named(query);
        ranked.retain(|at| !exact.contains(at));
        let ranked: Vec<usize> = exact.into_iter().chain(ranked).collect();
        let near = near && ranked.iter().all(|at| !self.is_called(*at, query));
        let shown: Vec<&Entry> = ranked.iter().take(ANSWERS_MAX).map(|at| &*self.entries[*at]).collect();
        let mut servers: Vec<&str> = shown.iter().map(|entry| &*entry.server).filter(|name| *name != OWN).collect();
        servers.sort_unstable();
        servers.dedup();
        let lines = shown.iter().enumerate().map(|(place, entry)| {
            let name = if servers.len() > 1 { self.name_with_server(entry) } else { self.short_name(entry) };
            entry.line(&name, place >= DESCRIBED_MAX)
        });
        let lines = lines.collect();
        (Found::Tools { lines, more: ranked.len().saturating_sub(ANSWERS_MAX), near }, ranked.first().copied())
    }

    /// The tools of exactly this name in any of its forms; `read file` also counts as `readFile`.
    fn named(&self, query: &str) -> Vec<usize> {
        let mut found: Vec<usize> = self.by_name.get(query).into_iter().flatten().map(|at| *at as usize).collect();
        if found.is_empty()
            && let Some(entry) = self.find(query)
        {
            found.extend(self.entries.iter().position(|other| Arc::ptr_eq(other, entry)));
        }
        if found.is_empty() {
            found.extend((0..self.entries.len()).filter(|at| self.is_called(*at, query)).take(ANSWERS_MAX));
        }
        found
    }

    fn is_called(&self, at: usize, query: &str) -> bool {
        let name = &self.entries[at].name;
        // Splitting into words is expensive; most names differ in their first letter already.
        let first = |text: &str| text.chars().next().map(|c| c.to_ascii_lowercase());
        first(name) == first(query) && words::words(name) == words::words(query)
    }

    /// A name that contains the server's, for results that mix tools of several servers.
    fn name_with_server(&self, entry: &Entry) -> String {
        let (server, name) = (entry.server.to_lowercase(), entry.name.to_lowercase());
        if &*entry.server == OWN || name.contains(&server) {
            self.short_name(entry)
        } else {
            qualified(&entry.server, &entry.name)
        }
    }

    /// The shortest name that calls the tool: the bare one, or `server::tool` where several tools share the bare name.
    pub fn short_name(&self, entry: &Entry) -> String {
        let alone = self.by_name.get(&entry.name).is_none_or(|places| places.len() == 1);
        // A bare name with `::` in it could be read as a qualified one, so it is qualified.
        if alone && !entry.name.contains("::") { entry.name.to_string() } else { qualified(&entry.server, &entry.name) }
    }

    /// Resolves a name as a caller gives it: bare, `server::tool`, or the prefixed form.
    pub fn resolve(&self, name: &str) -> Result<&Arc<Entry>, Unresolved> {
        if let Some([first, second, rest @ ..]) = self.by_name.get(name).map(Vec::as_slice) {
            let all = [first, second].into_iter().chain(rest);
            let candidates = all.map(|at| qualified(&self.entries[*at as usize].server, name)).collect();
            return Err(Unresolved::Ambiguous { name: name.to_owned(), candidates });
        }
        self.find(name).ok_or_else(|| {
            // Looking for similar names is slow, so it runs only for the error.
            Unresolved::Unknown { name: name.chars().take(200).collect(), near: self.near(name), notes: Vec::new() }
        })
    }

    /// The only tool with this name, in any of its forms.
    fn find(&self, name: &str) -> Option<&Arc<Entry>> {
        if let Some([only]) = self.by_name.get(name).map(Vec::as_slice) {
            return Some(&self.entries[*only as usize]);
        }
        // Server and tool names may contain `::` themselves, so every split is tried.
        let mut splits = name.match_indices("::").map(|(at, _)| (&name[..at], &name[at + 2..]));
        if let Some(entry) = splits.find_map(|(server, tool)| self.of_server(server, tool)) {
            return Some(entry);
        }
        let by_prefixed = self.by_prefixed.get_or_init(|| {
            let all = self.entries.iter().enumerate();
            all.map(|(at, e)| (prefixed(&e.server, &e.name), u32::try_from(at).unwrap_or(u32::MAX))).collect()
        });
        by_prefixed.get(name).map(|at| &self.entries[*at as usize])
    }

    fn of_server(&self, server: &str, tool: &str) -> Option<&Arc<Entry>> {
        let places = self.by_name.get(tool)?;
        places.iter().map(|at| &self.entries[*at as usize]).find(|entry| &*entry.server == server)
    }

    fn near(&self, name: &str) -> Vec<String> {
        // Agents also write `server:tool`, `server.tool` and `server/tool`.
        let mut splits = name.match_indices([':', '.', '/']).map(|(at, _)| (&name[..at], &name[at + 1..]));
        if let Some(entry) = splits.find_map(|(server, tool)| self.of_server(server, tool)) {
            return vec![qualified(&entry.server, &entry.name)];
        }
        let bare = name.rsplit("::").next().unwrap_or(name);
        let mut near: Vec<(usize, String)> = self
            .entries
            .iter()
            .filter(|entry| entry.name.len().abs_diff(bare.len()) <= bare.len() / 2)
            .map(|entry| (strsim::damerau_levenshtein(bare, &entry.name), entry))
            .filter(|(slips, entry)| *slips <= bare.len().max(entry.name.len()) / 3)
            .map(|(slips, entry)| (slips, self.short_name(entry)))
            .collect();
        near.sort_unstable();
        near.into_iter().take(NAMES_SHOWN_MAX).map(|(_, name)| name).collect()
    }

    fn document(&self) -> &Value {
        self.document.get_or_init(|| {
            let names: Vec<String> = self.entries.iter().map(|entry| self.short_name(entry)).collect();
            document::of(&self.entries, &names, &self.providers, &self.pages)
        })
    }
}

impl Discovered {
    /// The result as short text, for clients that pay by the token.
    pub fn text(&self) -> String {
        let all = format!("{} hidden tools from {} servers", self.hidden, self.servers);
        match &self.found {
            Found::Values(values) => match &values[..] {
                [] => format!("No matches found ({all}){}", self.noted()),
                [only] => only.to_string(),
                several => Value::from(several.to_vec()).to_string(),
            },
            Found::Tools { lines, .. } if lines.is_empty() => format!("No matches found ({all}){}", self.noted()),
            Found::Tools { lines, more, near } => {
                let head = if *near { "No match; nearest:\n" } else { "" };
                let more = if *more > 0 { format!("{more} more match; ") } else { String::new() };
                let (lines, hint) = (lines.join("\n"), definition_hint(lines));
                format!("{head}{lines}{}\n({more}{all}{hint})", self.noted())
            }
        }
    }
}

impl Discovered {
    /// The notes, one line each.
    fn noted(&self) -> String {
        self.notes.iter().flat_map(|note| ["\n! ", note]).collect()
    }
}

/// How to query the whole definition of the first tool whose line is cut.
fn definition_hint(lines: &[String]) -> String {
    let cut = lines.iter().find(|line| line.contains(line::CUT));
    let name = cut.and_then(|line| line.split('(').next()).map(|name| name.rsplit("::").next().unwrap_or(name));
    name.map_or(String::new(), |name| format!("; {} is cut, whole: $.tools[?@.name=='{name}']", line::CUT))
}

#[cfg(test)]
mod tests;
