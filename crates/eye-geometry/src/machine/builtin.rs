//! Compiles WGSL's built-in functions to instructions. Functions that hardware composes of simpler ones are composed
//! here.

use super::code::{Binary, Reg, Ternary, Unary};
use super::compile::Body;
use super::expression::component;
use super::layout::{self, Kind};
use super::unsupported::Unsupported;
use naga::{Expression, Handle, MathFunction, TypeInner};

impl Body<'_, '_> {
    pub fn builtin(
        &mut self,
        function: MathFunction,
        first: Handle<Expression>,
        rest: [Option<Handle<Expression>>; 3],
    ) -> Result<Vec<Reg>, Unsupported> {
        let (kind, inner) = (self.kind(first)?, self.inner(first));
        let a = self.registers(first)?;
        let mut others = [const { Vec::new() }; 3];
        for (other, handle) in others.iter_mut().zip(rest) {
            if let Some(handle) = handle {
                *other = self.registers(handle)?;
            }
        }
        let [b, c, d] = &others;
        if let Some(op) = plain_unary(function, kind) {
            return self.each(op, &a);
        }
        if let Some(op) = plain_binary(function, kind) {
            return self.pairs(op, &a, b);
        }
        match function {
            // An unsigned value is its own absolute value.
            MathFunction::Abs => Ok(a),
            MathFunction::Clamp => {
                let (max, min) = match kind {
                    Kind::Float => (Binary::MaxFloat, Binary::MinFloat),
                    Kind::Int => (Binary::MaxInt, Binary::MinInt),
                    Kind::Uint | Kind::Bool => (Binary::MaxUint, Binary::MinUint),
                };
                let raised = self.pairs(max, &a, b)?;
                self.pairs(min, &raised, c)
            }
            MathFunction::Fma => self.triples(Ternary::Fma, &a, b, c),
            MathFunction::Mix => self.triples(Ternary::Mix, &a, b, c),
            MathFunction::SmoothStep => self.triples(Ternary::Smoothstep, &a, b, c),
            MathFunction::Radians => self.scaled(&a, std::f32::consts::PI / 180.0),
            MathFunction::Degrees => self.scaled(&a, 180.0 / std::f32::consts::PI),
            MathFunction::Modf => {
                let whole = self.each(Unary::Trunc, &a)?;
                let mut parts = self.pairs(Binary::SubtractFloat, &a, &whole)?;
                parts.extend(whole);
                Ok(parts)
            }
            MathFunction::Frexp => {
                let mut parts = self.each(Unary::FrexpFraction, &a)?;
                parts.extend(self.each(Unary::FrexpExponent, &a)?);
                Ok(parts)
            }
            MathFunction::Dot => Ok(vec![self.dot(&a, b, kind)?]),
            MathFunction::Cross => self.cross(&a, b),
            MathFunction::Length => Ok(vec![self.length(&a)?]),
            MathFunction::Distance => {
                let apart = self.pairs(Binary::SubtractFloat, &a, b)?;
                Ok(vec![self.length(&apart)?])
            }
            MathFunction::Normalize => {
                let square = self.dot(&a, &a, Kind::Float)?;
                let scale = self.unary(Unary::InverseSqrt, square)?;
                self.pairs(Binary::MultiplyFloat, &a, &[scale])
            }
            MathFunction::FaceForward => {
                let facing = self.dot(b, c, Kind::Float)?;
                let zero = self.float(0.0)?;
                let away = self.binary(Binary::LessFloat, facing, zero)?;
                let turned = self.each(Unary::NegateFloat, &a)?;
                turned.into_iter().zip(a).map(|(no, yes)| self.ternary(Ternary::Select, away, no, yes)).collect()
            }
            MathFunction::Reflect => {
                let along = self.dot(&a, b, Kind::Float)?;
                let twice = self.scaled(&[along], 2.0)?;
                let back = self.pairs(Binary::MultiplyFloat, b, &twice)?;
                self.pairs(Binary::SubtractFloat, &a, &back)
            }
            MathFunction::Refract => self.refract(&a, b, c),
            MathFunction::Transpose => transposed(inner, &a),
            MathFunction::Determinant => Ok(vec![self.determinant(&a)?]),
            MathFunction::ExtractBits => self.extract_bits(&a, b[0], c[0], kind),
            MathFunction::InsertBits => self.insert_bits(&a, b, c[0], d[0]),
            other => match packing(other) {
                Some(Packing::Pack(part)) => Ok(vec![self.pack(&a, part)?]),
                Some(Packing::Unpack(part)) => self.unpack(a[0], part),
                None => Err(Unsupported(format!("the function {other:?}"))),
            },
        }
    }

