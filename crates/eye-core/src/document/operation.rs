//! One operation of a JSON Patch, read from its text.

use super::paced;
use eye_protocol::scan::{self, Pause};
use json_patch::jsonptr::PointerBuf;
use json_patch::{
    AddOperation, CopyOperation, MoveOperation, PatchOperation, RemoveOperation, ReplaceOperation, TestOperation,
};

/// Reads an operation, whose value may be large. `None`: the text is not an operation.
pub(super) fn read(text: &str, pause: Pause) -> Option<PatchOperation> {
    let [op, path, from, value] = scan::named(text, ["op", "path", "from", "value"], pause).ok()?;
    let (path, value) = (pointer(path?)?, || paced::parse(value?, pause).ok());
    Some(match scan::name(op?)?.as_ref() {
        "add" => PatchOperation::Add(AddOperation { path, value: value()? }),
        "remove" => PatchOperation::Remove(RemoveOperation { path }),
        "replace" => PatchOperation::Replace(ReplaceOperation { path, value: value()? }),
        "move" => PatchOperation::Move(MoveOperation { from: pointer(from?)?, path }),
        "copy" => PatchOperation::Copy(CopyOperation { from: pointer(from?)?, path }),
        "test" => PatchOperation::Test(TestOperation { path, value: value()? }),
        _ => return None,
    })
}

fn pointer(raw: &str) -> Option<PointerBuf> {
    PointerBuf::parse(scan::name(raw)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_an_operation_for_the_library_is_one_here(
            op in "add|remove|replace|move|copy|test|none",
            path in "(/[a-z0-9~]{0,3}){0,3}|x",
            rest in prop::sample::select(vec![
                "",
                r#","value":null"#,
                r#","value":[1,"a"]"#,
                r#","from":"/a""#,
                r#","from":"/a","value":{}"#,
                r#","from":7"#,
                r#","other":1"#,
            ]),
        ) {
            let text = format!(r#"{{"op":"{op}","path":"{path}"{rest}}}"#);
            prop_assert_eq!(read(&text, || {}), serde_json::from_str(&text).ok(), "{}", text);
        }
    }

    #[test]
    fn what_lacks_a_member_or_has_it_twice_is_no_operation() {
        let twice = r#"{"op":"add","path":"/a","value":1,"value":2}"#;
        for text in
            [twice, "", "1", "[]", "{}", r#"{"op":"add"}"#, r#"{"op":1,"path":"/a","value":1}"#, r#"{"path":"/a"}"#]
        {
            assert_eq!(read(text, || {}), None, "{text}");
        }
    }
}
