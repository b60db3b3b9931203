//! AES and carry-less multiplication on x86-64: AES-NI and PCLMULQDQ, and their forms for registers
//! of 256 and 512 bits.

use super::blocks::{Blocks, RoundKeys};
use super::gcm::{self, Key};
use super::{Kernels, TAG_LEN};
use core::arch::x86_64::*;

/// A kind of vectors: the type, and its intrinsics.
macro_rules! blocks {
    ($name:ident($register:ty): $width:literal blocks {
        load: $load:ident, store: $store:ident, broadcast: $broadcast:expr, first: $first:expr,
        xor: $xor:ident, shuffle: $shuffle:ident, exchange: $exchange:ident, add: $add:ident,
        multiply: $multiply:ident, round: $round:ident, end: $end:ident, sum: $sum:expr,
    }) => {
        #[derive(Clone, Copy)]
        struct $name($register);

        impl Blocks for $name {
            const WIDTH: usize = $width;

            #[inline(always)]
            fn load(bytes: &[u8]) -> Self {
                let bytes: &[u8; 16 * $width] = bytes.try_into().expect("as long as a vector");
                simd!(Self($load(bytes.as_ptr().cast())))
            }

            #[inline(always)]
            fn store(self, bytes: &mut [u8]) {
                let bytes: &mut [u8; 16 * $width] = bytes.try_into().expect("as long as a vector");
                simd!($store(bytes.as_mut_ptr().cast(), self.0));
            }

            #[inline(always)]
            fn broadcast(block: &[u8; 16]) -> Self {
                simd!(Self($broadcast(_mm_loadu_si128(block.as_ptr().cast()))))
            }

            #[inline(always)]
            fn first(block: &[u8; 16]) -> Self {
                simd!(Self($first(_mm_loadu_si128(block.as_ptr().cast()))))
            }

            #[inline(always)]
            fn xor(self, rhs: Self) -> Self {
                simd!(Self($xor(self.0, rhs.0)))
            }

            #[inline(always)]
            fn reversed(self) -> Self {
                const REVERSED: [u8; 16] =
                    0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f_u128.to_le_bytes();
                simd!(Self($shuffle(self.0, Self::broadcast(&REVERSED).0)))
            }

            #[inline(always)]
            fn count(self, n: u32) -> Self {
                let n = Self::broadcast(&u128::from(n).to_le_bytes());
                simd!(Self($add(self.0, n.0)))
            }

            #[inline(always)]
            fn multiply<const A: u8, const B: u8>(self, rhs: Self) -> Self {
                simd!(Self(match (A, B) {
                    (0, 0) => $multiply::<0x00>(self.0, rhs.0),
                    (1, 0) => $multiply::<0x01>(self.0, rhs.0),
                    (0, 1) => $multiply::<0x10>(self.0, rhs.0),
                    (1, 1) => $multiply::<0x11>(self.0, rhs.0),
                    _ => unreachable!("halves are 0 and 1"),
                }))
            }

            #[inline(always)]
            fn swap_halves(self) -> Self {
                simd!(Self($exchange::<0b01_00_11_10>(self.0)))
            }

            #[allow(unused_unsafe, reason = "a block alone is its own sum")]
            #[inline(always)]
            fn sum(self) -> Self {
                simd!(Self($first($sum(self.0))))
            }

            #[inline(always)]
            fn start(self, keys: &RoundKeys<Self>) -> Self {
                self.xor(keys[0])
            }

            #[inline(always)]
            fn round(self, keys: &RoundKeys<Self>, i: usize) -> Self {
                simd!(Self($round(self.0, keys[i + 1].0)))
            }

            #[inline(always)]
            fn end(self, keys: &RoundKeys<Self>) -> Self {
                simd!(Self($end(self.0, keys[14].0)))
            }

            #[inline(always)]
            fn sub_word(word: u32) -> u32 {
                sub_word(word)
            }
        }
    };
}

blocks!(X1(__m128i): 1 blocks {
    load: _mm_loadu_si128, store: _mm_storeu_si128,
    broadcast: core::convert::identity, first: core::convert::identity,
    xor: _mm_xor_si128, shuffle: _mm_shuffle_epi8, exchange: _mm_shuffle_epi32,
    add: _mm_add_epi32, multiply: _mm_clmulepi64_si128,
    round: _mm_aesenc_si128, end: _mm_aesenclast_si128, sum: core::convert::identity,
});