    fn triples(&mut self, op: Ternary, a: &[Reg], b: &[Reg], c: &[Reg]) -> Result<Vec<Reg>, Unsupported> {
        (0..a.len()).map(|at| self.ternary(op, a[at], component(b, at), component(c, at))).collect()
    }

    fn scaled(&mut self, values: &[Reg], factor: f32) -> Result<Vec<Reg>, Unsupported> {
        let factor = self.float(factor)?;
        self.pairs(Binary::MultiplyFloat, values, &[factor])
    }

    fn dot(&mut self, a: &[Reg], b: &[Reg], kind: Kind) -> Result<Reg, Unsupported> {
        if kind != Kind::Float {
            let products = self.pairs(Binary::MultiplyInt, a, b)?;
            return self.fold(Binary::AddInt, &products);
        }
        let mut sum = self.binary(Binary::MultiplyFloat, a[0], b[0])?;
        for at in 1..a.len() {
            sum = self.ternary(Ternary::Fma, a[at], b[at], sum)?;
        }
        Ok(sum)
    }

    fn length(&mut self, a: &[Reg]) -> Result<Reg, Unsupported> {
        if let &[only] = a {
            return self.unary(Unary::AbsFloat, only);
        }
        let square = self.dot(a, a, Kind::Float)?;
        self.unary(Unary::Sqrt, square)
    }

    /// `a * d - b * c`.
    fn crossed(&mut self, a: Reg, b: Reg, c: Reg, d: Reg) -> Result<Reg, Unsupported> {
        let minuend = self.binary(Binary::MultiplyFloat, a, d)?;
        let subtrahend = self.binary(Binary::MultiplyFloat, b, c)?;
        self.binary(Binary::SubtractFloat, minuend, subtrahend)
    }

    fn cross(&mut self, a: &[Reg], b: &[Reg]) -> Result<Vec<Reg>, Unsupported> {
        [(1, 2), (2, 0), (0, 1)].into_iter().map(|(i, j)| self.crossed(a[i], a[j], b[i], b[j])).collect()
    }

    fn refract(&mut self, incident: &[Reg], normal: &[Reg], ratio: &[Reg]) -> Result<Vec<Reg>, Unsupported> {
        let (one, zero) = (self.float(1.0)?, self.float(0.0)?);
        let along = self.dot(normal, incident, Kind::Float)?;
        let square = self.binary(Binary::MultiplyFloat, along, along)?;
        let sine = self.binary(Binary::SubtractFloat, one, square)?;
        let ratio_square = self.binary(Binary::MultiplyFloat, ratio[0], ratio[0])?;
        let bent = self.binary(Binary::MultiplyFloat, ratio_square, sine)?;
        let k = self.binary(Binary::SubtractFloat, one, bent)?;
        let reflected = self.binary(Binary::LessFloat, k, zero)?;
        let root = self.unary(Unary::Sqrt, k)?;
        let share = self.ternary(Ternary::Fma, ratio[0], along, root)?;
        let forward = self.pairs(Binary::MultiplyFloat, incident, ratio)?;
        let aside = self.pairs(Binary::MultiplyFloat, normal, &[share])?;
        let refracted = self.pairs(Binary::SubtractFloat, &forward, &aside)?;
        refracted.into_iter().map(|value| self.ternary(Ternary::Select, reflected, value, zero)).collect()
    }

