//! K-PKE, the encryption scheme inside ML-KEM: FIPS 203 section 5.

use super::params::{ByteArray, ParameterSet};
use super::poly::{NttMatrix, NttVec, PolyVec};
use super::sample::{sample_matrix, sample_noise};
use super::symmetric::g;
use crate::Secret;
use crate::asm::backend::{Kernels, Poly};
use zeroize::Zeroizing;

/// What every encryption to a key needs and what depends on the key alone.
#[derive(Clone)]
pub(super) struct ExpandedKey<P: ParameterSet, B: Kernels> {
    a_hat: NttMatrix<P, B>,
    t_hat: NttVec<P, B>,
}

impl<P: ParameterSet, B: Kernels> ExpandedKey<P, B> {
    /// Expands the encoded key, and says whether it passes the modulus check of section 7.2.
    /// Coefficients that fail it are reduced, as the standard's internal algorithms do.
    pub(super) fn decode(b: B, ek: &P::Ek) -> (Self, bool) {
        let (t, rho) = ek.as_ref().split_at(384 * P::K);
        let (t_hat, canonical) = decode_12(b, t);
        let rho = rho
            .try_into()
            .expect("an encoded key ends in 32 bytes of rho");
        (
            Self {
                a_hat: sample_matrix(b, rho),
                t_hat,
            },
            canonical,
        )
    }
}

/// The modulus check of section 7.2 alone: every coefficient of t below q.
pub(super) fn is_canonical<P: ParameterSet, B: Kernels>(b: B, ek: &P::Ek) -> bool {
    decode_12::<P, B>(b, &ek.as_ref()[..384 * P::K]).1
}

/// ByteEncode_12 of a vector of canonical polynomials.
fn encode_12<P: ParameterSet, B: Kernels>(b: B, f_hat: &NttVec<P, B>, bytes: &mut [u8]) {
    for (f_hat, bytes) in f_hat.polys().iter().zip(bytes.as_chunks_mut().0) {
        b.byte_encode_12(f_hat, bytes);
    }
}

/// ByteDecode_12 of a vector, and whether all of it was below q.
fn decode_12<P: ParameterSet, B: Kernels>(b: B, bytes: &[u8]) -> (NttVec<P, B>, bool) {
    let mut f_hat = NttVec::zero();
    let mut canonical = true;
    for (f_hat, bytes) in f_hat.polys_mut().iter_mut().zip(bytes.as_chunks().0) {
        canonical &= b.byte_decode_12(bytes, f_hat);
    }
    (f_hat, canonical)
}

/// K-PKE.KeyGen, Algorithm 13: the expanded and the encoded encryption key, and `dk`, 384 k bytes,
/// written.
pub(super) fn keygen<P: ParameterSet, B: Kernels>(
    b: B,
    d: &[u8; 32],
    dk: &mut [u8],
) -> (ExpandedKey<P, B>, P::Ek) {
    let (rho, sigma) = g(b, &[d, &[P::K as u8]]);
    let rho = rho.as_bytes();
    let a_hat = sample_matrix(b, rho);

    let mut s = Zeroizing::new(PolyVec::<P>::zero());
    let mut e = Zeroizing::new(PolyVec::<P>::zero());
    let noise = s.polys_mut().iter_mut().chain(e.polys_mut());
    sample_noise(b, sigma.as_bytes(), noise.map(|poly| (P::ETA1, poly)));

    let mut s_hat = Zeroizing::new(NttVec::ntt(b, &s));
    s_hat
        .polys_mut()
        .iter_mut()
        .for_each(|f_hat| b.canonicalize(f_hat));
    let e_hat = Zeroizing::new(NttVec::<P, B>::ntt(b, &e));
    let mut t_hat = NttVec::zero();
    for (i, (t_hat, e_hat)) in t_hat.polys_mut().iter_mut().zip(e_hat.polys()).enumerate() {
        let product = Zeroizing::new(a_hat.row_dot(b, i, &s_hat));
        b.add_product(&product, e_hat, t_hat);
    }

    encode_12(b, &s_hat, dk);
    let mut ek = P::Ek::ZEROED;
    let (ek_t, ek_rho) = ek.as_mut().split_at_mut(384 * P::K);
    encode_12(b, &t_hat, ek_t);
    ek_rho.copy_from_slice(rho);
    (ExpandedKey { a_hat, t_hat }, ek)
}

/// K-PKE.Encrypt, Algorithm 14.
pub(super) fn encrypt<P: ParameterSet, B: Kernels>(
    b: B,
    ek: &ExpandedKey<P, B>,
    m: &[u8; 32],
    r: &[u8; 32],
) -> P::Ct {
    let mut y = Zeroizing::new(PolyVec::<P>::zero());
    let mut e1 = Zeroizing::new(PolyVec::<P>::zero());
    let mut e2 = Zeroizing::new(Poly::ZERO);
    let eta1 = y.polys_mut().iter_mut().map(|poly| (P::ETA1, poly));
    let eta2 = e1
        .polys_mut()
        .iter_mut()
        .chain([&mut *e2])
        .map(|poly| (P::ETA2, poly));
    sample_noise(b, r, eta1.chain(eta2));
    let y_hat = Zeroizing::new(NttVec::ntt(b, &y));

    let mut c = P::Ct::ZEROED;
    let (c1, c2) = c.as_mut().split_at_mut(32 * P::DU * P::K);
    let mut f = Zeroizing::new(Poly::ZERO);
    for (i, (e1, c1)) in e1
        .polys()
        .iter()
        .zip(c1.chunks_exact_mut(32 * P::DU))
        .enumerate()
    {
        let product = Zeroizing::new(ek.a_hat.column_dot(b, i, &y_hat));
        b.inv_ntt(&product, &mut f);
        b.add(&mut f, e1);
        b.compress(P::DU, &f, c1);
    }
    let product = Zeroizing::new(ek.t_hat.dot(b, &y_hat));
    b.inv_ntt(&product, &mut f);
    b.add(&mut f, &e2);
    let mut mu = Zeroizing::new(Poly::ZERO);
    b.decompress(1, m, &mut mu);
    b.add(&mut f, &mu);
    b.compress(P::DV, &f, c2);
    c
}

/// K-PKE.Decrypt, Algorithm 15. `dk` is 384 k bytes.
pub(super) fn decrypt<P: ParameterSet, B: Kernels>(b: B, dk: &[u8], c: &P::Ct) -> Secret<32> {
    let (c1, c2) = c.as_ref().split_at(32 * P::DU * P::K);
    let mut u = PolyVec::<P>::zero();
    for (u, c1) in u.polys_mut().iter_mut().zip(c1.chunks_exact(32 * P::DU)) {
        b.decompress(P::DU, c1, u);
    }
    let u_hat = NttVec::ntt(b, &u);
    // The standard takes a secret vector with coefficients of q or more, reduced.
    let (s_hat, _) = decode_12::<P, B>(b, dk);
    let s_hat = Zeroizing::new(s_hat);
    let product = Zeroizing::new(s_hat.dot(b, &u_hat));

    let mut s_u = Zeroizing::new(Poly::ZERO);
    b.inv_ntt(&product, &mut s_u);
    let mut w = Zeroizing::new(Poly::ZERO);
    b.decompress(P::DV, c2, &mut w);
    b.sub(&mut w, &s_u);
    let mut m = Secret::zeroed();
    b.compress(1, &w, m.as_mut_bytes());
    m
}
