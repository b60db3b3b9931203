//! The number-theoretic transform and its inverse, FIPS 203 section 4.3, over lanes.
//!
//! Butterflies of distance `LEN` pair whole vectors while `LEN` is at least a vector's width. Below
//! that, [`Lanes::transpose`] on blocks of `LEN` lanes brings the two sides of every butterfly into
//! the same lane of two vectors. What the forward transform transposed it transposes back at the
//! end, so its order is that of the standard.

use super::backend::{NTT_BOUND, PRODUCT_BOUND, Q};
use super::lanes::Lanes;
use super::reduce::{Constant, barrett_reduce, modulo, multiply, multiply_bound, multiply_lanes};

/// zeta^BitRev_7(i), FIPS 203 Appendix A.
const ZETAS: [Constant; 128] = {
    let mut zetas = [Constant::new(0); 128];
    let mut power = 1;
    let mut n = 0;
    while n < 128 {
        zetas[bit_rev_7(n)] = Constant::new(power);
        power = modulo(power * 17);
        n += 1;
    }
    zetas
};

const fn bit_rev_7(n: usize) -> usize {
    ((n as u8).reverse_bits() >> 1) as usize
}

/// The zeta that a block of `len` pairs meets in Algorithm 9.
const fn zeta(len: usize, block: usize) -> Constant {
    ZETAS[(128 >> len.trailing_zeros()) + block]
}

/// The zeta that a block of `len` pairs meets in Algorithm 10.
const fn inverse_zeta(len: usize, block: usize) -> Constant {
    ZETAS[(256 >> len.trailing_zeros()) - 1 - block]
}

/// The constants that the second vectors of all pairs of vectors meet, lane by lane.
pub(super) struct LaneConstants {
    value: [i16; 128],
    quotient: [i16; 128],
}

impl LaneConstants {
    /// From the constants in the order of the standard's coefficients, for vectors of `width` lanes
    /// whose blocks of `from`, ..., `to` lanes were transposed.
    pub(super) const fn new(
        width: usize,
        from: usize,
        to: usize,
        by_coefficient: &[Constant; 256],
    ) -> Self {
        let place = transposed(width, from, to);
        let mut constants = Self {
            value: [0; 128],
            quotient: [0; 128],
        };
        let mut i = 0;
        while i < 128 {
            let lane = i & (width - 1);
            let constant = by_coefficient[place[2 * (i - lane) + width + lane] as usize];
            constants.value[i] = constant.value;
            constants.quotient[i] = constant.quotient;
            i += 1;
        }
        constants
    }

    /// The lanes of `x`, the second vector of pair `pair`, times their constants.
    #[inline(always)]
    pub(super) fn multiply<L: Lanes>(&self, x: L, pair: usize) -> L {
        let lanes = pair * L::WIDTH..(pair + 1) * L::WIDTH;
        let value = L::constants(&self.value[lanes.clone()]);
        multiply_lanes(x, value, L::constants(&self.quotient[lanes]))
    }
}

/// Which coefficient each place holds after blocks of `from`, ..., `to` lanes were transposed in
/// every pair of vectors of `width` lanes. Blocks as wide as a vector stay.
const fn transposed(width: usize, from: usize, to: usize) -> [u8; 256] {
    let mut place = [0; 256];
    let mut i = 0;
    while i < 256 {
        place[i] = i as u8;
        i += 1;
    }
    let mut block = from;
    while block >= to && 0 < block && block < width {
        let mut i = 0;
        while i < 256 {
            // In the first vector of a pair, every second block changes places with the block
            // before it in the second vector.
            if i & width == 0 && i & block != 0 {
                let other = i + width - block;
                (place[i], place[other]) = (place[other], place[i]);
            }
            i += 1;
        }
        block >>= 1;
    }
    place
}

/// The constants of a layer by coefficient.
const fn layer_constants(len: usize, inverse: bool) -> [Constant; 256] {
    let mut constants = [Constant::new(0); 256];
    let mut i = 0;
    while i < 256 {
        let block = i >> (len.trailing_zeros() + 1);
        constants[i] = if inverse {
            inverse_zeta(len, block)
        } else {
            zeta(len, block)
        };
        i += 1;
    }
    constants
}

/// gamma_i = zeta^(2 BitRev_7(i) + 1) of Algorithm 11, by coefficient: i is half its number.
pub(super) const fn gammas() -> [Constant; 256] {
    let mut by_coefficient = [Constant::new(0); 256];
    let mut power = 17;
    let mut n = 0;
    while n < 128 {
        let i = bit_rev_7(n);
        by_coefficient[2 * i] = Constant::new(power);
        by_coefficient[2 * i + 1] = Constant::new(power);
        power = modulo(power * 17 * 17);
        n += 1;
    }
    by_coefficient
}

/// A layer adds to a coefficient a product by a constant. Nothing is reduced in between.
const _: () = {
    let mut bound = Q as i64;
    let mut layer = 0;
    while layer < 7 {
        bound += multiply_bound(bound);
        layer += 1;
    }
    assert!(bound <= NTT_BOUND as i64);
};

