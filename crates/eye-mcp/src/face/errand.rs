//! A call of an upstream on behalf of a client, and the upstream's requests to the client during the call. A legacy
//! client is asked while its request waits. For a modern client the call is parked, and resumed by the request that
//! brings the client's response.

use super::audited::audited;
use super::call::{Call, Stop};
use super::era::{Era, missing_capability};
use super::in_turn::in_turn;
use super::limits::{PARKED_MAX, QUESTIONS_MAX};
use super::outcome::Outcome;
use super::parking::{Errand, Parking};
use crate::CallContext;
use crate::context::Question;
use crate::upstream::is_error;
use eye_protocol::rpc::json;
use eye_protocol::{Code, Error};
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// The key of the question in a modern client's `inputRequests` and `inputResponses`.
const KEY: &str = "question";
const STATE: &str = "parked ";

impl Errand {
    /// Starts the call.
    pub fn begin(call: &Call, server: &str, method: &str, params: Box<RawValue>, timeout: Option<Duration>) -> Self {
        let (sender, questions) = mpsc::channel(QUESTIONS_MAX);
        let context = CallContext {
            progress: call.progress_sink(),
            logs: call.log_sink(),
            questions: Some(sender),
            timeout,
            ..CallContext::default()
        };
        let (scope, server, method) = (call.client.upstreams().cloned(), server.to_owned(), method.to_owned());
        let link = Arc::clone(&call.client.link);
        let (auditor, noted) = (call.client.link.auditor(), (server.clone(), method.clone(), Some(params.clone())));
        let answer = async move {
            let scope = scope?;
            let context = in_turn(&link, &scope, &server, context).await?;
            // A parked call must not keep its client alive.
            drop(link);
            scope.request(&server, &method, Some(params), context).await
        };
        let work = Box::pin(audited(auditor, noted.0, noted.1, noted.2, answer));
        Self { work, questions }
    }

    /// The parked call that this request of a modern client resumes. `None` if the request is a new call.
    pub fn taken_up(call: &Call) -> Result<Option<Self>, Stop> {
        if call.era != Era::Modern {
            return Ok(None);
        }
        let state = call.own_state();
        let Some(number) = state.as_deref().and_then(|state| state.strip_prefix(STATE)) else { return Ok(None) };
        let parking = call.client.shared.parking();
        let Some((errand, question)) = number.parse().ok().and_then(|number| parking.take(number)) else {
            let error = Error::new(Code::CANCELLED, "the call that asked this is over");
            return Err(error.hint("call the tool again, without `requestState`").into());
        };
        let Some(answer) = call.input(KEY) else { return Err(errand.park(call, question)) };
        // If the upstream gave up meanwhile, its result says so.
        let _ = question.answer.send(Ok(answer));
        Ok(Some(errand))
    }

    /// Waits for the result, and passes the upstream's requests on to the client.
    pub async fn settle(mut self, call: &Call) -> Result<Box<RawValue>, Stop> {
        let mut missed: Option<String> = None;
        loop {
            let question = tokio::select! {
                biased;
                result = &mut self.work => {
                    let failed = result.as_ref().map_or(true, |result| is_error(result));
                    return match missed.filter(|_| failed && call.era == Era::Modern) {
                        // A modern client learns which capability it would have to declare.
                        Some(capability) => Err(missing_capability(&capability).into()),
                        None => Ok(result?),
                    };
                }
                Some(question) = self.questions.recv() => question,
            };
            let capability = question.method.split('/').next().unwrap_or_default();
            if !call.can(capability) {
                // The upstream may be able to continue without an answer.
                let message = format!("the agent behind the gateway does not take `{capability}` requests");
                missed = Some(capability.to_owned());
                let _ = question.answer.send(Err(Error::new(Code::METHOD, message).into()));
                continue;
            }
            match call.era {
                Era::Modern => return Err(self.park(call, question)),
                Era::Legacy => {
                    let answer = tokio::select! {
                        result = &mut self.work => return Ok(result?),
                        answer = call.ask(KEY, &question.method, question.params.get()) => answer,
                    };
                    let answer = answer.map_err(|stop| match stop {
                        Stop::Error(error) => error,
                        Stop::Input(_) => Error::new(Code::REQUEST, "the agent cannot be asked now").into(),
                    });
                    let _ = question.answer.send(answer);
                }
            }
        }
    }

    /// Parks the call until its question is answered, and returns the result that asks the client.
    fn park(self, call: &Call, question: Question) -> Stop {
        let request = format!(r#"{{"method":{},"params":{}}}"#, json(&question.method), question.params.get());
        match Parking::put(call.client.shared.parking(), self, question) {
            Some(number) => {
                let state = Some(call.sealed(&format!("{STATE}{number}")));
                Stop::Input(Outcome::Input { requests: vec![(KEY.to_owned(), request)], state })
            }
            None => Error::new(Code::CONNECTION, format!("{PARKED_MAX} calls wait for answers of their users already"))
                .hint("answer some of them first")
                .into(),
        }
    }
}
