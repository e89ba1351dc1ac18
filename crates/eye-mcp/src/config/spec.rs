//! A server's config made whole: variables replaced, checked, and ready to start.

use super::expand::{Unset, expand};
use super::model::{Command, EraChoice, ServerConfig, Startup};
use crate::gateway::Project;
use crate::limits;
use hyper::Uri;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use wildmatch::WildMatch;

/// How a server is reached. Two of these that are equal can share one instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// A child that speaks on stdin and stdout.
    Child {
        /// The program.
        program: String,
        /// Its arguments.
        args: Vec<String>,
        /// What is added to the environment of whoever asks.
        env: BTreeMap<String, String>,
        /// Where it runs.
        cwd: PathBuf,
    },
    /// Streamable HTTP.
    Http {
        /// The address.
        url: String,
        /// Headers of every request.
        headers: BTreeMap<String, String>,
    },
}

/// A server, ready to start.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Its name.
    pub name: Box<str>,
    /// How it is reached.
    pub transport: Transport,
    /// How long a call may take.
    pub timeout: Duration,
    /// When it starts.
    pub startup: Startup,
    /// How long results of reading tools are kept; zero keeps none.
    pub cache_ttl: Duration,
    /// Which era.
    pub era: EraChoice,
    allow: Option<Vec<WildMatch>>,
    deny: Vec<WildMatch>,
}

impl Spec {
    /// Makes a server's config whole for a project. `base` is what a relative `cwd` is relative to.
    pub fn new(name: &str, config: &ServerConfig, project: &Project, base: &Path) -> Result<Self, String> {
        let text = |text: &str| expand(text, &project.env).map_err(|unset| said(&unset));
        let map = |texts: &Option<indexmap::IndexMap<String, String>>| {
            let pairs = texts.iter().flatten().map(|(name, value)| Ok((name.clone(), text(value)?)));
            pairs.collect::<Result<BTreeMap<String, String>, String>>()
        };
        let transport = match (&config.command, &config.url) {
            (Some(_), Some(_)) => return Err("it has both a command and a url; keep one".into()),
            (None, None) => return Err("it has neither a command nor a url; add one".into()),
            (Some(command), None) => {
                let words = match command {
                    Command::Program(program) => std::slice::from_ref(program),
                    Command::Words(words) => words,
                };
                let all = words.iter().chain(config.args.iter().flatten());
                let mut words = all.map(|word| text(word)).collect::<Result<Vec<_>, _>>()?.into_iter();
                let program = words.next().filter(|program| !program.is_empty()).ok_or("its command is empty")?;
                let cwd = match &config.cwd {
                    Some(cwd) => base.join(text(cwd)?),
                    None => project.cwd.clone(),
                };
                Transport::Child { program, args: words.collect(), env: map(&config.env)?, cwd }
            }
            (None, Some(url)) => {
                let url = text(url)?;
                let uri: Uri = url.parse().map_err(|error| format!("its url `{url}` is none: {error}"))?;
                if !matches!(uri.scheme_str(), Some("http" | "https")) || uri.host().is_none_or(str::is_empty) {
                    return Err(format!("its url `{url}` must begin with http:// or https:// and name a host"));
                }
                Transport::Http { url, headers: map(&config.headers)? }
            }
        };
        let globs = |globs: &Vec<String>| globs.iter().map(|glob| WildMatch::new(glob)).collect();
        Ok(Self {
            name: name.into(),
            transport,
            timeout: seconds(config.timeout, limits::CALL, "timeout")?,
            startup: config.startup.unwrap_or_default(),
            cache_ttl: seconds(config.cache.as_ref().map(|cache| cache.ttl), Duration::ZERO, "cache.ttl")?,
            era: config.era.unwrap_or_default(),
            allow: config.allow.as_ref().map(globs),
            deny: config.deny.as_ref().map(globs).unwrap_or_default(),
        })
    }

    /// Whether a tool of this name is offered.
    pub fn offers(&self, tool: &str) -> bool {
        let fits = |globs: &[WildMatch]| globs.iter().any(|glob| glob.matches(tool));
        self.allow.as_deref().is_none_or(fits) && !fits(&self.deny)
    }
}

fn seconds(given: Option<f64>, default: Duration, key: &str) -> Result<Duration, String> {
    let day_s = 86_400.0;
    match given {
        None => Ok(default),
        Some(s) if s >= 0.0 && s <= day_s => Ok(Duration::from_secs_f64(s)),
        Some(_) => Err(format!("its {key} must lie between 0 and {day_s} seconds")),
    }
}

fn said(unset: &Unset) -> String {
    match unset {
        Unset::Variable(name) => format!("{unset}; set it where the agent runs, or write ${{{name}:-default}}"),
        Unset::Open(_) => unset.to_string(),
    }
}
