//! The paths of eye's files: socket, token, allowed origins, certificate, log and history.

use crate::env::{self, Var};
use crate::failure::Failure;
use crate::kernel;
use eye_platform::{files, user};
use eye_protocol::limits::GUESTS_END_MS;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::Duration;

/// The hub's port when none is configured.
const DEFAULT_PORT: u16 = 8765;

/// The hub's Unix socket, and whether its folder must be checked before it is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Socket {
    pub path: PathBuf,
    /// The socket is in `/tmp`, where any user may create folders.
    pub shared: bool,
}

/// A path as another process in another folder needs it.
pub fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

/// The hub's Unix socket.
pub fn socket() -> Socket {
    if let Some(path) = Var::Socket.get() {
        let path = PathBuf::from(path);
        return Socket { path: std::path::absolute(&path).unwrap_or(path), shared: false };
    }
    let usual = usual_socket();
    // Without a runtime folder the usual place is a guess, and the hub there may be another than the port's.
    let is_guess = Var::RuntimeDir.folder().is_none() && Var::Port.text().is_some();
    if usual.path.exists() && !is_guess {
        return usual;
    }
    // A client that trims the environment looks elsewhere than the hub does.
    socket_of_port().unwrap_or(usual)
}

/// Where the hub of the port listens, according to the kernel. `None` if `EYE_SOCKET` is set.
pub fn socket_of_port() -> Option<Socket> {
    if Var::Socket.get().is_some() {
        return None;
    }
    let port = Var::Port.text().map_or(Some(DEFAULT_PORT), |text| text.parse().ok());
    let path = kernel::hub_socket(port?, user::id()?)?;
    Some(Socket { path, shared: false })
}

/// The socket's path when neither `EYE_SOCKET` nor a running hub determines it.
fn usual_socket() -> Socket {
    if let Some(runtime) = Var::RuntimeDir.folder() {
        return Socket { path: runtime.join("eye/hub.sock"), shared: false };
    }
    // Systems without numeric user ids have no runtime folder.
    let Some(uid) = user::id() else {
        let folder = state_folder().unwrap_or_else(|_| env::temporary_folder().join("eye"));
        return Socket { path: folder.join("hub.sock"), shared: false };
    };
    // The usual value of XDG_RUNTIME_DIR, for processes in which it is not set.
    let runtime = PathBuf::from(format!("/run/user/{uid}"));
    if check_folder(&runtime, Some(uid)).is_ok() && runtime.is_dir() {
        return Socket { path: runtime.join("eye/hub.sock"), shared: false };
    }
    Socket { path: PathBuf::from(format!("/tmp/eye-{uid}/hub.sock")), shared: true }
}

impl Socket {
    /// The failure when a hub was started and none answers on this socket.
    pub fn not_reached(self) -> Failure {
        Failure::NotReached { socket: self.path, log: log_file().ok() }
    }

    /// Refuses a folder in `/tmp` that another user may have created.
    pub fn check(&self) -> Result<(), Failure> {
        match self.path.parent() {
            Some(folder) if self.shared => check_folder(folder, user::id()),
            _ => Ok(()),
        }
    }
}

/// Folders from which `eye open` serves only the named file, because they hold more than one site.
pub fn wide_folders() -> Vec<PathBuf> {
    let home = Var::Home.folder();
    home.into_iter().chain([env::temporary_folder(), "/tmp".into(), "/var/tmp".into()]).collect()
}

/// How long a stopping hub may take to release its socket: its grace period for guests, and as much for the rest.
const END: Duration = Duration::from_millis(2 * GUESTS_END_MS);

/// Waits until a stopping hub has released its socket, by the lock file that it holds while it lives.
pub fn wait_for_end(socket: &Path) {
    let Ok(lock) = fs::File::open(socket.with_extension("lock")) else {
        return;
    };
    let (sender, ended) = channel();
    std::thread::spawn(move || {
        // We only wait for the lock; it is released when the file is closed.
        let _ = lock.lock_shared();
        drop(lock);
        let _ = sender.send(());
    });
    // If the hub takes longer, the process that takes its place reports it.
    let _ = ended.recv_timeout(END);
}

fn check_folder(folder: &Path, uid: Option<u32>) -> Result<(), Failure> {
    let refuse = |why| Err(Failure::UnsafeFolder { folder: folder.to_owned(), why });
    let found = match fs::symlink_metadata(folder) {
        Ok(found) => found,
        // The hub will create it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Failure::io(format!("look at {}", folder.display()))(error)),
    };
    if found.is_symlink() {
        return refuse("it is a symbolic link");
    }
    if !found.is_dir() {
        return refuse("it is not a folder");
    }
    if user::owner(&found) != uid {
        return refuse("it belongs to another user");
    }
    if files::is_open(&found) {
        return refuse("others may use it; its mode must be 0700");
    }
    Ok(())
}

pub fn token_file() -> Result<PathBuf, Failure> {
    Ok(config_folder()?.join("token"))
}

pub fn origins_file() -> Result<PathBuf, Failure> {
    Ok(config_folder()?.join("origins"))
}

/// The file with the LLM server's key. It may not exist.
#[cfg(feature = "guests")]
pub fn llm_key_file() -> Result<PathBuf, Failure> {
    Ok(config_folder()?.join("llm-key"))
}

