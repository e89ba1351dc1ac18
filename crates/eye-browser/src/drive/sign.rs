//! The mark of the extension in titles of pages.

use std::borrow::Cow;

/// What the extension puts before a page's title while an agent uses it (`web/extension/src/sign.ts`) is not the page's
/// own.
pub fn without_mark(message: &str) -> Cow<'_, str> {
    const MARK: &str = "\u{1f441}\u{2060} ";
    if message.contains(MARK) { message.replace(MARK, "").into() } else { message.into() }
}
