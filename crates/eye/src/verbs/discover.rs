//! `eye discover`: searches the tools of all pages and servers.

use crate::client::{self, Absent};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::verbs::servers::files::asking;
use crate::{env, ui};
use serde_json::{Map, Value};

/// Find tools of all pages and servers, by words or JSONPath
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye discover read a file
         eye discover '$.tools[?@.name contains \"file\"].name'
         eye discover '$.servers[*].name'

Words: the tools that fit, best first, as eye call takes them. JSONPath (RFC 9535, and `contains`, `=~ /re/i`): exactly \
what it selects of tools, tool_names, servers, pages and metadata.")]
pub struct Args {
    /// Words, or one JSONPath
    #[arg(value_name = "WORDS|JSONPATH", required = true)]
    query: Vec<String>,
}

pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let mut params: Map<String, Value> = asking(env::current_folder());
    params.insert("query".into(), args.query.join(" ").into());
    let mut found: Map<String, Value> = client::call("gateway/discover", &params, options, Absent::Start)?;
    let text = found.remove("text");
    if options.json {
        ui::line(Value::Object(found))?;
    } else if !options.errors {
        ui::line(text.as_ref().and_then(Value::as_str).unwrap_or_default())?;
    }
    Ok(Exit::Success)
}
