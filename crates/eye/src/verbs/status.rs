//! `eye status`: reports whether a hub runs, and its load.

use crate::client::{self, Absent};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui;
use eye_protocol::status::{Hubs, OtherHub, Status};
use eye_protocol::{Code, rpc};
use eye_remote::relay::RelayStatus;
use serde::Serialize;
use serde_json::json;

/// Tell whether a hub runs, and what it does
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: eye status\n         eye status --json\n         eye status --cluster\n\nStarts no hub; exits with 3 when none runs."
)]
pub struct Args {
    /// Print the hubs of the cluster instead, with the pages of each
    #[arg(long)]
    cluster: bool,
}

pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    if args.cluster {
        return cluster(options);
    }
    let Some(relay) = relay(options)? else {
        let status = ask(options)?;
        if options.json {
            ui::line(rpc::json(&status))?;
        } else if !options.errors {
            ui::text_out(&lines(&status))?;
        }
        return Ok(Exit::Success);
    };
    // The relay's status is printed even when the hub behind it does not answer.
    let hub = ask(options);
    if options.json {
        ui::line(rpc::json(&Both { hub: hub.as_ref().ok(), relay: &relay }))?;
    } else if !options.errors {
        ui::text_out(&relay_lines(&relay))?;
        ui::text_out(&hub.as_ref().map(lines).unwrap_or_default())?;
    }
    hub.map(|_| Exit::Success)
}

fn cluster(options: &Options) -> Result<Exit, Failure> {
    let status = ask(options)?;
    let Some(hubs) = &status.cluster else {
        let hint = "eye up --cluster nats://HOST:4222 makes it one of several";
        return Err(Failure::usage("this hub is alone", hint));
    };
    if options.json {
        ui::line(rpc::json(hubs))?;
    } else if !options.errors {
        ui::text_out(&hub_lines(hubs, status.pages))?;
    }
    Ok(Exit::Success)
}

/// Printed when other hubs may hold more pages than this one lists.
pub const NOT_ALL: &str = "other hubs may hold more pages than this one lists; name one, and it is looked up";

fn hub_lines(hubs: &Hubs, own_pages: usize) -> String {
    let Hubs { cluster, own, up, others, partial } = hubs;
    let link = if *up { "linked" } else { "not linked: only pages of this hub are there" };
    let here = format!("cluster {cluster}, {link}\n{own}  {}, this hub\n", count(own_pages, "page"));
    let (least, rest) = if *partial { ("at least ", format!("{NOT_ALL}\n")) } else { ("", String::new()) };
    let other = |OtherHub { name, pages }: &OtherHub| format!("{name}  {least}{}\n", count(*pages, "page"));
    std::iter::once(here).chain(others.iter().map(other)).chain([rest]).collect()
}

/// The remote hub's status with the relay's added.
#[derive(Serialize)]
struct Both<'a> {
    #[serde(flatten)]
    hub: Option<&'a Status>,
    relay: &'a RelayStatus,
}

/// The status of the relay that has the socket; `None` when a hub has it.
pub fn relay(options: &Options) -> Result<Option<RelayStatus>, Failure> {
    match client::call("relay/status", &json!({}), options, Absent::Report) {
        Ok(status) => Ok(Some(status)),
        // A hub does not have the relay's methods.
        Err(Failure::Call(error)) if error.code == Code::METHOD => Ok(None),
        Err(failure) => Err(failure),
    }
}

fn relay_lines(relay: &RelayStatus) -> String {
    let how = relay.transport.name();
    let since = duration(relay.since_ms);
    let link = if relay.connected {
        let warm = count(relay.warm, "warm link");
        let trip = relay.round_trip_us.map_or_else(String::new, |us| format!(", round trip {}", milliseconds(us)));
        format!("connected to {} by {how} for {since}; {warm}{trip}", relay.url)
    } else {
        format!("not connected to {} by {how} for {since}: {}", relay.url, relay.why.as_deref().unwrap_or("it is gone"))
    };
    let agents = count(relay.agents, "agent");
    format!("{link}\nrelay {} (pid {}) on {}, {agents}\n", relay.version, relay.pid, relay.socket)
}

