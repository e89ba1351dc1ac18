//! Connects the cluster with the hub: neither crate depends on the other.

use crate::failure::Failure;
use crate::places;
use eye_cluster::cluster;
use eye_cluster::eye_core::elsewhere::{ChangedInterest, ChangedRow};
use eye_cluster::eye_core::{Conn, Effect, Input, Millis, PlainQuestion};
use eye_cluster::settings::{HubStatus, Settings};
use eye_hub::{Cluster, ClusterLink, Guest, Later, Links};
use eye_protocol::limits::PAGES_ELSEWHERE_MAX;
use eye_protocol::messages::Hello;
use eye_protocol::scope::Scope;
use eye_protocol::shared_token::{OwnTokens, SharedToken};
use eye_protocol::status::{Hubs, OtherHub};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::task::{Context, Poll};

/// For the name of a cluster and of a hub.
const NAME_BYTES_MAX: usize = 64;

/// How a hub joins a cluster, as the command line says it.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(skip)]
pub struct Args {
    /// Be one of several hubs that are one service: a server of NATS, such as `nats://host:4222`; several are divided
    /// by commas
    #[arg(long, value_name = "URL", value_delimiter = ',')]
    pub cluster: Vec<String>,
    /// The name of the cluster (default)
    #[arg(long, value_name = "NAME", requires = "cluster")]
    pub cluster_name: Option<String>,
    /// A file of NATS credentials, or of the seed of an nkey
    #[arg(long, value_name = "FILE", requires = "cluster")]
    pub cluster_creds: Option<PathBuf>,
    /// The name of this hub in the cluster (the machine's name and the port)
    #[arg(long, value_name = "NAME", requires = "cluster")]
    pub hub_name: Option<String>,
    /// How many pages of other hubs this hub lists (100000); further ones are looked up when they are asked for
    #[arg(long, value_name = "N", requires = "cluster")]
    pub cluster_pages: Option<usize>,
}

impl Args {
    /// The same flags, for a hub in the background.
    pub fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        let mut flag = |name: &str, value: Option<String>| flags.extend(value.map(|value| format!("--{name}={value}")));
        flag("cluster", (!self.cluster.is_empty()).then(|| self.cluster.join(",")));
        flag("cluster-name", self.cluster_name.clone());
        flag("cluster-creds", self.cluster_creds.as_deref().map(places::absolute));
        flag("hub-name", self.hub_name.clone());
        flag("cluster-pages", self.cluster_pages.map(|pages| pages.to_string()));
        flags
    }
}

/// The cluster as a guest of the hub; `None` without `--cluster`.
pub fn guest(args: Args, port: u16) -> Result<Option<Arc<dyn Guest>>, Failure> {
    if args.cluster.is_empty() {
        return Ok(None);
    }
    let machine = eye_platform::process::machine();
    let machine: String = machine.chars().map(|c| if is_plain(c) { c } else { '-' }).take(NAME_BYTES_MAX / 2).collect();
    let settings = Settings {
        servers: args.cluster,
        cluster: named("--cluster-name", args.cluster_name.unwrap_or_else(|| "default".into()))?,
        hub: named("--hub-name", args.hub_name.unwrap_or_else(|| format!("{machine}-{port}")))?,
        credentials: args.cluster_creds,
        pages_max: args.cluster_pages.unwrap_or(PAGES_ELSEWHERE_MAX),
    };
    Ok(Some(Arc::new(Joined(Arc::new(cluster::Cluster::new(settings))))))
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

/// A name becomes part of a NATS subject, where dots and stars have a meaning.
fn named(flag: &str, name: String) -> Result<String, Failure> {
    if (1..=NAME_BYTES_MAX).contains(&name.len()) && name.chars().all(is_plain) {
        return Ok(name);
    }
    let hint = format!("use 1 to {NAME_BYTES_MAX} letters, digits, hyphens or underscores");
    Err(Failure::usage(format!("{flag} `{name}` cannot be a name"), hint))
}

#[derive(Debug)]
struct Joined(Arc<cluster::Cluster>);

impl Guest for Joined {
    fn begin(&self, links: Links) {
        self.0.begin(Arc::new(ThisHub(links.cluster_link())));
    }

    fn cluster(&self) -> Option<Arc<dyn Cluster>> {
        Some(Arc::new(Self(self.0.clone())))
    }

    fn settled(&self) -> Later<()> {
        Box::pin(self.0.settled())
    }

    fn metrics(&self) -> String {
        let status = self.0.status();
        let hubs = status.hubs.len();
        let (up, out, parts) = (u8::from(status.up), status.calls_out, status.parts);
        let mut text = format!(
            "eye_cluster_up {up}\neye_cluster_hubs {hubs}\neye_cluster_calls_out {out}\neye_cluster_parts {parts}\n"
        );
        for HubStatus { name, pages } in &status.hubs {
            let _ = writeln!(text, "eye_cluster_pages{{hub=\"{name}\"}} {pages}");
        }
        text
    }

    fn shut_down(&self) -> Later<()> {
        Box::pin(self.0.stop())
    }
}

impl Cluster for Joined {
    fn effect(&self, effect: Effect) -> usize {
        self.0.effect(effect)
    }

    fn rows(&self, rows: Vec<ChangedRow>) {
        self.0.rows(rows);
    }

    fn interests(&self, changed: Vec<ChangedInterest>) {
        self.0.interests(changed);
    }

    fn calls_out(&self) -> usize {
        self.0.calls_out()
    }

    fn hubs(&self) -> Hubs {
        let status = self.0.status();
        let mut others: Vec<OtherHub> =
            status.hubs.into_iter().map(|hub| OtherHub { name: hub.name, pages: hub.pages }).collect();
        others.sort_by(|a, b| a.name.cmp(&b.name));
        Hubs { cluster: status.cluster, own: status.hub, up: status.up, others, partial: status.partial }
    }

    fn problem(&self) -> Option<String> {
        let status = self.0.status();
        status.problem.map(|problem| format!("cluster `{}`: {problem}", status.cluster))
    }
}

#[derive(Debug)]
struct ThisHub(ClusterLink);

impl eye_cluster::HubHandle for ThisHub {
    fn enter(&self, scope: Scope, hello: Hello) -> Conn {
        self.0.enter(scope, hello)
    }

    fn leave(&self, conn: Conn) {
        self.0.leave(conn);
    }

    fn feed(&self, input: Input) {
        self.0.feed(input);
    }

    fn ask_plainly(&self, agent: Conn, asked: &PlainQuestion<'_>) -> bool {
        self.0.ask_plainly(agent, asked)
    }

    fn turn(&self, work: &mut dyn FnMut()) {
        self.0.turn(work);
    }

    fn poll_queued(&self, context: &Context<'_>) -> Poll<()> {
        self.0.poll_queued(context)
    }

    fn now(&self) -> Millis {
        self.0.now()
    }

    fn want_rows(&self) {
        self.0.want_rows();
    }

    fn changed_tokens(&self) -> Option<OwnTokens> {
        self.0.changed_tokens()
    }

    fn take_tokens(&self, tokens: Vec<SharedToken>) {
        self.0.take_tokens(tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_into_a_subject() {
        assert!(named("--hub-name", "a-1_B".into()).is_ok());
        assert!(named("--hub-name", "x".repeat(NAME_BYTES_MAX)).is_ok());
        for name in [String::new(), "a.b".into(), "*".into(), "a b".into(), ">".into(), "x".repeat(NAME_BYTES_MAX + 1)]
        {
            assert!(named("--hub-name", name).is_err());
        }
    }
}
