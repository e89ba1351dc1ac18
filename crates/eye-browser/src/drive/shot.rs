//! Pictures and PDFs of a page: paints over secrets, draws refs, and compares two pictures.

mod seen;

use super::client::Client;
use super::outer::Outer;
use super::rect::Rect;
use super::secrets;
use super::verbs::refusal;
use crate::error::CommandError;
use crate::picture::{self, Canvas, Mark, Region, Unreadable};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use eye_protocol::answer::Bytes;
use eye_protocol::local::LocalHub;
use eye_protocol::{Code, Ending, Error, Value};
use seen::Seen;
use serde::Deserialize;
use serde_json::json;
use std::fmt::Write;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The default for the longest side of a picture, in pixels: models scale larger pictures down.
const SHOT_SIDE_MAX: f64 = 1568.0;

const JPEG_QUALITY: u8 = 80;

/// Above this many pixels a JPEG is made faster than a PNG.
const PNG_PIXELS_MAX: f64 = 4e6;

/// A picture with more pixels is scaled down if it is painted on. [`Canvas::read`] accepts a few more, because sides
/// are rounded.
const PAINTED_PIXELS_MAX: f64 = 32e6;

/// The colour that covers secrets.
const MASK: [u8; 3] = [90, 90, 90];

/// The distance from a picture's corner, in pixels, beyond which positions are clamped.
const FAR: f64 = 1e9;

/// The most regions of a difference to list.
const REGIONS_MAX: usize = 12;

