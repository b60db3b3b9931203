//! FIPS 203 section 6: the internal algorithms, with their randomness and the backend as arguments.
//!
//! They are for test vectors, self-tests and protocols that derive keys from seeds. Whoever calls
//! them answers for the randomness; everyone else uses [`super::DecapsulationKey`] and
//! [`super::EncapsulationKey`].

use super::internal;
use super::k_pke::{ExpandedKey, is_canonical};
use super::ml_kem::{Ciphertext, SharedSecret};
use super::params::{ByteArray, ParameterSet};
use crate::asm::dispatch::on;
use crate::{Backend, Error, SecretArray};

/// ML-KEM.KeyGen_internal, Algorithm 16: (ek, dk), dk in the expanded encoding.
#[must_use]
pub fn keygen_internal<P: ParameterSet>(
    backend: Backend,
    d: &[u8; 32],
    z: &[u8; 32],
) -> (P::Ek, SecretArray<P::Dk>) {
    let mut dk = SecretArray::new(P::Dk::ZEROED);
    on!(backend, b => internal::keygen(b, d, z, &mut ExpandedKey::<P, _>::zero(), &mut dk));
    (*internal::ek_of::<P>(&dk), dk)
}

/// ML-KEM.Encaps_internal, Algorithm 17: the shared secret of the message `m`, and its ciphertext.
/// `ek` is not checked: see [`check_ek`].
#[must_use]
pub fn encaps_internal<P: ParameterSet>(
    backend: Backend,
    ek: &P::Ek,
    m: &[u8; 32],
) -> (SharedSecret, Ciphertext<P>) {
    on!(backend, b => {
        let mut expanded = ExpandedKey::<P, _>::zero();
        let (h, _) = internal::expand(b, ek, &mut expanded);
        let mut c = Ciphertext(P::Ct::ZEROED);
        (internal::encaps(b, &expanded, &h, m, &mut c.0), c)
    })
}

/// ML-KEM.Decaps_internal, Algorithm 18. `dk` is not checked: see [`check_dk`].
#[must_use]
pub fn decaps_internal<P: ParameterSet>(backend: Backend, dk: &P::Dk, c: &P::Ct) -> SharedSecret {
    on!(backend, b => internal::decaps_from_bytes::<P, _>(b, dk, c).0)
}

/// The modulus check of section 7.2.
///
/// # Errors
/// [`Error::EncapsulationKeyRange`] if it fails.
pub fn check_ek<P: ParameterSet>(backend: Backend, ek: &P::Ek) -> Result<(), Error> {
    let canonical = on!(backend, b => is_canonical::<P, _>(b, ek));
    canonical.then_some(()).ok_or(Error::EncapsulationKeyRange)
}

/// The hash check of section 7.3.
///
/// # Errors
/// [`Error::DecapsulationKeyHash`] if it fails.
pub fn check_dk<P: ParameterSet>(backend: Backend, dk: &P::Dk) -> Result<(), Error> {
    let matches = on!(backend, b => internal::hash_matches::<P, _>(b, dk));
    matches.then_some(()).ok_or(Error::DecapsulationKeyHash)
}