    /// Expands by the first row: each entry times the determinant without its row and column.
    fn determinant(&mut self, matrix: &[Reg]) -> Result<Reg, Unsupported> {
        let side = match matrix.len() {
            4 => return self.crossed(matrix[0], matrix[1], matrix[2], matrix[3]),
            9 => 3,
            16 => 4,
            _ => return Err(Unsupported("the determinant of what is not square".into())),
        };
        let mut sum = None;
        for column in 0..side {
            let rest: Vec<Reg> = (0..side)
                .filter(|&other| other != column)
                .flat_map(|other| matrix[other * side + 1..(other + 1) * side].iter().copied())
                .collect();
            let minor = self.determinant(&rest)?;
            let term = self.binary(Binary::MultiplyFloat, matrix[column * side], minor)?;
            sum = Some(match sum {
                None => term,
                Some(sum) => {
                    let op = if column % 2 == 0 { Binary::AddFloat } else { Binary::SubtractFloat };
                    self.binary(op, sum, term)?
                }
            });
        }
        sum.ok_or_else(|| Unsupported("the determinant of nothing".into()))
    }

    /// Offset and count of a bit field, limited so that the field stays inside 32 bits.
    fn bit_field(&mut self, offset: Reg, count: Reg) -> Result<(Reg, Reg), Unsupported> {
        let all = self.compiler.constant(32)?;
        let offset = self.binary(Binary::MinUint, offset, all)?;
        let left = self.binary(Binary::SubtractInt, all, offset)?;
        let count = self.binary(Binary::MinUint, count, left)?;
        Ok((offset, count))
    }

    fn extract_bits(&mut self, values: &[Reg], offset: Reg, count: Reg, kind: Kind) -> Result<Vec<Reg>, Unsupported> {
        let (all, zero) = (self.compiler.constant(32)?, self.compiler.constant(0)?);
        let (offset, count) = self.bit_field(offset, count)?;
        let unused = self.binary(Binary::SubtractInt, all, count)?;
        let above = self.binary(Binary::SubtractInt, unused, offset)?;
        let none = self.binary(Binary::EqualInt, count, zero)?;
        let down = if kind == Kind::Int { Binary::ShiftRightInt } else { Binary::ShiftRightUint };
        let up = self.pairs(Binary::ShiftLeft, values, &[above])?;
        let fields = self.pairs(down, &up, &[unused])?;
        fields.into_iter().map(|field| self.ternary(Ternary::Select, none, field, zero)).collect()
    }

    fn insert_bits(&mut self, values: &[Reg], new: &[Reg], offset: Reg, count: Reg) -> Result<Vec<Reg>, Unsupported> {
        let (all, zero, ones) =
            (self.compiler.constant(32)?, self.compiler.constant(0)?, self.compiler.constant(u32::MAX)?);
        let (offset, count) = self.bit_field(offset, count)?;
        let unused = self.binary(Binary::SubtractInt, all, count)?;
        let low = self.binary(Binary::ShiftRightUint, ones, unused)?;
        let field = self.binary(Binary::ShiftLeft, low, offset)?;
        let none = self.binary(Binary::EqualInt, count, zero)?;
        let field = self.ternary(Ternary::Select, none, field, zero)?;
        let others = self.unary(Unary::Not, field)?;
        let kept = self.pairs(Binary::And, values, &[others])?;
        let moved = self.pairs(Binary::ShiftLeft, new, &[offset])?;
        let placed = self.pairs(Binary::And, &moved, &[field])?;
        self.pairs(Binary::Or, &kept, &placed)
    }

