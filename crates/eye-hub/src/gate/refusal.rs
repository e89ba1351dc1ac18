//! Refusals of the gate: the HTTP status, one sentence, and the next step.

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Refusal {
    pub status: u16,
    /// One sentence.
    pub reason: String,
    /// The next step.
    pub hint: String,
}

pub(super) fn unauthorised(reason: &str) -> Refusal {
    let hint = "send `Authorization: Bearer TOKEN`; `eye token show` prints it".to_owned();
    Refusal { status: 401, reason: reason.to_owned(), hint }
}

pub(super) fn another_user(uid: Option<u32>) -> Refusal {
    let (reason, hint) = match uid {
        Some(uid) => (
            format!("this connection is of another user of this machine (uid {uid})"),
            "if that is a proxy of yours, start the hub with `eye up --proxy-user NAME`; else run a hub of your own, or send the token",
        ),
        None => (
            "the kernel does not know whose connection this is".to_owned(),
            "if a container publishes this port, start the hub with `--published`; else send the token",
        ),
    };
    Refusal { status: 403, reason, hint: hint.to_owned() }
}

pub(super) fn not_own(origin: &str, own_pages: bool) -> Refusal {
    let hint = if own_pages {
        format!("allow it with `eye allow {origin} --backends`, use an app of the hub itself, or send the token")
    } else {
        "this hub can be reached from other machines, so every client sends `Authorization: Bearer TOKEN`".to_owned()
    };
    let reason = format!("the backends are for agents and for eye's own pages, not for pages of {origin}");
    Refusal { status: 403, reason, hint }
}

pub(super) fn foreign_page(origin: &str) -> Refusal {
    let hint = allow_hint(origin, &format!("allow it with `eye allow {origin}`"));
    Refusal { status: 403, reason: format!("pages of {origin} may not join this hub"), hint }
}

/// Does not name the pattern: any web site may read this refusal.
pub(super) fn denied(origin: &str) -> Refusal {
    let reason = format!("pages of {origin} are denied to agents");
    Refusal { status: 403, reason, hint: "`eye deny --list` shows by what; the person can take it back".to_owned() }
}

pub(super) fn agents_only(origin: &str) -> Refusal {
    let reason = format!("{origin} is allowed for agents only, so its pages may not join this hub");
    Refusal { status: 403, reason, hint: format!("allow its pages too with `eye allow {origin}`") }
}

pub(super) fn foreign_agent(origin: &str) -> Refusal {
    let hint = allow_hint(origin, &format!("allow it with `eye allow {origin} --agent`"));
    Refusal { status: 403, reason: format!("agents in pages of {origin} may not use this hub"), hint }
}

/// `null` cannot be allowed: every sandboxed frame and every local file of any site has that origin.
fn allow_hint(origin: &str, hint: &str) -> String {
    match origin {
        "null" => "serve the page over http://localhost; files and sandboxed frames have no origin".to_owned(),
        _ => hint.to_owned(),
    }
}

pub(super) fn not_a_host(name: &str) -> Refusal {
    Refusal {
        status: 421,
        reason: format!("this hub does not answer to the host `{name}`"),
        hint: format!("use localhost, or start the hub with `eye up --host {name}`"),
    }
}

/// A missing scope as an HTTP refusal.
pub(super) fn lacking(error: eye_protocol::Error) -> Refusal {
    Refusal { status: 403, reason: error.message, hint: error.hint.unwrap_or_default() }
}

pub(super) fn forbidden(reason: &str, hint: &str) -> Refusal {
    Refusal { status: 403, reason: reason.to_owned(), hint: hint.to_owned() }
}

pub(super) fn expired(name: &str) -> Refusal {
    let hint = format!("`eye token revoke {name}`, and `eye token new {name} …` for another");
    Refusal { status: 401, reason: format!("the token `{name}` has expired"), hint }
}

/// Does not name the path: any web site may read this refusal.
pub(super) fn unreadable_list() -> Refusal {
    let reason = "this hub cannot read its list of allowed origins, so it admits no page".to_owned();
    Refusal { status: 503, reason, hint: "`eye doctor` shows the file and the line that is wrong".to_owned() }
}
