//! Where eye keeps things: the socket, the token, the allowed origins, the certificate, the log and the history.

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

/// The hub's port where nothing else is said.
const DEFAULT_PORT: u16 = 8765;

/// The hub's Unix socket, and whether its folder must be checked before it is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Socket {
    /// The socket itself.
    pub path: PathBuf,
    /// It lies in `/tmp`, where any user may make folders.
    pub shared: bool,
}

/// The hub's Unix socket.
pub fn socket() -> Socket {
    if let Some(path) = Var::Socket.get() {
        let path = PathBuf::from(path);
        return Socket { path: std::path::absolute(&path).unwrap_or(path), shared: false };
    }
    let usual = usual_socket();
    if usual.path.exists() {
        return usual;
    }
    // A client that trims the environment looks elsewhere than the hub does.
    socket_of_port().unwrap_or(usual)
}

/// Where the hub of the port listens, which the kernel knows. `None` where the environment names a socket.
pub fn socket_of_port() -> Option<Socket> {
    if Var::Socket.get().is_some() {
        return None;
    }
    let port = Var::Port.text().map_or(Some(DEFAULT_PORT), |text| text.parse().ok());
    let path = kernel::hub_socket(port?, user::id()?)?;
    Some(Socket { path, shared: false })
}

/// Where the socket is when the environment says nothing else.
fn usual_socket() -> Socket {
    if let Some(runtime) = Var::RuntimeDir.folder() {
        return Socket { path: runtime.join("eye/hub.sock"), shared: false };
    }
    // Where users have no numbers, there is no folder for what lives as long as a login.
    let Some(uid) = user::id() else {
        let folder = state_folder().unwrap_or_else(|_| env::temporary_folder().join("eye"));
        return Socket { path: folder.join("hub.sock"), shared: false };
    };
    // What XDG_RUNTIME_DIR is on nearly every system, for those who are not told.
    let runtime = PathBuf::from(format!("/run/user/{uid}"));
    if check_folder(&runtime, Some(uid)).is_ok() && runtime.is_dir() {
        return Socket { path: runtime.join("eye/hub.sock"), shared: false };
    }
    Socket { path: PathBuf::from(format!("/tmp/eye-{uid}/hub.sock")), shared: true }
}

impl Socket {
    /// A hub was started, and still none answers here.
    pub fn not_reached(self) -> Failure {
        Failure::NotReached { socket: self.path, log: log_file().ok() }
    }

    /// Refuses a folder that another user may have put there.
    pub fn check(&self) -> Result<(), Failure> {
        match self.path.parent() {
            Some(folder) if self.shared => check_folder(folder, user::id()),
            _ => Ok(()),
        }
    }
}

/// Folders of which `eye open` serves only the file that is named: they hold more than one site.
pub fn wide_folders() -> Vec<PathBuf> {
    let home = Var::Home.folder();
    home.into_iter().chain([env::temporary_folder(), "/tmp".into(), "/var/tmp".into()]).collect()
}

/// How long a hub that ends may take to let go of its socket: its own grace for guests, and as much for the rest.
const END: Duration = Duration::from_millis(2 * GUESTS_END_MS);

/// Waits until a hub that ends has let go of its socket, by the lock that it holds while it lives.
pub fn wait_for_end(socket: &Path) {
    let Ok(lock) = fs::File::open(socket.with_extension("lock")) else {
        return;
    };
    let (sender, ended) = channel();
    std::thread::spawn(move || {
        // The lock itself is not wanted: it goes when the file is closed.
        let _ = lock.lock_shared();
        drop(lock);
        let _ = sender.send(());
    });
    // A hub that takes longer is reported by the one that tries to take its place.
    let _ = ended.recv_timeout(END);
}

fn check_folder(folder: &Path, uid: Option<u32>) -> Result<(), Failure> {
    let refuse = |why| Err(Failure::UnsafeFolder { folder: folder.to_owned(), why });
    let found = match fs::symlink_metadata(folder) {
        Ok(found) => found,
        // The hub makes it.
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

/// The file with the bearer token.
pub fn token_file() -> Result<PathBuf, Failure> {
    Ok(config_folder()?.join("token"))
}

/// The file of allowed origins.
pub fn origins_file() -> Result<PathBuf, Failure> {
    Ok(config_folder()?.join("origins"))
}

/// The file with the LLM server's key, if there is one.
#[cfg(feature = "guests")]
pub fn llm_key_file() -> Result<PathBuf, Failure> {
    Ok(config_folder()?.join("llm-key"))
}

/// The file with the LLM server that was last named on the command line.
#[cfg(feature = "guests")]
pub fn llm_named_file() -> Result<PathBuf, Failure> {
    Ok(state_folder()?.join("llm"))
}

/// Where cartridges are kept.
#[cfg(feature = "guests")]
pub fn cartridges_folder() -> Result<PathBuf, Failure> {
    Ok(state_folder()?.join("cartridges"))
}

/// The folder of the profiles of eye's own browser.
#[cfg(feature = "browser")]
pub fn profiles_folder() -> Result<PathBuf, Failure> {
    Ok(state_folder()?.join("browser"))
}

/// Where the extension is written to. The one without the debugger has a folder of its own: a browser that has loaded
/// it must not find the other there.
pub fn extension_folder(no_debugger: bool) -> Result<PathBuf, Failure> {
    Ok(state_folder()?.join(if no_debugger { "extension-no-debugger" } else { "extension" }))
}

/// Where pages of eye's own browser download to.
#[cfg(feature = "browser")]
pub fn downloads_folder() -> Result<PathBuf, Failure> {
    Ok(state_folder()?.join("downloads"))
}

/// The folders of the profiles that a person's own browsers usually have.
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

/// What hubs in the background say.
pub fn log_file() -> Result<PathBuf, Failure> {
    Ok(state_folder()?.join("hub.log"))
}

/// The folder whose files are the mailbox: the one that is named, or the original's where it exists.
pub fn mailbox() -> Option<PathBuf> {
    let named = Var::Mailbox.folder();
    let usual = || Var::Home.folder().map(|home| home.join(".algo"));
    named.or_else(usual).filter(|folder| folder.is_dir())
}

/// The user's settings of the gateway.
pub fn config_file() -> Result<PathBuf, Failure> {
    Ok(config_folder()?.join("config.yaml"))
}

/// Where the gateway keeps what it has learned.
pub fn gateway_folder() -> Result<PathBuf, Failure> {
    Ok(state_folder()?.join("gateway"))
}

/// Where the tokens of `eye servers login` are kept.
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
