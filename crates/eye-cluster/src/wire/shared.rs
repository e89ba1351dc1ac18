//! Serializes values that are shared in memory and written in full on the wire.

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::{Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// A value that deserializes into an [`Arc`].
pub trait Shared<'de>: Sized {
    fn read<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error>;
}

impl<'de> Shared<'de> for Arc<str> {
    fn read<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        text(from, "a text", |text| Some(text.into()))
    }
}

impl<'de, T: Deserialize<'de>> Shared<'de> for Arc<T> {
    fn read<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::deserialize(from).map(Self::new)
    }
}

pub fn serialize<T: Serialize + ?Sized, S: Serializer>(value: &Arc<T>, to: S) -> Result<S::Ok, S::Error> {
    (**value).serialize(to)
}

pub fn deserialize<'de, T: Shared<'de>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    T::read(from)
}

/// Reads a text where it is, without a copy of its own. `parse` makes the value of it, if it is one.
fn text<'de, T, D: Deserializer<'de>>(
    from: D,
    expected: &'static str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, D::Error> {
    struct Reader<T, P>(&'static str, P, PhantomData<T>);

    impl<T, P: Fn(&str) -> Option<T>> Visitor<'_> for Reader<T, P> {
        type Value = T;

        fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
            to.write_str(self.0)
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            self.1(text).ok_or_else(|| E::custom(format_args!("not {}", self.0)))
        }
    }

    from.deserialize_str(Reader(expected, parse, PhantomData))
}

/// A session id, which is text on the wire.
pub mod session {
    use eye_protocol::SessionId;
    use serde::Serializer;
    use serde::de::Deserializer;

    pub fn serialize<S: Serializer>(session: &SessionId, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(session.as_str())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<SessionId, D::Error> {
        super::text(from, "the id of a session", SessionId::parse)
    }
}
