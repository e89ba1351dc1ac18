//! `eye tools`: lists the tools that the page offers.

use crate::client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui::{self, Lines};
use eye_protocol::rpc;
use eye_protocol::signature::{sentence, signature};
use eye_protocol::tools::Tool;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// Up to this many tools are printed with descriptions: a longer list is for finding names.
const DESCRIBED_MAX: usize = 20;

/// List the tools that the page offers
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye tools
         eye tools cart
         eye tools addToCart --schema

A line is the tool's name with its parameters, such as add(a: number, b?: number), and the first sentence of its \
description while there are at most 20. eye call TOOL calls one.")]
pub struct Args {
    /// A tool's name, or part of a name or description
    #[arg(value_name = "NAME|FILTER")]
    filter: Option<String>,
    /// Print whole definitions, as JSON
    #[arg(long)]
    schema: bool,
}

#[derive(Deserialize)]
struct Offered {
    tools: Vec<Box<RawValue>>,
}

pub fn run(args: Args, options: &Options) -> Result<Exit, Failure> {
    let (Offered { tools }, mut hub) = client::ask("tools/list", &json!({}), options)?;
    let offered: Vec<Tool> = tools.into_iter().filter_map(|definition| Tool::parse(definition.get()).ok()).collect();
    let none = offered.is_empty();
    let (tools, named) = match &args.filter {
        None => (offered, false),
        Some(filter) => fitting(offered, filter),
    };
    if tools.is_empty()
        && !none
        && let Some(name) = args.filter
    {
        // Fails with the hub's error, which suggests similar names.
        let _: Value = hub.ask("tools/get", &json!({ "name": name }))?;
    }
    if options.errors {
        return Ok(Exit::Success);
    }
    if none && !options.json {
        ui::note("the page offers no tools");
    }
    if options.json {
        let definitions: Vec<&RawValue> = tools.iter().map(|tool| &*tool.definition).collect();
        ui::line(rpc::json(&definitions))?;
    } else {
        print(&tools, args.schema, named)?;
    }
    Ok(Exit::Success)
}

/// The tool of that name, with `true`; else the tools whose name or description contains the text.
fn fitting(tools: Vec<Tool>, filter: &str) -> (Vec<Tool>, bool) {
    match tools.iter().position(|tool| &*tool.name == filter) {
        Some(at) => (tools.into_iter().skip(at).take(1).collect(), true),
        None => (tools.into_iter().filter(|tool| tool.fits(filter)).collect(), false),
    }
}

fn print(tools: &[Tool], schema: bool, named: bool) -> Result<(), Failure> {
    let described = tools.len() <= DESCRIBED_MAX;
    let mut lines = Lines::new();
    for tool in tools {
        let definition: Value = client::read_result(tool.definition.get())?;
        lines.line(match (schema, named) {
            (true, true) => format!("{definition:#}"),
            (true, false) => definition.to_string(),
            (false, _) => line(&definition, described),
        })?;
    }
    lines.flush()
}

fn line(definition: &Value, described: bool) -> String {
    let (signature, sentence) = (signature(definition), sentence(definition));
    if described && !sentence.is_empty() { format!("{signature}  {sentence}") } else { signature }
}
