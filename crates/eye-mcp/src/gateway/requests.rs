//! What agents of the hub may ask of the gateway: `gateway/servers`, `gateway/discover`, `gateway/call`.

use super::scope::{More, Scope};
use super::{CallContext, Gateway, Project, ServerStatus};
use crate::error::RpcError;
use crate::limits::LEARN;
use eye_protocol::{Code, Error, rpc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Params of `gateway/servers`.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct ListServers {
    /// Who asks; believed only on the Unix socket.
    #[serde(default)]
    pub project: Option<Project>,
    /// Start this one and tell how that goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
}

/// Result of `gateway/servers`.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Servers {
    /// The servers, or the one that was tested.
    pub servers: Vec<ServerStatus>,
    /// What is wrong with the config files.
    #[serde(default)]
    pub errors: Vec<String>,
    /// How long the tested one took to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
    /// The tools of the tested one, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
}

/// Params of `gateway/discover`.
#[derive(Debug, Deserialize, Serialize)]
pub struct Discover {
    /// Words or JSONPath.
    #[serde(alias = "jsonpath")]
    pub query: String,
    /// Who asks.
    #[serde(default)]
    pub project: Option<Project>,
}

/// Params of `gateway/call`.
#[derive(Debug, Deserialize, Serialize)]
pub struct Call {
    /// A tool's name, in any of its forms.
    pub name: String,
    /// Its arguments, raw.
    #[serde(default)]
    pub arguments: Option<Box<RawValue>>,
    /// How long it may take, in ms.
    #[serde(default)]
    pub timeout: Option<u64>,
    /// Who asks.
    #[serde(default)]
    pub project: Option<Project>,
}

impl Gateway {
    /// Answers a request of an agent of the hub. `more` is what pages and eye itself offer; their tools are found, but
    /// calling them is the hub's. `trusted` says that the agent may name its folder and environment: it runs as this user.
    pub async fn answer(
        &self,
        method: &str,
        params: &str,
        more: &Arc<More>,
        trusted: bool,
        context: CallContext,
    ) -> Result<Box<RawValue>, RpcError> {
        let scope = |project: Option<Project>| match project.filter(|_| trusted) {
            Some(project) => self.scope(project),
            None => self.own_scope(),
        };
        match method {
            "gateway/servers" => {
                let ListServers { project, test } = rpc::params(params)?;
                let scope = scope(project);
                match test {
                    Some(server) => raw(&self.test(&scope, &server).await?),
                    None => {
                        let errors = scope.config_errors().iter().map(said).collect();
                        raw(&Servers { servers: scope.servers(), errors, ..Servers::default() })
                    }
                }
            }
            "gateway/discover" => {
                let Discover { query, project } = rpc::params(params)?;
                let scope = scope(project);
                scope.learn(LEARN).await;
                let found = scope.discover(&query, more).await.map_err(|error| error.to_error())?;
                raw(&json!({ "text": found.text(), "found": found }))
            }
            "gateway/call" => {
                let Call { name, arguments, timeout, project } = rpc::params(params)?;
                let scope = scope(project);
                if scope.resolve(&name, more).is_err() {
                    scope.learn(LEARN).await;
                }
                let entry = scope.resolve(&name, more).map_err(|error| error.to_error())?;
                let arguments = arguments.unwrap_or_else(|| RawValue::NULL.to_owned());
                let arguments = if arguments.get() == "null" { raw(&json!({}))? } else { arguments };
                let params = raw(&json!({ "name": &*entry.name, "arguments": arguments }))?;
                let timeout = timeout.map(Duration::from_millis).or(context.timeout);
                scope.call_tool(&entry.server, params, CallContext { timeout, ..context }).await
            }
            _ => Err(Error::new(Code::METHOD, format!("there is no method {method}")).into()),
        }
    }

    async fn test(&self, scope: &Scope, server: &str) -> Result<Servers, RpcError> {
        let began = Instant::now();
        scope.start(server).await?;
        let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let tools = scope.entries().iter().filter(|entry| &*entry.server == server).map(|e| e.line(&e.name)).collect();
        let servers = scope.servers().into_iter().filter(|status| status.name == server).collect();
        Ok(Servers { servers, errors: Vec::new(), took_ms: Some(took_ms), tools })
    }
}

fn said(error: &crate::config::ConfigError) -> String {
    match &error.hint {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    }
}

fn raw(value: &impl Serialize) -> Result<Box<RawValue>, RpcError> {
    to_raw_value(value).map_err(|error| Error::new(Code::INTERNAL, error.to_string()).into())
}
