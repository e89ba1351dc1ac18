//! The script that runs in every document of a tab before the page's own scripts.

use eye_protocol::rpc;
use serde_json::json;

/// The complete page client, for the extension without the debugger (`web/client/src/driven/whole.ts`).
const WHOLE: &str = include_str!("../../assets/driven.js");

/// The half for the page's own world (`web/client/src/driven/page.ts`).
const PAGE: &str = include_str!("../../assets/driven-page.js");

/// The half that looks and acts (`web/client/src/driven/hands.ts`).
const HANDS: &str = include_str!("../../assets/driven-hands.js");

/// The isolated world for the second half, where none of the page's code runs. The extension has no other world.
pub const WORLD: &str = "eye";

/// The names that a tab and its page client share.
#[derive(Clone, Debug)]
pub struct Names {
    pub session: String,
    /// The page function that takes a message for the driver. The client removes it before the page's scripts run.
    pub binding: String,
    /// The page function that takes a message from the driver.
    pub receive: String,
    /// The name of the events between the halves of the client.
    pub channel: String,
    /// Whether the browser can give files of this machine to the page. Otherwise the client makes file objects from
    /// their content.
    pub files: bool,
    /// Whether the browser makes input, pictures, requests and so on for the page. Otherwise it only carries messages
    /// to and from a client that the extension has put there.
    pub hands: bool,
}

impl Names {
    /// Random names: a page must not be able to guess its own client's.
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

    /// Random names, with a session id that is derived from the target, so that it stays the same.
    pub fn of_target(target: &str) -> Self {
        let session = target.chars().filter(char::is_ascii_alphanumeric).take(12).collect::<String>();
        let fresh = Self::fresh();
        // The extension gives no files of this machine to a page.
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

    /// The command that passes a message to the client in a context, and its params as JSON. With `hands`, its result
    /// holds the messages that the client sends right away. Written as text: every call passes here.
    pub fn receive_command(&self, context: i64, message: &str) -> (&'static str, String) {
        let message = rpc::json(message);
        if !self.hands {
            return ("Eye.tell", format!(r#"{{"contextId":{context},"message":{message}}}"#));
        }
        let expression = rpc::json(&format!("{}({message},1)", self.receive));
        let how = r#""silent":true,"returnByValue":true"#;
        ("Runtime.evaluate", format!(r#"{{"expression":{expression},"contextId":{context},{how}}}"#))
    }
}

/// Wraps a script, with the names that this expression returns.
fn around(names: &str, script: &str) -> String {
    format!("(()=>{{const eyeDriven={names};{script}}})()")
}

/// The client as a file of the extension without the debugger. The extension leaves the names in the page's world
/// (`web/extension/src/scripted.ts`); without them the client does nothing.
pub fn file() -> String {
    const KEY: &str = r#"Symbol.for("eye.names")"#;
    let taken = format!(r#"globalThis[{KEY}]??{{binding:""}};delete globalThis[{KEY}]"#);
    around(&taken, WHOLE)
}

/// Random text of `[a-z0-9]` that cannot be guessed.
pub fn random_text(len: usize) -> String {
    let mut bytes = vec![0; len];
    // Without randomness a session id can be guessed.
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

    #[test]
    fn a_message_is_passed_on_to_the_letter() {
        let names = Names { receive: "eye_r".into(), ..Names::fresh() };
        let message = "[\"7:'ä\\n\\u2028\\\"\"]\u{2028}";
        let read = |params: &str| serde_json::from_str::<serde_json::Value>(params).unwrap();
        let (method, params) = names.receive_command(3, message);
        let expression = format!("eye_r({},1)", rpc::json(message));
        let expected = json!({ "expression": expression, "contextId": 3, "silent": true, "returnByValue": true });
        assert_eq!((method, read(&params)), ("Runtime.evaluate", expected));
        let (method, params) = Names { hands: false, ..names }.receive_command(3, message);
        assert_eq!((method, read(&params)), ("Eye.tell", json!({ "contextId": 3, "message": message })));
    }
}
