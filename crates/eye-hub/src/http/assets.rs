//! The files embedded in the hub: the page client, its parts, the start page, documents and the demo apps.

use crate::hub::media;
use rust_embed::RustEmbed;
use std::borrow::Cow;

pub const CLIENT: &str = include_str!("../../assets/eye.js");
pub const START_PAGE: &str = include_str!("../../assets/start.html");

/// Scripts that the page client loads on first use, by name.
const PARTS: [(&str, &str); 2] =
    [("parts.js", include_str!("../../assets/parts.js")), ("webmcp.js", include_str!("../../assets/webmcp.js"))];

pub fn part(name: &str) -> Option<&'static str> {
    PARTS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

pub fn document(name: &str) -> Option<&'static str> {
    DOCUMENTS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Documents that the start page links to, and those that they refer to.
const DOCUMENTS: [(&str, &str); 12] = [
    ("audit.md", include_str!("../../../../docs/audit.md")),
    ("browser.md", include_str!("../../../../docs/browser.md")),
    ("cluster.md", include_str!("../../../../docs/cluster.md")),
    ("console.md", include_str!("../../../../docs/console.md")),
    ("gateway.md", include_str!("../../../../docs/gateway.md")),
    ("https.md", include_str!("../../../../docs/https.md")),
    ("join.md", include_str!("../../../../docs/join.md")),
    ("mcp.md", include_str!("../../../../docs/mcp.md")),
    ("remote.md", include_str!("../../../../docs/remote.md")),
    ("tokens.md", include_str!("../../../../docs/tokens.md")),
    ("webmcp.md", include_str!("../../../../docs/webmcp.md")),
    ("wire.md", include_str!("../../../../docs/wire.md")),
];

/// The demo apps as `cargo xtask gen` builds them. They contain third-party libraries, so they are not in the
/// repository: a release embeds what was built before it, a debug build reads the files from disk.
#[derive(RustEmbed)]
#[folder = "../../web/apps/dist/"]
#[allow_missing = true]
struct Apps;

/// The folder of the console. It is built beside the apps and served under its own host name.
const CONSOLE: &str = "console/";

/// A file of the console: its bytes and its media type.
pub fn console(name: &str) -> Option<(Cow<'static, [u8]>, String)> {
    file(&format!("{CONSOLE}{name}"))
}

/// A file of the demo apps: its bytes and its media type. A folder means its `index.html`.
pub fn app(path: &str) -> Option<(Cow<'static, [u8]>, String)> {
    if path.starts_with(CONSOLE) { None } else { file(path) }
}

fn file(path: &str) -> Option<(Cow<'static, [u8]>, String)> {
    let name = if path.ends_with('/') { format!("{path}index.html") } else { path.to_owned() };
    let file = Apps::get(&name)?;
    Some((file.data, media::type_of(&name)))
}

/// Whether this is an app's folder without the trailing slash.
pub fn is_app(path: &str) -> bool {
    app(&format!("{path}/")).is_some()
}

pub fn has_apps() -> bool {
    Apps::iter().next().is_some()
}
