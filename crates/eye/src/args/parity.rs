//! Compares the command line with the table of operations: verbs, aliases, help lines, arguments and flags.

use super::*;
use clap::{Arg, ArgAction};
use eye_protocol::operations::{Kind, Param};

/// An argument or flag, in a form that both sides share.
#[derive(Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a row of a table, not a state")]
struct Word {
    name: String,
    placed: bool,
    required: bool,
    many: bool,
    default: Option<String>,
    flag: bool,
    value_name: Option<String>,
    choices: Vec<String>,
    help: String,
}

fn of_table(param: &Param) -> Word {
    let flag = param.kind == Kind::Flag;
    let shown = if param.value_name.is_empty() { param.name.to_uppercase() } else { param.value_name.to_owned() };
    let choices = match param.kind {
        Kind::Choice(words) => words.iter().map(|word| (*word).to_owned()).collect(),
        _ => Vec::new(),
    };
    Word {
        name: param.name.to_owned(),
        placed: param.placed,
        required: param.required,
        many: param.many,
        default: param.default.map(|default| default.trim_matches('"').to_owned()),
        flag,
        value_name: (!flag).then_some(shown),
        choices,
        help: param.help.to_owned(),
    }
}

fn of_clap(arg: &Arg) -> Word {
    let flag = matches!(arg.get_action(), ArgAction::SetTrue);
    let text = |values: &[clap::builder::OsStr]| values.first().and_then(|v| v.to_str()).map(str::to_owned);
    let choices = if flag { Vec::new() } else { arg.get_possible_values() };
    Word {
        name: arg.get_long().map_or_else(|| arg.get_id().to_string(), str::to_owned),
        placed: arg.is_positional(),
        required: arg.is_required_set(),
        many: matches!(arg.get_action(), ArgAction::Append),
        default: if flag { None } else { text(arg.get_default_values()) },
        flag,
        value_name: arg.get_value_names().filter(|_| !flag).map(|names| names.join(" ")),
        choices: choices.iter().map(|choice| choice.get_name().to_owned()).collect(),
        help: arg.get_help().map(ToString::to_string).unwrap_or_default(),
    }
}

#[test]
fn verbs_and_other_words_for_them_are_those_of_the_table() {
    let command = command();
    command.clone().debug_assert();
    let mut known: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    known.push("help");
    known.sort_unstable();
    let mut listed: Vec<&str> = operations::shown_by(Faces::CLI).map(|operation| operation.name).collect();
    listed.sort_unstable();
    assert_eq!(known, listed);
    for verb in command.get_subcommands() {
        let aliases: Vec<&str> = verb.get_all_aliases().collect();
        let operation = operations::command_named(verb.get_name()).unwrap();
        assert_eq!(aliases, operation.aliases, "{}", operation.name);
    }
}

#[test]
fn help_lines_are_those_of_the_table() {
    for verb in command().get_subcommands() {
        let operation = operations::command_named(verb.get_name()).unwrap();
        assert_eq!(verb.get_about().map(ToString::to_string).unwrap_or_default(), operation.about);
    }
}

#[test]
fn words_and_flags_are_those_of_the_table() {
    for verb in command().get_subcommands() {
        let operation = operations::command_named(verb.get_name()).unwrap();
        // A verb that is not a method defines its arguments only in its own file.
        let Some(words) = operation.words.or(operation.in_page().then_some(operation.params)) else { continue };
        let mut known: Vec<Word> = verb
            .get_arguments()
            .filter(|arg| !matches!(arg.get_id().as_str(), "help" | "version"))
            .map(of_clap)
            .collect();
        let mut listed: Vec<Word> = words.iter().map(of_table).collect();
        for list in [&mut known, &mut listed] {
            list.sort_by(|a, b| (!a.placed, &a.name).cmp(&(!b.placed, &b.name)));
        }
        assert_eq!(known, listed, "eye {}", operation.name);
    }
}

#[test]
fn a_verb_of_the_page_runs_from_its_entry() {
    for operation in operations::shown_by(Faces::CLI).filter(|operation| operation.in_page()) {
        assert!(page_verb(operation.name).is_some());
    }
    assert!(page_verb("eval").is_none() && page_verb("open").is_none());
}
