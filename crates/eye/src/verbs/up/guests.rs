//! What is mounted into a hub beside its own endpoints.

use crate::env::{self, Var};
use crate::failure::Failure;
use crate::{faces, geometry, places};
use eye_hub::Guest;
use eye_hub::guests::{BtcpOverHttp, MailboxFiles, OriginalEye};
use eye_mcp::face::Face;
use eye_mcp::{Gateway, Project, Settings};
use std::sync::Arc;

/// Everything that is mounted into the hub beside its own endpoints.
pub fn guests(llm: Option<&str>) -> Result<Vec<Arc<dyn Guest>>, Failure> {
    let mut guests: Vec<Arc<dyn Guest>> = vec![
        mcp()?,
        geometry::guest(places::cartridges_folder()?),
        geometry::llm(llm)?,
        Arc::new(BtcpOverHttp),
        Arc::new(OriginalEye),
    ];
    #[cfg(feature = "browser")]
    guests.extend(crate::browser::guests()?);
    guests.extend(places::mailbox().map(|folder| Arc::new(MailboxFiles::new(folder)) as Arc<dyn Guest>));
    Ok(guests)
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
