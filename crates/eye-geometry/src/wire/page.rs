//! The tasks of area agents in a page, through the hub: read a region, run a program, breed a shader and place it on
//! the map.

use super::runs::{Bred, Job, Runs, Stop};
use crate::Picture;
use crate::agents::{Failed, Region, Sight, Task, Work};
use crate::breeding::Breeding;
use crate::evolution::Progress;
use crate::limits::{REGION_PIXELS_SIDE_MAX, TIME_BUDGET_DEFAULT_MS};
use crate::refusal::{Kind, Refusal};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use eye_protocol::local::LocalAgent;
use eye_protocol::{Code, Error};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// How long a page may take to read a region or to place a cartridge.
const READ_MS: u64 = 10_000;
/// How long a page may take to run a program.
const EXECUTE_MS: u64 = 30_000;
/// Map pixels per grid unit. Pages place cartridges in grid units.
const GRID_UNIT: f64 = 100.0;

/// The page of an area agent.
#[derive(Clone, Debug)]
pub struct Page {
    /// The shell's connection to the hub.
    pub link: Arc<dyn LocalAgent>,
    pub session: Arc<str>,
}

/// Performs a task. `progress` receives the progress of an evolution.
pub async fn perform(
    page: Page,
    runs: Arc<Runs>,
    task: Task,
    progress: mpsc::Sender<Progress>,
) -> Result<Work, Failed> {
    match task {
        Task::Look { region, before } => page.look(region, before).await.map(Work::Seen),
        Task::Execute { program, args } => page.execute(&program, &args).await.map(Work::Told),
        Task::Evolve { region, seed_shader, breeding, place } => {
            page.evolve(&runs, region, seed_shader, breeding, place, progress).await.map(Work::Told)
        }
    }
}

impl Page {
    async fn look(&self, region: Region, before: Option<Arc<Picture>>) -> Result<Sight, Failed> {
        let value = self.eval(&format!("geometryOSApp.readRegion({})", arguments(region))).await?;
        let work = move || Pixels::parse(value).map(|pixels| sight(pixels, before.as_deref()));
        tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(again("reading the region broke down")))
    }

    async fn execute(&self, program: &str, args: &[f64]) -> Result<Map<String, Value>, Failed> {
        let arguments = json!({ "program": program, "args": args, "trace": false });
        let mut result = self.call("execute_pixel_program", &arguments, EXECUTE_MS).await?;
        result.shift_remove("trace");
        result.shift_remove("success");
        result.shift_insert(0, "kind".into(), "executed".into());
        Ok(result)
    }

    async fn evolve(
        &self,
        runs: &Arc<Runs>,
        region: Region,
        seed_shader: Option<String>,
        breeding: Breeding,
        place: bool,
        progress: mpsc::Sender<Progress>,
    ) -> Result<Map<String, Value>, Failed> {
        let seed_shader = match seed_shader {
            Some(shader) => shader,
            None => match self.eval(&format!("geometryOSApp.shaderAt({})", arguments(region))).await? {
                Value::String(shader) => shader,
                _ => return Err(for_good("its region holds no shader; give seed_shader in its config")),
            },
        };
        let job = Job { seed_shader, breeding, time_budget: Duration::from_millis(TIME_BUDGET_DEFAULT_MS) };
        let bred = runs.breed(job, Arc::<Stop>::default(), Some(progress)).await.map_err(refused)?;
        let mut report = Map::from_iter([("kind".to_owned(), "evolved".into())]);
        report.extend(bred.members());
        if place && bred.cartridge_id.is_some() {
            // A page that cannot show the result does not make the task fail: the cartridge is stored.
            let placed = self.place(&bred, region).await;
            report.insert("placed".into(), placed.is_ok().into());
            report.extend(placed.err().map(|failed| ("placingFailed".to_owned(), failed.message.into())));
        }
        Ok(report)
    }

    async fn place(&self, bred: &Bred, region: Region) -> Result<(), Failed> {
        let position = json!({ "x": region.x / GRID_UNIT, "y": region.y / GRID_UNIT });
        let arguments = json!({ "url": bred.url(), "position": position, "autoNavigate": false });
        self.call("load_rts_cartridge", &arguments, READ_MS).await.map(|_| ())
    }

    /// Evaluates an expression in the page.
    async fn eval(&self, code: &str) -> Result<Value, Failed> {
        let params = json!({ "code": code, "page": &*self.session, "timeout": READ_MS });
        let result = self.link.request("eval", &params.to_string(), None).await.map_err(|error| failed(&error))?;
        let mut result: Map<String, Value> =
            serde_json::from_str(result.get()).map_err(|_| again("the page's answer cannot be understood"))?;
        Ok(result.shift_remove("value").unwrap_or(Value::Null))
    }

    /// Calls one of the page's tools. Its result must be an object.
    async fn call(&self, name: &str, arguments: &Value, timeout_ms: u64) -> Result<Map<String, Value>, Failed> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Called {
            structured_content: Option<Map<String, Value>>,
            #[serde(default)]
            content: Vec<Content>,
        }
        #[derive(Deserialize)]
        struct Content {
            text: Option<String>,
        }
        let params = json!({ "name": name, "arguments": arguments, "page": &*self.session, "timeout": timeout_ms });
        let result =
            self.link.request("tools/call", &params.to_string(), None).await.map_err(|error| failed(&error))?;
        let called: Called =
            serde_json::from_str(result.get()).map_err(|_| again("the page's answer cannot be understood"))?;
        let text = called.content.into_iter().find_map(|content| content.text).unwrap_or_default();
        let result = called.structured_content.or_else(|| serde_json::from_str(&text).ok());
        let result = result.ok_or_else(|| again(&format!("{name} answered with something else than an object")))?;
        if result.get("success") == Some(&Value::Bool(false)) {
            let error = result.get("error").and_then(Value::as_str).unwrap_or("it failed");
            return Err(for_good(&format!("{name}: {error}")));
        }
        Ok(result)
    }
}

