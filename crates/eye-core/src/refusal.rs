//! Why a session refuses a call before the page sees it.

use crate::ids::Millis;
use crate::session::Session;
use crate::task::Task;
use eye_protocol::limits::{PAGE_CALLS_PER_S_MAX, SESSION_CALLS_MAX, SESSION_WAITING_BYTES_MAX};
use eye_protocol::page_hint::quoted;
use eye_protocol::{Code, Error, Kind};

/// Reasons that come from our own clients and dialects.
const EVAL_BLOCKED: [&str; 6] = [
    "CSP",
    "Trusted Types",
    "the page refuses",
    "it is a program",
    "it speaks plain BTCP",
    "it speaks the original 3D server's messages",
];

/// What agents may do with a tab whose site is denied to them.
const LEADING_AWAY: [&str; 5] = ["page/goto", "page/back", "page/forward", "page/reload", "page/close"];

impl Session {
    /// The reason to refuse this call, if there is one.
    pub(crate) fn refusal(&self, now: Millis, task: &Task, unfit: Option<Box<Error>>, in_pace: bool) -> Option<Error> {
        let name = self.called();
        if let Some(since) = self.gone_since() {
            let ago_s = now.saturating_sub(since) / 1000;
            return Some(
                Error::new(Code::SESSION, format!("the page {name} left {ago_s} s ago"))
                    .hint("open it again, or choose another one: `eye pages`"),
            );
        }
        if let Some(error) = self.denies(task) {
            return Some(error);
        }
        if let Some(paused) = &self.info().paused {
            // The page's reason is quoted; the hint is ours.
            let why = paused.split('\x1f').next().unwrap_or_default();
            let message = format!("the page {name} is paused: {}", quoted(why));
            return Some(Error::new(Code::DENIED, message).hint("ask the person at the page to resume"));
        }
        if self.is_stopped(now) {
            return Some(self.dialog_open());
        }
        let refused = match task {
            Task::Eval { .. } => self.refuses_eval(),
            Task::Tool { name, confirmed, .. } => self.refuses_tool(name, *confirmed).or(unfit.map(|error| *error)),
            Task::Verb { .. } | Task::State => None,
        };
        if refused.is_some() {
            return refused;
        }
        if self.pending() >= SESSION_CALLS_MAX {
            return Some(
                Error::new(Code::CONNECTION, format!("{SESSION_CALLS_MAX} calls are already under way in {name}"))
                    .hint("wait for some of them to end"),
            );
        }
        if !in_pace {
            let message = format!("{name} is asked more than {PAGE_CALLS_PER_S_MAX} times a second");
            return Some(Error::new(Code::CONNECTION, message).hint("ask less often"));
        }
        if self.waiting_bytes() + task.len_bytes() > SESSION_WAITING_BYTES_MAX {
            return Some(Error::new(Code::CONNECTION, format!("too much already waits for {name} to come back")));
        }
        None
    }

    /// What the user has forbidden. Checked again when a call that waited is sent: the page may have come back under
    /// another policy.
    pub(crate) fn forbids(&self, task: &Task) -> Option<Error> {
        if let Some(error) = self.denies(task) {
            return Some(error);
        }
        match task {
            Task::Eval { .. } => self.forbids_eval(),
            Task::Tool { name, confirmed, .. } => {
                let consequential = self.toolbox().get(name).is_ok_and(|tool| tool.consequential);
                (consequential && self.confirm() && !confirmed).then(|| self.unconfirmed(name))
            }
            Task::Verb { .. } | Task::State => None,
        }
    }

    fn denies(&self, task: &Task) -> Option<Error> {
        let leads_away = matches!(task, Task::Verb { method, .. } if LEADING_AWAY.contains(&&**method));
        if !self.is_denied() || leads_away {
            return None;
        }
        let message = format!("pages of {} are denied to agents", self.origin());
        let hint = "`eye deny --list` shows by what; `eye goto URL` and `eye back` lead the tab elsewhere";
        Some(Error::new(Code::DENIED, message).hint(hint))
    }

    fn forbids_eval(&self) -> Option<Error> {
        let origin = self.origin();
        let error = || Error::new(Code::DENIED, format!("code may not be evaluated in pages of {origin}"));
        (!self.eval_allowed()).then(|| error().hint(format!("allow it with `eye allow {origin}`")))
    }

    fn unconfirmed(&self, name: &str) -> Error {
        let tool = quoted(name);
        let message = format!("{tool} cannot be undone, and pages of {} ask for confirmation", self.origin());
        let error = Error::new(Code::DENIED, message).hint("ask the person, then call again with `confirm: true`");
        Error { kind: Kind::Unconfirmed, ..error }
    }

    fn refuses_eval(&self) -> Option<Error> {
        if let Some(error) = self.forbids_eval() {
            return Some(error);
        }
        if self.info().eval != Some(false) {
            return None;
        }
        let why = self.info().eval_blocked.as_deref().unwrap_or("the page refuses");
        // A reason of the page's own is quoted.
        let shown = if EVAL_BLOCKED.contains(&why) { why.to_owned() } else { quoted(why) };
        let message = format!("the page {} does not evaluate code ({shown})", self.name());
        let hint = match why {
            "CSP" => {
                "use verbs and tools, or add 'unsafe-eval' to the page's script-src; \
                 `eye browse URL`, and the extension with the debugger (`eye extension`), run code anyway"
            }
            "Trusted Types" => {
                "use verbs and tools, or add eye to the page's trusted-types; \
                 `eye browse URL`, and the extension with the debugger (`eye extension`), run code anyway"
            }
            _ => "call its tools, or let its author allow it",
        };
        Some(Error::new(Code::DENIED, message).hint(hint))
    }

    fn refuses_tool(&self, name: &str, confirmed: bool) -> Option<Error> {
        let tool = match self.toolbox().get(name) {
            Ok(tool) => tool,
            Err(error) => return Some(error),
        };
        let missing = |capability: &&String| self.capabilities().is_some_and(|has| !has.contains(*capability));
        if let Some(capability) = tool.capabilities.iter().find(missing) {
            let message = format!("{name} needs the capability {capability}, which its page has not");
            return Some(Error::new(Code::DENIED, message).hint("let the page declare it in its hello"));
        }
        (tool.consequential && self.confirm() && !confirmed).then(|| self.unconfirmed(name))
    }
}