    fn pack(&mut self, values: &[Reg], part: Part) -> Result<Reg, Unsupported> {
        let mask = self.compiler.constant(part.mask())?;
        let mut fields = Vec::new();
        for (at, &value) in (0..).zip(values) {
            let whole = match part.scale {
                Some(scale) => {
                    let (low, high) = (self.float(if part.signed { -1.0 } else { 0.0 })?, self.float(1.0)?);
                    let raised = self.binary(Binary::MaxFloat, value, low)?;
                    let held = self.binary(Binary::MinFloat, raised, high)?;
                    let (scale, half) = (self.float(scale)?, self.float(0.5)?);
                    let near = self.ternary(Ternary::Fma, held, scale, half)?;
                    let rounded = self.unary(Unary::Floor, near)?;
                    self.unary(Unary::FloatToInt, rounded)?
                }
                None => value,
            };
            let field = self.binary(Binary::And, whole, mask)?;
            let shift = self.compiler.constant(at * part.bits)?;
            fields.push(self.binary(Binary::ShiftLeft, field, shift)?);
        }
        self.fold(Binary::Or, &fields)
    }

    fn unpack(&mut self, word: Reg, part: Part) -> Result<Vec<Reg>, Unsupported> {
        let down = self.compiler.constant(32 - part.bits)?;
        let mut fields = Vec::new();
        for at in 0..32 / part.bits {
            let up = self.compiler.constant(32 - part.bits * (at + 1))?;
            let high = self.binary(Binary::ShiftLeft, word, up)?;
            let op = if part.signed { Binary::ShiftRightInt } else { Binary::ShiftRightUint };
            let field = self.binary(op, high, down)?;
            fields.push(match part.scale {
                Some(scale) => {
                    let value = self.unary(if part.signed { Unary::IntToFloat } else { Unary::UintToFloat }, field)?;
                    let (scale, low) = (self.float(scale)?, self.float(-1.0)?);
                    let value = self.binary(Binary::DivideFloat, value, scale)?;
                    self.binary(Binary::MaxFloat, value, low)?
                }
                None => field,
            });
        }
        Ok(fields)
    }
}

/// One field of a packed word. With a scale it is a fraction.
#[derive(Clone, Copy)]
struct Part {
    bits: u32,
    signed: bool,
    scale: Option<f32>,
}

impl Part {
    fn mask(self) -> u32 {
        (1 << self.bits) - 1
    }
}

enum Packing {
    Pack(Part),
    Unpack(Part),
}

fn packing(function: MathFunction) -> Option<Packing> {
    let part = |bits, signed, scale| Part { bits, signed, scale };
    Some(match function {
        MathFunction::Pack4x8unorm => Packing::Pack(part(8, false, Some(255.0))),
        MathFunction::Pack4x8snorm => Packing::Pack(part(8, true, Some(127.0))),
        MathFunction::Pack2x16unorm => Packing::Pack(part(16, false, Some(65_535.0))),
        MathFunction::Pack2x16snorm => Packing::Pack(part(16, true, Some(32_767.0))),
        MathFunction::Pack4xU8 | MathFunction::Pack4xI8 => Packing::Pack(part(8, false, None)),
        MathFunction::Unpack4x8unorm => Packing::Unpack(part(8, false, Some(255.0))),
        MathFunction::Unpack4x8snorm => Packing::Unpack(part(8, true, Some(127.0))),
        MathFunction::Unpack2x16unorm => Packing::Unpack(part(16, false, Some(65_535.0))),
        MathFunction::Unpack2x16snorm => Packing::Unpack(part(16, true, Some(32_767.0))),
        MathFunction::Unpack4xU8 => Packing::Unpack(part(8, false, None)),
        MathFunction::Unpack4xI8 => Packing::Unpack(part(8, true, None)),
        _ => return None,
    })
}