fn arguments(region: Region) -> String {
    let Region { x, y, width, height } = region;
    format!("{x}, {y}, {width}, {height}")
}

fn again(message: &str) -> Failed {
    Failed { message: message.to_owned(), for_good: false }
}

fn for_good(message: &str) -> Failed {
    Failed { message: message.to_owned(), for_good: true }
}

/// A disconnected page may come back, but a missing tool or a denial will not change within a second.
fn failed(error: &Error) -> Failed {
    Failed { message: error.message.clone(), for_good: [Code::TOOL, Code::SCHEMA, Code::DENIED].contains(&error.code) }
}

fn refused(refusal: Refusal) -> Failed {
    let for_good = match refusal.kind {
        Kind::InvalidInput => true,
        Kind::BackendUnavailable | Kind::ExecutionFailed => false,
    };
    Failed { message: refusal.message, for_good }
}

/// The pixels of a region, as a page returns them.
#[derive(Debug)]
struct Pixels {
    x: f64,
    y: f64,
    step: f64,
    picture: Picture,
}

impl Pixels {
    fn parse(value: Value) -> Result<Self, Failed> {
        #[derive(Deserialize)]
        struct Read {
            x: f64,
            y: f64,
            width: f64,
            height: f64,
            step: f64,
            rgba: String,
        }
        let wrong = |why: &str| again(&format!("readRegion's answer does not fit: {why}"));
        let read: Read = serde_json::from_value(value).map_err(|error| wrong(&error.to_string()))?;
        let rgba = STANDARD.decode(&read.rgba).map_err(|_| wrong("rgba is not base64"))?;
        let step = if read.step >= 1.0 { read.step } else { return Err(wrong("step is less than 1")) };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float becomes the nearest u32")]
        let side = |pixels: f64| (pixels / step).ceil() as u32;
        let (width, height) = (side(read.width), side(read.height));
        if width > REGION_PIXELS_SIDE_MAX || height > REGION_PIXELS_SIDE_MAX {
            return Err(wrong("it is larger than 512 by 512"));
        }
        if rgba.is_empty() || rgba.len() != 4 * width as usize * height as usize {
            return Err(wrong("rgba has another length than width, height and step say"));
        }
        Ok(Self { x: read.x, y: read.y, step, picture: Picture { width, height, rgba } })
    }
}

