//! Sponges side by side: the jobs of an operation, and the loop that fills the backend's Keccak
//! batch with them.
//!
//! A call permutes a batch in little more than the time of one state, so what an operation costs is
//! the number of its sequential calls. H and J are chains of 6 to 12 of them; matrix entries, noise
//! and G fit beside. An operation says as a sequence of jobs, the longest first, what has to be
//! done; whenever a stream of the batch falls free, the next job takes it. No more streams than the
//! narrow call permutes are taken while those suffice to have the other jobs done with the chains.

use super::symmetric::{Cursor, Function, SHA3_512, SHAKE128, SHAKE256, Sponge};
use crate::Secret;
use crate::asm::backend::{Block, KeccakBatch, Kernels, MAX_STATES, NttPoly, Poly};
use core::cell::OnceCell;
use zeroize::{Zeroize, Zeroizing};

/// The seed of noise: known from the start, or once [`Job::G`] is done.
#[derive(Default)]
pub(super) struct Seed(OnceCell<Secret<32>>);

impl Seed {
    pub(super) fn known(seed: Secret<32>) -> Self {
        Self(OnceCell::from(seed))
    }
}

/// One sponge, and what becomes of it.
pub(super) enum Job<'a, B: Kernels> {
    /// SampleNTT(rho || j || i), Algorithm 7: entry (i, j) of the matrix.
    Entry {
        rho: &'a [u8; 32],
        i: u8,
        j: u8,
        f_hat: &'a mut NttPoly<B>,
        sampled: usize,
    },
    /// SamplePolyCBD_eta(PRF_eta(seed, n)), Algorithm 8 and (4.3). A second block for eta = 3.
    Noise {
        seed: &'a Seed,
        n: u8,
        eta: usize,
        f: &'a mut Poly,
        second: bool,
    },
    /// (K, r) = G(m || h), or (rho, sigma) = G(d || k), whose message is shorter. (4.5)
    G {
        message: &'a [u8],
        k: &'a mut Secret<32>,
        r: &'a Seed,
    },
    /// A chain: `sponge` absorbs `message`, and that is the end of its message if `last`.
    Absorb {
        sponge: &'a mut Sponge,
        message: &'a [u8],
        last: bool,
        padded: bool,
    },
}

