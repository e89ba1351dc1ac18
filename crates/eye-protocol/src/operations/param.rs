//! A parameter of an operation, or a word of its command line.

use super::class::Class;

/// The values that a parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A text.
    Text,
    /// Names an element: a ref, `text=…`, `css=…`, or a selector. The page's own code may pass the element.
    Target,
    /// A target or an expression; the page's own code may pass the element, or a function.
    Condition,
    /// A whole number.
    Integer,
    /// True or false; a flag on the command line.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// One text or several.
    Texts,
    /// Two numbers, x and y in pixels.
    Point,
    /// A target or a point.
    Place,
    /// Several pairs of a target and a value.
    Fields,
    /// Files: `{name, type, base64}`.
    Files,
    /// `true`, or a text.
    Answer,
    /// Any JSON.
    Any,
    /// A JSON object.
    Object,
    /// A list of JSON objects.
    Objects,
}

/// One parameter.
#[expect(clippy::struct_excessive_bools, reason = "a row of a table, not a state")]
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name on the wire, and the flag's on the command line.
    pub name: &'static str,
    pub kind: Kind,
    pub required: bool,
    /// The value when it is not given, as JSON; for people, and for schemas.
    pub default: Option<&'static str>,
    /// One line of help, without a full stop.
    pub help: &'static str,
    /// Whether it is positional: on the command line, and in the page's own calls.
    pub placed: bool,
    /// Whether the command line accepts several of it.
    pub many: bool,
    /// The one-letter flag.
    pub short: Option<char>,
    /// What the command line calls its value. Never empty for a verb of the page, except for flags.
    pub value_name: &'static str,
    /// Whether only an agent may give it, never the page's own code.
    pub remote: bool,
    /// The class that giving it needs, beyond the operation's own.
    pub class: Option<Class>,
    /// The parameter that may be given instead of it; one of the two must be.
    pub unless: Option<&'static str>,
}

impl Param {
    /// An optional parameter.
    pub(super) const fn new(name: &'static str, kind: Kind, help: &'static str) -> Self {
        Self {
            name,
            kind,
            required: false,
            default: None,
            help,
            placed: false,
            many: false,
            short: None,
            value_name: "",
            remote: false,
            class: None,
            unless: None,
        }
    }

    pub(super) const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    pub(super) const fn placed(self) -> Self {
        Self { placed: true, ..self }
    }

    pub(super) const fn many(self) -> Self {
        Self { many: true, ..self }
    }

    pub(super) const fn default(self, json: &'static str) -> Self {
        Self { default: Some(json), ..self }
    }

    pub(super) const fn short(self, letter: char) -> Self {
        Self { short: Some(letter), ..self }
    }

    pub(super) const fn called(self, value_name: &'static str) -> Self {
        Self { value_name, ..self }
    }

    pub(super) const fn remote(self) -> Self {
        Self { remote: true, ..self }
    }

    pub(super) const fn help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }

    /// Must be given unless `other` is.
    pub(super) const fn unless(self, other: &'static str) -> Self {
        Self { unless: Some(other), ..self }
    }

    pub(super) const fn class(self, class: Class) -> Self {
        Self { class: Some(class), ..self }
    }
}
