//! The location of the Unix socket: a folder that belongs only to this user, with one hub and no leftover files.

use crate::error::HubError;
use eye_platform::local::Listener;
use eye_platform::{files, user};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// The socket of a running hub. While this value exists, no other hub can use the location.
#[derive(Debug)]
pub struct LockedSocket {
    socket: PathBuf,
    _lock: File,
}

impl LockedSocket {
    /// Locks the location, and listens.
    ///
    /// The lock tells whether a hub runs; a socket file without a lock is left over from a hub that was killed.
    pub fn take(socket: &Path) -> Result<(Self, Listener), HubError> {
        let folder = socket.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        check_folder(folder)?;
        let lock_path = socket.with_extension("lock");
        let lock = files::private(OpenOptions::new().create(true).truncate(false).write(true))
            .open(&lock_path)
            .map_err(HubError::io(format!("opening {}", lock_path.display())))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(HubError::Running { socket: socket.into() }),
            Err(TryLockError::Error(error)) => {
                return Err(HubError::io(format!("locking {}", lock_path.display()))(error));
            }
        }
        clear_leftover(socket)?;
        let listener = Listener::bind(socket).map_err(HubError::io(format!("listening on {}", socket.display())))?;
        Ok((Self { socket: socket.into(), _lock: lock }, listener))
    }
}

impl LockedSocket {
    /// Removes the socket file, so that no new connection comes. The location stays locked.
    pub fn withdraw(&self) {
        let _ = fs::remove_file(&self.socket);
    }
}

impl Drop for LockedSocket {
    fn drop(&mut self) {
        self.withdraw();
    }
}

fn check_folder(folder: &Path) -> Result<(), HubError> {
    let wrong = |why: &str| HubError::UnsafeSocketPath { path: folder.into(), why: why.into() };
    if let Err(error) = files::make_folder(folder) {
        return Err(HubError::io(format!("making {}", folder.display()))(error));
    }
    let meta = fs::symlink_metadata(folder).map_err(HubError::io(format!("looking at {}", folder.display())))?;
    if meta.is_symlink() || !meta.is_dir() {
        return Err(wrong("is not a folder of its own; remove it or set EYE_SOCKET"));
    }
    if user::owner(&meta) != user::id() {
        return Err(wrong("belongs to another user; remove it or set EYE_SOCKET"));
    }
    if files::is_open(&meta) {
        return Err(wrong("can be entered by others; run `chmod 700` on it"));
    }
    Ok(())
}

fn clear_leftover(socket: &Path) -> Result<(), HubError> {
    match fs::symlink_metadata(socket) {
        Ok(meta) if files::is_leftover(&meta) => {
            fs::remove_file(socket).map_err(HubError::io(format!("removing the old {}", socket.display())))
        }
        Ok(_) => Err(HubError::UnsafeSocketPath { path: socket.into(), why: "is there and is no socket".into() }),
        Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
    }

    fn home() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[test]
    fn a_location_has_one_hub_and_leftovers_are_cleared() {
        let (runtime, home) = (runtime(), home());
        let _guard = runtime.enter();
        let socket = home.path().join("eye/hub.sock");
        let first = LockedSocket::take(&socket).unwrap();
        assert!(matches!(LockedSocket::take(&socket), Err(HubError::Running { .. })));
        assert_eq!(fs::metadata(&socket).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(socket.parent().unwrap()).unwrap().mode() & 0o777, 0o700);
        drop(first);
        assert!(!socket.exists());
        drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
        assert!(socket.exists());
        assert!(LockedSocket::take(&socket).is_ok());
    }

    #[test]
    fn a_folder_that_is_not_ours_alone_is_refused() {
        let (runtime, home) = (runtime(), home());
        let _guard = runtime.enter();
        let open = home.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(matches!(LockedSocket::take(&open.join("hub.sock")), Err(HubError::UnsafeSocketPath { .. })));
        let link = home.path().join("link");
        std::os::unix::fs::symlink(home.path(), &link).unwrap();
        assert!(matches!(LockedSocket::take(&link.join("hub.sock")), Err(HubError::UnsafeSocketPath { .. })));
        let file = home.path().join("own/hub.sock");
        files::make_folder(file.parent().unwrap()).unwrap();
        fs::write(&file, "x").unwrap();
        assert!(matches!(LockedSocket::take(&file), Err(HubError::UnsafeSocketPath { .. })));
    }
}
