//! The guests that are mounted into a hub, and their flags.

use crate::env::{self, Var};
use crate::failure::Failure;
use crate::{faces, places};
#[cfg(feature = "guests")]
use crate::{geometry, ui};
use eye_hub::Guest;
#[cfg(feature = "guests")]
use eye_hub::guests::{BtcpOverHttp, MailboxFiles, OriginalEye};
use eye_mcp::face::Face;
use eye_mcp::{Gateway, Project, Settings};
use std::sync::Arc;

#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub struct Args {
    /// The OpenAI-compatible server behind /v1/chat/completions, or none (`http://localhost:1234`)
    #[cfg(feature = "guests")]
    #[arg(long, value_name = "URL")]
    llm: Option<String>,
}

#[cfg(feature = "guests")]
impl Args {
    /// The same flags, for a hub in the background.
    pub fn flags(&self) -> Option<String> {
        self.llm.as_ref().map(|url| format!("--llm={url}"))
    }

    /// Notes which options a running hub does not adopt.
    pub fn note_running(&self) {
        if self.llm.is_some() {
            ui::note(
                "the hub that runs keeps its LLM server; `eye down` first, or `llm: URL` in config.yaml for every start",
            );
        }
    }

    fn of_originals(&self) -> Result<Vec<Arc<dyn Guest>>, Failure> {
        let mut guests: Vec<Arc<dyn Guest>> = vec![
            geometry::guest(places::cartridges_folder()?),
            geometry::llm(self.llm.as_deref())?,
            Arc::new(BtcpOverHttp),
            Arc::new(OriginalEye),
        ];
        guests.extend(places::mailbox().map(|folder| Arc::new(MailboxFiles::new(folder)) as Arc<dyn Guest>));
        Ok(guests)
    }
}

/// A lean build has no guests of this kind.
#[cfg(not(feature = "guests"))]
#[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as with guests")]
impl Args {
    pub fn flags(&self) -> Option<String> {
        None
    }

    pub fn note_running(&self) {}

    fn of_originals(&self) -> Result<Vec<Arc<dyn Guest>>, Failure> {
        Ok(Vec::new())
    }
}

impl Args {
    /// All guests of the hub.
    pub fn mounted(&self) -> Result<Vec<Arc<dyn Guest>>, Failure> {
        let mut guests = vec![mcp()?];
        guests.extend(self.of_originals()?);
        #[cfg(feature = "browser")]
        guests.extend(crate::browser::guests()?);
        Ok(guests)
    }
}

/// MCP, with the upstreams from this user's settings.
fn mcp() -> Result<Arc<dyn Guest>, Failure> {
    // A client over HTTP does not name a folder; the user's home is as good as any.
    let cwd = Var::Home.folder().unwrap_or_else(|| "/".into());
    let settings = Settings {
        project: Project { cwd, env: env::everything() },
        user_config: Some(places::config_file()?),
        state_folder: Some(places::gateway_folder()?),
        login_folder: Some(places::login_folder()?),
        ..Settings::default()
    };
    Ok(faces::guest(Face::new(Gateway::new(settings), env!("CARGO_PKG_VERSION"))))
}
