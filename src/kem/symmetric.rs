//! The hash functions of FIPS 203 section 4.1, on the backend's Keccak.

use crate::Secret;
use crate::asm::backend::{KeccakBatch, Kernels};
use zeroize::Zeroize;

/// Bytes of rate, and the byte that ends the message: domain bits and first padding bit.
#[derive(Clone, Copy)]
pub(crate) struct Function {
    pub(crate) rate: usize,
    pub(crate) suffix: u8,
}

pub(crate) const SHA3_256: Function = Function {
    rate: 136,
    suffix: 0x06,
};
pub(crate) const SHA3_512: Function = Function {
    rate: 72,
    suffix: 0x06,
};
pub(crate) const SHAKE128: Function = Function {
    rate: 168,
    suffix: 0x1f,
};
pub(crate) const SHAKE256: Function = Function {
    rate: 136,
    suffix: 0x1f,
};

/// H: SHA3-256. (4.4)
pub(crate) fn h<B: Kernels>(b: B, s: &[u8]) -> [u8; 32] {
    let mut out = [0; 32];
    sponge(b, SHA3_256, &[s], &mut out);
    out
}

/// J: SHAKE256 with 32 bytes of output, of z || c. (4.4)
pub(crate) fn j<B: Kernels>(b: B, z: &[u8; 32], c: &[u8]) -> Secret<32> {
    let mut out = Secret::zeroed();
    sponge(b, SHAKE256, &[z, c], out.as_mut_bytes());
    out
}

/// G: SHA3-512, of the concatenation of `parts`, as two halves. (4.5)
pub(crate) fn g<B: Kernels>(b: B, parts: &[&[u8]]) -> (Secret<32>, Secret<32>) {
    let mut out = Secret::<64>::zeroed();
    sponge(b, SHA3_512, parts, out.as_mut_bytes());
    let [first, second] = out.as_bytes().as_chunks().0 else {
        unreachable!("64 bytes")
    };
    (first.into(), second.into())
}

/// A sponge over one state: the function of the concatenation of `parts`, all but the last of which
/// are whole lanes of 8 bytes. FIPS 202 Algorithm 8.
pub(crate) fn sponge<B: Kernels>(b: B, function: Function, parts: &[&[u8]], out: &mut [u8]) {
    let mut state = [0; 25];
    let rate = function.rate >> 3;
    let mut at = 0;
    let mut last = 0;
    for part in parts {
        debug_assert_eq!(last, 0, "only the last part may end inside a lane");
        let (lanes, rest) = part.as_chunks();
        for lane in lanes {
            state[at] ^= u64::from_le_bytes(*lane);
            at += 1;
            if at == rate {
                b.keccak_f1600(&mut state);
                at = 0;
            }
        }
        last = rest.len();
        state[at] ^= lane_of(rest);
    }
    state[at] ^= u64::from(function.suffix) << (8 * last);
    state[rate - 1] ^= 1 << 63;
    for block in out.chunks_mut(function.rate) {
        b.keccak_f1600(&mut state);
        read(|lane| state[lane], block);
    }
    state.zeroize();
}

/// [`sponge`] on a backend that is known at run time alone: for the self-test's known answers.
#[cfg(feature = "std")]
pub(crate) fn hash(backend: crate::Backend, function: Function, message: &[u8], out: &mut [u8]) {
    crate::asm::dispatch::on!(backend, b => sponge(b, function, &[message], out));
}

/// Up to 8 bytes as a lane.
fn lane_of(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |lane, &byte| (lane << 8) | u64::from(byte))
}

/// The first bytes of a state given by its lanes.
#[inline(always)]
fn read(state: impl Fn(usize) -> u64, out: &mut [u8]) {
    let (lanes, rest) = out.as_chunks_mut();
    for (i, lane) in lanes.iter_mut().enumerate() {
        *lane = state(i).to_le_bytes();
    }
    if !rest.is_empty() {
        rest.copy_from_slice(&state(lanes.len()).to_le_bytes()[..rest.len()]);
    }
}

/// Sponges side by side, as many as the backend's batch has states. Each takes a seed of 32 bytes
/// and a few more, which fit one block.
pub(super) struct SeedSponges<B: Kernels> {
    b: B,
    rate: usize,
    suffix: u8,
    states: B::KeccakBatch,
}

impl<B: Kernels> SeedSponges<B> {
    /// Sponges of `function` that have absorbed nothing.
    pub(super) fn new(b: B, function: Function) -> Self {
        Self {
            b,
            rate: function.rate,
            suffix: function.suffix,
            states: B::KeccakBatch::zeroed(),
        }
    }

    /// Absorbs `seed || tail`, with `tail` shorter than a lane, and the padding.
    pub(super) fn absorb(&mut self, stream: usize, seed: &[u8; 32], tail: &[u8]) {
        for (lane, bytes) in seed.as_chunks().0.iter().enumerate() {
            self.states.xor(stream, lane, u64::from_le_bytes(*bytes));
        }
        let end = u64::from(self.suffix) << (8 * tail.len());
        self.states.xor(stream, 4, lane_of(tail) | end);
        self.states.xor(stream, (self.rate >> 3) - 1, 1 << 63);
    }

    /// Makes the next block of every stream.
    pub(super) fn permute(&mut self) {
        self.b.keccak_f1600_batch(&mut self.states);
    }

    /// The first bytes, at most the rate, of a stream's block.
    #[inline(always)]
    pub(super) fn read(&self, stream: usize, out: &mut [u8]) {
        read(|lane| self.states.lane(stream, lane), out);
    }
}

impl<B: Kernels> Drop for SeedSponges<B> {
    fn drop(&mut self) {
        self.states.zeroize();
    }
}
