//! Keccak: which instructions permute two states side by side, and how plain NEON does.

use super::super::backend::Block;
use super::super::keccak::{self, Interleaved};
use super::rounds;
use core::arch::aarch64::*;

/// A way to permute Keccak states: the token of the instructions that it takes.
pub(crate) trait Tier: Copy + 'static {
    /// The backend's name.
    const NAME: &'static str;
    /// The token, if this CPU has the instructions.
    fn detect() -> Option<Self>;
    /// See `Kernels::keccak_f1600`.
    fn keccak_f1600(self, state: &mut [u64; 25]);
    /// See `Kernels::keccak_f1600_batch`.
    fn keccak_f1600_batch(self, states: &mut Interleaved<2>);
}

/// The token of plain NEON, which every AArch64 CPU has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plain(());

impl Tier for Plain {
    const NAME: &'static str = "neon";

    fn detect() -> Option<Self> {
        Some(Self(()))
    }

    fn keccak_f1600(self, state: &mut [u64; 25]) {
        keccak::keccak_f1600(state);
    }

    fn keccak_f1600_batch(self, states: &mut Interleaved<2>) {
        let mut a = load(states);
        rounds::neon(&mut a);
        store(a, states);
    }
}

/// The lanes of two states.
#[inline(always)]
pub(super) fn load(states: &Interleaved<2>) -> [uint64x2_t; 25] {
    core::array::from_fn(|lane| simd!(vld1q_u64(states.0[lane].as_ptr())))
}

#[inline(always)]
pub(super) fn store(a: [uint64x2_t; 25], states: &mut Interleaved<2>) {
    for (lane, a) in states.0.iter_mut().zip(a) {
        simd!(vst1q_u64(lane.as_mut_ptr(), a));
    }
}

/// See `Kernels::squeeze`.
pub(super) fn squeeze(states: &Interleaved<2>, [first, second]: &mut [Block; 2]) {
    let lanes = states.0.as_chunks::<2>().0.iter();
    let blocks = first
        .0
        .as_chunks_mut::<16>()
        .0
        .iter_mut()
        .zip(second.0.as_chunks_mut::<16>().0);
    for ([a, b], (first, second)) in lanes.zip(blocks) {
        simd!({
            let (a, b) = (vld1q_u64(a.as_ptr()), vld1q_u64(b.as_ptr()));
            vst1q_u8(first.as_mut_ptr(), vreinterpretq_u8_u64(vzip1q_u64(a, b)));
            vst1q_u8(second.as_mut_ptr(), vreinterpretq_u8_u64(vzip2q_u64(a, b)));
        });
    }
}
