//! The elementary functions of WGSL as straight-line arithmetic on `f32`. They have no branch and no call, so that a
//! loop over lanes becomes vector instructions, and use no libm, so that a picture is the same on every machine. Errors
//! are within what WGSL allows.

#![allow(
    clippy::inline_always,
    reason = "a loop over lanes becomes vector instructions only if all of it is in the loop"
)]

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, LOG2_E, PI, SQRT_2};

/// Adding and subtracting 1.5 * 2^23 rounds to an integer, ties to even. The sum has that integer in its low bits.
const ROUNDER: f32 = 12_582_912.0;
/// From 2^23 on every `f32` is an integer. Adding this to a smaller number and subtracting it again rounds that number,
/// ties to even.
const WHOLE: f32 = 8_388_608.0;

#[inline(always)]
pub fn round(x: f32) -> f32 {
    let rounded = (x.abs() + WHOLE) - WHOLE;
    if x.abs() < WHOLE { rounded.copysign(x) } else { x }
}

#[inline(always)]
pub fn floor(x: f32) -> f32 {
    let rounded = round(x);
    if rounded > x { rounded - 1.0 } else { rounded }
}

#[inline(always)]
pub fn ceil(x: f32) -> f32 {
    let rounded = round(x);
    if rounded < x { rounded + 1.0 } else { rounded }
}

#[inline(always)]
pub fn trunc(x: f32) -> f32 {
    floor(x.abs()).copysign(x)
}

#[inline(always)]
pub fn fract(x: f32) -> f32 {
    x - floor(x)
}

/// WGSL's `%`: the result has the sign of the dividend.
#[inline(always)]
pub fn rem(x: f32, y: f32) -> f32 {
    x - y * trunc(x / y)
}

#[inline(always)]
pub fn sign(x: f32) -> f32 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        0.0
    }
}

/// The smaller number; if one of them is NaN, the other.
#[inline(always)]
pub fn min(x: f32, y: f32) -> f32 {
    x.min(y)
}

#[inline(always)]
pub fn max(x: f32, y: f32) -> f32 {
    x.max(y)
}

#[inline(always)]
pub fn saturate(x: f32) -> f32 {
    min(max(x, 0.0), 1.0)
}

/// `x - turns * PI`, with PI in four parts to keep precision.
#[inline(always)]
fn without_half_turns(x: f32, turns: f32) -> f32 {
    const PARTS: [f32; 4] = [3.140_625, 9.670_257_6e-4, 6.277_114e-7, 1.215_420_1e-10];
    let rest = x - turns * PARTS[0] - turns * PARTS[1] - turns * PARTS[2] - turns * PARTS[3];
    // If the argument is too large to determine its angle, the result stays in the range of a sine.
    rest.clamp(-FRAC_PI_2, FRAC_PI_2)
}

/// The sine of an angle between -PI/2 and PI/2.
#[inline(always)]
fn sine_near_zero(x: f32) -> f32 {
    let z = x * x;
    let tail = (((-2.505_210_8e-8 * z + 2.755_731_9e-6) * z - 1.984_127e-4) * z + 8.333_333e-3) * z - 1.666_666_7e-1;
    x + x * z * tail
}

/// Negates `x` for an odd number of half turns; `raw` is that number plus [`ROUNDER`].
#[inline(always)]
fn flipped(x: f32, raw: f32) -> f32 {
    f32::from_bits(x.to_bits() ^ (raw.to_bits() << 31))
}

#[inline(always)]
pub fn sin(x: f32) -> f32 {
    let raw = x * (1.0 / PI) + ROUNDER;
    flipped(sine_near_zero(without_half_turns(x, raw - ROUNDER)), raw)
}

#[inline(always)]
pub fn cos(x: f32) -> f32 {
    let raw = x * (1.0 / PI) - 0.5 + ROUNDER;
    let turns = (raw - ROUNDER) + 0.5;
    -flipped(sine_near_zero(without_half_turns(x, turns)), raw)
}

#[inline(always)]
pub fn tan(x: f32) -> f32 {
    sin(x) / cos(x)
}

#[inline(always)]
pub fn exp2(x: f32) -> f32 {
    let held = x.clamp(-160.0, 160.0);
    let raw = held + ROUNDER;
    let f = (held - (raw - ROUNDER)) * LN_2;
    let whole = raw.to_bits().wrapping_sub(ROUNDER.to_bits()).cast_signed();
    let high = ((f * (1.0 / 5_040.0) + 1.0 / 720.0) * f + 1.0 / 120.0) * f + 1.0 / 24.0;
    let value = (((high * f + 1.0 / 6.0) * f + 0.5) * f + 1.0) * f + 1.0;
    // Two factors, because one alone cannot represent 2^-150 or 2^130.
    let half = whole >> 1;
    value * power_of_two(half) * power_of_two(whole - half)
}

#[inline(always)]
fn power_of_two(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) << 23).cast_unsigned())
}

#[inline(always)]
pub fn exp(x: f32) -> f32 {
    exp2(x * LOG2_E)
}

