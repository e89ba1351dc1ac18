//! Published metadata of protected resources (RFC 9728) and authorization servers (RFC 8414, OIDC Discovery): where it
//! is found, and which of it to trust. Pure.

use super::error::OAuthError;
use serde::Deserialize;
use url::{Host, Url};

/// The metadata of a protected resource, as far as it is used.
#[derive(Debug, Deserialize)]
pub struct Protected {
    pub resource: String,
    #[serde(default)]
    pub authorization_servers: Vec<String>,
    #[serde(default)]
    pub scopes_supported: Vec<String>,
}

/// The metadata of an authorization server, as far as it is used.
#[derive(Debug, Deserialize)]
pub struct Server {
    pub issuer: String,
    pub authorization_endpoint: String,
    pub token_endpoint: String,
    #[serde(default)]
    pub registration_endpoint: Option<String>,
    #[serde(default)]
    pub revocation_endpoint: Option<String>,
    #[serde(default)]
    pub scopes_supported: Vec<String>,
    #[serde(default)]
    pub code_challenge_methods_supported: Vec<String>,
    #[serde(default)]
    pub authorization_response_iss_parameter_supported: bool,
}

impl Protected {
    /// Refuses metadata of another server: a token for that one must not be requested through ours (RFC 9728 §3.3).
    /// The metadata may cover the whole host, or a path above the server's.
    pub fn check(&self, server: &Url, at: &Url) -> Result<(), OAuthError> {
        let other =
            || OAuthError::OtherResource { at: at.to_string(), found: short(&self.resource), wanted: plain(server) };
        let resource = Url::parse(&self.resource).map_err(|_| other())?;
        let (above, below) = (resource.path().trim_end_matches('/'), server.path());
        let is_above = below.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if resource.origin() == server.origin() && resource.origin().is_tuple() && is_above {
            Ok(())
        } else {
            Err(other())
        }
    }
}

impl Server {
    /// Refuses metadata of another issuer (RFC 8414 §3.3), and a server without PKCE S256, which protects the code.
    pub fn check(&self, issuer: &Url, at: &Url) -> Result<(), OAuthError> {
        if Url::parse(&self.issuer).ok().as_ref() != Some(issuer) {
            let (found, wanted) = (short(&self.issuer), issuer.to_string());
            return Err(OAuthError::OtherIssuer { at: at.to_string(), found, wanted });
        }
        if !self.code_challenge_methods_supported.iter().any(|method| method == "S256") {
            return Err(OAuthError::NoPkce(short(&self.issuer)));
        }
        Ok(())
    }
}

/// The URLs where a protected resource's metadata may be, best first.
pub fn resource_places(server: &Url) -> Vec<Url> {
    let path = server.path().trim_end_matches('/');
    let mut places = vec![well_known(server, "oauth-protected-resource", path)];
    if !path.is_empty() {
        places.push(well_known(server, "oauth-protected-resource", ""));
    }
    places
}

/// The URLs where an authorization server's metadata may be, best first.
pub fn server_places(issuer: &Url) -> Vec<Url> {
    let path = issuer.path().trim_end_matches('/');
    let mut places =
        vec![well_known(issuer, "oauth-authorization-server", path), well_known(issuer, "openid-configuration", path)];
    if !path.is_empty() {
        let mut below = issuer.clone();
        below.set_path(&format!("{path}/.well-known/openid-configuration"));
        below.set_query(None);
        places.push(below);
    }
    places
}

fn well_known(of: &Url, name: &str, path: &str) -> Url {
    let mut place = of.clone();
    place.set_path(&format!("/.well-known/{name}{path}"));
    place.set_query(None);
    place.set_fragment(None);
    place
}

/// A URL that secrets may be sent to: over TLS, or on this machine. A loopback URL is accepted only from a server on
/// this machine: a remote one could make us send requests to local services.
pub fn trusted(address: &str, server: &Url) -> Result<Url, OAuthError> {
    let url = Url::parse(address).map_err(|_| OAuthError::NotUrl(short(address)))?;
    if is_loopback(&url) {
        return if is_loopback(server) { Ok(url) } else { Err(OAuthError::Loopback(plain(&url))) };
    }
    if url.scheme() == "https" && url.host().is_some() { Ok(url) } else { Err(OAuthError::Insecure(plain(&url))) }
}

/// Whether a token sent to this URL cannot be read on the way.
pub fn is_private(url: &Url) -> bool {
    is_loopback(url) || (url.scheme() == "https" && url.host().is_some())
}

fn is_loopback(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
        && match url.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(ip)) => ip.is_loopback(),
            Some(Host::Ipv6(ip)) => ip.is_loopback(),
            None => false,
        }
}

/// The resource indicator of a server (RFC 8707): its URL without credentials and fragment.
pub fn indicator(server: &Url) -> String {
    let mut url = server.clone();
    url.set_fragment(None);
    let _ = url.set_username("");
    let _ = url.set_password(None);
    let text = url.to_string();
    // MCP's canonical form of a bare host has no slash.
    if url.path() == "/" && url.query().is_none() { text.trim_end_matches('/').to_owned() } else { text }
}

