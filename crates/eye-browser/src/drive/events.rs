//! CDP events and results that the driver of a tab handles.

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BindingCalled {
    pub name: String,
    pub payload: String,
    pub execution_context_id: i64,
}

/// The result of calling the page client's receive function.
#[derive(Deserialize)]
pub struct Evaluated {
    pub result: Returned,
}

#[derive(Deserialize)]
pub struct Returned {
    pub value: Answered,
}

/// The messages that the page client returned right away, each with a line feed behind it.
#[derive(Deserialize)]
pub struct Answered {
    pub said: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Loading {
    pub frame_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StartedNavigating {
    pub frame_id: String,
    pub navigation_type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChooserOpened {
    #[serde(default)]
    pub backend_node_id: Option<i64>,
}

/// A frame was added to a document.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameAttached {
    pub frame_id: String,
    pub parent_frame_id: String,
}

/// The frames of a session.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameTree {
    pub frame_tree: Tree,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tree {
    pub frame: Frame,
    #[serde(default)]
    pub child_frames: Vec<Tree>,
}

#[derive(Deserialize)]
pub struct ContextCreated {
    pub context: Context,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    pub id: i64,
    pub origin: String,
    /// The name of an isolated world; empty for the page's own.
    #[serde(default)]
    pub name: String,
    /// Unique in the whole browser. It stays the same when the document comes back from the back/forward cache.
    #[serde(default)]
    pub unique_id: String,
    #[serde(default)]
    pub aux_data: Aux,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Aux {
    #[serde(default)]
    pub is_default: bool,
    #[serde(default)]
    pub frame_id: String,
}

/// An isolated world.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct World {
    pub execution_context_id: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextDestroyed {
    pub execution_context_id: i64,
}

#[derive(Deserialize)]
pub struct Navigated {
    pub frame: Frame,
}

#[derive(Deserialize)]
pub struct Frame {
    pub id: String,
    #[serde(default)]
    pub url: String,
}
