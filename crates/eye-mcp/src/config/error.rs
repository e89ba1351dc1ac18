//! What is wrong with a config file: position, message, and what was probably meant.

use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {message}", .file.display(), .place.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default())]
pub struct ConfigError {
    pub file: PathBuf,
    /// Line and column from 1, where known.
    pub place: Option<(u64, u64)>,
    /// One sentence.
    pub message: String,
    /// What was probably meant.
    pub hint: Option<String>,
}

impl ConfigError {
    /// An error about the whole file.
    pub fn new(file: &Path, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), place: None, message: message.into(), hint: None }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(super) fn of_yaml(file: &Path, error: &serde_saphyr::Error) -> Self {
        let error = error.without_snippet();
        let place = error.location().map(|location| (location.line(), location.column()));
        let (message, hint) = match error {
            serde_saphyr::Error::SerdeUnknownField { field, expected, .. } => {
                let near = expected.iter().map(|known| (strsim::damerau_levenshtein(field, known), known)).min();
                let hint = match near {
                    Some((slips, known)) if slips <= known.len().max(field.len()) / 2 => {
                        format!("did you mean `{known}`?")
                    }
                    _ => format!("the keys are {}", expected.join(", ")),
                };
                (format!("unknown key `{field}`"), Some(hint))
            }
            other => (first_line(&other.to_string()), None),
        };
        Self { file: file.to_owned(), place, message, hint }
    }
}

/// The library's message also contains the position and an excerpt of the file; both are cut off.
fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let line = line.strip_prefix("error: ").unwrap_or(line);
    line.split(" at line ").next().unwrap_or(line).to_owned()
}
