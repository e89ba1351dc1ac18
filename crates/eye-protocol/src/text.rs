//! Our own values as JSON text.

use serde::Serialize;

/// Any of our own values as JSON text.
///
/// # Panics
/// Never for our own types: they have string keys and no failing serialiser.
pub fn json(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).expect("our own types have string keys and no failing serialiser")
}
