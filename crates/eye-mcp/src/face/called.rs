//! Remembers in which page a client called each tool, so that a bare name stays with its page.

use super::limits::PAGE_TOOLS_CALLED_MAX;
use indexmap::IndexMap;

/// A page in which a tool was called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalledIn {
    /// The provider name.
    pub provider: String,
    pub session: String,
}

/// The page tools that a client called, the latest last.
#[derive(Debug, Default)]
pub struct CalledTools(IndexMap<String, CalledIn>);

impl CalledTools {
    /// Remembers a call. Above the limit, the tool that was not called for the longest time is dropped.
    pub fn remember(&mut self, tool: &str, page: CalledIn) {
        self.0.shift_remove(tool);
        if self.0.len() >= PAGE_TOOLS_CALLED_MAX {
            self.0.shift_remove_index(0);
        }
        self.0.insert(tool.to_owned(), page);
    }

    /// The page in which the tool was called before, if that is another session than this one.
    pub fn elsewhere(&self, tool: &str, session: &str) -> Option<&CalledIn> {
        self.0.get(tool).filter(|before| before.session != session)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(session: &str) -> CalledIn {
        CalledIn { provider: format!("page:{session}"), session: session.into() }
    }

    #[test]
    fn the_tool_that_was_not_called_for_longest_gives_way() {
        let mut called = CalledTools::default();
        for number in 0..PAGE_TOOLS_CALLED_MAX {
            called.remember(&format!("t{number}"), page("a"));
        }
        called.remember("t0", page("b"));
        assert_eq!(called.elsewhere("t0", "a"), Some(&page("b")));
        assert_eq!(called.elsewhere("t0", "b"), None);
        assert_eq!(called.elsewhere("t1", "b"), Some(&page("a")));
        called.remember("more", page("a"));
        assert_eq!(called.elsewhere("t1", "b"), None, "it was the oldest");
        assert_eq!(called.0.len(), PAGE_TOOLS_CALLED_MAX);
    }
}
