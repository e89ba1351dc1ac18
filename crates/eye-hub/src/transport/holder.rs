//! Finds the process that holds a port, for an error message.

use crate::sockets;
use std::fs;
use std::net::SocketAddr;

/// Names the process that listens on the port; "another process" if that is unknown.
pub fn of(address: SocketAddr) -> String {
    let listeners = sockets::listeners(address.port()).unwrap_or_default();
    let named = listeners.iter().find_map(|listener| process_with(listener.inode));
    named.unwrap_or_else(|| "another process".to_owned())
}

fn process_with(inode: u32) -> Option<String> {
    let wanted = format!("socket:[{inode}]");
    fs::read_dir("/proc").ok()?.flatten().find_map(|process| {
        let pid: u32 = process.file_name().to_str()?.parse().ok()?;
        let files = fs::read_dir(process.path().join("fd")).ok()?;
        let holds =
            files.flatten().any(|file| fs::read_link(file.path()).is_ok_and(|to| to.as_os_str() == wanted.as_str()));
        let name = fs::read_to_string(process.path().join("comm")).unwrap_or_default();
        holds.then(|| format!("{} (process {pid})", name.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_holder_of_a_port_is_named() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let holder = of(listener.local_addr().unwrap());
        assert!(holder.contains(&format!("(process {})", std::process::id())), "{holder}");
    }
}