/// A number with its noun, in the plural if needed.
pub fn count(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

fn milliseconds(us: u64) -> String {
    format!("{}.{} ms", us / 1000, us % 1000 / 100)
}

/// The status of the hub; fails if none runs.
pub fn ask(options: &Options) -> Result<Status, Failure> {
    client::call("hub/status", &json!({}), options, Absent::Report)
}

/// The address on which a hub listens, as a URL.
pub fn url(status: &Status) -> String {
    if status.listen.contains("://") { status.listen.clone() } else { format!("http://{}", status.listen) }
}

fn lines(status: &Status) -> String {
    let url = url(status);
    let problems = status.problems.iter().fold(String::new(), |text, problem| text + "problem: " + problem + "\n");
    format!(
        "hub {} (pid {}), up {}\nlistens on {url}, auth {}\nsocket {}\n{}, {}, {}, {} under way\njoin with <script src=\"{url}/eye.js\"></script>\n{problems}",
        status.version,
        status.pid,
        duration(status.uptime_ms),
        status.auth,
        status.socket,
        count(status.pages, "page"),
        count(status.sessions, "session"),
        count(status.agents, "agent"),
        count(status.pending, "call"),
    )
}

/// A duration in words.
pub fn duration(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds / 3600 % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relay_says_where_to_and_how_well() {
        let mut relay = RelayStatus {
            url: "https://box.local:8765".into(),
            transport: eye_remote::relay::Transport::Ws,
            connected: true,
            since_ms: 61_000,
            warm: 2,
            round_trip_us: Some(12_345),
            why: None,
            agents: 1,
            version: "0.1.0".into(),
            pid: 7,
            socket: "/run/user/1000/eye/hub.sock".into(),
        };
        insta::assert_snapshot!(relay_lines(&relay), @r"
        connected to https://box.local:8765 by WebSocket for 1 min; 2 warm links, round trip 12.3 ms
        relay 0.1.0 (pid 7) on /run/user/1000/eye/hub.sock, 1 agent
        ");
        relay.connected = false;
        relay.why = Some("Connection refused".into());
        assert!(
            relay_lines(&relay)
                .starts_with("not connected to https://box.local:8765 by WebSocket for 1 min: Connection refused\n")
        );
    }

    #[test]
    fn hubs_of_a_cluster_are_a_line_each() {
        let others = vec![OtherHub { name: "b".into(), pages: 2 }];
        let hubs = Hubs { cluster: "default".into(), own: "a".into(), up: true, others, partial: false };
        insta::assert_snapshot!(hub_lines(&hubs, 1), @r"
        cluster default, linked
        a  1 page, this hub
        b  2 pages
        ");
        insta::assert_snapshot!(hub_lines(&Hubs { partial: true, ..hubs.clone() }, 1), @r"
        cluster default, linked
        a  1 page, this hub
        b  at least 2 pages
        other hubs may hold more pages than this one lists; name one, and it is looked up
        ");
        assert!(hub_lines(&Hubs { up: false, ..hubs }, 1).starts_with("cluster default, not linked"));
    }

    #[test]
    fn status_is_a_few_lines() {
        let status = Status {
            version: "0.1.0".into(),
            pid: 7,
            uptime_ms: 3_725_000,
            listen: "127.0.0.1:8765".into(),
            socket: "/run/user/1000/eye/hub.sock".into(),
            auth: "token".into(),
            pages: 1,
            sessions: 2,
            agents: 1,
            pending: 0,
            problems: Vec::new(),
            cluster: None,
        };
        insta::assert_snapshot!(lines(&status), @r#"
        hub 0.1.0 (pid 7), up 1 h 2 min
        listens on http://127.0.0.1:8765, auth token
        socket /run/user/1000/eye/hub.sock
        1 page, 2 sessions, 1 agent, 0 calls under way
        join with <script src="http://127.0.0.1:8765/eye.js"></script>
        "#);
    }
}
