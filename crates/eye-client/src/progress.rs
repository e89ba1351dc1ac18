//! What a page tells of a call under way.

/// How far a call is, in its tool's own words.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// What is done.
    pub progress: f64,
    /// Of how much.
    pub total: Option<f64>,
    /// What is being done.
    pub message: Option<String>,
}

impl Progress {
    /// Reads what a page said; whatever it got wrong is left out.
    pub(crate) fn parse(params: &str) -> Option<(u64, Self)> {
        let params: serde_json::Value = serde_json::from_str(params).ok()?;
        let progress = Self {
            progress: params["progress"].as_f64().unwrap_or_default(),
            total: params["total"].as_f64(),
            message: params["message"].as_str().map(str::to_owned),
        };
        Some((params["id"].as_u64()?, progress))
    }
}
