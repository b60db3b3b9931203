//! The lanes of each backend against the plain ones of `portable`, operation by operation.
//!
//! A kernel over a backend's lanes computes what it computes over the plain ones, of which the
//! theorems speak, if every operation does the same. A shuffle does not look at what it moves, so
//! one run on distinct numbers says all of it. The other operations look at one lane at a time (the
//! wide ones at one product): they are run on all pairs of corners, on random pairs, and the
//! multiplications by every constant of the NTT on all numbers.

use crate::asm::backend::Q;
use crate::asm::lanes::{KeccakLanes, Lanes};
use crate::asm::reduce::Constant;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::vec::Vec;

/// Lanes that can be filled and read.
trait Vector<const N: usize>: Lanes {
    fn load(lanes: &[i16; N]) -> Self;
    fn store(self, lanes: &mut [i16; N]);
}

/// Lanes of `N` Keccak states, likewise.
trait States<const N: usize>: KeccakLanes {
    fn load(lanes: &[u64; N]) -> Self;
    fn store(self, lanes: &mut [u64; N]);
}

/// So that the checks themselves run on every CPU.
impl<const N: usize> Vector<N> for [i16; N] {
    fn load(lanes: &Self) -> Self {
        *lanes
    }

    fn store(self, lanes: &mut Self) {
        *lanes = self;
    }
}

impl<const N: usize> States<N> for [u64; N] {
    fn load(lanes: &Self) -> Self {
        *lanes
    }

    fn store(self, lanes: &mut Self) {
        *lanes = self;
    }
}

