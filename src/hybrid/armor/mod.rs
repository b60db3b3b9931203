//! Armor, `docs/format.md`: a sealed file as text.

mod read;
#[cfg(test)]
mod tests;
mod write;

pub use read::ArmorReader;
pub(super) use read::without_white_space;
pub use write::ArmorWriter;

use base64::engine::{GeneralPurposeConfig, general_purpose};

pub(super) const BEGIN: &str = "-----BEGIN PQBOX FILE-----";
const END: &str = "-----END PQBOX FILE-----";

/// Characters of base64 in every line but the last.
const LINE: usize = 64;
/// Bytes in such a line.
const LINE_BYTES: usize = LINE / 4 * 3;

/// What does the alphabet, by vectors where the crate knows how.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
type Base64 = base64::engine::Simd;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
type Base64 = base64::engine::GeneralPurpose;

fn engine(config: GeneralPurposeConfig) -> Base64 {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    return Base64::standard(config);
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    return Base64::new(&base64::alphabet::STANDARD, config);
}

/// Base64 with its padding, as a text ends.
const PADDED: GeneralPurposeConfig = general_purpose::PAD;
/// Whole groups of four, as they come before the end.
const UNPADDED: GeneralPurposeConfig = general_purpose::NO_PAD;
