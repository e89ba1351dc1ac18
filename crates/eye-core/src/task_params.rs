//! What the hub reads in the params of a task, and what it writes into those of a verb.

use crate::task::Task;
use eye_protocol::rpc::json;
use indexmap::IndexMap;
use serde_json::value::{RawValue, to_raw_value};

/// The frame that a task names, if any.
pub(crate) fn frame_of(task: &Task) -> Option<Box<str>> {
    match task {
        Task::Eval { frame, .. } => frame.clone(),
        Task::Verb { params, .. } if params.contains("\"frame\"") => {
            let params: serde_json::Value = serde_json::from_str(params).ok()?;
            params["frame"].as_str().map(Into::into)
        }
        Task::Verb { .. } | Task::Tool { .. } | Task::State => None,
    }
}

/// The frame of the ref that a verb is about: `f2` of `f2e5`. Only frames of driven tabs give such refs.
pub(crate) fn frame_of_ref(task: &Task) -> Option<Box<str>> {
    let Task::Verb { params, .. } = task else { return None };
    if !params.contains("\"f") && !params.contains("\"@f") {
        return None;
    }
    let params: serde_json::Value = serde_json::from_str(params).ok()?;
    let first = params["fields"][0][0].as_str();
    let target = ["target", "from"].iter().find_map(|name| params[name].as_str()).or(first)?;
    let (frame, element) = target.strip_prefix('@').unwrap_or(target).split_once('e')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(frame.strip_prefix('f')?) && is_number(element)).then(|| frame.into())
}

/// The params of a verb with the name of the calling agent as `agent`, in place of any that the agent sent. A member
/// that stands twice is passed on once. `pages`: the origins that a picture may show.
pub(crate) fn signed(params: &str, agent: &str, frame: Option<&str>, pages: Option<&[Box<str>]>) -> Box<str> {
    let own: IndexMap<String, Box<RawValue>> = serde_json::from_str(params).unwrap_or_default();
    let mut members: IndexMap<&str, &RawValue> = IndexMap::with_capacity(own.len() + 1);
    let Ok(agent) = to_raw_value(agent) else { return "{}".into() };
    members.insert("agent", &agent);
    let rest = own.iter().filter(|(name, _)| !matches!(name.as_str(), "agent" | "frame"));
    members.extend(rest.map(|(name, value)| (name.as_str(), &**value)));
    let frame = frame.and_then(|frame| to_raw_value(frame).ok());
    members.extend(frame.as_deref().map(|frame| ("frame", frame)));
    let pages = pages.and_then(|pages| to_raw_value(pages).ok());
    members.extend(pages.as_deref().map(|pages| ("pages", pages)));
    json(&members).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Terms;

    #[test]
    fn a_ref_of_a_frame_names_its_frame() {
        let frame = |params: &str| {
            let (method, terms) = ("page/click".into(), Terms::default());
            let task = Task::Verb { method, params: params.into(), again: false, terms };
            frame_of_ref(&task).map(String::from)
        };
        for params in [
            r#"{"target":"f2e5"}"#,
            r#"{"target":"@f2e15"}"#,
            r#"{"from":"f2e5","to":"f2e6"}"#,
            r#"{"fields":[["f2e5","x"]]}"#,
        ] {
            assert_eq!(frame(params).as_deref(), Some("f2"), "{params}");
        }
        for params in
            ["{}", r#"{"target":"e5"}"#, r#"{"target":"fe5"}"#, r#"{"target":"f2e"}"#, r#"{"target":"text=f2e5"}"#]
        {
            assert_eq!(frame(params), None, "{params}");
        }
    }

    #[test]
    fn an_agent_speaks_under_its_own_name_only() {
        for (params, want) in [
            ("{}", r#"{"agent":"a"}"#),
            (r#"{"n":1}"#, r#"{"agent":"a","n":1}"#),
            (r#"{"agent":"b","n":[1, 2]}"#, r#"{"agent":"a","n":[1, 2]}"#),
            (r#"{"n":1,"agent":"b","n":2,"\u0061gent":"c"}"#, r#"{"agent":"a","n":2}"#),
        ] {
            assert_eq!(&*signed(params, "a", None, None), want);
        }
        let pages = signed(r#"{"pages":["http://b"]}"#, "a", None, Some(&["http://a".into()]));
        assert_eq!(&*pages, r#"{"agent":"a","pages":["http://a"]}"#);
    }
}