/// A URL for printing: without credentials, query and fragment.
pub fn plain(url: &Url) -> String {
    let mut url = url.clone();
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}

/// A server's text, shortened to one line for a message.
pub fn short(text: &str) -> String {
    eye_protocol::signature::one_line(text, 200)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn shown(places: Vec<Url>) -> Vec<String> {
        places.into_iter().map(String::from).collect()
    }

    #[test]
    fn metadata_is_looked_for_where_the_standards_put_it() {
        assert_eq!(
            shown(resource_places(&url("https://a.example/team/mcp?x=1"))),
            [
                "https://a.example/.well-known/oauth-protected-resource/team/mcp",
                "https://a.example/.well-known/oauth-protected-resource"
            ]
        );
        assert_eq!(
            shown(resource_places(&url("https://a.example"))),
            ["https://a.example/.well-known/oauth-protected-resource"]
        );
        assert_eq!(
            shown(server_places(&url("https://auth.example/tenant"))),
            [
                "https://auth.example/.well-known/oauth-authorization-server/tenant",
                "https://auth.example/.well-known/openid-configuration/tenant",
                "https://auth.example/tenant/.well-known/openid-configuration"
            ]
        );
        assert_eq!(
            shown(server_places(&url("https://auth.example/"))),
            [
                "https://auth.example/.well-known/oauth-authorization-server",
                "https://auth.example/.well-known/openid-configuration"
            ]
        );
    }

    #[test]
    fn a_resource_is_the_server_itself_or_what_is_above_it() {
        let server = url("https://a.example/team/mcp");
        let fits = |resource: &str| {
            let resource =
                Protected { resource: resource.into(), authorization_servers: vec![], scopes_supported: vec![] };
            resource.check(&server, &server).is_ok()
        };
        for yes in
            ["https://a.example/team/mcp", "https://a.example/team/", "https://a.example", "https://a.example:443/"]
        {
            assert!(fits(yes), "{yes}");
        }
        for no in [
            "https://evil.example/team/mcp",
            "http://a.example/team/mcp",
            "https://a.example/team/mc",
            "https://a.example/team/mcp/x",
            "https://a.example:8443/",
            "data:,x",
            "",
        ] {
            assert!(!fits(no), "{no}");
        }
    }

    #[test]
    fn an_authorization_server_must_be_the_one_that_was_named_and_offer_s256() {
        let server = |issuer: &str, methods: &str| -> Server {
            let text = format!(
                r#"{{"issuer":"{issuer}","authorization_endpoint":"x","token_endpoint":"y","code_challenge_methods_supported":{methods}}}"#
            );
            serde_json::from_str(&text).unwrap()
        };
        let (issuer, at) = (url("https://auth.example"), url("https://auth.example/x"));
        assert!(server("https://auth.example", "[\"S256\"]").check(&issuer, &at).is_ok());
        assert!(server("https://auth.example/", "[\"plain\",\"S256\"]").check(&issuer, &at).is_ok());
        let other = server("https://evil.example", "[\"S256\"]").check(&issuer, &at);
        assert!(matches!(other, Err(OAuthError::OtherIssuer { .. })));
        let below = server("https://auth.example/tenant", "[\"S256\"]").check(&issuer, &at);
        assert!(matches!(below, Err(OAuthError::OtherIssuer { .. })));
        assert!(matches!(
            server("https://auth.example", "[\"plain\"]").check(&issuer, &at),
            Err(OAuthError::NoPkce(_))
        ));
        assert!(matches!(server("https://auth.example", "[]").check(&issuer, &at), Err(OAuthError::NoPkce(_))));
    }

    #[test]
    fn secrets_go_over_tls_or_stay_on_this_machine() {
        let (far, near) = (url("https://a.example/mcp"), url("http://localhost:8000/mcp"));
        assert!(trusted("https://auth.example/token", &far).is_ok());
        assert!(trusted("https://auth.example/token", &near).is_ok());
        assert!(trusted("http://127.0.0.1:9/token", &near).is_ok());
        assert!(matches!(trusted("http://auth.example/token", &far), Err(OAuthError::Insecure(_))));
        assert!(matches!(trusted("ftp://auth.example/token", &far), Err(OAuthError::Insecure(_))));
        for own in
            ["http://127.0.0.1:9/", "https://localhost/", "http://[::1]/", "http://x.localhost/", "http://127.1/"]
        {
            assert!(matches!(trusted(own, &far), Err(OAuthError::Loopback(_))), "{own}");
        }
        assert!(matches!(trusted("token", &far), Err(OAuthError::NotUrl(_))));
        assert!(is_private(&far) && is_private(&near) && !is_private(&url("http://a.example/mcp")));
    }

    #[test]
    fn an_indicator_holds_no_secret_and_no_fragment() {
        assert_eq!(indicator(&url("https://me:secret@a.example/mcp#x")), "https://a.example/mcp");
        assert_eq!(indicator(&url("https://a.example")), "https://a.example");
        assert_eq!(indicator(&url("https://a.example/?x=1")), "https://a.example/?x=1");
        assert_eq!(plain(&url("https://me:secret@a.example/mcp?key=1#x")), "https://a.example/mcp");
    }
}
