//! The opcode of a frame.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opcode {
    /// Continues a message.
    Continuation,
    /// Begins a text message.
    Text,
    /// Begins a binary message.
    Binary,
    Close,
    Ping,
    Pong,
}

impl Opcode {
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

    /// Whether it concerns the connection and is not part of a message.
    pub fn is_control(self) -> bool {
        self.bits() >= 8
    }
}
