//! Progress reports of a page about an open call.

/// The progress of a call, in units of its tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// The amount done.
    pub progress: f64,
    /// The whole amount, if known.
    pub total: Option<f64>,
    /// What the tool is doing.
    pub message: Option<String>,
}

impl Progress {
    /// Parses a page's report; omits malformed members.
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
