//! What the lanes are: 16 coefficients, or four Keccak states, a register.

use super::super::super::backend::Q;
use super::super::super::lanes::{KeccakLanes, Lanes};
use super::super::super::multiply;
use core::arch::{asm, x86_64::*};
use core::mem::MaybeUninit;

/// 16 coefficients.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in crate::asm) struct V(pub(super) __m256i);

/// One lane of four Keccak states.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in crate::asm) struct K(__m256i);

impl K {
    #[inline(always)]
    pub(in crate::asm) fn load(lanes: &[u64; 4]) -> Self {
        simd!(Self(_mm256_loadu_si256(lanes.as_ptr().cast())))
    }

    #[inline(always)]
    pub(in crate::asm) fn store(self, lanes: &mut [u64; 4]) {
        simd!(_mm256_storeu_si256(lanes.as_mut_ptr().cast(), self.0));
    }

    /// Bits `N` places to the left. AVX2 has no rotation, but one by whole bytes is a shuffle.
    #[inline(always)]
    fn rotate<const N: u32>(self) -> Self {
        const fn bytes(n: u8) -> [u8; 32] {
            let mut index = [0; 32];
            let mut i = 0u8;
            while i < 32 {
                index[i as usize] = (i & 8) | (i.wrapping_sub(n) & 7);
                i += 1;
            }
            index
        }
        match N {
            0 => self,
            8 | 56 => Self(shuffle_bytes(self.0, const { &bytes(N as u8 >> 3) })),
            // The intrinsics with an immediate want a constant of type i32; these compile to them.
            _ => simd!({
                let left = _mm256_sllv_epi64(self.0, _mm256_set1_epi64x(N.into()));
                let right = _mm256_srlv_epi64(self.0, _mm256_set1_epi64x((64 - N).into()));
                Self(_mm256_or_si256(left, right))
            }),
        }
    }
}

impl KeccakLanes for K {
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        simd!(Self(_mm256_xor_si256(_mm256_xor_si256(self.0, b.0), c.0)))
    }

    #[inline(always)]
    fn xor_rotated(self, b: Self) -> Self {
        simd!(Self(_mm256_xor_si256(self.0, b.rotate::<1>().0)))
    }

    #[inline(always)]
    fn xor_rotate<const N: u32>(self, b: Self) -> Self {
        simd!(Self(_mm256_xor_si256(self.0, b.0))).rotate::<N>()
    }

    #[inline(always)]
    fn xor_clear(self, b: Self, c: Self) -> Self {
        simd!(Self(_mm256_xor_si256(
            self.0,
            _mm256_andnot_si256(b.0, c.0)
        )))
    }

    #[inline(always)]
    fn xor_constant(self, c: u64) -> Self {
        simd!(Self(_mm256_xor_si256(self.0, _mm256_set1_epi64x(c as i64))))
    }
}

/// Has the compiler align its caller's stack for vectors. It does so for an object that needs it but
/// not for the registers that it spills, and where every second of those straddles two cache lines,
/// a Keccak permutation takes 2.6 times as long.
#[inline(always)]
pub(super) fn align_stack() {
    let object = MaybeUninit::<__m256i>::uninit();
    // SAFETY: the assembly is empty; it only claims to read the object.
    unsafe {
        asm!(
            "/* {0} */",
            in(reg) object.as_ptr(),
            options(readonly, nostack, preserves_flags)
        );
    }
}

/// In each half, the bytes at the places of that half that `index` has; zeros where that is 0xff.
#[inline(always)]
pub(super) fn shuffle_bytes(v: __m256i, index: &[u8; 32]) -> __m256i {
    simd!(_mm256_shuffle_epi8(
        v,
        _mm256_loadu_si256(index.as_ptr().cast())
    ))
}

impl From<K> for V {
    #[inline(always)]
    fn from(k: K) -> Self {
        Self(k.0)
    }
}

impl V {
    #[inline(always)]
    pub(in crate::asm) fn load(f: &[i16; 16]) -> Self {
        simd!(Self(_mm256_loadu_si256(f.as_ptr().cast())))
    }

    #[inline(always)]
    pub(in crate::asm) fn store(self, f: &mut [i16; 16]) {
        simd!(_mm256_storeu_si256(f.as_mut_ptr().cast(), self.0));
    }
}

