//! FIPS 203 section 6, for a backend that has been chosen: Algorithms 16-18.

use super::k_pke::{self, ExpandedKey};
use super::params::{ByteArray, ParameterSet};
use super::symmetric::{g, h, j};
use crate::asm::backend::Kernels;
use crate::asm::ct;
use crate::{Error, Secret};
use zeroize::Zeroizing;

/// The parts of an expanded decapsulation key: dk_PKE || ek || H(ek) || z.
struct Parts<'a> {
    dk_pke: &'a [u8],
    ek: &'a [u8],
    h: &'a [u8; 32],
    z: &'a [u8; 32],
}

impl<'a> Parts<'a> {
    fn of<P: ParameterSet>(dk: &'a P::Dk) -> Self {
        let (dk_pke, rest) = dk.as_ref().split_at(384 * P::K);
        let (ek, rest) = rest.split_at(P::EK_LEN);
        let [h, z] = rest.as_chunks().0 else {
            unreachable!("64 bytes follow ek")
        };
        Self { dk_pke, ek, h, z }
    }
}

/// ML-KEM.KeyGen_internal, Algorithm 16: the expanded ek, ek, dk.
pub(super) fn keygen<P: ParameterSet, B: Kernels>(
    b: B,
    d: &[u8; 32],
    z: &[u8; 32],
) -> (ExpandedKey<P, B>, P::Ek, Zeroizing<P::Dk>) {
    let mut dk = Zeroizing::new(P::Dk::ZEROED);
    let (dk_pke, rest) = dk.as_mut().split_at_mut(384 * P::K);
    let (expanded, ek) = k_pke::keygen::<P, B>(b, d, dk_pke);
    let (dk_ek, rest) = rest.split_at_mut(P::EK_LEN);
    dk_ek.copy_from_slice(ek.as_ref());
    rest[..32].copy_from_slice(&h(b, ek.as_ref()));
    rest[32..].copy_from_slice(z);
    (expanded, ek, dk)
}

/// ML-KEM.Encaps_internal, Algorithm 17, given H(ek).
pub(super) fn encaps<P: ParameterSet, B: Kernels>(
    b: B,
    ek: &ExpandedKey<P, B>,
    h_ek: &[u8; 32],
    m: &[u8; 32],
) -> (Secret<32>, P::Ct) {
    let (k, r) = g(b, &[m, h_ek]);
    (k, k_pke::encrypt(b, ek, m, r.as_bytes()))
}

/// ML-KEM.Decaps_internal, Algorithm 18, given the expansion of the ek inside dk.
pub(super) fn decaps<P: ParameterSet, B: Kernels>(
    b: B,
    ek: &ExpandedKey<P, B>,
    dk: &P::Dk,
    c: &P::Ct,
) -> Secret<32> {
    let Parts { dk_pke, h, z, .. } = Parts::of::<P>(dk);
    let m = k_pke::decrypt::<P, B>(b, dk_pke, c);
    let (k, r) = g(b, &[m.as_bytes(), h]);
    let mut shared_secret = j(b, z, c.as_ref());
    let c_again = Zeroizing::new(k_pke::encrypt(b, ek, m.as_bytes(), r.as_bytes()));
    // Implicit rejection: K-bar, or K' if the ciphertext is what m encrypts to.
    let equal = ct::equal(c.as_ref(), c_again.as_ref());
    ct::copy_if(equal, shared_secret.as_mut_bytes(), k.as_bytes());
    shared_secret
}

/// The ek inside dk, and its hash, if that is the one beside it: the hash check of section 7.3.
pub(super) fn checked_ek<P: ParameterSet, B: Kernels>(
    b: B,
    dk: &P::Dk,
) -> Result<(P::Ek, [u8; 32]), Error> {
    let ek = ek_of::<P>(dk);
    let h_ek = h(b, ek.as_ref());
    if h_ek != *Parts::of::<P>(dk).h {
        return Err(Error::DecapsulationKeyHash);
    }
    Ok((ek, h_ek))
}

/// The ek inside dk.
pub(super) fn ek_of<P: ParameterSet>(dk: &P::Dk) -> P::Ek {
    let mut ek = P::Ek::ZEROED;
    ek.as_mut().copy_from_slice(Parts::of::<P>(dk).ek);
    ek
}

/// The H(ek) inside dk.
pub(super) fn h_of<P: ParameterSet>(dk: &P::Dk) -> [u8; 32] {
    *Parts::of::<P>(dk).h
}
