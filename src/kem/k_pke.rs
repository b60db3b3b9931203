//! K-PKE, the encryption scheme inside ML-KEM: FIPS 203 section 5.

use super::params::ParameterSet;
use super::poly::{Factors, NttMatrix, NttVec, PolyVec};
use super::schedule::{Batch, Job, Seed};
use super::symmetric::{Sponge, g};
use crate::Secret;
use crate::asm::backend::{KeccakBatch, Kernels, NttPoly, Poly, Product};
use core::ops::Range;
use zeroize::{Zeroize, Zeroizing};

/// What every encryption to a key needs and what depends on the key alone.
#[derive(Clone)]
pub(super) struct ExpandedKey<P: ParameterSet, B: Kernels> {
    pub(super) a_hat: NttMatrix<P, B>,
    pub(super) t_hat: NttVec<P, B>,
}

impl<P: ParameterSet, B: Kernels> ExpandedKey<P, B> {
    /// To be made by [`keygen`], or by [`Self::begin`] and [`Self::jobs`].
    pub(super) fn zero() -> Self {
        Self {
            a_hat: NttMatrix::zero(),
            t_hat: NttVec::zero(),
        }
    }

    /// Decodes the vector, and says whether the encoded key passes the modulus check of section
    /// 7.2. Coefficients that fail it are reduced, as the standard's internal algorithms do.
    pub(super) fn begin(&mut self, b: B, ek: &P::Ek) -> bool {
        decode_12(b, &ek.as_ref()[..384 * P::K], &mut self.t_hat)
    }

    /// Algorithm 14, lines 4-8: the matrix.
    pub(super) fn jobs<'a>(&'a mut self, ek: &'a P::Ek) -> impl Iterator<Item = Job<'a, B>> {
        let rho = ek
            .as_ref()
            .last_chunk()
            .expect("an encoded key ends in 32 bytes of rho");
        self.a_hat
            .rows_mut(0..P::K)
            .map(move |entry| Job::entry(rho, entry))
    }
}

/// The modulus check of section 7.2 alone: every coefficient of t below q.
pub(super) fn is_canonical<P: ParameterSet, B: Kernels>(b: B, ek: &P::Ek) -> bool {
    decode_12::<P, B>(b, &ek.as_ref()[..384 * P::K], &mut NttVec::zero())
}

/// ByteDecode_12 of a vector, and whether all of it was below q.
fn decode_12<P: ParameterSet, B: Kernels>(b: B, bytes: &[u8], f_hat: &mut NttVec<P, B>) -> bool {
    let mut canonical = true;
    for (f_hat, bytes) in f_hat.polys_mut().iter_mut().zip(bytes.as_chunks().0) {
        canonical &= b.byte_decode_12(bytes, f_hat);
    }
    canonical
}

/// Permutations that a matrix entry nearly always needs, and no more.
pub(super) const XOF_CALLS: usize = 3;

/// Rows of the matrix that key generation makes before it begins with the hash of what they give:
/// H(ek) then goes on beside the rows that remain. One row fills two streams; a wider batch would
/// be half empty.
const fn rows_before_h<P: ParameterSet, B: Kernels>() -> usize {
    match B::KeccakBatch::WIDTH {
        2 => P::K - 1,
        _ => 2,
    }
}

