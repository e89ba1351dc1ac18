//! What of a tool is searched, and how much each place of it counts.

use super::entry::Entry;
use serde_json::Value;

/// Words of one text that are looked at; some descriptions are essays.
pub const TEXT_BYTES_MAX: usize = 4 << 10;
/// Parameters of one tool that are looked at.
const PARAMETERS_MAX: usize = 100;
/// How deep parameters of parameters are looked at.
const DEPTH_MAX: usize = 3;
/// Values of one list of values that are looked at.
const VALUES_MAX: usize = 50;

/// A place of a tool where a word may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Its own name.
    Name,
    /// Its title.
    Title,
    /// The name of its server.
    Server,
    /// What its server is for.
    ServerDescription,
    /// The first sentence of its description.
    Summary,
    /// The rest of it.
    Description,
    /// The names of its parameters.
    Parameter,
    /// Their descriptions, and the values they take.
    ParameterText,
}

/// All of them, in the order of their numbers.
pub const PLACES: [Place; 8] = [
    Place::Name,
    Place::Title,
    Place::Server,
    Place::ServerDescription,
    Place::Summary,
    Place::Description,
    Place::Parameter,
    Place::ParameterText,
];

impl Place {
    /// How much a word counts here.
    pub fn weight(self) -> f32 {
        match self {
            Self::Name => 4.0,
            Self::Title | Self::Server | Self::Summary => 2.0,
            Self::Parameter => 0.8,
            Self::ServerDescription | Self::Description => 0.5,
            Self::ParameterText => 0.4,
        }
    }

    /// How much a long text here takes from each of its words, 0 to 1.
    pub fn dilution(self) -> f32 {
        match self {
            Self::Name => 0.4,
            Self::Server | Self::ServerDescription | Self::Title => 0.0,
            Self::Summary => 0.5,
            Self::Description | Self::Parameter | Self::ParameterText => 0.75,
        }
    }
}

/// The texts of a tool by their places.
pub fn texts(entry: &Entry, server_description: Option<&str>) -> Vec<(Place, String)> {
    let definition = entry.definition();
    let description = definition["description"].as_str().unwrap_or_default();
    let (summary, rest) = first_sentence(description.trim());
    let mut texts = vec![
        (Place::Name, entry.name.to_string()),
        (Place::Title, cut(definition["title"].as_str().unwrap_or_default())),
        (Place::Server, entry.server.to_string()),
        (Place::ServerDescription, cut(server_description.unwrap_or_default())),
        (Place::Summary, cut(summary)),
        (Place::Description, cut(rest)),
    ];
    let mut count = 0;
    parameters(&definition["inputSchema"], 0, &mut count, &mut texts);
    texts
}

fn parameters(schema: &Value, depth: usize, count: &mut usize, texts: &mut Vec<(Place, String)>) {
    for (name, part) in schema["properties"].as_object().into_iter().flatten() {
        if *count >= PARAMETERS_MAX {
            return;
        }
        *count += 1;
        texts.push((Place::Parameter, name.clone()));
        if let Some(text) = part["description"].as_str() {
            texts.push((Place::ParameterText, cut(text)));
        }
        let values = part["enum"].as_array().or_else(|| part["items"]["enum"].as_array());
        let values: Vec<&str> = values.into_iter().flatten().take(VALUES_MAX).filter_map(Value::as_str).collect();
        if !values.is_empty() {
            texts.push((Place::ParameterText, cut(&values.join(" "))));
        }
        if depth < DEPTH_MAX {
            parameters(part, depth + 1, count, texts);
            parameters(&part["items"], depth + 1, count, texts);
        }
    }
}

/// The first sentence or line of a text, and what follows.
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
