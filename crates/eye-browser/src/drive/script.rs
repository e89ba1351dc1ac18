//! The script that is put into every document of a tab before its own.

use serde_json::json;

/// The page client with all its parts (`web/client/src/driven.ts`).
const CLIENT: &str = include_str!("../../assets/driven.js");

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
    /// Whether the browser takes files of this machine for the page; the client makes its own of their content
    /// otherwise.
    pub files: bool,
}

impl Names {
    /// New ones. What a page could guess is only its own client's.
    pub fn fresh() -> Self {
        let random = random_text(26);
        let (session, rest) = random.split_at(10);
        let (binding, receive) = rest.split_at(8);
        Self {
            session: session.to_owned(),
            binding: format!("eye_{binding}"),
            receive: format!("eye_{receive}"),
            files: true,
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

    /// The script.
    pub fn source(&self) -> String {
        let names =
            json!({ "session": self.session, "binding": self.binding, "receive": self.receive, "files": self.files });
        format!("(()=>{{const eyeDriven={names};{CLIENT}}})()")
    }
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
    }
}
