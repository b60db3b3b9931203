//! What the lanes are: 32 coefficients a register.

use super::super::super::backend::Q;
use super::super::super::lanes::Lanes;
use super::super::super::multiply;
use core::arch::x86_64::*;

/// 32 coefficients.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in crate::asm) struct V(pub(super) __m512i);

impl V {
    #[inline(always)]
    pub(in crate::asm) fn load(f: &[i16; 32]) -> Self {
        simd!(Self(_mm512_loadu_si512(f.as_ptr().cast())))
    }

    #[inline(always)]
    pub(in crate::asm) fn store(self, f: &mut [i16; 32]) {
        simd!(_mm512_storeu_si512(f.as_mut_ptr().cast(), self.0));
    }

    /// The lanes of two vectors at the places that `index` has; the second one's begin at 32.
    #[inline(always)]
    fn select(self, rhs: Self, index: &[i16; 32]) -> Self {
        simd!(Self(_mm512_permutex2var_epi16(
            self.0,
            Self::load(index).0,
            rhs.0
        )))
    }
}

/// Where the lanes of the first (`from` = 0) or second (`from` = `block`) vector of a transposition
/// come from.
const fn transposed(block: usize, from: usize) -> [i16; 32] {
    let mut index = [0; 32];
    let mut i = 0;
    while i < 32 {
        let second = i & block != 0;
        index[i] = (i - (i & block) + from + if second { 32 } else { 0 }) as i16;
        i += 1;
    }
    index
}

/// Where the lanes of every second block are, from `from` on.
const fn deinterleaved(block: usize, from: usize) -> [i16; 32] {
    let mut index = [0; 32];
    let mut i = 0;
    while i < 32 {
        index[i] = (2 * (i - (i & (block - 1))) + (i & (block - 1)) + from) as i16;
        i += 1;
    }
    index
}

/// Where the lanes of interleaved blocks come from, from lane `from` on.
const fn interleaved(block: usize, from: usize) -> [i16; 32] {
    let mut index = [0; 32];
    let mut i = 0;
    while i < 32 {
        let (to, within) = (from + i, i & (block - 1));
        let of_odd = if to & block != 0 { 32 } else { 0 };
        index[i] = (((to - within) >> 1) - ((to & block) >> 1) + within + of_odd) as i16;
        i += 1;
    }
    index
}

impl Lanes for V {
    const WIDTH: usize = 32;
    type Wide = [__m512i; 2];

    #[inline(always)]
    fn splat(c: i16) -> Self {
        simd!(Self(_mm512_set1_epi16(c)))
    }

    #[inline(always)]
    fn constants(c: &[i16]) -> Self {
        Self::load(c.try_into().expect("32 constants"))
    }

    #[inline(always)]
    fn add(self, rhs: Self) -> Self {
        simd!(Self(_mm512_add_epi16(self.0, rhs.0)))
    }

    #[inline(always)]
    fn sub(self, rhs: Self) -> Self {
        simd!(Self(_mm512_sub_epi16(self.0, rhs.0)))
    }

    #[inline(always)]
    fn mul_low(self, rhs: Self) -> Self {
        simd!(Self(_mm512_mullo_epi16(self.0, rhs.0)))
    }

    #[inline(always)]
    fn mul_round_high(self, rhs: Self) -> Self {
        simd!(Self(_mm512_mulhrs_epi16(self.0, rhs.0)))
    }

    #[inline(always)]
    fn where_negative(self, c: Self) -> Self {
        simd!(Self(_mm512_maskz_mov_epi16(
            _mm512_movepi16_mask(self.0),
            c.0
        )))
    }

    #[inline(always)]
    fn increment_where_above(self, x: Self, bound: i16) -> Self {
        simd!({
            let above = _mm512_cmpgt_epi16_mask(x.0, V::splat(bound).0);
            Self(_mm512_mask_sub_epi16(self.0, above, self.0, V::splat(-1).0))
        })
    }

