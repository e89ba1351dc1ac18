//! Builds the command line of a page verb from the table of operations, and the params from the parsed arguments.

use crate::failure::Failure;
use crate::verbs::message;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use eye_protocol::operations::{Kind, Operation, Param};
use serde_json::{Map, Value, json};
use std::path::Path;

pub fn command(operation: &'static Operation) -> Command {
    Command::new(operation.name)
        .about(operation.about)
        .after_help(operation.more)
        .aliases(operation.aliases)
        .args(operation.line().iter().map(arg))
}

fn arg(param: &'static Param) -> Arg {
    let mut arg = Arg::new(param.name).help(param.help).required(param.required);
    if !param.placed {
        arg = arg.long(param.name);
    }
    if let Some(other) = param.unless {
        arg = arg.required_unless_present(other);
    }
    if let Some(letter) = param.short {
        arg = arg.short(letter);
    }
    if param.kind == Kind::Flag {
        return arg.action(ArgAction::SetTrue);
    }
    arg = arg.value_name(param.value_name);
    if param.many {
        arg = arg.num_args(1..).action(ArgAction::Append);
    }
    if let Some(default) = param.default {
        arg = arg.default_value(default.trim_matches('"'));
    }
    match param.kind {
        Kind::Integer => arg.value_parser(value_parser!(i64)).allow_negative_numbers(true),
        Kind::Choice(words) => arg.value_parser(PossibleValuesParser::new(words)),
        Kind::Answer => arg.num_args(0..=1).require_equals(true).default_missing_value(""),
        Kind::Point | Kind::Place => arg.allow_negative_numbers(true),
        Kind::Text
        | Kind::Target
        | Kind::Condition
        | Kind::Flag
        | Kind::Texts
        | Kind::Fields
        | Kind::Files
        | Kind::Any
        | Kind::Object
        | Kind::Objects => arg,
    }
}

/// The given arguments, under the names of the table. Arguments that were not given are absent.
pub fn params(operation: &Operation, matches: &ArgMatches) -> Result<Map<String, Value>, Failure> {
    let mut params = Map::new();
    for param in operation.line() {
        if let Some(value) = value(param, matches)? {
            params.insert(param.name.to_owned(), value);
        }
    }
    Ok(params)
}

fn value(param: &Param, matches: &ArgMatches) -> Result<Option<Value>, Failure> {
    match param.kind {
        Kind::Flag => return Ok(matches.get_flag(param.name).then_some(Value::Bool(true))),
        Kind::Integer => return Ok(matches.get_one::<i64>(param.name).map(|number| json!(number))),
        _ => {}
    }
    let Some(words) = matches.get_many::<String>(param.name) else { return Ok(None) };
    let words: Vec<&str> = words.map(String::as_str).collect();
    if param.kind == Kind::Files {
        return words.iter().map(|path| file(Path::new(path))).collect::<Result<_, _>>().map(Value::Array).map(Some);
    }
    Ok(Some(match (&words[..], param.kind) {
        ([one], Kind::Any) => message::parse(one)?,
        ([one], Kind::Point) => point(one).ok_or_else(|| not_a_point(param, one))?,
        ([one], Kind::Place) => point(one).unwrap_or_else(|| json!(one)),
        ([""], Kind::Answer) => json!(true),
        ([one], Kind::Texts) => json!(one),
        ([one], _) if !param.many => json!(one),
        (several, _) => json!(several),
    }))
}

/// Parses `x,y` as two numbers.
fn point(text: &str) -> Option<Value> {
    let (x, y) = text.split_once(',')?;
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    Some(json!([number(x)?, number(y)?]))
}

fn not_a_point(param: &Param, text: &str) -> Failure {
    Failure::usage(format!("`{text}` is not a place"), format!("write --{} X,Y, in pixels", param.name))
}

fn file(path: &Path) -> Result<Value, Failure> {
    let bytes = std::fs::read(path).map_err(Failure::io(format!("read {}", path.display())))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(json!({ "name": name, "base64": STANDARD.encode(bytes) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use eye_protocol::operations;

    fn of(line: &[&str]) -> Value {
        let operation = operations::command_named(line[0]).unwrap();
        let matches = command(operation).try_get_matches_from(line).unwrap();
        Value::Object(params(operation, &matches).unwrap())
    }

    #[test]
    fn words_make_the_params_of_the_table() {
        for (line, want) in [
            (&["click", "e9"][..], json!({ "target": "e9" })),
            (&["click", "e9", "--accept"], json!({ "target": "e9", "accept": true })),
            (&["click", "e9", "--accept=Ada"], json!({ "target": "e9", "accept": "Ada" })),
            (&["look"], json!({})),
            (&["look", "#a", "--all"], json!({ "target": "#a", "all": true })),
            (&["press", "Enter"], json!({ "keys": "Enter" })),
            (&["select", "e5", "Blue"], json!({ "target": "e5", "value": "Blue" })),
            (&["select", "e5", "S", "M"], json!({ "target": "e5", "value": ["S", "M"] })),
            (&["drag", "e3", "300,-20.5"], json!({ "from": "e3", "to": [300.0, -20.5] })),
            (&["click", "--at", "40,80"], json!({ "at": [40.0, 80.0] })),
            (
                &["click", "e9", "--at=-4,8", "--mod", "Shift"],
                json!({ "target": "e9", "at": [-4.0, 8.0], "mod": "Shift" }),
            ),
            (&["drag", "10,20", "e3"], json!({ "from": [10.0, 20.0], "to": "e3" })),
            (&["drag", "e3", "a, b"], json!({ "from": "e3", "to": "a, b" })),
            (&["send", "eyes", "{\"a\":1}"], json!({ "app": "eyes", "message": { "a": 1 } })),
            (&["write", "5"], json!({ "message": "5" })),
            (&["scroll"], json!({ "to": "down" })),
            (&["scroll", "up", "--by", "-3"], json!({ "to": "up", "by": -3 })),
            (&["fill", "a=b"], json!({ "words": ["a=b"] })),
        ] {
            assert_eq!(of(line), want, "{line:?}");
        }
    }

    #[test]
    fn what_is_not_a_place_and_a_click_on_nothing_are_refused() {
        let operation = operations::command_named("click").unwrap();
        for text in ["here", "1", "1,x", "inf,1", "1,2,3"] {
            let matches = command(operation).try_get_matches_from(["click", "--at", text]).unwrap();
            assert!(matches!(params(operation, &matches), Err(Failure::Usage { .. })), "{text}");
        }
        assert!(command(operation).try_get_matches_from(["click"]).is_err());
    }

    #[test]
    fn every_verb_makes_a_command_that_clap_accepts() {
        for operation in operations::shown_by(operations::Faces::CLI).filter(|operation| operation.in_page()) {
            command(operation).debug_assert();
        }
    }
}