/// K-PKE.KeyGen, Algorithm 13: the expanded and the encoded encryption key, and the decryption key
/// of 384 k bytes. `h` absorbs the encoded key.
pub(super) fn keygen<P: ParameterSet, B: Kernels>(
    b: B,
    d: &[u8; 32],
    ExpandedKey { a_hat, t_hat }: &mut ExpandedKey<P, B>,
    ek: &mut [u8],
    dk: &mut [u8],
    h: &mut Sponge,
) {
    let (rho, sigma) = g(b, &[d, &[P::K as u8]]);
    let (rho, sigma) = (rho.as_bytes(), Seed::known(sigma));
    ek[384 * P::K..].copy_from_slice(rho);

    let mut s = Zeroizing::new(PolyVec::<P>::zero());
    let mut e = Zeroizing::new(PolyVec::<P>::zero());
    let before_h = const { rows_before_h::<P, B>() };
    let (first, rest) = (0..before_h, before_h..P::K);
    let (first_e, rest_e) = e.polys_mut().split_at_mut(before_h);
    let noise = s.polys_mut().iter_mut().chain(&mut *first_e).enumerate();
    let mut noise = noise.map(|(n, f)| Job::noise(&sigma, n, P::ETA1, f));
    let matrix = a_hat.rows_mut(first.clone());
    let mut matrix = matrix.map(|entry| Job::entry(rho, entry));
    // Two entries of three permutations on one stream, three polynomials of two on the other: both
    // are busy to the end. Else what is longest goes first.
    let in_turns = const { B::KeccakBatch::WIDTH == 2 && P::ETA1 == 3 };
    let entry = matrix.next();
    let early: [_; 2] = core::array::from_fn(|_| in_turns.then(|| noise.next()).flatten());
    let jobs = entry.into_iter().chain(early.into_iter().flatten());
    let mut batch = Batch::new();
    batch.run(b, usize::MAX, jobs.chain(matrix).chain(noise));

    let mut secrets = Secrets::zero();
    secrets.encode(b, &s, dk);
    secrets.multiply_rows(b, a_hat, first, first_e, t_hat, ek);
    let (encoded, _) = ek.split_at(384 * before_h);
    let h_job = [Job::absorb(h, encoded)].into_iter();
    let noise = (P::K + before_h..).zip(&mut *rest_e);
    let noise = noise.map(|(n, f)| Job::noise(&sigma, n, P::ETA1, f));
    let matrix = a_hat.rows_mut(rest.clone());
    let matrix = matrix.map(|entry| Job::entry(rho, entry));
    let others = (XOF_CALLS * P::K + P::ETA1 - 1) * rest.len();
    batch.run(b, others, h_job.chain(matrix).chain(noise));
    secrets.multiply_rows(b, a_hat, rest, rest_e, t_hat, ek);
    h.absorb(b, &ek[384 * before_h..]);
}

/// s in the NTT domain, and what is on the way to t = A s + e. Zeroized when dropped.
pub(super) struct Secrets<P: ParameterSet, B: Kernels> {
    s_hat: Factors<P, B>,
    e_hat: NttPoly<B>,
    product: Product<B>,
}

impl<P: ParameterSet, B: Kernels> Secrets<P, B> {
    /// To be made by [`Self::encode`].
    pub(super) fn zero() -> Self {
        Self {
            s_hat: Factors::zero(),
            e_hat: NttPoly::ZERO,
            product: Product::ZERO,
        }
    }

    /// The NTT of s, also as the encoded decryption key.
    pub(super) fn encode(&mut self, b: B, s: &PolyVec<P>, dk: &mut [u8]) {
        self.s_hat.ntt(b, s);
        for (s_hat, bytes) in self.s_hat.polys_mut().zip(dk.as_chunks_mut().0) {
            b.canonicalize(s_hat);
            b.byte_encode_12(s_hat, bytes);
        }
    }

    /// Some rows of t, also as encoded; `e` has only those rows.
    pub(super) fn multiply_rows(
        &mut self,
        b: B,
        a_hat: &NttMatrix<P, B>,
        rows: Range<usize>,
        e: &[Poly],
        t_hat: &mut NttVec<P, B>,
        ek: &mut [u8],
    ) {
        for (i, e) in rows.zip(e) {
            b.ntt(e, &mut self.e_hat);
            a_hat.row_dot(b, i, &self.s_hat, &mut self.product);
            let t_hat = &mut t_hat.polys_mut()[i];
            b.add_product(&self.product, &self.e_hat, t_hat);
            b.byte_encode_12(t_hat, &mut ek.as_chunks_mut().0[i]);
        }
    }
}

impl<P: ParameterSet, B: Kernels> Drop for Secrets<P, B> {
    fn drop(&mut self) {
        self.s_hat.zeroize();
        self.e_hat.zeroize();
        self.product.zeroize();
    }
}

/// The noise of one encryption: y, e1 and e2 of Algorithm 14. Zeroized when dropped.
pub(super) struct Noise<P: ParameterSet> {
    y: PolyVec<P>,
    e1: PolyVec<P>,
    e2: Poly,
}