/// The params of `page/shot`.
#[derive(Debug, Deserialize)]
pub struct Shot {
    /// Takes only this element.
    target: Option<serde_json::Value>,
    #[serde(default)]
    full: bool,
    max: Option<f64>,
    format: Option<Format>,
    /// Draws refs on the picture.
    #[serde(default)]
    annotate: bool,
    /// Shows secrets. The hub has checked that this is allowed.
    #[serde(default)]
    unmask: bool,
    /// A PNG to compare with, in base64.
    before: Option<String>,
    /// The origins that the agent may see, if its token does not cover all. Set by the hub.
    pub pages: Option<Vec<String>>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Format {
    Png,
    Jpeg,
    Webp,
}

impl Format {
    fn name(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::Webp => "webp",
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metrics {
    css_visual_viewport: Viewport,
    css_content_size: Rect,
    /// The origin of element coordinates. If a person has zoomed in, only a part of it is visible.
    css_layout_viewport: Layout,
    /// In device pixels.
    layout_viewport: Width,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Width {
    client_width: f64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Layout {
    page_x: f64,
    page_y: f64,
    client_width: f64,
}

impl Metrics {
    /// Device pixels per CSS pixel.
    fn density(&self) -> f64 {
        let density = self.layout_viewport.client_width / self.css_layout_viewport.client_width;
        if density.is_finite() && density > 0.0 { density } else { 1.0 }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Viewport {
    page_x: f64,
    page_y: f64,
    client_width: f64,
    client_height: f64,
}

#[derive(Deserialize)]
struct Data {
    data: String,
}

/// What a picture of a tab needs to know.
#[derive(Debug)]
pub struct Scene {
    /// The tab and its frames.
    pub outer: Outer,
    /// The frame id of its document.
    pub frame: String,
    /// Knows the origins that agents may not see.
    pub hub: Arc<dyn LocalHub>,
    /// The origins that the agent may see; `None`: all that are not denied.
    pub pages: Option<Vec<String>>,
}

impl Scene {
    async fn hidden(&self, unmasked: bool) -> Result<Vec<Rect>, Error> {
        let covers = |origin: &str| self.pages.as_ref().is_none_or(|pages| pages.iter().any(|page| page == origin));
        // A document without an origin of its own counts to the site of its URL.
        let denies = |origin: &str, site: &str| {
            !covers(origin) || self.hub.denies(origin).is_some() || self.hub.denies(site).is_some()
        };
        let places = secrets::places(&self.outer, &self.frame, &denies, unmasked).await;
        places.map_err(|error| refusal(&error))
    }
}

/// Takes a picture of a tab's document.
pub async fn shot(scene: &Scene, client: &Client, shot: Shot) -> Ending {
    let session = &scene.outer.root;
    let failed = |error: CommandError| refusal(&error);
    let before = shot.before.as_deref().map(bytes_before).transpose()?;
    let seen: Seen = match (&shot.target, shot.annotate) {
        (None, false) => Seen::default(),
        (target, marks) => {
            let query = json!({ "target": target, "picture": { "marks": marks, "all": shot.full } });
            let answer = client.ask("page/query", &query).await?;
            Seen::read(answer.as_text()).ok_or_else(unclear)?
        }
    };
    let metrics: Metrics = session.ask("Page.getLayoutMetrics", &json!({})).await.map_err(failed)?;
    let density = metrics.density();
    let (view, layout) = (metrics.css_visual_viewport, metrics.css_layout_viewport);
    let place = match (seen.rect, shot.full) {
        (Some(rect), _) => Rect { x: rect.x + layout.page_x, y: rect.y + layout.page_y, ..rect },
        (None, true) => metrics.css_content_size,
        (None, false) => Rect { x: view.page_x, y: view.page_y, width: view.client_width, height: view.client_height },
    };
    if place.width < 1.0 || place.height < 1.0 {
        return Err(Error::new(Code::PARAMS, "there is nothing to see: it has no size"));
    }
    let mut hidden = scene.hidden(shot.unmask).await?;
    let painted = !hidden.is_empty() || shot.annotate || before.is_some();
    let scale = scale_of(place, density, shot.max.unwrap_or(SHOT_SIDE_MAX), painted);
    let large = place.width * place.height * scale * scale > PNG_PIXELS_MAX;
    let format = match shot.format {
        Some(other @ (Format::Jpeg | Format::Webp)) if painted && before.is_none() => return Err(only_png(other)),
        // This crate writes painted pictures, and writes only PNG.
        _ if painted => Format::Png,
        Some(format) => format,
        None if large => Format::Jpeg,
        None => Format::Png,
    };
    let mut params = json!({
        "format": format.name(),
        "optimizeForSpeed": true,
        "captureBeyondViewport": seen.rect.is_some() || shot.full,
        "clip": { "x": place.x, "y": place.y, "width": place.width, "height": place.height, "scale": scale },
    });
    if format != Format::Png {
        params["quality"] = JPEG_QUALITY.into();
    }
    let Data { data } = session.ask("Page.captureScreenshot", &params).await.map_err(failed)?;
    let bytes = decoded(&data)?;
    if !painted {
        return Ok(picture_of(format.name(), bytes));
    }
    if !hidden.is_empty() {
        // The page may have scrolled meanwhile.
        hidden.extend(scene.hidden(shot.unmask).await?);
    }
    let in_picture =
        move |rect: Rect| Rect { x: rect.x + layout.page_x - place.x, y: rect.y + layout.page_y - place.y, ..rect };
    let paint = move || {
        let mut canvas = Canvas::read(&bytes).map_err(|error| malformed(&error))?;
        let factor = f64::from(canvas.width) / place.width;
        let wider = |rect: Rect| {
            let (x, y, width, height) = pixels(in_picture(rect), factor);
            ((x - 1, y - 1), (width + 2, height + 2))
        };
        canvas.cover(&hidden.into_iter().map(wider).collect::<Vec<_>>(), MASK);
        let marks: Vec<Mark> = seen
            .marks
            .into_iter()
            .map(|(label, x, y, width, height)| {
                let (x, y, width, height) = pixels(in_picture(Rect { x, y, width, height }), factor);
                Mark { label: label.into(), x, y, width, height }
            })
            .collect();
        picture::draw(&mut canvas, &marks);
        let Some(before) = before else {
            return Ok(Painted::Picture(canvas.write().map_err(|error| malformed(&error))?));
        };
        let before = Canvas::read(&before).map_err(|error| unreadable(&error))?;
        let (was, size) = ((before.width, before.height), (canvas.width, canvas.height));
        if was != size {
            return Ok(Painted::Resized { was, size });
        }
        let (regions, pixels) = picture::regions(&before, &canvas);
        Ok(Painted::Compared(Difference { regions, pixels, size, factor }))
    };
    match beside(paint).await? {
        Painted::Picture(bytes) => Ok(picture_of("png", bytes)),
        Painted::Resized { was, size } => {
            Ok(Value::Text(format!("another size: {}x{} before, {}x{} now", was.0, was.1, size.0, size.1)))
        }
        Painted::Compared(difference) => {
            let in_view = |region: &Region| {
                let css = |pixels: u32| f64::from(pixels) / difference.factor;
                let (x, y) = (css(region.x) + place.x - layout.page_x, css(region.y) + place.y - layout.page_y);
                [x, y, css(region.width), css(region.height)]
            };
            describe(client, &difference, in_view).await
        }
    }
}

/// The factor by which a picture is smaller than its area. A painted picture is held in memory, so it is scaled to fit.
fn scale_of(place: Rect, density: f64, side_max: f64, painted: bool) -> f64 {
    let wanted = (side_max.max(1.0) / place.width.max(place.height)).min(1.0);
    let held = (PAINTED_PIXELS_MAX / (place.width * place.height)).sqrt() / density;
    if painted { wanted.min(held) } else { wanted }
}

/// The result of painting or comparing.
enum Painted {
    Picture(Vec<u8>),
    /// The picture has another size than the one before, so they were not compared.
    Resized {
        was: (u32, u32),
        size: (u32, u32),
    },
    Compared(Difference),
}

/// The difference between two pictures.
struct Difference {
    regions: Vec<Region>,
    /// The number of differing pixels.
    pixels: u64,
    size: (u32, u32),
    /// Picture pixels per CSS pixel.
    factor: f64,
}

/// Describes the difference to an earlier picture as text.
async fn describe(client: &Client, difference: &Difference, in_view: impl Fn(&Region) -> [f64; 4]) -> Ending {
    let Difference { regions, pixels, size: (width, height), .. } = difference;
    if regions.is_empty() {
        return Ok(Value::Text("nothing differs".to_owned()));
    }
    let shown = &regions[..regions.len().min(REGIONS_MAX)];
    let places: Vec<[f64; 4]> = shown.iter().map(in_view).collect();
    // The page names the elements in each region; the pixels say where the regions are.
    let answer = client.ask("page/query", &json!({ "picture": { "regions": places } })).await;
    let there = answer.map(|answer| seen::named(answer.as_text())).unwrap_or_default();
    let permille = pixels * 1000 / (u64::from(*width) * u64::from(*height)).max(1);
    let count = regions.len();
    let differ = if count == 1 { "region differs" } else { "regions differ" };
    let (percent, tenths) = (permille / 10, permille % 10);
    let mut text = format!("{count} {differ} of {width}x{height}, {percent}.{tenths} % of the pixels");
    for (at, Region { x, y, width, height, .. }) in shown.iter().enumerate() {
        let what = there.get(at).filter(|what| !what.is_empty()).map_or_else(String::new, |what| format!(": {what}"));
        let _ = write!(text, "\n{x},{y} {width}x{height}{what}");
    }
    if count > shown.len() {
        let _ = write!(text, "\n… {} smaller ones", count - shown.len());
    }
    Ok(Value::Text(text))
}

/// Prints the page. Refused if a denied frame is in it, because a PDF cannot be painted on.
pub async fn pdf(scene: &Scene) -> Ending {
    let session = &scene.outer.root;
    let failed = |error: CommandError| refusal(&error);
    if !scene.hidden(true).await?.is_empty() {
        let whose = if scene.pages.is_some() { "denied to this agent" } else { "denied to agents" };
        let text = format!("a frame of the page is of a site that is {whose}, and a PDF would show it");
        return Err(Error::new(Code::DENIED, text).hint("pdf-frame"));
    }
    if !scene.hidden(false).await?.is_empty() {
        let text = "a field for a password, a one-time code or a card number is filled, and a PDF would show it";
        return Err(Error::new(Code::DENIED, text).hint("pdf-field"));
    }
    let params = json!({ "printBackground": true, "preferCSSPageSize": true });
    let Data { data } = session.ask("Page.printToPDF", &params).await.map_err(failed)?;
    Ok(Value::Bytes(Box::new(Bytes::new("application/pdf", decoded(&data)?))))
}

/// The number of pictures that may be in memory as pixels at a time. Others wait.
static PAINTERS: Semaphore = Semaphore::const_new(2);

/// Runs work on pixels off the hub's thread.
async fn beside<T: Send + 'static>(work: impl FnOnce() -> Result<T, Error> + Send + 'static) -> Result<T, Error> {
    let failed = |error: &dyn ToString| Error::new(Code::INTERNAL, error.to_string());
    let _place = PAINTERS.acquire().await.map_err(|error| failed(&error))?;
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(failed(&error)))
}

/// A rectangle in picture pixels. Positions far outside are clamped, so that sums cannot overflow.
#[expect(clippy::cast_possible_truncation, reason = "it is between ±[`FAR`]")]
fn pixels(rect: Rect, factor: f64) -> (i64, i64, i64, i64) {
    let within = |at: f64| (at * factor).clamp(-FAR, FAR);
    let (left, top) = (within(rect.x).floor(), within(rect.y).floor());
    let (right, bottom) = (within(rect.x + rect.width).ceil(), within(rect.y + rect.height).ceil());
    (left as i64, top as i64, (right - left) as i64, (bottom - top) as i64)
}

fn picture_of(format: &str, bytes: Vec<u8>) -> Value {
    Value::Bytes(Box::new(Bytes::new(&format!("image/{format}"), bytes)))
}

fn decoded(base64: &str) -> Result<Vec<u8>, Error> {
    STANDARD.decode(base64).map_err(|error| malformed(&error))
}

fn bytes_before(base64: &str) -> Result<Vec<u8>, Error> {
    STANDARD.decode(base64).map_err(|error| Error::new(Code::PARAMS, format!("before: {error}")))
}

fn unreadable(error: &Unreadable) -> Error {
    let text = format!("the picture to compare with cannot be read: {error}");
    Error::new(Code::PARAMS, text).hint("png")
}

fn malformed(error: &impl ToString) -> Error {
    Error::new(Code::INTERNAL, format!("the browser's bytes are malformed: {}", error.to_string()))
}

fn only_png(format: Format) -> Error {
    let text = format!("a picture on which refs are drawn or secrets are hidden is a PNG, not {}", format.name());
    Error::new(Code::PARAMS, text).hint("png-file")
}

fn unclear() -> Error {
    Error::new(Code::INTERNAL, "the page did not say where the target is")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_scaled_to_its_longest_side_and_to_what_is_held_while_it_is_painted_on() {
        let scaled = |width: f64, height: f64, density: f64, side_max: f64, painted: bool| {
            let scale = scale_of(Rect { x: 0.0, y: 0.0, width, height }, density, side_max, painted);
            ((width * scale * density).round(), (height * scale * density).round())
        };
        assert_eq!(scaled(1265.0, 713.0, 1.0, 1568.0, true), (1265.0, 713.0));
        assert_eq!(scaled(2000.0, 1000.0, 1.0, 500.0, false), (500.0, 250.0));
        assert_eq!(scaled(6000.0, 9000.0, 1.0, 20_000.0, false), (6000.0, 9000.0));
        for density in [1.0, 2.0, 3.5] {
            let (width, height) = scaled(6000.0, 9000.0, density, 20_000.0, true);
            assert!((31.9e6..=32.1e6).contains(&(width * height)), "{width}x{height}");
        }
        assert_eq!(scaled(100.0, 100.0, 2.0, 0.0, true), (2.0, 2.0), "a side has at least a pixel");
    }
}
