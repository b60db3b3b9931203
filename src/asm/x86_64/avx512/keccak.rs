//! Keccak-f[1600] on eight states, four and one: rotations are one instruction, and so is every
//! three-way operation. Where 512-bit operations take two cycles, four states cost half of eight;
//! elsewhere any number costs the same.

use super::super::super::backend::Block;
use super::super::super::keccak::{Interleaved, keccak_f1600};
use super::super::super::lanes::KeccakLanes;
use core::arch::x86_64::*;

/// A register as one lane of as many states as it has quadwords.
macro_rules! keccak_lanes {
    ($name:ident, $register:ty, $xor:ident, $ternary:ident, $rotate:ident, $set1:ident) => {
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        struct $name($register);

        impl KeccakLanes for $name {
            #[inline(always)]
            fn xor3(self, b: Self, c: Self) -> Self {
                simd!(Self($ternary::<0x96>(self.0, b.0, c.0)))
            }

            #[inline(always)]
            fn xor_rotated(self, b: Self) -> Self {
                simd!(Self($xor(self.0, $rotate(b.0, $set1(1)))))
            }

            #[inline(always)]
            fn xor_rotate<const N: u32>(self, b: Self) -> Self {
                // Compiles to a rotation by an immediate, for which the intrinsic wants an i32.
                simd!(Self($rotate($xor(self.0, b.0), $set1(N.into()))))
            }

            #[inline(always)]
            fn xor_clear(self, b: Self, c: Self) -> Self {
                simd!(Self($ternary::<0xd2>(self.0, b.0, c.0)))
            }

            #[inline(always)]
            fn xor_constant(self, c: u64) -> Self {
                simd!(Self($xor(self.0, $set1(c as i64))))
            }
        }
    };
}

keccak_lanes!(
    One, __m128i, _mm_xor_si128, _mm_ternarylogic_epi64, _mm_rolv_epi64, _mm_set1_epi64x
);
keccak_lanes!(
    Four, __m256i, _mm256_xor_si256, _mm256_ternarylogic_epi64, _mm256_rolv_epi64,
    _mm256_set1_epi64x
);
keccak_lanes!(
    Eight, __m512i, _mm512_xor_si512, _mm512_ternarylogic_epi64, _mm512_rolv_epi64,
    _mm512_set1_epi64
);

/// Permutes one state, in the low quadwords: quicker than scalar code, which has no three-way
/// operations.
#[inline(always)]
pub(super) fn permute_one(state: &mut [u64; 25]) {
    let mut a = state.map(|lane| simd!(One(_mm_cvtsi64_si128(lane as i64))));
    keccak_f1600(&mut a);
    *state = a.map(|lane| simd!(_mm_cvtsi128_si64(lane.0) as u64));
}

/// Permutes the first four states.
#[inline(always)]
pub(super) fn permute_four(states: &mut Interleaved<8>) {
    let mut a: [Four; 25] =
        core::array::from_fn(|i| simd!(Four(_mm256_loadu_si256(states.0[i].as_ptr().cast()))));
    keccak_f1600(&mut a);
    for (lanes, a) in states.0.iter_mut().zip(a) {
        simd!(_mm256_storeu_si256(lanes.as_mut_ptr().cast(), a.0));
    }
}

/// Permutes all states.
#[inline(always)]
pub(super) fn permute_eight(states: &mut Interleaved<8>) {
    let mut a: [Eight; 25] =
        core::array::from_fn(|i| simd!(Eight(_mm512_loadu_si512(states.0[i].as_ptr().cast()))));
    keccak_f1600(&mut a);
    for (lanes, a) in states.0.iter_mut().zip(a) {
        simd!(_mm512_storeu_si512(lanes.as_mut_ptr().cast(), a.0));
    }
}

/// See `Kernels::squeeze`.
#[inline(always)]
pub(super) fn squeeze(states: &Interleaved<8>, blocks: &mut [Block; 8]) {
    for (part, lanes) in states.0.as_chunks::<8>().0.iter().enumerate() {
        let rows = core::array::from_fn(|i| simd!(_mm512_loadu_si512(lanes[i].as_ptr().cast())));
        for (block, column) in blocks.iter_mut().zip(transpose_8x8(rows)) {
            let to: &mut [u8; 64] = &mut block.0.as_chunks_mut().0[part];
            simd!(_mm512_storeu_si512(to.as_mut_ptr().cast(), column));
        }
    }
}

/// The columns of an 8 x 8 matrix of 64-bit numbers, from its rows.
#[inline(always)]
fn transpose_8x8(rows: [__m512i; 8]) -> [__m512i; 8] {
    /// The columns of a 4 x 4 matrix of 128-bit numbers.
    #[inline(always)]
    fn transpose_4x4([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
        simd!({
            let (ab_even, cd_even) = (
                _mm512_shuffle_i64x2::<0x88>(a, b),
                _mm512_shuffle_i64x2::<0x88>(c, d),
            );
            let (ab_odd, cd_odd) = (
                _mm512_shuffle_i64x2::<0xdd>(a, b),
                _mm512_shuffle_i64x2::<0xdd>(c, d),
            );
            [
                _mm512_shuffle_i64x2::<0x88>(ab_even, cd_even),
                _mm512_shuffle_i64x2::<0x88>(ab_odd, cd_odd),
                _mm512_shuffle_i64x2::<0xdd>(ab_even, cd_even),
                _mm512_shuffle_i64x2::<0xdd>(ab_odd, cd_odd),
            ]
        })
    }
    let pairs = rows.as_chunks::<2>().0;
    let even = transpose_4x4([0, 1, 2, 3].map(|i| {
        let [a, b] = pairs[i];
        simd!(_mm512_unpacklo_epi64(a, b))
    }));
    let odd = transpose_4x4([0, 1, 2, 3].map(|i| {
        let [a, b] = pairs[i];
        simd!(_mm512_unpackhi_epi64(a, b))
    }));
    [
        even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3],
    ]
}
