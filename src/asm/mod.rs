//! The kernels: what works on polynomials and Keccak states, and knows nothing of keys or of the
//! order of FIPS 203's steps. The only place with `unsafe`.
//!
//! [`backend`] states every kernel's contract; [`dispatch`] says which backend runs. A kernel that
//! is the same on every CPU is written once, over [`lanes`], in the file of its name.
#![cfg_attr(not(test), deny(clippy::integer_division_remainder_used))]

/// Calls intrinsics, or a function that enables the features, from where the compiler cannot know
/// that the CPU has them.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! simd {
    ($e:expr) => {
        // SAFETY: this code is reached through a token alone, which proves the features.
        unsafe { $e }
    };
}

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(feature = "std")]
pub(crate) mod aes_gcm;
pub(crate) mod backend;
mod cbd;
#[cfg(test)]
pub(crate) mod checked;
mod compress;
pub(crate) mod ct;
pub(crate) mod dispatch;
mod encode;
mod keccak;
mod lanes;
mod multiply;
mod ntt;
pub(crate) mod portable;
#[cfg(test)]
mod proof;
mod reduce;
mod sample;
#[cfg(test)]
mod tests;
pub(crate) mod timing;
#[cfg(target_arch = "x86_64")]
mod x86_64;
