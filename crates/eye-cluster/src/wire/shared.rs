//! Serializes values that are shared in memory and written in full on the wire.

use serde::de::{Deserialize, Deserializer};
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// A value that deserializes into an [`Arc`].
pub trait Shared<'de>: Sized {
    fn read<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error>;
}

impl<'de> Shared<'de> for Arc<str> {
    fn read<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(Into::into)
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

/// A session id, which is text on the wire.
pub mod session {
    use eye_protocol::SessionId;
    use serde::Serializer;
    use serde::de::{Deserialize, Deserializer, Error};
    use std::borrow::Cow;

    pub fn serialize<S: Serializer>(session: &SessionId, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(session.as_str())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<SessionId, D::Error> {
        let text = Cow::<str>::deserialize(from)?;
        SessionId::parse(&text).ok_or_else(|| D::Error::custom("no session has this id"))
    }
}
