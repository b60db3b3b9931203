//! AVX2: a polynomial in sixteen registers, four Keccak states a call.
//!
//! What the file adds to the kernels over lanes: products of pairs by `vpmaddwd`.

pub(super) mod codec;
mod fields;
pub(in crate::asm) mod lanes;

use super::super::backend::{Block, Factor, Kernels, NttPoly, Poly, Product, Q, XOF_BLOCK};
use super::super::keccak::{self, Interleaved};
use super::super::lanes::Lanes;
use super::super::{multiply, ntt, reduce};
use super::GAMMAS;
use core::arch::x86_64::*;
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
/// reduced, into the odd lanes, to be multiplied by gamma. `multiply` says why no sum leaves 32 bits.
#[inline(always)]
fn multiply_accumulate<const N: usize>(
    terms: [(&NttPoly<Avx2>, &Factor<Avx2>); N],
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
                let [V(a), V(b)] = [a, &b.f_hat].map(|f| V::load(&f.0.as_chunks().0[i]));
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

impl Kernels for Avx2 {
    const NAME: &'static str = "avx2";

    type KeccakBatch = Interleaved<4>;
    type Prepared = ();
    const PREPARED_ZERO: () = ();

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

    fn prepare(self, _: &mut Factor<Self>) {}

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
            terms: &[(&NttPoly<Avx2>, &Factor<Avx2>)],
            sum: &mut Product<Avx2>,
        ) {
            match *terms {
                [a, b] => multiply_accumulate([a, b], sum),
                [a, b, c] => multiply_accumulate([a, b, c], sum),
                [a, b, c, d] => multiply_accumulate([a, b, c, d], sum),
                _ => unreachable!("two to four terms"),
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
            codec::byte_encode_12(&f_hat.0, bytes);
        }

        fn byte_decode_12(self, bytes: &[u8; 384], f_hat: &mut NttPoly<Avx2>) -> bool {
            codec::byte_decode_12(bytes, &mut f_hat.0)
        }

        fn sample_ntt_vartime(
            self,
            block: &[u8; XOF_BLOCK],
            f_hat: &mut NttPoly<Avx2>,
            n: usize,
        ) -> usize {
            codec::sample_ntt_vartime(block, &mut f_hat.0, n)
        }

        fn sample_poly_cbd(self, eta: usize, bytes: &[u8], f: &mut Poly) {
            codec::sample_poly_cbd(eta, bytes, &mut f.0);
        }

        fn compress(self, d: usize, f: &Poly, bytes: &mut [u8]) {
            codec::compress(d, &f.0, bytes);
        }

        fn decompress(self, d: usize, bytes: &[u8], f: &mut Poly) {
            codec::decompress(d, bytes, &mut f.0);
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
