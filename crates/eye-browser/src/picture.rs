//! Works on pixels: paints over pictures, and finds where two differ. It knows neither pages nor browsers.

mod canvas;
mod difference;
mod marks;

pub use canvas::{Canvas, Unreadable};
pub use difference::{Region, regions};
pub use marks::{Mark, draw};
