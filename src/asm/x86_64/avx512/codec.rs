//! The codecs and the sampling, with the instructions of VBMI and VBMI2: fields of any width are
//! unpacked by `vpermb` and `vpmultishiftqb`, packed by multiply-add and `vpermb`, sampled by table
//! (`vpermb`) and by `vpcompressw`.

use super::super::super::backend::{Q, XOF_BLOCK};
use super::super::super::cbd::cbd_table;
use super::super::super::compress::{compress_lanes, decompress_lanes};
use super::super::super::lanes::Lanes;
use super::super::packing;
use super::Tier;
use super::lanes::{V, vectors};
use core::arch::x86_64::*;

/// The token of F, BW, VL, VBMI and VBMI2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vbmi2(());

/// 64 constant bytes.
#[inline(always)]
fn constant(bytes: &[u8; 64]) -> __m512i {
    simd!(_mm512_loadu_si512(bytes.as_ptr().cast()))
}

/// The bytes of `v` at the places that `index` has, modulo 64.
#[inline(always)]
fn bytes_at(V(v): V, index: &[u8; 64]) -> V {
    simd!(V(_mm512_permutexvar_epi8(constant(index), v)))
}

/// 48 bytes, zeros behind them. In two loads: one with a constant mask becomes an expansion from
/// memory, which is slow.
#[inline(always)]
fn load_48(bytes: &[u8; 48]) -> V {
    simd!({
        let low = _mm512_zextsi256_si512(_mm256_loadu_si256(bytes.as_ptr().cast()));
        let high = _mm_loadu_si128(bytes[32..].as_ptr().cast());
        V(_mm512_inserti32x4::<2>(low, high))
    })
}

/// Stores the first `N <= 64` bytes of `v`.
#[inline(always)]
fn store_bytes<const N: usize>(v: V, bytes: &mut [u8; N]) {
    const { assert!(N <= 64) };
    simd!(_mm512_mask_storeu_epi8(
        bytes.as_mut_ptr().cast(),
        u64::MAX >> (64 - N),
        v.0
    ));
}

/// Where the bits of eight fields of `D` bits, four to a quadword, are brought by `vpermb`, and the
/// offsets at which `vpmultishiftqb` then reads the low and high byte of each.
const fn unpacking<const D: usize>() -> ([u8; 64], [u8; 64]) {
    let (mut bytes, mut offsets) = ([0; 64], [0; 64]);
    let mut i = 0;
    while i < 64 {
        let (quad, byte) = (i >> 3, i & 7);
        let first_bit = 4 * D * quad;
        bytes[i] = ((first_bit >> 3) + byte) as u8 & 63;
        offsets[i] = ((first_bit & 7) + D * (byte >> 1) + 8 * (byte & 1)) as u8 & 63;
        i += 1;
    }
    (bytes, offsets)
}

/// 32 fields of `D` bits, from the 4 D bytes that `v` begins with.
#[inline(always)]
fn unpack<const D: usize>(v: V) -> V {
    let (bytes, offsets) = const { &unpacking::<D>() };
    let quads = bytes_at(v, bytes);
    let fields = simd!(V(_mm512_multishift_epi64_epi8(constant(offsets), quads.0)));
    fields.and(V::splat((1 << D) - 1))
}

/// The bytes at the places that `index` has; zeros where that is 0xff.
#[inline(always)]
fn select_bytes(v: V, index: &[u8; 64]) -> V {
    let index = constant(index);
    simd!(V(_mm512_maskz_permutexvar_epi8(
        !_mm512_movepi8_mask(index),
        index,
        v.0
    )))
}

/// 4 D bytes, from 32 fields of `D` bits.
#[inline(always)]
fn pack<const D: usize>(v: V) -> V {
    let (first, second) = const { &packing::<D, 64>() };
    let unused = (32 - 2 * D) as i64;
    let quads = simd!({
        let pairs = _mm512_madd_epi16(v.0, _mm512_set1_epi32(1 + (1 << (16 + D))));
        let adjacent = _mm512_sllv_epi32(pairs, _mm512_set1_epi64(unused));
        _mm512_srlv_epi64(adjacent, _mm512_set1_epi64(unused))
    });
    if D & 1 == 0 {
        return select_bytes(V(quads), first);
    }
    // Every second quadword begins in the middle of a byte.
    let quads = V(simd!(_mm512_sllv_epi64(
        quads,
        _mm512_set_epi64(4, 0, 4, 0, 4, 0, 4, 0)
    )));
    let (first, second) = (select_bytes(quads, first), select_bytes(quads, second));
    V(simd!(_mm512_or_si512(first.0, second.0)))
}

#[inline(always)]
fn compress<const D: usize>(f: &[i16; 256], bytes: &mut [u8]) {
    for (f, bytes) in f.as_chunks().0.iter().zip(bytes.chunks_exact_mut(4 * D)) {
        let packed = pack::<D>(compress_lanes::<V, D>(V::load(f)));
        simd!(_mm512_mask_storeu_epi8(
            bytes.as_mut_ptr().cast(),
            const { u64::MAX >> (64 - 4 * D) },
            packed.0
        ));
    }
}

