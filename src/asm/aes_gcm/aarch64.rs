//! AES and carry-less multiplication on AArch64: FEAT_AES with FEAT_PMULL.

use super::blocks::{Blocks, RoundKeys};
use super::gcm::{self, Key};
use super::{Kernels, TAG_LEN};
use core::arch::aarch64::*;

/// One block.
#[derive(Clone, Copy)]
struct V(uint8x16_t);

impl Blocks for V {
    const WIDTH: usize = 1;

    #[inline(always)]
    fn load(bytes: &[u8]) -> Self {
        Self::broadcast(bytes.try_into().expect("as long as a vector"))
    }

    #[inline(always)]
    fn store(self, bytes: &mut [u8]) {
        let bytes: &mut [u8; 16] = bytes.try_into().expect("as long as a vector");
        simd!(vst1q_u8(bytes.as_mut_ptr(), self.0));
    }

    #[inline(always)]
    fn broadcast(block: &[u8; 16]) -> Self {
        simd!(Self(vld1q_u8(block.as_ptr())))
    }

    #[inline(always)]
    fn first(block: &[u8; 16]) -> Self {
        Self::broadcast(block)
    }

    #[inline(always)]
    fn xor(self, rhs: Self) -> Self {
        simd!(Self(veorq_u8(self.0, rhs.0)))
    }

    #[inline(always)]
    fn reversed(self) -> Self {
        simd!(Self(vrev64q_u8(self.swap_halves().0)))
    }

    #[inline(always)]
    fn count(self, n: u32) -> Self {
        simd!({
            let n = vsetq_lane_u32::<0>(n, vdupq_n_u32(0));
            let sum = vaddq_u32(vreinterpretq_u32_u8(self.0), n);
            Self(vreinterpretq_u8_u32(sum))
        })
    }

    #[inline(always)]
    fn multiply<const A: u8, const B: u8>(self, rhs: Self) -> Self {
        simd!({
            let (a, b) = (vreinterpretq_p64_u8(self.0), vreinterpretq_p64_u8(rhs.0));
            let product = match (A, B) {
                (0, 0) => vmull_p64(vgetq_lane_p64::<0>(a), vgetq_lane_p64::<0>(b)),
                (1, 0) => vmull_p64(vgetq_lane_p64::<1>(a), vgetq_lane_p64::<0>(b)),
                (0, 1) => vmull_p64(vgetq_lane_p64::<0>(a), vgetq_lane_p64::<1>(b)),
                (1, 1) => vmull_high_p64(a, b),
                _ => unreachable!("halves are 0 and 1"),
            };
            Self(vreinterpretq_u8_p128(product))
        })
    }

    #[inline(always)]
    fn swap_halves(self) -> Self {
        simd!(Self(vextq_u8::<8>(self.0, self.0)))
    }

    #[inline(always)]
    fn sum(self) -> Self {
        self
    }

    // AESE adds the key of its round before it substitutes.

    #[inline(always)]
    fn start(self, _: &RoundKeys<Self>) -> Self {
        self
    }

    #[inline(always)]
    fn round(self, keys: &RoundKeys<Self>, i: usize) -> Self {
        simd!(Self(vaesmcq_u8(vaeseq_u8(self.0, keys[i].0))))
    }

    #[inline(always)]
    fn end(self, keys: &RoundKeys<Self>) -> Self {
        simd!(Self(vaeseq_u8(self.0, keys[13].0))).xor(keys[14])
    }

    // Of a block with four times this column, which ShiftRows leaves as it is.
    #[inline(always)]
    fn sub_word(word: u32) -> u32 {
        simd!({
            let columns = vreinterpretq_u8_u32(vdupq_n_u32(word));
            let substituted = vaeseq_u8(columns, vdupq_n_u8(0));
            vgetq_lane_u32::<0>(vreinterpretq_u32_u8(substituted))
        })
    }
}

/// The token of FEAT_AES and FEAT_PMULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arm(());

impl Kernels for Arm {
    const NAME: &'static str = "armv8-aes";

    fn detect() -> Option<Self> {
        // It asks for PMULL too.
        cpufeatures::new!(features, "aes");
        features::get().then_some(Self(()))
    }

    fn expand(self, key: &[u8; 32]) -> Key {
        #[target_feature(enable = "aes")]
        fn kernel(key: &[u8; 32]) -> Key {
            gcm::expand::<V>(key)
        }
        simd!(kernel(key))
    }

    fn seal(self, key: &Key, nonce: &[u8; 12], data: &mut [u8]) -> [u8; TAG_LEN] {
        #[target_feature(enable = "aes")]
        fn kernel(key: &Key, nonce: &[u8; 12], data: &mut [u8]) -> [u8; TAG_LEN] {
            gcm::seal::<V>(key, nonce, data)
        }
        simd!(kernel(key, nonce, data))
    }

    fn open(self, key: &Key, nonce: &[u8; 12], data: &mut [u8]) -> [u8; TAG_LEN] {
        #[target_feature(enable = "aes")]
        fn kernel(key: &Key, nonce: &[u8; 12], data: &mut [u8]) -> [u8; TAG_LEN] {
            gcm::open::<V>(key, nonce, data)
        }
        simd!(kernel(key, nonce, data))
    }
}
