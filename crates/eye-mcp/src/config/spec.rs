//! A server's config with variables replaced and values checked, ready to start.

use super::environment;
use super::expand::{Unset, expand, variables};
use super::model::{Approve, Command, EraChoice, InheritEnv, ServerConfig, Startup};
use super::shown::shown_url;
use crate::limits;
use crate::project::Project;
use http::Uri;
use http::uri::InvalidUri;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use wildmatch::WildMatch;

/// How a server is reached. Servers with equal transports can share one instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// A child process that speaks on stdin and stdout.
    Child {
        program: String,
        args: Vec<String>,
        /// Variables that the entry sets, besides the usual ones of the agent.
        env: BTreeMap<String, String>,
        cwd: PathBuf,
    },
    /// Streamable HTTP.
    Http {
        url: String,
        /// The URL with secrets hidden, for printing.
        shown: String,
        /// Headers of every request.
        headers: BTreeMap<String, String>,
    },
}

#[derive(Clone, Debug)]
pub struct Spec {
    pub name: Box<str>,
    pub transport: Transport,
    /// The limit for one call.
    pub timeout: Duration,
    pub startup: Startup,
    /// How long results of read-only tools are kept; zero keeps none.
    pub cache_ttl: Duration,
    pub era: EraChoice,
    /// Whether its tools wait for the user's approval.
    pub approves_tools: bool,
    /// Whether it gets the agent's whole environment.
    inherits_all: bool,
    /// The variables that the config refers to, with their values: these are redacted from printed text.
    taken: BTreeMap<String, String>,
    allow: Option<Vec<WildMatch>>,
    deny: Vec<WildMatch>,
}

/// The longest time that an entry may set, in seconds: a day.
const SECONDS_MAX: f64 = 86_400.0;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    #[error("it has both a command and a url; keep one")]
    Both,
    #[error("it has neither a command nor a url; add one")]
    Neither,
    #[error("its command is empty")]
    EmptyCommand,
    /// A variable that is not set in the agent's environment.
    #[error("{unset}; set it where the agent runs, or write ${{{name}:-default}}", unset = Unset::Variable(.0.clone()), name = .0)]
    Unset(String),
    /// `${` without `}`.
    #[error("{}", Unset::Open)]
    Open,
    #[error("its url `{shown}` is none: {error}")]
    Url {
        /// The URL with secrets hidden.
        shown: String,
        /// The parser's message.
        error: String,
    },
    /// Not `http` or `https`, or without a host.
    #[error("its url `{0}` must begin with http:// or https:// and name a host")]
    Scheme(String),
    #[error("its {0} must lie between 0 and {SECONDS_MAX} seconds")]
    Seconds(&'static str),
}

impl From<Unset> for SpecError {
    fn from(unset: Unset) -> Self {
        match unset {
            Unset::Variable(name) => Self::Unset(name),
            Unset::Open => Self::Open,
        }
    }
}

/// The shortest value that is redacted: a shorter one would match in ordinary words.
const SECRET_BYTES_MIN: usize = 6;

