//! Compression, FIPS 203 (4.7) and (4.8), over lanes; and fused with the codecs, in plain Rust.

use super::backend::Q;
use super::encode::{byte_decode, byte_encode};
use super::lanes::Lanes;

/// Compress_D of any x with |x| < 2q: round(2^D x / q) mod 2^D.
///
/// x need not be canonical: q more in x is 2^D more in the result. The estimate
/// round(x factor / 2^15) is off by 1/2 from its own rounding and by less than 2q / 2^16 from that
/// of the factor, so its remainder tells where one has to be added or taken off. No tie exists,
/// since q is odd.
#[inline(always)]
pub(super) fn compress_lanes<L: Lanes, const D: usize>(x: L) -> L {
    // round(2^15 2^D / q)
    let factor = const { ((2 << (15 + D)) + Q as i64).div_euclid(2 * Q as i64) as i16 };
    let estimate = x.mul_round_high(L::splat(factor));
    // Below 2q in absolute value, so it is exact though the two sides are not.
    let remainder = x.shift_left(D).sub(estimate.mul_low(L::splat(Q)));
    let (half_q, one) = (L::splat(Q >> 1), L::splat(1));
    let too_low = half_q.sub(remainder).where_negative(one);
    let too_high = half_q.add(remainder).where_negative(one);
    estimate
        .add(too_low)
        .sub(too_high)
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
