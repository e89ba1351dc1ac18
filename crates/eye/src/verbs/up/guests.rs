//! What is mounted into a hub beside its own endpoints, and the flags of it.

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
    /// The flags that say the same.
    pub fn flags(&self) -> Option<String> {
        self.llm.as_ref().map(|url| format!("--llm={url}"))
    }

    /// Tells what a hub that runs does not take over.
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

/// A lean hub has none of them.
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
    /// Everything that is mounted into the hub beside its own endpoints.
    pub fn mounted(&self) -> Result<Vec<Arc<dyn Guest>>, Failure> {
        let mut guests = vec![mcp()?];
        guests.extend(self.of_originals()?);
        #[cfg(feature = "browser")]
        guests.extend(crate::browser::guests()?);
        Ok(guests)
    }
}

/// MCP's faces, with the upstreams of this user's settings.
fn mcp() -> Result<Arc<dyn Guest>, Failure> {
    // A client over HTTP says nothing of a folder; this user's own is as good as any.
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
