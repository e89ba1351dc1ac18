//! The position of a frame of another origin in its tab, and the tab that takes the frame's input. The tab itself has
//! no position.

use super::rect::Rect;
use crate::cdp::Session;
use crate::error::CommandError;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// The most frames of other origins in one tab that are pages at a time. Further frames are not pages.
const FRAMES_LEN_MAX: usize = 32;

/// Runs on the element of a frame. The client is in the outermost document of the origin.
const RECEIVE_LABEL: &str = r"function (receive, label) {
  let view = this.ownerDocument.defaultView;
  while (view && !view[receive] && view.frameElement) view = view.parent;
  view?.[receive]?.(`&${label}`, undefined, this);
}";

/// A tab, or a frame in it.
#[derive(Clone, Debug)]
pub struct Outer {
    /// The tab's CDP session, which takes the input for all its frames.
    pub root: Session,
    /// The tab's session in the hub.
    pub page: String,
    /// Whether the driver has the debugger. Without it the extension reports what to hide in pictures.
    pub hands: bool,
    /// Whether clicks become taps.
    pub touch: Arc<AtomicBool>,
    /// From the frame outwards: each frame, and the session that has its element.
    hops: Hops,
    /// The function in the outer documents that takes the driver's messages.
    receive: String,
    numbers: Arc<Mutex<BTreeSet<usize>>>,
    /// The frames of other sites in the tab.
    sites: Arc<Mutex<Vec<Site>>>,
}

type Hops = Vec<(Session, String)>;

/// A frame of another site, with its own session.
#[derive(Clone, Debug)]
struct Site {
    session: Session,
    frame: String,
    hops: Hops,
}

/// The number of a frame, unique in its tab while the frame exists.
#[derive(Debug)]
pub struct Number {
    value: usize,
    taken: Arc<Mutex<BTreeSet<usize>>>,
}

impl Number {
    /// The prefix of refs in the frame, such as `f2`.
    pub fn label(&self) -> String {
        format!("f{}", self.value)
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.value);
    }
}

impl Outer {
    /// The tab itself.
    pub fn tab(root: Session, page: String, hands: bool) -> Self {
        let (touch, numbers, sites) = (Arc::default(), Arc::default(), Arc::default());
        Self { root, page, hands, touch, hops: Vec::new(), receive: String::new(), numbers, sites }
    }

    /// A frame in this tab or frame, whose element is in a document of this session. `receive` is the function of such
    /// documents that takes the driver's messages.
    pub fn inside(&self, session: Session, frame: &str, receive: &str) -> Self {
        let mut inner = self.clone();
        receive.clone_into(&mut inner.receive);
        inner.hops.insert(0, (session, frame.to_owned()));
        inner
    }

    /// A frame got a session of its own, or that session ended.
    pub fn note(&self, session: &Session, frame: &str, begun: bool) {
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        sites.retain(|site| site.session.id() != session.id());
        if begun {
            sites.push(Site { session: session.clone(), frame: frame.to_owned(), hops: self.hops.clone() });
        }
    }

    /// The sessions of the tab, each with its frame and its position: first the tab's own session, then those of frames
    /// of other sites.
    pub fn sessions(&self, tab: &str) -> Vec<(Session, String, Self)> {
        let own = (self.root.clone(), tab.to_owned(), Self { hops: Vec::new(), ..self.clone() });
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let site = |site: Site| (site.session, site.frame, Self { hops: site.hops, ..self.clone() });
        std::iter::once(own).chain(sites.into_iter().map(site)).collect()
    }

    /// Whether it is a frame, not the tab itself.
    pub fn is_frame(&self) -> bool {
        !self.hops.is_empty()
    }

    /// A number for a new frame, and the frame's session in the hub. `None`: the tab has too many.
    pub fn number(&self) -> Option<(Number, String)> {
        let mut taken = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let value = (1..=FRAMES_LEN_MAX).find(|value| !taken.contains(value))?;
        taken.insert(value);
        let number = Number { value, taken: self.numbers.clone() };
        let session = format!("{}.{}", self.page, number.label());
        Some((number, session))
    }

    /// Tells the client of the outer document which number the frame has. The browser finds the element, so the frame
    /// cannot give a false one.
    pub async fn tell(&self, label: &str) -> Result<(), CommandError> {
        #[derive(Deserialize)]
        struct Resolved {
            object: Remote,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Remote {
            object_id: String,
        }
        let Some((session, frame)) = self.hops.first() else { return Ok(()) };
        let node = json!({ "backendNodeId": element(session, frame).await? });
        let Resolved { object } = session.ask("DOM.resolveNode", &node).await?;
        let (object, arguments) = (object.object_id, json!([{ "value": self.receive }, { "value": label }]));
        let params =
            json!({ "objectId": object, "functionDeclaration": RECEIVE_LABEL, "arguments": arguments, "silent": true });
        session.command("Runtime.callFunctionOn", &params).await?;
        session.command("Runtime.releaseObject", &json!({ "objectId": object })).await.map(drop)
    }

    /// The current transform from the frame's coordinates to those of the tab.
    pub async fn place(&self) -> Result<Affine, CommandError> {
        Ok(self.stands().await?.0)
    }

    /// The same, with the width and height of the frame in its own coordinates; `None` for a tab.
    pub async fn stands(&self) -> Result<(Affine, Option<(f64, f64)>), CommandError> {
        let (mut place, mut size) = (Affine::SAME, None);
        for (session, frame) in &self.hops {
            let (owner, own) = owner(session, frame).await?;
            place = place.then(owner);
            size = size.or(Some(own));
        }
        Ok((place, size))
    }
}

/// The backend node id of a frame's element.
async fn element(session: &Session, frame: &str) -> Result<i64, CommandError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Owner {
        backend_node_id: i64,
    }
    let Owner { backend_node_id } = session.ask("DOM.getFrameOwner", &json!({ "frameId": frame })).await?;
    Ok(backend_node_id)
}