impl<P: ParameterSet> Noise<P> {
    /// To be made by [`Self::jobs`].
    pub(super) fn zero() -> Self {
        Self {
            y: PolyVec::zero(),
            e1: PolyVec::zero(),
            e2: Poly::ZERO,
        }
    }

    /// Permutations that the jobs need: one block of the PRF, but two for eta = 3.
    pub(super) const CALLS: usize = P::K * (P::ETA1 - 1) + P::K * (P::ETA2 - 1) + P::ETA2 - 1;

    /// Algorithm 14, lines 9-17.
    pub(super) fn jobs<'a, B: Kernels>(
        &'a mut self,
        r: &'a Seed,
    ) -> impl Iterator<Item = Job<'a, B>> {
        let eta1 = self.y.polys_mut().iter_mut().map(|f| (P::ETA1, f));
        let eta2 = self
            .e1
            .polys_mut()
            .iter_mut()
            .chain([&mut self.e2])
            .map(|f| (P::ETA2, f));
        eta1.chain(eta2)
            .enumerate()
            .map(|(n, (eta, f))| Job::noise(r, n, eta, f))
    }
}

impl<P: ParameterSet> Drop for Noise<P> {
    fn drop(&mut self) {
        self.y.zeroize();
        self.e1.zeroize();
        self.e2.zeroize();
    }
}

/// K-PKE.Encrypt, Algorithm 14 from line 18 on, given the noise that its r makes, into `c`.
pub(super) fn encrypt<P: ParameterSet, B: Kernels>(
    b: B,
    ek: &ExpandedKey<P, B>,
    m: &[u8; 32],
    noise: &Noise<P>,
    c: &mut P::Ct,
) {
    let mut y_hat = Zeroizing::new(Factors::zero());
    y_hat.ntt(b, &noise.y);
    let (c1, c2) = c.as_mut().split_at_mut(32 * P::DU * P::K);
    let mut product = Zeroizing::new(Product::ZERO);
    let mut f = Zeroizing::new(Poly::ZERO);
    for (i, c1) in c1.chunks_exact_mut(32 * P::DU).enumerate() {
        ek.a_hat.column_dot(b, i, &y_hat, &mut product);
        b.inv_ntt(&product, &mut f);
        b.add(&mut f, &noise.e1.polys()[i]);
        b.compress(P::DU, &f, c1);
    }
    ek.t_hat.dot(b, &y_hat, &mut product);
    b.inv_ntt(&product, &mut f);
    b.add(&mut f, &noise.e2);
    let mut mu = Zeroizing::new(Poly::ZERO);
    b.decompress(1, m, &mut mu);
    b.add(&mut f, &mu);
    b.compress(P::DV, &f, c2);
}

/// K-PKE.Decrypt, Algorithm 15. `dk` is 384 k bytes.
pub(super) fn decrypt<P: ParameterSet, B: Kernels>(b: B, dk: &[u8], c: &P::Ct) -> Secret<32> {
    let (c1, c2) = c.as_ref().split_at(32 * P::DU * P::K);
    let mut u = PolyVec::<P>::zero();
    for (u, c1) in u.polys_mut().iter_mut().zip(c1.chunks_exact(32 * P::DU)) {
        b.decompress(P::DU, c1, u);
    }
    let mut u_hat = Factors::zero();
    u_hat.ntt(b, &u);
    // The standard takes a secret vector with coefficients of q or more, reduced.
    let mut s_hat = Zeroizing::new(NttVec::zero());
    decode_12(b, dk, &mut s_hat);
    let mut product = Zeroizing::new(Product::ZERO);
    s_hat.dot(b, &u_hat, &mut product);

    let mut s_u = Zeroizing::new(Poly::ZERO);
    b.inv_ntt(&product, &mut s_u);
    let mut w = Zeroizing::new(Poly::ZERO);
    b.decompress(P::DV, c2, &mut w);
    b.sub(&mut w, &s_u);
    let mut m = Secret::zeroed();
    b.compress(1, &w, m.as_mut_bytes());
    m
}
