//! The ways in which a page can join: what to write where, for the hub that commands use, and the limits of each way.

use crate::env::Var;
use crate::failure::Failure;
use crate::options::Options;
use crate::verbs::status;
use clap::ValueEnum;
use eye_client::Server;
use serde::Serialize;

/// The hub's address when nothing else is configured.
const HUB_DEFAULT: &str = "http://localhost:8765";
/// Placeholder for the hub's address.
const HUB: &str = "__HUB__";
/// Placeholder for the function that shows the user an error.
const TELL: &str = "__TELL__";
const ADDING: &str = include_str!("join/adding.js");
const USERSCRIPT_HEAD: &str = include_str!("join/userscript-head.js");

/// One way in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// A script tag
    Tag,
    /// An import
    Import,
    /// The Vite plugin
    Vite,
    /// A path of the page's own server
    Proxy,
    /// A bookmark
    Bookmarklet,
    /// A userscript
    Userscript,
}

impl Way {
    pub const ALL: [Self; 6] = [Self::Tag, Self::Vite, Self::Import, Self::Proxy, Self::Bookmarklet, Self::Userscript];

    pub fn name(self) -> &'static str {
        match self {
            Self::Tag => "tag",
            Self::Import => "import",
            Self::Vite => "vite",
            Self::Proxy => "proxy",
            Self::Bookmarklet => "bookmarklet",
            Self::Userscript => "userscript",
        }
    }

    pub fn place(self) -> &'static str {
        match self {
            Self::Tag => "in the page's <head>",
            Self::Import => "in a module of the page (first npm install the release's eye-client-VERSION.tgz)",
            Self::Vite => "in vite.config.js (first npm install the release's eye-client-VERSION.tgz)",
            Self::Proxy => "in the page's own server (here nginx), and in its <head>",
            Self::Bookmarklet => "as the address of a bookmark, clicked on the page",
            Self::Userscript => "as a new script in Tampermonkey or Violentmonkey",
        }
    }

    /// The limits of this way.
    pub fn cannot(self) -> &'static str {
        match self {
            Self::Tag => {
                "not where a Content-Security-Policy forbids it, nor on https pages in Safari; eye doctor URL says so"
            }
            Self::Import => "joins once the module has run; its socket needs what the tag's needs",
            Self::Vite => "the dev server only; production builds are left alone",
            Self::Proxy => "your server must be yours to configure; pages of other sites are not",
            Self::Bookmarklet => "until the page is left or reloaded; some Content-Security-Policies forbid it",
            Self::Userscript => {
                "the sites that it names, and those that `eye allow` names; some Content-Security-Policies forbid it"
            }
        }
    }

    /// The code to paste, for this hub.
    pub fn text(self, hub: &str) -> String {
        match self {
            Self::Tag => format!("<script src=\"{hub}/eye.js\"></script>\n"),
            Self::Import if hub == HUB_DEFAULT => "import { connect } from \"eye-client\";\nconnect();\n".to_owned(),
            Self::Import => format!("import {{ connect }} from \"eye-client\";\nconnect({{ hub: \"{hub}\" }});\n"),
            Self::Vite => {
                let options = if hub == HUB_DEFAULT { String::new() } else { format!("{{ hub: \"{hub}\" }}") };
                format!("import eye from \"eye-client/vite\";\nexport default {{ plugins: [eye({options})] }};\n")
            }
            Self::Proxy => proxy(hub),
            Self::Bookmarklet => bookmarklet(hub),
            Self::Userscript => format!("{USERSCRIPT_HEAD}{}\n", adding(hub, "console.warn").join("\n")),
        }
    }
}

/// The proxy drops Sec-Fetch-Site: to a browser its pages are same-origin, but they are not the hub's own pages.
fn proxy(hub: &str) -> String {
    let host = hub.split_once("://").map_or(hub, |(_, host)| host);
    format!(
        "location /__eye/ {{
  proxy_pass {hub}/;
  proxy_http_version 1.1;
  proxy_set_header Host {host};
  proxy_set_header Sec-Fetch-Site \"\";
  proxy_set_header Upgrade $http_upgrade;
  proxy_set_header Connection \"upgrade\";
  proxy_read_timeout 1d;
}}
<script src=\"/__eye/eye.js\"></script>
"
    )
}

/// The code that adds the client, without comment lines.
fn adding(hub: &str, tell: &str) -> Vec<String> {
    let code = ADDING.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.map(|line| line.replace(HUB, hub).replace(TELL, tell)).collect()
}

/// One line, because a bookmark has no line breaks.
fn bookmarklet(hub: &str) -> String {
    let lines = adding(hub, "alert");
    let line = lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    // Browsers percent-decode what follows `javascript:`.
    format!("javascript:{}\n", line.replace('%', "%25"))
}

/// The address under which pages find the hub that commands use, without a trailing slash, and whether a hub runs
/// there.
pub fn hub(options: &Options) -> Result<(String, bool), Failure> {
    if let Some(server) = Var::Server.text() {
        return Ok((Server::parse(&server)?.base(), true));
    }
    match status::relay(options) {
        // Pages use the address of the hub behind the relay.
        Ok(Some(relay)) => Ok((relay.url, true)),
        Ok(None) => {
            let url = status::url(&status::ask(options)?);
            Ok((
                url.replace("127.0.0.1", "localhost").replace("0.0.0.0", "localhost").replace("[::]", "localhost"),
                true,
            ))
        }
        Err(Failure::NoHub) => {
            let port = Var::Port.text();
            Ok((port.map_or_else(|| HUB_DEFAULT.to_owned(), |port| format!("http://localhost:{port}")), false))
        }
        Err(failure) => Err(failure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_names_the_hub_and_no_placeholder() {
        for way in Way::ALL {
            let text = way.text("http://localhost:9000");
            assert!(text.contains("localhost:9000"), "{text}");
            assert!(!text.contains(HUB) && !text.contains(TELL) && text.ends_with('\n'), "{text}");
        }
        assert_eq!(Way::Vite.text(HUB_DEFAULT).lines().last(), Some("export default { plugins: [eye()] };"));
    }

    #[test]
    fn a_bookmarklet_is_one_line_of_code() {
        let text = Way::Bookmarklet.text("http://localhost:8765");
        assert!(text.starts_with("javascript:(() => {"), "{text}");
        assert_eq!(text.lines().count(), 1);
    }
}
