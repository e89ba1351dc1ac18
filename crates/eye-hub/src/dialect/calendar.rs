//! The wall clock, for timestamps on arriving messages.

/// Unix time in milliseconds.
pub fn wall_ms() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// ISO 8601 in UTC with milliseconds.
pub fn time(wall_ms: u64) -> String {
    let at = std::time::UNIX_EPOCH + std::time::Duration::from_millis(wall_ms);
    humantime::format_rfc3339_millis(at).to_string()
}
