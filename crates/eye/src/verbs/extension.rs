//! `eye extension`: writes the extension for the user's own browser, and prints how to load it and the code that pairs
//! it.

use crate::client::{self, Absent};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::{places, ui};
use eye_protocol::status::Status;
use serde::Deserialize;
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;

/// Write the extension for your own browser, and print the code that pairs it
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye extension
         eye extension --no-debugger --dir ~/eye-extension

With the extension, tabs of the browser that you use yourself are pages: those that you grant by its button, or whose site you grant. \
Agents see nothing of the others. The code works once, within ten minutes, for one profile of one browser; eye token list shows \
what is paired, and eye token revoke ends it. With --no-debugger it has eval, verbs by events of the page's own, and pictures of what \
is in view; the browser itself holds it to tabs and sites that you allow. With --json, {\"dir\", \"code\"} is printed.")]
pub struct Args {
    /// The folder that it is written to (~/.local/state/eye/extension; with --no-debugger, extension-no-debugger there)
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Without the debugger permission: no real hands, and the browser asks you for sites
    #[arg(long)]
    no_debugger: bool,
    /// How long the code can be used (10m)
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    expires: Option<Duration>,
}

#[derive(Deserialize)]
struct Paired {
    code: String,
}

pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let folder = match &args.dir {
        Some(dir) => std::path::absolute(dir).map_err(Failure::io(format!("find {}", dir.display())))?,
        None => places::extension_folder(args.no_debugger)?,
    };
    write(&folder, args.no_debugger)?;
    let expires = args.expires.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    let params = expires.map_or_else(|| json!({}), |ms| json!({ "expiresMs": ms }));
    let Paired { code } = client::call("browser/pair", &params, options, Absent::Start)?;
    let Status { listen, .. } = client::call("hub/status", &json!({}), options, Absent::Report)?;
    let port = listen.rsplit(':').next().unwrap_or_default();
    let groups: Vec<String> =
        code.as_bytes().chunks(4).map(|part| String::from_utf8_lossy(part).into_owned()).collect();
    let code = format!("{port}-{}", groups.join("-"));
    let dir = folder.display();
    if options.json {
        ui::line(json!({ "dir": folder, "code": code }).to_string())?;
    } else if !options.errors {
        ui::line(format!(
            "The extension is in {dir}\n\
             1. Open chrome://extensions in your browser and turn on \"Developer mode\".\n\
             2. \"Load unpacked\": choose that folder. (Loaded already? Press its reload button.)\n\
             3. Click its button, the eye, and type this code: {code}"
        ))?;
    }
    Ok(Exit::Success)
}

#[cfg(feature = "browser")]
fn write(folder: &std::path::Path, no_debugger: bool) -> Result<(), Failure> {
    use eye_browser::extension::{self, Kind};
    let kind = if no_debugger { Kind::Scripted } else { Kind::Debugger };
    extension::write(folder, kind).map_err(Failure::io(format!("write {}", folder.display())))
}

#[cfg(not(feature = "browser"))]
fn write(_: &std::path::Path, _: bool) -> Result<(), Failure> {
    Err(Failure::usage("this eye was built without browsers", "install a release, or build with the feature `browser`"))
}
