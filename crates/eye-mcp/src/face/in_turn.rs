//! Delays calls of servers while a person has paused the agent.

use crate::{CallContext, RpcError, Scope};
use eye_protocol::local::LocalAgent;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Waits until the agent is not paused. The time spent is subtracted from the call's timeout.
pub(super) async fn in_turn(
    link: &Arc<dyn LocalAgent>,
    scope: &Scope,
    server: &str,
    mut context: CallContext,
) -> Result<CallContext, RpcError> {
    let within = context.timeout.unwrap_or_else(|| scope.timeout_of(server));
    if let Some(turn) = link.turn(within) {
        let began = Instant::now();
        turn.await?;
        context.timeout = Some(within.saturating_sub(began.elapsed()).max(Duration::from_millis(1)));
    }
    Ok(context)
}
