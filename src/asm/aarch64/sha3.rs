//! Keccak on the SHA-3 instructions of Armv8.2: EOR3, RAX1, XAR and BCAX.

use super::super::keccak::Interleaved;
use super::keccak::{Tier, load, store};
use super::rounds;
use core::arch::aarch64::*;

/// The token of the SHA-3 instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sha3(());

impl Tier for Sha3 {
    const NAME: &'static str = "neon-sha3";

    fn detect() -> Option<Self> {
        cpufeatures::new!(features, "sha3");
        features::get().then_some(Self(()))
    }

    // Half of every register is empty: it is less work than one state in the other registers.
    fn keccak_f1600(self, state: &mut [u64; 25]) {
        #[target_feature(enable = "sha3")]
        fn kernel(state: &mut [u64; 25]) {
            let mut a = state.map(|lane| vcombine_u64(vcreate_u64(lane), vcreate_u64(0)));
            rounds::sha3(&mut a);
            *state = a.map(|lane| vgetq_lane_u64::<0>(lane));
        }
        simd!(kernel(state));
    }

    fn keccak_f1600_batch(self, states: &mut Interleaved<2>) {
        #[target_feature(enable = "sha3")]
        fn kernel(states: &mut Interleaved<2>) {
            let mut a = load(states);
            rounds::sha3(&mut a);
            store(a, states);
        }
        simd!(kernel(states));
    }
}
