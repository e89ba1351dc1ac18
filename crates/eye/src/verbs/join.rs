//! `eye join`: prints the ways in which a page can join, ready to paste.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::join::{self, Way};
use crate::options::Options;
use crate::ui;
use serde::Serialize;
use serde_json::json;
use std::fmt::Write;

/// Print what to write into a page, or anywhere near it, so that it joins
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye join
         eye join vite
         eye join bookmarklet

For a file or folder of your own nothing has to be written: eye open ./index.html serves it with the client added.
What stands between a page and the hub: eye doctor URL.")]
pub struct Args {
    /// Only this way, as it is to be pasted: tag, vite, import, proxy, bookmarklet or userscript
    #[arg(value_enum, value_name = "WAY", hide_possible_values = true)]
    way: Option<Way>,
}

#[derive(Serialize)]
struct Row {
    way: Way,
    place: &'static str,
    text: String,
    cannot: &'static str,
}

pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let (hub, runs) = join::hub(options)?;
    let rows: Vec<Row> = Way::ALL
        .into_iter()
        .filter(|way| args.way.is_none_or(|wanted| wanted == *way))
        .map(|way| Row { way, place: way.place(), text: way.text(&hub), cannot: way.cannot() })
        .collect();
    if options.json {
        ui::line(json!({ "hub": hub, "runs": runs, "ways": rows }))?;
    } else if !options.errors {
        match (args.way, &rows[..]) {
            (Some(_), [row]) => ui::text_out(&row.text)?,
            _ => ui::text_out(&guide(&hub, &rows))?,
        }
    }
    if !runs && args.way.is_none() {
        ui::note("no hub runs; the first command starts one");
    }
    Ok(Exit::Success)
}

/// All ways on one screen: a long text is replaced by the command that prints it.
fn guide(hub: &str, rows: &[Row]) -> String {
    let mut text = format!("A page joins {hub} by one of these.\n");
    for row in rows {
        let name = row.way.name();
        let _ = write!(text, "\n{name}, {}\n", row.place);
        if row.text.lines().count() <= 3 && row.text.len() <= 200 {
            text.extend(row.text.lines().map(|line| format!("    {line}\n")));
        } else {
            let _ = writeln!(text, "    eye join {name} prints it");
        }
        let _ = writeln!(text, "  limits: {}", row.cannot);
    }
    text.push_str("\na file or folder of yours\n    eye open ./index.html\n  limits: on this machine only\n");
    text
}