fn transposed(inner: &TypeInner, matrix: &[Reg]) -> Result<Vec<Reg>, Unsupported> {
    let TypeInner::Matrix { columns, rows, .. } = *inner else {
        return Err(Unsupported("the transpose of what is no matrix".into()));
    };
    let (columns, rows) = (layout::width(columns) as usize, layout::width(rows) as usize);
    Ok((0..rows).flat_map(|row| (0..columns).map(move |column| matrix[column * rows + row])).collect())
}

/// Functions of one operand that are one instruction per component.
fn plain_unary(function: MathFunction, kind: Kind) -> Option<Unary> {
    Some(match (function, kind) {
        (MathFunction::Abs, Kind::Float) => Unary::AbsFloat,
        (MathFunction::Abs, Kind::Int) => Unary::AbsInt,
        (MathFunction::Sign, Kind::Float) => Unary::SignFloat,
        (MathFunction::Sign, _) => Unary::SignInt,
        (MathFunction::Saturate, _) => Unary::Saturate,
        (MathFunction::Cos, _) => Unary::Cos,
        (MathFunction::Cosh, _) => Unary::Cosh,
        (MathFunction::Sin, _) => Unary::Sin,
        (MathFunction::Sinh, _) => Unary::Sinh,
        (MathFunction::Tan, _) => Unary::Tan,
        (MathFunction::Tanh, _) => Unary::Tanh,
        (MathFunction::Acos, _) => Unary::Acos,
        (MathFunction::Asin, _) => Unary::Asin,
        (MathFunction::Atan, _) => Unary::Atan,
        (MathFunction::Asinh, _) => Unary::Asinh,
        (MathFunction::Acosh, _) => Unary::Acosh,
        (MathFunction::Atanh, _) => Unary::Atanh,
        (MathFunction::Ceil, _) => Unary::Ceil,
        (MathFunction::Floor, _) => Unary::Floor,
        (MathFunction::Round, _) => Unary::Round,
        (MathFunction::Fract, _) => Unary::Fract,
        (MathFunction::Trunc, _) => Unary::Trunc,
        (MathFunction::Exp, _) => Unary::Exp,
        (MathFunction::Exp2, _) => Unary::Exp2,
        (MathFunction::Log, _) => Unary::Log,
        (MathFunction::Log2, _) => Unary::Log2,
        (MathFunction::Sqrt, _) => Unary::Sqrt,
        (MathFunction::InverseSqrt, _) => Unary::InverseSqrt,
        (MathFunction::CountTrailingZeros, _) => Unary::CountTrailingZeros,
        (MathFunction::CountLeadingZeros, _) => Unary::CountLeadingZeros,
        (MathFunction::CountOneBits, _) => Unary::CountOneBits,
        (MathFunction::ReverseBits, _) => Unary::ReverseBits,
        (MathFunction::FirstTrailingBit, _) => Unary::FirstTrailingBit,
        (MathFunction::FirstLeadingBit, Kind::Int) => Unary::FirstLeadingBitInt,
        (MathFunction::FirstLeadingBit, _) => Unary::FirstLeadingBitUint,
        _ => return None,
    })
}

/// Functions of two operands that are one instruction per component.
fn plain_binary(function: MathFunction, kind: Kind) -> Option<Binary> {
    Some(match (function, kind) {
        (MathFunction::Min, Kind::Float) => Binary::MinFloat,
        (MathFunction::Min, Kind::Int) => Binary::MinInt,
        (MathFunction::Min, _) => Binary::MinUint,
        (MathFunction::Max, Kind::Float) => Binary::MaxFloat,
        (MathFunction::Max, Kind::Int) => Binary::MaxInt,
        (MathFunction::Max, _) => Binary::MaxUint,
        (MathFunction::Atan2, _) => Binary::Atan2,
        (MathFunction::Pow, _) => Binary::Pow,
        (MathFunction::Step, _) => Binary::Step,
        (MathFunction::Ldexp, _) => Binary::Ldexp,
        _ => return None,
    })
}
