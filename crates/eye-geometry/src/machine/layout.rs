//! The layout of WGSL's types in registers: one register per scalar, members and elements in sequence.

use super::unsupported::Unsupported;
use crate::limits::REGISTERS_MAX;
use naga::{ArraySize, Handle, Module, Scalar, ScalarKind, Type, TypeInner, VectorSize};

/// The kind of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Float,
    Int,
    Uint,
    Bool,
}

/// The kind of a scalar. Fails unless it has 32 bits or is a bool.
pub fn kind(scalar: Scalar) -> Result<Kind, Unsupported> {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Float, 4) => Ok(Kind::Float),
        (ScalarKind::Sint, 4) => Ok(Kind::Int),
        (ScalarKind::Uint, 4) => Ok(Kind::Uint),
        (ScalarKind::Bool, _) => Ok(Kind::Bool),
        _ => Err(Unsupported(format!("numbers of {} bytes", scalar.width))),
    }
}

/// The kind of the scalars of a scalar, vector or matrix.
pub fn kind_of(inner: &TypeInner) -> Result<Kind, Unsupported> {
    match *inner {
        TypeInner::Scalar(scalar)
        | TypeInner::Vector { scalar, .. }
        | TypeInner::Matrix { scalar, .. }
        | TypeInner::ValuePointer { scalar, .. } => kind(scalar),
        _ => Err(Unsupported("arithmetic on something that is no number".into())),
    }
}

/// The number of registers of a value.
pub fn size(module: &Module, inner: &TypeInner) -> Result<u32, Unsupported> {
    let count = match *inner {
        TypeInner::Scalar(scalar) => kind(scalar).map(|_| 1)?,
        TypeInner::Vector { size, scalar } => kind(scalar).map(|_| width(size))?,
        TypeInner::Matrix { columns, rows, scalar } => kind(scalar).map(|_| width(columns) * width(rows))?,
        // One register holds the address.
        TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. } => 1,
        TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
            size_of(module, base)?.saturating_mul(count.get())
        }
        TypeInner::Array { .. } => {
            return Err(Unsupported("an array without a length, other than the kernel's output".into()));
        }
        TypeInner::Struct { ref members, .. } => {
            let mut sum = 0u32;
            for member in members {
                sum = sum.saturating_add(size_of(module, member.ty)?);
                // Checked in every step, because nested structs can double at every level.
                check(sum)?;
            }
            sum
        }
        TypeInner::Image { .. } | TypeInner::Sampler { .. } => return Err(Unsupported("a texture or sampler".into())),
        TypeInner::Atomic(_) => return Err(Unsupported("an atomic".into())),
        _ => return Err(Unsupported("a type that no picture needs".into())),
    };
    check(count)
}

fn check(count: u32) -> Result<u32, Unsupported> {
    if count > REGISTERS_MAX {
        Err(Unsupported(format!("a value of more than {REGISTERS_MAX} numbers")))
    } else {
        Ok(count)
    }
}

/// The number of registers of a value of a named type.
pub fn size_of(module: &Module, ty: Handle<Type>) -> Result<u32, Unsupported> {
    size(module, &module.types[ty].inner)
}

pub fn width(size: VectorSize) -> u32 {
    size as u32
}

/// The parts of a vector (scalars), matrix (columns) or array (elements).
pub struct Parts {
    /// Registers per part.
    pub stride: u32,
    /// The number of parts; `None` if it is not fixed.
    pub count: Option<u32>,
}

/// The parts of a vector, matrix or array. Fails for other types.
pub fn parts(module: &Module, inner: &TypeInner) -> Result<Parts, Unsupported> {
    match *inner {
        TypeInner::Vector { size, .. } | TypeInner::ValuePointer { size: Some(size), .. } => {
            Ok(Parts { stride: 1, count: Some(width(size)) })
        }
        TypeInner::Matrix { columns, rows, .. } => Ok(Parts { stride: width(rows), count: Some(width(columns)) }),
        TypeInner::Array { base, size, .. } => {
            let count = match size {
                ArraySize::Constant(count) => Some(count.get()),
                ArraySize::Pending(_) => return Err(Unsupported("an array whose length is an override".into())),
                ArraySize::Dynamic => None,
            };
            Ok(Parts { stride: size_of(module, base)?, count })
        }
        _ => Err(Unsupported("an index into something without parts".into())),
    }
}

/// The first register of the part with a fixed index, and its number of registers.
pub fn part(module: &Module, inner: &TypeInner, index: u32) -> Result<(u32, u32), Unsupported> {
    if let TypeInner::Struct { ref members, .. } = *inner {
        let mut start = 0u32;
        for (at, member) in (0..).zip(members) {
            // Only the last member may have no fixed size, and its size is not needed.
            if at == index {
                return Ok((start, size_of(module, member.ty).unwrap_or(0)));
            }
            start = start.saturating_add(size_of(module, member.ty)?);
        }
        return Err(Unsupported("a member that does not exist".into()));
    }
    let parts = parts(module, inner)?;
    Ok((index.saturating_mul(parts.stride), parts.stride))
}
