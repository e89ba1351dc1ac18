//! Vocabulary of the original 3D server: 48 crayons, 16 directions, and its number format.

use serde_json::{Number, Value};

/// Colour names and values, in the original's order.
const CRAYONS: [(&str, &str); 48] = [
    ("licorice", "#000000"),
    ("lead", "#1e1e1e"),
    ("tungsten", "#3a3a3a"),
    ("iron", "#545453"),
    ("steel", "#6e6e6e"),
    ("tin", "#878687"),
    ("nickel", "#888787"),
    ("aluminum", "#a09fa0"),
    ("magnesium", "#b8b8b8"),
    ("silver", "#d0d0d0"),
    ("mercury", "#e8e8e8"),
    ("snow", "#ffffff"),
    ("cayenne", "#891100"),
    ("mocha", "#894800"),
    ("asparagus", "#888501"),
    ("fern", "#458401"),
    ("clover", "#028401"),
    ("moss", "#018448"),
    ("teal", "#008688"),
    ("ocean", "#004a88"),
    ("midnight", "#001888"),
    ("eggplant", "#491a88"),
    ("plum", "#891e88"),
    ("maroon", "#891648"),
    ("maraschino", "#ff2101"),
    ("tangerine", "#ff8802"),
    ("lemon", "#fffa03"),
    ("lime", "#83f902"),
    ("spring", "#05f802"),
    ("sea foam", "#03f987"),
    ("turquoise", "#00fdff"),
    ("aqua", "#008cff"),
    ("blueberry", "#002eff"),
    ("grape", "#8931ff"),
    ("magenta", "#ff39ff"),
    ("strawberry", "#ff2987"),
    ("salmon", "#ff726e"),
    ("cantaloupe", "#ffce6e"),
    ("banana", "#fffb6d"),
    ("honeydew", "#cefa6e"),
    ("flora", "#68f96e"),
    ("spindrift", "#68fbd0"),
    ("ice", "#68fdff"),
    ("sky", "#6acfff"),
    ("orchid", "#6e76ff"),
    ("lavender", "#d278ff"),
    ("bubblegum", "#ff7aff"),
    ("carnation", "#ff7fd3"),
];

/// Clockwise from north, 22.5 degrees apart.
const COMPASS: [&str; 16] =
    ["n", "nne", "ne", "ene", "e", "ese", "se", "sse", "s", "ssw", "sw", "wsw", "w", "wnw", "nw", "nnw"];
const COMPASS_STEP: f64 = 22.5;
const LONG_NAMES: [(&str, &str); 8] = [
    ("north", "n"),
    ("northeast", "ne"),
    ("east", "e"),
    ("southeast", "se"),
    ("south", "s"),
    ("southwest", "sw"),
    ("west", "w"),
    ("northwest", "nw"),
];

/// An argument as the page receives it, and as the confirmation shows it.
#[derive(Debug, PartialEq)]
pub struct Read {
    /// For the page.
    pub sent: Value,
    /// For the agent.
    pub shown: String,
}

/// Parses a colour: `#rrggbb` or a crayon name.
pub fn colour(value: &Value) -> Option<Read> {
    let given = value.as_str()?;
    let name = given.trim().to_lowercase();
    if name.len() == 7 && name.starts_with('#') && name[1..].bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Some(Read { sent: Value::from(name.clone()), shown: name });
    }
    let name = if matches!(name.as_str(), "seafoam" | "sea-foam") { "sea foam".to_owned() } else { name };
    let (_, hex) = CRAYONS.iter().find(|(crayon, _)| *crayon == name)?;
    Some(Read { sent: Value::from(*hex), shown: format!("{name} ({hex})") })
}

/// Why a colour is refused, in the original's words.
pub fn colour_refusal() -> String {
    let names: Vec<&str> = CRAYONS.iter().map(|(name, _)| *name).collect();
    format!(
        "Must be a hex color code (e.g., \"#ff0000\") or an Apple crayon color name. Available colors: {}",
        names.join(", ")
    )
}

/// Parses an azimuth: 0 to 360, or the name of a direction.
pub fn azimuth(value: &Value) -> Option<Read> {
    if let Some(degrees) = value.as_f64() {
        let fits = (0.0..=360.0).contains(&degrees);
        return fits.then(|| Read { sent: value.clone(), shown: format!("{}°", plain(degrees)) });
    }
    let given = value.as_str()?;
    let name: String = given.to_lowercase().chars().filter(|c| !c.is_whitespace() && !matches!(c, '-' | '.')).collect();
    let short = LONG_NAMES.iter().find(|(long, _)| *long == name).map_or(name.as_str(), |(_, short)| short);
    let at = COMPASS.iter().position(|direction| *direction == short)?;
    let degrees = COMPASS_STEP * f64::from(u8::try_from(at).ok()?);
    Some(Read { sent: Number::from_f64(degrees)?.into(), shown: given.trim().to_owned() })
}

pub const AZIMUTH_REFUSAL: &str = "Must be a number from 0 to 360 or a direction name (north, NNE, NE, ENE, east, \
                                   ESE, SE, SSE, south, SSW, SW, WSW, west, WNW, NW, NNW)";

/// A number as JavaScript writes it.
pub fn plain(value: f64) -> String {
    format!("{value}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn colours_are_hex_or_crayons() {
        for (given, sent, shown) in [
            ("teal", "#008688", "teal (#008688)"),
            (" Sea-Foam ", "#03f987", "sea foam (#03f987)"),
            ("seafoam", "#03f987", "sea foam (#03f987)"),
            ("#FF0000", "#ff0000", "#ff0000"),
        ] {
            assert_eq!(colour(&json!(given)), Some(Read { sent: json!(sent), shown: shown.into() }), "{given}");
        }
        for given in [json!("red"), json!("#ff00"), json!("#ff00gg"), json!("#ff€0"), json!(7), json!("")] {
            assert_eq!(colour(&given), None, "{given}");
        }
    }

    #[test]
    fn directions_are_degrees_or_names() {
        for (given, degrees, shown) in [
            (json!("NW"), 315.0, "NW"),
            (json!("north-east"), 45.0, "north-east"),
            (json!("S.S.W."), 202.5, "S.S.W."),
            (json!(" west "), 270.0, "west"),
            (json!(30), 30.0, "30°"),
            (json!(360), 360.0, "360°"),
            (json!(22.5), 22.5, "22.5°"),
        ] {
            let read = azimuth(&given).unwrap();
            assert_eq!((read.sent.as_f64(), read.shown.as_str()), (Some(degrees), shown), "{given}");
        }
        for given in [json!(-1), json!(361), json!("up"), json!(true), json!("")] {
            assert_eq!(azimuth(&given), None, "{given}");
        }
    }
}