/// The lanes of a backend, which load and store themselves.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! lanes {
    ($trait:ident<$width:literal> for $lanes:ty, of $number:ty) => {
        impl $trait<$width> for $lanes {
            fn load(lanes: &[$number; $width]) -> Self {
                Self::load(lanes)
            }

            fn store(self, lanes: &mut [$number; $width]) {
                self.store(lanes);
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use super::{States, Vector};
    use crate::asm::x86_64::{avx2, avx512};

    lanes!(Vector<16> for avx2::lanes::V, of i16);
    lanes!(States<4> for avx2::lanes::K, of u64);
    lanes!(Vector<32> for avx512::lanes::V, of i16);
    lanes!(States<2> for avx512::keccak::Two, of u64);
    lanes!(States<4> for avx512::keccak::Four, of u64);
    lanes!(States<8> for avx512::keccak::Eight, of u64);
}

#[cfg(target_arch = "aarch64")]
mod aarch64 {
    use super::Vector;
    use crate::asm::aarch64::neon;

    lanes!(Vector<8> for neon::lanes::V, of i16);
}

/// Runs a check on plain lanes, and on those of every backend that this CPU has.
macro_rules! on_every_backend {
    ($($check:ident)*: $plain:ty, $avx2:ident, $avx512:tt, $neon:tt) => {
        $(
            #[test]
            fn $check() {
                super::$check::<_, $plain>();
                #[cfg(target_arch = "aarch64")]
                on_every_backend!(@lanes $check $neon);
                #[cfg(target_arch = "x86_64")]
                {
                    use crate::asm::{backend::Kernels, x86_64::{Avx512Bw, avx2, avx512}};
                    if avx2::Avx2::detect().is_some() {
                        super::$check::<_, avx2::lanes::$avx2>();
                    }
                    if Avx512Bw::detect().is_some() {
                        on_every_backend!(@lanes $check $avx512);
                    }
                }
            }
        )*
    };
    (@lanes $check:ident [$($lanes:path),*]) => {
        $(super::$check::<_, $lanes>();)*
    };
}

mod every_backend {
    on_every_backend!(
        constants element_wise correction increments multiplication_by_constants transpositions interleavings
        sums_of_products:
        [i16; 8], V, [avx512::lanes::V], [crate::asm::aarch64::neon::lanes::V]
    );
    on_every_backend!(
        keccak:
        [u64; 4], K, [avx512::keccak::Two, avx512::keccak::Four, avx512::keccak::Eight], []
    );
}

/// Numbers at which an operation is most likely to go wrong.
const CORNERS: [i16; 24] = [
    i16::MIN,
    i16::MIN + 1,
    -16385,
    -16384,
    -16383,
    -Q - 1,
    -Q,
    -Q + 1,
    -1665,
    -1664,
    -2,
    -1,
    0,
    1,
    2,
    1664,
    1665,
    Q - 1,
    Q,
    Q + 1,
    16383,
    16384,
    i16::MAX - 1,
    i16::MAX,
];

/// All pairs of corners, then random ones, as vectors.
fn pairs<const N: usize>() -> Vec<[[i16; N]; 2]> {
    let rng = &mut StdRng::seed_from_u64(4);
    let corners = CORNERS
        .iter()
        .flat_map(|&a| CORNERS.iter().map(move |&b| (a, b)));
    let mut pairs: Vec<(i16, i16)> = corners.collect();
    pairs.extend((0..100_000).map(|_| rng.random::<(i16, i16)>()));
    pairs.resize(pairs.len().next_multiple_of(N), (0, 0));
    pairs
        .chunks_exact(N)
        .map(|pairs| {
            [
                core::array::from_fn(|i| pairs[i].0),
                core::array::from_fn(|i| pairs[i].1),
            ]
        })
        .collect()
}

fn stored<const N: usize, V: Vector<N>>(v: V) -> [i16; N] {
    let mut lanes = [0; N];
    v.store(&mut lanes);
    lanes
}

/// An operation on two vectors, as it is and as it should be.
type OnTwo<V, const N: usize> = (
    &'static str,
    fn(V, V) -> V,
    fn([i16; N], [i16; N]) -> [i16; N],
);

fn element_wise<const N: usize, V: Vector<N>>() {
    let operations: [OnTwo<V, N>; 9] = [
        ("add", V::add, Lanes::add),
        ("sub", V::sub, Lanes::sub),
        ("mul_low", V::mul_low, Lanes::mul_low),
        ("mul_round_high", V::mul_round_high, Lanes::mul_round_high),
        ("where_negative", V::where_negative, Lanes::where_negative),
        ("and", V::and, Lanes::and),
        (
            "shift_left 1",
            |a, _| a.shift_left(1),
            |a, _| a.shift_left(1),
        ),
        (
            "shift_left 5",
            |a, _| a.shift_left(5),
            |a, _| a.shift_left(5),
        ),
        (
            "shift_left 15",
            |a, _| a.shift_left(15),
            |a, _| a.shift_left(15),
        ),
    ];
    for [a, b] in pairs() {
        // No lane has both factors -2^15.
        let allowed =
            core::array::from_fn(|i| b[i] + i16::from(a[i] == i16::MIN && b[i] == i16::MIN));
        for (name, operation, expected) in operations {
            let b = if name == "mul_round_high" { allowed } else { b };
            let result = stored(operation(V::load(&a), V::load(&b)));
            assert_eq!(result, expected(a, b), "{name} of {a:?}, {b:?}");
        }
    }
}

/// For every number that the contract admits, and q, which is what the kernels add.
fn correction<const N: usize, V: Vector<N>>() {
    for start in (-Q..=i16::MAX - Q).step_by(N) {
        let x: [i16; N] = core::array::from_fn(|i| (start + i as i16).min(i16::MAX - Q));
        let result = stored(V::load(&x).add_where_negative(V::splat(Q)));
        assert_eq!(result, x.map(|x| if x < 0 { x + Q } else { x }));
    }
}

/// For everything within 16 bits of the bound, which is what compression compares with.
fn increments<const N: usize, V: Vector<N>>() {
    const BOUND: i16 = Q >> 1;
    for start in (BOUND - i16::MAX..=i16::MAX).step_by(N) {
        let x: [i16; N] = core::array::from_fn(|i| start.saturating_add(i as i16));
        let result = stored(V::splat(start).increment_where_above(V::load(&x), BOUND));
        assert_eq!(result, x.map(|x| start + i16::from(x > BOUND)));
    }
}

fn constants<const N: usize, V: Vector<N>>() {
    let c: [i16; N] = core::array::from_fn(|i| 1000 - 77 * i as i16);
    assert_eq!(stored(V::constants(&c)), c);
    for c in CORNERS {
        assert_eq!(stored(V::splat(c)), [c; N]);
    }
    let eight = core::array::from_fn(|i| 77 * i as i16 - 300);
    for (i, c) in eight.into_iter().enumerate() {
        assert_eq!(stored(V::splat_of(&eight, i)), [c; N]);
    }
}

fn multiplication_by_constants<const N: usize, V: Vector<N>>() {
    let zetas = (0..256).scan(1, |power, _| {
        *power = *power * 17 % i64::from(Q);
        Some(*power)
    });
    let numbers: Vec<[i16; N]> = (i16::MIN..=i16::MAX)
        .step_by(N)
        .map(|start| core::array::from_fn(|i| start + i as i16))
        .collect();
    for constant in zetas.chain([512, 1 << 16]).map(Constant::new) {
        let (value, quotient) = (V::splat(constant.value), V::splat(constant.quotient));
        for x in &numbers {
            let v = V::load(x);
            assert_eq!(stored(v.mul_low(value)), x.mul_low([constant.value; N]));
            let expected = x.mul_round_high([constant.quotient; N]);
            assert_eq!(stored(v.mul_round_high(quotient)), expected);
        }
    }
    let q = V::splat(Q);
    for x in &numbers {
        assert_eq!(stored(V::load(x).mul_low(q)), x.mul_low([Q; N]));
    }
}

fn transpositions<const N: usize, V: Vector<N>>() {
    let a: [i16; N] = core::array::from_fn(|i| 256 * i as i16 + 1);
    let b = a.map(|x| x + 2);
    macro_rules! transpose {
        ($($block:literal)*) => {
            $(if $block < N {
                let (first, second) = V::transpose::<$block>(V::load(&a), V::load(&b));
                let expected = Lanes::transpose::<$block>(a, b);
                assert_eq!((stored(first), stored(second)), expected, "blocks of {}", $block);
            })*
        };
    }
    transpose!(1 2 4 8 16);
}

/// By the one or two lanes that the kernels ask for.
fn interleavings<const N: usize, V: Vector<N>>() {
    let plain: [[i16; N]; 2] =
        core::array::from_fn(|v| core::array::from_fn(|i| (256 * i + v) as i16));
    fn check<const BLOCK: usize, const N: usize, V: Vector<N>>(plain: &[[i16; N]; 2]) {
        let pair = plain.map(|lanes| V::load(&lanes));
        let (even, odd) = V::deinterleave::<BLOCK>(&pair);
        let apart = [stored(even), stored(odd)];
        for (place, lane) in plain.as_flattened().iter().enumerate() {
            let (block, within) = (place / BLOCK, place % BLOCK);
            let to = block / 2 * BLOCK + within;
            assert_eq!(
                apart[block % 2][to],
                *lane,
                "blocks of {BLOCK}, lane {place}"
            );
        }
        let mut again = [V::splat(0); 2];
        V::interleave::<BLOCK>(even, odd, &mut again);
        assert_eq!(again.map(stored), *plain, "blocks of {BLOCK}");
    }
    check::<1, N, V>(&plain);
    check::<2, N, V>(&plain);
}

/// Sums of products, reduced: all low halves, with upper ones of either sign and up to the largest
/// that the kernels make.
fn sums_of_products<const N: usize, V: Vector<N>>() {
    let sums = |terms: &[[[i16; N]; 2]]| {
        let (mut sum, mut expected) = (V::zero_wide(), <[i16; N]>::zero_wide());
        for [a, b] in terms {
            sum = V::load(a).mul_add_wide(V::load(b), sum);
            expected = a.mul_add_wide(*b, expected);
        }
        let expected = <[i16; N]>::montgomery_reduce(expected);
        assert_eq!(stored(V::montgomery_reduce(sum)), expected, "{terms:?}");
    };
    sums(&[]);
    // Eight products of |a| < q.
    let pairs: Vec<_> = pairs::<N>()
        .into_iter()
        .map(|[a, b]| {
            [
                a.map(|a| ((i32::from(a) * (i32::from(Q) - 1)) >> 15) as i16),
                b,
            ]
        })
        .collect();
    for terms in 1..=8 {
        pairs.windows(terms).for_each(sums);
    }
    for products in 0..=7 {
        for a in [Q - 1, 1 - Q] {
            for start in (i16::MIN..=i16::MAX).step_by(N) {
                let mut terms = [[[a; N], [i16::MIN; N]]; 8];
                terms[0] = [core::array::from_fn(|i| start + i as i16), [1; N]];
                sums(&terms[..=products]);
            }
        }
    }
    for a in [Q - 1, 1 - Q] {
        for b in [i16::MIN, i16::MAX] {
            sums(&[[[a; N], [b; N]]; 8]);
        }
    }
}

/// Bit by bit, so all eight combinations of bits in every place say all of it; a rotation is a
/// shuffle of bits, and linear.
fn keccak<const N: usize, K: States<N>>() {
    let stored = |k: K| {
        let mut lanes = [0; N];
        k.store(&mut lanes);
        lanes
    };
    let check = |[a, b, c]: [[u64; N]; 3]| {
        let [x, y, z] = [a, b, c].map(|lanes| K::load(&lanes));
        assert_eq!(stored(x.xor3(y, z)), a.xor3(b, c));
        assert_eq!(stored(x.xor_clear(y, z)), a.xor_clear(b, c));
        assert_eq!(stored(x.xor_rotated(y)), a.xor_rotated(b));
        assert_eq!(stored(x.xor_constant(c[0])), a.xor_constant(c[0]));
        macro_rules! rotate {
            ($($n:literal)*) => {
                $(assert_eq!(stored(x.xor_rotate::<$n>(y)), a.xor_rotate::<$n>(b));)*
            };
        }
        // The offsets of rho.
        rotate!(0 1 2 3 6 8 10 14 15 18 20 21 25 27 28 36 39 41 43 44 45 55 56 61 62);
    };
    // Every combination of three bits is somewhere in a byte.
    let combinations = [0xf0u64, 0xcc, 0xaa].map(|byte| byte * 0x0101_0101_0101_0101);
    for shift in 0..8 {
        check(combinations.map(|bits| [bits.rotate_left(shift); N]));
    }
    for bit in 0..64 {
        let one_hot: [u64; N] = core::array::from_fn(|i| u64::rotate_left(1, bit + i as u32));
        check([one_hot, [0; N], [0; N]]);
        check([[0; N], one_hot, [0; N]]);
    }
    let rng = &mut StdRng::seed_from_u64(5);
    for _ in 0..1000 {
        check(core::array::from_fn(|_| {
            core::array::from_fn(|_| rng.random())
        }));
    }
}
