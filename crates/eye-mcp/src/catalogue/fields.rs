//! Which texts of a tool a search reads, and the weight of each field.

use super::entry::Entry;
use serde_json::Value;

/// Bytes of one text that are indexed; some descriptions are essays.
pub const TEXT_BYTES_MAX: usize = 4 << 10;
/// Parameters of one tool that are indexed.
const PARAMETERS_MAX: usize = 100;
/// Depth of nested parameters that is indexed.
const DEPTH_MAX: usize = 3;
/// Values of one `enum` that are indexed.
const VALUES_MAX: usize = 50;

/// A field of a tool in which a word may occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Name,
    Title,
    Server,
    ServerDescription,
    Summary,
    Description,
    Parameter,
    /// Descriptions of parameters, and the values that they accept.
    ParameterText,
}

/// All fields; the index of each is its discriminant.
pub const FIELDS: [Field; 8] = [
    Field::Name,
    Field::Title,
    Field::Server,
    Field::ServerDescription,
    Field::Summary,
    Field::Description,
    Field::Parameter,
    Field::ParameterText,
];

impl Field {
    /// The score of one occurrence in this field.
    pub fn weight(self) -> f32 {
        match self {
            Self::Name => 4.0,
            Self::Title | Self::Server | Self::Summary => 2.0,
            Self::Parameter => 0.8,
            Self::ServerDescription | Self::Description => 0.5,
            Self::ParameterText => 0.4,
        }
    }

    /// How much a text of this field that is longer than the average lowers the score of each of its words, 0 to 1.
    pub fn dilution(self) -> f32 {
        match self {
            Self::Name => 0.4,
            Self::Server | Self::ServerDescription | Self::Title => 0.0,
            Self::Summary => 0.5,
            Self::Description | Self::Parameter | Self::ParameterText => 0.75,
        }
    }
}

/// The texts of a tool, by field.
pub fn texts(entry: &Entry, server_description: Option<&str>) -> Vec<(Field, String)> {
    let definition = entry.definition();
    let description = definition["description"].as_str().unwrap_or_default();
    let (summary, rest) = first_sentence(description.trim());
    let mut texts = vec![
        (Field::Name, entry.name.to_string()),
        (Field::Title, cut(definition["title"].as_str().unwrap_or_default())),
        (Field::Server, entry.server.to_string()),
        (Field::ServerDescription, cut(server_description.unwrap_or_default())),
        (Field::Summary, cut(summary)),
        (Field::Description, cut(rest)),
    ];
    let mut count = 0;
    parameters(&definition["inputSchema"], 0, &mut count, &mut texts);
    texts
}

fn parameters(schema: &Value, depth: usize, count: &mut usize, texts: &mut Vec<(Field, String)>) {
    for (name, part) in schema["properties"].as_object().into_iter().flatten() {
        if *count >= PARAMETERS_MAX {
            return;
        }
        *count += 1;
        texts.push((Field::Parameter, name.clone()));
        if let Some(text) = part["description"].as_str() {
            texts.push((Field::ParameterText, cut(text)));
        }
        let values = part["enum"].as_array().or_else(|| part["items"]["enum"].as_array());
        let values: Vec<&str> = values.into_iter().flatten().take(VALUES_MAX).filter_map(Value::as_str).collect();
        if !values.is_empty() {
            texts.push((Field::ParameterText, cut(&values.join(" "))));
        }
        if depth < DEPTH_MAX {
            parameters(part, depth + 1, count, texts);
            parameters(&part["items"], depth + 1, count, texts);
        }
    }
}

/// Splits a text after its first sentence or line.
fn first_sentence(text: &str) -> (&str, &str) {
    let end = text.char_indices().find(|(at, c)| {
        let rest = &text[at + c.len_utf8()..];
        *c == '\n' || *c == '。' || (".!?".contains(*c) && rest.starts_with(char::is_whitespace))
    });
    end.map_or((text, ""), |(at, c)| text.split_at(at + c.len_utf8()))
}

fn cut(text: &str) -> String {
    let mut end = text.len().min(TEXT_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}