#[inline(always)]
#[allow(clippy::cast_precision_loss, reason = "an exponent is a small number")]
pub fn log2(x: f32) -> f32 {
    let bits = x.to_bits();
    // The mantissa is between sqrt(1/2) and sqrt(2), where the series converges fast.
    let shifted = bits.wrapping_sub(0x3f35_04f3).cast_signed();
    let exponent = shifted >> 23;
    let mantissa = f32::from_bits(bits.wrapping_sub((exponent << 23).cast_unsigned()));
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let z = s * s;
    let series = (((z * (1.0 / 9.0) + 1.0 / 7.0) * z + 1.0 / 5.0) * z + 1.0 / 3.0) * z * s + s;
    let value = exponent as f32 + series * (2.0 * LOG2_E);
    let finite = if x < f32::INFINITY { value } else { x };
    let positive = if x >= f32::MIN_POSITIVE { finite } else { f32::NEG_INFINITY };
    if x < 0.0 { f32::NAN } else { positive }
}

#[inline(always)]
pub fn log(x: f32) -> f32 {
    log2(x) * LN_2
}

#[inline(always)]
pub fn pow(x: f32, y: f32) -> f32 {
    let value = exp2(y * log2(x));
    if y == 0.0 { 1.0 } else { value }
}

/// The arctangent of `t`, for `t` between 0 and 1.
#[inline(always)]
fn arc(t: f32) -> f32 {
    const TAN_EIGHTH: f32 = SQRT_2 - 1.0;
    let steep = t > TAN_EIGHTH;
    let x = if steep { (t - 1.0) / (t + 1.0) } else { t };
    let z = x * x;
    let tail = ((8.053_745e-2 * z - 1.387_768_6e-1) * z + 1.997_771_1e-1) * z - 3.333_295e-1;
    let angle = x + x * z * tail;
    if steep { angle + FRAC_PI_4 } else { angle }
}

#[inline(always)]
pub fn atan2(y: f32, x: f32) -> f32 {
    let (across, along) = (y.abs(), x.abs());
    let steep = across > along;
    let (small, large) = if steep { (along, across) } else { (across, along) };
    let ratio = if large > 0.0 { small / large } else { 0.0 };
    // Infinity over infinity is taken as the diagonal.
    let angle = arc(if small < f32::INFINITY { ratio } else { 1.0 });
    let angle = if steep { FRAC_PI_2 - angle } else { angle };
    let angle = if x < 0.0 { PI - angle } else { angle };
    angle.copysign(y)
}

#[inline(always)]
pub fn atan(x: f32) -> f32 {
    atan2(x, 1.0)
}

#[inline(always)]
pub fn asin(x: f32) -> f32 {
    atan2(x, (1.0 - x * x).sqrt())
}

#[inline(always)]
pub fn acos(x: f32) -> f32 {
    atan2((1.0 - x * x).sqrt(), x)
}

#[inline(always)]
pub fn sinh(x: f32) -> f32 {
    0.5 * (exp(x) - exp(-x))
}

#[inline(always)]
pub fn cosh(x: f32) -> f32 {
    0.5 * (exp(x) + exp(-x))
}

#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let e = exp(2.0 * x.clamp(-12.0, 12.0));
    (e - 1.0) / (e + 1.0)
}

#[inline(always)]
pub fn asinh(x: f32) -> f32 {
    let far = x.abs();
    log(far + (far * far + 1.0).sqrt()).copysign(x)
}

#[inline(always)]
pub fn acosh(x: f32) -> f32 {
    log(x + (x * x - 1.0).sqrt())
}

#[inline(always)]
pub fn atanh(x: f32) -> f32 {
    0.5 * log((1.0 + x) / (1.0 - x))
}

#[inline(always)]
pub fn step(edge: f32, x: f32) -> f32 {
    if edge <= x { 1.0 } else { 0.0 }
}

#[inline(always)]
pub fn mix(x: f32, y: f32, share: f32) -> f32 {
    x * (1.0 - share) + y * share
}

#[inline(always)]
pub fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = saturate((x - low) / (high - low));
    t * t * (3.0 - 2.0 * t)
}

/// `x * 2^exponent`, for every exponent that can give a finite, non-zero float.
#[inline(always)]
pub fn ldexp(x: f32, exponent: i32) -> f32 {
    let held = exponent.clamp(-280, 280);
    let third = held / 3;
    x * power_of_two(third) * power_of_two(third) * power_of_two(held - 2 * third)
}

