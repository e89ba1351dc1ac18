//! Converts command-line words to tool arguments: `k=v` gets the type from the tool's schema, `k:=JSON` is taken as
//! JSON.

use crate::failure::Failure;
use eye_protocol::schema::Schema;
use serde_json::{Map, Value};

/// One argument word after the tool's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    name: String,
    text: String,
    json: bool,
}

impl Word {
    /// Reads `k=v` or `k:=JSON`.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let (name, value) =
            text.split_once('=').filter(|(name, _)| !name.is_empty() && *name != ":").ok_or_else(|| {
                let hint = "write name=value, name:=JSON, one JSON object, or - for JSON on stdin";
                Failure::usage(format!("`{text}` is no argument of a tool"), hint)
            })?;
        let (name, json) = name.strip_suffix(':').map_or((name, false), |name| (name, true));
        Ok(Self { name: name.to_owned(), text: value.to_owned(), json })
    }

    /// Whether its type depends on the schema.
    pub fn wants_schema(&self) -> bool {
        !self.json
    }
}

/// Builds the arguments from the words. A name given several times makes an array.
pub fn arguments(words: &[Word], schema: Option<Schema<'_>>) -> Result<Value, Failure> {
    let mut arguments = Map::new();
    for word in words {
        if arguments.contains_key(&word.name) {
            continue;
        }
        let same: Vec<&Word> = words.iter().filter(|other| other.name == word.name).collect();
        let part = schema.and_then(|schema| schema.parameter(&word.name));
        let value = match same[..] {
            [only] => one(only, part)?,
            _ => several(&same, part)?,
        };
        arguments.insert(word.name.clone(), value);
    }
    Ok(Value::Object(arguments))
}

fn one(word: &Word, schema: Option<Schema<'_>>) -> Result<Value, Failure> {
    if word.json {
        return json(word);
    }
    Ok(schema.map_or_else(|| Value::String(word.text.clone()), |schema| typed(&word.text, schema)))
}

fn several(words: &[&Word], schema: Option<Schema<'_>>) -> Result<Value, Failure> {
    let array = schema.and_then(array_in);
    if let (Some(schema), None) = (schema, array)
        && !(schema.types().is_empty() && schema.listed().is_none() && schema.choices().is_empty())
    {
        let name = &words[0].name;
        return Err(Failure::usage(
            format!("`{name}` is given {} times, and is no array", words.len()),
            "give it once",
        ));
    }
    let items = array.and_then(|array| array.items());
    let item = |word: &&Word| one(word, items);
    words.iter().map(item).collect::<Result<_, _>>().map(Value::Array)
}

fn json(word: &Word) -> Result<Value, Failure> {
    serde_json::from_str(&word.text).map_err(|error| {
        let hint = format!("write {}=… for a text", word.name);
        Failure::usage(format!("what follows {}:= is no JSON: {error}", word.name), hint)
    })
}

/// Converts a text by the schema. A text that fits no type stays a string, and the hub reports what was expected.
fn typed(text: &str, schema: Schema<'_>) -> Value {
    fits(text, schema).unwrap_or_else(|| Value::String(text.to_owned()))
}

fn fits(text: &str, schema: Schema<'_>) -> Option<Value> {
    if let Some(values) = schema.listed() {
        let as_json = parsed(text, |_| true);
        let is_it = |value: &&Value| value.as_str() == Some(text) || as_json.as_ref() == Some(*value);
        return values.iter().find(is_it).cloned();
    }
    let choices = schema.choices();
    if !choices.is_empty() {
        return choices.into_iter().find_map(|choice| fits(text, choice));
    }
    let types = schema.types();
    if types.is_empty() || types.contains(&"string") {
        return Some(Value::String(text.to_owned()));
    }
    types.into_iter().find_map(|name| match name {
        "number" | "integer" => parsed(text, Value::is_number),
        "boolean" => parsed(text, Value::is_boolean),
        "null" => parsed(text, Value::is_null),
        "object" => parsed(text, Value::is_object),
        "array" => parsed(text, Value::is_array).or_else(|| {
            let item = schema.items().map_or_else(|| Value::String(text.to_owned()), |items| typed(text, items));
            Some(Value::Array(vec![item]))
        }),
        _ => None,
    })
}