impl Lanes for V {
    const WIDTH: usize = 16;
    type Wide = [__m256i; 2];

    #[inline(always)]
    fn splat(c: i16) -> Self {
        simd!(Self(_mm256_set1_epi16(c)))
    }

    #[inline(always)]
    fn constants(c: &[i16]) -> Self {
        Self::load(c.try_into().expect("16 constants"))
    }

    #[inline(always)]
    fn add(self, rhs: Self) -> Self {
        simd!(Self(_mm256_add_epi16(self.0, rhs.0)))
    }

    #[inline(always)]
    fn sub(self, rhs: Self) -> Self {
        simd!(Self(_mm256_sub_epi16(self.0, rhs.0)))
    }

    #[inline(always)]
    fn mul_low(self, rhs: Self) -> Self {
        simd!(Self(_mm256_mullo_epi16(self.0, rhs.0)))
    }

    #[inline(always)]
    fn mul_round_high(self, rhs: Self) -> Self {
        simd!(Self(_mm256_mulhrs_epi16(self.0, rhs.0)))
    }

    #[inline(always)]
    fn where_negative(self, c: Self) -> Self {
        simd!(Self(_mm256_and_si256(_mm256_srai_epi16::<15>(self.0), c.0)))
    }

    #[inline(always)]
    fn increment_where_above(self, x: Self, bound: i16) -> Self {
        simd!(Self(_mm256_sub_epi16(
            self.0,
            _mm256_cmpgt_epi16(x.0, V::splat(bound).0)
        )))
    }

    #[inline(always)]
    fn shift_left(self, n: usize) -> Self {
        simd!(Self(_mm256_sll_epi16(self.0, _mm_cvtsi32_si128(n as i32))))
    }

    #[inline(always)]
    fn and(self, rhs: Self) -> Self {
        simd!(Self(_mm256_and_si256(self.0, rhs.0)))
    }

    #[inline(always)]
    fn transpose<const BLOCK: usize>(a: Self, b: Self) -> (Self, Self) {
        let (V(a), V(b)) = (a, b);
        let (first, second) = simd!(match BLOCK {
            1 => (
                _mm256_blend_epi16::<0b1010_1010>(a, _mm256_slli_epi32::<16>(b)),
                _mm256_blend_epi16::<0b1010_1010>(_mm256_srli_epi32::<16>(a), b),
            ),
            2 => (
                _mm256_blend_epi32::<0b1010_1010>(a, _mm256_slli_epi64::<32>(b)),
                _mm256_blend_epi32::<0b1010_1010>(_mm256_srli_epi64::<32>(a), b),
            ),
            4 => (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)),
            8 => (
                _mm256_permute2x128_si256::<0x20>(a, b),
                _mm256_permute2x128_si256::<0x31>(a, b),
            ),
            _ => unreachable!("a power of two below the width"),
        });
        (Self(first), Self(second))
    }

    #[inline(always)]
    fn zero_wide() -> Self::Wide {
        simd!([_mm256_setzero_si256(); 2])
    }

    #[inline(always)]
    fn mul_add_wide(self, rhs: Self, sum: Self::Wide) -> Self::Wide {
        simd!({
            let low = _mm256_mullo_epi16(self.0, rhs.0);
            let high = _mm256_mulhi_epi16(self.0, rhs.0);
            [
                _mm256_add_epi32(sum[0], _mm256_unpacklo_epi16(low, high)),
                _mm256_add_epi32(sum[1], _mm256_unpackhi_epi16(low, high)),
            ]
        })
    }

    #[inline(always)]
    fn montgomery_reduce(sum: Self::Wide) -> Self {
        simd!({
            let low_half = |x| _mm256_and_si256(x, _mm256_set1_epi32(0xffff));
            let low = _mm256_packus_epi32(low_half(sum[0]), low_half(sum[1]));
            let [a, b] = sum.map(|x| _mm256_srai_epi32::<16>(x));
            let m = _mm256_mullo_epi16(low, _mm256_set1_epi16(multiply::Q_INVERSE));
            let mq = _mm256_mulhi_epi16(m, _mm256_set1_epi16(Q));
            Self(_mm256_sub_epi16(_mm256_packs_epi32(a, b), mq))
        })
    }
}
