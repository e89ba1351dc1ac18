//! `eye servers trust`: shows what an entry of the project's config would run, and stores the user's consent to it.

use super::files::failure_of;
use crate::env::{self, Var};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::places;
use crate::ui;
use eye_mcp::config::{
    Command, Config, Consents, Layers, ProjectEntry, consent_file, project_file, shown_url, variables,
};
use eye_mcp::config::{InheritEnv, ServerConfig, Startup};
use eye_protocol::visible;
use eye_protocol::{Code, Error};
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The server, or NAME@HASH with --yes; without it, all that are not trusted are shown
    #[arg(value_name = "NAME[@HASH]")]
    name: Option<String>,
    /// Do not ask: trust the entry if it still has this hash
    #[arg(long, requires = "name", conflicts_with = "revoke")]
    yes: bool,
    /// Take the consent back
    #[arg(long, requires = "name")]
    revoke: bool,
}

/// The project's config and the stored consents.
struct Project {
    layers: Layers,
    folder: PathBuf,
    file: PathBuf,
    /// The file of consents.
    consents: PathBuf,
}

impl Project {
    fn read() -> Result<Self, Failure> {
        let cwd = env::current_folder().ok_or_else(|| Failure::usage("this folder is gone", "go to another one"))?;
        let user = places::config_file()?;
        let nothing = || {
            let message = "there is no .eye/config.yaml here or above";
            Failure::usage(message, "servers of your own config need no consent")
        };
        let file = project_file(&cwd).ok_or_else(nothing)?;
        let layers = Layers::read(Some(&user), &cwd, &Config::default());
        for error in &layers.errors {
            ui::report(&failure_of(error));
        }
        let folder = layers.project_folder();
        Ok(Self { layers, folder, file, consents: consent_file(&user) })
    }

    fn entry(&self, name: &str) -> Result<&ProjectEntry, Failure> {
        let entries = &self.layers.project;
        entries.iter().find(|entry| entry.name == name).ok_or_else(|| {
            let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
            let hint =
                if names.is_empty() { "it has no servers".into() } else { format!("it has {}", names.join(", ")) };
            Failure::usage(format!("{} has no server `{name}`", self.file.display()), hint)
        })
    }

    fn keep(&self, change: impl FnOnce(&mut Consents)) -> Result<(), Failure> {
        let mut consents = Consents::read(&self.consents).map_err(|error| failure_of(&error))?;
        change(&mut consents);
        consents.write(&self.consents).map_err(Failure::io(format!("write {}", self.consents.display())))
    }
}

pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let project = Project::read()?;
    match &args.name {
        None => list(&project, options),
        Some(name) if args.revoke => revoke(&project, name, options),
        Some(name) if args.yes => trust_hash(&project, name, options),
        Some(name) => ask(&project, name, options),
    }
}

/// Records consent to an entry that the user has just typed.
pub fn trust_own(name: &str) -> Result<(), Failure> {
    let project = Project::read()?;
    let entry = project.entry(name)?;
    project.keep(|consents| consents.give(&project.folder, name, &entry.hash))
}

fn list(project: &Project, options: &Options) -> Result<Exit, Failure> {
    let waiting = project.layers.project.iter().filter(|entry| !entry.trusted);
    if options.errors {
        return Ok(Exit::Success);
    }
    if options.json {
        let rows = waiting.map(|entry| {
            json!({ "name": entry.name, "hash": entry.hash, "command": entry.entry.shown(), "overOwn": entry.over_own })
        });
        ui::line(json!(rows.collect::<Vec<_>>()))?;
        return Ok(Exit::Success);
    }
    let mut some = false;
    for entry in waiting {
        some = true;
        ui::text_out(&picture(entry, project))?;
    }
    if some {
        ui::note("trust one with eye servers trust NAME");
    } else {
        ui::note(format_args!("nothing in {} waits for consent", project.file.display()));
    }
    Ok(Exit::Success)
}

fn ask(project: &Project, name: &str, options: &Options) -> Result<Exit, Failure> {
    let entry = project.entry(name)?;
    if entry.trusted {
        return Ok(already(entry, options));
    }
    ui::text_out(&picture(entry, project))?;
    if !ui::can_ask() {
        let hint = format!("without a terminal: eye servers trust --yes {}@{}", entry.name, entry.hash);
        return Err(denied(format!("`{}` is not trusted: there is no terminal to ask on", entry.name), hint));
    }
    if !ui::ask("trust it? [y/N] ")? {
        return Err(denied(format!("`{}` stays untrusted", entry.name), "nothing was changed".into()));
    }
    give(project, entry, options)
}

fn trust_hash(project: &Project, word: &str, options: &Options) -> Result<Exit, Failure> {
    let Some((name, hash)) = word.rsplit_once('@') else {
        let hint = format!("eye servers trust {word} shows what it would run, and its hash");
        return Err(Failure::usage("--yes takes NAME@HASH", hint));
    };
    let entry = project.entry(name)?;
    if entry.hash != hash {
        let hint = format!("it changed: look at it with eye servers trust {name}");
        return Err(denied(format!("the entry of `{name}` does not have the hash {hash}"), hint));
    }
    if entry.trusted {
        return Ok(already(entry, options));
    }
    give(project, entry, options)
}