impl<'a, B: Kernels> Job<'a, B> {
    pub(super) fn entry(
        rho: &'a [u8; 32],
        (i, j, f_hat): (usize, usize, &'a mut NttPoly<B>),
    ) -> Self {
        Self::Entry {
            rho,
            i: i as u8,
            j: j as u8,
            f_hat,
            sampled: 0,
        }
    }

    pub(super) fn noise(seed: &'a Seed, n: usize, eta: usize, f: &'a mut Poly) -> Self {
        Self::Noise {
            seed,
            n: n as u8,
            eta,
            f,
            second: false,
        }
    }

    /// The rest of a sponge's message: what it gives can then be read.
    pub(super) fn hash(sponge: &'a mut Sponge, message: &'a [u8]) -> Self {
        Self::Absorb {
            sponge,
            message,
            last: true,
            padded: false,
        }
    }

    /// A part of a sponge's message.
    pub(super) fn absorb(sponge: &'a mut Sponge, message: &'a [u8]) -> Self {
        Self::Absorb {
            sponge,
            message,
            last: false,
            padded: false,
        }
    }

    /// Whether the job can start; noise waits for its seed.
    fn is_ready(&self) -> bool {
        match self {
            Self::Noise { seed, .. } => seed.0.get().is_some(),
            _ => true,
        }
    }

    /// Puts the state from which the job starts into its stream, which holds zeros if `is_clear`.
    fn start(&self, states: &mut B::KeccakBatch, stream: usize, is_clear: bool) {
        if !is_clear && self.reads() {
            (0..25).for_each(|lane| states.set(stream, lane, 0));
        }
        match self {
            Self::Entry { rho, i, j, .. } => one_block(states, stream, SHAKE128, rho, &[*j, *i]),
            Self::Noise { seed, n, .. } => {
                let seed = seed.0.get().expect("noise starts when it is ready");
                one_block(states, stream, SHAKE256, seed.as_bytes(), &[*n]);
            }
            Self::G { message, .. } => match message.split_first_chunk::<64>() {
                Some((message, _)) => one_block(states, stream, SHA3_512, message, &[]),
                None => {
                    let (d, k) = message.split_first_chunk::<32>().expect("d || k");
                    one_block(states, stream, SHA3_512, d, &[k[0]]);
                }
            },
            Self::Absorb { sponge, .. } => {
                for (lane, value) in sponge.state.iter().enumerate() {
                    states.set(stream, lane, *value);
                }
            }
        }
    }

    /// What is to happen before the state is permuted; false if it is not to be permuted.
    fn feed(&mut self, mut xor: impl FnMut(usize, u64)) -> bool {
        let Self::Absorb {
            sponge,
            message,
            last,
            padded,
        } = self
        else {
            return true;
        };
        if sponge.cursor.fill(message, &mut xor) {
            return true;
        }
        if *last {
            sponge.cursor.pad(xor);
            *padded = true;
        }
        *last
    }

    /// Takes what the permuted state gives; true if that was all.
    fn take(&mut self, b: B, block: &Block) -> bool {
        match self {
            Self::Entry { f_hat, sampled, .. } => {
                *sampled = b.sample_ntt_vartime(block.xof(), f_hat, *sampled);
                if *sampled == 256 {
                    b.reorder(f_hat);
                }
                *sampled == 256
            }
            // The first block waits in the polynomial for the rest of the 192 bytes.
            Self::Noise {
                eta: 3, f, second, ..
            } => {
                let mut bytes = Zeroizing::new(Block::ZERO);
                let (first, rest) = bytes.0.split_at_mut(SHAKE256.rate);
                let kept = f.0.iter_mut().zip(first.as_chunks_mut().0);
                if *second {
                    kept.for_each(|(x, bytes)| *bytes = x.to_le_bytes());
                    rest.copy_from_slice(&block.0[..rest.len()]);
                    b.sample_poly_cbd(3, &bytes.0, f);
                } else {
                    let blocks = block.0.as_chunks().0;
                    f.0.iter_mut()
                        .zip(&blocks[..SHAKE256.rate >> 1])
                        .for_each(|(x, bytes)| *x = i16::from_le_bytes(*bytes));
                }
                core::mem::replace(second, true)
            }
            Self::Noise { eta, f, .. } => {
                b.sample_poly_cbd(*eta, &block.0[..64 * *eta], f);
                true
            }
            Self::G { k, r, .. } => {
                let [first, second] = &block.0.as_chunks().0[..2] else {
                    unreachable!("192 bytes")
                };
                **k = Secret::from(first);
                r.0.set(Secret::from(second)).is_ok()
            }
            Self::Absorb { padded, .. } => *padded,
        }
    }

    /// How many permutations it still needs, if it is a chain: one for the block that it has been
    /// fed, and those of the rest of its message.
    fn chain_left(&self) -> Option<usize> {
        match self {
            Self::Absorb { message, .. } => Some(1 + message.chunks(SHAKE256.rate).len()),
            _ => None,
        }
    }

    /// Whether it looks at what comes out after every permutation.
    fn reads(&self) -> bool {
        !matches!(self, Self::Absorb { .. })
    }
}

/// Makes a stream of zeros one that has absorbed and ended a message shorter than the rate, of
/// whole lanes and `tail`.
#[inline(always)]
fn one_block<const N: usize, const T: usize>(
    states: &mut impl KeccakBatch,
    stream: usize,
    function: Function,
    lanes: &[u8; N],
    tail: &[u8; T],
) {
    let mut cursor = Cursor::new(function);
    let mut xor = |lane, value| states.xor(stream, lane, value);
    cursor.fill(&mut &lanes[..], &mut xor);
    cursor.fill(&mut &tail[..], &mut xor);
    cursor.pad(xor);
}

/// Gives a chain its state back.
fn stop<B: Kernels>(job: &mut Job<'_, B>, states: &B::KeccakBatch, stream: usize) {
    if let Job::Absorb { sponge, .. } = job {
        sponge.state = core::array::from_fn(|lane| states.lane(stream, lane));
    }
}

/// Whether the chains among the first jobs leave too little room beside them for `others`
/// permutations.
fn is_crowded<B: Kernels>(narrow: &[Option<&mut Job<'_, B>>], others: usize) -> bool {
    let chains = narrow.iter().flatten().filter_map(|job| job.chain_left());
    others > (narrow.len() - chains.clone().count()) * chains.max().unwrap_or(0)
}

/// The most jobs of a run: the matrix and the noise of ML-KEM-1024, G, and two chains.
pub(super) const MAX_JOBS: usize = 16 + 9 + 1 + 2;

/// What the jobs of an operation, or one part after the other of them, run in.
pub(super) struct Batch<B: Kernels> {
    states: B::KeccakBatch,
    blocks: <B::KeccakBatch as KeccakBatch>::Blocks,
    /// Whether the streams hold something else than zeros.
    used: [bool; MAX_STATES],
}

impl<B: Kernels> Batch<B> {
    pub(super) fn new() -> Self {
        Self {
            states: B::KeccakBatch::zeroed(),
            blocks: B::KeccakBatch::ZERO_BLOCKS,
            used: [false; MAX_STATES],
        }
    }

    /// Does all `jobs`, which need about `others` permutations beside those of their chains. They
    /// start in their order, so whatever one waits for stands before it.
    pub(super) fn run<'a>(&mut self, b: B, others: usize, jobs: impl Iterator<Item = Job<'a, B>>) {
        self.run_up_to::<MAX_JOBS>(b, others, jobs);
    }

    /// Likewise of at most `JOBS` jobs.
    pub(super) fn run_up_to<'a, const JOBS: usize>(
        &mut self,
        b: B,
        mut others: usize,
        jobs: impl Iterator<Item = Job<'a, B>>,
    ) {
        let Self {
            states,
            blocks,
            used,
        } = self;
        let mut all: [Option<Job<'_, B>>; JOBS] = [const { None }; JOBS];
        jobs.enumerate().for_each(|(i, job)| all[i] = Some(job));
        let mut waiting = all.iter_mut().flatten().peekable();
        let mut streams: [Option<&mut Job<'_, B>>; MAX_STATES] = [const { None }; MAX_STATES];
        let streams = &mut streams[..B::KeccakBatch::WIDTH];
        loop {
            for stream in 0..streams.len() {
                loop {
                    if let Some(job) = &mut streams[stream] {
                        if job.feed(|lane, value| states.xor(stream, lane, value)) {
                            break;
                        }
                        stop(job, states, stream);
                        streams[stream] = None;
                    }
                    let Some(job) = waiting.next_if(|job| {
                        job.is_ready()
                            && (stream < B::NARROW || is_crowded(&streams[..B::NARROW], others))
                    }) else {
                        break;
                    };
                    job.start(states, stream, !used[stream]);
                    used[stream] = true;
                    streams[stream] = Some(job);
                }
            }

            let mut running = streams
                .iter_mut()
                .enumerate()
                .filter(|(_, slot)| slot.is_some());
            match (running.next(), running.next()) {
                (None, _) => {
                    assert!(waiting.next().is_none(), "a job waits for one behind it");
                    return;
                }
                // A chain that is left alone goes on without the batch.
                (Some((stream, slot @ Some(Job::Absorb { .. }))), None) => {
                    let Some(job) = slot.take() else {
                        unreachable!("just matched")
                    };
                    stop(job, states, stream);
                    let Job::Absorb {
                        sponge,
                        message,
                        last,
                        padded,
                    } = job
                    else {
                        unreachable!("just matched")
                    };
                    b.keccak_f1600(&mut sponge.state);
                    if !*padded {
                        sponge.absorb(b, message);
                        if *last {
                            sponge.finish(b);
                        }
                    }
                    continue;
                }
                _ => {}
            }
            if streams[B::NARROW..].iter().all(Option::is_none) {
                b.keccak_f1600_narrow(states);
            } else {
                b.keccak_f1600_batch(states);
            }
            *used = [true; MAX_STATES];
            others =
                others.saturating_sub(streams.iter().flatten().filter(|job| job.reads()).count());

            if streams.iter().flatten().any(|job| job.reads()) {
                b.squeeze(states, blocks);
            }
            for ((stream, slot), block) in streams.iter_mut().enumerate().zip(blocks.as_ref()) {
                if let Some(job) = slot
                    && job.take(b, block)
                {
                    stop(job, states, stream);
                    *slot = None;
                }
            }
        }
    }
}

impl<B: Kernels> Drop for Batch<B> {
    fn drop(&mut self) {
        self.states.zeroize();
        self.blocks.zeroize();
    }
}
