//! A shader as something that can be bred: its syntax tree, what may change in it, and its text.
//! It knows nothing of pictures and fitness.

mod build;
mod mutate;
mod parentheses;
mod survey;
mod types;
mod walk;

pub use mutate::{Operator, Parent, mutate};
pub use survey::{Survey, survey};
pub use wgsl_parse::syntax::TranslationUnit;

/// Where and why a text is not WGSL to the tree's parser: the message, and the offset in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    pub message: String,
    pub offset: usize,
}

/// The tree of a shader, without parentheses.
pub fn parse(source: &str) -> Result<TranslationUnit, Unreadable> {
    let mut unit = wgsl_parse::parse_str(source)
        .map_err(|error| Unreadable { message: error.error.to_string(), offset: error.span.start })?;
    parentheses::strip(&mut unit);
    Ok(unit)
}

/// The text of a tree, with the parentheses that its meaning needs.
pub fn print(unit: &TranslationUnit) -> String {
    let mut unit = unit.clone();
    parentheses::add(&mut unit);
    unit.to_string()
}