/// The file with the LLM server that was last named on the command line.
#[cfg(feature = "guests")]
pub fn llm_named_file() -> Result<PathBuf, Failure> {
    Ok(state_folder()?.join("llm"))
}

#[cfg(feature = "guests")]
pub fn cartridges_folder() -> Result<PathBuf, Failure> {
    Ok(state_folder()?.join("cartridges"))
}

/// The folder of the profiles of eye's own browser.
#[cfg(feature = "browser")]
pub fn profiles_folder() -> Result<PathBuf, Failure> {
    Ok(state_folder()?.join("browser"))
}

/// The folder that the extension is written to. The variant without the debugger has its own: a browser that loaded it
/// must not find the other one there.
pub fn extension_folder(no_debugger: bool) -> Result<PathBuf, Failure> {
    Ok(state_folder()?.join(if no_debugger { "extension-no-debugger" } else { "extension" }))
}

#[cfg(feature = "browser")]
pub fn downloads_folder() -> Result<PathBuf, Failure> {
    Ok(state_folder()?.join("downloads"))
}

/// The usual profile folders of the user's own browsers.
#[cfg(feature = "browser")]
pub fn persons_profiles() -> Vec<PathBuf> {
    const LINUX: [&str; 7] = [
        ".config/google-chrome",
        ".config/google-chrome-beta",
        ".config/google-chrome-unstable",
        ".config/chromium",
        "snap/chromium/common/chromium",
        ".config/microsoft-edge",
        ".config/BraveSoftware/Brave-Browser",
    ];
    const MACOS: [&str; 4] = [
        "Library/Application Support/Google/Chrome",
        "Library/Application Support/Chromium",
        "Library/Application Support/Microsoft Edge",
        "Library/Application Support/BraveSoftware/Brave-Browser",
    ];
    const WINDOWS: [&str; 4] = [
        "AppData/Local/Google/Chrome/User Data",
        "AppData/Local/Chromium/User Data",
        "AppData/Local/Microsoft/Edge/User Data",
        "AppData/Local/BraveSoftware/Brave-Browser/User Data",
    ];
    let below_home: &[&str] = match std::env::consts::OS {
        "macos" => &MACOS,
        "windows" => &WINDOWS,
        _ => &LINUX,
    };
    Var::Home.folder().into_iter().flat_map(|home| below_home.iter().map(move |folder| home.join(folder))).collect()
}

/// The folder of the certificate that `eye tls` makes.
pub fn tls_folder() -> Result<PathBuf, Failure> {
    Ok(config_folder()?.join("tls"))
}

/// The folder of the log, the history, and what the hub remembers.
pub fn state_folder() -> Result<PathBuf, Failure> {
    Ok(base(Var::StateHome, ".local/state")?.join("eye"))
}

/// The log of hubs in the background.
pub fn log_file() -> Result<PathBuf, Failure> {
    Ok(state_folder()?.join("hub.log"))
}

/// The mailbox's folder: `EYE_MAILBOX`, or the original's `~/.algo`. `None` if it does not exist.
pub fn mailbox() -> Option<PathBuf> {
    let named = Var::Mailbox.folder();
    let usual = || Var::Home.folder().map(|home| home.join(".algo"));
    named.or_else(usual).filter(|folder| folder.is_dir())
}

/// The user's gateway configuration.
pub fn config_file() -> Result<PathBuf, Failure> {
    Ok(config_folder()?.join("config.yaml"))
}

/// The gateway's stored state.
pub fn gateway_folder() -> Result<PathBuf, Failure> {
    Ok(state_folder()?.join("gateway"))
}

/// The folder of the tokens of `eye servers login`.
pub fn login_folder() -> Result<PathBuf, Failure> {
    Ok(gateway_folder()?.join("logins"))
}

fn config_folder() -> Result<PathBuf, Failure> {
    Ok(base(Var::ConfigHome, ".config")?.join("eye"))
}

fn base(var: Var, below_home: &str) -> Result<PathBuf, Failure> {
    let homeless =
        || Failure::usage(format!("{} is not set", user::HOME), format!("set {}, or {}", user::HOME, var.name()));
    var.folder().or_else(|| Var::Home.folder().map(|home| home.join(below_home))).ok_or_else(homeless)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn why(folder: &Path, uid: u32) -> Option<&'static str> {
        match check_folder(folder, Some(uid)) {
            Ok(()) => None,
            Err(Failure::UnsafeFolder { why, .. }) => Some(why),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn only_a_folder_of_our_own_is_trusted() {
        let home = tempfile::tempdir().unwrap();
        let uid = rustix::process::getuid().as_raw();
        let folder = home.path().join("eye");
        assert_eq!(why(&folder, uid), None);
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(why(&folder, uid), Some("others may use it; its mode must be 0700"));
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(why(&folder, uid), None);
        assert_eq!(why(&folder, uid + 1), Some("it belongs to another user"));
        let link = home.path().join("link");
        symlink(&folder, &link).unwrap();
        assert_eq!(why(&link, uid), Some("it is a symbolic link"));
        let file = home.path().join("file");
        fs::write(&file, "").unwrap();
        assert_eq!(why(&file, uid), Some("it is not a folder"));
    }
}
