//! `eye skill`: prints a short guide for coding agents.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::ui;

const SKILL: &str = include_str!("../../assets/skill.md");
const AGENTS: &str = include_str!("../../assets/agents.md");

/// Print a short guide for agents
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye skill\n         eye skill --agents-md >> AGENTS.md")]
pub struct Args {
    /// The block for a project's instructions file instead
    #[arg(long)]
    agents_md: bool,
}

pub fn run(args: &Args) -> Result<Exit, Failure> {
    ui::text_out(if args.agents_md { AGENTS } else { SKILL })?;
    Ok(Exit::Success)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An agent reads it before its first call, so its length has a budget.
    const SKILL_TOKENS_MAX: usize = 600;
    const AGENTS_TOKENS_MAX: usize = 120;

    #[test]
    fn the_guide_is_short() {
        let o200k = tiktoken::get_encoding("o200k_base").expect("its feature is on");
        let tokens = |text| o200k.count(text);
        assert!(tokens(SKILL) <= SKILL_TOKENS_MAX, "{}", tokens(SKILL));
        assert!(tokens(AGENTS) <= AGENTS_TOKENS_MAX, "{}", tokens(AGENTS));
    }

    #[test]
    fn the_guide_names_only_verbs_that_there_are() {
        for line in SKILL.lines().chain(AGENTS.lines()) {
            for command in line.split('`').skip(1).step_by(2).filter_map(|code| code.strip_prefix("eye ")) {
                let word = command.split(' ').next().unwrap_or_default();
                let expression = word == "EXPR" || word.starts_with(['\'', '(']) || word.contains('.');
                assert!(expression || crate::help::is_verb(word), "{command}");
            }
        }
    }
}
