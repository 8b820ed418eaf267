//! Exponential function and logarithm by addition, multiplication and division alone, which give the same bits on every machine;
//! those of the standard library may differ in the last bit.

use std::f64::consts::{LN_2, LOG2_E, SQRT_2};

/// Returns e to the power of `x`; 0 below 2⁻¹⁰⁰⁰.
pub(super) fn exp(x: f64) -> f64 {
    let exponent = (x * LOG2_E).round();
    if exponent < -1000.0 {
        return 0.0;
    }
    let rest = x - exponent * LN_2;
    // The terms of the series, the last first.
    let series = (1..=14).rev().fold(1.0, |sum, n| 1.0 + sum * rest / f64::from(n));
    series * power_of_two(exponent.min(1000.0) as i64)
}

/// Returns the natural logarithm of a normal number above 0.
pub(super) fn ln(x: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    let mut exponent = (x.max(f64::MIN_POSITIVE).to_bits() >> 52 & 0x7ff) as i64 - 1023;
    let mut mantissa = f64::from_bits(x.max(f64::MIN_POSITIVE).to_bits() & MANTISSA | 1023 << 52);
    if mantissa > SQRT_2 {
        (mantissa, exponent) = (mantissa / 2.0, exponent + 1);
    }
    let ratio = (mantissa - 1.0) / (mantissa + 1.0);
    let square = ratio * ratio;
    let series = (0..=12).rev().fold(0.0, |sum, n| sum * square + 1.0 / f64::from(2 * n + 1));
    2.0 * ratio * series + exponent as f64 * LN_2
}

/// Returns 2 to this power, from −1000 to 1000.
fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_functions_are_those_of_the_standard_library() {
        for step in -2_000..2_000 {
            let x = f64::from(step) / 37.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-12, "exp({x})");
            let positive = x.exp();
            assert!((ln(positive) - x).abs() < 1e-12 * x.abs().max(1.0), "ln({positive})");
        }
        assert_eq!((exp(0.0), ln(1.0), exp(-1e9)), (1.0, 0.0, 0.0));
    }
}
