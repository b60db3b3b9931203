//! Modular arithmetic on 16-bit lanes: multiplication by constants, and reduction.

use super::backend::Q;
use super::lanes::Lanes;

/// A constant to multiply by modulo q, with what Barrett's method needs of it.
#[derive(Clone, Copy)]
pub(super) struct Constant {
    /// The constant, in -q/2..q/2.
    pub(super) value: i16,
    /// round(2^15 value / q).
    pub(super) quotient: i16,
}

impl Constant {
    /// Of the residue class of `x`.
    pub(super) const fn new(x: i64) -> Self {
        let q = Q as i64;
        let value = modulo(x + (q >> 1)) - (q >> 1);
        // Half up, on the non-negative numerator 2 * 2^15 * (value + q) + q.
        let quotient = floor_div((value << 16) + q, 2 * q);
        Self {
            value: value as i16,
            quotient: quotient as i16,
        }
    }
}

/// x mod q, in 0..q, of public constants at compile time.
pub(super) const fn modulo(x: i64) -> i64 {
    x - floor_div(x, Q as i64) * Q as i64
}

/// floor(x / y), of public constants at compile time.
#[allow(
    clippy::integer_division_remainder_used,
    reason = "of constants, at compile time"
)]
const fn floor_div(x: i64, y: i64) -> i64 {
    x.div_euclid(y)
}

/// The bound on [`multiply`] and [`barrett_reduce`] where |x| <= `bound`: q/2 + bound q / 2^16.
pub(super) const fn multiply_bound(bound: i64) -> i64 {
    ((Q as i64) * ((1 << 15) + bound)) >> 16
}

/// x * c modulo q, of absolute value at most [`multiply_bound`] of |x|: at most q for every x.
///
/// x c - round(x quotient / 2^15) q; the estimate of x c / q is off by at most 1/2, from its own
/// rounding, plus |x| / 2^16, from that of `quotient`.
#[inline(always)]
pub(super) fn multiply<L: Lanes>(x: L, c: Constant) -> L {
    multiply_lanes(x, L::splat(c.value), L::splat(c.quotient))
}

/// [`multiply`], a constant a lane.
#[inline(always)]
pub(super) fn multiply_lanes<L: Lanes>(x: L, value: L, quotient: L) -> L {
    x.mul_low(value)
        .sub(x.mul_round_high(quotient).mul_low(L::splat(Q)))
}

/// x modulo q, of absolute value at most [`multiply_bound`] of |x|.
#[inline(always)]
pub(super) fn barrett_reduce<L: Lanes>(x: L) -> L {
    const ONE: Constant = Constant::new(1);
    x.sub(
        x.mul_round_high(L::splat(ONE.quotient))
            .mul_low(L::splat(Q)),
    )
}

/// x modulo q in `0..q`, for any x.
#[inline(always)]
pub(super) fn canonical<L: Lanes>(x: L) -> L {
    barrett_reduce(x).add_where_negative(L::splat(Q))
}