fn parsed(text: &str, kind: impl Fn(&Value) -> bool) -> Option<Value> {
    serde_json::from_str(text).ok().filter(kind)
}

/// The schema, or the alternative in it, that allows an array.
fn array_in(schema: Schema<'_>) -> Option<Schema<'_>> {
    if schema.types().contains(&"array") {
        return Some(schema);
    }
    schema.choices().into_iter().find_map(array_in)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "n": { "type": "number" },
                "i": { "$ref": "#/$defs/count" },
                "b": { "type": "boolean" },
                "s": { "type": "string" },
                "o": { "type": "object" },
                "a": { "type": "array", "items": { "type": "integer" } },
                "m": { "anyOf": [{ "type": "array", "items": { "type": "string" } }, { "type": "null" }] },
                "e": { "enum": ["one", 2, true] },
                "u": { "type": ["number", "null"] },
                "t": { "type": ["string", "number"] },
                "x": {}
            },
            "$defs": { "count": { "type": "integer" } }
        })
    }

    fn made(words: &[&str]) -> Result<Value, Failure> {
        let words: Vec<Word> = words.iter().map(|word| Word::parse(word).unwrap()).collect();
        arguments(&words, Some(Schema::new(&schema())))
    }

    #[test]
    fn values_get_the_type_that_the_schema_says() {
        for (word, want) in [
            ("n=1.5", json!({ "n": 1.5 })),
            ("n=-2e3", json!({ "n": -2e3 })),
            ("n=many", json!({ "n": "many" })),
            ("i=7", json!({ "i": 7 })),
            ("b=true", json!({ "b": true })),
            ("s=5", json!({ "s": "5" })),
            ("s=a=b", json!({ "s": "a=b" })),
            ("s=", json!({ "s": "" })),
            (r#"o={"k":1}"#, json!({ "o": { "k": 1 } })),
            ("a=[1,2]", json!({ "a": [1, 2] })),
            ("a=1", json!({ "a": [1] })),
            ("m=null", json!({ "m": ["null"] })),
            ("e=one", json!({ "e": "one" })),
            ("e=2", json!({ "e": 2 })),
            ("e=true", json!({ "e": true })),
            ("e=3", json!({ "e": "3" })),
            ("u=null", json!({ "u": null })),
            ("u=4", json!({ "u": 4 })),
            ("t=4", json!({ "t": "4" })),
            ("x=4", json!({ "x": "4" })),
            ("unknown=4", json!({ "unknown": "4" })),
            ("s:=5", json!({ "s": 5 })),
            ("unknown:=[1]", json!({ "unknown": [1] })),
        ] {
            assert_eq!(made(&[word]).unwrap(), want, "{word}");
        }
    }

    #[test]
    fn a_name_given_several_times_makes_an_array() {
        assert_eq!(made(&["a=1", "s=x", "a=2"]).unwrap(), json!({ "a": [1, 2], "s": "x" }));
        assert_eq!(made(&["m=1", "m=2"]).unwrap(), json!({ "m": ["1", "2"] }));
        assert_eq!(made(&["unknown=1", "unknown:=2"]).unwrap(), json!({ "unknown": ["1", 2] }));
        assert!(matches!(made(&["n=1", "n=2"]), Err(Failure::Usage { .. })));
    }

    #[test]
    fn words_that_are_no_arguments_are_usage_errors() {
        for word in ["x", "=1", ":=1", ""] {
            assert!(matches!(Word::parse(word), Err(Failure::Usage { .. })), "{word}");
        }
        assert!(matches!(made(&["s:=x"]), Err(Failure::Usage { .. })));
        assert!(Word::parse("a:b=1").unwrap().wants_schema());
    }

    #[test]
    fn additional_parameters_have_a_schema_of_their_own() {
        let schema = json!({ "additionalProperties": { "type": "number" } });
        let words = [Word::parse("any=1").unwrap()];
        assert_eq!(arguments(&words, Some(Schema::new(&schema))).unwrap(), json!({ "any": 1 }));
    }
}
