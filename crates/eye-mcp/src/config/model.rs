//! The contents of a config file. Every key is optional, so that layers can be laid over each other.

use super::shown::shown_url;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::{NonZeroU64, NonZeroUsize};

/// One layer, or all of them merged.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The MCP servers behind the gateway, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub servers: IndexMap<String, ServerConfig>,
    /// Offers the meta-tool `onboarding`. Off by default; only in the user's own file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub onboarding: Option<bool>,
    /// How often one client of BTCP over TCP may ask. Only in the user's own file; a hub that runs keeps its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<RateConfig>,
    /// The LLM server of a hub that starts, as `eye up --llm` names it. Counts in the user's own file only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llm: Option<String>,
}

/// How often a client may ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateConfig {
    /// Calls in a second (1000).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_second: Option<NonZeroU64>,
    /// Calls that may come at once before that holds (10000).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst: Option<NonZeroUsize>,
}

/// One server. `command` or `url` says where it is.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServerConfig {
    /// The program to start, alone or with its arguments. It speaks MCP on stdin and stdout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Command>,
    /// Arguments after those in `command`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<String>>,
    /// Variables it gets besides the usual few (`PATH`, `HOME`, …). `${VAR}` and `${VAR:-default}` are replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<IndexMap<String, String>>,
    /// The address of a server that speaks Streamable HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Headers of every request to it, such as `Authorization: Bearer ${TOKEN}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headers: Option<IndexMap<String, String>>,
    /// What people call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it is for, in one sentence; discovery shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `false` switches it off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Where it runs; relative to the project, in your own config to your home. Without it, where the agent works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// How long one call may take, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
    /// When it starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub startup: Option<Startup>,
    /// Only tools that fit one of these are offered; `*` and `?` stand for anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    /// Tools that fit one of these are not offered, whatever `allow` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deny: Option<Vec<String>>,
    /// Keeps the results of tools that say they only read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<Cache>,
    /// Which era of MCP it speaks; found out when not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub era: Option<EraChoice>,
    /// Whether its tools wait for `eye servers approve`, when they are new or changed. A project's always do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approve: Option<Approve>,
    /// Which variables of the agent's environment it gets: `true` for all, or their names. Only in the user's own file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inherit_env: Option<InheritEnv>,
}

/// Which variables of the agent's environment a server gets.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum InheritEnv {
    /// All, or none but the usual.
    All(bool),
    /// These, besides the usual.
    Named(Vec<String>),
}

/// A program, or a program with arguments.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Command {
    /// The program.
    Program(String),
    /// The program and its first arguments.
    Words(Vec<String>),
}

/// When a server starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Startup {
    /// When it is first used.
    #[default]
    FirstUse,
    /// As soon as its config is known.
    WithHub,
}

/// How results are kept.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cache {
    /// For how long, in seconds.
    pub ttl: f64,
}

/// Whether tools of a server wait for the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Approve {
    /// No; a changed one is told.
    Always,
    /// Yes, new and changed ones.
    Ask,
}

/// Which era of MCP a server speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EraChoice {
    /// `initialize` first; `server/discover` when it knows no such thing.
    #[default]
    Auto,
    /// 2025-11-25 and older: sessions.
    Legacy,
    /// 2026-07-28: stateless.
    Modern,
}

impl Config {
    /// Lays another layer over this one: its keys replace ours, the others stay.
    #[must_use]
    pub fn under(mut self, over: Self) -> Self {
        for (name, server) in over.servers {
            let merged = self.servers.shift_remove(&name).unwrap_or_default().under(server);
            self.servers.insert(name, merged);
        }
        self.onboarding = over.onboarding.or(self.onboarding);
        self.rate = over.rate.or(self.rate);
        // `llm` is not merged: a project must not choose where prompts go.
        self
    }
}

impl ServerConfig {
    /// Lays another entry over this one.
    #[must_use]
    pub fn under(self, over: Self) -> Self {
        // An entry that names a new command or URL drops the old transport: headers and variables of one server are
        // never sent to another.
        let under = if over.command.is_some() || over.url.is_some() { self.without_transport() } else { self };
        let joined =
            |under: Option<IndexMap<String, String>>, over: Option<IndexMap<String, String>>| match (under, over) {
                (Some(mut under), Some(over)) => {
                    under.extend(over);
                    Some(under)
                }
                (under, over) => over.or(under),
            };
        Self {
            command: over.command.or(under.command),
            args: over.args.or(under.args),
            env: joined(under.env, over.env),
            url: over.url.or(under.url),
            headers: joined(under.headers, over.headers),
            name: over.name.or(under.name),
            description: over.description.or(under.description),
            enabled: over.enabled.or(under.enabled),
            cwd: over.cwd.or(under.cwd),
            timeout: over.timeout.or(under.timeout),
            startup: over.startup.or(under.startup),
            allow: over.allow.or(under.allow),
            deny: over.deny.or(under.deny),
            cache: over.cache.or(under.cache),
            era: over.era.or(under.era),
            approve: over.approve.or(under.approve),
            inherit_env: over.inherit_env.or(under.inherit_env),
        }
    }

    fn without_transport(self) -> Self {
        Self { command: None, args: None, env: None, url: None, headers: None, cwd: None, inherit_env: None, ..self }
    }

    /// The command or URL as written: variables are not replaced, and secrets in a URL are left out.
    pub fn shown(&self) -> Vec<String> {
        let mut words = match &self.command {
            Some(Command::Program(program)) => vec![program.clone()],
            Some(Command::Words(words)) => words.clone(),
            None => self.url.iter().map(|url| shown_url(url)).collect(),
        };
        words.extend(self.args.iter().flatten().cloned());
        words
    }
}
