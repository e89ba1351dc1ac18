//! `eye status`: is there a hub, and what does it do.

use crate::client::{self, Absent};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui;
use eye_protocol::messages::Status;
use eye_protocol::rpc;
use serde_json::json;

/// Tell whether a hub runs, and what it does
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: eye status\n         eye status --json\n\nStarts no hub; exits with 3 when none runs."
)]
pub struct Args {}

/// Asks the hub and prints what it says.
pub fn run(_: &Args, options: &Options) -> Result<Exit, Failure> {
    let status = ask(options)?;
    if options.json {
        ui::line(rpc::json(&status))?;
    } else if !options.errors {
        ui::text_out(&lines(&status))?;
    }
    Ok(Exit::Success)
}

/// The status of the hub that runs, if one does.
pub fn ask(options: &Options) -> Result<Status, Failure> {
    client::call("hub/status", &json!({}), options, Absent::Report)
}

/// Where a hub listens, as a URL.
pub fn url(status: &Status) -> String {
    if status.listen.contains("://") { status.listen.clone() } else { format!("http://{}", status.listen) }
}

fn lines(status: &Status) -> String {
    let url = url(status);
    let count = |n: usize, one: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") };
    format!(
        "hub {} (pid {}), up {}\nlistens on {url}, auth {}\nsocket {}\n{}, {}, {}, {} under way\njoin with <script src=\"{url}/eye.js\"></script>\n",
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

fn duration(ms: u64) -> String {
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
