//! Post-quantum file encryption: ML-KEM (FIPS 203) carries a file key, AES-256-GCM carries the
//! file, and every layer above the kernels is a published standard.
//!
//! | layer | standard | module |
//! | --- | --- | --- |
//! | container | `docs/format.md`, C2SP chunked-encryption, HPKE (draft-ietf-hpke-pq) | [`hybrid`] |
//! | keys on disk | RFC 9935, PKCS#8, SPKI | [`hybrid::keyfile`] |
//! | ML-KEM | FIPS 203 | [`kem`] |
//! | kernels | - | `asm`, private; [`Backend`] names them |
//!
//! Where the sections of FIPS 203 are: the table in [`kem`].
//!
//! Without its default features (`--no-default-features`) the crate is `no_std` and offers
//! [`kem`] alone; feature `std` adds [`hybrid`] and [`selftest`]; feature `cli` (the default)
//! adds what the program needs.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![deny(unsafe_code)]

#[allow(
    unsafe_code,
    reason = "the kernels: CPU intrinsics, and barriers for constant time"
)]
mod asm;
mod error;
#[cfg(feature = "std")]
pub mod hybrid;
pub mod kem;
mod key_id;
mod secret;
#[cfg(feature = "std")]
pub mod selftest;

pub use asm::dispatch::Backend;
pub use error::Error;
pub use secret::{Secret, SecretArray};
