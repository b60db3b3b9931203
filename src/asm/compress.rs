//! Compression, FIPS 203 (4.7) and (4.8), fused with the codecs, in plain Rust.

use super::backend::Q;
use super::encode::{byte_decode, byte_encode};
use super::reduce::canonical;

/// Compress_D of a canonical x: round(2^D x / q) mod 2^D.
///
/// No tie exists, since q is odd. The division by q is a multiplication by 2^36 / q, rounded up:
/// the error n (2^36 / q + 1) / 2^36 - n / q < n / 2^36 stays below 1/q for n < 2^24.
#[inline(always)]
pub(super) fn compress_coefficient<const D: usize>(x: u16) -> u16 {
    const RECIPROCAL: u64 = (1u64 << 36).div_ceil(Q as u64);
    let n = (u64::from(x) << D) + (Q as u64 >> 1);
    ((n * RECIPROCAL) >> 36) as u16 & ((1 << D) - 1)
}

/// Decompress_D of y < 2^D: round(q y / 2^D), ties up.
#[inline(always)]
pub(super) fn decompress_coefficient<const D: usize>(y: u16) -> u16 {
    ((u32::from(y) * Q as u32 + (1 << (D - 1))) >> D) as u16
}

/// See `Kernels::compress`.
#[inline(always)]
pub(super) fn compress<const D: usize>(f: &[i16; 256], bytes: &mut [u8]) {
    byte_encode::<D>(f, bytes, |x| {
        let [x] = canonical([x]);
        compress_coefficient::<D>(x as u16)
    });
}

/// See `Kernels::decompress`.
#[inline(always)]
pub(super) fn decompress<const D: usize>(bytes: &[u8], f: &mut [i16; 256]) {
    byte_decode::<D>(bytes, f, |y| decompress_coefficient::<D>(y) as i16);
}