    #[inline(always)]
    fn shift_left(self, n: usize) -> Self {
        simd!(Self(_mm512_sllv_epi16(self.0, _mm512_set1_epi16(n as i16))))
    }

    #[inline(always)]
    fn and(self, rhs: Self) -> Self {
        simd!(Self(_mm512_and_si512(self.0, rhs.0)))
    }

    #[inline(always)]
    fn transpose<const BLOCK: usize>(a: Self, b: Self) -> (Self, Self) {
        let [first, second] = const { &[transposed(BLOCK, 0), transposed(BLOCK, BLOCK)] };
        (a.select(b, first), a.select(b, second))
    }

    #[inline(always)]
    fn deinterleave<const BLOCK: usize>(&[a, b]: &[Self; 2]) -> (Self, Self) {
        let [even, odd] = const { &[deinterleaved(BLOCK, 0), deinterleaved(BLOCK, BLOCK)] };
        (a.select(b, even), a.select(b, odd))
    }

    #[inline(always)]
    fn interleave<const BLOCK: usize>(even: Self, odd: Self, pair: &mut [Self; 2]) {
        let [first, second] = const { &[interleaved(BLOCK, 0), interleaved(BLOCK, 32)] };
        *pair = [even.select(odd, first), even.select(odd, second)];
    }

    #[inline(always)]
    fn barrier(v: &mut [Self]) {
        #[inline]
        #[target_feature(enable = "avx512f")]
        fn barrier(v: &mut [V; 8]) {
            let [a, b, c, d, e, f, g, h] = v;
            // SAFETY: the assembly is empty.
            unsafe {
                core::arch::asm!(
                    "/* {0} {1} {2} {3} {4} {5} {6} {7} */",
                    inout(zmm_reg) a.0, inout(zmm_reg) b.0, inout(zmm_reg) c.0, inout(zmm_reg) d.0,
                    inout(zmm_reg) e.0, inout(zmm_reg) f.0, inout(zmm_reg) g.0, inout(zmm_reg) h.0,
                    options(pure, nomem, nostack, preserves_flags)
                );
            }
        }
        if let Ok(v) = v.try_into() {
            simd!(barrier(v));
        }
    }

    #[inline(always)]
    fn zero_wide() -> Self::Wide {
        simd!([_mm512_setzero_si512(); 2])
    }

    #[inline(always)]
    fn mul_add_wide(self, rhs: Self, sum: Self::Wide) -> Self::Wide {
        simd!({
            let low = _mm512_mullo_epi16(self.0, rhs.0);
            let high = _mm512_mulhi_epi16(self.0, rhs.0);
            [
                _mm512_add_epi32(sum[0], _mm512_unpacklo_epi16(low, high)),
                _mm512_add_epi32(sum[1], _mm512_unpackhi_epi16(low, high)),
            ]
        })
    }

    #[inline(always)]
    fn montgomery_reduce(sum: Self::Wide) -> Self {
        simd!({
            let low_half = |x| _mm512_and_si512(x, _mm512_set1_epi32(0xffff));
            let low = _mm512_packus_epi32(low_half(sum[0]), low_half(sum[1]));
            let [a, b] = sum.map(|x| _mm512_srai_epi32::<16>(x));
            let m = _mm512_mullo_epi16(low, _mm512_set1_epi16(multiply::Q_INVERSE));
            let mq = _mm512_mulhi_epi16(m, _mm512_set1_epi16(Q));
            Self(_mm512_sub_epi16(_mm512_packs_epi32(a, b), mq))
        })
    }
}

/// The vectors of a polynomial.
#[inline(always)]
pub(super) fn vectors(f: &[i16; 256]) -> [V; 8] {
    core::array::from_fn(|i| V::load(&f.as_chunks().0[i]))
}

#[inline(always)]
pub(super) fn store(v: [V; 8], f: &mut [i16; 256]) {
    for (v, f) in v.into_iter().zip(f.as_chunks_mut().0) {
        v.store(f);
    }
}
