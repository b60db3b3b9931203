//! Sampling, FIPS 203 section 4.2.2, in batches of the backend's width.

use super::params::ParameterSet;
use super::poly::NttMatrix;
use super::symmetric::{SHAKE128, SHAKE256, SeedSponges};
use crate::asm::backend::{KeccakBatch, Kernels, MAX_STATES, Poly, XOF_BLOCK};
use zeroize::Zeroizing;

/// Takes up to a batch's width of items.
fn batch<B: Kernels, T>(items: &mut impl Iterator<Item = T>) -> [Option<T>; MAX_STATES] {
    core::array::from_fn(|i| {
        if i < B::KeccakBatch::WIDTH {
            items.next()
        } else {
            None
        }
    })
}

/// The matrix A of Algorithms 13 and 14: entry (i, j) is SampleNTT(rho || j || i), Algorithm 7.
///
/// The time depends on rho, which is public.
pub(super) fn sample_matrix<P: ParameterSet, B: Kernels>(b: B, rho: &[u8; 32]) -> NttMatrix<P, B> {
    let mut a_hat = NttMatrix::zero();
    let mut entries = (0..P::K).flat_map(|i| (0..P::K).map(move |j| (i, j)));
    loop {
        let batch = batch::<B, _>(&mut entries);
        if batch[0].is_none() {
            return a_hat;
        }
        let mut sponges = SeedSponges::new(b, SHAKE128);
        for (stream, (i, j)) in batch.iter().flatten().enumerate() {
            sponges.absorb(stream, rho, &[*j as u8, *i as u8]);
        }
        let mut sampled = [0; MAX_STATES];
        // Three blocks are nearly always enough for one entry.
        while batch.iter().flatten().zip(sampled).any(|(_, n)| n < 256) {
            sponges.permute();
            for (stream, &(i, j)) in batch.iter().flatten().enumerate() {
                let mut block = [0; XOF_BLOCK];
                sponges.read(stream, &mut block);
                sampled[stream] =
                    b.sample_ntt_vartime(&block, a_hat.entry_mut(i, j), sampled[stream]);
            }
        }
        for &(i, j) in batch.iter().flatten() {
            b.reorder(a_hat.entry_mut(i, j));
        }
    }
}

/// SamplePolyCBD_eta(PRF_eta(seed, N)), Algorithm 8 and (4.3), into each of `polys` with its eta:
/// N counts from 0.
pub(super) fn sample_noise<'a, B: Kernels>(
    b: B,
    seed: &[u8; 32],
    polys: impl Iterator<Item = (usize, &'a mut Poly)>,
) {
    let mut polys = (0..).zip(polys);
    loop {
        let mut batch = batch::<B, _>(&mut polys);
        if batch[0].is_none() {
            return;
        }
        let mut sponges = SeedSponges::new(b, SHAKE256);
        for (stream, (n, _)) in batch.iter().flatten().enumerate() {
            sponges.absorb(stream, seed, &[*n]);
        }
        sponges.permute();
        // 64 eta bytes each: one block of SHAKE256 for eta = 2, two for eta = 3.
        let mut bytes = Zeroizing::new([[0; 192]; MAX_STATES]);
        for (stream, bytes) in bytes.iter_mut().take(B::KeccakBatch::WIDTH).enumerate() {
            sponges.read(stream, &mut bytes[..SHAKE256.rate]);
        }
        if batch.iter().flatten().any(|(_, (eta, _))| *eta == 3) {
            sponges.permute();
            for (stream, bytes) in bytes.iter_mut().take(B::KeccakBatch::WIDTH).enumerate() {
                sponges.read(stream, &mut bytes[SHAKE256.rate..]);
            }
        }
        for ((_, (eta, poly)), bytes) in batch.iter_mut().flatten().zip(bytes.iter()) {
            b.sample_poly_cbd(*eta, &bytes[..64 * *eta], poly);
        }
    }
}
