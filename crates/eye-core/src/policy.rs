//! What the user allowed pages of an origin.

/// What a page may do and what may be done to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Code may be evaluated in it.
    pub eval_allowed: bool,
    /// Its tools that cannot be undone need confirmation.
    pub confirm: bool,
    /// Topics that the page shares with pages of other origins: whole topics, or prefixes followed by `*`.
    pub topics: Vec<Box<str>>,
    /// Its site is denied to agents: they may lead its tab elsewhere or close it, and nothing else.
    pub denied: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Self { eval_allowed: true, confirm: false, topics: Vec::new(), denied: false }
    }
}

impl Policy {
    /// Whether it shares a topic with pages of other origins.
    pub fn shares(&self, topic: &str) -> bool {
        self.topics.iter().any(|pattern| topic_fits(pattern, topic))
    }
}

/// Whether a topic equals the pattern, or begins with the part before a `*` at its end.
pub(crate) fn topic_fits(pattern: &str, topic: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => topic.starts_with(beginning),
        None => pattern == topic,
    }
}
