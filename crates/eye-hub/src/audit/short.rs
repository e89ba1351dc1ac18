//! A text that is nearly always short, and then needs no allocation of its own: ids and arguments of calls.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// A text; up to `N` bytes, at most 255, are stored in place.
#[derive(Clone)]
pub enum Short<const N: usize> {
    Here { bytes: [u8; N], len: u8 },
    Elsewhere(Box<str>),
}

impl<const N: usize> From<&str> for Short<N> {
    fn from(text: &str) -> Self {
        match u8::try_from(text.len()) {
            Ok(len) if text.len() <= N => {
                let mut bytes = [0; N];
                bytes[..text.len()].copy_from_slice(text.as_bytes());
                Self::Here { bytes, len }
            }
            Ok(_) | Err(_) => Self::Elsewhere(text.into()),
        }
    }
}

impl<const N: usize> Deref for Short<N> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            // Made of a text, so it is one.
            Self::Here { .. } => std::str::from_utf8(self.as_bytes()).unwrap_or_default(),
            Self::Elsewhere(text) => text,
        }
    }
}

impl<const N: usize> Short<N> {
    /// The text's bytes. Unlike the text itself they need no check that they are one.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Here { bytes, len } => &bytes[..usize::from(*len)],
            Self::Elsewhere(text) => text.as_bytes(),
        }
    }
}

impl<const N: usize> Borrow<[u8]> for Short<N> {
    fn borrow(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl<const N: usize> PartialEq for Short<N> {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl<const N: usize> Eq for Short<N> {}

impl<const N: usize> Hash for Short<N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl<const N: usize> fmt::Debug for Short<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_text_is_read_back_whatever_its_length(text in ".{0,12}", long in ".{0,300}") {
            let short = Short::<8>::from(&*text);
            prop_assert_eq!((&*short, short.as_bytes()), (&*text, text.as_bytes()));
            prop_assert_eq!(&*Short::<300>::from(&*long), &*long);
        }
    }

    #[test]
    fn a_text_is_in_place_up_to_its_room() {
        assert!(matches!(Short::<4>::from("abcd"), Short::Here { len: 4, .. }));
        assert!(matches!(Short::<4>::from("abcde"), Short::Elsewhere(_)));
        assert!(matches!(Short::<300>::from(&*"x".repeat(256)), Short::Elsewhere(_)));
    }
}
