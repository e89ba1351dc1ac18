//! Finds the hub of a port through `/proc`, for callers whose environment does not lead to its socket. Only processes
//! of the same user count. Linux only; elsewhere nothing is found.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The state of a listening socket in `/proc/net/tcp`.
const LISTENING: &str = "0A";
/// The name of the hub's socket in its folder.
const SOCKET_NAME: &str = "hub.sock";

/// The path of the Unix socket of this user's hub that listens on a port.
pub fn hub_socket(port: u16, uid: u32) -> Option<PathBuf> {
    let inodes: HashSet<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .filter_map(|table| fs::read_to_string(table).ok())
        .flat_map(|table| listening(&table, port, uid))
        .collect();
    if inodes.is_empty() {
        return None;
    }
    let processes = fs::read_dir("/proc").ok()?.flatten().filter(|entry| is_process(entry, uid));
    let sockets =
        processes.map(|entry| sockets_of(&entry.path())).find(|own| own.iter().any(|id| inodes.contains(id)))?;
    let table = fs::read_to_string("/proc/net/unix").ok()?;
    named(&table, &sockets)
}

/// The inodes of this user's sockets that listen on a port.
fn listening(table: &str, port: u16, uid: u32) -> Vec<String> {
    let end = format!(":{port:04X}");
    let row = |line: &str| {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let (local, state, owner, inode) = (cells.get(1)?, cells.get(3)?, cells.get(7)?, cells.get(9)?);
        let ours = local.ends_with(&end) && *state == LISTENING && owner.parse() == Ok(uid);
        ours.then(|| (*inode).to_owned())
    };
    table.lines().skip(1).filter_map(row).collect()
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

    #[test]
    fn only_listening_sockets_of_the_user_at_the_port_count() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
             0: 0100007F:223D 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 111 1\n\
             1: 0100007F:223D 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 222 1\n\
             2: 0100007F:223D 0100007F:9000 01 00000000:00000000 00:00000000 00000000  1000        0 333 1\n\
             3: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 444 1\n";
        assert_eq!(listening(table, 8765, 1000), ["111"]);
    }
}
