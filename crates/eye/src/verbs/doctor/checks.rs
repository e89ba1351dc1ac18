//! The checks of `eye doctor`: each examines one thing and returns a finding.

use crate::certificate::{self, CertificateError, CertificateFolder};
use crate::client::{self, Absent};
use crate::env::Var;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::verbs::status;
use crate::{places, start};
use eye_hub::origins::Origins;
use eye_platform::{files, process, user};
use eye_protocol::messages::{Presence, Sessions};
use eye_protocol::status::Status;
use serde::Serialize;
use serde_json::json;
use std::borrow::Cow;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Timeout for the hub's HTTP answer.
const HTTP: Duration = Duration::from_secs(2);

/// The result of one check.
#[derive(Debug, Serialize)]
pub struct Finding {
    /// The thing that was checked.
    pub what: &'static str,
    pub ok: bool,
    pub found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The exit code with which a command would fail because of this. `None` if nothing is wrong.
    #[serde(skip)]
    pub exit: Option<Exit>,
}

impl Finding {
    pub fn good(what: &'static str, found: impl Into<String>) -> Self {
        Self { what, ok: true, found: found.into(), hint: None, exit: None }
    }

    pub fn bad(what: &'static str, exit: Exit, found: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what, ok: false, found: found.into(), hint: Some(hint.into()), exit: Some(exit) }
    }

