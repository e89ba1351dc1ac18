//! The words and flags of commands whose command line is not simply the parameters of their method.

use super::param::{Kind, Param};

/// Of every stream: when it ends.
pub const COUNT: Param = Param::new("count", Kind::Integer, "End after so many lines").called("N");
/// Of every stream: when it ends.
pub const FOR: Param = Param::new("for", Kind::Integer, "End after so many seconds").called("SECONDS");

pub const EVAL: &[Param] = &[
    Param::new("code", Kind::Text, "The code; - is stdin").placed(),
    Param::new("file", Kind::Text, "Take the code from a file; - is stdin").short('f').called("FILE"),
];
pub const COLLECT: &[Param] = &[Param::new("ids", Kind::Texts, "Which; all when none is named").placed().many()];
pub const NONE: &[Param] = &[];
const DRAIN: &str = "Lose no call: refuse new ones, wait for those under way, at most so many seconds, and send each \
    page to another hub";
pub const DOWN: &[Param] = &[Param::new("drain", Kind::Integer, DRAIN).called("SECONDS")];
pub const STATUS: &[Param] =
    &[Param::new("cluster", Kind::Flag, "Print the hubs of the cluster instead, with the pages of each")];
pub const USE: &[Param] = &[
    Param::new("page", Kind::Text, "An id, an alias, an origin, or part of a title or URL").required().placed(),
    Param::new("as", Kind::Text, "A name for it, which no page can take; empty takes it back").called("NAME"),
];
pub const TOOLS: &[Param] = &[
    Param::new("filter", Kind::Text, "A tool's name, or part of a name or description").placed().called("NAME|FILTER"),
    Param::new("schema", Kind::Flag, "Print whole definitions, as JSON"),
];
pub const CALL: &[Param] = &[
    Param::new("tool", Kind::Text, "Which").required().placed(),
    Param::new("arguments", Kind::Texts, "name=value, name:=JSON, one JSON object, or - for JSON on stdin")
        .placed()
        .many()
        .called("ARGUMENT"),
    Param::new("yes", Kind::Flag, "Confirm what cannot be undone"),
];
pub const STATE: &[Param] = &[
    Param::new("path", Kind::Text, "Which part").placed(),
    Param::new("fresh", Kind::Flag, "Ask the page first"),
    Param::new("since", Kind::Integer, "Print only what changed after this revision, as a JSON Patch")
        .called("REVISION"),
];
pub const SAVE: &[Param] = &[Param::new("name", Kind::Text, "Its name").required().placed()];
pub const WATCH: &[Param] = &[
    Param::new("what", Kind::Choice(&["state", "topic", "logs"]), "What to watch").required().placed(),
    Param::new("topic", Kind::Text, "Which topic").placed(),
    COUNT,
    FOR,
];
pub const PUB: &[Param] = &[
    Param::new("topic", Kind::Text, "Which topic").required().placed(),
    Param::new("message", Kind::Text, "Text, or a JSON object or array; - is stdin").required().placed(),
    Param::new("wait", Kind::Integer, "How long it waits for a subscriber (5)").called("SECONDS"),
    Param::new("no-wait", Kind::Flag, "Drop it where nothing subscribes"),
    Param::new("reply", Kind::Flag, "Wait for a response and print it"),
    Param::new("all", Kind::Flag, "Reach pages of every origin, not only of the page in use"),
];
pub const SUB: &[Param] = &[Param::new("topic", Kind::Text, "Which topic").required().placed(), COUNT, FOR];
pub const READ: &[Param] = &[Param::new("wait", Kind::Integer, "Wait so long for the first").called("SECONDS")];
pub const AUDIT: &[Param] = &[
    Param::new("since", Kind::Text, "Only what was asked within this time, such as 10m or 2h").called("TIME"),
    Param::new("follow", Kind::Flag, "Go on with every row as it is written").short('f'),
    COUNT,
    FOR,
];
pub const CONSOLE: &[Param] = &[
    Param::new("print", Kind::Flag, "Print the link instead of opening it"),
    Param::new("expires", Kind::Text, "How long the tab may be closed before it needs a new link (1h)").called("TIME"),
];
pub const EXTENSION: &[Param] = &[
    Param::new("dir", Kind::Text, "The folder that it is written to (~/.local/state/eye/extension; with --no-debugger, extension-no-debugger there)").called("DIR"),
    Param::new("no-debugger", Kind::Flag, "Without the debugger permission: no real hands, and the browser asks you for sites"),
    Param::new("expires", Kind::Text, "How long the code can be used (10m)").called("TIME"),
];
pub const BROWSE: &[Param] = &[
    Param::new("url", Kind::Text, "Which page; http:// may be left out for localhost, https:// elsewhere").placed(),
    Param::new("attach", Kind::Text, "Your own browser, which allows it: auto, or its endpoint").called("auto|URL"),
    Param::new("profile", Kind::Text, "Whose logins: a name (default)").called("NAME"),
    Param::new("private", Kind::Flag, "A profile that is thrown away"),
    Param::new("headless", Kind::Flag, "Without a window"),
    Param::new("keep", Kind::Flag, "It does not end after 15 idle minutes"),
    Param::new("list", Kind::Flag, "List the browsers that run"),
    Param::new("stop", Kind::Flag, "End the browser of --profile, or all"),
];
pub const DISCOVER: &[Param] =
    &[Param::new("query", Kind::Texts, "Words, or one JSONPath").required().placed().many().called("WORDS|JSONPATH")];
