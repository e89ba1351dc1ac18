//! Removes the extension's mark from page titles.

use std::borrow::Cow;

/// Removes the mark that the extension puts before a page's title while an agent uses it (`web/extension/src/sign.ts`):
/// it is not part of the title.
pub fn without_mark(message: &str) -> Cow<'_, str> {
    const MARK: &str = "\u{1f441}\u{2060} ";
    if message.contains(MARK) { message.replace(MARK, "").into() } else { message.into() }
}
