//! Connects geometry's backends with the hub: neither crate depends on the other. Also finds the LLM server.

use crate::env::Var;
use crate::failure::Failure;
use crate::places;
use crate::token_file::read_token;
use crate::trust;
use eye_client::Server;
use eye_geometry::wire::{self, Geometry};
use eye_hub::guests::backends::{Backends, Given, Incoming, Outgoing, Room};
use eye_hub::guests::llm::LlmServer;
use eye_hub::guests::{Computing, PassThrough};
use eye_hub::{Guest, Later, Links};
use eye_remote::{Remote, Secret};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LLM_URL_DEFAULT: &str = "http://localhost:1234";

/// Geometry's backends as a guest of the hub; cartridges are stored in `folder`.
pub fn guest(folder: PathBuf) -> Arc<dyn Guest> {
    Arc::new(Computing::new(Arc::new(Seated(Geometry::new(folder)))))
}

#[derive(Debug)]
struct Seated(Geometry);

impl Backends for Seated {
    fn begin(&self, links: Links) {
        self.0.begin(Box::new(links));
    }

    fn talk(&self, room: Room, origin: Option<String>, incoming: Incoming, outgoing: Outgoing) -> Later<()> {
        let geometry = self.0.clone();
        match room {
            Room::Evolution => Box::pin(geometry.evolution(incoming, outgoing)),
            Room::Agents => Box::pin(geometry.agents(origin, incoming, outgoing)),
        }
    }

    fn cartridge(&self, name: String) -> Later<Given> {
        let geometry = self.0.clone();
        Box::pin(async move {
            let wire::Given { status, media_type, lasting, bytes } = geometry.cartridge(name).await;
            Given { status, media_type, lasting, bytes }
        })
    }

    fn metrics(&self) -> String {
        self.0.metrics()
    }

    fn shut_down(&self) -> Later<()> {
        Box::pin(self.0.shut_down())
    }
}

/// The LLM server. In this order: the flag, the environment, the user's config file, the last flag (a hub that a verb
/// starts has no flags), the usual address. The name `none` disables it.
pub fn llm(named: Option<&str>) -> Result<Arc<dyn Guest>, Failure> {
    Ok(Arc::new(PassThrough::new(llm_server(named)?)))
}

fn llm_server(named: Option<&str>) -> Result<Option<LlmServer>, Failure> {
    let configured = || configured(&places::config_file().ok()?);
    let named_last = places::llm_named_file()?;
    let remembered = || std::fs::read_to_string(&named_last).ok().map(|url| url.trim().to_owned());
    let known = || Var::LlmUrl.text().or_else(configured).or_else(remembered);
    let url = named.map(str::to_owned).or_else(known).unwrap_or_else(|| LLM_URL_DEFAULT.to_owned());
    if named.is_some() {
        if url != "none" {
            remote(&url)?;
        }
        std::fs::create_dir_all(places::state_folder()?).map_err(Failure::io("make the state folder"))?;
        std::fs::write(&named_last, &url).map_err(Failure::io("remember the LLM server"))?;
    }
    if url == "none" {
        return Ok(None);
    }
    let server = remote(&url)?;
    let remote = Remote { token: key()?, ..server };
    Ok(Some(LlmServer::new(remote)))
}

/// The key `llm` of the user's config file. The gateway reports a file that cannot be read; this function does not.
fn configured(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    eye_mcp::config::parse(&text, file).ok()?.llm
}

/// Parses the address of a server, without its key.
fn remote(url: &str) -> Result<Remote, Failure> {
    let hint = "write it as http://localhost:1234, or none";
    let wrong = || Failure::usage(format!("`{url}` is no URL of an LLM server"), hint);
    if !(url.starts_with("http://") || url.starts_with("https://")) {
        return Err(wrong());
    }
    let Server { tls, host, port, prefix } = Server::parse(url).map_err(|_| wrong())?;
    let tls = if tls { Some(trust::of_this_machine()?.config()?) } else { None };
    // The address of such a server is often written with the `/v1` that its paths begin with.
    let prefix = prefix.strip_suffix("/v1").unwrap_or(&prefix).to_owned();
    Ok(Remote { host, port, prefix, tls, token: None })
}

/// The key: from the environment, or from a file that no other user can read.
fn key() -> Result<Option<Secret>, Failure> {
    if let Some(key) = Var::LlmKey.text() {
        return Ok(Some(Secret::new(&key)));
    }
    let file = places::llm_key_file()?;
    if file.exists() { read_token(&file).map(Some) } else { Ok(None) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_config_names_an_llm_server() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.yaml");
        assert_eq!(configured(&file), None);
        for (text, want) in
            [("llm: http://box:1234\n", Some("http://box:1234")), ("servers: {}\n", None), ("llm: [\n", None)]
        {
            std::fs::write(&file, text).unwrap();
            assert_eq!(configured(&file).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn an_llm_server_is_named_by_its_url() {
        for (url, want) in [
            ("http://localhost:1234", "http://localhost:1234"),
            ("http://localhost:1234/v1", "http://localhost:1234"),
            ("http://localhost:1234/v1/", "http://localhost:1234"),
            ("http://10.0.0.1:80/llm/v1", "http://10.0.0.1:80/llm"),
            ("http://[::1]:1234", "http://[::1]:1234"),
        ] {
            assert_eq!(remote(url).unwrap().url(), want);
        }
        for url in ["localhost:1234", "ws://localhost", "", "http://", "file:///etc/passwd", "http://user@host"] {
            assert!(remote(url).is_err(), "{url}");
        }
    }
}
