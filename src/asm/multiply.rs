//! Multiplication in T_q, FIPS 203 section 4.3.1, over lanes: sums of products in 32 bits, reduced
//! once at the end.

use super::backend::{PRODUCT_BOUND, Q};
use super::lanes::Lanes;
use super::ntt::{LaneConstants, gammas};
use super::reduce::{Constant, canonical, multiply};

/// Four terms with |a| < q and |b| <= 2^15, and the Montgomery reduction of their sums.
const _: () = {
    let (sum, mixed_sum) = ((4 * (Q as i64 - 1)) << 15, (8 * (Q as i64 - 1)) << 15);
    let half_q = (Q as i64 >> 1) + 1;
    assert!(mixed_sum <= i32::MAX as i64 - ((Q as i64) << 15));
    assert!((mixed_sum >> 16) + half_q <= PRODUCT_BOUND as i64);
    assert!(sum + half_q * ((sum >> 16) + half_q) <= mixed_sum);
};

/// See `Kernels::multiply_accumulate`.
///
/// Of a pair of polynomials of degree one, c0 = a0 b0 + gamma a1 b1 and c1 = a0 b1 + a1 b0.
#[inline(always)]
pub(super) fn multiply_accumulate<'a, L: Lanes + 'a>(
    terms: impl Iterator<Item = (&'a [L], &'a [L])> + Clone,
    sum: &mut [L],
) {
    // Times 2^16, which the reduction takes out again.
    let gammas = const { LaneConstants::new(L::WIDTH, L::WIDTH >> 1, 1, &gammas(1 << 16)) };
    for (i, sum) in sum.as_chunks_mut().0.iter_mut().enumerate() {
        let (mut low, mut high, mut mixed) = (L::zero_wide(), L::zero_wide(), L::zero_wide());
        for (a, b) in terms.clone() {
            let (a0, a1) = L::deinterleave::<1>(&a.as_chunks().0[i]);
            let (b0, b1) = L::deinterleave::<1>(&b.as_chunks().0[i]);
            low = a0.mul_add_wide(b0, low);
            high = a1.mul_add_wide(b1, high);
            mixed = a0.mul_add_wide(b1, a1.mul_add_wide(b0, mixed));
        }
        let low = L::montgomery_reduce(high).mul_add_wide(gammas.value(i), low);
        L::interleave::<1>(L::montgomery_reduce(low), L::montgomery_reduce(mixed), sum);
    }
}

/// b0, b1 and gamma b1 for the `i`-th two vectors of a right factor, for products that have no
/// multiplication by gamma of their own.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub(super) fn table_entry<L: Lanes>(b: &[L; 2], i: usize) -> [L; 3] {
    let gammas = const { LaneConstants::new(L::WIDTH, L::WIDTH >> 1, 1, &gammas(1)) };
    let (b0, b1) = L::deinterleave::<1>(b);
    [b0, b1, gammas.multiply(b1, i)]
}

/// See `Kernels::add_product`.
#[inline(always)]
pub(super) fn add_product<L: Lanes>(product: &[L], e_hat: &[L], sum: &mut [L]) {
    const PLAIN: Constant = Constant::new(1 << 16);
    for ((sum, p), e) in sum.iter_mut().zip(product).zip(e_hat) {
        *sum = canonical(multiply(*p, PLAIN).add(*e));
    }
}

/// q^-1 mod 2^16, for the Montgomery reduction.
pub(super) const Q_INVERSE: i16 = {
    // Newton's iteration doubles the bits that are right; q is its own inverse modulo 8.
    let mut inverse = Q;
    let mut bits = 3;
    while bits < 16 {
        inverse = inverse.wrapping_mul(2i16.wrapping_sub(Q.wrapping_mul(inverse)));
        bits *= 2;
    }
    assert!(Q.wrapping_mul(inverse) == 1);
    inverse
};
