//! Input that the page client requests. It is made only while an agent waits for something, or to release what it
//! pressed meanwhile. Positions are moved from the frame to the tab.

use super::{Done, Hands, Joined, Tab};
use crate::drive::files::{self, Field};
use crate::drive::input::{self, Request};
use crate::drive::outer::Outer;
use crate::error::CommandError;
use eye_protocol::rpc::json;
use serde_json::json;
use std::sync::atomic::Ordering;
use tokio::sync::oneshot;

impl Tab {
    /// Input is made only while an agent waits for something, so that a page cannot press its own buttons.
    pub(super) fn input(&mut self, message: &str) {
        let Some(request) = input::read(message) else { return };
        let number = request.input;
        let may = |document: &&Joined| !document.owed.is_empty() || request.lets_go();
        let Some(document) = self.document.as_ref().filter(may) else {
            let why = "real input is made only while an agent waits; synthetic: true does without";
            self.send_to_hands(&json(&json!({ "input": number, "error": why })));
            return;
        };
        let Hands::There(context) = document.hands else { return };
        let (session, outer) = (self.session.clone(), self.outer.clone());
        let Some(giving) = &request.giving else {
            self.doing.push(Box::pin(async move {
                let touch = outer.touch.load(Ordering::Relaxed);
                let done = match placed(&outer, request).await {
                    Ok(request) => input::perform(&outer.root, request, touch).await,
                    Err(error) => Err(error),
                };
                Done::Input(number, done)
            }));
            return;
        };
        let field = Field { context, expression: format!(r#"{}("@{number}")"#, self.names.receive) };
        let chooser = giving.is_chosen().then(|| {
            let (sender, receiver) = oneshot::channel();
            self.chooser = Some(sender);
            receiver
        });
        let folder = self.uploads.clone();
        self.doing.push(Box::pin(async move {
            let given = async {
                let mut request = placed(&outer, request).await?;
                let Some(giving) = request.giving.take() else { return Ok(()) };
                if giving.is_chosen() && outer.is_frame() {
                    return Err(in_frame());
                }
                input::perform(&outer.root, request, false).await?;
                let session = if giving.is_for_field() { &session } else { &outer.root };
                files::give(session, giving, field, chooser, folder).await
            };
            Done::Input(number, given.await)
        }));
    }
}

async fn placed(outer: &Outer, request: Request) -> Result<Request, CommandError> {
    Ok(if outer.is_frame() { request.placed(outer.place().await?) } else { request })
}

/// The browser reports a file chooser to the tab, with ids of the frame's process.
fn in_frame() -> CommandError {
    let message = "a file chooser of a frame of another origin cannot be answered; name the file field".to_owned();
    CommandError::Refused { code: 0, message }
}
