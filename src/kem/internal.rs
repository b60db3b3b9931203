//! FIPS 203 section 6, for a backend that has been chosen: Algorithms 16-18.

use super::k_pke::{self, ExpandedKey, Noise, XOF_CALLS};
use super::params::{ByteArray, ParameterSet};
use super::schedule::{Batch, Job, Seed};
use super::symmetric::{SHA3_256, SHAKE256, Sponge, g};
use crate::asm::backend::Kernels;
use crate::asm::ct;
use crate::{Secret, SecretArray};

/// The parts of an expanded decapsulation key: dk_PKE || ek || H(ek) || z.
struct Parts<'a, P: ParameterSet> {
    dk_pke: &'a [u8],
    ek: &'a P::Ek,
    h: &'a [u8; 32],
    z: &'a [u8; 32],
}

impl<'a, P: ParameterSet> Parts<'a, P> {
    fn of(dk: &'a P::Dk) -> Self {
        let (dk_pke, rest) = dk.as_ref().split_at(384 * P::K);
        let (ek, rest) = rest.split_at(P::EK_LEN);
        let (Some(ek), [h, z]) = (P::Ek::of(ek), rest.as_chunks().0) else {
            unreachable!("ek and 64 bytes follow")
        };
        Self { dk_pke, ek, h, z }
    }
}

/// H(ek) for a sponge that has absorbed ek.
pub(super) fn read_h(h: &Sponge) -> [u8; 32] {
    let mut out = [0; 32];
    h.read(&mut out);
    out
}

/// ML-KEM.KeyGen_internal, Algorithm 16: the expanded ek, and dk, which has ek inside.
pub(super) fn keygen<P: ParameterSet, B: Kernels>(
    b: B,
    d: &[u8; 32],
    z: &[u8; 32],
    expanded: &mut ExpandedKey<P, B>,
    dk: &mut P::Dk,
) {
    let (dk_pke, rest) = dk.as_mut().split_at_mut(384 * P::K);
    let (ek, rest) = rest.split_at_mut(P::EK_LEN);
    let mut h = Sponge::new(SHA3_256);
    k_pke::keygen(b, d, expanded, ek, dk_pke, &mut h);
    h.finish(b);
    rest[..32].copy_from_slice(&read_h(&h));
    rest[32..].copy_from_slice(z);
}

/// Expands ek to what encryption needs; H(ek), and whether ek passes the modulus check.
pub(super) fn expand<P: ParameterSet, B: Kernels>(
    b: B,
    ek: &P::Ek,
    expanded: &mut ExpandedKey<P, B>,
) -> ([u8; 32], bool) {
    let canonical = expanded.begin(b, ek);
    let mut h = Sponge::new(SHA3_256);
    let h_job = [Job::hash(&mut h, ek.as_ref())].into_iter();
    Batch::new().run(b, XOF_CALLS * P::K * P::K, h_job.chain(expanded.jobs(ek)));
    (read_h(&h), canonical)
}

/// ML-KEM.Encaps_internal, Algorithm 17, given H(ek): the shared secret, and the ciphertext in `c`.
pub(super) fn encaps<P: ParameterSet, B: Kernels>(
    b: B,
    ek: &ExpandedKey<P, B>,
    h_ek: &[u8; 32],
    m: &[u8; 32],
    c: &mut P::Ct,
) -> Secret<32> {
    let (k, r) = g(b, &[m, h_ek]);
    let mut noise = Noise::zero();
    Batch::new().run(b, Noise::<P>::CALLS, noise.jobs(&Seed::known(r)));
    k_pke::encrypt(b, ek, m, &noise, c);
    k
}

/// A decapsulation under way, Algorithm 18: what decryption gave, and what the hashes will.
struct Decaps<P: ParameterSet> {
    /// m' || h
    message: SecretArray<[u8; 64]>,
    k: Secret<32>,
    r: Seed,
    noise: Noise<P>,
    /// Has absorbed z.
    j: Sponge,
}

