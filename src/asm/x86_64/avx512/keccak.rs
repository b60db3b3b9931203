//! Keccak-f\[1600\] on eight states, four and two: rotations are one instruction, and so is every
//! three-way operation. Where 512-bit operations take two cycles, four states cost half of eight;
//! elsewhere any number costs the same.

use super::super::super::backend::Block;
use super::super::super::keccak::{Interleaved, keccak_f1600};
use super::super::super::lanes::KeccakLanes;
use core::arch::x86_64::*;

/// A register as one lane of as many states as it has quadwords.
macro_rules! keccak_lanes {
    ($name:ident, $register:ty, $n:literal, $xor:ident, $ternary:ident, $rotate:ident,
     $set1:ident, $load:ident, $store:ident) => {
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(in crate::asm) struct $name($register);

        impl $name {
            #[inline(always)]
            pub(in crate::asm) fn load(lanes: &[u64; $n]) -> Self {
                simd!(Self($load(lanes.as_ptr().cast())))
            }

            #[inline(always)]
            pub(in crate::asm) fn store(self, lanes: &mut [u64; $n]) {
                simd!($store(lanes.as_mut_ptr().cast(), self.0));
            }
        }

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
    Two,
    __m128i,
    2,
    _mm_xor_si128,
    _mm_ternarylogic_epi64,
    _mm_rolv_epi64,
    _mm_set1_epi64x,
    _mm_loadu_si128,
    _mm_storeu_si128
);
keccak_lanes!(
    Four,
    __m256i,
    4,
    _mm256_xor_si256,
    _mm256_ternarylogic_epi64,
    _mm256_rolv_epi64,
    _mm256_set1_epi64x,
    _mm256_loadu_si256,
    _mm256_storeu_si256
);
keccak_lanes!(
    Eight,
    __m512i,
    8,
    _mm512_xor_si512,
    _mm512_ternarylogic_epi64,
    _mm512_rolv_epi64,
    _mm512_set1_epi64,
    _mm512_loadu_si512,
    _mm512_storeu_si512
);

/// Permutes one state, beside one that nobody asked for: quicker than scalar code, which has no
/// three-way operations.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn permute_one(state: &mut [u64; 25]) {
    let mut a = [Two::load(&[0; 2]); 25];
    for (a, lane) in a.iter_mut().zip(&*state) {
        *a = Two::load(&[*lane, 0]);
    }
    keccak_f1600(&mut a);
    for (lane, a) in state.iter_mut().zip(a) {
        let mut lanes = [0; 2];
        a.store(&mut lanes);
        *lane = lanes[0];
    }
}

/// Permutes the first four states.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn permute_four(states: &mut Interleaved<8>) {
    let mut a = [Four::load(&[0; 4]); 25];
    for (a, lanes) in a.iter_mut().zip(&states.0) {
        *a = Four::load(lanes.first_chunk().expect("four of eight"));
    }
    keccak_f1600(&mut a);
    for (lanes, a) in states.0.iter_mut().zip(a) {
        a.store(lanes.first_chunk_mut().expect("four of eight"));
    }
}

/// Permutes all states.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn permute_eight(states: &mut Interleaved<8>) {
    let mut a = [Eight::load(&[0; 8]); 25];
    for (a, lanes) in a.iter_mut().zip(&states.0) {
        *a = Eight::load(lanes);
    }
    keccak_f1600(&mut a);
    for (lanes, a) in states.0.iter_mut().zip(a) {
        a.store(lanes);
    }
}

/// See `Kernels::squeeze`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn squeeze(states: &Interleaved<8>, blocks: &mut [Block; 8]) {
    for (part, lanes) in states.0.as_chunks::<8>().0.iter().enumerate() {
        let mut rows = [_mm512_setzero_si512(); 8];
        for (row, lanes) in rows.iter_mut().zip(lanes) {
            *row = simd!(_mm512_loadu_si512(lanes.as_ptr().cast()));
        }
        for (block, column) in blocks.iter_mut().zip(transpose_8x8(rows)) {
            let to: &mut [u8; 64] = &mut block.0.as_chunks_mut().0[part];
            simd!(_mm512_storeu_si512(to.as_mut_ptr().cast(), column));
        }
    }
}

/// The columns of an 8 x 8 matrix of 64-bit numbers, from its rows.
#[inline(always)]
fn transpose_8x8(r: [__m512i; 8]) -> [__m512i; 8] {
    simd!({
        let [a0, a2, a4, a6] = transpose_4x4([
            _mm512_unpacklo_epi64(r[0], r[1]),
            _mm512_unpacklo_epi64(r[2], r[3]),
            _mm512_unpacklo_epi64(r[4], r[5]),
            _mm512_unpacklo_epi64(r[6], r[7]),
        ]);
        let [a1, a3, a5, a7] = transpose_4x4([
            _mm512_unpackhi_epi64(r[0], r[1]),
            _mm512_unpackhi_epi64(r[2], r[3]),
            _mm512_unpackhi_epi64(r[4], r[5]),
            _mm512_unpackhi_epi64(r[6], r[7]),
        ]);
        [a0, a1, a2, a3, a4, a5, a6, a7]
    })
}

/// The columns of a 4 x 4 matrix of 128-bit numbers, from its rows.
#[inline(always)]
fn transpose_4x4([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    simd!({
        let (ab_even, ab_odd) = (
            _mm512_shuffle_i64x2::<0x88>(a, b),
            _mm512_shuffle_i64x2::<0xdd>(a, b),
        );
        let (cd_even, cd_odd) = (
            _mm512_shuffle_i64x2::<0x88>(c, d),
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
