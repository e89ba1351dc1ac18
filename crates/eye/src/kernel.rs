//! Finds the hub of a port through the kernel's tables, for callers whose environment does not lead to its socket. Only
//! processes of the same user count. Linux only; elsewhere nothing is found.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The name of the hub's socket in its folder.
const SOCKET_NAME: &str = "hub.sock";

/// The path of the Unix socket of this user's hub that listens on a port.
pub fn hub_socket(port: u16, uid: u32) -> Option<PathBuf> {
    let listeners = eye_hub::sockets::listeners(port).unwrap_or_default();
    let inodes: HashSet<String> =
        listeners.iter().filter(|one| one.uid == uid).map(|one| one.inode.to_string()).collect();
    if inodes.is_empty() {
        return None;
    }
    let processes = fs::read_dir("/proc").ok()?.flatten().filter(|entry| is_process(entry, uid));
    let sockets =
        processes.map(|entry| sockets_of(&entry.path())).find(|own| own.iter().any(|id| inodes.contains(id)))?;
    let table = fs::read_to_string("/proc/net/unix").ok()?;
    named(&table, &sockets)
}

fn is_process(entry: &fs::DirEntry, uid: u32) -> bool {
    let numeric = entry.file_name().to_str().is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
    numeric && entry.metadata().is_ok_and(|found| eye_platform::user::owner(&found) == Some(uid))
}

/// The inodes of a process's sockets.
fn sockets_of(process: &Path) -> HashSet<String> {
    let Ok(files) = fs::read_dir(process.join("fd")) else { return HashSet::new() };
    let inode = |file: fs::DirEntry| {
        let target = fs::read_link(file.path()).ok()?;
        Some(target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned())
    };
    files.flatten().filter_map(inode).collect()
}

/// The path of the hub's socket, if one of these sockets is one.
fn named(table: &str, sockets: &HashSet<String>) -> Option<PathBuf> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let (inode, path) = (cells.get(6)?, Path::new(cells.get(7)?));
        (sockets.contains(*inode) && path.ends_with(SOCKET_NAME)).then(|| path.to_owned())
    };
    table.lines().skip(1).find_map(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_hub_of_this_user_is_found_by_its_port_and_that_of_another_is_not() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join(SOCKET_NAME);
        let (tcp, _unix) = (TcpListener::bind("127.0.0.1:0").unwrap(), UnixListener::bind(&path).unwrap());
        let (port, uid) = (tcp.local_addr().unwrap().port(), rustix::process::getuid().as_raw());
        assert_eq!(hub_socket(port, uid), Some(path));
        assert_eq!(hub_socket(port, uid + 1), None);
        drop(tcp);
        assert_eq!(hub_socket(port, uid), None);
    }
}
