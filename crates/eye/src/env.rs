//! All environment variables that eye reads, in one table that `--help` shows too. No other file reads the environment.

use eye_platform::user;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Var {
    /// `HOME`, on Windows `USERPROFILE`
    Home,
    /// `XDG_RUNTIME_DIR`
    RuntimeDir,
    /// `XDG_CONFIG_HOME`
    ConfigHome,
    /// `XDG_STATE_HOME`
    StateHome,
    /// `EYE_SOCKET`
    Socket,
    /// `EYE_PORT`
    Port,
    /// `EYE_TOKEN`
    Token,
    /// `EYE_SERVER`
    Server,
    /// `EYE_PAGE`
    Page,
    /// `EYE_MAILBOX`
    Mailbox,
    /// `EYE_LOG`
    Log,
    /// `EYE_AUDIT`
    Audit,
    /// `EYE_LLM_URL`
    #[cfg(feature = "guests")]
    LlmUrl,
    /// `EYE_LLM_KEY`
    #[cfg(feature = "guests")]
    LlmKey,
    /// `BROWSER`
    Browser,
    /// `EYE_BROWSER`
    EyeBrowser,
    /// `EYE_BROWSER_ARGS`
    EyeBrowserArgs,
    /// `DISPLAY`
    Display,
    /// `WAYLAND_DISPLAY`
    WaylandDisplay,
    /// `PATH`
    Path,
    /// `NO_COLOR`
    NoColor,
}

/// Every variable with its name and what it is for.
pub const TABLE: &[(Var, &str, &str)] = &[
    (Var::Page, "EYE_PAGE", "the page to ask, as --page does"),
    (Var::Server, "EYE_SERVER", "a hub elsewhere, such as wss://box.local:8765; else what ~/.algo/config.json says"),
    (
        Var::Token,
        "EYE_TOKEN",
        "the token for EYE_SERVER and eye connect; on the hub's machine, instead of the token file",
    ),
    (Var::Socket, "EYE_SOCKET", "the hub's Unix socket"),
    (Var::Port, "EYE_PORT", "the hub's port (8765)"),
    (
        Var::RuntimeDir,
        "XDG_RUNTIME_DIR",
        "holds eye/hub.sock (/run/user/<uid>, else /tmp/eye-<uid>); else the hub of the port is asked for",
    ),
    (Var::ConfigHome, "XDG_CONFIG_HOME", "holds eye/token, eye/origins, eye/llm-key and eye/tls (~/.config)"),
    (Var::StateHome, "XDG_STATE_HOME", "holds eye/hub.log, eye/audit.jsonl and eye/history (~/.local/state)"),
    (Var::Mailbox, "EYE_MAILBOX", "the folder whose files in and out are the mailbox (~/.algo, if there is one)"),
    (Var::Log, "EYE_LOG", "how much a hub that starts logs, as eye up --log does (info)"),
    (Var::Audit, "EYE_AUDIT", "what the audit log of a hub that starts holds, as eye up --audit does: off, on, full"),
    #[cfg(feature = "guests")]
    (Var::LlmUrl, "EYE_LLM_URL", "the LLM server of a hub that starts, as eye up --llm does (http://localhost:1234)"),
    #[cfg(feature = "guests")]
    (Var::LlmKey, "EYE_LLM_KEY", "its key, instead of the file eye/llm-key"),
    (Var::Browser, "BROWSER", "the program that eye open hands URLs to"),
    (
        Var::EyeBrowser,
        "EYE_BROWSER",
        "the browser that eye browse starts (the first Chromium, Chrome, Edge or Brave in PATH)",
    ),
    (Var::EyeBrowserArgs, "EYE_BROWSER_ARGS", "more arguments for it, such as --no-sandbox in a container"),
    (Var::Display, "DISPLAY", "without it and WAYLAND_DISPLAY, eye browse starts a browser without a window"),
    (Var::WaylandDisplay, "WAYLAND_DISPLAY", "as DISPLAY"),
    (Var::Path, "PATH", "where that program is looked for"),
    (Var::Home, user::HOME, "where ~ is"),
    (Var::NoColor, "NO_COLOR", "no colour on a terminal"),
];

impl Var {
    pub fn name(self) -> &'static str {
        TABLE.iter().find(|(var, ..)| *var == self).map_or("", |(_, name, _)| name)
    }

    /// The value; an empty variable counts as unset.
    pub fn get(self) -> Option<OsString> {
        std::env::var_os(self.name()).filter(|value| !value.is_empty()).or_else(|| self.of_original())
    }

    /// The settings of the original eye's files: its server, and the token for that server and no other.
    fn of_original(self) -> Option<OsString> {
        let set = |name| std::env::var_os(name).is_some_and(|value: OsString| !value.is_empty());
        if !matches!(self, Self::Server | Self::Token) || set("EYE_SERVER") || set("EYE_TOKEN") {
            return None;
        }
        let folder = Self::Home.folder()?.join(".algo");
        let original = Original::read(&folder)?;
        if self == Self::Server { Some(original.server.into()) } else { original.token.map(Into::into) }
    }

    pub fn text(self) -> Option<String> {
        self.get().map(|value| value.to_string_lossy().into_owned())
    }

    /// The value as an absolute path; the XDG specification requires that relative ones are ignored.
    pub fn folder(self) -> Option<PathBuf> {
        self.get().map(PathBuf::from).filter(|path| path.is_absolute())
    }
}

/// The server and token in the files of the original eye.
struct Original {
    server: String,
    token: Option<String>,
}

impl Original {
    /// Reads `config.json`, or the plain files of earlier versions. `None` without a server.
    fn read(folder: &Path) -> Option<Self> {
        let line = |name: &str| {
            let text = std::fs::read_to_string(folder.join(name)).ok()?;
            Some(text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        let config = std::fs::read_to_string(folder.join("config.json")).ok();
        let config: serde_json::Value = config.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let setting = |name: &str| config[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let server = setting("server").or_else(|| line("server"))?;
        Some(Self { server, token: setting("token").or_else(|| line("token")) })
    }
}

/// The working directory. `None` if it was deleted.
pub fn current_folder() -> Option<PathBuf> {
    std::env::current_dir().ok()
}

pub fn temporary_folder() -> PathBuf {
    std::env::temp_dir()
}

/// The whole environment, for child processes. Variables that are not UTF-8 are left out.
pub fn everything() -> std::collections::BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

pub fn current_program() -> std::io::Result<PathBuf> {
    std::env::current_exe()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_has_its_own_name() {
        for &(var, name, what) in TABLE {
            assert_eq!(var.name(), name);
            assert!(!what.is_empty());
            assert_eq!(TABLE.iter().filter(|(_, other, _)| *other == name).count(), 1);
        }
    }

    #[test]
    fn the_files_of_the_original_name_a_server_and_its_token() {
        let folder = tempfile::tempdir().unwrap();
        let read = || Original::read(folder.path()).map(|found| (found.server, found.token));
        assert_eq!(read(), None);
        std::fs::write(folder.path().join("token"), "plain\n").unwrap();
        assert_eq!(read(), None, "a token without its server is sent nowhere");
        std::fs::write(folder.path().join("server"), "https://box.local\n").unwrap();
        assert_eq!(read(), Some(("https://box.local".into(), Some("plain".into()))));
        let config = r#"{"token":"t","server":"ws://localhost:9/api/eye"}"#;
        std::fs::write(folder.path().join("config.json"), config).unwrap();
        assert_eq!(read(), Some(("ws://localhost:9/api/eye".into(), Some("t".into()))));
    }
}
