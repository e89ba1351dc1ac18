//! Answers `gateway/…` requests of agents on the ordinary sockets.

use super::call::{Call, Outlet, Stop};
use super::client::{Client, Newcomer};
use super::era::{Era, Meta};
use super::faces::Face;
use super::limits::OUTLET_LEN_MAX;
use super::message::Request;
use super::tools;
use crate::{Project, RpcError};
use eye_protocol::local::Identity;
use eye_protocol::rpc::json;
use eye_protocol::scope::Scope;
use eye_protocol::{Code, Error};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Params of `gateway/…` requests; each method reads those it needs.
#[derive(Deserialize)]
struct GatewayParams {
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
    /// Answers `gateway/servers`, `gateway/discover {query}`, `gateway/call {name, arguments, …}` and the other
    /// `gateway/…` methods. `cwd` and `env` select whose upstreams; they are ignored unless the agent is `trusted`.
    pub async fn gateway_request(
        &self,
        method: &str,
        params: &str,
        trusted: bool,
        scope: Scope,
    ) -> Result<String, Error> {
        let GatewayParams { cwd, env, agent, query, server, folder, seen } = eye_protocol::rpc::params(params)?;
        let project = cwd.filter(|_| trusted).map(|cwd| Project { cwd, env });
        let newcomer = Newcomer { who: Identity { name: agent, page: None, scope }, project, ..Newcomer::default() };
        let client = self.client(newcomer).ok_or_else(|| Error::new(Code::CONNECTION, "the hub shuts down"))?;
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
            "gateway/waiting" => Ok(format!(r#"{{"waiting":{}}}"#, json(&self.shared().gateway().waiting()))),
            "gateway/approve" => {
                let count = self.shared().gateway().approve_shown(&server, &seen).map_err(|error| of_rpc(&error))?;
                Ok(format!(r#"{{"approved":{count}}}"#))
            }
            "gateway/trust" => {
                self.shared().gateway().trust_shown(&server, &folder, &seen).map_err(|error| of_rpc(&error))?;
                Ok(format!(r#"{{"trusted":{}}}"#, json(&server)))
            }
            other => Err(Error::new(Code::METHOD, format!("no such method: {other}")).hint(KNOWN)),
        }
    }

    /// A call by name, of a page's tool or an upstream's.
    async fn gateway_call(&self, client: Arc<Client>, params: &str) -> Result<String, Error> {
        let (sender, _nobody) = mpsc::channel(OUTLET_LEN_MAX);
        let params = RawValue::from_string(format!(r#"{{"name":"mcp_call","arguments":{params}}}"#))
            .unwrap_or_else(|_| RawValue::NULL.to_owned());
        let request = Request { id: RawValue::NULL.to_owned(), method: "tools/call".into(), params: Some(params) };
        let call = Call {
            client,
            provider: self.provider(),
            era: Era::Legacy,
            request,
            meta: Meta::default(),
            outlet: Outlet(sender),
        };
        let outcome = tools::call(&call).await.map_err(|stop| match stop {
            Stop::Error(error) => of_rpc(&error),
            Stop::Input(_) => Error::new(Code::REQUEST, "this tool asks its user something"),
        })?;
        Ok(outcome.render(Era::Legacy, "tools/call", self.shared().server_info()))
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
