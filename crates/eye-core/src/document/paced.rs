//! Parses, copies and frees large values with pauses: a large document takes a core for many milliseconds, and a system
//! whose core is shared switches to other threads only every few milliseconds.

use eye_protocol::scan::Pause;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// Parses JSON text, and pauses about every tenth of a millisecond.
pub fn parse(text: &str, pause: Pause) -> Result<Value, serde_json::Error> {
    const VALUES_A_PAUSE: usize = 1_000;
    let (mut deserializer, mut values) = (serde_json::Deserializer::from_str(text), 0);
    let mut count = || {
        values += 1;
        if values == VALUES_A_PAUSE {
            values = 0;
            pause();
        }
    };
    let value = Paced(&mut count).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Length from which an array is moved in pieces when it grows.
const LONG: usize = 8_192;
/// Values whose moving counts as the parsing of one value.
const MOVED_A_VALUE: usize = 8;

/// The same array with twice the room.
fn grown(array: Vec<Value>, count: &mut impl FnMut()) -> Vec<Value> {
    let mut larger = Vec::with_capacity(2 * array.len());
    for (number, value) in array.into_iter().enumerate() {
        larger.push(value);
        if number % MOVED_A_VALUE == 0 {
            count();
        }
    }
    larger
}

/// Frees a value, and pauses about every tenth of a millisecond.
pub fn free(value: Value, pause: Pause) {
    const VALUES_A_PAUSE: usize = 4_000;
    fn free_all(value: Value, freed: &mut usize, pause: Pause) {
        *freed += 1;
        if freed.is_multiple_of(VALUES_A_PAUSE) {
            pause();
        }
        match value {
            Value::Array(items) => items.into_iter().for_each(|item| free_all(item, freed, pause)),
            Value::Object(members) => members.into_iter().for_each(|(_, member)| free_all(member, freed, pause)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    free_all(value, &mut 0, pause);
}

/// Copies a value, and pauses about every tenth of a millisecond.
pub fn copy(value: &Value, pause: Pause) -> Value {
    const VALUES_A_PAUSE: usize = 2_000;
    fn copy_all(value: &Value, copied: &mut usize, pause: Pause) -> Value {
        *copied += 1;
        if copied.is_multiple_of(VALUES_A_PAUSE) {
            pause();
        }
        match value {
            Value::Array(items) => items.iter().map(|item| copy_all(item, copied, pause)).collect(),
            Value::Object(members) => {
                members.iter().map(|(name, member)| (name.clone(), copy_all(member, copied, pause))).collect()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
        }
    }
    copy_all(value, &mut 0, pause)
}

/// Parses one value of the text, and calls the function for each value in it.
struct Paced<'a, F>(&'a mut F);

impl<'de, F: FnMut()> DeserializeSeed<'de> for Paced<'_, F> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        (self.0)();
        deserializer.deserialize_any(self)
    }
}

impl<'de, F: FnMut()> Visitor<'de> for Paced<'_, F> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(Paced(&mut *self.0))? {
            if array.len() == array.capacity() && array.len() >= LONG {
                array = grown(array, &mut *self.0);
            }
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            object.insert(name, members.next_value_seed(Paced(&mut *self.0))?);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    #[test]
    fn large_documents_are_parsed_with_pauses() {
        static PAUSES: AtomicUsize = AtomicUsize::new(0);
        let pause = || {
            PAUSES.fetch_add(1, Relaxed);
        };
        parse("[1,2,3]", pause).unwrap();
        assert_eq!(PAUSES.load(Relaxed), 0);
        parse(&format!("[{}0]", "[[1,{\"a\":2}],3],".repeat(10_000)), pause).unwrap();
        assert!(PAUSES.load(Relaxed) >= 25, "60,000 values and {} pauses", PAUSES.load(Relaxed));
        PAUSES.store(0, Relaxed);
        let long = parse(&format!("[{}0]", "0,".repeat(5 * LONG)), pause).unwrap();
        assert_eq!(long.as_array().map(Vec::len), Some(5 * LONG + 1));
        let moved = LONG + 2 * LONG + 4 * LONG;
        let expected = (5 * LONG + moved / MOVED_A_VALUE) / 1_000;
        assert_eq!(PAUSES.load(Relaxed), expected, "values that are moved when the array grows count too");
        PAUSES.store(0, Relaxed);
        assert_eq!(copy(&long, pause), long);
        assert!(PAUSES.load(Relaxed) >= 5 * LONG / 2_000, "{} pauses", PAUSES.load(Relaxed));
        PAUSES.store(0, Relaxed);
        free(long, pause);
        assert!(PAUSES.load(Relaxed) >= 10, "{} pauses", PAUSES.load(Relaxed));
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".*".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 64, 8, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
                prop::collection::vec((".*", inner), 0..8)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_text_is_read_as_serde_json_reads_it(value in value(), text in r#"[\[\]{}:,"\\0-9eE.+\-a-z ]{0,40}"#) {
            for text in [value.to_string(), text] {
                let (ours, theirs) = (parse(&text, || {}), serde_json::from_str::<Value>(&text));
                prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{}", &text);
                if let (Ok(ours), Ok(theirs)) = (ours, theirs) {
                    prop_assert_eq!(ours.to_string(), theirs.to_string());
                }
            }
        }
    }
}
