//! The codecs and the sampling: samples by tables in registers (`vpshufb`), and rejection by a table
//! of shuffles.

use super::super::super::backend::{Q, XOF_BLOCK};
use super::super::super::cbd::cbd_table;
use super::super::super::compress::{compress_lanes, decompress_lanes};
use super::super::super::lanes::Lanes;
use super::super::super::sample::COMPACTION;
use super::fields::{pack, unpack};
use super::lanes::V;
use core::arch::x86_64::*;

#[inline(always)]
fn compress_1(f: &[i16; 256], bytes: &mut [u8]) {
    for (f, bytes) in f.as_chunks::<32>().0.iter().zip(bytes.as_chunks_mut().0) {
        let mut v = [V::splat(0); 2];
        for (v, f) in v.iter_mut().zip(f.as_chunks().0) {
            *v = compress_lanes::<V, 1>(V::load(f)).shift_left(15);
        }
        let signs = simd!(_mm256_packs_epi16(v[0].0, v[1].0));
        let in_order = simd!(_mm256_permute4x64_epi64::<0b11_01_10_00>(signs));
        *bytes = simd!(_mm256_movemask_epi8(in_order)).to_le_bytes();
    }
}

#[inline(always)]
fn decompress_fields<const D: usize>(bytes: &[u8], f: &mut [i16; 256]) {
    for (bytes, f) in bytes.chunks_exact(4 * D).zip(f.as_chunks_mut::<32>().0) {
        for (y, f) in unpack::<D>(bytes).into_iter().zip(f.as_chunks_mut().0) {
            decompress_lanes::<V, D>(y).store(f);
        }
    }
}

#[inline(always)]
fn decompress_1(bytes: &[u8], f: &mut [i16; 256]) {
    const BITS: [i16; 16] = {
        let mut bits = [0; 16];
        let mut i = 0;
        while i < 16 {
            bits[i] = 1 << i;
            i += 1;
        }
        bits
    };
    let bits = V::load(&BITS);
    for (bytes, f) in bytes.as_chunks().0.iter().zip(f.as_chunks_mut().0) {
        let bit = V::splat(i16::from_le_bytes(*bytes)).and(bits);
        let ones = V(simd!(_mm256_cmpeq_epi16(bit.0, bits.0)));
        decompress_lanes::<V, 1>(ones.and(V::splat(1))).store(f);
    }
}

/// SamplePolyCBD_2: half a byte looked up in a register gives the coefficient.
#[inline(always)]
fn sample_poly_cbd_2(bytes: &[u8; 128], f: &mut [i16; 256]) {
    for (bytes, f) in bytes.as_chunks::<8>().0.iter().zip(f.as_chunks_mut().0) {
        simd!({
            let table = _mm_loadu_si128(const { &cbd_table::<16>(2) }.as_ptr().cast());
            let bytes = _mm_cvtsi64_si128(i64::from_le_bytes(*bytes));
            // Each byte twice: of the first, the low half; of the second, the high one.
            let (low, high) = (bytes, _mm_srli_epi16::<4>(bytes));
            let halves = _mm_and_si128(_mm_unpacklo_epi8(low, high), _mm_set1_epi8(15));
            V(_mm256_cvtepi8_epi16(_mm_shuffle_epi8(table, halves))).store(f);
        });
    }
}

/// SamplePolyCBD_3: each half of a field of six bits is looked up in a register for its ones.
#[inline(always)]
fn sample_poly_cbd_3(bytes: &[u8; 192], f: &mut [i16; 256]) {
    const ONES: [u8; 32] = {
        let mut ones = [0; 32];
        let mut bits = 0;
        while bits < 32 {
            ones[bits] = (bits & 7).count_ones() as u8;
            bits += 1;
        }
        ones
    };
    let chunks = f.as_chunks_mut::<32>().0;
    for (bytes, f) in bytes.as_chunks::<24>().0.iter().zip(chunks) {
        for (V(fields), f) in unpack::<6>(bytes).into_iter().zip(f.as_chunks_mut().0) {
            simd!({
                let table = _mm256_loadu_si256(ONES.as_ptr().cast());
                let halves = _mm256_or_si256(fields, _mm256_slli_epi16::<5>(fields));
                let halves = _mm256_and_si256(halves, _mm256_set1_epi8(7));
                let ones = _mm256_shuffle_epi8(table, halves);
                let first_minus_second = _mm256_set1_epi16(i16::from_le_bytes([1, 0xff]));
                V(_mm256_maddubs_epi16(ones, first_minus_second)).store(f);
            });
        }
    }
}

