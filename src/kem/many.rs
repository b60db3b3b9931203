//! Operations on many keys: the hashes of several fill the backend's Keccak batch together, each
//! step of all of them before the next one.

use super::internal::{ek_of, read_h};
use super::k_pke::{self, ExpandedKey, Noise, Secrets};
use super::ml_kem::{Ciphertext, DecapsulationKey, EncapsulationKey, SharedSecret, random};
use super::params::{ByteArray, ParameterSet};
use super::poly::PolyVec;
use super::schedule::{Batch, Job, MAX_JOBS, Seed};
use super::symmetric::{SHA3_256, Sponge};
use crate::asm::backend::Kernels;
use crate::asm::dispatch::{Holds, on, with_held};
use crate::{Backend, Error, Secret, SecretArray};
use rand::TryCryptoRng;
use std::vec::Vec;
use zeroize::Zeroizing;

/// Keys that are worked on side by side: enough to fill the widest batch.
const GROUP: usize = 4;

/// The jobs that they have.
const JOBS: usize = GROUP * MAX_JOBS;

/// Generates keys as [`DecapsulationKey::generate`] does, several at a time side by side.
///
/// # Errors
/// [`Error::Rng`] if `rng` fails.
pub fn keygen_many<P: ParameterSet>(
    count: usize,
    rng: &mut impl TryCryptoRng,
) -> Result<Vec<DecapsulationKey<P>>, Error> {
    let seeds: Vec<Secret<64>> = (0..count).map(|_| random(rng)).collect::<Result<_, _>>()?;
    let mut keys = Vec::with_capacity(count);
    for seeds in seeds.chunks(GROUP) {
        on!(Backend::selected(), b => {
            let mut group: Vec<_> = seeds.iter().map(|seed| NewKey::of(seed.as_bytes())).collect();
            keygen_group(b, &mut group);
            keys.extend(group.into_iter().zip(seeds).map(|(key, seed)| {
                DecapsulationKey::generated(seed, key.dk, b.hold(key.expanded))
            }));
        });
    }
    Ok(keys)
}

/// Encapsulates to each of many keys as [`EncapsulationKey::encapsulate`] does, to several at a
/// time side by side. Shared secrets and ciphertexts come in the order of the keys.
///
/// # Errors
/// [`Error::Rng`] if `rng` fails.
///
/// # Panics
/// Never: what is done side by side has one backend.
pub fn encapsulate_many<'a, P: ParameterSet>(
    keys: impl IntoIterator<Item = &'a EncapsulationKey<P>>,
    rng: &mut impl TryCryptoRng,
) -> Result<Vec<(SharedSecret, Ciphertext<P>)>, Error> {
    let keys: Vec<_> = keys.into_iter().collect();
    let mut results = Vec::with_capacity(keys.len());
    let backend = |key: &EncapsulationKey<P>| core::mem::discriminant(&key.expanded);
    let groups = keys.chunk_by(|x, y| backend(x) == backend(y));
    for keys in groups.flat_map(|keys| keys.chunks(GROUP)) {
        let m: Vec<Secret<32>> = keys.iter().map(|_| random(rng)).collect::<Result<_, _>>()?;
        with_held!(&keys[0].expanded, (b, _first) => {
            let to: Vec<_> = keys.iter().zip(&m).map(|(key, m)| {
                let ek = b.held(&key.expanded).expect("they have one backend");
                To { ek, h: &key.h, m: m.as_bytes() }
            }).collect();
            encaps_group(b, &to, |k, c| results.push((k, Ciphertext(c))));
        });
    }
    Ok(results)
}

/// A key pair to be made, and what it is made from.
struct NewKey<'a, P: ParameterSet, B: Kernels> {
    seed: &'a [u8; 64],
    expanded: ExpandedKey<P, B>,
    dk: SecretArray<P::Dk>,
}

impl<'a, P: ParameterSet, B: Kernels> NewKey<'a, P, B> {
    fn of(seed: &'a [u8; 64]) -> Self {
        Self {
            seed,
            expanded: ExpandedKey::zero(),
            dk: SecretArray::new(P::Dk::ZEROED),
        }
    }
}

