//! Asking upstreams for a client, and what agents on the ordinary sockets ask of the gateway.

use super::Face;
use super::call::{Call, Outlet, Stop};
use super::client::{Client, Newcomer};
use super::era::{CAPABILITIES, Era, LOG_LEVEL, Meta};
use super::errand::Errand;
use super::hub::Identity;
use super::limits::{INPUT_ROUNDS_MAX, OUTLET_LEN_MAX};
use super::message::Request;
use super::outcome::Outcome;
use super::tools;
use crate::{Era as UpstreamEra, Project, RpcError};
use eye_protocol::rpc::json;
use eye_protocol::scope::Scope;
use eye_protocol::{Code, Error};
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// Asks an upstream, and, for a legacy client, its questions in between.
pub(super) async fn upstream(
    call: &Call,
    server: &str,
    method: &str,
    params: Box<RawValue>,
    timeout: Option<Duration>,
) -> Result<Outcome, Stop> {
    if let Some(errand) = Errand::taken_up(call)? {
        return errand.settle(call).await.map(Outcome::Foreign);
    }
    let mut params = as_modern(call, server, params);
    for _ in 0..INPUT_ROUNDS_MAX {
        let result = Errand::begin(call, server, method, params.clone(), timeout).settle(call).await?;
        let Some(wanted) = wanted_input(&result).filter(|_| call.era == Era::Legacy) else {
            return Ok(Outcome::Foreign(result));
        };
        // A modern upstream asks by its result; a legacy client is asked while it waits.
        let mut answers: IndexMap<String, Box<RawValue>> = IndexMap::new();
        for (key, request) in wanted.requests {
            let inner = request.params.as_deref().map_or("{}", RawValue::get);
            answers.insert(key.clone(), call.ask(&key, &request.method, inner).await?);
        }
        let mut members: IndexMap<String, Box<RawValue>> = serde_json::from_str(params.get()).unwrap_or_default();
        members.insert("inputResponses".into(), raw(&json(&answers)));
        if let Some(state) = wanted.state {
            members.insert("requestState".into(), state);
        }
        params = raw(&json(&members));
    }
    Err(Error::new(Code::REQUEST, format!("{server} asked for input {INPUT_ROUNDS_MAX} times")).into())
}