/// Measures a region, and compares it with an earlier picture.
fn sight(pixels: Pixels, before: Option<&Picture>) -> Sight {
    let Pixels { x, y, step, picture } = pixels;
    let (changed, bounds) = match before {
        None => (0.0, None),
        Some(before) if (before.width, before.height) != (picture.width, picture.height) => {
            let (width, height) = (f64::from(picture.width) * step, f64::from(picture.height) * step);
            (1.0, Some(Region { x, y, width, height }))
        }
        Some(before) => difference(&picture, before, |column, row, width, height| Region {
            x: x + f64::from(column) * step,
            y: y + f64::from(row) * step,
            width: f64::from(width) * step,
            height: f64::from(height) * step,
        }),
    };
    Sight {
        changed,
        bounds,
        entropy: picture.entropy(),
        histogram: picture.histogram().to_vec(),
        unique_colours: picture.unique_colours(),
        picture: Arc::new(picture),
    }
}

/// The share of pixels that differ, and the rectangle around them: column, row, width and height.
fn difference(
    after: &Picture,
    before: &Picture,
    place: impl FnOnce(u32, u32, u32, u32) -> Region,
) -> (f64, Option<Region>) {
    let mut count = 0_u32;
    let (mut left, mut top, mut right, mut bottom) = (u32::MAX, u32::MAX, 0, 0);
    let pairs = after.rgba.as_chunks::<4>().0.iter().zip(before.rgba.as_chunks::<4>().0);
    for (at, _) in (0_u32..).zip(pairs).filter(|(_, (now, then))| now != then) {
        let (column, row) = (at % after.width, at / after.width);
        count += 1;
        (left, top) = (left.min(column), top.min(row));
        (right, bottom) = (right.max(column), bottom.max(row));
    }
    if count == 0 {
        return (0.0, None);
    }
    let share = f64::from(count) / (f64::from(after.width) * f64::from(after.height));
    (share, Some(place(left, top, right - left + 1, bottom - top + 1)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn read(width: u32, step: u32, rgba: &[u8]) -> Value {
        json!({ "x": 100, "y": 200, "width": width, "height": 2 * step, "step": step, "rgba": STANDARD.encode(rgba) })
    }

    #[test]
    fn a_change_is_reported_with_its_place_on_the_map() {
        let before = Pixels::parse(read(8, 2, &[0; 32])).unwrap().picture;
        assert_eq!((before.width, before.height), (4, 2));
        let mut rgba = [0; 32];
        rgba[4 * 5] = 255;
        rgba[4 * 6 + 3] = 1;
        let seen = sight(Pixels::parse(read(8, 2, &rgba)).unwrap(), Some(&before));
        assert_eq!(seen.changed.to_bits(), 0.25_f64.to_bits());
        assert_eq!(seen.bounds, Some(Region { x: 102.0, y: 202.0, width: 4.0, height: 2.0 }));
        assert_eq!(sight(Pixels::parse(read(8, 2, &[0; 32])).unwrap(), Some(&before)).bounds, None);
        let other_size = sight(Pixels::parse(read(2, 1, &[0; 16])).unwrap(), Some(&before));
        assert_eq!(other_size.changed.to_bits(), 1.0_f64.to_bits());
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (value, why) in [
            (json!(null), "invalid type"),
            (read(8, 2, &[0; 31]), "another length"),
            (read(1026, 2, &[0; 4104]), "larger than 512"),
            (json!({ "x": 0, "y": 0, "width": 1, "height": 1, "step": 0, "rgba": "" }), "step is less than 1"),
            (json!({ "x": 0, "y": 0, "width": 1, "height": 1, "step": 1, "rgba": "%" }), "not base64"),
            (json!({ "x": 0, "y": 0, "width": 0, "height": 1, "step": 1, "rgba": "" }), "another length"),
        ] {
            let failed = Pixels::parse(value.clone()).unwrap_err();
            assert!(failed.message.contains(why), "{value}: {}", failed.message);
        }
        assert!(Pixels::parse(read(1024, 2, &[0; 4096])).is_ok());
    }
}
