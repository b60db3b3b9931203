//! Samples by table look-up, straight to 16 bits.

use super::super::super::backend::{Q, XOF_BLOCK};
use super::super::super::cbd::cbd_table;
use super::super::super::lanes::Lanes;
use super::super::super::sample::COMPACTION;
use super::codec::fields_12;
use super::lanes::V;
use core::arch::aarch64::*;

/// The lower and the upper bytes of a vector as lanes, with their signs.
#[inline(always)]
fn widen(x: int8x16_t) -> [V; 2] {
    simd!([V(vmovl_s8(vget_low_s8(x))), V(vmovl_high_s8(x))])
}

/// SamplePolyCBD_2: half a byte looked up in a register gives the coefficient.
#[inline(always)]
pub(super) fn sample_poly_cbd_2(bytes: &[u8; 128], f: &mut [V; 32]) {
    let table = simd!(vld1q_s8(const { &cbd_table::<16>(2) }.as_ptr().cast()));
    for (bytes, f) in bytes
        .as_chunks::<16>()
        .0
        .iter()
        .zip(f.as_chunks_mut::<4>().0)
    {
        let [even, odd] = simd!({
            let bytes = vld1q_u8(bytes.as_ptr());
            let halves = [vandq_u8(bytes, vdupq_n_u8(15)), vshrq_n_u8::<4>(bytes)];
            halves.map(|index| widen(vqtbl1q_s8(table, index)))
        });
        for (i, pair) in f.as_chunks_mut().0.iter_mut().enumerate() {
            V::interleave::<1>(even[i], odd[i], pair);
        }
    }
}

/// SamplePolyCBD_3: six bits looked up in four registers give the coefficient. Three bytes hold
/// four coefficients.
#[inline(always)]
pub(super) fn sample_poly_cbd_3(bytes: &[u8; 192], f: &mut [V; 32]) {
    let table = simd!(vld1q_s8_x4(const { &cbd_table::<64>(3) }.as_ptr().cast()));
    for (bytes, f) in bytes
        .as_chunks::<48>()
        .0
        .iter()
        .zip(f.as_chunks_mut::<8>().0)
    {
        let [a, b, c, d] = simd!({
            let uint8x16x3_t(first, second, third) = vld3q_u8(bytes.as_ptr());
            let six = |x| vandq_u8(x, vdupq_n_u8(63));
            let fields = [
                six(first),
                six(vsriq_n_u8::<6>(vshlq_n_u8::<2>(second), first)),
                six(vsriq_n_u8::<4>(vshlq_n_u8::<4>(third), second)),
                vshrq_n_u8::<2>(third),
            ];
            fields.map(|index| widen(vqtbl4q_s8(table, index)))
        });
        for (i, f) in f.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let [V(a), V(b), V(c), V(d)] = [a[i], b[i], c[i], d[i]];
            simd!(vst4q_s16(f.as_mut_ptr().cast(), int16x8x4_t(a, b, c, d)));
        }
    }
}

/// How many bytes each set of lanes has.
static LEN: [u8; 256] = {
    let mut len = [0; 256];
    let mut set = 0;
    while set < 256 {
        len[set] = 2 * set.count_ones() as u8;
        set += 1;
    }
    len
};

/// Numbers in a block.
const NUMBERS: usize = 112;

/// See `Kernels::sample_ntt_vartime`.
#[inline(always)]
pub(super) fn sample_ntt_vartime(block: &[u8; XOF_BLOCK], f: &mut [i16; 256], n: usize) -> usize {
    // SAFETY: as many bytes, which need no alignment, and any two of them are an i16.
    let f = unsafe { &mut *f.as_mut_ptr().cast::<[u8; 512]>() };
    let at = match n <= 256 - NUMBERS {
        true => append_block_vartime::<true>(block, f, 2 * n),
        false => append_block_vartime::<false>(block, f, 2 * n),
    };
    at >> 1
}

/// Appends what is below q in a block, for all of which there is room if there is `ROOM`.
#[inline(always)]
fn append_block_vartime<const ROOM: bool>(
    block: &[u8; XOF_BLOCK],
    f: &mut [u8; 512],
    at: usize,
) -> usize {
    let mut at = at;
    for bytes in block.as_chunks().0 {
        let fields = fields_12(bytes);
        if ROOM || at <= 512 - 64 {
            for pairs in fields {
                at = append_pairs_vartime::<true>(pairs, f, at);
            }
            continue;
        }
        for pairs in fields {
            at = append_pairs_vartime::<false>(pairs, f, at);
        }
        if at == 512 {
            return at;
        }
    }
    // Half of such a chunk is left.
    let [_, second] = fields_12(block.last_chunk().expect("shorter than a block"));
    append_pairs_vartime::<ROOM>(second, f, at)
}

/// Appends what is below q of the even and the odd lanes of two vectors to the coefficients of
/// which `f` has `at` bytes.
#[inline(always)]
fn append_pairs_vartime<const ROOM: bool>(
    (even, odd): (uint16x8_t, uint16x8_t),
    f: &mut [u8; 512],
    at: usize,
) -> usize {
    let at = append_vartime::<ROOM>(simd!(vzip1q_u16(even, odd)), f, at);
    append_vartime::<ROOM>(simd!(vzip2q_u16(even, odd)), f, at)
}

/// Appends the lanes below q.
#[inline(always)]
fn append_vartime<const ROOM: bool>(v: uint16x8_t, f: &mut [u8; 512], at: usize) -> usize {
    const BITS: [u16; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
    let set = simd!({
        let below_q = vcltq_u16(v, vdupq_n_u16(Q as u16));
        usize::from(vaddvq_u16(vandq_u16(below_q, vld1q_u16(BITS.as_ptr()))))
    });
    // SAFETY: the sum of eight different bits.
    unsafe { core::hint::assert_unchecked(set < 256) };
    let front = simd!({
        let index = vld1q_u8(COMPACTION[set].as_ptr());
        vqtbl1q_u8(vreinterpretq_u8_u16(v), index)
    });
    let len = usize::from(LEN[set]);
    if ROOM {
        // SAFETY: there was room for a block, and at most what came before of it has been appended.
        unsafe { core::hint::assert_unchecked(at <= 512 - 16) };
    } else if at > 512 - 16 {
        return append_last_vartime(front, len, f, at);
    }
    let to: &mut [u8; 16] = f[at..].first_chunk_mut().expect("16 more");
    simd!(vst1q_u8(to.as_mut_ptr(), front));
    at + len
}

/// Appends the first `len` bytes, as far as there is room.
#[cold]
fn append_last_vartime(front: uint8x16_t, len: usize, f: &mut [u8; 512], at: usize) -> usize {
    let (mut bytes, room) = ([0; 16], &mut f[at..]);
    simd!(vst1q_u8(bytes.as_mut_ptr(), front));
    let len = len.min(room.len());
    room[..len].copy_from_slice(&bytes[..len]);
    at + len
}
