//! The media type of a file, by its name.

use std::path::Path;

/// As HTTP writes it. Text is assumed to be UTF-8.
pub fn type_of(name: impl AsRef<Path>) -> String {
    let media_type = mime_guess::from_path(name).first_or_octet_stream();
    let text = media_type.type_() == "text" || media_type.subtype() == "javascript";
    if text { format!("{media_type}; charset=utf-8") } else { media_type.to_string() }
}
