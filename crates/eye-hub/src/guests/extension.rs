//! `/extension`: the endpoint of the browser extension. Handles admission, the code that pairs it once, and the proof
//! of the shared secret afterwards. All later messages are handled by [`Tabs`].

pub use super::conversation::{Incoming, Outgoing};
use super::conversation::{Terms, carry, end};
use crate::gate::Wants;
use crate::gate::tokens::id_of;
use crate::http::door::{Door, Head, Upgrade, json_response, knock, refused};
use crate::hub::gateway::Later;
use crate::mount::Guest;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use eye_protocol::close::Close;
use eye_protocol::extension::EXTENSION_PATH;
use eye_protocol::limits::{EXTENSION_QUEUE_LEN_MAX, EXTENSIONS_MAX, HANDSHAKE_MS, MESSAGE_BYTES_MAX};
use eye_protocol::scope::Bearer;
use futures_util::StreamExt;
use ring::hmac;
use serde::Deserialize;
use std::fmt::{Debug, Write};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// The subprotocol; the offers beside it identify the extension.
const PROTOCOL: &str = "eye.extension";
/// Prefix of the offer with the pairing's id.
const ID_PREFIX: &str = "id.";
/// Prefix of the offer with the nonce for the hub's proof.
const NONCE_PREFIX: &str = "nonce.";
/// Letters in a nonce, each one of 32.
const NONCE_LEN_MIN: usize = 26;

/// How long a code can be used by default.
pub const CODE_DEFAULT: Duration = Duration::from_mins(10);
/// The longest time that a code can be used.
const CODE_MAX: Duration = Duration::from_hours(24);
/// Unused codes; a new one replaces the oldest.
const CODES_LEN_MAX: usize = 16;
/// Letters and digits that people do not confuse with each other.
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// Letters in a code, each one of 32: 60 bits.
const CODE_LEN: usize = 12;
/// Letters in the random part of a pairing's name.
const NAME_LEN: usize = 6;

/// Drives the tabs. Every message comes from a paired extension.
pub trait Tabs: Debug + Send + Sync {
    /// Serves one extension until either side ends it. `name` is the name of its pairing.
    fn talk(&self, name: String, incoming: Incoming, outgoing: Outgoing) -> Later<()>;
}

/// Codes that pair an extension, in memory only.
#[derive(Debug, Default)]
pub struct Codes(Mutex<Vec<(String, Instant)>>);

impl Codes {
    /// Makes a code that can be used once within `lasts`.
    pub fn make(&self, now: Instant, lasts: Duration) -> io::Result<String> {
        let code = letters(CODE_LEN)?;
        let mut codes = self.hold();
        codes.retain(|(_, until)| *until > now);
        if codes.len() >= CODES_LEN_MAX {
            codes.remove(0);
        }
        codes.push((code.clone(), now + lasts.min(CODE_MAX)));
        Ok(code)
    }

    /// Uses up a code.
    fn take(&self, now: Instant, code: &str) -> bool {
        let mut codes = self.hold();
        codes.retain(|(_, until)| *until > now);
        let before = codes.len();
        codes.retain(|(one, _)| one != code);
        codes.len() < before
    }

    /// The codes that can still be used.
    fn all(&self, now: Instant) -> Vec<String> {
        self.hold().iter().filter(|(_, until)| *until > now).map(|(code, _)| code.clone()).collect()
    }

