//! Fields of `D` bits, 4 <= D <= 12, to lanes and back. Eight fields are D bytes, a *group*; a
//! vector holds two groups, one in each half.

use super::super::super::lanes::Lanes;
use super::super::packing;
use super::lanes::{V, shuffle_bytes};
use core::arch::x86_64::*;

/// 16 bytes from `at` on.
#[inline(always)]
fn load(bytes: &[u8], at: usize) -> __m128i {
    let bytes: &[u8; 16] = bytes[at..].first_chunk().expect("16 bytes");
    simd!(_mm_loadu_si128(bytes.as_ptr().cast()))
}

/// Where to load 16 of 4 D bytes, so that they hold the group: as far on as there are 16.
const fn start(d: usize, group: usize) -> usize {
    let (start, last) = (d * group, 4 * d - 16);
    if start < last { start } else { last }
}

/// Where a shuffle finds the four bytes that pairs of fields begin in, in the halves of a vector
/// that two groups were loaded into; and the bits that lie before each pair.
const fn unpacking<const D: usize>(group: usize) -> ([u8; 32], [i32; 8]) {
    let (mut bytes, mut shifts) = ([0; 32], [0; 8]);
    let mut i = 0;
    while i < 32 {
        let (group, pair, byte) = (group + (i >> 4), (i >> 2) & 3, i & 3);
        // What this takes from beyond the 16 bytes lies above the pair's bits.
        let place = D * group - start(D, group) + ((2 * D * pair) >> 3) + byte;
        bytes[i] = (place & 15) as u8;
        shifts[i >> 2] = ((2 * D * pair) & 7) as i32;
        i += 1;
    }
    (bytes, shifts)
}

/// 32 fields, from 4 D bytes.
#[inline(always)]
pub(super) fn unpack<const D: usize>(bytes: &[u8]) -> [V; 2] {
    [
        unpack_groups::<D>(bytes, 0, const { &unpacking::<D>(0) }),
        unpack_groups::<D>(bytes, 2, const { &unpacking::<D>(2) }),
    ]
}

/// Two groups from `group` on.
#[inline(always)]
fn unpack_groups<const D: usize>(
    bytes: &[u8],
    group: usize,
    (index, shifts): &([u8; 32], [i32; 8]),
) -> V {
    let low = load(bytes, start(D, group));
    let high = load(bytes, start(D, group + 1));
    simd!({
        let pairs = shuffle_bytes(_mm256_set_m128i(high, low), index);
        let first = _mm256_srlv_epi32(pairs, _mm256_loadu_si256(shifts.as_ptr().cast()));
        let second = _mm256_sllv_epi32(first, _mm256_set1_epi32(16 - D as i32));
        V(_mm256_blend_epi16::<0b1010_1010>(first, second))
    })
    .and(V::splat((1 << D) - 1))
}

/// 32 D bytes, from `field` of every vector of `f`.
#[inline(always)]
pub(super) fn pack<const D: usize>(f: &[i16; 256], field: impl Fn(V) -> V, bytes: &mut [u8]) {
    // The bytes after a group are overwritten by the next one; those after the last would not be.
    let mut last = [0; 64];
    for (i, f) in f.as_chunks::<32>().0.iter().enumerate() {
        let to = match i {
            7 => &mut last,
            _ => &mut bytes[4 * D * i..],
        };
        for (j, f) in f.as_chunks().0.iter().enumerate() {
            let [low, high] = pack_groups::<D>(field(V::load(f)));
            store(low, to, 2 * D * j);
            store(high, to, 2 * D * j + D);
        }
    }
    bytes[28 * D..].copy_from_slice(&last[..4 * D]);
}

/// Stores 16 bytes from `at` on.
#[inline(always)]
fn store(v: __m128i, bytes: &mut [u8], at: usize) {
    let bytes: &mut [u8; 16] = bytes[at..].first_chunk_mut().expect("16 bytes");
    simd!(_mm_storeu_si128(bytes.as_mut_ptr().cast(), v));
}

/// The D bytes of each group, zeros behind them.
#[inline(always)]
fn pack_groups<const D: usize>(v: V) -> [__m128i; 2] {
    const fn twice(index: [u8; 16]) -> [u8; 32] {
        let mut twice = [0; 32];
        let mut i = 0;
        while i < 32 {
            twice[i] = index[i & 15];
            i += 1;
        }
        twice
    }
    let first = const { &twice(packing::<D, 16>().0) };
    let second = const { &twice(packing::<D, 16>().1) };
    let unused = const { 32 - 2 * D as i64 };
    simd!({
        let pairs = _mm256_madd_epi16(v.0, _mm256_set1_epi32(1 + (1 << (16 + D))));
        let adjacent = _mm256_sllv_epi32(pairs, _mm256_set1_epi64x(unused));
        let quads = _mm256_srlv_epi64(adjacent, _mm256_set1_epi64x(unused));
        let packed = if D & 1 == 0 {
            shuffle_bytes(quads, first)
        } else {
            // Every second quadword begins in the middle of a byte.
            let quads = _mm256_sllv_epi64(quads, _mm256_set_epi64x(4, 0, 4, 0));
            _mm256_or_si256(shuffle_bytes(quads, first), shuffle_bytes(quads, second))
        };
        [
            _mm256_castsi256_si128(packed),
            _mm256_extracti128_si256::<1>(packed),
        ]
    })
}
