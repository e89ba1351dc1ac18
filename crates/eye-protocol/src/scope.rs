//! What a token allows: classes of the table of operations, and the origins of the pages that it sees.

use crate::operations::{self, Class};
use crate::{Code, Error};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The scope of one connection of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    limits: Option<Arc<Limits>>,
    /// The origin of the page that the agent is in, where the user had to allow it.
    origin: Option<Arc<str>>,
}

/// The named token by which a connection was admitted. The connection ends with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bearer {
    /// The token's name.
    pub name: Box<str>,
    /// Tells it from another token of the same name. Not its secret.
    pub id: Box<str>,
}

/// What a scope that is not everything holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The token's name, for refusals and the audit log.
    pub name: Box<str>,
    /// Tells the token from another one of the same name; empty where no token stands behind it.
    pub id: Box<str>,
    /// What it may do.
    pub may: Vec<Class>,
    /// The origins whose pages it sees; empty: those of all.
    pub pages: Vec<Box<str>>,
    /// Why it allows nothing at all.
    pub void: Option<Box<str>>,
}

impl Scope {
    /// Everything: the hub's own token, and the Unix socket.
    pub const ALL: Self = Self { limits: None, origin: None };

    /// What a named token allows.
    pub fn limited(limits: Limits) -> Self {
        Self { limits: Some(Arc::new(limits)), origin: None }
    }

    /// Nothing, for this reason.
    pub fn nothing(reason: &str) -> Self {
        Self::limited(Limits {
            name: "?".into(),
            id: "".into(),
            may: Vec::new(),
            pages: Vec::new(),
            void: Some(reason.into()),
        })
    }

    /// The same for an agent in a page of an origin that the user allowed. It ends when the origin is allowed no more.
    #[must_use]
    pub fn in_page_of(self, origin: Option<&str>) -> Self {
        Self { origin: origin.map(Into::into), ..self }
    }

    /// The origin that it rests on, if it is an agent in a page of one that the user allowed.
    pub fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }

    /// What it is limited to; `None` for what may do everything.
    pub fn limits(&self) -> Option<&Limits> {
        self.limits.as_deref()
    }

    /// The token's name; `None` for what may do everything.
    pub fn name(&self) -> Option<&str> {
        self.limits.as_deref().map(|limits| &*limits.name)
    }

    /// The token behind it, if it is a named one.
    pub fn bearer(&self) -> Option<Bearer> {
        let limits = self.limits.as_deref().filter(|limits| !limits.id.is_empty())?;
        Some(Bearer { name: limits.name.clone(), id: limits.id.clone() })
    }

    /// Whether it covers operations of this class.
    pub fn may(&self, class: Class) -> bool {
        self.limits.as_deref().is_none_or(|limits| limits.may.iter().any(|granted| granted.covers(class)))
    }

    /// Whether pages of this origin exist for it.
    pub fn sees(&self, origin: &str) -> bool {
        self.limits
            .as_deref()
            .is_none_or(|limits| limits.pages.is_empty() || limits.pages.iter().any(|page| **page == *origin))
    }

    /// Whether every page exists for it.
    pub fn sees_all(&self) -> bool {
        self.limits.as_deref().is_none_or(|limits| limits.pages.is_empty())
    }

    /// Refuses what it does not cover.
    pub fn check(&self, class: Class) -> Result<(), Error> {
        if self.may(class) { Ok(()) } else { Err(self.refusal(class)) }
    }

    /// Refuses a request whose method, or one of whose parameters, needs a class that it does not cover.
    pub fn check_request(&self, method: &str, params: &str) -> Result<(), Error> {
        if self.limits.is_none() {
            return Ok(());
        }
        self.check(operations::class_of(method))?;
        let Some(operation) = operations::of_method(method) else { return Ok(()) };
        let dear: Vec<_> = operation.params.iter().filter_map(|param| Some((param.name, param.class?))).collect();
        if dear.is_empty() {
            return Ok(());
        }
        // What does not parse is refused by its own reader.
        let given: BTreeMap<String, &RawValue> = serde_json::from_str(params).unwrap_or_default();
        let counts = |value: &RawValue| !matches!(value.get(), "null" | "false");
        for (name, class) in dear {
            if given.get(name).is_some_and(|value| counts(value)) {
                self.check(class)?;
            }
        }
        Ok(())
    }

    fn refusal(&self, class: Class) -> Error {
        if let Some(reason) = self.limits.as_deref().and_then(|limits| limits.void.as_deref()) {
            return Error::new(Code::DENIED, reason).hint("unset EYE_TOKEN, or see eye token list");
        }
        let name = self.name().unwrap_or_default();
        let word = class.word();
        Error::new(Code::DENIED, format!("the token `{name}` lacks the scope `{word}`"))
            .hint(format!("a token with it: eye token new NAME --may {word}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(may: &[Class], pages: &[&str]) -> Scope {
        let pages = pages.iter().map(|page| (*page).into()).collect();
        Scope::limited(Limits { name: "ci".into(), id: "1".into(), may: may.to_vec(), pages, void: None })
    }

    #[test]
    fn every_method_is_covered_by_its_class_alone() {
        for operation in operations::all().filter(|operation| !operation.method.is_empty()) {
            assert_eq!(Scope::ALL.check_request(operation.method, "{}"), Ok(()));
            for class in Class::ALL {
                let allowed = scope(&[class], &[]).check_request(operation.method, "{}");
                assert_eq!(allowed.is_ok(), class.covers(operation.class), "{} with {class:?}", operation.method);
                if let Err(error) = allowed {
                    assert_eq!(error.code, Code::DENIED);
                    assert!(error.message.contains(operation.class.word()), "{error}");
                }
            }
        }
        assert!(scope(&[], &[]).check_request("ping", "{}").is_err());
    }

    #[test]
    fn a_parameter_may_need_more_than_its_operation() {
        let read = scope(&[Class::Read], &[]);
        assert_eq!(read.check_request("page/wait", r##"{"target":"#a"}"##), Ok(()));
        assert!(read.check_request("page/wait", r#"{"expr":"1"}"#).unwrap_err().message.contains("`eval`"));
        assert!(read.check_request("page/wait", r#"{"what":"1"}"#).is_err());
        assert!(read.check_request("page/wait", r#"{"\u0065xpr":"1"}"#).is_err(), "an escaped name is the same name");
        let act = scope(&[Class::Act], &[]);
        assert_eq!(act.check_request("tools/call", r#"{"name":"a","confirm":false}"#), Ok(()));
        assert!(
            act.check_request("tools/call", r#"{"name":"a","confirm":true}"#).unwrap_err().message.contains("`admin`")
        );
    }

    #[test]
    fn pages_of_other_origins_do_not_exist() {
        assert!(scope(&[], &[]).sees("http://a") && Scope::ALL.sees_all());
        let one = scope(&[], &["http://a"]);
        assert!(one.sees("http://a") && !one.sees("http://a:80") && !one.sees("http://b") && !one.sees_all());
    }
}
