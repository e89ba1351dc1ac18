//! Places in a page.

use serde::Deserialize;

/// A place in CSS pixels.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Rect {
    /// From the left of the viewport.
    pub x: f64,
    /// From its top.
    pub y: f64,
    /// In CSS pixels.
    pub width: f64,
    /// In CSS pixels.
    pub height: f64,
}
