//! The arithmetic: a polynomial in eight registers.

use super::super::super::backend::{Factor, Kernels, NttPoly, Product, Q};
use super::super::super::lanes::Lanes;
use super::super::super::{multiply, ntt, reduce};
use super::super::GAMMAS;
use super::lanes::{V, store, vectors};
use core::arch::x86_64::*;

/// See `Kernels::multiply_accumulate`.
///
/// `vpmaddwd` adds the two products of a pair of lanes in 32 bits: a0 b0 + a1 b1, a1 b1 alone where
/// b0 is masked away, and a0 b1 + a1 b0 where b's halves change places. The sum of the a1 b1 is
/// reduced, into the odd lanes, to be multiplied by gamma. `multiply` says why no sum leaves 32 bits.
#[inline(always)]
fn sum_of_products<const N: usize, B: Kernels>(
    terms: [(&NttPoly<B>, &Factor<B>); N],
    sum: &mut Product<B>,
) {
    for (i, sum) in sum.0.0.as_chunks_mut().0.iter_mut().enumerate() {
        simd!({
            let even = _mm512_set1_epi32(0xffff);
            let zero = _mm512_setzero_si512();
            let (mut both, mut high, mut mixed) = (zero, zero, zero);
            for (a, b) in terms {
                let [V(a), V(b)] = [a, &b.f_hat].map(|f| V::load(&f.0.as_chunks().0[i]));
                let odd = _mm512_andnot_si512(even, b);
                let swapped = _mm512_rol_epi32::<16>(b);
                both = _mm512_add_epi32(both, _mm512_madd_epi16(a, b));
                high = _mm512_add_epi32(high, _mm512_madd_epi16(a, odd));
                mixed = _mm512_add_epi32(mixed, _mm512_madd_epi16(a, swapped));
            }
            let low = _mm512_sub_epi32(both, high);
            // In the even lanes the sum becomes 0; in the odd ones, what is left is reduced.
            let m = _mm512_mullo_epi16(high, V::splat(multiply::Q_INVERSE).0);
            let mq = _mm512_madd_epi16(_mm512_and_si512(even, m), V::splat(Q).0);
            let high = _mm512_sub_epi32(high, mq);
            let gammas = V::load(&GAMMAS.as_chunks().0[i]).0;
            let low = _mm512_add_epi32(low, _mm512_madd_epi16(high, gammas));

            let odd = 0xaaaa_aaaa;
            let low_halves = _mm512_mask_blend_epi16(odd, low, _mm512_slli_epi32::<16>(mixed));
            let high_halves = _mm512_mask_blend_epi16(odd, _mm512_srli_epi32::<16>(low), mixed);
            let m = V(low_halves).mul_low(V::splat(multiply::Q_INVERSE));
            let mq = V(_mm512_mulhi_epi16(m.0, V::splat(Q).0));
            V(high_halves).sub(mq).store(sum);
        });
    }
}

/// See `Kernels::multiply_accumulate`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn multiply_accumulate<B: Kernels>(
    terms: &[(&NttPoly<B>, &Factor<B>)],
    sum: &mut Product<B>,
) {
    match *terms {
        [a, b] => sum_of_products([a, b], sum),
        [a, b, c] => sum_of_products([a, b, c], sum),
        [a, b, c, d] => sum_of_products([a, b, c, d], sum),
        _ => unreachable!("two to four terms"),
    }
}

/// See `Kernels::ntt`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn ntt(f: &[i16; 256], f_hat: &mut [i16; 256]) {
    let mut v = [V::splat(0); 8];
    ntt::ntt(&vectors(f), &mut v);
    store(v, f_hat);
}

/// See `Kernels::inv_ntt`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn inv_ntt(f_hat: &[i16; 256], f: &mut [i16; 256]) {
    let mut v = [V::splat(0); 8];
    ntt::inv_ntt(&vectors(f_hat), &mut v);
    store(v, f);
}

/// See `Kernels::add_product`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn add_product(product: &[i16; 256], e_hat: &[i16; 256], sum: &mut [i16; 256]) {
    let mut v = [V::splat(0); 8];
    multiply::add_product(&vectors(product), &vectors(e_hat), &mut v);
    store(v, sum);
}

/// See `Kernels::canonicalize`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn canonicalize(f_hat: &mut [i16; 256]) {
    store(vectors(f_hat).map(reduce::canonical), f_hat);
}

/// See `Kernels::add`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn add(f: &mut [i16; 256], g: &[i16; 256]) {
    for (f, g) in f.as_chunks_mut().0.iter_mut().zip(g.as_chunks().0) {
        V::load(f).add(V::load(g)).store(f);
    }
}

/// See `Kernels::sub`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn sub(f: &mut [i16; 256], g: &[i16; 256]) {
    for (f, g) in f.as_chunks_mut().0.iter_mut().zip(g.as_chunks().0) {
        V::load(f).sub(V::load(g)).store(f);
    }
}