/// Appends the lanes of `v` below q to the `n` coefficients of `f`.
#[inline(always)]
fn append_vartime(V(v): V, f: &mut [i16; 256], n: usize) -> usize {
    let (sets, halves) = simd!({
        let below_q = _mm256_cmpgt_epi16(V::splat(Q).0, v);
        let sets = _mm256_movemask_epi8(_mm256_packs_epi16(below_q, below_q));
        let halves = [_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v)];
        (sets.to_le_bytes(), halves)
    });
    let n = append_set_vartime(halves[0], sets[0], f, n);
    append_set_vartime(halves[1], sets[2], f, n)
}

/// Appends the lanes of `v` that are in the set.
#[inline(always)]
fn append_set_vartime(v: __m128i, set: u8, f: &mut [i16; 256], n: usize) -> usize {
    let v = simd!({
        let index = _mm_loadu_si128(COMPACTION[usize::from(set)].as_ptr().cast());
        _mm_shuffle_epi8(v, index)
    });
    let count = set.count_ones() as usize;
    if let Some(to) = f[n..].first_chunk_mut::<8>() {
        simd!(_mm_storeu_si128(to.as_mut_ptr().cast(), v));
        return n + count;
    }
    let (mut last, rest) = ([0; 8], &mut f[n..]);
    simd!(_mm_storeu_si128(last.as_mut_ptr().cast(), v));
    let room = rest.len();
    rest.copy_from_slice(&last[..room]);
    n + count.min(room)
}

/// See `Kernels::byte_encode_12`.
#[inline(always)]
pub(in super::super) fn byte_encode_12(f: &[i16; 256], bytes: &mut [u8; 384]) {
    pack::<12>(f, |x| x, bytes);
}

/// See `Kernels::byte_decode_12`.
#[inline(always)]
pub(in super::super) fn byte_decode_12(bytes: &[u8; 384], f: &mut [i16; 256]) -> bool {
    let mut below_q = V::splat(-1);
    let chunks = f.as_chunks_mut::<32>().0;
    for (bytes, f) in bytes.as_chunks::<48>().0.iter().zip(chunks) {
        for (y, f) in unpack::<12>(bytes).into_iter().zip(f.as_chunks_mut().0) {
            // Below 2^12 < 2q, so one subtraction reduces.
            let x = y.sub(V::splat(Q));
            below_q = below_q.and(x);
            x.add(x.where_negative(V::splat(Q))).store(f);
        }
    }
    let signs = simd!(_mm256_movemask_epi8(_mm256_srai_epi16::<15>(below_q.0)));
    signs == -1
}

/// See `Kernels::sample_ntt_vartime`.
#[inline(always)]
pub(in super::super) fn sample_ntt_vartime(
    block: &[u8; XOF_BLOCK],
    f: &mut [i16; 256],
    n: usize,
) -> usize {
    let mut n = n;
    for bytes in block.as_chunks::<48>().0 {
        for v in unpack::<12>(bytes) {
            n = append_vartime(v, f, n);
        }
    }
    // Half of such a chunk is left.
    let [_, v] = unpack::<12>(&block[XOF_BLOCK - 48..]);
    append_vartime(v, f, n)
}

/// See `Kernels::sample_poly_cbd`.
#[inline(always)]
pub(in super::super) fn sample_poly_cbd(eta: usize, bytes: &[u8], f: &mut [i16; 256]) {
    match eta {
        2 => sample_poly_cbd_2(bytes.try_into().expect("64 eta bytes"), f),
        3 => sample_poly_cbd_3(bytes.try_into().expect("64 eta bytes"), f),
        _ => unreachable!("eta is 2 or 3"),
    }
}

/// See `Kernels::compress`.
#[inline(always)]
pub(in super::super) fn compress(d: usize, f: &[i16; 256], bytes: &mut [u8]) {
    match d {
        1 => compress_1(f, bytes),
        4 => pack::<4>(f, compress_lanes::<V, 4>, bytes),
        5 => pack::<5>(f, compress_lanes::<V, 5>, bytes),
        10 => pack::<10>(f, compress_lanes::<V, 10>, bytes),
        11 => pack::<11>(f, compress_lanes::<V, 11>, bytes),
        _ => unreachable!("d is 1, 4, 5, 10 or 11"),
    }
}

/// See `Kernels::decompress`.
#[inline(always)]
pub(in super::super) fn decompress(d: usize, bytes: &[u8], f: &mut [i16; 256]) {
    match d {
        1 => decompress_1(bytes, f),
        4 => decompress_fields::<4>(bytes, f),
        5 => decompress_fields::<5>(bytes, f),
        10 => decompress_fields::<10>(bytes, f),
        11 => decompress_fields::<11>(bytes, f),
        _ => unreachable!("d is 1, 4, 5, 10 or 11"),
    }
}
