//! What a frame is, by the four bits that say it.

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opcode {
    /// Goes on with a message.
    Continuation,
    /// Begins a message of text.
    Text,
    /// Begins a message of bytes.
    Binary,
    /// Ends the connection.
    Close,
    /// Wants a pong.
    Ping,
    /// Answers a ping.
    Pong,
}

impl Opcode {
    /// By its bits.
    pub fn of(bits: u8) -> Option<Self> {
        Some(match bits {
            0 => Self::Continuation,
            1 => Self::Text,
            2 => Self::Binary,
            8 => Self::Close,
            9 => Self::Ping,
            10 => Self::Pong,
            _ => return None,
        })
    }

    /// Its bits.
    pub fn bits(self) -> u8 {
        match self {
            Self::Continuation => 0,
            Self::Text => 1,
            Self::Binary => 2,
            Self::Close => 8,
            Self::Ping => 9,
            Self::Pong => 10,
        }
    }

    /// Whether it is about the connection, not part of a message.
    pub fn is_control(self) -> bool {
        self.bits() >= 8
    }
}