    /// A finding from the failure that a command would report.
    pub fn failed(what: &'static str, failure: &Failure) -> Self {
        let hint = failure.hint().map(Cow::into_owned);
        Self { what, ok: false, found: failure.to_string(), hint, exit: Some(failure.exit()) }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Runs all checks, and with `fix` repairs on the way.
pub fn all(fix: bool, options: &Options) -> Vec<Finding> {
    let mut findings = vec![version(), folder(), token(fix)];
    findings.extend(origins());
    findings.extend(certificate());
    if Var::Server.get().is_some() {
        findings.push(elsewhere(options));
    } else {
        findings.push(hub(fix, options));
    }
    if let Ok(status) = status::ask(options) {
        findings.push(versions_agree(&status));
        findings.push(http(&status));
        findings.extend(cluster(&status));
        findings.push(pages(options));
    }
    findings.push(browser());
    #[cfg(feature = "browser")]
    findings.push(own_browser());
    findings
}

fn version() -> Finding {
    Finding::good(
        "eye",
        format!("{} for {} on {}", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH, std::env::consts::OS),
    )
}

/// Checks the socket's folder: its path, its owner, and whether others can enter it.
fn folder() -> Finding {
    const WHAT: &str = "socket folder";
    let socket = places::socket();
    if let Err(failure) = socket.check() {
        return Finding::failed(WHAT, &failure);
    }
    let folder = socket.path.parent().unwrap_or(Path::new("/")).to_owned();
    let Ok(about) = fs::metadata(&folder) else {
        return Finding::good(WHAT, format!("{} is made by the hub", folder.display()));
    };
    if user::owner(&about) != user::id() {
        let failure = Failure::UnsafeFolder { folder, why: "it belongs to another user" };
        return Finding::failed(WHAT, &failure);
    }
    if files::is_writable_by_others(&about) {
        let found = format!("others may write to {}", folder.display());
        return Finding::bad(WHAT, Exit::Denied, found, format!("chmod 700 {}", folder.display()));
    }
    Finding::good(WHAT, folder.display().to_string())
}

fn token(fix: bool) -> Finding {
    const WHAT: &str = "token";
    if Var::Token.get().is_some() {
        return Finding::good(WHAT, "from EYE_TOKEN");
    }
    let file = match places::token_file() {
        Ok(file) => file,
        Err(failure) => return Finding::failed(WHAT, &failure),
    };
    let Ok(about) = fs::metadata(&file) else {
        return Finding::good(WHAT, "none yet; the hub makes one");
    };
    if !files::is_open(&about) {
        return Finding::good(WHAT, file.display().to_string());
    }
    if fix && files::close(&file).is_ok() {
        return Finding::good(WHAT, format!("{} was open to others, and is not any more", file.display()))
            .hint("others may have read it: eye token new makes another");
    }
    let found = format!("others may read {}", file.display());
    Finding::bad(WHAT, Exit::Denied, found, "eye doctor --fix, then eye token new")
}

/// Checks the list of allowed origins. `None` if it is empty.
fn origins() -> Option<Finding> {
    const WHAT: &str = "allowed origins";
    let origins = Origins::new(places::origins_file().ok()?);
    let file = origins.file().display();
    match origins.list() {
        Ok(list) if list.is_empty() => None,
        Ok(list) => {
            let denied = list.denied.len();
            let denied = if denied == 0 { String::new() } else { format!(", {denied} sites denied") };
            Some(Finding::good(WHAT, format!("{}{denied} in {file}", list.allowed.len())))
        }
        Err(error) => {
            let hint =
                format!("mend that line, or remove {file} and allow its origins anew; until then no page may join");
            Some(Finding::bad(WHAT, Exit::Denied, format!("{file} cannot be read: {error}"), hint))
        }
    }
}

/// Checks the certificate of `eye tls`. `None` if there is none.
fn certificate() -> Option<Finding> {
    const WHAT: &str = "certificate";
    let folder = CertificateFolder::new(places::tls_folder().ok()?);
    let pair = match certificate::read(&folder) {
        Ok(pair) => pair,
        Err(CertificateError::Missing) => return None,
        Err(error) => return Some(Finding::failed(WHAT, &error.into())),
    };
    let found = format!("{} until {}", pair.cert.names.join(", "), pair.cert.ends.date());
    if pair.cert.ends > SystemTime::now() {
        return Some(Finding::good(WHAT, found));
    }
    Some(Finding::bad(WHAT, Exit::Absent, format!("{found}, and no longer"), "eye tls --renew"))
}

fn hub(fix: bool, options: &Options) -> Finding {
    const WHAT: &str = "hub";
    match status::ask(options) {
        Ok(status) => Finding::good(WHAT, format!("pid {}, {}", status.pid, status::url(&status))),
        Err(Failure::NoHub) if fix => match start::hub_in_round(0, &[]).and_then(|_| status::ask(options)) {
            Ok(status) => Finding::good(WHAT, format!("started, pid {}, {}", status.pid, status::url(&status))),
            Err(failure) => Finding::failed(WHAT, &failure),
        },
        Err(Failure::NoHub) => Finding::good(WHAT, "none runs; the first command starts one"),
        Err(failure) => Finding::failed(WHAT, &failure),
    }
}

fn elsewhere(options: &Options) -> Finding {
    const WHAT: &str = "hub elsewhere";
    match status::ask(options) {
        Ok(status) => Finding::good(WHAT, format!("{} {}", Var::Server.text().unwrap_or_default(), status.version)),
        Err(failure) => Finding::failed(WHAT, &failure),
    }
}

fn versions_agree(status: &Status) -> Finding {
    const WHAT: &str = "versions";
    let own = env!("CARGO_PKG_VERSION");
    if status.version == own {
        return Finding::good(WHAT, format!("hub and command line are {own}"));
    }
    let found = format!("the hub is {}, this command line {own}", status.version);
    Finding::bad(WHAT, Exit::Absent, found, "eye down; the next command starts a hub of this version")
}

/// Checks whether pages can reach the hub over TCP. A TLS hub answers plain HTTP too on this machine.
fn http(status: &Status) -> Finding {
    const WHAT: &str = "port for pages";
    let address = status.listen.split("://").last().unwrap_or_default().replace("0.0.0.0", "127.0.0.1");
    let Ok(address) = address.parse::<SocketAddr>() else {
        return Finding::good(WHAT, status.listen.clone());
    };
    let exchange = TcpStream::connect_timeout(&address, HTTP).and_then(|mut stream| {
        stream.set_read_timeout(Some(HTTP))?;
        stream.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).map(|_| answer)
    });
    match exchange {
        Ok(answer) if answer.starts_with("HTTP/1.1 200") => Finding::good(WHAT, status.listen.clone()),
        Ok(answer) => {
            let found = format!("{} answers {}", status.listen, answer.lines().next().unwrap_or("nothing"));
            Finding::bad(WHAT, Exit::Absent, found, "another program may have the port: eye down, then eye up --port N")
        }
        Err(error) => Finding::bad(
            WHAT,
            Exit::Absent,
            format!("{} cannot be reached: {error}", status.listen),
            "a firewall or a sandbox may be in the way",
        ),
    }
}

/// Checks the connection to the other hubs. `None` outside a cluster.
fn cluster(status: &Status) -> Option<Finding> {
    const WHAT: &str = "cluster";
    let hubs = status.cluster.as_ref()?;
    // The hub marks problems of its cluster with this word.
    let mut problems = status.problems.iter().filter_map(|problem| problem.strip_prefix("cluster "));
    if let Some(problem) = problems.next() {
        return Some(Finding::bad(WHAT, Exit::Absent, problem, "eye logs --hub has more; docs/cluster.md"));
    }
    let others = format!("`{}`: this hub is `{}`, others: {}", hubs.cluster, hubs.own, hubs.others.len());
    let finding = Finding::good(WHAT, others);
    Some(if hubs.partial { finding.hint(status::NOT_ALL) } else { finding })
}

fn pages(options: &Options) -> Finding {
    const WHAT: &str = "pages";
    let listed: Result<Sessions, Failure> = client::call("session/list", &json!({}), options, Absent::Report);
    let sessions = match listed {
        Ok(Sessions { sessions, .. }) => sessions,
        Err(failure) => return Finding::failed(WHAT, &failure),
    };
    let there: Vec<_> = sessions.iter().filter(|row| row.state == Presence::Connected).collect();
    if there.is_empty() {
        let hint = "eye open URL, or eye join for the line that a page needs; eye doctor URL finds what is in its way";
        return Finding::bad(WHAT, Exit::Absent, "none has joined", hint);
    }
    let blind = there.iter().filter(|row| !row.eval).count();
    let found = format!("{} joined, {} hidden", there.len(), there.iter().filter(|row| !row.visible).count());
    let finding = Finding::good(WHAT, found);
    if blind == 0 { finding } else { finding.hint(format!("{blind} evaluate no code; verbs and tools work there")) }
}

/// Checks for the browser that `eye browse` would start.
#[cfg(feature = "browser")]
fn own_browser() -> Finding {
    const WHAT: &str = "eye's own browser";
    match crate::browser::program() {
        Some(program) => Finding::good(WHAT, program.display().to_string()),
        None => Finding::good(WHAT, "none found")
            .hint("eye browse needs one: install chromium (apt install chromium, brew install --cask chromium), or name one in EYE_BROWSER"),
    }
}

/// Checks for a program with which `eye open` opens a URL.
fn browser() -> Finding {
    const WHAT: &str = "browser";
    let own = Var::Browser.text();
    let names = own.iter().map(String::as_str).chain(process::OPENERS);
    let path = Var::Path.get().unwrap_or_default();
    let found = |name: &str| std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file());
    let program: Option<PathBuf> = names
        .into_iter()
        .find_map(|name| Some(PathBuf::from(name)).filter(|file| file.is_file()).or_else(|| found(name)));
    match program {
        Some(program) => Finding::good(WHAT, program.display().to_string()),
        None => Finding::good(WHAT, "no opener found").hint("eye open needs one: name it in BROWSER"),
    }
}
