//! Compression, FIPS 203 (4.7) and (4.8), over lanes; and fused with the codecs, in plain Rust.

use super::backend::Q;
use super::encode::{byte_decode, byte_encode};
use super::lanes::Lanes;

/// Compress_D of any x with |x| < 2q: round(2^D x / q) mod 2^D.
///
/// x need not be canonical: q more in x is 2^D more in the result. The estimate is that of an x
/// about q / 2^(D + 1) lower, so that it is right, or, where more than q/2 remains, too low by 1. No
/// tie exists, since q is odd.
#[inline(always)]
pub(super) fn compress_lanes<L: Lanes, const D: usize>(x: L) -> L {
    // round(2^15 2^D / q)
    let factor = const { ((2 << (15 + D)) + Q as i64).div_euclid(2 * Q as i64) as i16 };
    let lower = x.sub(L::splat(const { (Q + (1 << D)) >> (D + 1) }));
    let estimate = lower.mul_round_high(L::splat(factor));
    // Below 2q in absolute value, so it is exact though the two sides are not.
    let remainder = x.shift_left(D).sub(estimate.mul_low(L::splat(Q)));
    estimate
        .increment_where_above(remainder, Q >> 1)
        .and(L::splat((1 << D) - 1))
}

/// Decompress_D of y < 2^D: round(q y / 2^D), ties up, which is (2^(15 - D) y q + 2^14) >> 15.
#[inline(always)]
pub(super) fn decompress_lanes<L: Lanes, const D: usize>(y: L) -> L {
    y.shift_left(15 - D).mul_round_high(L::splat(Q))
}

/// See `Kernels::compress`.
#[inline(always)]
pub(super) fn compress<const D: usize>(f: &[i16; 256], bytes: &mut [u8]) {
    byte_encode::<D>(f, bytes, |x| {
        let [y] = compress_lanes::<_, D>([x]);
        y as u16
    });
}

/// See `Kernels::decompress`.
#[inline(always)]
pub(super) fn decompress<const D: usize>(bytes: &[u8], f: &mut [i16; 256]) {
    byte_decode::<D>(bytes, f, |y| {
        let [x] = decompress_lanes::<_, D>([y as i16]);
        x
    });
}