fn give(project: &Project, entry: &ProjectEntry, options: &Options) -> Result<Exit, Failure> {
    project.keep(|consents| consents.give(&project.folder, &entry.name, &entry.hash))?;
    if !options.errors {
        ui::note(format_args!("{} is trusted in {}; a changed entry asks again", entry.name, project.folder.display()));
    }
    Ok(Exit::Success)
}

fn already(entry: &ProjectEntry, options: &Options) -> Exit {
    if !options.errors {
        ui::note(format_args!("{} is trusted already", entry.name));
    }
    Exit::Success
}

fn revoke(project: &Project, name: &str, options: &Options) -> Result<Exit, Failure> {
    let mut was = false;
    project.keep(|consents| was = consents.withdraw(&project.folder, name))?;
    if !options.errors {
        ui::note(if was { format!("{name} is no longer trusted") } else { format!("{name} was not trusted") });
    }
    Ok(Exit::Success)
}

fn denied(message: String, hint: String) -> Failure {
    Failure::Call(Error::new(Code::DENIED, message).hint(hint))
}

/// What the entry would run, a row for each key. Control characters are made visible.
fn picture(entry: &ProjectEntry, project: &Project) -> String {
    let mut text = format!("{}\n", visible::line(&entry.name));
    let home = Var::Home.folder();
    let own = project.layers.base_of(&entry.name, home.as_deref());
    let base = if entry.layer.cwd.is_some() { &project.layers.base } else { own };
    for (key, value) in rows(entry, base) {
        let _ = writeln!(text, "  {key:<10} {}", visible::line(&value));
    }
    text
}

fn rows(entry: &ProjectEntry, base: &Path) -> Vec<(&'static str, String)> {
    let ProjectEntry { entry: config, layer, hash, over_own, .. } = entry;
    let mut rows: Vec<(&str, String)> = Vec::new();
    let mut row = |key: &'static str, value: Option<String>| rows.extend(value.map(|value| (key, value)));
    row("command", words(config).map(|words| json!(words).to_string()));
    // The project's own URL is shown in full; the user's may hold a secret.
    row("url", layer.url.clone().or_else(|| config.url.as_deref().map(shown_url)));
    row("headers", config.headers.as_ref().map(|headers| names(headers.keys())));
    if config.url.is_none() {
        let cwd =
            config.cwd.as_ref().map_or("where the agent works".into(), |cwd| base.join(cwd).display().to_string());
        row("cwd", Some(cwd));
    }
    let shown = |(name, value): (&String, &String)| {
        let own = layer.env.as_ref().is_some_and(|env| env.contains_key(name));
        if own { format!("{name}={value}") } else { format!("{name} (yours)") }
    };
    row("env", config.env.as_ref().map(|env| env.iter().map(shown).collect::<Vec<_>>().join(", ")));
    row(
        "inherits",
        config.inherit_env.as_ref().map(|inherit| match inherit {
            InheritEnv::All(all) => {
                if *all {
                    "all of your environment".into()
                } else {
                    "nothing".into()
                }
            }
            InheritEnv::Named(some) => some.join(", "),
        }),
    );
    let taken = taken(config);
    row("takes", (!taken.is_empty()).then(|| format!("{} from your environment", taken.join(", "))));
    let early = layer.startup == Some(Startup::WithHub);
    row("starts", Some(if early { "as soon as an agent connects" } else { "when it is first used" }.into()));
    row("enabled", layer.enabled.map(|on| on.to_string()));
    row("allow", layer.allow.as_ref().map(|globs| globs.join(", ")));
    row("deny", layer.deny.as_ref().map(|globs| globs.join(", ")));
    row("replaces", over_own.then(|| "parts of your own entry of this name".into()));
    row("hash", Some(hash.clone()));
    rows
}

fn words(entry: &ServerConfig) -> Option<Vec<String>> {
    let mut words = match entry.command.as_ref()? {
        Command::Program(program) => vec![program.clone()],
        Command::Words(words) => words.clone(),
    };
    words.extend(entry.args.iter().flatten().cloned());
    Some(words)
}

fn names<'a>(names: impl Iterator<Item = &'a String>) -> String {
    names.map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// The variables of the user's environment that an entry refers to, anywhere in it.
fn taken(entry: &ServerConfig) -> Vec<String> {
    let words = words(entry).unwrap_or_default();
    let maps = [&entry.env, &entry.headers].into_iter().flatten().flat_map(|map| map.values());
    let texts = words.iter().chain(&entry.url).chain(&entry.cwd).chain(maps);
    let mut names: Vec<String> = texts.flat_map(|text| variables(text)).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}
