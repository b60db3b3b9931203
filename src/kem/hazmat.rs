//! FIPS 203 section 6: the internal algorithms, with their randomness as an argument.
//!
//! They are for test vectors, self-tests and protocols that derive keys from seeds. Whoever calls
//! them answers for the randomness and for the input checks of section 7; everyone else uses
//! [`super::DecapsulationKey`] and [`super::EncapsulationKey`].

use super::ml_kem::{Ciphertext, SharedSecret};
use super::params::{ByteArray, ParameterSet};
use super::spec::{self, Params};
use crate::{Backend, Error};
use zeroize::Zeroizing;

fn arr<A: ByteArray>(b: &[u8]) -> A {
    let mut a = A::ZEROED;
    a.as_mut().copy_from_slice(b);
    a
}

/// ML-KEM.KeyGen_internal, Algorithm 16: (ek, dk), dk in the expanded encoding.
#[must_use]
pub fn keygen_internal<P: ParameterSet>(
    _backend: Backend,
    d: &[u8; 32],
    z: &[u8; 32],
) -> (P::Ek, Zeroizing<P::Dk>) {
    let (ek, dk) = spec::keygen_internal(Params::of::<P>(), d, z);
    (arr(&ek), Zeroizing::new(arr(&dk)))
}

/// ML-KEM.Encaps_internal, Algorithm 17: the shared secret of the message `m`, and its ciphertext.
/// `ek` is not checked.
#[must_use]
pub fn encaps_internal<P: ParameterSet>(
    _backend: Backend,
    ek: &P::Ek,
    m: &[u8; 32],
) -> (SharedSecret, Ciphertext<P>) {
    let (k, c) = spec::encaps_internal(Params::of::<P>(), ek.as_ref(), m);
    (SharedSecret::from(&k), Ciphertext(arr(&c)))
}

/// ML-KEM.Decaps_internal, Algorithm 18. `dk` is not checked.
#[must_use]
pub fn decaps_internal<P: ParameterSet>(_backend: Backend, dk: &P::Dk, c: &P::Ct) -> SharedSecret {
    SharedSecret::from(&spec::decaps_internal(
        Params::of::<P>(),
        dk.as_ref(),
        c.as_ref(),
    ))
}

/// The modulus check of section 7.2.
///
/// # Errors
/// [`Error::EncapsulationKeyRange`] if it fails.
pub fn check_ek<P: ParameterSet>(_backend: Backend, ek: &P::Ek) -> Result<(), Error> {
    spec::check_ek(Params::of::<P>(), ek.as_ref())
        .then_some(())
        .ok_or(Error::EncapsulationKeyRange)
}

/// The hash check of section 7.3.
///
/// # Errors
/// [`Error::DecapsulationKeyHash`] if it fails.
pub fn check_dk<P: ParameterSet>(_backend: Backend, dk: &P::Dk) -> Result<(), Error> {
    spec::check_dk(Params::of::<P>(), dk.as_ref())
        .then_some(())
        .ok_or(Error::DecapsulationKeyHash)
}
