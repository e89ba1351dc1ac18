//! Converts a literal to the 32 bits that a register holds.

use super::unsupported::Unsupported;
use naga::Literal;

/// The bits of a literal. Fails for widths other than 32 bits.
pub fn word(literal: Literal) -> Result<u32, Unsupported> {
    match literal {
        Literal::F32(value) => Ok(value.to_bits()),
        Literal::U32(value) => Ok(value),
        Literal::I32(value) => Ok(value.cast_unsigned()),
        Literal::Bool(value) => Ok(if value { u32::MAX } else { 0 }),
        _ => Err(Unsupported("numbers of other than 32 bits".into())),
    }
}
