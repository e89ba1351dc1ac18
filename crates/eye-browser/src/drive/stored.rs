//! A page's stored data: its cookies, and logins as files for another browser.

use super::frames::{Own, params};
use super::history::History;
use super::verbs::refusal;
use crate::cdp::Session;
use crate::error::CommandError;
use eye_protocol::rpc::json;
use eye_protocol::{Code, Ending, Error, Value};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The params of `page/cookies`.
#[derive(Debug, Deserialize)]
struct Cookies {
    action: Action,
    name: Option<String>,
    value: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Action {
    Get,
    Set,
    Clear,
}

#[derive(Deserialize)]
struct Kept {
    cookies: Vec<Cookie>,
}

/// A cookie, in the form of the browser and of other tools' files. `expires` is in seconds since 1970; negative: the
/// cookie ends with the browser.
#[derive(Debug, Deserialize, Serialize, PartialEq)]
#[serde(rename_all = "camelCase")]
struct Cookie {
    name: String,
    value: String,
    domain: String,
    path: String,
    #[serde(default = "of_the_browser")]
    expires: f64,
    #[serde(default)]
    http_only: bool,
    #[serde(default)]
    secure: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    same_site: Option<String>,
}

fn of_the_browser() -> f64 {
    -1.0
}

impl Cookie {
    fn line(&self) -> String {
        let Self { name, value, domain, path, http_only, secure, .. } = self;
        let more = match (http_only, secure) {
            (true, true) => " HttpOnly Secure",
            (true, false) => " HttpOnly",
            (false, true) => " Secure",
            (false, false) => "",
        };
        format!("{name}={value} {domain}{path}{more}")
    }
}

/// The page's URL, as the browser reports it.
async fn address(session: &Session) -> Result<String, CommandError> {
    Ok(History::of(session).await?.current().map_or_else(String::new, |entry| entry.url.clone()))
}

/// Lists, sets or removes the cookies for the page's URL, including those that its scripts cannot read.
pub async fn cookies(session: &Session, own: &Own) -> Ending {
    let Cookies { action, name, value } = params(own)?;
    let failed = |error: CommandError| refusal(&error);
    let kept = async || -> Result<Vec<Cookie>, Error> {
        let Kept { cookies } = session.ask("Network.getCookies", &json!({})).await.map_err(failed)?;
        Ok(cookies.into_iter().filter(|one| name.as_ref().is_none_or(|name| *name == one.name)).collect())
    };
    match (action, &name, value) {
        (Action::Get, _, _) => {
            let lines: Vec<String> = kept().await?.iter().map(Cookie::line).collect();
            Ok(Value::Text(if lines.is_empty() { "no cookies".to_owned() } else { lines.join("\n") }))
        }
        (Action::Set, Some(name), Some(value)) => {
            let url = address(session).await.map_err(failed)?;
            let params = json!({ "name": name, "value": value, "url": url });
            session.command("Network.setCookie", &params).await.map_err(failed)?;
            Ok(Value::Text(format!("set {name}")))
        }
        (Action::Set, _, _) => Err(Error::new(Code::PARAMS, "write eye cookies set NAME VALUE")),
        (Action::Clear, _, _) => {
            let found = kept().await?;
            for Cookie { name, domain, path, .. } in &found {
                let params = json!({ "name": name, "domain": domain, "path": path });
                session.command("Network.deleteCookies", &params).await.map_err(failed)?;
            }
            Ok(Value::Text(format!("removed {}", found.len())))
        }
    }
}

/// The params of `page/storage`.
#[derive(Debug, Deserialize)]
struct Storage {
    action: Carry,
    state: Option<Login>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Carry {
    Save,
    Load,
}

/// A login, in Playwright's file format.
#[derive(Debug, Deserialize, Serialize, PartialEq)]
struct Login {
    #[serde(default)]
    cookies: Vec<Cookie>,
    #[serde(default)]
    origins: Vec<Origin>,
}

#[derive(Debug, Deserialize, Serialize, PartialEq)]
#[serde(rename_all = "camelCase")]
struct Origin {
    origin: String,
    #[serde(default)]
    local_storage: Vec<Item>,
}

#[derive(Debug, Deserialize, Serialize, PartialEq)]
struct Item {
    name: String,
    value: String,
}

/// Saves the page's cookies and local storage, or loads saved ones.
pub async fn storage(session: &Session, own: &Own) -> Ending {
    let Storage { action, state } = params(own)?;
    let failed = |error: CommandError| refusal(&error);
    match (action, state) {
        (Carry::Save, _) => Ok(Value::Text(json(&saved(session).await.map_err(failed)?))),
        (Carry::Load, Some(login)) => load(session, login).await.map_err(failed).map(Value::Text),
        (Carry::Load, None) => Err(Error::new(Code::PARAMS, "state is missing: what `storage` saved")),
    }
}

async fn saved(session: &Session) -> Result<Login, CommandError> {
    #[derive(Deserialize)]
    struct Entries {
        entries: Vec<(String, String)>,
    }
    let Kept { cookies } = session.ask("Network.getCookies", &json!({})).await?;
    let mut origins = Vec::new();
    if let Some(origin) = origin_of(&address(session).await?) {
        let params = json!({ "storageId": { "securityOrigin": origin, "isLocalStorage": true } });
        let Entries { entries } = session.ask("DOMStorage.getDOMStorageItems", &params).await?;
        let local_storage = entries.into_iter().map(|(name, value)| Item { name, value }).collect();
        origins.push(Origin { origin, local_storage });
    }
    Ok(Login { cookies, origins })
}

/// Loads a login. A browser writes local storage only for the origin that the tab shows.
async fn load(session: &Session, login: Login) -> Result<String, CommandError> {
    let cookies: Vec<serde_json::Value> = login.cookies.iter().map(as_set).collect();
    if !cookies.is_empty() {
        session.command("Network.setCookies", &json!({ "cookies": cookies })).await?;
    }
    let here = origin_of(&address(session).await?);
    let (mine, others): (Vec<Origin>, Vec<Origin>) =
        login.origins.into_iter().partition(|one| Some(&one.origin) == here.as_ref());
    let mut items = 0;
    for Origin { origin, local_storage } in mine {
        for Item { name, value } in local_storage {
            let place = json!({ "securityOrigin": origin, "isLocalStorage": true });
            let params = json!({ "storageId": place, "key": name, "value": value });
            session.command("DOMStorage.setDOMStorageItem", &params).await?;
            items += 1;
        }
    }
    let mut summary = format!("{} cookies, {items} items of local storage; reload to use them", cookies.len());
    let left: Vec<&str> = others.iter().filter(|one| !one.local_storage.is_empty()).map(|one| &*one.origin).collect();
    if !left.is_empty() {
        summary.push_str("\nnot loaded, because this page is of another origin: ");
        summary.push_str(&left.join(" "));
    }
    Ok(summary)
}

/// A cookie as `Network.setCookies` expects it: without `expires` if it ends with the browser.
fn as_set(cookie: &Cookie) -> serde_json::Value {
    let mut set = json!(cookie);
    if cookie.expires < 0.0
        && let Some(members) = set.as_object_mut()
    {
        members.remove("expires");
    }
    set
}

/// The origin of a URL. `None` unless it is `http` or `https`.
fn origin_of(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    let host = host.rsplit('@').next()?;
    matches!(scheme, "http" | "https").then(|| format!("{scheme}://{host}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_is_read_and_written_in_the_form_that_others_keep() {
        let text = r#"{"cookies":[{"name":"a","value":"1","domain":"h","path":"/","expires":-1.0,"httpOnly":true,"secure":false,"sameSite":"Lax"}],"origins":[{"origin":"http://h","localStorage":[{"name":"k","value":"v"}]}]}"#;
        let login: Login = serde_json::from_str(text).unwrap();
        assert_eq!(json(&login), text);
        assert_eq!(as_set(&login.cookies[0]).get("expires"), None);
        assert_eq!(serde_json::from_str::<Login>("{}").unwrap(), Login { cookies: vec![], origins: vec![] });
    }

    #[test]
    fn only_web_addresses_have_an_origin() {
        assert_eq!(origin_of("https://user@h.example:8443/a?b#c").as_deref(), Some("https://h.example:8443"));
        for url in ["about:blank", "data:text/html,a", "file:///a", ""] {
            assert_eq!(origin_of(url), None, "{url}");
        }
    }
}
