//! What a token must be allowed to do. Only the table of operations assigns these classes.

/// What a token must be allowed to do for an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Sees pages, their text, state and messages.
    Read,
    /// Acts in a page as a person could, or through its tools.
    Act,
    /// Runs code in a page.
    Eval,
    /// Uses the MCP servers of the hub's user.
    Servers,
    /// Joins as a page.
    Join,
    /// Changes or stops the hub, reads files of its user.
    Admin,
}

impl Class {
    /// All classes, in the order of the table's documentation.
    pub const ALL: [Self; 6] = [Self::Read, Self::Act, Self::Eval, Self::Servers, Self::Join, Self::Admin];

    /// The word of `--may`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Act => "act",
            Self::Eval => "eval",
            Self::Servers => "servers",
            Self::Join => "join",
            Self::Admin => "admin",
        }
    }

    /// The class that a word of `--may` names.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.word() == word)
    }

    /// Whether a grant of this class covers an operation of another class: an acting verb answers with what it sees,
    /// code can do whatever a verb does, and `admin` is everything except being a page.
    pub const fn covers(self, other: Self) -> bool {
        match (self, other) {
            (Self::Admin, Self::Join) | (Self::Join, _) => matches!((self, other), (Self::Join, Self::Join)),
            (Self::Admin, _) | (_, Self::Read) | (Self::Eval, Self::Act) => true,
            (Self::Read | Self::Act | Self::Eval | Self::Servers, _) => self as u8 == other as u8,
        }
    }
}