    fn hold(&self) -> std::sync::MutexGuard<'_, Vec<(String, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Random letters.
fn letters(len: usize) -> io::Result<String> {
    let mut random = vec![0; len];
    getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(random.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect())
}

/// The extension's endpoint, as a guest.
#[derive(Clone, Debug)]
pub struct ExtensionDoor {
    tabs: Arc<dyn Tabs>,
    codes: Arc<Codes>,
    /// Limits the number of connections.
    seats: Arc<Semaphore>,
}

impl ExtensionDoor {
    /// Serves extensions with `tabs`, once they are paired by one of `codes`.
    pub fn new(tabs: Arc<dyn Tabs>, codes: Arc<Codes>) -> Self {
        Self { tabs, codes, seats: Arc::new(Semaphore::new(EXTENSIONS_MAX)) }
    }
}

impl Guest for ExtensionDoor {
    fn routes(&self) -> Router<Door> {
        Router::new().route(EXTENSION_PATH, get(enter)).layer(Extension(self.clone()))
    }
}

/// How an extension identifies itself: by the id of its pairing, or by a code (no id); and the nonce for the hub's
/// proof.
struct Claim {
    id: Option<String>,
    nonce: String,
}

/// Reads `id.ID`, if present, and `nonce.NONCE`.
fn claim(headers: &HeaderMap) -> Option<Claim> {
    let offers = headers.get(header::SEC_WEBSOCKET_PROTOCOL).and_then(|offers| offers.to_str().ok())?;
    let offered = |prefix: &str| offers.split(',').find_map(|offer| offer.trim().strip_prefix(prefix));
    let nonce = offered(NONCE_PREFIX).filter(|nonce| nonce.len() >= NONCE_LEN_MIN)?;
    Some(Claim { id: offered(ID_PREFIX).map(str::to_owned), nonce: nonce.to_owned() })
}

async fn enter(
    State(door): State<Door>,
    Extension(guest): Extension<ExtensionDoor>,
    headers: Head,
    upgrade: Upgrade,
) -> Response {
    if let Err(refusal) = door.gate.admit(Wants::Extension, knock(&headers, None)) {
        return refused(&refusal);
    }
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(rejection) => return rejection.into_response(),
    };
    let Ok(seat) = guest.seats.clone().try_acquire_owned() else {
        let body = serde_json::json!({ "error": "too many extensions are connected" });
        return (StatusCode::SERVICE_UNAVAILABLE, json_response(&body)).into_response();
    };
    let claim = claim(&headers);
    upgrade.protocols([PROTOCOL]).max_message_size(MESSAGE_BYTES_MAX).max_frame_size(MESSAGE_BYTES_MAX).on_upgrade(
        async move |mut socket| {
            let _seat = seat;
            // A browser cannot distinguish a refused upgrade from a hub that is not running, so a refusal is sent as a
            // close frame.
            let proving = prove(&door, &guest.codes, claim, &mut socket);
            match timeout(Duration::from_millis(HANDSHAKE_MS), proving).await {
                Ok(Ok(bearer)) => {
                    let ended = door.hub.token_ended(Some(bearer.clone()));
                    serve(&guest, bearer.name.to_string(), socket, ended).await;
                }
                Ok(Err(close)) => end(socket, close).await,
                // The extension disconnected, or sent nothing in time.
                Err(_) => {}
            }
        },
    )
}

/// The message with which either side proves that it knows the secret.
#[derive(Deserialize)]
struct Proving {
    method: String,
    params: Proof,
}

#[derive(Deserialize)]
struct Proof {
    proof: String,
}

