//! One row of the table of operations: its names, its class, its effect, where it is shown.

use super::class::Class;
use super::param::Param;

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

    /// The faces of both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The faces without those of `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all faces of `other` are among these.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// What runs a verb in a page of a browser that eye drives, where the page client has two halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    /// The half that looks and acts, in the world beside the page's own, where none of the page's code runs.
    Beside,
    /// The half in the page's own world: the page decides what it answers.
    Page,
    /// The browser. What it leaves to the page is done by the half beside.
    Browser,
}

/// The section of `eye --help` that lists a verb.
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
    /// The section of the help.
    pub group: Group,
    /// What a token must be allowed to do.
    pub class: Class,
    pub effect: Effect,
    /// The parameters of method, MCP tool and page function.
    pub params: &'static [Param],
    /// The words and flags of the command line where they are not simply `params`.
    pub words: Option<&'static [Param]>,
    /// The TypeScript type of its result for the page's own code.
    pub gives: &'static str,
    /// Its result, in Markdown.
    pub result: &'static str,
    pub faces: Faces,
    /// What runs it in a driven page, if it is a verb that runs in the page.
    pub world: World,
}

impl Operation {
    /// A verb of the page client, `page/NAME`, on every face.
    pub(super) const fn verb(name: &'static str, method: &'static str, about: &'static str) -> Self {
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
            world: World::Beside,
        }
    }

    /// A method of the hub without a verb.
    pub(super) const fn method(method: &'static str, class: Class, about: &'static str) -> Self {
        Self { faces: Faces::RPC, group: Group::Hub, class, ..Self::verb("", method, about) }
    }

    /// A command of the CLI without a method of its own.
    pub(super) const fn command(name: &'static str, group: Group, class: Class, about: &'static str) -> Self {
        Self { faces: Faces::CLI, group, class, result: "", ..Self::verb(name, "", about) }
    }

    /// Reads only.
    pub(super) const fn reads(self) -> Self {
        Self { group: Group::See, class: Class::Read, effect: Effect::Reads, ..self }
    }

    pub(super) const fn params(self, params: &'static [Param]) -> Self {
        Self { params, ..self }
    }

    pub(super) const fn words(self, words: &'static [Param]) -> Self {
        Self { words: Some(words), ..self }
    }

    pub(super) const fn result(self, result: &'static str) -> Self {
        Self { result, ..self }
    }

    pub(super) const fn gives(self, gives: &'static str) -> Self {
        Self { gives, ..self }
    }

    pub(super) const fn more(self, more: &'static str) -> Self {
        Self { more, ..self }
    }

    pub(super) const fn group(self, group: Group) -> Self {
        Self { group, ..self }
    }

    pub(super) const fn effect(self, effect: Effect) -> Self {
        Self { effect, ..self }
    }

    pub(super) const fn class(self, class: Class) -> Self {
        Self { class, ..self }
    }

    pub(super) const fn faces(self, faces: Faces) -> Self {
        Self { faces, ..self }
    }

    pub(super) const fn done_in(self, world: World) -> Self {
        Self { world, ..self }
    }

    pub(super) const fn without(self, faces: Faces) -> Self {
        Self { faces: self.faces.without(faces), ..self }
    }

    pub(super) const fn alias(self, aliases: &'static [&'static str]) -> Self {
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

/// Prefix of the methods that the page client handles.
pub const PAGE_METHODS: &str = "page/";

/// Prefix of the methods that a guest with browsers handles.
pub const BROWSER_METHODS: &str = "browser/";
