//! The table of operations: every method and verb once, with its parameters, result, help line, class, hints and faces.
//!
//! The CLI's page verbs, the MCP tools, the TypeScript types and the tables of `docs/wire.md` are made from it; what is
//! written by hand elsewhere is compared with it by parity tests. It uses nothing but `core`, so that
//! `docs/adding-a-verb.md` can be tested by compiling this folder alone.

mod command;
mod hub;
mod page;
mod param;
mod provide;
mod render;
mod words;

pub use page::COMMON;
pub use param::{Kind, Param};
pub use render::{mcp_params, mcp_tool, typescript, with_tables};

/// What a token must be allowed to do for an operation. The only place that decides is this table.
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

    /// Whether a grant of this class covers an operation of another: an acting verb answers with what it sees, code can
    /// do whatever a verb does, and `admin` is everything but being a page.
    pub const fn covers(self, other: Self) -> bool {
        match (self, other) {
            (Self::Admin, Self::Join) | (Self::Join, _) => matches!((self, other), (Self::Join, Self::Join)),
            (Self::Admin, _) | (_, Self::Read) | (Self::Eval, Self::Act) => true,
            (Self::Read | Self::Act | Self::Eval | Self::Servers, _) => self as u8 == other as u8,
        }
    }
}

/// What an operation does to the page or to the hub's user, for clients that ask a person first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Changes nothing.
    Reads,
    /// Changes something.
    Acts,
    /// Runs code, so it may do anything.
    Evaluates,
}

/// Where an operation can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Faces(u8);

impl Faces {
    /// `eye NAME`.
    pub const CLI: Self = Self(1);
    /// A tool of the MCP catalogue.
    pub const MCP: Self = Self(2);
    /// A JSON-RPC method.
    pub const RPC: Self = Self(4);
    /// `eye.NAME()` in the page.
    pub const PAGE: Self = Self(8);

    /// Both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// All but those.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all of `other` are among them.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The part of `eye --help` in which a verb stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Code and its values.
    Ask,
    /// What a person sees.
    See,
    /// What a person does.
    Act,
    /// Between agents and pages.
    Messages,
    /// Which page.
    Pages,
    /// What pages and servers offer.
    Tools,
    /// For MCP clients.
    Mcp,
    /// The hub itself.
    Hub,
    /// Around the command line.
    Shell,
}

impl Group {
    /// All groups, in the order of the help.
    pub const ALL: [Self; 9] =
        [Self::Ask, Self::See, Self::Act, Self::Messages, Self::Pages, Self::Tools, Self::Mcp, Self::Hub, Self::Shell];

    /// Its heading.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Ask => "Ask",
            Self::See => "See",
            Self::Act => "Act",
            Self::Messages => "Messages",
            Self::Pages => "Pages",
            Self::Tools => "Tools",
            Self::Mcp => "MCP",
            Self::Hub => "Hub",
            Self::Shell => "Shell",
        }
    }
}

/// One operation.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The verb: `eye NAME`, the MCP tool, `eye.NAME()`. Empty where only the method exists.
    pub name: &'static str,
    /// Other words for the verb on the command line.
    pub aliases: &'static [&'static str],
    /// The JSON-RPC method. Empty for a command that has none of its own.
    pub method: &'static str,
    /// One line of help: a verb in the imperative, no full stop.
    pub about: &'static str,
    /// What `eye help NAME` prints after the flags, beginning with an example. Empty where the CLI's own file has it.
    pub more: &'static str,
    /// Where it stands in the help.
    pub group: Group,
    /// What a token must be allowed to do.
    pub class: Class,
    /// What it does.
    pub effect: Effect,
    /// The parameters of method, MCP tool and page function.
    pub params: &'static [Param],
    /// The words and flags of the command line where they are not simply `params`.
    pub words: Option<&'static [Param]>,
    /// The type in TypeScript of what the page's own code gets from it.
    pub gives: &'static str,
    /// What it answers, in Markdown.
    pub result: &'static str,
    /// Where it is shown.
    pub faces: Faces,
}

impl Operation {
    /// A verb of the page client, `page/NAME`, on every face.
    const fn verb(name: &'static str, method: &'static str, about: &'static str) -> Self {
        Self {
            name,
            aliases: &[],
            method,
            about,
            more: "",
            group: Group::Act,
            class: Class::Act,
            effect: Effect::Acts,
            params: &[],
            words: None,
            gives: "string",
            result: "what changed, as text",
            faces: Faces::CLI.and(Faces::MCP).and(Faces::RPC).and(Faces::PAGE),
        }
    }

    /// A method of the hub without a verb.
    const fn method(method: &'static str, class: Class, about: &'static str) -> Self {
        Self { faces: Faces::RPC, group: Group::Hub, class, ..Self::verb("", method, about) }
    }

    /// A command of the CLI without a method of its own.
    const fn command(name: &'static str, group: Group, class: Class, about: &'static str) -> Self {
        Self { faces: Faces::CLI, group, class, result: "", ..Self::verb(name, "", about) }
    }

    /// Reads only.
    const fn reads(self) -> Self {
        Self { group: Group::See, class: Class::Read, effect: Effect::Reads, ..self }
    }

    const fn params(self, params: &'static [Param]) -> Self {
        Self { params, ..self }
    }

    const fn words(self, words: &'static [Param]) -> Self {
        Self { words: Some(words), ..self }
    }

    const fn result(self, result: &'static str) -> Self {
        Self { result, ..self }
    }