impl Spec {
    /// Resolves a server's config for a project. `base` is the base of a relative `cwd`.
    pub fn new(name: &str, config: &ServerConfig, project: &Project, base: &Path) -> Result<Self, SpecError> {
        let taken = RefCell::new(BTreeMap::new());
        let text = |text: &str| {
            for name in variables(text) {
                if let Some(value) = project.env.get(name).filter(|value| value.len() >= SECRET_BYTES_MIN) {
                    taken.borrow_mut().insert(name.to_owned(), value.clone());
                }
            }
            expand(text, &project.env).map_err(SpecError::from)
        };
        let map = |texts: &Option<indexmap::IndexMap<String, String>>| {
            let pairs = texts.iter().flatten().map(|(name, value)| Ok((name.clone(), text(value)?)));
            pairs.collect::<Result<BTreeMap<String, String>, SpecError>>()
        };
        let transport = match (&config.command, &config.url) {
            (Some(_), Some(_)) => return Err(SpecError::Both),
            (None, None) => return Err(SpecError::Neither),
            (Some(command), None) => {
                let words = match command {
                    Command::Program(program) => std::slice::from_ref(program),
                    Command::Words(words) => words,
                };
                let all = words.iter().chain(config.args.iter().flatten());
                let mut words = all.map(|word| text(word)).collect::<Result<Vec<_>, _>>()?.into_iter();
                let program = words.next().filter(|program| !program.is_empty()).ok_or(SpecError::EmptyCommand)?;
                let cwd = match &config.cwd {
                    Some(cwd) => base.join(text(cwd)?),
                    None => project.cwd.clone(),
                };
                let mut env = inherited(config, &project.env);
                env.extend(map(&config.env)?);
                Transport::Child { program, args: words.collect(), env, cwd }
            }
            (None, Some(url)) => {
                let shown = shown_url(url);
                let url = text(url)?;
                let uri: Uri = url
                    .parse()
                    .map_err(|error: InvalidUri| SpecError::Url { shown: shown.clone(), error: error.to_string() })?;
                if !matches!(uri.scheme_str(), Some("http" | "https")) || uri.host().is_none_or(str::is_empty) {
                    return Err(SpecError::Scheme(shown));
                }
                Transport::Http { url, shown, headers: map(&config.headers)? }
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
            approves_tools: config.approve == Some(Approve::Ask),
            inherits_all: config.inherit_env == Some(InheritEnv::All(true)),
            taken: taken.into_inner(),
            allow: config.allow.as_ref().map(globs),
            deny: config.deny.as_ref().map(globs).unwrap_or_default(),
        })
    }

    /// The whole environment of the server's process, from that of the agent that asks.
    pub fn environment(&self, asking: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let passes = |name: &str| self.inherits_all || environment::is_common(name);
        let mut merged: BTreeMap<String, String> =
            asking.iter().filter(|(name, _)| passes(name)).map(|(name, value)| (name.clone(), value.clone())).collect();
        if let Transport::Child { env, .. } = &self.transport {
            merged.extend(env.clone());
        }
        merged
    }

    /// Lists the agent's variables that the server's process did not get, for a server that failed to start.
    pub fn withheld(&self, asking: &BTreeMap<String, String>, last_words: &str) -> Option<String> {
        match &self.transport {
            Transport::Child { env, .. } if !self.inherits_all => environment::withheld(asking, env, last_words),
            Transport::Child { .. } | Transport::Http { .. } => None,
        }
    }

    /// Replaces the values of the config's variables in a text with their names.
    pub fn redact(&self, text: &str) -> String {
        self.taken.iter().fold(text.to_owned(), |text, (name, value)| text.replace(value, &format!("${{{name}}}")))
    }

    /// Whether `allow` and `deny` let a tool of this name through.
    pub fn offers(&self, tool: &str) -> bool {
        let fits = |globs: &[WildMatch]| globs.iter().any(|glob| glob.matches(tool));
        self.allow.as_deref().is_none_or(fits) && !fits(&self.deny)
    }
}

/// The agent's variables that `inherit_env` names.
fn inherited(config: &ServerConfig, asking: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    match &config.inherit_env {
        Some(InheritEnv::Named(names)) => {
            names.iter().filter_map(|name| Some((name.clone(), asking.get(name)?.clone()))).collect()
        }
        Some(InheritEnv::All(_)) | None => BTreeMap::new(),
    }
}

fn seconds(given: Option<f64>, default: Duration, key: &'static str) -> Result<Duration, SpecError> {
    match given {
        None => Ok(default),
        Some(s) if (0.0..=SECONDS_MAX).contains(&s) => Ok(Duration::from_secs_f64(s)),
        Some(_) => Err(SpecError::Seconds(key)),
    }
}
