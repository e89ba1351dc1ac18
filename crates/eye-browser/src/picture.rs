//! Pictures as pixels: what is painted over them, and what differs between two. It knows neither pages nor browsers.

mod canvas;
mod difference;
mod marks;

pub use canvas::{Canvas, Unreadable};
pub use difference::{Region, regions};
pub use marks::{Mark, draw};
