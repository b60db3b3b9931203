//! The AArch64 backends: one arithmetic, on NEON, and two ways to permute Keccak states.

pub(super) mod keccak;
pub(super) mod neon;
pub(super) mod products;
pub(super) mod rounds;
pub(super) mod sha3;

/// Keccak on NEON alone, which every AArch64 CPU has.
pub(in crate::asm) type Neon = neon::Aarch64<keccak::Plain>;
/// Keccak on the SHA-3 instructions of Armv8.2.
pub(in crate::asm) type NeonSha3 = neon::Aarch64<sha3::Sha3>;