    const fn gives(self, gives: &'static str) -> Self {
        Self { gives, ..self }
    }

    const fn more(self, more: &'static str) -> Self {
        Self { more, ..self }
    }

    const fn group(self, group: Group) -> Self {
        Self { group, ..self }
    }

    const fn effect(self, effect: Effect) -> Self {
        Self { effect, ..self }
    }

    const fn class(self, class: Class) -> Self {
        Self { class, ..self }
    }

    const fn faces(self, faces: Faces) -> Self {
        Self { faces, ..self }
    }

    const fn without(self, faces: Faces) -> Self {
        Self { faces: self.faces.without(faces), ..self }
    }

    const fn alias(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// The words and flags of its command line.
    pub fn line(&self) -> &'static [Param] {
        self.words.unwrap_or(self.params)
    }

    /// Whether it is a verb that runs in the page.
    pub fn in_page(&self) -> bool {
        self.method.starts_with(PAGE_METHODS) && self.class != Class::Join
    }
}

/// How methods begin that the page client does.
pub const PAGE_METHODS: &str = "page/";

/// How methods begin that a guest with browsers answers.
pub const BROWSER_METHODS: &str = "browser/";

/// Every operation, by the file it stands in.
pub const TABLES: [&[Operation]; 4] = [page::OPERATIONS, hub::OPERATIONS, provide::OPERATIONS, command::OPERATIONS];

/// Every operation.
pub fn all() -> impl Iterator<Item = &'static Operation> {
    TABLES.into_iter().flatten()
}

/// The operations that a face shows, in the order of the table.
pub fn shown_by(face: Faces) -> impl Iterator<Item = &'static Operation> {
    all().filter(move |operation| operation.faces.has(face))
}

/// The operation of this verb on the command line, by its name or another word for it.
pub fn command_named(word: &str) -> Option<&'static Operation> {
    shown_by(Faces::CLI).find(|operation| operation.name == word || operation.aliases.contains(&word))
}

/// The operation that a JSON-RPC method is.
pub fn of_method(method: &str) -> Option<&'static Operation> {
    all().find(|operation| operation.method == method && !method.is_empty())
}

/// The class of a method. What is not in the table may be anything that a page understands, so it counts as code.
pub fn class_of(method: &str) -> Class {
    match of_method(method) {
        Some(operation) => operation.class,
        None if method.starts_with(PAGE_METHODS) => Class::Eval,
        None => Class::Admin,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_methods_are_given_once() {
        for face in [Faces::CLI, Faces::MCP, Faces::RPC, Faces::PAGE] {
            let mut seen = Vec::new();
            for operation in shown_by(face) {
                let words = if face == Faces::RPC { &[][..] } else { operation.aliases };
                let name = if face == Faces::RPC { operation.method } else { operation.name };
                seen.extend(words.iter().copied().chain([name]));
            }
            let mut once = seen.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), seen.len(), "{seen:?}");
        }
    }

    #[test]
    fn help_lines_are_one_line_without_a_full_stop() {
        for operation in all() {
            let about = operation.about;
            assert!(!about.is_empty() && !about.ends_with('.') && !about.contains('\n'), "{about}");
            assert!(about.starts_with(char::is_uppercase), "{about}");
            for param in operation.params.iter().chain(operation.line()) {
                assert!(!param.help.is_empty() && !param.help.contains('\n'), "{} {}", operation.method, param.name);
                let required_default = param.required && param.default.is_some();
                assert!(!required_default, "{} {}", operation.method, param.name);
            }
        }
    }

    #[test]
    fn words_of_page_verbs_have_a_name_for_their_value() {
        for operation in shown_by(Faces::CLI).filter(|operation| operation.in_page()) {
            for param in operation.line() {
                let named = param.kind == Kind::Flag || !param.value_name.is_empty();
                assert!(named, "{} {}", operation.name, param.name);
            }
        }
    }

    #[test]
    fn every_operation_says_where_it_is_shown() {
        for operation in all() {
            let Operation { name, method, faces, .. } = *operation;
            for face in [Faces::CLI, Faces::MCP, Faces::PAGE] {
                assert!(!faces.has(face) || !name.is_empty(), "{method}");
            }
            assert_eq!(faces.has(Faces::RPC), !method.is_empty(), "{name} {method}");
            if faces.has(Faces::PAGE) {
                assert!(operation.in_page(), "{name}");
            }
        }
    }

    #[test]
    fn effects_fit_classes() {
        for operation in all().filter(|operation| operation.class == Class::Read) {
            assert_eq!(operation.effect, Effect::Reads, "{} {}", operation.name, operation.method);
        }
        assert_eq!(class_of("page/look"), Class::Read);
        assert_eq!(class_of("page/click"), Class::Act);
        assert_eq!(class_of("page/unheard-of"), Class::Eval);
        assert_eq!(class_of("hub/unheard-of"), Class::Admin);
    }

    #[test]
    fn a_class_covers_what_it_contains() {
        for class in Class::ALL {
            assert!(class.covers(class));
            assert_eq!(Class::parse(class.word()), Some(class));
            assert_eq!(Class::Join.covers(class), class == Class::Join);
            assert_eq!(Class::Admin.covers(class), class != Class::Join);
            assert_eq!(class.covers(Class::Read), class != Class::Join);
        }
        assert!(Class::Eval.covers(Class::Act) && !Class::Act.covers(Class::Eval));
        assert!(!Class::Servers.covers(Class::Act) && !Class::Eval.covers(Class::Servers));
    }
}
