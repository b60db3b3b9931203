//! AVX2: a polynomial in sixteen registers, four Keccak states a call.
//!
//! What the file adds to the kernels over lanes: products of pairs by `vpmaddwd`, samples by tables
//! in registers (`vpshufb`), and rejection by a table of shuffles.

mod fields;
pub(in crate::asm) mod lanes;

use super::super::backend::{Block, Kernels, NttPoly, Poly, Product, Q, XOF_BLOCK};
use super::super::cbd::cbd_table;
use super::super::compress::{compress_lanes, decompress_lanes};
use super::super::keccak::{self, Interleaved};
use super::super::lanes::Lanes;
use super::super::sample::COMPACTION;
use super::super::{multiply, ntt, reduce};
use super::GAMMAS;
use core::arch::x86_64::*;
use fields::{pack, unpack};
use lanes::{K, V, align_stack, shuffle_bytes};

/// The token of the AVX2 backend: AVX2, BMI1, BMI2 and POPCNT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx2(());

/// The vectors of a polynomial.
#[inline(always)]
fn vectors(f: &[i16; 256]) -> [V; 16] {
    core::array::from_fn(|i| V::load(&f.as_chunks().0[i]))
}

#[inline(always)]
fn store(v: [V; 16], f: &mut [i16; 256]) {
    for (v, f) in v.into_iter().zip(f.as_chunks_mut().0) {
        v.store(f);
    }
}

