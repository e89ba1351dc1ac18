//! Calls of one upstream: config limits, cached results, and metrics.

use super::connection::Failed;
use super::server::{Upstream, lock};
use crate::context::CallContext;
use crate::error::RpcError;
use crate::metrics::Ended;
use eye_protocol::{Code, Error};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::sync::Arc;
use tokio::time::Instant;

impl Upstream {
    /// Calls a tool, or answers from the cache.
    pub async fn call_tool(
        self: &Arc<Self>,
        params: Box<RawValue>,
        context: &CallContext,
    ) -> Result<Box<RawValue>, RpcError> {
        #[derive(Deserialize)]
        struct Call {
            name: String,
            #[serde(default)]
            arguments: Option<Box<RawValue>>,
        }
        let call: Call = serde_json::from_str(params.get())
            .map_err(|error| Error::new(Code::PARAMS, format!("a call needs the name of its tool: {error}")))?;
        if !self.spec.offers(&call.name) {
            let message = format!("the config does not let {} of {} be called", call.name, self.spec.name);
            return Err(Error::new(Code::DENIED, message).hint("change its `allow` or `deny`").into());
        }
        self.check_approved(&call.name).await?;
        let began = Instant::now();
        let question = self.is_kept(&call.name).then(|| {
            let arguments = call.arguments.as_ref().map_or("{}", |arguments| arguments.get());
            (call.name.as_str().into(), arguments.into())
        });
        let known = question.as_ref().and_then(|question| lock(&self.results).get(question, std::time::Instant::now()));
        let (outcome, cached) = match known {
            Some(result) => (Ok(result), true),
            None => (self.request("tools/call", Some(params.clone()), context).await, false),
        };
        let ok = outcome.as_ref().is_ok_and(|result| !is_error(result));
        if let (Ok(result), Some(question), true, false) = (&outcome, question, ok, cached) {
            lock(&self.results).put(question, result, std::time::Instant::now(), self.spec.cache_ttl);
        }
        self.metrics.count(Ended {
            server: &self.spec.name,
            instance: self.instance,
            tool: &call.name,
            took: began.elapsed(),
            ok,
            cached,
            params: params.get(),
            result: outcome.as_ref().map_or("", |result| result.get()),
        });
        outcome
    }

    fn is_kept(&self, tool: &str) -> bool {
        !self.spec.cache_ttl.is_zero()
            && lock(&self.about).entries.iter().any(|entry| &*entry.name == tool && entry.only_reads())
    }

    /// Sends a request.
    pub async fn request(
        self: &Arc<Self>,
        method: &str,
        params: Option<Box<RawValue>>,
        context: &CallContext,
    ) -> Result<Box<RawValue>, RpcError> {
        let timeout = context.timeout.unwrap_or(self.spec.timeout);
        for again in [true, false] {
            let connection = tokio::select! {
                connection = self.ready() => connection?,
                () = context.cancelled.cancelled() => {
                    let message = format!("the call of {} was cancelled before it started", self.spec.name);
                    return Err(Error::new(Code::CANCELLED, message).into());
                }
            };
            match connection.request(method, params.clone(), context, timeout).await {
                Ok(result) => return Ok(result),
                Err(Failed::Rpc(error)) => return Err(error),
                // The server has not seen the request, so sending it again repeats nothing.
                Err(Failed::Unsent(_)) if again => {}
                Err(Failed::Unsent(why)) => return Err(self.down(&why.into()).into()),
            }
        }
        Err(self.down(&"it ends as soon as it is asked".into()).into())
    }
}

/// Whether a result is a tool's error.
pub(crate) fn is_error(result: &RawValue) -> bool {
    #[derive(Deserialize)]
    struct Ended {
        #[serde(default, rename = "isError")]
        is_error: bool,
    }
    // Nearly every result lacks the member, so a text search avoids parsing it.
    result.get().contains("\"isError\"")
        && serde_json::from_str::<Ended>(result.get()).is_ok_and(|ended| ended.is_error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_only_where_it_says_so() {
        let ends = |text: &str| is_error(&RawValue::from_string(text.into()).unwrap());
        assert!(ends(r#"{"content":[],"isError":true}"#));
        assert!(!ends(r#"{"content":[],"isError":false}"#));
        assert!(!ends(r#"{"content":[{"text":"\"isError\":true"}]}"#));
    }
}
