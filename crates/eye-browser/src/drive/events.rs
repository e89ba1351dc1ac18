//! Events of a tab that its driver acts upon.

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BindingCalled {
    pub name: String,
    pub payload: String,
    pub execution_context_id: i64,
}

/// What the function that takes messages came to.
#[derive(Deserialize)]
pub struct Evaluated {
    pub result: Returned,
}

#[derive(Deserialize)]
pub struct Returned {
    pub value: Answered,
}

/// What the page client said at once.
#[derive(Deserialize)]
pub struct Answered {
    pub said: Vec<String>,
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

/// A frame that begins in a document of another.
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
    /// Of the world, where it is not the page's own.
    #[serde(default)]
    pub name: String,
    /// Names it in the whole browser, also when it comes back from the cache of documents.
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

/// A world beside the page's own.
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
