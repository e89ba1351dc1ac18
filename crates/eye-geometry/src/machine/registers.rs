//! The registers, and the instructions on them. One set of registers is reused for many programs.

#![allow(
    clippy::inline_always,
    reason = "a loop over lanes becomes vector instructions only if all of it is in the loop"
)]

use super::code::{Binary, Instruction, LANES, Lanes, Reg, TILE_WIDTH, Ternary, Unary};
use super::mask::Mask;
use super::math;

/// Registers by number. Each is boxed, so that the destination can be taken out while others are read.
#[derive(Default)]
pub struct Registers {
    #[allow(clippy::vec_box, reason = "a box can be swapped out without copying the lanes")]
    file: Vec<Box<Lanes>>,
    spare: Spare,
}

struct Spare(Box<Lanes>);

impl Default for Spare {
    fn default() -> Self {
        Self(Box::new([0; LANES]))
    }
}

impl Registers {
    /// Prepares registers for a program, all zero: otherwise the outcome would depend on what the thread painted
    /// before.
    pub fn clear(&mut self, count: usize) {
        for register in self.file.iter_mut().take(count) {
            register.fill(0);
        }
        if self.file.len() < count {
            self.file.resize_with(count, || Box::new([0; LANES]));
        }
    }

    pub fn get(&self, register: Reg) -> &Lanes {
        &self.file[register as usize]
    }

    pub fn get_mut(&mut self, register: Reg) -> &mut Lanes {
        &mut self.file[register as usize]
    }

    pub fn run(&mut self, instructions: &[Instruction], active: &Mask, buffer: &mut [u32]) {
        for instruction in instructions {
            match *instruction {
                Instruction::Unary { op, to, a } => self.unary(op, to, a),
                Instruction::Binary { op, to, a, b } => self.binary(op, to, a, b),
                Instruction::Ternary { op, to, a, b, c } => self.ternary(op, to, a, b, c),
                Instruction::Copy { to, from } => self.map(to, from, |x| x),
                Instruction::Store { to, from } => self.store(to, from, active),
                Instruction::Gather { to, base, offset } => self.gather(to, base, offset),
                Instruction::Scatter { base, offset, from } => self.scatter(base, offset, from, active),
                Instruction::BufferLoad { to, offset, word } => {
                    self.map(to, offset, |at| buffer.get(at.saturating_add(word) as usize).copied().unwrap_or(0));
                }
                Instruction::BufferStore { offset, word, from } => {
                    let (offsets, values) = (self.get(offset), self.get(from));
                    for lane in (0..LANES).filter(|&lane| active.lanes[lane] != 0) {
                        if let Some(place) = buffer.get_mut(offsets[lane].saturating_add(word) as usize) {
                            *place = values[lane];
                        }
                    }
                }
            }
        }
    }

    fn store(&mut self, to: Reg, from: Reg, active: &Mask) {
        if active.is_full() {
            self.map(to, from, |x| x);
        } else if to != from {
            std::mem::swap(&mut self.file[to as usize], &mut self.spare.0);
            let from = &self.file[from as usize];
            for lane in 0..LANES {
                let mask = active.lanes[lane];
                self.spare.0[lane] = (from[lane] & mask) | (self.spare.0[lane] & !mask);
            }
            std::mem::swap(&mut self.file[to as usize], &mut self.spare.0);
        }
    }

    fn gather(&mut self, to: Reg, base: Reg, offset: Reg) {
        for lane in 0..LANES {
            let source = base.saturating_add(self.get(offset)[lane]) as usize;
            let value = self.file.get(source).map_or(0, |register| register[lane]);
            self.get_mut(to)[lane] = value;
        }
    }

    fn scatter(&mut self, base: Reg, offset: Reg, from: Reg, active: &Mask) {
        for lane in (0..LANES).filter(|&lane| active.lanes[lane] != 0) {
            let target = base.saturating_add(self.get(offset)[lane]) as usize;
            let value = self.get(from)[lane];
            if let Some(register) = self.file.get_mut(target) {
                register[lane] = value;
            }
        }
    }