/// The position of a frame's content in the viewport of the session that has its element, and its size.
async fn owner(session: &Session, frame: &str) -> Result<(Affine, (f64, f64)), CommandError> {
    #[derive(Deserialize)]
    struct Boxed {
        model: Model,
    }
    let node = json!({ "backendNodeId": element(session, frame).await? });
    let Boxed { model } = session.ask("DOM.getBoxModel", &node).await?;
    model.place().ok_or_else(|| CommandError::Refused { code: 0, message: "the frame has no size".to_owned() })
}

/// The box of an element, as the browser reports it.
#[derive(Debug, Deserialize)]
struct Model {
    /// The x and y of each corner, clockwise from the top left.
    content: [f64; 8],
    border: [f64; 8],
    /// The width of the border box, before transforms.
    width: f64,
    height: f64,
}

impl Model {
    /// The transform of the document inside the element, and the size of the document.
    fn place(&self) -> Option<(Affine, (f64, f64))> {
        let [x, y, right_x, right_y, _, _, bottom_x, bottom_y] = self.border;
        let affine = Affine {
            xx: (right_x - x) / self.width,
            xy: (right_y - y) / self.width,
            yx: (bottom_x - x) / self.height,
            yy: (bottom_y - y) / self.height,
            x: self.content[0],
            y: self.content[1],
        };
        let side = |at: usize| (self.content[at] - self.content[0]).hypot(self.content[at + 1] - self.content[1]);
        let (wide, high) = (affine.xx.hypot(affine.xy), affine.yx.hypot(affine.yy));
        let shown = self.width > 0.0 && self.height > 0.0 && wide > 0.0 && high > 0.0;
        shown.then(|| (affine, (side(2) / wide, side(6) / high)))
    }
}

/// An affine transform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    xx: f64,
    xy: f64,
    yx: f64,
    yy: f64,
    x: f64,
    y: f64,
}

impl Affine {
    /// The identity.
    pub const SAME: Self = Self { xx: 1.0, xy: 0.0, yx: 0.0, yy: 1.0, x: 0.0, y: 0.0 };

    /// Transforms a point.
    pub fn apply(self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.xx * x + self.yx * y + self.x, self.xy * x + self.yy * y + self.y)
    }

    /// The bounding box of a transformed rectangle.
    pub fn cover(self, rect: Rect) -> Rect {
        let (right, bottom) = (rect.x + rect.width, rect.y + rect.height);
        let corners = [(rect.x, rect.y), (right, rect.y), (right, bottom), (rect.x, bottom)].map(|one| self.apply(one));
        let least = |of: fn(&(f64, f64)) -> f64| corners.iter().map(of).fold(f64::INFINITY, f64::min);
        let most = |of: fn(&(f64, f64)) -> f64| corners.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        let (x, y) = (least(|one| one.0), least(|one| one.1));
        Rect { x, y, width: most(|one| one.0) - x, height: most(|one| one.1) - y }
    }

    /// Applies this transform first, and then `next`.
    fn then(self, next: Self) -> Self {
        let (x, y) = next.apply((self.x, self.y));
        let column = |(a, b): (f64, f64)| (next.xx * a + next.yx * b, next.xy * a + next.yy * b);
        let ((xx, xy), (yx, yy)) = (column((self.xx, self.xy)), column((self.yx, self.yy)));
        Self { xx, xy, yx, yy, x, y }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The box of an element of 200x100 with a border of 5, scaled by `scale`, with its corner at 10,20.
    fn model(scale: f64) -> Model {
        let corners = |inset: f64| {
            let (left, top) = (10.0 + inset * scale, 20.0 + inset * scale);
            let (right, bottom) = (10.0 + (200.0 - inset) * scale, 20.0 + (100.0 - inset) * scale);
            [left, top, right, top, right, bottom, left, bottom]
        };
        Model { content: corners(5.0), border: corners(0.0), width: 200.0, height: 100.0 }
    }

    #[test]
    fn a_point_of_a_frame_in_a_frame_is_where_its_elements_are() {
        let (outer, size) = model(2.0).place().unwrap();
        assert_eq!(size, (190.0, 90.0));
        assert_eq!(outer.apply((0.0, 0.0)), (20.0, 30.0));
        assert_eq!(outer.apply((10.0, 10.0)), (40.0, 50.0));
        let (inner, _) = model(1.0).place().unwrap();
        assert_eq!(inner.apply((3.0, 4.0)), (18.0, 29.0));
        assert_eq!(inner.then(outer).apply((3.0, 4.0)), outer.apply((18.0, 29.0)));
        assert_eq!(Affine::SAME.then(outer), outer);
        assert_eq!(Model { width: 0.0, ..model(1.0) }.place(), None);
        let quarter = Affine { xx: 0.0, xy: 1.0, yx: -1.0, yy: 0.0, x: 50.0, y: 0.0 };
        let Rect { x, y, width, height } = quarter.cover(Rect { x: 1.0, y: 2.0, width: 30.0, height: 10.0 });
        assert_eq!((x, y, width, height), (38.0, 1.0, 10.0, 30.0));
    }
}
