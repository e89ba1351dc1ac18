//! Decides whether a browser lets a page connect to a hub: mixed content and Chrome's Local Network Access. No I/O.

use std::net::IpAddr;
use url::{Host, Url};

/// How public an address is, in the terms of Local Network Access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Space {
    Loopback,
    Local,
    Public,
}

impl Space {
    pub fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            address if address.is_loopback() || address.is_unspecified() => Self::Loopback,
            IpAddr::V4(v4) if v4.is_private() || v4.is_link_local() || is_shared(v4.octets()) => Self::Local,
            IpAddr::V6(v6) if v6.is_unique_local() || v6.is_unicast_link_local() => Self::Local,
            IpAddr::V4(_) | IpAddr::V6(_) => Self::Public,
        }
    }

    /// The space of a host, if its name alone determines it.
    pub fn of_host(url: &Url) -> Option<Self> {
        match url.host()? {
            Host::Ipv4(address) => Some(Self::of(address.into())),
            Host::Ipv6(address) => Some(Self::of(address.into())),
            Host::Domain(name) => {
                let name = name.trim_end_matches('.');
                (name == "localhost" || name.ends_with(".localhost")).then_some(Self::Loopback)
            }
        }
    }
}

/// 100.64.0.0/10, carrier-grade NAT.
fn is_shared(octets: [u8; 4]) -> bool {
    octets[0] == 100 && octets[1] & 0xc0 == 64
}

/// Whether browsers treat a page as a secure context.
pub fn is_secure(page: &Url) -> bool {
    page.scheme() == "https" || Space::of_host(page) == Some(Space::Loopback)
}

/// The effect of loading plain content into an encrypted page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mixed {
    /// Nothing is mixed.
    Fine,
    /// Plain, but on this machine: Chromium and Firefox allow it, Safari does not.
    ByBrowser,
    Refused,
}

/// The effect for a page that uses this hub.
pub fn mixed(page: &Url, hub: &Url) -> Mixed {
    match (page.scheme(), hub.scheme()) {
        ("https", "http") if Space::of_host(hub) == Some(Space::Loopback) => Mixed::ByBrowser,
        ("https", "http") => Mixed::Refused,
        _ => Mixed::Fine,
    }
}

/// The effect of Local Network Access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// It does not interfere.
    Fine,
    /// Chrome asks the user once.
    Asks,
    /// Chrome asks only on secure pages, and refuses on this one.
    Refused,
    /// The page's own Permissions-Policy forbids it.
    Forbidden,
}

/// The effect on a request from a page in one space to a hub in another.
pub fn network(page: &Url, page_space: Space, hub_space: Space, permissions: &[&str]) -> Network {
    if page_space <= hub_space {
        return Network::Fine;
    }
    if !is_secure(page) {
        return Network::Refused;
    }
    if permissions.iter().any(|header| forbids(header, hub_space)) { Network::Forbidden } else { Network::Asks }
}

/// Whether a Permissions-Policy denies the feature to all origins. Chrome uses an old name and, since 145, two new
/// ones.
fn forbids(header: &str, hub_space: Space) -> bool {
    let own = if hub_space == Space::Loopback { "loopback-network" } else { "local-network" };
    header.split(',').any(|part| {
        let Some((name, value)) = part.split_once('=') else { return false };
        let value: String = value.split(';').next().unwrap_or_default().split_whitespace().collect();
        ["local-network-access", own].contains(&name.trim()) && value == "()"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn addresses_are_distinguished() {
        for (address, want) in [
            ("127.0.0.1", Space::Loopback),
            ("127.8.9.1", Space::Loopback),
            ("::1", Space::Loopback),
            ("::ffff:127.0.0.1", Space::Loopback),
            ("192.168.1.5", Space::Local),
            ("10.1.2.3", Space::Local),
            ("172.16.0.1", Space::Local),
            ("100.64.0.1", Space::Local),
            ("169.254.1.1", Space::Local),
            ("fe80::1", Space::Local),
            ("fd00::1", Space::Local),
            ("100.128.0.1", Space::Public),
            ("93.184.216.34", Space::Public),
            ("2606:2800::1", Space::Public),
        ] {
            assert_eq!(Space::of(address.parse().unwrap()), want, "{address}");
        }
        assert_eq!(Space::of_host(&url("http://app.localhost:3000/")), Some(Space::Loopback));
        assert_eq!(Space::of_host(&url("http://localhost.evil.test/")), None);
    }

    #[test]
    fn only_plain_beside_encrypted_is_mixed() {
        for (page, hub, want) in [
            ("http://shop.test/", "http://localhost:8765/", Mixed::Fine),
            ("https://shop.test/", "https://localhost:8765/", Mixed::Fine),
            ("https://shop.test/", "http://localhost:8765/", Mixed::ByBrowser),
            ("https://shop.test/", "http://127.0.0.1:8765/", Mixed::ByBrowser),
            ("https://shop.test/", "http://box.local:8765/", Mixed::Refused),
        ] {
            assert_eq!(mixed(&url(page), &url(hub)), want, "{page} {hub}");
        }
    }

    #[test]
    fn chrome_asks_on_the_way_to_what_is_less_public() {
        let (public, local, own) = (Space::Public, Space::Local, Space::Loopback);
        let https = url("https://shop.test/");
        assert_eq!(network(&https, public, own, &[]), Network::Asks);
        assert_eq!(network(&https, local, own, &[]), Network::Asks);
        assert_eq!(network(&https, local, local, &[]), Network::Fine);
        assert_eq!(network(&url("http://shop.test/"), public, own, &[]), Network::Refused);
        assert_eq!(network(&url("http://192.168.1.5/"), local, own, &[]), Network::Refused);
        assert_eq!(network(&url("http://localhost:5173/"), own, own, &[]), Network::Fine);
        for (header, want) in [
            ("camera=(), local-network-access=()", Network::Forbidden),
            ("loopback-network=( )", Network::Forbidden),
            ("local-network=()", Network::Asks),
            ("local-network-access=(self)", Network::Asks),
            ("x-local-network-access=()", Network::Asks),
        ] {
            assert_eq!(network(&https, public, own, &[header]), want, "{header}");
        }
    }
}
