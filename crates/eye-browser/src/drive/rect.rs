//! Rectangles in a page.

use serde::Deserialize;

/// A rectangle in CSS pixels, relative to the viewport.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}
