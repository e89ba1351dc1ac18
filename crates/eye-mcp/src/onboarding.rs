//! Onboarding: instructions for identities, in files that outlive sessions. Off unless the config enables it.

use crate::limits::{ONBOARDING_BYTES_MAX, ONBOARDING_HISTORY_LEN_MAX};
use eye_platform::files;
use eye_protocol::{Code, Error};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

const IDENTITY_BYTES_MAX: usize = 100;

/// Arguments of the tool `onboarding`.
#[derive(Clone, Debug, Deserialize)]
pub struct Arguments {
    pub identity: String,
    /// The new instructions; absent to read the current ones.
    #[serde(default)]
    pub instructions: Option<String>,
    /// Adds to the current instructions instead of replacing them.
    #[serde(default)]
    pub append: bool,
}

/// A request to one of the onboarding tools.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// `onboarding`: reads or sets an identity's instructions.
    Told(Arguments),
    /// `onboarding_list`: lists identities with instructions.
    List,
    /// `onboarding_delete`: deletes an identity's instructions.
    Delete(String),
}

#[derive(Deserialize)]
struct DeleteArguments {
    identity: String,
}

impl Wanted {
    /// Parses the arguments of one of the three tools.
    pub fn of(tool: &str, arguments: &str) -> Result<Self, serde_json::Error> {
        Ok(match tool {
            "onboarding_list" => Self::List,
            "onboarding_delete" => Self::Delete(serde_json::from_str::<DeleteArguments>(arguments)?.identity),
            _ => Self::Told(serde_json::from_str(arguments)?),
        })
    }
}

/// The identity whose instructions apply to all identities without their own.
const DEFAULT_IDENTITY: &str = "default";
/// The answer if that identity has none either.
const DEFAULT_TEXT: &str = "No instructions were left for you yet. `onboarding` with `instructions` leaves some; what is told \
                            to the identity `default` is told to everyone without their own.";

#[derive(Default, Deserialize, Serialize)]
struct Record {
    identity: String,
    current: String,
    created_at: u64,
    updated_at: u64,
    #[serde(default)]
    history: Vec<Former>,
}

#[derive(Deserialize, Serialize)]
struct Former {
    timestamp: u64,
    instructions: String,
}

/// The folder with one file per identity.
#[derive(Clone, Debug)]
pub struct Onboarding {
    folder: PathBuf,
}

impl Onboarding {
    /// The folder is created with the first instructions.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Answers a request. `now_s` is Unix time in seconds.
    pub fn answer(&self, wanted: &Wanted, now_s: u64) -> Result<String, Error> {
        match wanted {
            Wanted::List => self.list(),
            Wanted::Delete(identity) => self.delete(checked(identity)?),
            Wanted::Told(arguments) => {
                let identity = checked(&arguments.identity)?;
                if let Some(instructions) = &arguments.instructions {
                    return self.write_instructions(identity, instructions, arguments.append, now_s);
                }
                let found =
                    self.read(identity)?.map_or_else(|| self.read(DEFAULT_IDENTITY), |record| Ok(Some(record)))?;
                Ok(found.map_or_else(|| DEFAULT_TEXT.to_owned(), |record| record.current))
            }
        }
    }

    fn list(&self) -> Result<String, Error> {
        let files = match fs::read_dir(&self.folder) {
            Ok(files) => files,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok("no identity has been told anything yet".into());
            }
            Err(error) => return Err(self.failed("", &error)),
        };
        let records = files.flatten().filter(|file| file.path().extension().is_some_and(|kind| kind == "json"));
        let texts = records.filter_map(|file| fs::read_to_string(file.path()).ok());
        let mut names: Vec<String> =
            texts.filter_map(|text| serde_json::from_str::<Record>(&text).ok()).map(|record| record.identity).collect();
        names.sort();
        Ok(if names.is_empty() { "no identity has been told anything yet".into() } else { names.join("\n") })
    }

    fn delete(&self, identity: &str) -> Result<String, Error> {
        match fs::remove_file(self.file(identity)) {
            Ok(()) => Ok(format!("Onboarding deleted for {identity}.")),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let error = Error::new(Code::PARAMS, format!("nothing was told to {identity}"));
                Err(error.hint("`onboarding_list` tells who was"))
            }
            Err(error) => Err(self.failed(identity, &error)),
        }
    }

    fn write_instructions(
        &self,
        identity: &str,
        instructions: &str,
        append: bool,
        now_s: u64,
    ) -> Result<String, Error> {
        let mut record = self.read(identity)?.unwrap_or_else(|| Record {
            identity: identity.to_owned(),
            created_at: now_s,
            ..Record::default()
        });
        let next = if append && !record.current.is_empty() {
            format!("{}\n\n{instructions}", record.current)
        } else {
            instructions.to_owned()
        };
        if next.len() > ONBOARDING_BYTES_MAX {
            let message = format!("instructions have at most {} KiB", ONBOARDING_BYTES_MAX >> 10);
            return Err(Error::new(Code::PARAMS, message).hint("replace them by shorter ones"));
        }
        let former = std::mem::replace(&mut record.current, next);
        if !former.is_empty() {
            record.history.push(Former { timestamp: record.updated_at, instructions: former });
            let over = record.history.len().saturating_sub(ONBOARDING_HISTORY_LEN_MAX);
            record.history.drain(..over);
        }
        record.updated_at = now_s;
        self.write(identity, &record)?;
        let how = if append { "appended" } else { "set" };
        Ok(format!("Onboarding {how} for {identity}.\n\nInstructions:\n{}", record.current))
    }

    /// The identity's file. Characters that could leave the folder are replaced.
    fn file(&self, identity: &str) -> PathBuf {
        let clean = |c: char| if c.is_alphanumeric() || "-_ @".contains(c) { c } else { '_' };
        self.folder.join(format!("{}.json", identity.chars().map(clean).collect::<String>()))
    }

    fn read(&self, identity: &str) -> Result<Option<Record>, Error> {
        match fs::read_to_string(self.file(identity)) {
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(|error| self.failed(identity, &error)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.failed(identity, &error)),
        }
    }

    fn write(&self, identity: &str, record: &Record) -> Result<(), Error> {
        let file = self.file(identity);
        let draft = file.with_extension("draft");
        let written = fs::create_dir_all(&self.folder).and_then(|()| {
            let mut how = fs::OpenOptions::new();
            let mut out = files::private(how.write(true).create(true).truncate(true)).open(&draft)?;
            out.write_all(&serde_json::to_vec_pretty(record)?)?;
            drop(out);
            fs::rename(&draft, &file)
        });
        written.map_err(|error| self.failed(identity, &error))
    }

    fn failed(&self, identity: &str, error: &dyn std::fmt::Display) -> Error {
        Error::new(Code::INTERNAL, format!("{} cannot be used: {error}", self.file(identity).display()))
    }
}

