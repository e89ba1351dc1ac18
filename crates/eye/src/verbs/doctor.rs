//! `eye doctor`: checks everything that eye needs, and suggests a repair for what is missing.

mod checks;
mod page;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui::{self, Lines};
use checks::Finding;
use eye_protocol::rpc::json;

/// Check hub, socket, token, browser and pages; or what stands between a page and the hub
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: eye doctor\n         eye doctor --fix\n         eye doctor http://localhost:5173\n         eye doctor https://shop.example --json\n
Starts nothing without --fix. Exits with 0 when nothing is wrong, else with the code that the fault would lead to.
With a URL, the page is fetched from this machine as a browser would, without cookies; its headers and its head are read \
(policies, redirects, encryption, a tag that is there already), and the hub is asked whether it would let the page in. The one \
change that helps first is said first."
)]
pub struct Args {
    /// The page to look at
    #[arg(value_name = "URL", conflicts_with = "fix")]
    url: Option<String>,
    /// Mend what can be mended without asking
    #[arg(long)]
    fix: bool,
}

pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    if let Some(url) = &args.url {
        return of_page(url, options);
    }
    let findings = checks::all(args.fix, options);
    if options.json {
        ui::line(json(&findings))?;
    } else {
        print(None, &findings, options)?;
    }
    Ok(worst(&findings))
}

fn of_page(url: &str, options: &Options) -> Result<Exit, Failure> {
    let report = page::examine(url, options)?;
    if options.json {
        ui::line(json(&report))?;
    } else {
        print(Some(report.headline()), &report.findings, options)?;
    }
    Ok(worst(&report.findings))
}

fn print(headline: Option<String>, findings: &[Finding], options: &Options) -> Result<(), Failure> {
    let wrong = findings.iter().any(|finding| finding.exit.is_some());
    let mut lines = Lines::new();
    // A hint that several findings share is printed once.
    let mut printed = headline.clone().unwrap_or_default();
    if let Some(headline) = headline.filter(|_| wrong || !options.errors) {
        lines.line(headline)?;
        lines.line("")?;
    }
    for finding in findings.iter().filter(|finding| !options.errors || finding.exit.is_some()) {
        let hint = finding.hint.as_deref().filter(|hint| !printed.contains(hint));
        lines.line(shown(finding, hint))?;
        printed.push_str(hint.unwrap_or_default());
        printed.push('\n');
    }
    lines.flush()
}

fn worst(findings: &[Finding]) -> Exit {
    findings.iter().find_map(|finding| finding.exit).unwrap_or(Exit::Success)
}

fn shown(finding: &Finding, hint: Option<&str>) -> String {
    let mark = if finding.exit.is_some() { "✗" } else { "✓" };
    let hint = hint.map_or_else(String::new, |hint| format!("\n    {hint}"));
    format!("{mark} {}: {}{hint}", finding.what, finding.found)
}
