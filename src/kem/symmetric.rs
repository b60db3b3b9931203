//! The hash functions of FIPS 203 section 4.1, on the backend's Keccak.
//!
//! Here one state is permuted at a time. What can run side by side does, in `kem/schedule.rs`.

use crate::Secret;
use crate::asm::backend::Kernels;
use zeroize::Zeroize;

/// Bytes of rate, and the byte that ends the message: domain bits and first padding bit.
#[derive(Clone, Copy)]
pub(crate) struct Function {
    pub(crate) rate: usize,
    pub(crate) suffix: u8,
}

/// H. (4.4)
pub(crate) const SHA3_256: Function = Function {
    rate: 136,
    suffix: 0x06,
};
/// G. (4.5)
pub(crate) const SHA3_512: Function = Function {
    rate: 72,
    suffix: 0x06,
};
/// The XOF. (4.9)
pub(crate) const SHAKE128: Function = Function {
    rate: 168,
    suffix: 0x1f,
};
/// PRF and J. (4.3), (4.4)
pub(crate) const SHAKE256: Function = Function {
    rate: 136,
    suffix: 0x1f,
};

/// Bytes of a block of H, J and the PRF.
const BLOCK: usize = SHA3_256.rate;

/// G, of the concatenation of `parts`, as two halves. (4.5)
pub(super) fn g<B: Kernels>(b: B, parts: &[&[u8]]) -> (Secret<32>, Secret<32>) {
    let mut out = Secret::<64>::zeroed();
    hash_parts(b, SHA3_512, parts, out.as_mut_bytes());
    let [first, second] = out.as_bytes().as_chunks().0 else {
        unreachable!("64 bytes")
    };
    (first.into(), second.into())
}

/// `function` of a message, on a backend that is known at run time alone: for the self-test.
#[cfg(feature = "std")]
pub(crate) fn hash(backend: crate::Backend, function: Function, message: &[u8], out: &mut [u8]) {
    crate::asm::dispatch::on!(backend, b => hash_parts(b, function, &[message], out));
}

fn hash_parts<B: Kernels>(b: B, function: Function, parts: &[&[u8]], out: &mut [u8]) {
    let mut sponge = Sponge::new(function);
    parts.iter().for_each(|part| sponge.absorb(b, part));
    sponge.finish(b);
    for (i, block) in out.chunks_mut(function.rate).enumerate() {
        if i > 0 {
            b.keccak_f1600(&mut sponge.state);
        }
        sponge.read(block);
    }
}

/// A sponge, FIPS 202 Algorithm 8. Its messages are whole lanes of 8 bytes, but for the last one.
#[derive(Clone)]
pub(super) struct Sponge {
    pub(super) state: [u64; 25],
    pub(super) cursor: Cursor,
}

impl Drop for Sponge {
    fn drop(&mut self) {
        self.state.as_mut_slice().zeroize();
    }
}

/// Where a sponge is in the block that it absorbs.
#[derive(Clone, Copy)]
pub(super) struct Cursor {
    /// Lanes of rate.
    rate: usize,
    suffix: u8,
    /// Lanes of the block that are taken.
    at: usize,
    /// Bytes that are taken of the lane after those: the message has ended there.
    rest: usize,
}

impl Sponge {
    /// A sponge that has absorbed nothing.
    pub(super) const fn new(function: Function) -> Self {
        Self {
            state: [0; 25],
            cursor: Cursor::new(function),
        }
    }

    /// Absorbs a message. The state of a block that becomes full is permuted at once.
    pub(super) fn absorb<B: Kernels>(&mut self, b: B, mut message: &[u8]) {
        while self.fill(&mut message) {
            b.keccak_f1600(&mut self.state);
        }
    }

    /// Absorbs up to the end of the block, and says whether it is full: to be permuted.
    pub(super) fn fill(&mut self, message: &mut &[u8]) -> bool {
        self.cursor
            .fill(message, |lane, value| self.state[lane] ^= value)
    }

    /// Ends the message; what comes out can then be read.
    pub(super) fn finish<B: Kernels>(&mut self, b: B) {
        self.cursor.pad(|lane, value| self.state[lane] ^= value);
        b.keccak_f1600(&mut self.state);
    }

    /// The first bytes of the state, at most the rate.
    pub(super) fn read(&self, out: &mut [u8]) {
        for (bytes, lane) in out.chunks_mut(8).zip(self.state) {
            bytes.copy_from_slice(&lane.to_le_bytes()[..bytes.len()]);
        }
    }
}

impl Cursor {
    /// At the beginning of a message.
    pub(super) const fn new(function: Function) -> Self {
        Self {
            rate: function.rate >> 3,
            suffix: function.suffix,
            at: 0,
            rest: 0,
        }
    }

    /// Xors the front of `message` into a state's lanes, to the end of the block or of the
    /// message, and says whether the block is full.
    #[inline(always)]
    pub(super) fn fill(&mut self, message: &mut &[u8], mut xor: impl FnMut(usize, u64)) -> bool {
        debug_assert_eq!(
            self.rest, 0,
            "a message that ends within a lane is the last"
        );
        // A whole block of H or J, of which operations absorb a dozen: a loop without a variable.
        if let (BLOCK, 0, Some((block, rest))) =
            (8 * self.rate, self.at, message.split_first_chunk::<BLOCK>())
        {
            let (lanes, _) = block.as_chunks();
            let lanes: [_; BLOCK >> 3] = core::array::from_fn(|i| u64::from_le_bytes(lanes[i]));
            for (lane, value) in lanes.into_iter().enumerate() {
                xor(lane, value);
            }
            *message = rest;
            return true;
        }
        let (lanes, rest) = message.as_chunks();
        let fitting = lanes.len().min(self.rate - self.at);
        for (i, lane) in lanes[..fitting].iter().enumerate() {
            xor(self.at + i, u64::from_le_bytes(*lane));
        }
        self.at += fitting;
        if self.at == self.rate {
            self.at = 0;
            *message = &message[8 * fitting..];
            return true;
        }
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            xor(self.at, u64::from_le_bytes(last));
            self.rest = rest.len();
        }
        *message = &[];
        false
    }

    /// Xors the padding into a state's lanes.
    #[inline(always)]
    pub(super) fn pad(&self, mut xor: impl FnMut(usize, u64)) {
        xor(self.at, u64::from(self.suffix) << (8 * self.rest));
        xor(self.rate - 1, 1 << 63);
    }
}
