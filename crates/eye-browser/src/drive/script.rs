//! The script that is put into every document of a tab before its own.

use serde_json::{Value, json};

/// The page client with all its parts, for the extension without the debugger (`web/client/src/driven/whole.ts`).
const WHOLE: &str = include_str!("../../assets/driven.js");

/// Its half in the page's own world (`web/client/src/driven/page.ts`).
const PAGE: &str = include_str!("../../assets/driven-page.js");

/// Its half that looks and acts (`web/client/src/driven/hands.ts`).
const HANDS: &str = include_str!("../../assets/driven-hands.js");

/// The world beside the page's own in which nothing of the page's code runs. The extension knows no other.
pub const WORLD: &str = "eye";

/// What one tab and its client call each other.
#[derive(Clone, Debug)]
pub struct Names {
    /// The session in the hub.
    pub session: String,
    /// The function of the page that takes a message for the driver. The client removes it before the page's scripts
    /// run.
    pub binding: String,
    /// The function of the page that takes a message of the driver.
    pub receive: String,
    /// The name of the events by which the halves of the client call each other.
    pub channel: String,
    /// Whether the browser takes files of this machine for the page; the client makes its own of their content
    /// otherwise.
    pub files: bool,
    /// Whether the browser makes input for the page, and pictures, requests and the rest. Otherwise it carries
    /// messages to and from a client that the extension has put there.
    pub hands: bool,
}

impl Names {
    /// New ones. What a page could guess is only its own client's.
    pub fn fresh() -> Self {
        let random = random_text(42);
        let (session, rest) = random.split_at(10);
        let (binding, rest) = rest.split_at(8);
        let (receive, channel) = rest.split_at(8);
        Self {
            session: session.to_owned(),
            binding: format!("eye_{binding}"),
            receive: format!("eye_{receive}"),
            channel: channel.to_owned(),
            files: true,
            hands: true,
        }
    }

    /// New ones, with a session that the tab of this target always has.
    pub fn of_target(target: &str) -> Self {
        let session = target.chars().filter(char::is_ascii_alphanumeric).take(12).collect::<String>();
        let fresh = Self::fresh();
        // The extension gives no file to a page.
        let fresh = Self { files: false, ..fresh };
        if session.is_empty() { fresh } else { Self { session: session.to_ascii_lowercase(), ..fresh } }
    }

    /// The script of the half in the page's own world.
    pub fn source(&self) -> String {
        around(&self.written(), PAGE)
    }

    /// The script of the half that looks and acts.
    pub fn hands_source(&self) -> String {
        around(&self.written(), HANDS)
    }

    fn written(&self) -> String {
        let Self { session, binding, receive, channel, files, hands } = self;
        let names = json!({
            "session": session,
            "binding": binding,
            "receive": receive,
            "channel": channel,
            "files": files,
            "hands": hands,
        });
        names.to_string()
    }

    /// The command that hands a message to the client in a context. Where the browser has hands, what the client says
    /// at once is its result.
    pub fn telling(&self, context: i64, message: &str) -> (&'static str, Value) {
        if !self.hands {
            return ("Eye.tell", json!({ "contextId": context, "message": message }));
        }
        let expression = format!("{}({},1)", self.receive, eye_protocol::rpc::json(message));
        let asked = json!({ "expression": expression, "contextId": context, "silent": true, "returnByValue": true });
        ("Runtime.evaluate", asked)
    }
}

/// A script with the names that this expression gives.
fn around(names: &str, script: &str) -> String {
    format!("(()=>{{const eyeDriven={names};{script}}})()")
}

/// The client as a file of the extension without the debugger, which leaves the names in the page's world
/// (`web/extension/src/scripted.ts`). Without them it does nothing.
pub fn file() -> String {
    const KEY: &str = r#"Symbol.for("eye.names")"#;
    let taken = format!(r#"globalThis[{KEY}]??{{binding:""}};delete globalThis[{KEY}]"#);
    around(&taken, WHOLE)
}

/// So many of `[a-z0-9]`, which cannot be guessed.
pub fn random_text(len: usize) -> String {
    let mut bytes = vec![0; len];
    // Without randomness a session id is merely guessable; the names are still this tab's own.
    let _ = getrandom::fill(&mut bytes);
    bytes.iter().map(|byte| char::from(b"abcdefghijklmnopqrstuvwxyz0123456789"[usize::from(byte % 36)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_and_stand_in_the_script() {
        let (one, two) = (Names::fresh(), Names::fresh());
        assert_ne!(one.session, two.session);
        assert_eq!(one.session.len(), 10);
        let (again, same) = (Names::of_target("9F089420614306381C40"), Names::of_target("9F089420614306381C40"));
        assert_eq!((again.session.as_str(), &again.session), ("9f0894206143", &same.session));
        assert_ne!(again.binding, same.binding);
        assert!(one.source().contains(&format!(r#""binding":"{}""#, one.binding)));
        assert!(one.hands_source().contains(&format!(r#""channel":"{}""#, one.channel)));
    }
}