/// A modern upstream wants to know with every request what its caller can do and which log messages it wants; a legacy
/// client said so once.
fn as_modern(call: &Call, server: &str, params: Box<RawValue>) -> Box<RawValue> {
    if call.era == Era::Modern || call.client.scope.era(server) == Some(UpstreamEra::Legacy) {
        return params;
    }
    let Some(agreed) = call.client.agreed() else { return params };
    let Ok(mut members) = serde_json::from_str::<IndexMap<String, Box<RawValue>>>(params.get()) else { return params };
    let meta = members.get("_meta").and_then(|meta| serde_json::from_str(meta.get()).ok());
    let mut meta: IndexMap<String, Box<RawValue>> = meta.unwrap_or_default();
    if agreed.capabilities.as_object().is_some_and(|all| !all.is_empty()) {
        meta.insert(CAPABILITIES.into(), raw(&agreed.capabilities.to_string()));
    }
    meta.entry(LOG_LEVEL.into()).or_insert_with(|| raw(&json(&call.client.level())));
    members.insert("_meta".into(), raw(&json(&meta)));
    raw(&json(&members))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wanted {
    result_type: String,
    #[serde(default, rename = "inputRequests")]
    requests: IndexMap<String, WantedRequest>,
    #[serde(rename = "requestState")]
    state: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct WantedRequest {
    method: String,
    params: Option<Box<RawValue>>,
}

fn wanted_input(result: &RawValue) -> Option<Wanted> {
    // Nearly every result is none of these; it is not parsed to find out.
    if !result.get().contains("input_required") {
        return None;
    }
    serde_json::from_str::<Wanted>(result.get()).ok().filter(|wanted| wanted.result_type == "input_required")
}

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// Params of `gateway/…`: who asks, whose upstreams it means, and what of them.
#[derive(Deserialize)]
struct Asked {
    cwd: Option<PathBuf>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    agent: Option<String>,
    #[serde(default)]
    query: String,
    #[serde(default)]
    server: String,
    #[serde(default)]
    folder: PathBuf,
    #[serde(default)]
    seen: String,
}

const KNOWN: &str = "known: gateway/servers, gateway/discover, gateway/call, gateway/logs, gateway/waiting, \
                     gateway/approve, gateway/trust";

impl Face {
    /// Answers `gateway/servers`, `gateway/discover {query}` and `gateway/call {name, arguments, …}` of an agent on an
    /// ordinary socket. `cwd` and `env` say whose upstreams; only who is `trusted` may say so.
    pub async fn gateway_request(
        &self,
        method: &str,
        params: &str,
        trusted: bool,
        scope: Scope,
    ) -> Result<String, Error> {
        let Asked { cwd, env, agent, query, server, folder, seen } = eye_protocol::rpc::params(params)?;
        let project = cwd.filter(|_| trusted).map(|cwd| Project { cwd, env });
        let newcomer = Newcomer { who: Identity { name: agent, page: None, scope }, project, ..Newcomer::default() };
        let client = Client::new(self, newcomer).ok_or_else(|| Error::new(Code::CONNECTION, "the hub shuts down"))?;
        match method {
            "gateway/servers" => {
                let errors: Vec<String> = client.scope.config_errors().iter().map(ToString::to_string).collect();
                Ok(format!(r#"{{"servers":{},"errors":{}}}"#, json(&client.scope.servers()), json(&errors)))
            }
            "gateway/discover" => {
                let found = client.discover(&query).await.map_err(|error| error.to_error())?;
                let mut members: serde_json::Map<String, serde_json::Value> =
                    serde_json::from_str(&json(&found)).unwrap_or_default();
                members.insert("text".into(), found.text().into());
                Ok(json(&members))
            }
            "gateway/call" => self.gateway_call(client, params).await,
            "gateway/logs" => {
                let text = client.scope.log_of(&server).map_err(|error| of_rpc(&error))?;
                Ok(format!(r#"{{"text":{}}}"#, json(&text)))
            }
            "gateway/waiting" => Ok(format!(r#"{{"waiting":{}}}"#, json(&self.gateway().waiting()))),
            "gateway/approve" => {
                let count = self.gateway().approve_shown(&server, &seen).map_err(|error| of_rpc(&error))?;
                Ok(format!(r#"{{"approved":{count}}}"#))
            }
            "gateway/trust" => {
                self.gateway().trust_shown(&server, &folder, &seen).map_err(|error| of_rpc(&error))?;
                Ok(format!(r#"{{"trusted":{}}}"#, json(&server)))
            }
            other => Err(Error::new(Code::METHOD, format!("no such method: {other}")).hint(KNOWN)),
        }
    }

    /// A call by name, which may mean a page's tool as well as an upstream's.
    async fn gateway_call(&self, client: Arc<Client>, params: &str) -> Result<String, Error> {
        let (sender, _nobody) = mpsc::channel(OUTLET_LEN_MAX);
        let params = raw(&format!(r#"{{"name":"mcp_call","arguments":{params}}}"#));
        let request = Request { id: RawValue::NULL.to_owned(), method: "tools/call".into(), params: Some(params) };
        let call = Call { client, era: Era::Legacy, request, meta: Meta::default(), outlet: Outlet(sender) };
        let outcome = tools::call(&call).await.map_err(|stop| match stop {
            Stop::Error(error) => of_rpc(&error),
            Stop::Input(_) => Error::new(Code::REQUEST, "this tool asks its user something"),
        })?;
        Ok(outcome.render(Era::Legacy, "tools/call", self.server_info()))
    }
}

fn of_rpc(error: &RpcError) -> Error {
    let code = Code(i32::try_from(error.code).unwrap_or(Code::INTERNAL.0));
    let plain = Error::new(code, &error.message);
    match error.hint() {
        Some(hint) => plain.hint(hint),
        None => plain,
    }
}
