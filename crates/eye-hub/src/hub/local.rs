//! The hub for code inside its process: [`Links`] implements the traits of `eye_protocol::local`.

use super::links::{AgentLink, Links};
use eye_protocol::Error;
use eye_protocol::local::{
    Auditor, Identity, Later, LocalAgent, LocalEval, LocalHub, LocalPage, LocalValue, ProgressSink,
};
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::Duration;

impl LocalHub for Links {
    fn enter(&self, who: Identity, face: &'static str) -> Arc<dyn LocalAgent> {
        Arc::new(self.open(who, face))
    }

    fn join(&self, session: &str, origin: &str) -> Arc<dyn LocalPage> {
        Arc::new(self.join(session, origin))
    }

    fn denies(&self, origin: &str) -> Option<Error> {
        self.denies(origin)
    }

    fn revision(&self) -> u64 {
        *self.hub().lists.borrow()
    }

    fn changed(&self, seen: u64) -> Later<'static, u64> {
        let mut lists = self.hub().lists.subscribe();
        Box::pin(async move {
            let revision = lists.wait_for(|revision| *revision != seen).await.ok().map(|revision| *revision);
            match revision {
                Some(revision) => revision,
                // The hub is gone; nothing follows.
                None => std::future::pending().await,
            }
        })
    }
}

impl LocalAgent for AgentLink {
    fn request(
        &self,
        method: &str,
        params: &str,
        progress: Option<ProgressSink>,
    ) -> Later<'static, Result<Box<RawValue>, Error>> {
        Box::pin(self.request(method, params, progress))
    }

    fn eval(&self, eval: LocalEval<'_>, progress: Option<ProgressSink>) -> Later<'static, Result<LocalValue, Error>> {
        Box::pin(self.eval(eval, progress))
    }

    fn news(&self) -> Later<'_, Option<String>> {
        Box::pin(self.news())
    }

    fn ended(&self) -> Later<'static, Error> {
        Box::pin(self.ended())
    }

    fn turn(&self, within: Duration) -> Option<Later<'static, Result<(), Error>>> {
        let turn = self.turn(within)?;
        Some(Box::pin(turn))
    }

    fn auditor(&self) -> Option<Arc<dyn Auditor>> {
        let auditor = self.auditor()?;
        Some(Arc::new(auditor))
    }
}
