//! The verbs that act on an element as a person would. Each answers with what changed.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::verbs::page;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// An element, for verbs that need nothing else.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye click e9\n         eye click 'text=Sign in'\n         eye check '#terms'\n
A target is a ref of eye look, text=… as a person reads it, or a CSS selector. It is waited for until it is visible, enabled \
and still. Prints what changed, with the errors and failed requests that it caused.")]
pub struct TargetArgs {
    /// A ref, text=…, or a CSS selector
    target: String,
    /// Accept what the page then asks with confirm or prompt, with this answer; else it is dismissed
    #[arg(long, value_name = "ANSWER", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    accept: Option<String>,
}

/// Does a verb that needs an element and nothing else.
pub fn on_target(verb: &str, args: &TargetArgs, options: &Options) -> Result<Exit, Failure> {
    let accept = args.accept.as_ref().map(|text| if text.is_empty() { json!(true) } else { json!(text) });
    page::run(verb, json!({ "target": args.target, "accept": accept }), options)
}

/// Fill a field, or a whole form at once
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye fill e3 'Ada Lovelace'
         eye fill e3='Ada Lovelace' e4=ada@example.org --click e9
         eye fill '[name=q]' shoes

TARGET=VALUE several times fills a form in one call; --click then clicks. Prints what changed.")]
pub struct FillArgs {
    /// TARGET VALUE, or TARGET=VALUE as often as needed
    #[arg(required = true, value_name = "TARGET[=]VALUE")]
    words: Vec<String>,
    /// Click this afterwards
    #[arg(long, value_name = "TARGET")]
    click: Option<String>,
}

/// Fills.
pub fn fill(args: &FillArgs, options: &Options) -> Result<Exit, Failure> {
    let fields = match &args.words[..] {
        [target, value] if pair(target).is_none() => vec![(target.as_str(), value.as_str())],
        words => words
            .iter()
            .map(|word| {
                let hint = "write eye fill TARGET VALUE, or TARGET=VALUE as often as needed";
                pair(word).ok_or_else(|| Failure::usage(format!("`{word}` is no TARGET=VALUE"), hint))
            })
            .collect::<Result<_, _>>()?,
    };
    page::run("fill", json!({ "fields": fields, "click": args.click }), options)
}

/// `TARGET=VALUE` apart. The `=` inside brackets, and the one of `text=` and `css=`, belong to the target.
fn pair(word: &str) -> Option<(&str, &str)> {
    let skipped = ["text=", "css="].iter().find(|prefix| word.starts_with(**prefix)).map_or(0, |prefix| prefix.len());
    let mut depth = 0_usize;
    for (at, c) in word.char_indices().filter(|(at, _)| *at >= skipped) {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            '=' if depth == 0 => return Some((&word[..at], &word[at + 1..])),
            _ => {}
        }
    }
    None
}

/// Type text key by key into an element
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye type e3 'hello'\n
Unlike fill it adds to what is there, one key at a time, for pages that listen to keys.")]
pub struct TypeArgs {
    /// A ref, text=…, or a CSS selector
    target: String,
    /// The text
    text: String,
}

/// Types.
pub fn r#type(args: &TypeArgs, options: &Options) -> Result<Exit, Failure> {
    page::run("type", json!({ "target": args.target, "value": args.text }), options)
}

/// Press a key, or keys together
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye press Enter\n         eye press Control+a e3")]
pub struct PressArgs {
    /// Such as Enter, Escape or Control+a
    keys: String,
    /// Where; else what has the focus
    target: Option<String>,
}

/// Presses.
pub fn press(args: &PressArgs, options: &Options) -> Result<Exit, Failure> {
    page::run("press", json!({ "keys": args.keys, "target": args.target }), options)
}

/// Select options of a list
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye select e5 Blue\n         eye select '#sizes' S M")]
pub struct SelectArgs {
    /// A ref, text=…, or a CSS selector
    target: String,
    /// What a person reads, or the option's value
    #[arg(required = true)]
    options: Vec<String>,
}

/// Selects.
pub fn select(args: &SelectArgs, options: &Options) -> Result<Exit, Failure> {
    let value: Value = match &args.options[..] {
        [one] => one.as_str().into(),
        many => many.into(),
    };
    page::run("select", json!({ "target": args.target, "value": value }), options)
}

/// Scroll the page or an element, or to an element
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye scroll down
         eye scroll e7
         eye scroll '#list' --by 400
         eye scroll bottom")]
pub struct ScrollArgs {
    /// up, down, top, bottom, or an element to bring into view
    #[arg(default_value = "down")]
    to: String,
    /// Scroll this element, or the page, by so many pixels
    #[arg(long, value_name = "PIXELS", allow_negative_numbers = true)]
    by: Option<i32>,
}

/// Scrolls.
pub fn scroll(args: &ScrollArgs, options: &Options) -> Result<Exit, Failure> {
    let word = matches!(args.to.as_str(), "up" | "down" | "top" | "bottom");
    let params = match (word, args.by) {
        (true, None) => json!({ "to": args.to }),
        (true, Some(by)) => json!({ "by": [0, if args.to == "up" { -by } else { by }] }),
        (false, None) => json!({ "target": args.to }),
        (false, Some(by)) => json!({ "target": args.to, "by": [0, by] }),
    };
    page::run("scroll", params, options)
}

/// Drag an element to another, or to a place
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye drag e3 e9\n         eye drag '#window .title' 300,200\n
A place is x,y in the viewport.")]
pub struct DragArgs {
    /// A ref, text=…, or a CSS selector
    from: String,
    /// A target, or x,y in the viewport
    to: String,
}

/// Drags.
pub fn drag(args: &DragArgs, options: &Options) -> Result<Exit, Failure> {
    let place = args.to.split_once(',').and_then(|(x, y)| Some((x.trim().parse().ok()?, y.trim().parse().ok()?)));
    let to = place.map_or_else(|| json!(args.to), |(x, y): (f64, f64)| json!([x, y]));
    page::run("drag", json!({ "from": args.from, "to": to }), options)
}

/// Give files to a file field
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye upload e6 photo.png notes.txt")]
pub struct UploadArgs {
    /// A ref, text=…, or a CSS selector
    target: String,
    /// The files
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// Uploads.
pub fn upload(args: &UploadArgs, options: &Options) -> Result<Exit, Failure> {
    let files = args.files.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    page::run("upload", json!({ "target": args.target, "files": files }), options)
}

fn read(path: &Path) -> Result<Value, Failure> {
    let bytes = std::fs::read(path).map_err(Failure::io(format!("read {}", path.display())))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(json!({ "name": name, "base64": STANDARD.encode(bytes) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_and_its_value_are_told_apart() {
        for (word, want) in [
            ("e3=x", Some(("e3", "x"))),
            ("[name=q]=a=b", Some(("[name=q]", "a=b"))),
            ("text=Name=Ada", Some(("text=Name", "Ada"))),
            ("e3=", Some(("e3", ""))),
            ("[name=q]", None),
            ("text=Name", None),
            ("#name", None),
        ] {
            assert_eq!(pair(word), want, "{word}");
        }
    }
}
