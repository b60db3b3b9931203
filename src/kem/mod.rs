//! ML-KEM, FIPS 203 (final, August 2024).
//!
//! | FIPS 203 | here |
//! | --- | --- |
//! | 4.1 hash functions G, H, J, PRF, XOF | `kem/symmetric.rs` |
//! | 4.2.1 compression, Algorithms 3-6 | `asm/compress.rs`, `asm/encode.rs` |
//! | 4.2.2 Algorithms 7, 8 (sampling) | `kem/schedule.rs`, `asm/sample.rs`, `asm/cbd.rs` |
//! | 4.3 Algorithms 9-12 (NTT) | `asm/ntt.rs`, `asm/multiply.rs` |
//! | 5 Algorithms 13-15 (K-PKE) | `kem/k_pke.rs` |
//! | 6 Algorithms 16-18 (internal) | `kem/internal.rs`; by name in [`hazmat`] |
//! | 7 Algorithms 19-21, input checks | `kem/ml_kem.rs`: the key types |
//! | 8 parameter sets | [`ParameterSet`] |
//!
//! ```
//! use pqbox::kem::{DecapsulationKey, MlKem768};
//!
//! let mut rng = rand::rngs::SysRng;
//! let dk = DecapsulationKey::<MlKem768>::generate(&mut rng)?;
//! let (secret, ciphertext) = dk.encapsulation_key().encapsulate(&mut rng)?;
//! assert_eq!(dk.decapsulate(&ciphertext).as_bytes(), secret.as_bytes());
//! # Ok::<(), pqbox::Error>(())
//! ```
#![cfg_attr(not(test), deny(clippy::integer_division_remainder_used))]

pub mod hazmat;
mod internal;
mod k_pke;
#[cfg(feature = "std")]
mod many;
mod ml_kem;
mod params;
mod poly;
mod schedule;
#[cfg(test)]
pub(crate) mod spec;
pub(crate) mod symmetric;
#[cfg(test)]
mod tests;

#[cfg(feature = "std")]
pub use many::{encapsulate_many, keygen_many};
pub use ml_kem::{
    Ciphertext, DecapsulationKey, EncapsulationKey, Seed, SharedSecret, check_key_pair,
    decapsulate_bytes, encapsulate_bytes,
};
pub use params::{ByteArray, MlKem512, MlKem768, MlKem1024, ParameterSet, SetId};
