//! What every answer has in common, and the read-only methods: lists, resources, prompts. Tools use these too, so
//! nothing here knows of tools.

use super::call::{Call, Stop};
use super::era::no_method;
use super::outcome::Outcome;
use super::{prompts, resources};
use crate::RpcError;

/// Answers a request with the result as JSON text. `serve` runs where the embedding program does not answer.
pub(super) async fn finish<'a, F>(call: &'a Call, serve: impl FnOnce(&'a Call) -> F) -> Result<String, RpcError>
where
    F: Future<Output = Result<Outcome, Stop>>,
{
    let ended = async {
        // Only a client with a token can lose it during the request.
        if call.client.allowed.bearer().is_none() {
            return served(call, serve).await;
        }
        tokio::select! {
            outcome = served(call, serve) => outcome,
            error = call.client.link.ended() => Err(RpcError::from(error).into()),
        }
    };
    let outcome = match ended.await {
        Ok(outcome) | Err(Stop::Input(outcome)) => outcome,
        Err(Stop::Error(error)) => return Err(error),
    };
    Ok(outcome.render(call.era, call.method(), call.client.shared.server_info()))
}

async fn served<'a, F>(call: &'a Call, serve: impl FnOnce(&'a Call) -> F) -> Result<Outcome, Stop>
where
    F: Future<Output = Result<Outcome, Stop>>,
{
    match call.provider.as_ref().and_then(|provider| provider.serve(call)) {
        Some(answer) => answer.await,
        None => serve(call).await,
    }
}

/// Serves a read-only method, the same in both eras.
pub(super) async fn read(call: &Call) -> Result<Outcome, Stop> {
    match call.method() {
        "resources/list" => resources::list(call).await,
        "resources/templates/list" => Ok(resources::templates(call).await),
        "resources/read" => resources::read(call).await,
        "prompts/list" => prompts::list(call).await,
        "prompts/get" => prompts::get(call).await,
        "completion/complete" => prompts::complete(call).await,
        other => Err(no_method(other).into()),
    }
}