impl<P: ParameterSet> Decaps<P> {
    fn begin<B: Kernels>(b: B, dk: &P::Dk, c: &P::Ct) -> Self {
        let Parts { dk_pke, h, z, .. } = Parts::<P>::of(dk);
        let mut message = SecretArray::new([0; 64]);
        message[..32].copy_from_slice(k_pke::decrypt::<P, B>(b, dk_pke, c).as_bytes());
        message[32..].copy_from_slice(h);
        let mut j = Sponge::new(SHAKE256);
        j.absorb(b, z);
        Self {
            message,
            k: Secret::zeroed(),
            r: Seed::default(),
            noise: Noise::zero(),
            j,
        }
    }

    /// The hashes, with others beside them.
    fn jobs<'a, B: Kernels + 'a>(
        &'a mut self,
        c: &'a P::Ct,
        beside: impl Iterator<Item = Job<'a, B>>,
    ) -> impl Iterator<Item = Job<'a, B>> {
        let j = Job::hash(&mut self.j, c.as_ref());
        let g = Job::G {
            message: &*self.message,
            k: &mut self.k,
            r: &self.r,
        };
        [j, g]
            .into_iter()
            .chain(beside)
            .chain(self.noise.jobs(&self.r))
    }

    fn finish<B: Kernels>(self, b: B, ek: &ExpandedKey<P, B>, c: &P::Ct) -> Secret<32> {
        let m = self.message.first_chunk().expect("m is the first half");
        let mut c_again = SecretArray::new(P::Ct::ZEROED);
        k_pke::encrypt(b, ek, m, &self.noise, &mut *c_again);
        let mut shared_secret = Secret::zeroed();
        self.j.read(shared_secret.as_mut_bytes());
        // Implicit rejection: K-bar, or K' if the ciphertext is what m' encrypts to.
        let equal = ct::equal(c.as_ref(), c_again.as_ref());
        ct::copy_if(equal, shared_secret.as_mut_bytes(), self.k.as_bytes());
        shared_secret
    }
}

/// ML-KEM.Decaps_internal, Algorithm 18, given the expansion of the ek inside dk.
pub(super) fn decaps<P: ParameterSet, B: Kernels>(
    b: B,
    ek: &ExpandedKey<P, B>,
    dk: &P::Dk,
    c: &P::Ct,
) -> Secret<32> {
    let mut decaps = Decaps::<P>::begin(b, dk, c);
    Batch::new().run(
        b,
        1 + Noise::<P>::CALLS,
        decaps.jobs(c, core::iter::empty()),
    );
    decaps.finish(b, ek, c)
}

/// ML-KEM.Decaps_internal, Algorithm 18, from dk alone: the shared secret, and whether dk passes
/// the hash check of section 7.3, and the ek inside it the modulus check of section 7.2.
pub(super) fn decaps_from_bytes<P: ParameterSet, B: Kernels>(
    b: B,
    dk: &P::Dk,
    c: &P::Ct,
) -> (Secret<32>, bool, bool) {
    let ek = ek_of::<P>(dk);
    let mut expanded = ExpandedKey::zero();
    let canonical = expanded.begin(b, ek);
    let mut h = Sponge::new(SHA3_256);
    let mut decaps = Decaps::<P>::begin(b, dk, c);
    let matrix = expanded.jobs(ek);
    let h_job = [Job::hash(&mut h, ek.as_ref())].into_iter();
    let others = 1 + Noise::<P>::CALLS + XOF_CALLS * P::K * P::K;
    Batch::new().run(b, others, h_job.chain(decaps.jobs(c, matrix)));
    let matches = read_h(&h) == *h_of::<P>(dk);
    (decaps.finish(b, &expanded, c), matches, canonical)
}

/// The hash check of section 7.3.
pub(super) fn hash_matches<P: ParameterSet, B: Kernels>(b: B, dk: &P::Dk) -> bool {
    let mut h = Sponge::new(SHA3_256);
    h.absorb(b, ek_of::<P>(dk).as_ref());
    h.finish(b);
    read_h(&h) == *h_of::<P>(dk)
}

/// The ek inside dk.
pub(super) fn ek_of<P: ParameterSet>(dk: &P::Dk) -> &P::Ek {
    Parts::<P>::of(dk).ek
}

/// The H(ek) inside dk.
pub(super) fn h_of<P: ParameterSet>(dk: &P::Dk) -> &[u8; 32] {
    Parts::<P>::of(dk).h
}