    /// Sets `to` to `f` of `a`. `to` is never an operand: the compiler gives every result its own register.
    #[inline(always)]
    fn map(&mut self, to: Reg, a: Reg, f: impl Fn(u32) -> u32) {
        if to == a {
            return;
        }
        std::mem::swap(&mut self.file[to as usize], &mut self.spare.0);
        let a = &*self.file[a as usize];
        let result = &mut *self.spare.0;
        for lane in 0..LANES {
            result[lane] = f(a[lane]);
        }
        std::mem::swap(&mut self.file[to as usize], &mut self.spare.0);
    }

    #[inline(always)]
    fn map_float(&mut self, to: Reg, a: Reg, f: impl Fn(f32) -> f32) {
        self.map(to, a, |x| f(f32::from_bits(x)).to_bits());
    }

    #[inline(always)]
    fn zip(&mut self, to: Reg, a: Reg, b: Reg, f: impl Fn(u32, u32) -> u32) {
        std::mem::swap(&mut self.file[to as usize], &mut self.spare.0);
        let (a, b) = (&*self.file[a as usize], &*self.file[b as usize]);
        let result = &mut *self.spare.0;
        for lane in 0..LANES {
            result[lane] = f(a[lane], b[lane]);
        }
        std::mem::swap(&mut self.file[to as usize], &mut self.spare.0);
    }

    #[inline(always)]
    fn zip_float(&mut self, to: Reg, a: Reg, b: Reg, f: impl Fn(f32, f32) -> f32) {
        self.zip(to, a, b, |x, y| f(f32::from_bits(x), f32::from_bits(y)).to_bits());
    }

    #[inline(always)]
    fn zip_int(&mut self, to: Reg, a: Reg, b: Reg, f: impl Fn(i32, i32) -> i32) {
        self.zip(to, a, b, |x, y| f(x.cast_signed(), y.cast_signed()).cast_unsigned());
    }

    #[inline(always)]
    fn compare_float(&mut self, to: Reg, a: Reg, b: Reg, f: impl Fn(f32, f32) -> bool) {
        self.zip(to, a, b, |x, y| bits(f(f32::from_bits(x), f32::from_bits(y))));
    }

    #[inline(always)]
    fn zip3(&mut self, to: Reg, [a, b, c]: [Reg; 3], f: impl Fn(u32, u32, u32) -> u32) {
        std::mem::swap(&mut self.file[to as usize], &mut self.spare.0);
        let (a, b, c) = (&*self.file[a as usize], &*self.file[b as usize], &*self.file[c as usize]);
        let result = &mut *self.spare.0;
        for lane in 0..LANES {
            result[lane] = f(a[lane], b[lane], c[lane]);
        }
        std::mem::swap(&mut self.file[to as usize], &mut self.spare.0);
    }

    #[inline(always)]
    fn zip3_float(&mut self, to: Reg, operands: [Reg; 3], f: impl Fn(f32, f32, f32) -> f32) {
        self.zip3(to, operands, |x, y, z| f(f32::from_bits(x), f32::from_bits(y), f32::from_bits(z)).to_bits());
    }