/// Each side proves that it knows the secret of a pairing, or a code, and sends neither. So a program that listens at
/// the hub's port while no hub runs learns nothing, and the extension talks to no other program. The hub begins.
async fn prove(door: &Door, codes: &Codes, claim: Option<Claim>, socket: &mut WebSocket) -> Result<Bearer, Close> {
    let unpaired = || Close::not_paired("the extension is not paired");
    let Claim { id, nonce: theirs } = claim.ok_or_else(unpaired)?;
    let ours = letters(NONCE_LEN_MIN).map_err(|error| failed(&error))?;
    let known = match &id {
        Some(id) => Some(door.gate.paired(id).ok_or_else(|| Close::not_paired("this pairing was taken back"))?),
        None => None,
    };
    // The hub does not know which code was typed, so it sends a proof for each valid code.
    let secrets = match &known {
        Some((_, secret)) => vec![secret.to_string()],
        None => codes.all(Instant::now()),
    };
    let proofs: Vec<String> = secrets.iter().map(|secret| proof_of(secret, "hub", &theirs, &ours)).collect();
    send(socket, "Eye.prove", &serde_json::json!({ "nonce": ours, "proofs": proofs })).await?;
    let Some(Ok(Message::Text(text))) = socket.next().await else { return Err(unpaired()) };
    let proving: Proving = serde_json::from_str(&text).map_err(|_| unpaired())?;
    let right = |secret: &&String| {
        let wanted = proof_of(secret, "extension", &ours, &theirs);
        proving.method == "Eye.prove" && bool::from(wanted.as_bytes().ct_eq(proving.params.proof.as_bytes()))
    };
    let secret = secrets.iter().find(right);
    match (known, secret) {
        (Some((bearer, _)), Some(_)) => Ok(bearer),
        (Some(_), None) => Err(Close::not_paired("the extension could not prove its pairing")),
        (None, Some(code)) if codes.take(Instant::now(), code) => {
            let gate = door.gate.clone();
            let made = spawn_blocking(move || {
                let name = format!("extension-{}", letters(NAME_LEN)?.to_ascii_lowercase());
                let key = gate.pair(&name).map_err(io::Error::other)?;
                let id = id_of(key.reveal());
                let (bearer, secret) = gate.paired(&id).ok_or_else(|| io::Error::other("it cannot be read"))?;
                Ok::<_, io::Error>((id, bearer, secret))
            });
            let (id, bearer, secret) = made.await.map_err(|error| failed(&error))?.map_err(|error| failed(&error))?;
            send(socket, "Eye.paired", &serde_json::json!({ "id": id, "secret": secret, "name": bearer.name })).await?;
            Ok(bearer)
        }
        (None, _) => Err(Close::not_paired("this code is wrong, was used already, or is too old")),
    }
}

fn failed(error: &impl ToString) -> Close {
    Close { code: 1011, reason: format!("the pairing failed: {}", error.to_string()) }
}

async fn send(socket: &mut WebSocket, method: &str, params: &serde_json::Value) -> Result<(), Close> {
    let text = serde_json::json!({ "method": method, "params": params }).to_string();
    socket.send(Message::text(text)).await.map_err(|error| failed(&error))
}

/// HMAC-SHA-256 of the prover's role, the nonce of the other side and the prover's own nonce, in hex.
fn proof_of(secret: &str, who: &str, theirs: &str, own: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let tag = hmac::sign(&key, format!("{who} {theirs} {own}").as_bytes());
    tag.as_ref().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

async fn serve(guest: &ExtensionDoor, name: String, socket: WebSocket, token_ended: impl Future<Output = String>) {
    let terms = Terms {
        incoming_len_max: EXTENSION_QUEUE_LEN_MAX,
        outgoing_len_max: EXTENSION_QUEUE_LEN_MAX,
        message_bytes_max: MESSAGE_BYTES_MAX,
        farewell: Close::shutdown(),
    };
    let over = async { Close::revoked(&token_ended.await) };
    carry(socket, terms, |incoming, outgoing| guest.tabs.talk(name, incoming, outgoing), over).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_pairs_once_and_not_after_its_time() {
        let codes = Codes::default();
        let now = Instant::now();
        let code = codes.make(now, CODE_DEFAULT).unwrap();
        assert!(!codes.take(now, "guess"));
        assert!(!codes.take(now, ""));
        assert_eq!(codes.all(now), std::slice::from_ref(&code));
        assert!(codes.take(now, &code));
        assert!(!codes.take(now, &code), "a second use");
        let code = codes.make(now, CODE_DEFAULT).unwrap();
        assert!(codes.all(now + CODE_DEFAULT).is_empty() && !codes.take(now + CODE_DEFAULT, &code), "too late");
        let code = codes.make(now, Duration::MAX).unwrap();
        assert!(!codes.take(now + CODE_MAX, &code), "no code lasts longer than the limit");
    }

    #[test]
    fn the_oldest_code_gives_way_at_the_limit() {
        let codes = Codes::default();
        let now = Instant::now();
        let made: Vec<String> = (0..=CODES_LEN_MAX).map(|_| codes.make(now, CODE_DEFAULT).unwrap()).collect();
        assert!(!codes.take(now, &made[0]));
        assert!(made[1..].iter().all(|code| codes.take(now, code)));
    }
}