/// Splits `x` into a fraction from 1/2 to 1 and an exponent of two.
#[inline(always)]
pub fn frexp(x: f32) -> (f32, i32) {
    let special = x == 0.0 || !x.is_finite();
    // Subnormal numbers are scaled up first.
    let tiny = x.abs() < f32::MIN_POSITIVE;
    let scaled = if tiny { x * 16_777_216.0 } else { x };
    let bits = scaled.to_bits();
    let exponent = ((bits >> 23) & 0xff).cast_signed() - 126 - if tiny { 24 } else { 0 };
    let fraction = f32::from_bits((bits & 0x807f_ffff) | 0x3f00_0000);
    if special { (x, 0) } else { (fraction, exponent) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "these values are exact")]

    use super::*;
    use proptest::prelude::*;

    /// Whether `found` is near `exact`: the tolerance is relative for values above 1, and absolute below.
    #[allow(clippy::cast_possible_truncation, reason = "the test rounds to the precision under test")]
    fn close(found: f32, exact: f64, tolerance: f64) -> bool {
        let rounded = exact as f32;
        if rounded.is_nan() {
            return found.is_nan();
        }
        if rounded.is_infinite() {
            return found == rounded || found.abs() > 3.3e38;
        }
        (f64::from(found) - exact).abs() <= tolerance * exact.abs().max(1.0)
    }

    proptest! {
        #[test]
        fn angles_are_as_the_library_computes_them(x in -3000.0f32..3000.0, y in -50.0f32..50.0) {
            let wide = f64::from(x);
            prop_assert!(close(sin(x), wide.sin(), 4e-7), "sin {x}: {}", sin(x));
            prop_assert!(close(cos(x), wide.cos(), 4e-7), "cos {x}: {}", cos(x));
            prop_assert!(close(atan(x), wide.atan(), 3e-7), "atan {x}");
            prop_assert!(close(atan2(y, x), f64::from(y).atan2(wide), 4e-7), "atan2 {y} {x}: {}", atan2(y, x));
        }

        #[test]
        fn powers_are_as_the_library_computes_them(x in -100.0f32..100.0, y in 1e-6f32..1e6, z in -4.0f32..4.0) {
            prop_assert!(close(exp2(x), f64::from(x).exp2(), 4e-7), "exp2 {x}");
            prop_assert!(close(exp(x * 0.8), f64::from(x * 0.8).exp(), 1e-5), "exp {x}");
            prop_assert!(close(log2(y), f64::from(y).log2(), 3e-7), "log2 {y}: {}", log2(y));
            prop_assert!(close(log(y), f64::from(y).ln(), 3e-7), "log {y}");
            prop_assert!(close(pow(y, z), f64::from(y).powf(f64::from(z)), 2e-5), "pow {y} {z}");
        }

        #[test]
        fn hyperbolic_and_inverse_functions_are_near(x in -8.0f32..8.0, u in -0.999f32..0.999, v in 1.001f32..900.0) {
            let wide = f64::from(x);
            prop_assert!(close(sinh(x), wide.sinh(), 2e-6) && close(cosh(x), wide.cosh(), 2e-6) && close(tanh(x), wide.tanh(), 1e-6));
            prop_assert!(close(asinh(x), wide.asinh(), 1e-6));
            prop_assert!(close(acosh(v), f64::from(v).acosh(), 2e-5), "acosh {v}");
            prop_assert!(close(atanh(u), f64::from(u).atanh(), 1e-5), "atanh {u}");
            prop_assert!(close(asin(u), f64::from(u).asin(), 2e-6) && close(acos(u), f64::from(u).acos(), 2e-6));
        }

        #[test]
        fn rounding_is_exact_for_every_number(bits in any::<u32>()) {
            let x = f32::from_bits(bits);
            prop_assume!(!x.is_nan());
            prop_assert_eq!(floor(x), x.floor());
            prop_assert_eq!(ceil(x), x.ceil());
            prop_assert_eq!(trunc(x), x.trunc());
            prop_assert_eq!(round(x), x.round_ties_even());
        }

        #[test]
        fn frexp_and_ldexp_are_inverse(bits in any::<u32>()) {
            let x = f32::from_bits(bits);
            prop_assume!(x.is_finite());
            let (fraction, exponent) = frexp(x);
            prop_assert!(x == 0.0 || (0.5..1.0).contains(&fraction.abs()));
            prop_assert_eq!(ldexp(fraction, exponent), x);
        }
    }

    #[test]
    fn edges_have_defined_values() {
        assert_eq!(log2(0.0), f32::NEG_INFINITY);
        assert!(log2(-1.0).is_nan());
        assert_eq!(log2(f32::INFINITY), f32::INFINITY);
        assert_eq!(pow(0.0, 0.0), 1.0);
        assert_eq!(pow(0.0, 2.0), 0.0);
        assert_eq!(exp(-1e30), 0.0);
        assert_eq!(exp(1e30), f32::INFINITY);
        assert!(sin(1e30).abs() <= 1.0 && cos(-3e38).abs() <= 1.0);
        assert_eq!(atan2(0.0, 0.0), 0.0);
        assert_eq!(atan2(f32::INFINITY, f32::INFINITY), FRAC_PI_4);
        assert_eq!(rem(-5.5, 2.0), -1.5);
        for x in [4_359_520.5f32, -4_359_520.5, 8_388_607.5, -0.5, 0.5, 1.5] {
            assert_eq!((floor(x), ceil(x), round(x)), (x.floor(), x.ceil(), x.round_ties_even()), "of {x}");
        }
    }
}