    /// The difference between the two pixels of a pair. Both get the same value.
    fn derivative(&mut self, to: Reg, a: Reg, distance: usize) {
        let a = *self.get(a);
        let result = self.get_mut(to);
        for (lane, result) in result.iter_mut().enumerate() {
            let (low, high) = (lane & !distance, lane | distance);
            *result = (f32::from_bits(a[high]) - f32::from_bits(a[low])).to_bits();
        }
    }

    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "WGSL's conversions are these: they round, and hold at the ends of the range"
    )]
    fn unary(&mut self, op: Unary, to: Reg, a: Reg) {
        let float = f32::from_bits;
        match op {
            Unary::NegateFloat => self.map_float(to, a, |x| -x),
            Unary::NegateInt => self.map(to, a, u32::wrapping_neg),
            Unary::Not => self.map(to, a, |x| !x),
            Unary::AbsFloat => self.map_float(to, a, f32::abs),
            Unary::AbsInt => self.map(to, a, |x| x.cast_signed().wrapping_abs().cast_unsigned()),
            Unary::SignFloat => self.map_float(to, a, math::sign),
            Unary::SignInt => self.map(to, a, |x| x.cast_signed().signum().cast_unsigned()),
            Unary::Floor => self.map_float(to, a, math::floor),
            Unary::Ceil => self.map_float(to, a, math::ceil),
            Unary::Trunc => self.map_float(to, a, math::trunc),
            Unary::Round => self.map_float(to, a, math::round),
            Unary::Fract => self.map_float(to, a, math::fract),
            Unary::Sqrt => self.map_float(to, a, f32::sqrt),
            Unary::InverseSqrt => self.map_float(to, a, |x| 1.0 / x.sqrt()),
            Unary::Saturate => self.map_float(to, a, math::saturate),
            Unary::Sin => self.map_float(to, a, math::sin),
            Unary::Cos => self.map_float(to, a, math::cos),
            Unary::Tan => self.map_float(to, a, math::tan),
            Unary::Asin => self.map_float(to, a, math::asin),
            Unary::Acos => self.map_float(to, a, math::acos),
            Unary::Atan => self.map_float(to, a, math::atan),
            Unary::Sinh => self.map_float(to, a, math::sinh),
            Unary::Cosh => self.map_float(to, a, math::cosh),
            Unary::Tanh => self.map_float(to, a, math::tanh),
            Unary::Asinh => self.map_float(to, a, math::asinh),
            Unary::Acosh => self.map_float(to, a, math::acosh),
            Unary::Atanh => self.map_float(to, a, math::atanh),
            Unary::Exp => self.map_float(to, a, math::exp),
            Unary::Exp2 => self.map_float(to, a, math::exp2),
            Unary::Log => self.map_float(to, a, math::log),
            Unary::Log2 => self.map_float(to, a, math::log2),
            Unary::FrexpFraction => self.map_float(to, a, |x| math::frexp(x).0),
            Unary::FrexpExponent => self.map(to, a, |x| math::frexp(float(x)).1.cast_unsigned()),
            Unary::FloatToInt => self.map(to, a, |x| (float(x) as i32).cast_unsigned()),
            Unary::FloatToUint => self.map(to, a, |x| float(x) as u32),
            Unary::IntToFloat => self.map(to, a, |x| (x.cast_signed() as f32).to_bits()),
            Unary::UintToFloat => self.map(to, a, |x| (x as f32).to_bits()),
            Unary::BoolToFloat => self.map(to, a, |x| x & 1.0f32.to_bits()),
            Unary::BoolToInt => self.map(to, a, |x| x & 1),
            Unary::FloatToBool => self.map(to, a, |x| bits(float(x) != 0.0)),
            Unary::IntToBool => self.map(to, a, |x| bits(x != 0)),
            Unary::CountOneBits => self.map(to, a, u32::count_ones),
            Unary::CountLeadingZeros => self.map(to, a, u32::leading_zeros),
            Unary::CountTrailingZeros => self.map(to, a, u32::trailing_zeros),
            Unary::ReverseBits => self.map(to, a, u32::reverse_bits),
            // The position of the highest set bit, or all ones if there is none; for a negative number, of the highest
            // zero.
            Unary::FirstLeadingBitInt => {
                self.map(to, a, |x| 31u32.wrapping_sub((x ^ (x.cast_signed() >> 31).cast_unsigned()).leading_zeros()));
            }
            Unary::FirstLeadingBitUint => self.map(to, a, |x| 31u32.wrapping_sub(x.leading_zeros())),
            Unary::FirstTrailingBit => self.map(to, a, |x| if x == 0 { u32::MAX } else { x.trailing_zeros() }),
            Unary::DerivativeX => self.derivative(to, a, 1),
            Unary::DerivativeY => self.derivative(to, a, TILE_WIDTH),
        }
    }

    #[allow(clippy::float_cmp, reason = "WGSL's comparison is exact")]
    fn binary(&mut self, op: Binary, to: Reg, a: Reg, b: Reg) {
        match op {
            Binary::AddFloat => self.zip_float(to, a, b, |x, y| x + y),
            Binary::SubtractFloat => self.zip_float(to, a, b, |x, y| x - y),
            Binary::MultiplyFloat => self.zip_float(to, a, b, |x, y| x * y),
            Binary::DivideFloat => self.zip_float(to, a, b, |x, y| x / y),
            Binary::RemainderFloat => self.zip_float(to, a, b, math::rem),
            Binary::MinFloat => self.zip_float(to, a, b, math::min),
            Binary::MaxFloat => self.zip_float(to, a, b, math::max),
            Binary::Pow => self.zip_float(to, a, b, math::pow),
            Binary::Atan2 => self.zip_float(to, a, b, math::atan2),
            Binary::Step => self.zip_float(to, a, b, math::step),
            Binary::Ldexp => self.zip(to, a, b, |x, y| math::ldexp(f32::from_bits(x), y.cast_signed()).to_bits()),
            Binary::AddInt => self.zip(to, a, b, u32::wrapping_add),
            Binary::SubtractInt => self.zip(to, a, b, u32::wrapping_sub),
            Binary::MultiplyInt => self.zip(to, a, b, u32::wrapping_mul),
            // WGSL defines division by zero: the quotient is the dividend, the remainder is zero.
            Binary::DivideInt => self.zip_int(to, a, b, |x, y| if y == 0 { x } else { x.wrapping_div(y) }),
            Binary::DivideUint => self.zip(to, a, b, |x, y| x.checked_div(y).unwrap_or(x)),
            Binary::RemainderInt => self.zip_int(to, a, b, |x, y| if y == 0 { 0 } else { x.wrapping_rem(y) }),
            Binary::RemainderUint => self.zip(to, a, b, |x, y| x.checked_rem(y).unwrap_or(0)),
            Binary::MinInt => self.zip_int(to, a, b, i32::min),
            Binary::MinUint => self.zip(to, a, b, u32::min),
            Binary::MaxInt => self.zip_int(to, a, b, i32::max),
            Binary::MaxUint => self.zip(to, a, b, u32::max),
            Binary::And => self.zip(to, a, b, |x, y| x & y),
            Binary::Or => self.zip(to, a, b, |x, y| x | y),
            Binary::Xor => self.zip(to, a, b, |x, y| x ^ y),
            Binary::ShiftLeft => self.zip(to, a, b, u32::wrapping_shl),
            Binary::ShiftRightInt => {
                self.zip(to, a, b, |x, y| x.cast_signed().wrapping_shr(y).cast_unsigned());
            }
            Binary::ShiftRightUint => self.zip(to, a, b, u32::wrapping_shr),
            Binary::EqualFloat => self.compare_float(to, a, b, |x, y| x == y),
            Binary::NotEqualFloat => self.compare_float(to, a, b, |x, y| x != y),
            Binary::LessFloat => self.compare_float(to, a, b, |x, y| x < y),
            Binary::LessEqualFloat => self.compare_float(to, a, b, |x, y| x <= y),
            Binary::EqualInt => self.zip(to, a, b, |x, y| bits(x == y)),
            Binary::NotEqualInt => self.zip(to, a, b, |x, y| bits(x != y)),
            Binary::LessInt => self.zip(to, a, b, |x, y| bits(x.cast_signed() < y.cast_signed())),
            Binary::LessEqualInt => self.zip(to, a, b, |x, y| bits(x.cast_signed() <= y.cast_signed())),
            Binary::LessUint => self.zip(to, a, b, |x, y| bits(x < y)),
            Binary::LessEqualUint => self.zip(to, a, b, |x, y| bits(x <= y)),
        }
    }

    fn ternary(&mut self, op: Ternary, to: Reg, a: Reg, b: Reg, c: Reg) {
        let operands = [a, b, c];
        match op {
            Ternary::Fma => self.zip3_float(to, operands, |x, y, z| x * y + z),
            Ternary::Mix => self.zip3_float(to, operands, math::mix),
            Ternary::Smoothstep => self.zip3_float(to, operands, math::smoothstep),
            Ternary::Select => self.zip3(to, operands, |condition, no, yes| (yes & condition) | (no & !condition)),
        }
    }
}

/// The lane value of a bool.
#[inline(always)]
fn bits(condition: bool) -> u32 {
    if condition { u32::MAX } else { 0 }
}
