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
    /// The origin of the page that the agent is in, if the user had to allow that origin.
    origin: Option<Arc<str>>,
}

/// The named token that admitted a connection. The connection ends when the token does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bearer {
    pub name: Box<str>,
    /// Distinguishes it from another token of the same name. Not its secret.
    pub id: Box<str>,
}

/// The limits of a scope that does not allow everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The token's name, for refusals and the audit log.
    pub name: Box<str>,
    /// Distinguishes the token from another one of the same name; empty if no token stands behind the scope.
    pub id: Box<str>,
    pub may: Vec<Class>,
    /// The origins whose pages it sees; empty: all.
    pub pages: Vec<Box<str>>,
    /// If set, the scope allows nothing at all, for this reason.
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

    /// The same scope for an agent in a page of an origin that the user allowed. It ends when the origin is no longer
    /// allowed.
    #[must_use]
    pub fn in_page_of(self, origin: Option<&str>) -> Self {
        Self { origin: origin.map(Into::into), ..self }
    }

    /// The origin that the user had to allow, if this is the scope of an agent in a page of that origin.
    pub fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }

    /// `None`: everything is allowed.
    pub fn limits(&self) -> Option<&Limits> {
        self.limits.as_deref()
    }

    /// The token's name; `None`: everything is allowed.
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

    /// Whether it may see pages of this origin.
    pub fn sees(&self, origin: &str) -> bool {
        self.limits
            .as_deref()
            .is_none_or(|limits| limits.pages.is_empty() || limits.pages.iter().any(|page| **page == *origin))
    }

    /// Whether it may see every page.
    pub fn sees_all(&self) -> bool {
        self.limits.as_deref().is_none_or(|limits| limits.pages.is_empty())
    }

    /// Refuses a class that it does not cover.
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
        // Params that do not parse are refused by their own reader.
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
