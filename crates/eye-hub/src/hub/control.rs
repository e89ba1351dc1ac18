//! Handles a console's requests (`console/…`): links, pauses, decisions, tokens and origins. The scope was checked
//! before.

use super::state::{Hub, State};
use crate::console::{KEY_MS_DEFAULT, Sample, What};
use crate::gate::origins::{Allowed, normalise};
use crate::gate::pattern::Pattern;
use eye_core::Conn;
use eye_protocol::rpc::{self, RpcId, json};
use eye_protocol::{Code, Error};
use serde::{Deserialize, Serialize};
use std::sync::PoisonError;

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct LinkParams {
    expires_ms: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct SeriesParams {
    what: What,
    #[serde(default)]
    name: String,
}

#[derive(Debug, Deserialize)]
struct PauseParams {
    what: What,
    #[serde(default)]
    name: Option<String>,
    #[serde(default = "yes")]
    paused: bool,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Deserialize)]
struct ConfirmParams {
    id: u32,
    allow: bool,
}

#[derive(Debug, Deserialize)]
struct NameParams {
    name: String,
}

#[derive(Debug, Deserialize)]
struct OriginParams {
    origin: String,
    eval: Option<bool>,
    confirm: Option<bool>,
}

#[expect(clippy::struct_excessive_bools, reason = "what is granted to an origin, each for itself")]
#[derive(Serialize)]
struct OriginRow {
    origin: String,
    eval: bool,
    confirm: bool,
    pages: bool,
    backends: bool,
}

impl Hub {
    pub(crate) fn console_request(&self, state: &mut State, conn: Conn, id: &RpcId, method: &str, params: &str) {
        let outcome = self.console_answer(state, conn, method, params);
        self.ended(state, conn, id, &outcome, String::len);
        self.reply(state, conn, &rpc::response(id, outcome.as_deref()));
    }

    fn console_answer(&self, state: &mut State, conn: Conn, method: &str, params: &str) -> Result<String, Error> {
        match method {
            "console/link" => self.console_link(&rpc::params(params)?),
            "console/watch" => Ok(self.console_watch(state, conn)),
            "console/series" => {
                let SeriesParams { what, name } = rpc::params(params)?;
                let book = &state.desk.book;
                let series = match what {
                    What::Agent => book.agent(&name),
                    What::Page => book.page(&name),
                    What::All => Some(&book.hub),
                };
                let samples: Vec<&Sample> = series.map(|series| series.samples().collect()).unwrap_or_default();
                Ok(format!(r#"{{"samples":{}}}"#, json(&samples)))
            }
            "console/pause" => {
                let PauseParams { what, name, paused } = rpc::params(params)?;
                let name = match (what, name) {
                    (What::All, _) => String::new(),
                    (What::Agent | What::Page, Some(name)) => name,
                    (What::Agent | What::Page, None) => {
                        return Err(Error::new(Code::PARAMS, "which one is missing").hint("name it: `name`"));
                    }
                };
                if !state.desk.pauses.set(what, &name, paused) {
                    return Err(Error::new(Code::REQUEST, "too many are paused").hint("pause everything instead"));
                }
                state.desk.version += 1;
                if !paused {
                    self.let_go_on(state);
                }
                Ok(json(&state.desk.pauses))
            }
            "console/confirm" => {
                let ConfirmParams { id, allow } = rpc::params(params)?;
                if self.decide_held(state, id, allow) {
                    Ok(r#"{"decided":true}"#.into())
                } else {
                    Err(Error::new(Code::PARAMS, "this call waits no longer"))
                }
            }
            "console/tokens" => {
                let rows = self.facts.keys.tokens().list().map_err(|error| failed(&error))?;
                let hidden = rows.iter().map(|row| {
                    serde_json::json!({
                        "name": row.name, "may": row.may, "pages": row.pages,
                        "createdAt": row.created_at, "expiresAt": row.expires_at,
                    })
                });
                Ok(json(&serde_json::json!({ "tokens": hidden.collect::<Vec<_>>() })))
            }
            "console/revoke" => {
                let NameParams { name } = rpc::params(params)?;
                self.facts.keys.revoke(&name).map_err(|error| failed(&error))?;
                Ok(json(&serde_json::json!({ "revoked": name })))
            }
            "console/origins" => self.origins_json(),
            "console/allow" => {
                let OriginParams { origin, eval, confirm } = rpc::params(params)?;
                let origin = normalise(&origin).map_err(|error| Error::new(Code::PARAMS, error.to_string()))?;
                let before = self.facts.origins.find(&origin).map_err(|error| failed(&error))?;
                let mut entry = before.allowed().unwrap_or_else(|| Allowed::new(origin));
                entry.eval = eval.unwrap_or(entry.eval);
                entry.confirm = confirm.unwrap_or(entry.confirm);
                self.facts.origins.allow(entry).map_err(|error| failed(&error))?;
                self.origins_json()
            }
            "console/remove" => {
                let OriginParams { origin, .. } = rpc::params(params)?;
                let origins = &self.facts.origins;
                let denied = Pattern::parse(&origin).map_or(Ok(false), |pattern| origins.undeny(&pattern));
                // As it is on the list, where it is an origin.
                let listed = normalise(&origin).unwrap_or_else(|_| origin.clone());
                let removed = origins.remove(&listed).map_err(|error| failed(&error))?;
                if !denied.map_err(|error| failed(&error))? && !removed {
                    return Err(Error::new(Code::PARAMS, format!("{origin} is not on the list")));
                }
                self.origins_json()
            }
            other => Err(Error::new(Code::METHOD, format!("{other} is not a method of the console"))),
        }
    }

    /// A link that opens the console once. Its code is in the URL's fragment, which browsers do not send.
    fn console_link(&self, params: &LinkParams) -> Result<String, Error> {
        let port = self.facts.listen.rsplit(':').next().unwrap_or_default();
        let key_ms = params.expires_ms.unwrap_or(KEY_MS_DEFAULT);
        let mut keys = self.console_keys.lock().unwrap_or_else(PoisonError::into_inner);
        let code = keys.code(self.now(), key_ms).map_err(|error| failed(&error))?;
        Ok(format!(r#"{{"url":"http://{}:{port}/#{code}"}}"#, crate::gate::CONSOLE_NAME))
    }

    fn origins_json(&self) -> Result<String, Error> {
        let list = self.facts.origins.list().map_err(|error| failed(&error))?;
        let denied: Vec<String> = list.denied.iter().map(ToString::to_string).collect();
        let rows = list.allowed.into_iter().map(|a: Allowed| OriginRow {
            origin: a.origin,
            eval: a.eval,
            confirm: a.confirm,
            pages: a.pages,
            backends: a.backends,
        });
        Ok(json(&serde_json::json!({ "origins": rows.collect::<Vec<_>>(), "denied": denied })))
    }
}

fn failed(error: &impl ToString) -> Error {
    Error::new(Code::INTERNAL, error.to_string())
}