#[inline(always)]
fn decompress<const D: usize>(bytes: &[u8], f: &mut [i16; 256]) {
    for (bytes, f) in bytes.chunks_exact(4 * D).zip(f.as_chunks_mut().0) {
        let packed = simd!(V(_mm512_maskz_loadu_epi8(
            const { u64::MAX >> (64 - 4 * D) },
            bytes.as_ptr().cast()
        )));
        decompress_lanes::<V, D>(unpack::<D>(packed)).store(f);
    }
}

/// SamplePolyCBD: a field of bits looked up in a register gives the coefficient's low byte, whose
/// sign is then extended. `D` = 2 `ETA`.
#[inline(always)]
fn sample_poly_cbd<const ETA: u32, const D: usize>(bytes: &[u8], f: &mut [i16; 256]) {
    let table = constant(const { &cbd_table::<64>(ETA) });
    for (bytes, f) in bytes.chunks_exact(4 * D).zip(f.as_chunks_mut().0) {
        let packed = simd!(V(_mm512_maskz_loadu_epi8(
            const { u64::MAX >> (64 - 4 * D) },
            bytes.as_ptr().cast()
        )));
        let fields = unpack::<D>(packed);
        simd!({
            let low = _mm512_slli_epi16::<8>(_mm512_permutexvar_epi8(fields.0, table));
            V(_mm512_srai_epi16::<8>(low)).store(f);
        });
    }
}

/// Appends the lanes of `v` that are in `lanes` and below q to the `n` coefficients of `f`.
#[inline(always)]
fn append_vartime(V(v): V, lanes: u32, f: &mut [i16; 256], n: usize) -> usize {
    simd!({
        let accepted = lanes & _mm512_cmplt_epi16_mask(v, V::splat(Q).0);
        let v = V(_mm512_maskz_compress_epi16(accepted, v));
        let count = accepted.count_ones() as usize;
        let rest = &mut f[n..];
        if let Some(to) = rest.first_chunk_mut() {
            v.store(to);
            return n + count;
        }
        let room = rest.len();
        let places = (1 << room) - 1;
        _mm512_mask_storeu_epi16(rest.as_mut_ptr().cast(), places, v.0);
        n + count.min(room)
    })
}

impl Tier for Vbmi2 {
    const NAME: &'static str = "avx512";

    fn detect() -> Option<Self> {
        cpufeatures::new!(
            features,
            "avx512f",
            "avx512bw",
            "avx512vl",
            "avx512vbmi",
            "avx512vbmi2"
        );
        features::get().then_some(Self(()))
    }

    kernels! {
        "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2";

        fn byte_encode_12(self, f: &[i16; 256], bytes: &mut [u8; 384]) {
            for (v, bytes) in vectors(f).into_iter().zip(bytes.as_chunks_mut::<48>().0) {
                store_bytes(pack::<12>(v), bytes);
            }
        }

        fn byte_decode_12(self, bytes: &[u8; 384], f: &mut [i16; 256]) -> bool {
            let mut below_q = u32::MAX;
            for (bytes, f) in bytes.as_chunks::<48>().0.iter().zip(f.as_chunks_mut().0) {
                // Below 2^12 < 2q, so one subtraction reduces.
                let x = unpack::<12>(load_48(bytes)).sub(V::splat(Q));
                below_q &= _mm512_movepi16_mask(x.0);
                x.add(x.where_negative(V::splat(Q))).store(f);
            }
            below_q == u32::MAX
        }

        fn sample_ntt_vartime(
            self,
            block: &[u8; XOF_BLOCK],
            f: &mut [i16; 256],
            n: usize,
        ) -> usize {
            let mut n = n;
            for bytes in block.as_chunks().0 {
                n = append_vartime(unpack::<12>(load_48(bytes)), u32::MAX, f, n);
            }
            // Half of such a chunk is left.
            let v = unpack::<12>(load_48(block.last_chunk().expect("longer than that")));
            append_vartime(v, 0xffff_0000, f, n)
        }

        fn sample_poly_cbd(self, eta: usize, bytes: &[u8], f: &mut [i16; 256]) {
            match eta {
                2 => sample_poly_cbd::<2, 4>(bytes, f),
                3 => sample_poly_cbd::<3, 6>(bytes, f),
                _ => unreachable!("eta is 2 or 3"),
            }
        }

        fn compress(self, d: usize, f: &[i16; 256], bytes: &mut [u8]) {
            match d {
                1 => {
                    for (f, bytes) in f.as_chunks().0.iter().zip(bytes.as_chunks_mut().0) {
                        let V(y) = compress_lanes::<V, 1>(V::load(f));
                        *bytes = _mm512_test_epi16_mask(y, y).to_le_bytes();
                    }
                }
                4 => compress::<4>(f, bytes),
                5 => compress::<5>(f, bytes),
                10 => compress::<10>(f, bytes),
                11 => compress::<11>(f, bytes),
                _ => unreachable!("d is 1, 4, 5, 10 or 11"),
            }
        }

        fn decompress(self, d: usize, bytes: &[u8], f: &mut [i16; 256]) {
            match d {
                1 => decompress::<1>(bytes, f),
                4 => decompress::<4>(bytes, f),
                5 => decompress::<5>(bytes, f),
                10 => decompress::<10>(bytes, f),
                11 => decompress::<11>(bytes, f),
                _ => unreachable!("d is 1, 4, 5, 10 or 11"),
            }
        }
    }
}
