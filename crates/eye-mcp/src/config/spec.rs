//! A server's config made whole: variables replaced, checked, and ready to start.

use super::environment;
use super::expand::{Unset, expand, variables};
use super::model::{Approve, Command, EraChoice, InheritEnv, ServerConfig, Startup};
use super::shown::shown_url;
use crate::context::Project;
use crate::limits;
use hyper::Uri;
use hyper::http::uri::InvalidUri;
use std::cell::RefCell;
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
        /// What its entry gives it besides the usual variables of the agent.
        env: BTreeMap<String, String>,
        /// Where it runs.
        cwd: PathBuf,
    },
    /// Streamable HTTP.
    Http {
        /// The address.
        url: String,
        /// The address as it may be printed.
        shown: String,
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
    /// Whether its tools wait for the user's approval.
    pub asks_for_tools: bool,
    /// Whether it gets all of the agent's environment.
    inherits_all: bool,
    /// The variables that its config takes, with their values: they are kept out of what is printed.
    taken: BTreeMap<String, String>,
    allow: Option<Vec<WildMatch>>,
    deny: Vec<WildMatch>,
}

/// The longest time that an entry may name, in seconds: a day.
const SECONDS_MAX: f64 = 86_400.0;

/// Why an entry cannot be used here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// Two ways to reach it.
    #[error("it has both a command and a url; keep one")]
    Both,
    /// No way to reach it.
    #[error("it has neither a command nor a url; add one")]
    Neither,
    /// A command without a program.
    #[error("its command is empty")]
    EmptyCommand,
    /// A variable that the agent does not have.
    #[error("{unset}; set it where the agent runs, or write ${{{name}:-default}}", unset = Unset::Variable(.0.clone()), name = .0)]
    Unset(String),
    /// `${` without its `}`.
    #[error("{}", Unset::Open)]
    Open,
    /// An address that cannot be read.
    #[error("its url `{shown}` is none: {error}")]
    Url {
        /// The address, without secrets.
        shown: String,
        /// What is wrong with it.
        error: String,
    },
    /// An address of another kind.
    #[error("its url `{0}` must begin with http:// or https:// and name a host")]
    Scheme(String),
    /// A time beyond its limits.
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

/// A shorter value of a variable is not looked for in what is printed: it would be found in ordinary words.
const SECRET_BYTES_MIN: usize = 6;

impl Spec {
    /// Makes a server's config whole for a project. `base` is what a relative `cwd` is relative to.
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
            asks_for_tools: config.approve == Some(Approve::Ask),
            inherits_all: config.inherit_env == Some(InheritEnv::All(true)),
            taken: taken.into_inner(),
            allow: config.allow.as_ref().map(globs),
            deny: config.deny.as_ref().map(globs).unwrap_or_default(),
        })
    }

    /// The whole environment of the server's process, out of that of the agent that asks.
    pub fn environment(&self, asking: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let passes = |name: &str| self.inherits_all || environment::is_common(name);
        let mut whole: BTreeMap<String, String> =
            asking.iter().filter(|(name, _)| passes(name)).map(|(name, value)| (name.clone(), value.clone())).collect();
        if let Transport::Child { env, .. } = &self.transport {
            whole.extend(env.clone());
        }
        whole
    }

    /// Names the agent's variables that the server's process did not get, for one that failed to start.
    pub fn withheld(&self, asking: &BTreeMap<String, String>, last_words: &str) -> Option<String> {
        match &self.transport {
            Transport::Child { env, .. } if !self.inherits_all => environment::withheld(asking, env, last_words),
            Transport::Child { .. } | Transport::Http { .. } => None,
        }
    }

    /// A text about the server, with the values of the variables that its config takes replaced by their names.
    pub fn redact(&self, text: &str) -> String {
        self.taken.iter().fold(text.to_owned(), |text, (name, value)| text.replace(value, &format!("${{{name}}}")))
    }

    /// Whether a tool of this name is offered.
    pub fn offers(&self, tool: &str) -> bool {
        let fits = |globs: &[WildMatch]| globs.iter().any(|glob| glob.matches(tool));
        self.allow.as_deref().is_none_or(fits) && !fits(&self.deny)
    }
}

/// The agent's variables that an entry asks for by name.
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
