//! Binary messages: the result of a call as bytes, behind one line with the id of the call and the media type.
//!
//! `12 image/png\n` and then the bytes. Towards the hub the id is the hub's; from the hub it is the agent's own, as
//! JSON text.

/// The longest head: an id and a media type.
const HEAD_BYTES_MAX: usize = 512;

/// A binary message, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binary<'a> {
    /// The id of the call.
    pub id: &'a str,
    /// Media type of the bytes, such as `image/png`.
    pub media_type: &'a str,
    pub bytes: &'a [u8],
}

impl<'a> Binary<'a> {
    /// Takes a message apart. `None`: it does not begin with such a line.
    pub fn parse(message: &'a [u8]) -> Option<Self> {
        let end = memchr::memchr(b'\n', &message[..message.len().min(HEAD_BYTES_MAX)])?;
        let head = std::str::from_utf8(&message[..end]).ok()?;
        let (id, media_type) = head.rsplit_once(' ')?;
        let plain = |b: u8| b.is_ascii_graphic() && b != b'"';
        let fits = !id.is_empty() && media_type.contains('/') && media_type.bytes().all(plain);
        fits.then(|| Self { id, media_type, bytes: &message[end + 1..] })
    }

    /// Writes the message so that [`Binary::parse`] reads it back.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.id.as_bytes());
        out.push(b' ');
        out.extend_from_slice(self.media_type.as_bytes());
        out.push(b'\n');
        out.extend_from_slice(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read_back(id in "[0-9a-z\"]{1,40}", bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let binary = Binary { id: &id, media_type: "image/png", bytes: &bytes };
            let mut out = Vec::new();
            binary.write(&mut out);
            prop_assert_eq!(Binary::parse(&out), Some(binary));
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..700)) {
            let _ = Binary::parse(&bytes);
        }
    }

    #[test]
    fn a_head_must_name_a_media_type() {
        for message in [&b""[..], b"12\n", b"12 png\nx", b" image/png\nx", b"12 image/png", b"12 a/\"b\nx"] {
            assert_eq!(Binary::parse(message), None, "{message:?}");
        }
    }
}
