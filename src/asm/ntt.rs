//! The number-theoretic transform and its inverse, FIPS 203 section 4.3, over lanes.
//!
//! In two passes, so that a polynomial that does not fit into the registers is loaded twice and not
//! seven times: the layers of length 128, 64 and 32 on eight vectors that lie 32 coefficients
//! apart, and the others on coefficients that lie together.
//!
//! Butterflies of length `LEN` pair whole vectors while `LEN` is at least a vector's width. Below
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

/// The zeta that a block of `len` pairs meets in Algorithm 9, or its negative inverse, which is
/// the zeta that it meets in Algorithm 10.
const fn zeta(len: usize, block: usize, inverse: bool) -> Constant {
    let blocks = 128 >> len.trailing_zeros();
    ZETAS[if inverse {
        2 * blocks - 1 - block
    } else {
        blocks + block
    }]
}

/// The zetas of whole vectors in a few layers that follow one another, as a tree: the blocks of a
/// layer are a block of the layer before, halved. Node 1 is the root, 2n and 2n + 1 are the halves
/// of n.
#[derive(Clone, Copy)]
struct Tree {
    value: [[i16; 8]; 2],
    quotient: [[i16; 8]; 2],
}

impl Tree {
    /// Of block `root` of a layer of length `len`, and the three layers below it.
    const fn new(len: usize, root: usize, inverse: bool) -> Self {
        let mut tree = Self {
            value: [[0; 8]; 2],
            quotient: [[0; 8]; 2],
        };
        let (mut node, mut depth) = (1, 0);
        while node < 16 && len >> depth > 1 {
            let block = (root << depth) + node - (1 << depth);
            let constant = zeta(len >> depth, block, inverse);
            tree.value[node >> 3][node & 7] = constant.value;
            tree.quotient[node >> 3][node & 7] = constant.quotient;
            node += 1;
            depth += (node.is_power_of_two()) as usize;
        }
        tree
    }

    /// x times the constant of a node.
    #[inline(always)]
    fn multiply<L: Lanes>(&self, x: L, node: usize) -> L {
        let splat = |eights: &[[i16; 8]; 2]| L::splat_of(&eights[node >> 3], node & 7);
        multiply_lanes(x, splat(&self.value), splat(&self.quotient))
    }
}

/// The trees of the first pass, and of every 32 coefficients in the second one.
const fn trees(inverse: bool) -> (Tree, [Tree; 8]) {
    let mut trees = [Tree::new(16, 0, inverse); 8];
    let mut i = 1;
    while i < trees.len() {
        trees[i] = Tree::new(16, i, inverse);
        i += 1;
    }
    (Tree::new(128, 0, inverse), trees)
}

static FORWARD: (Tree, [Tree; 8]) = trees(false);
static INVERSE: (Tree, [Tree; 8]) = trees(true);

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

    /// The constants of the second vector of pair `pair`.
    #[inline(always)]
    pub(super) fn value<L: Lanes>(&self, pair: usize) -> L {
        L::constants(&self.value[pair * L::WIDTH..(pair + 1) * L::WIDTH])
    }

    /// The lanes of `x`, the second vector of pair `pair`, times their constants.
    #[inline(always)]
    pub(super) fn multiply<L: Lanes>(&self, x: L, pair: usize) -> L {
        let quotient = &self.quotient[pair * L::WIDTH..(pair + 1) * L::WIDTH];
        multiply_lanes(x, self.value(pair), L::constants(quotient))
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
        constants[i] = zeta(len, i >> (len.trailing_zeros() + 1), inverse);
        i += 1;
    }
    constants
}

