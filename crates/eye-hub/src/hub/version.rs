//! The hub's own version, and a comparison with others.

pub const HUB: &str = env!("CARGO_PKG_VERSION");

pub fn is_newer(other: &str) -> bool {
    newer_than(other, HUB)
}

fn newer_than(a: &str, b: &str) -> bool {
    match (numbers(a), numbers(b)) {
        (Some(a), Some(b)) => a > b,
        _ => false,
    }
}

fn numbers(version: &str) -> Option<[u64; 3]> {
    let core = version.split(['-', '+']).next()?;
    let mut parts = core.splitn(3, '.').map(str::parse);
    let mut next = || parts.next()?.ok();
    Some([next()?, next()?, next()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert!(newer_than("0.10.0", "0.9.9"));
        assert!(!newer_than("0.1.0", "0.1.0"));
        assert!(!newer_than("0.0.9", "0.1.0"));
        assert!(!newer_than("junk", "0.1.0"));
        assert!(newer_than("1.0.0-rc.1", "0.9.0"));
    }
}