blocks!(X2(__m256i): 2 blocks {
    load: _mm256_loadu_si256, store: _mm256_storeu_si256,
    broadcast: _mm256_broadcastsi128_si256, first: _mm256_zextsi128_si256,
    xor: _mm256_xor_si256, shuffle: _mm256_shuffle_epi8, exchange: _mm256_shuffle_epi32,
    add: _mm256_add_epi32, multiply: _mm256_clmulepi64_epi128,
    round: _mm256_aesenc_epi128, end: _mm256_aesenclast_epi128, sum: sum_of_two,
});

blocks!(X4(__m512i): 4 blocks {
    load: _mm512_loadu_si512, store: _mm512_storeu_si512,
    broadcast: _mm512_broadcast_i32x4, first: _mm512_zextsi128_si512,
    xor: _mm512_xor_si512, shuffle: _mm512_shuffle_epi8, exchange: _mm512_shuffle_epi32,
    add: _mm512_add_epi32, multiply: _mm512_clmulepi64_epi128,
    round: _mm512_aesenc_epi128, end: _mm512_aesenclast_epi128, sum: sum_of_four,
});

#[inline(always)]
fn sum_of_two(x: __m256i) -> __m128i {
    simd!(_mm_xor_si128(
        _mm256_castsi256_si128(x),
        _mm256_extracti128_si256::<1>(x)
    ))
}

#[inline(always)]
fn sum_of_four(x: __m512i) -> __m128i {
    sum_of_two(simd!(_mm256_xor_si256(
        _mm512_castsi512_si256(x),
        _mm512_extracti64x4_epi64::<1>(x)
    )))
}

/// SubBytes of a block with four times this column, which ShiftRows leaves as it is.
#[inline(always)]
fn sub_word(word: u32) -> u32 {
    simd!({
        let columns = _mm_set1_epi32(word as i32);
        _mm_cvtsi128_si32(_mm_aesenclast_si128(columns, _mm_setzero_si128())) as u32
    })
}

/// A token, and the kernels on its vectors.
macro_rules! kernels {
    ($(#[$doc:meta])* $token:ident = $name:literal: $blocks:ty, $($feature:tt)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) struct $token(());

        impl Kernels for $token {
            const NAME: &'static str = $name;

            fn detect() -> Option<Self> {
                cpufeatures::new!(features, $($feature),*);
                features::get().then_some(Self(()))
            }

            fn expand(self, key: &[u8; 32]) -> Key {
                $(#[target_feature(enable = $feature)])*
                fn kernel(key: &[u8; 32]) -> Key {
                    gcm::expand::<$blocks>(key)
                }
                simd!(kernel(key))
            }

            fn seal(self, key: &Key, nonce: &[u8; 12], data: &mut [u8]) -> [u8; TAG_LEN] {
                $(#[target_feature(enable = $feature)])*
                fn kernel(key: &Key, nonce: &[u8; 12], data: &mut [u8]) -> [u8; TAG_LEN] {
                    gcm::seal::<$blocks>(key, nonce, data)
                }
                simd!(kernel(key, nonce, data))
            }

            fn open(self, key: &Key, nonce: &[u8; 12], data: &mut [u8]) -> [u8; TAG_LEN] {
                $(#[target_feature(enable = $feature)])*
                fn kernel(key: &Key, nonce: &[u8; 12], data: &mut [u8]) -> [u8; TAG_LEN] {
                    gcm::open::<$blocks>(key, nonce, data)
                }
                simd!(kernel(key, nonce, data))
            }
        }
    };
}

kernels! {
    /// The token of VAES and VPCLMULQDQ on 512 bits: Ice Lake, Zen 4.
    Vaes512 = "vaes512": X4,
    "avx512f" "avx512bw" "avx512vl" "avx2" "aes" "pclmulqdq" "vaes" "vpclmulqdq"
}

kernels! {
    /// The token of VAES and VPCLMULQDQ on 256 bits: Zen 3, Alder Lake.
    Vaes256 = "vaes256": X2,
    "avx2" "aes" "pclmulqdq" "vaes" "vpclmulqdq"
}

kernels! {
    /// The token of AES-NI and PCLMULQDQ. AVX is for its instructions with three operands.
    AesNi = "aes-ni": X1,
    "avx" "aes" "pclmulqdq"
}
