//! How WGSL's types lie in registers: one register per scalar, members and elements one after the other.

use super::unsupported::Unsupported;
use crate::limits::REGISTERS_MAX;
use naga::{ArraySize, Handle, Module, Scalar, ScalarKind, Type, TypeInner, VectorSize};

/// What a scalar is to the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Float,
    Int,
    Uint,
    Bool,
}

/// The scalar's kind, if it is one of 32 bits or a bool.
pub fn kind(scalar: Scalar) -> Result<Kind, Unsupported> {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Float, 4) => Ok(Kind::Float),
        (ScalarKind::Sint, 4) => Ok(Kind::Int),
        (ScalarKind::Uint, 4) => Ok(Kind::Uint),
        (ScalarKind::Bool, _) => Ok(Kind::Bool),
        _ => Err(Unsupported(format!("numbers of {} bytes", scalar.width))),
    }
}

/// The kind of a scalar, or of a vector's or matrix's scalars.
pub fn kind_of(inner: &TypeInner) -> Result<Kind, Unsupported> {
    match *inner {
        TypeInner::Scalar(scalar)
        | TypeInner::Vector { scalar, .. }
        | TypeInner::Matrix { scalar, .. }
        | TypeInner::ValuePointer { scalar, .. } => kind(scalar),
        _ => Err(Unsupported("arithmetic on something that is no number".into())),
    }
}

/// How many registers a value takes.
pub fn size(module: &Module, inner: &TypeInner) -> Result<u32, Unsupported> {
    let count = match *inner {
        TypeInner::Scalar(scalar) => kind(scalar).map(|_| 1)?,
        TypeInner::Vector { size, scalar } => kind(scalar).map(|_| width(size))?,
        TypeInner::Matrix { columns, rows, scalar } => kind(scalar).map(|_| width(columns) * width(rows))?,
        // The place of what it points at.
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
                // At once: structs of structs of structs double at every level.
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

/// How many registers a value of a named type takes.
pub fn size_of(module: &Module, ty: Handle<Type>) -> Result<u32, Unsupported> {
    size(module, &module.types[ty].inner)
}

pub fn width(size: VectorSize) -> u32 {
    size as u32
}

/// The parts of a composite: vectors have scalars, matrices columns, arrays elements, structs members.
pub struct Parts {
    /// Registers of one part; 0 for a struct, whose members differ.
    pub stride: u32,
    /// How many there are, where that is fixed.
    pub count: Option<u32>,
}

/// The equal parts of a vector, matrix or array.
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

/// Where the part with a fixed index begins, and how many registers it takes.
pub fn part(module: &Module, inner: &TypeInner, index: u32) -> Result<(u32, u32), Unsupported> {
    if let TypeInner::Struct { ref members, .. } = *inner {
        let mut start = 0u32;
        for (at, member) in (0..).zip(members) {
            // Only the last member may have no fixed size, and its own is not asked for.
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
