//! Keccak on the SHA-3 instructions of Armv8.2: EOR3, RAX1, XAR and BCAX.

use super::super::keccak::{self, Interleaved};
use super::keccak::Tier;

/// The token of the SHA-3 instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sha3(());

impl Tier for Sha3 {
    const NAME: &'static str = "neon-sha3";
    type Batch = Interleaved<2>;

    fn detect() -> Option<Self> {
        cpufeatures::new!(features, "sha3");
        features::get().then_some(Self(()))
    }

    fn keccak_f1600_batch(self, states: &mut Interleaved<2>) {
        keccak::keccak_f1600(&mut states.0);
    }
}