/// ML-KEM.KeyGen_internal, Algorithm 16, of at most [`GROUP`] keys side by side.
fn keygen_group<P: ParameterSet, B: Kernels>(b: B, keys: &mut [NewKey<'_, P, B>]) {
    let mut batch = Batch::new();
    let mut rho = [const { Secret::zeroed() }; GROUP];
    let sigma: [Seed; GROUP] = Default::default();
    let mut messages: [_; GROUP] = core::array::from_fn(|_| SecretArray::new([P::K as u8; 33]));
    for (message, key) in messages.iter_mut().zip(&*keys) {
        message[..32].copy_from_slice(&key.seed[..32]);
    }
    let g = messages.iter().zip(&mut rho).zip(&sigma).zip(&*keys);
    let g = g.map(|(((message, rho), sigma), _)| Job::G {
        message: &**message,
        k: rho,
        r: sigma,
    });
    batch.run_up_to::<JOBS>(b, usize::MAX, g);

    let mut noise: [_; GROUP] =
        core::array::from_fn(|_| Zeroizing::new([PolyVec::<P>::zero(), PolyVec::zero()]));
    let count = keys.len();
    let matrix = keys.iter_mut().zip(&rho).flat_map(|(key, rho)| {
        let entries = key.expanded.a_hat.rows_mut(0..P::K);
        entries.map(|entry| Job::entry(rho.as_bytes(), entry))
    });
    let secrets = noise.iter_mut().zip(&sigma).take(count);
    let secrets = secrets.flat_map(|(noise, sigma)| {
        let polys = noise.iter_mut().flat_map(PolyVec::polys_mut).enumerate();
        polys.map(|(n, f)| Job::noise(sigma, n, P::ETA1, f))
    });
    batch.run_up_to::<JOBS>(b, usize::MAX, matrix.chain(secrets));

    for ((key, noise), rho) in keys.iter_mut().zip(&noise).zip(&rho) {
        let [s, e] = &**noise;
        let ExpandedKey { a_hat, t_hat } = &mut key.expanded;
        let (dk, rest) = key.dk.as_mut().split_at_mut(384 * P::K);
        let ek = &mut rest[..P::EK_LEN];
        ek[384 * P::K..].copy_from_slice(rho.as_bytes());
        let mut secrets = Secrets::zero();
        secrets.encode(b, s, dk);
        secrets.multiply_rows(b, a_hat, 0..P::K, e.polys(), t_hat, ek);
    }

    let mut h: [_; GROUP] = core::array::from_fn(|_| Sponge::new(SHA3_256));
    let jobs = h.iter_mut().zip(&*keys);
    batch.run_up_to::<JOBS>(
        b,
        usize::MAX,
        jobs.map(|(h, key)| Job::hash(h, ek_of::<P>(&key.dk).as_ref())),
    );
    for (NewKey { seed, dk, .. }, h) in keys.iter_mut().zip(&h) {
        let rest = &mut dk.as_mut()[384 * P::K + P::EK_LEN..];
        rest[..32].copy_from_slice(&read_h(h));
        rest[32..].copy_from_slice(&seed[32..]);
    }
}

/// An encapsulation to be made: the expanded key, H(ek), and m.
struct To<'a, P: ParameterSet, B: Kernels> {
    ek: &'a ExpandedKey<P, B>,
    h: &'a [u8; 32],
    m: &'a [u8; 32],
}

/// ML-KEM.Encaps_internal, Algorithm 17, to at most [`GROUP`] keys side by side.
fn encaps_group<P: ParameterSet, B: Kernels>(
    b: B,
    to: &[To<'_, P, B>],
    mut each: impl FnMut(Secret<32>, P::Ct),
) {
    let mut messages: [_; GROUP] = core::array::from_fn(|_| SecretArray::new([0; 64]));
    for (message, To { h, m, .. }) in messages.iter_mut().zip(to) {
        message[..32].copy_from_slice(*m);
        message[32..].copy_from_slice(*h);
    }
    let mut k = [const { Secret::zeroed() }; GROUP];
    let r: [Seed; GROUP] = Default::default();
    let mut noise: [Noise<P>; GROUP] = core::array::from_fn(|_| Noise::zero());
    let g = messages.iter().zip(&mut k).zip(&r).zip(to);
    let g = g.map(|(((message, k), r), _)| Job::G {
        message: &**message,
        k,
        r,
    });
    let noise_jobs = noise.iter_mut().zip(&r).zip(to);
    let noise_jobs = noise_jobs.flat_map(|((noise, r), _)| noise.jobs(r));
    Batch::new().run_up_to::<JOBS>(b, usize::MAX, g.chain(noise_jobs));
    for ((To { ek, m, .. }, noise), k) in to.iter().zip(&noise).zip(k) {
        let mut c = P::Ct::ZEROED;
        k_pke::encrypt(b, ek, m, noise, &mut c);
        each(k, c);
    }
}