fn checked(identity: &str) -> Result<&str, Error> {
    let identity = identity.trim();
    if identity.is_empty() || identity.len() > IDENTITY_BYTES_MAX {
        return Err(Error::new(Code::PARAMS, format!("an identity has 1 to {IDENTITY_BYTES_MAX} bytes")));
    }
    Ok(identity)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(identity: &str, instructions: Option<&str>, append: bool) -> Wanted {
        Wanted::Told(Arguments { identity: identity.into(), instructions: instructions.map(str::to_owned), append })
    }

    #[test]
    fn an_identity_without_text_gets_the_default_and_identities_are_listed_and_deleted() {
        let home = tempfile::tempdir().unwrap();
        let store = Onboarding::new(home.path().join("onboarding"));
        assert_eq!(store.answer(&Wanted::List, 1).unwrap(), "no identity has been told anything yet");
        assert_eq!(store.answer(&ask("claude", None, false), 1).unwrap(), DEFAULT_TEXT);
        store.answer(&ask("default", Some("Read the README."), false), 1).unwrap();
        assert_eq!(store.answer(&ask("claude", None, false), 2).unwrap(), "Read the README.");
        store.answer(&ask("claude", Some("Be brief."), false), 2).unwrap();
        assert_eq!(store.answer(&ask("claude", None, false), 2).unwrap(), "Be brief.");
        assert_eq!(store.answer(&Wanted::List, 3).unwrap(), "claude\ndefault");
        let delete = Wanted::of("onboarding_delete", r#"{"identity":"claude"}"#).unwrap();
        assert_eq!(store.answer(&delete, 4).unwrap(), "Onboarding deleted for claude.");
        assert_eq!(store.answer(&delete, 4).unwrap_err().code, Code::PARAMS);
        assert_eq!(store.answer(&Wanted::List, 5).unwrap(), "default");
    }

    #[test]
    fn the_text_of_an_identity_is_kept_and_added_to() {
        let home = tempfile::tempdir().unwrap();
        let store = Onboarding::new(home.path().join("onboarding"));
        let reply = store.answer(&ask("claude", Some("Be brief."), false), 2).unwrap();
        assert_eq!(reply, "Onboarding set for claude.\n\nInstructions:\nBe brief.");
        store.answer(&ask("claude", Some("Be kind."), true), 3).unwrap();
        assert_eq!(store.answer(&ask(" claude ", None, false), 4).unwrap(), "Be brief.\n\nBe kind.");
        for n in 0..ONBOARDING_HISTORY_LEN_MAX + 5 {
            store.answer(&ask("claude", Some(&n.to_string()), false), 5).unwrap();
        }
        assert_eq!(store.read("claude").unwrap().unwrap().history.len(), ONBOARDING_HISTORY_LEN_MAX);
    }

    #[test]
    fn an_identity_is_never_a_path_and_instructions_have_an_end() {
        let home = tempfile::tempdir().unwrap();
        let store = Onboarding::new(home.path().join("in"));
        store.answer(&ask("../../x", Some("a"), false), 1).unwrap();
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
        assert_eq!(fs::read_dir(home.path().join("in")).unwrap().count(), 1);
        for identity in ["", "  ", &"x".repeat(IDENTITY_BYTES_MAX + 1)] {
            assert!(store.answer(&ask(identity, Some("a"), false), 1).is_err());
        }
        let most = "x".repeat(ONBOARDING_BYTES_MAX);
        assert!(store.answer(&ask("a", Some(&most), false), 1).is_ok());
        assert!(store.answer(&ask("a", Some("x"), true), 1).is_err());
    }
}
