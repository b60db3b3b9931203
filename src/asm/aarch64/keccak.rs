//! Which instructions permute Keccak states, and how plain NEON does.

use super::super::backend::KeccakBatch;
use super::super::keccak::{self, Interleaved};

/// A way to permute Keccak states: the token of the instructions that it takes.
pub(crate) trait Tier: Copy + 'static {
    /// The backend's name.
    const NAME: &'static str;
    /// As many states as a call permutes at the least cost a state.
    type Batch: KeccakBatch;
    /// The token, if this CPU has the instructions.
    fn detect() -> Option<Self>;
    /// See `Kernels::keccak_f1600`.
    fn keccak_f1600(self, state: &mut [u64; 25]) {
        keccak::keccak_f1600(state);
    }
    /// See `Kernels::keccak_f1600_batch`.
    fn keccak_f1600_batch(self, states: &mut Self::Batch);
}

/// The token of plain NEON, which every AArch64 CPU has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plain(());

impl Tier for Plain {
    const NAME: &'static str = "neon";
    type Batch = Interleaved<2>;

    fn detect() -> Option<Self> {
        Some(Self(()))
    }

    fn keccak_f1600_batch(self, states: &mut Interleaved<2>) {
        keccak::keccak_f1600(&mut states.0);
    }
}