/// See `Kernels::multiply_accumulate`.
///
/// `vpmaddwd` adds the two products of a pair of lanes in 32 bits: a0 b0 + a1 b1, a1 b1 alone where
/// b0 is masked away, and a0 b1 + a1 b0 where b's halves change places. The sum of the a1 b1 is
/// reduced, into the odd lanes, to be multiplied by gamma.
#[inline(always)]
fn multiply_accumulate<const N: usize>(
    terms: [(&NttPoly<Avx2>, &NttPoly<Avx2>); N],
    sum: &mut Product<Avx2>,
) {
    const SWAPPED: [u8; 32] = {
        let mut index = [0; 32];
        let mut i = 0;
        while i < 32 {
            index[i as usize] = (i & 15) ^ 2;
            i += 1;
        }
        index
    };
    for (i, sum) in sum.0.0.as_chunks_mut().0.iter_mut().enumerate() {
        simd!({
            let zero = _mm256_setzero_si256();
            let (mut both, mut high, mut mixed) = (zero, zero, zero);
            for (a, b) in terms {
                let [V(a), V(b)] = [a, b].map(|f| V::load(&f.0.as_chunks().0[i]));
                let odd = _mm256_blend_epi16::<0b0101_0101>(b, zero);
                let swapped = shuffle_bytes(b, &SWAPPED);
                both = _mm256_add_epi32(both, _mm256_madd_epi16(a, b));
                high = _mm256_add_epi32(high, _mm256_madd_epi16(a, odd));
                mixed = _mm256_add_epi32(mixed, _mm256_madd_epi16(a, swapped));
            }
            let low = _mm256_sub_epi32(both, high);
            // In the even lanes the sum becomes 0; in the odd ones, what is left is reduced.
            let m = _mm256_mullo_epi16(high, V::splat(multiply::Q_INVERSE).0);
            let m = _mm256_blend_epi16::<0b1010_1010>(m, zero);
            let high = _mm256_sub_epi32(high, _mm256_madd_epi16(m, V::splat(Q).0));
            let gammas = V::load(&GAMMAS.as_chunks().0[i]).0;
            let low = _mm256_add_epi32(low, _mm256_madd_epi16(high, gammas));

            let (low_halves, high_halves) = V::transpose::<1>(V(low), V(mixed));
            let m = low_halves.mul_low(V::splat(multiply::Q_INVERSE));
            let mq = V(_mm256_mulhi_epi16(m.0, V::splat(Q).0));
            high_halves.sub(mq).store(sum);
        });
    }
}

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
fn decompress<const D: usize>(bytes: &[u8], f: &mut [i16; 256]) {
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

impl Kernels for Avx2 {
    const NAME: &'static str = "avx2";

    type KeccakBatch = Interleaved<4>;

    fn detect() -> Option<Self> {
        cpufeatures::new!(features, "avx2", "bmi1", "bmi2", "popcnt");
        features::get().then_some(Self(()))
    }

    // AVX2 stays off here, lest the compiler should put one state into vectors.
    fn keccak_f1600(self, state: &mut [u64; 25]) {
        #[target_feature(enable = "bmi1,bmi2")]
        fn kernel(state: &mut [u64; 25]) {
            keccak::keccak_f1600(state);
        }
        simd!(kernel(state));
    }

    kernels! {
        "avx2,bmi1,bmi2,popcnt";

        fn keccak_f1600_batch(self, states: &mut Interleaved<4>) {
            align_stack();
            let mut a = states.0.map(|lanes| K::load(&lanes));
            keccak::keccak_f1600(&mut a);
            for (lanes, a) in states.0.iter_mut().zip(a) {
                a.store(lanes);
            }
        }

        fn squeeze(self, states: &Interleaved<4>, blocks: &mut [Block; 4]) {
            for (part, lanes) in states.0.as_chunks().0.iter().enumerate() {
                // Columns of a 4 x 4 matrix of 64-bit numbers, from its rows.
                let [a, b, c, d] = lanes;
                let (ab_even, ab_odd) = V::transpose::<4>(K::load(a).into(), K::load(b).into());
                let (cd_even, cd_odd) = V::transpose::<4>(K::load(c).into(), K::load(d).into());
                let (c0, c2) = V::transpose::<8>(ab_even, cd_even);
                let (c1, c3) = V::transpose::<8>(ab_odd, cd_odd);
                for (block, column) in blocks.iter_mut().zip([c0, c1, c2, c3]) {
                    let to: &mut [u8; 32] = &mut block.0.as_chunks_mut().0[part];
                    simd!(_mm256_storeu_si256(to.as_mut_ptr().cast(), column.0));
                }
            }
        }

        fn ntt(self, f: &Poly, f_hat: &mut NttPoly<Avx2>) {
            align_stack();
            let mut v = [V::splat(0); 16];
            ntt::ntt(&vectors(&f.0), &mut v);
            store(v, &mut f_hat.0);
        }

        fn inv_ntt(self, f_hat: &Product<Avx2>, f: &mut Poly) {
            align_stack();
            let mut v = [V::splat(0); 16];
            ntt::inv_ntt(&vectors(&f_hat.0.0), &mut v);
            store(v, &mut f.0);
        }

        fn multiply_accumulate(
            self,
            terms: &[(&NttPoly<Avx2>, &NttPoly<Avx2>)],
            sum: &mut Product<Avx2>,
        ) {
            match *terms {
                [a] => multiply_accumulate([a], sum),
                [a, b] => multiply_accumulate([a, b], sum),
                [a, b, c] => multiply_accumulate([a, b, c], sum),
                [a, b, c, d] => multiply_accumulate([a, b, c, d], sum),
                _ => unreachable!("one to four terms"),
            }
        }

        fn add_product(
            self,
            product: &Product<Avx2>,
            e_hat: &NttPoly<Avx2>,
            sum: &mut NttPoly<Avx2>,
        ) {
            let (p, e) = (product.0.0.as_chunks().0, e_hat.0.as_chunks().0);
            for ((sum, p), e) in sum.0.as_chunks_mut().0.iter_mut().zip(p).zip(e) {
                let mut v = [V::splat(0)];
                multiply::add_product(&[V::load(p)], &[V::load(e)], &mut v);
                v[0].store(sum);
            }
        }

        fn canonicalize(self, f_hat: &mut NttPoly<Avx2>) {
            for f in f_hat.0.as_chunks_mut().0 {
                reduce::canonical(V::load(f)).store(f);
            }
        }

        fn byte_encode_12(self, f_hat: &NttPoly<Avx2>, bytes: &mut [u8; 384]) {
            pack::<12>(&f_hat.0, |x| x, bytes);
        }

        fn byte_decode_12(self, bytes: &[u8; 384], f_hat: &mut NttPoly<Avx2>) -> bool {
            let mut below_q = V::splat(-1);
            let chunks = f_hat.0.as_chunks_mut::<32>().0;
            for (bytes, f) in bytes.as_chunks::<48>().0.iter().zip(chunks) {
                for (y, f) in unpack::<12>(bytes).into_iter().zip(f.as_chunks_mut().0) {
                    // Below 2^12 < 2q, so one subtraction reduces.
                    let x = y.sub(V::splat(Q));
                    below_q = below_q.and(x);
                    x.add(x.where_negative(V::splat(Q))).store(f);
                }
            }
            let signs = _mm256_movemask_epi8(_mm256_srai_epi16::<15>(below_q.0));
            signs == -1
        }

        fn sample_ntt_vartime(
            self,
            block: &[u8; XOF_BLOCK],
            f_hat: &mut NttPoly<Avx2>,
            n: usize,
        ) -> usize {
            let mut n = n;
            for bytes in block.as_chunks::<48>().0 {
                for v in unpack::<12>(bytes) {
                    n = append_vartime(v, &mut f_hat.0, n);
                }
            }
            // Half of such a chunk is left.
            let [_, v] = unpack::<12>(&block[XOF_BLOCK - 48..]);
            append_vartime(v, &mut f_hat.0, n)
        }

        fn sample_poly_cbd(self, eta: usize, bytes: &[u8], f: &mut Poly) {
            match eta {
                2 => sample_poly_cbd_2(bytes.try_into().expect("64 eta bytes"), &mut f.0),
                3 => sample_poly_cbd_3(bytes.try_into().expect("64 eta bytes"), &mut f.0),
                _ => unreachable!("eta is 2 or 3"),
            }
        }

        fn compress(self, d: usize, f: &Poly, bytes: &mut [u8]) {
            match d {
                1 => compress_1(&f.0, bytes),
                4 => pack::<4>(&f.0, compress_lanes::<V, 4>, bytes),
                5 => pack::<5>(&f.0, compress_lanes::<V, 5>, bytes),
                10 => pack::<10>(&f.0, compress_lanes::<V, 10>, bytes),
                11 => pack::<11>(&f.0, compress_lanes::<V, 11>, bytes),
                _ => unreachable!("d is 1, 4, 5, 10 or 11"),
            }
        }

        fn decompress(self, d: usize, bytes: &[u8], f: &mut Poly) {
            match d {
                1 => decompress_1(bytes, &mut f.0),
                4 => decompress::<4>(bytes, &mut f.0),
                5 => decompress::<5>(bytes, &mut f.0),
                10 => decompress::<10>(bytes, &mut f.0),
                11 => decompress::<11>(bytes, &mut f.0),
                _ => unreachable!("d is 1, 4, 5, 10 or 11"),
            }
        }

        fn add(self, f: &mut Poly, g: &Poly) {
            for (f, g) in f.0.as_chunks_mut().0.iter_mut().zip(g.0.as_chunks().0) {
                V::load(f).add(V::load(g)).store(f);
            }
        }

        fn sub(self, f: &mut Poly, g: &Poly) {
            for (f, g) in f.0.as_chunks_mut().0.iter_mut().zip(g.0.as_chunks().0) {
                V::load(f).sub(V::load(g)).store(f);
            }
        }
    }

    fn reorder(self, _: &mut NttPoly<Avx2>) {}
}