/// `scale` gamma_i, gamma_i = zeta^(2 BitRev_7(i) + 1) of Algorithm 11, by coefficient: i is half
/// its number.
pub(super) const fn gammas(scale: i64) -> [Constant; 256] {
    let mut by_coefficient = [Constant::new(0); 256];
    let mut power = modulo(17 * scale);
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
pub(super) fn ntt<L: Lanes>(f: &[L], f_hat: &mut [L]) {
    let stride = f.len() >> 3;
    for column in 0..stride {
        let mut v: [L; 8] = core::array::from_fn(|i| f[column + i * stride]);
        layer(&mut v, 4, &FORWARD.0);
        layer(&mut v, 2, &FORWARD.0);
        layer(&mut v, 1, &FORWARD.0);
        for (i, v) in v.into_iter().enumerate() {
            f_hat[column + i * stride] = v;
        }
    }
    for (group, v) in f_hat.chunks_exact_mut(group_len::<L>()).enumerate() {
        group_layer::<L, 16>(v, group);
        group_layer::<L, 8>(v, group);
        group_layer::<L, 4>(v, group);
        group_layer::<L, 2>(v, group);
        if L::WIDTH > 2 {
            for pair in v.as_chunks_mut().0 {
                let [a, b] = *pair;
                L::interleave::<2>(a, b, pair);
            }
        }
    }
}

/// Vectors that the second pass works on together. Of eight lanes 64 coefficients, since the chains
/// of 32 wait for themselves; else those 32, or what fills the registers.
const fn group_len<L: Lanes>() -> usize {
    match L::WIDTH {
        8 | 32 => 8,
        width => 32 >> width.trailing_zeros(),
    }
}

/// Vectors that a tree is for: 32 coefficients.
const fn part_len<L: Lanes>() -> usize {
    32 >> L::WIDTH.trailing_zeros()
}

/// A layer of butterflies between whole vectors, `len` vectors apart.
#[inline(always)]
fn layer<L: Lanes>(v: &mut [L], len: usize, tree: &Tree) {
    let blocks = v.len() >> (len.trailing_zeros() + 1);
    for (block, pairs) in v.chunks_exact_mut(2 * len).enumerate() {
        let (low, high) = pairs.split_at_mut(len);
        for (a, b) in low.iter_mut().zip(high) {
            let t = tree.multiply(*b, blocks + block);
            (*a, *b) = (a.add(t), a.sub(t));
        }
    }
}

/// A layer of the second pass.
#[inline(always)]
fn group_layer<L: Lanes, const LEN: usize>(v: &mut [L], group: usize) {
    if LEN >= L::WIDTH {
        let first = (group * group_len::<L>()) >> part_len::<L>().trailing_zeros();
        for (i, v) in v.chunks_exact_mut(part_len::<L>()).enumerate() {
            layer(v, LEN >> L::WIDTH.trailing_zeros(), &FORWARD.1[first + i]);
        }
        return;
    }
    let zetas =
        const { LaneConstants::new(L::WIDTH, L::WIDTH >> 1, LEN, &layer_constants(LEN, false)) };
    let pairs = v.as_chunks_mut().0;
    let first = group * pairs.len();
    for (i, pair) in pairs.iter_mut().enumerate() {
        let [a, b] = *pair;
        let (a, b) = L::transpose::<LEN>(a, b);
        let t = zetas.multiply(b, first + i);
        *pair = [a.add(t), a.sub(t)];
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
pub(super) fn inv_ntt<L: Lanes>(f_hat: &[L], f: &mut [L]) {
    let groups = f.chunks_exact_mut(group_len::<L>());
    for (group, (v, from)) in groups.zip(f_hat.chunks_exact(group_len::<L>())).enumerate() {
        if L::WIDTH > 2 {
            for (pair, from) in v.as_chunks_mut().0.iter_mut().zip(from.as_chunks().0) {
                *pair = L::deinterleave::<2>(from).into();
            }
        } else {
            v.copy_from_slice(from);
        }
        inverse_group_layer::<L, 2, true>(v, group);
        L::barrier(v);
        inverse_group_layer::<L, 4, false>(v, group);
        L::barrier(v);
        inverse_group_layer::<L, 8, false>(v, group);
        L::barrier(v);
        inverse_group_layer::<L, 16, true>(v, group);
        L::barrier(v);
    }
    let stride = f.len() >> 3;
    for column in 0..stride {
        let mut v: [L; 8] = core::array::from_fn(|i| f[column + i * stride]);
        inverse_layer::<L, false>(&mut v, 1, &INVERSE.0);
        inverse_layer::<L, false>(&mut v, 2, &INVERSE.0);

        // Layer 128, scaled by 2^16 / 128.
        const SCALE: Constant = Constant::new(512);
        const SCALED_ZETA: Constant = Constant::new(512 * zeta(128, 0, true).value as i64);
        let (low, high) = v.split_at(4);
        for (i, (a, b)) in low.iter().zip(high).enumerate() {
            f[column + i * stride] = multiply(a.add(*b), SCALE);
            f[column + (i + 4) * stride] = multiply(b.sub(*a), SCALED_ZETA);
        }
    }
}

/// A layer of butterflies between whole vectors, `len` vectors apart.
#[inline(always)]
fn inverse_layer<L: Lanes, const REDUCE: bool>(v: &mut [L], len: usize, tree: &Tree) {
    let blocks = v.len() >> (len.trailing_zeros() + 1);
    for (block, pairs) in v.chunks_exact_mut(2 * len).enumerate() {
        let (low, high) = pairs.split_at_mut(len);
        for (a, b) in low.iter_mut().zip(high) {
            let difference = b.sub(*a);
            (*a, *b) = (
                sum::<L, REDUCE>(*a, *b),
                tree.multiply(difference, blocks + block),
            );
        }
    }
}

/// A layer of the pass that comes first here.
#[inline(always)]
fn inverse_group_layer<L: Lanes, const LEN: usize, const REDUCE: bool>(v: &mut [L], group: usize) {
    if LEN >= L::WIDTH {
        let len = LEN >> L::WIDTH.trailing_zeros();
        let first = (group * group_len::<L>()) >> part_len::<L>().trailing_zeros();
        for (i, v) in v.chunks_exact_mut(part_len::<L>()).enumerate() {
            inverse_layer::<L, REDUCE>(v, len, &INVERSE.1[first + i]);
        }
        return;
    }
    let zetas =
        const { LaneConstants::new(L::WIDTH, L::WIDTH >> 1, LEN, &layer_constants(LEN, true)) };
    let pairs = v.as_chunks_mut().0;
    let first = group * pairs.len();
    for (i, pair) in pairs.iter_mut().enumerate() {
        let [a, b] = *pair;
        let difference = zetas.multiply(b.sub(a), first + i);
        *pair = L::transpose::<LEN>(sum::<L, REDUCE>(a, b), difference).into();
    }
}

/// a + b, reduced if `REDUCE`.
#[inline(always)]
fn sum<L: Lanes, const REDUCE: bool>(a: L, b: L) -> L {
    match REDUCE {
        true => barrett_reduce(a.add(b)),
        false => a.add(b),
    }
}
