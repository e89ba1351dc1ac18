//! The error for a request that a server refuses, with the command that helps.

use crate::error::RpcError;
use crate::oauth::Challenge;
use eye_protocol::{Code, Error};
use hyper::StatusCode;

/// Characters of an error's body that are shown.
const BODY_SHOWN_CHARS_MAX: usize = 300;
/// Scopes that the hint names.
const SCOPES_SHOWN_MAX: usize = 16;

/// The error for a 401 or 403. `logs_in`: whether a login would be used for this server.
pub fn refusal(logs_in: bool, server: &str, status: StatusCode, challenge: Option<&Challenge>) -> RpcError {
    let more = challenge.filter(|challenge| challenge.wants_more_scopes());
    let error = match (status, more) {
        _ if !logs_in => Error::new(Code::DENIED, format!("{server} answered {status}"))
            .hint("give it a token: `headers: { Authorization: \"Bearer ${TOKEN}\" }` in its config"),
        (_, Some(challenge)) => {
            let message = format!("{server} wants more rights than its login has");
            Error::new(Code::DENIED, message).hint(format!("eye servers login {server}{}", scopes(challenge)))
        }
        (StatusCode::UNAUTHORIZED, None) => {
            Error::new(Code::DENIED, format!("{server} wants a login")).hint(format!("eye servers login {server}"))
        }
        (_, None) => Error::new(Code::DENIED, format!("{server} answered {status}"))
            .hint(format!("the login may lack the right to do this: eye servers login {server}")),
    };
    error.into()
}

/// The error for any other status.
pub fn status(server: &str, status: StatusCode, body: &[u8]) -> RpcError {
    let shown: String = String::from_utf8_lossy(body).chars().take(BODY_SHOWN_CHARS_MAX).collect();
    Error::new(Code::CONNECTION, format!("{server} answered {status}: {}", shown.trim())).into()
}

/// The options that request these scopes. The line may be pasted into a shell, so scopes with characters that a shell
/// could interpret are left out.
fn scopes(challenge: &Challenge) -> String {
    let plain = |scope: &&String| {
        !scope.is_empty()
            && scope.chars().all(|c| c.is_ascii_alphanumeric() || ":._/-".contains(c))
            && !scope.starts_with('-')
    };
    let named = challenge.scopes.iter().filter(plain).take(SCOPES_SHOWN_MAX);
    named.fold(String::new(), |options, scope| options + " --scope " + scope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_to_paste_holds_plain_scopes_only() {
        let of = |text: &str| {
            scopes(&Challenge { scopes: text.split(' ').map(str::to_owned).collect(), ..Challenge::default() })
        };
        assert_eq!(of("files:read https://a.example/auth/x"), " --scope files:read --scope https://a.example/auth/x");
        assert_eq!(of("$(reboot) `x` a;b --yes ok a'b"), " --scope ok");
        assert_eq!(of(&"a ".repeat(SCOPES_SHOWN_MAX + 1)).matches("--scope").count(), SCOPES_SHOWN_MAX);
    }
}
