//! Finds the process that holds a port, for an error message.

use std::fs;
use std::net::SocketAddr;

/// Names the process that listens on the port; "another process" if that is unknown.
pub fn of(address: SocketAddr) -> String {
    let inode = ["/proc/net/tcp", "/proc/net/tcp6"].iter().find_map(|table| listening_inode(table, address.port()));
    inode.and_then(|inode| process_with(&inode)).unwrap_or_else(|| "another process".to_owned())
}

fn listening_inode(table: &str, port: u16) -> Option<String> {
    const LISTEN: &str = "0A";
    let wanted = format!(":{port:04X}");
    fs::read_to_string(table).ok()?.lines().skip(1).find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let listens = fields.get(1)?.ends_with(&wanted) && *fields.get(3)? == LISTEN;
        listens.then(|| (*fields.get(9).unwrap_or(&"")).to_owned())
    })
}

fn process_with(inode: &str) -> Option<String> {
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
