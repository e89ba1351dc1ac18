//! Hosts as requests and origins write them.

/// A host without its port. `[::1]:8765` → `[::1]`.
pub fn host_name(host: &str) -> &str {
    match host.rfind(':') {
        Some(at) if !host.ends_with(']') && host[at + 1..].bytes().all(|b| b.is_ascii_digit()) => &host[..at],
        _ => host,
    }
}
