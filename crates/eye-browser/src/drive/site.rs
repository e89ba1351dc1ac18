//! The site of a URL.

/// The origin of a URL, as browsers write it. `None` unless it is `http` or `https`.
pub fn site_of(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"))?;
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    Some(format!("{scheme}://{host}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_of_a_site() {
        for (url, site) in [
            ("https://bank.example/a?b#c", Some("https://bank.example")),
            ("http://me:secret@bank.example:81", Some("http://bank.example:81")),
            ("https://bank.example?x=@y", Some("https://bank.example")),
            ("about:blank", None),
            ("data:text/html,https://bank.example", None),
            ("file:///etc/hosts", None),
        ] {
            assert_eq!(site_of(url).as_deref(), site, "{url}");
        }
    }
}