/// Algorithm 9. See `Kernels::ntt`.
#[inline(always)]
pub(super) fn ntt<L: Lanes>(f: &mut [L]) {
    layer::<L, 128>(f);
    layer::<L, 64>(f);
    layer::<L, 32>(f);
    layer::<L, 16>(f);
    layer::<L, 8>(f);
    layer::<L, 4>(f);
    layer::<L, 2>(f);
    transpose::<L, 2>(f);
    transpose::<L, 4>(f);
    transpose::<L, 8>(f);
    transpose::<L, 16>(f);
}

#[inline(always)]
fn layer<L: Lanes, const LEN: usize>(f: &mut [L]) {
    if LEN >= L::WIDTH {
        let len = LEN >> L::WIDTH.trailing_zeros();
        for (block, pairs) in f.chunks_exact_mut(2 * len).enumerate() {
            let zeta = zeta(LEN, block);
            let (low, high) = pairs.split_at_mut(len);
            for (a, b) in low.iter_mut().zip(high) {
                let t = multiply(*b, zeta);
                (*a, *b) = (a.add(t), a.sub(t));
            }
        }
    } else {
        let zetas = const {
            LaneConstants::new(L::WIDTH, L::WIDTH >> 1, LEN, &layer_constants(LEN, false))
        };
        for (pair, vectors) in f.as_chunks_mut().0.iter_mut().enumerate() {
            let [a, b] = *vectors;
            let (a, b) = L::transpose::<LEN>(a, b);
            let t = zetas.multiply(b, pair);
            *vectors = [a.add(t), a.sub(t)];
        }
    }
}

/// Sums double in a layer, and the first and the fourth layer reduce them. A difference is bounded
/// like the sum beside it, and its product by a constant like the reduced sum.
const _: () = {
    let sum = 2 * PRODUCT_BOUND as i64;
    let fourth_sum = 8 * multiply_bound(sum);
    let last_sum = 8 * multiply_bound(fourth_sum);
    assert!(sum <= i16::MAX as i64 && fourth_sum <= i16::MAX as i64 && last_sum <= i16::MAX as i64);
    assert!(multiply_bound(last_sum) < Q as i64);
};

/// Algorithm 10, and times 2^16. See `Kernels::inv_ntt`.
#[inline(always)]
pub(super) fn inv_ntt<L: Lanes>(f: &mut [L]) {
    transpose::<L, 16>(f);
    transpose::<L, 8>(f);
    transpose::<L, 4>(f);
    transpose::<L, 2>(f);
    inverse_layer::<L, 2, true>(f);
    inverse_layer::<L, 4, false>(f);
    inverse_layer::<L, 8, false>(f);
    inverse_layer::<L, 16, true>(f);
    inverse_layer::<L, 32, false>(f);
    inverse_layer::<L, 64, false>(f);

    // Layer 128, scaled by 2^16 / 128.
    const SCALE: Constant = Constant::new(512);
    const SCALED_ZETA: Constant = Constant::new(512 * inverse_zeta(128, 0).value as i64);
    let (low, high) = f.split_at_mut(128 >> L::WIDTH.trailing_zeros());
    for (a, b) in low.iter_mut().zip(high) {
        (*a, *b) = (multiply(a.add(*b), SCALE), multiply(b.sub(*a), SCALED_ZETA));
    }
}

#[inline(always)]
fn inverse_layer<L: Lanes, const LEN: usize, const REDUCE: bool>(f: &mut [L]) {
    let sum = |a: L, b: L| {
        if REDUCE {
            barrett_reduce(a.add(b))
        } else {
            a.add(b)
        }
    };
    if LEN >= L::WIDTH {
        let len = LEN >> L::WIDTH.trailing_zeros();
        for (block, pairs) in f.chunks_exact_mut(2 * len).enumerate() {
            let zeta = inverse_zeta(LEN, block);
            let (low, high) = pairs.split_at_mut(len);
            for (a, b) in low.iter_mut().zip(high) {
                (*a, *b) = (sum(*a, *b), multiply(b.sub(*a), zeta));
            }
        }
    } else {
        let zetas =
            const { LaneConstants::new(L::WIDTH, L::WIDTH >> 1, LEN, &layer_constants(LEN, true)) };
        for (pair, vectors) in f.as_chunks_mut().0.iter_mut().enumerate() {
            let [a, b] = *vectors;
            let (a, b) = (sum(a, b), zetas.multiply(b.sub(a), pair));
            *vectors = L::transpose::<LEN>(a, b).into();
        }
    }
}

/// Transposes blocks of `BLOCK` lanes in every pair of vectors that are wider than that.
#[inline(always)]
fn transpose<L: Lanes, const BLOCK: usize>(f: &mut [L]) {
    if BLOCK < L::WIDTH {
        for vectors in f.as_chunks_mut().0 {
            let [a, b] = *vectors;
            *vectors = L::transpose::<BLOCK>(a, b).into();
        }
    }
}
