//! What the lanes are: eight coefficients a register.

use super::super::super::backend::Q;
use super::super::super::lanes::Lanes;
use super::super::super::multiply;
use core::arch::aarch64::*;

/// Eight coefficients.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in crate::asm) struct V(pub(super) int16x8_t);

/// Hides from the compiler which constants these are. It would make each of them anew with two
/// instructions, where multiplications can take any one of the eight.
#[inline(always)]
fn opaque(constants: int16x8_t) -> int16x8_t {
    let mut constants = constants;
    // SAFETY: the assembly is empty; it only claims to have changed the constants.
    unsafe {
        core::arch::asm!(
            "/* {0:v} */",
            inout(vreg) constants,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    constants
}

impl V {
    /// A polynomial as vectors.
    ///
    /// # Panics
    /// If it does not lie as those of [`Poly`](super::Poly) and [`NttPoly`](super::NttPoly) do.
    #[inline(always)]
    pub(super) fn of(f: &[i16; 256]) -> &[Self; 32] {
        let v = f.as_ptr().cast::<[Self; 32]>();
        assert!(v.is_aligned(), "polynomials are aligned to 64 bytes");
        // SAFETY: as large, aligned, and any bits are a vector.
        unsafe { &*v }
    }

    /// A polynomial as vectors.
    ///
    /// # Panics
    /// If it does not lie as those of [`Poly`](super::Poly) and [`NttPoly`](super::NttPoly) do.
    #[inline(always)]
    pub(super) fn of_mut(f: &mut [i16; 256]) -> &mut [Self; 32] {
        let v = f.as_mut_ptr().cast::<[Self; 32]>();
        assert!(v.is_aligned(), "polynomials are aligned to 64 bytes");
        // SAFETY: as large, aligned, and any bits are a vector and any vector coefficients.
        unsafe { &mut *v }
    }

    #[inline(always)]
    pub(in crate::asm) fn load(f: &[i16; 8]) -> Self {
        simd!(Self(vld1q_s16(f.as_ptr())))
    }

    #[inline(always)]
    pub(in crate::asm) fn store(self, f: &mut [i16; 8]) {
        simd!(vst1q_s16(f.as_mut_ptr(), self.0));
    }
}

impl Lanes for V {
    const WIDTH: usize = 8;
    type Wide = [int32x4_t; 2];

    #[inline(always)]
    fn splat(c: i16) -> Self {
        simd!(Self(vdupq_n_s16(c)))
    }

    #[inline(always)]
    fn splat_of(constants: &[i16; 8], i: usize) -> Self {
        let v = opaque(Self::load(constants).0);
        simd!(Self(match i {
            0 => vdupq_laneq_s16::<0>(v),
            1 => vdupq_laneq_s16::<1>(v),
            2 => vdupq_laneq_s16::<2>(v),
            3 => vdupq_laneq_s16::<3>(v),
            4 => vdupq_laneq_s16::<4>(v),
            5 => vdupq_laneq_s16::<5>(v),
            6 => vdupq_laneq_s16::<6>(v),
            7 => vdupq_laneq_s16::<7>(v),
            _ => unreachable!("of eight"),
        }))
    }

    #[inline(always)]
    fn constants(c: &[i16]) -> Self {
        Self::load(c.try_into().expect("8 constants"))
    }

    #[inline(always)]
    fn add(self, rhs: Self) -> Self {
        simd!(Self(vaddq_s16(self.0, rhs.0)))
    }

    #[inline(always)]
    fn sub(self, rhs: Self) -> Self {
        simd!(Self(vsubq_s16(self.0, rhs.0)))
    }

    #[inline(always)]
    fn mul_low(self, rhs: Self) -> Self {
        simd!(Self(vmulq_s16(self.0, rhs.0)))
    }

    #[inline(always)]
    fn mul_round_high(self, rhs: Self) -> Self {
        simd!(Self(vqrdmulhq_s16(self.0, rhs.0)))
    }

    #[inline(always)]
    fn where_negative(self, c: Self) -> Self {
        simd!(Self(vandq_s16(vshrq_n_s16::<15>(self.0), c.0)))
    }

    // Without a sign, a negative lane is the larger one.
    #[inline(always)]
    fn add_where_negative(self, c: Self) -> Self {
        let unsigned = |V(x)| simd!(vreinterpretq_u16_s16(x));
        let smaller = simd!(vminq_u16(unsigned(self), unsigned(self.add(c))));
        Self(simd!(vreinterpretq_s16_u16(smaller)))
    }

    #[inline(always)]
    fn shift_left(self, n: usize) -> Self {
        simd!(Self(vshlq_s16(self.0, vdupq_n_s16(n as i16))))
    }

    #[inline(always)]
    fn and(self, rhs: Self) -> Self {
        simd!(Self(vandq_s16(self.0, rhs.0)))
    }

    #[inline(always)]
    fn transpose<const BLOCK: usize>(V(a): Self, V(b): Self) -> (Self, Self) {
        let (first, second) = simd!(match BLOCK {
            1 => (vtrn1q_s16(a, b), vtrn2q_s16(a, b)),
            2 => {
                let (a, b) = (vreinterpretq_s32_s16(a), vreinterpretq_s32_s16(b));
                (
                    vreinterpretq_s16_s32(vtrn1q_s32(a, b)),
                    vreinterpretq_s16_s32(vtrn2q_s32(a, b)),
                )
            }
            4 => {
                let (a, b) = (vreinterpretq_s64_s16(a), vreinterpretq_s64_s16(b));
                (
                    vreinterpretq_s16_s64(vtrn1q_s64(a, b)),
                    vreinterpretq_s16_s64(vtrn2q_s64(a, b)),
                )
            }
            _ => unreachable!("a power of two below the width"),
        });
        (Self(first), Self(second))
    }

    // Loads that take apart, and stores that put together.

    #[inline(always)]
    fn deinterleave<const BLOCK: usize>(pair: &[Self; 2]) -> (Self, Self) {
        let (even, odd) = simd!(match BLOCK {
            1 => {
                let int16x8x2_t(even, odd) = vld2q_s16(pair.as_ptr().cast());
                (even, odd)
            }
            2 => {
                let int32x4x2_t(even, odd) = vld2q_s32(pair.as_ptr().cast());
                (vreinterpretq_s16_s32(even), vreinterpretq_s16_s32(odd))
            }
            _ => unreachable!("blocks of 1 or 2 lanes"),
        });
        (Self(even), Self(odd))
    }

    #[inline(always)]
    fn interleave<const BLOCK: usize>(V(even): Self, V(odd): Self, pair: &mut [Self; 2]) {
        match BLOCK {
            1 => simd!(vst2q_s16(pair.as_mut_ptr().cast(), int16x8x2_t(even, odd))),
            2 => simd!({
                let (even, odd) = (vreinterpretq_s32_s16(even), vreinterpretq_s32_s16(odd));
                vst2q_s32(pair.as_mut_ptr().cast(), int32x4x2_t(even, odd));
            }),
            _ => unreachable!("blocks of 1 or 2 lanes"),
        }
    }

    #[inline(always)]
    fn zero_wide() -> Self::Wide {
        simd!([vdupq_n_s32(0); 2])
    }

    #[inline(always)]
    fn mul_add_wide(self, rhs: Self, sum: Self::Wide) -> Self::Wide {
        simd!([
            vmlal_s16(sum[0], vget_low_s16(self.0), vget_low_s16(rhs.0)),
            vmlal_high_s16(sum[1], self.0, rhs.0),
        ])
    }

    #[inline(always)]
    fn montgomery_reduce([low, high]: Self::Wide) -> Self {
        simd!({
            let halves = |a, b| (vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b));
            let (a, b) = halves(low, high);
            let m = vmulq_s16(vuzp1q_s16(a, b), vdupq_n_s16(multiply::Q_INVERSE));
            let q = vdupq_n_s16(Q);
            let (a, b) = halves(
                vmlsl_s16(low, vget_low_s16(m), vget_low_s16(q)),
                vmlsl_high_s16(high, m, q),
            );
            Self(vuzp2q_s16(a, b))
        })
    }
}
