//! `eye doctor`: whether everything that eye needs is there, and what to do where it is not.

mod checks;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui::{self, Lines};
use checks::Finding;
use eye_protocol::rpc::json;

/// Check hub, socket, token, browser, pages and permissions
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye doctor\n         eye doctor --fix\n         eye doctor --json\n
Starts nothing without --fix. Exits with 0 when nothing is wrong, else with the code that the fault would lead to.")]
pub struct Args {
    /// Mend what can be mended without asking
    #[arg(long)]
    fix: bool,
}

/// Checks everything.
pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let findings = checks::all(args.fix, options);
    if options.json {
        ui::line(json(&findings))?;
    } else {
        let mut lines = Lines::new();
        for finding in findings.iter().filter(|finding| !options.errors || finding.exit.is_some()) {
            lines.line(shown(finding))?;
        }
        lines.flush()?;
    }
    Ok(findings.iter().find_map(|finding| finding.exit).unwrap_or(Exit::Success))
}

fn shown(finding: &Finding) -> String {
    let mark = if finding.exit.is_some() { "✗" } else { "✓" };
    let hint = finding.hint.as_ref().map_or_else(String::new, |hint| format!("\n    {hint}"));
    format!("{mark} {}: {}{hint}", finding.what, finding.found)
}
