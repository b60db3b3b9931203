//! Keys on disk: RFC 9935 in PEM.

use crate::Error;
use crate::kem::{
    DecapsulationKey, EncapsulationKey, MlKem512, MlKem768, MlKem1024, SetId, SharedSecret,
};
use core::fmt;
use rand::TryCryptoRng;
use zeroize::Zeroizing;

pub use crate::key_id::KeyId;

/// A public key of any parameter set.
#[derive(Clone)]
pub enum PublicKey {
    /// ML-KEM-512
    MlKem512(EncapsulationKey<MlKem512>),
    /// ML-KEM-768
    MlKem768(EncapsulationKey<MlKem768>),
    /// ML-KEM-1024
    MlKem1024(EncapsulationKey<MlKem1024>),
}

/// A secret key of any parameter set.
#[derive(Clone)]
pub enum SecretKey {
    /// ML-KEM-512
    MlKem512(DecapsulationKey<MlKem512>),
    /// ML-KEM-768
    MlKem768(DecapsulationKey<MlKem768>),
    /// ML-KEM-1024
    MlKem1024(DecapsulationKey<MlKem1024>),
}

impl PublicKey {
    /// The parameter set.
    #[must_use]
    pub fn set(&self) -> SetId {
        todo!()
    }

    /// The key id.
    #[must_use]
    pub fn id(&self) -> KeyId {
        todo!()
    }

    /// The key as FIPS 203 encodes it.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        todo!()
    }

    /// Reads `PUBLIC KEY` in PEM.
    ///
    /// # Errors
    /// See the module.
    pub fn from_pem(_text: &[u8]) -> Result<Self, Error> {
        todo!()
    }

    /// `PUBLIC KEY` in PEM.
    #[must_use]
    pub fn to_pem(&self) -> String {
        todo!()
    }

    /// Reads a SubjectPublicKeyInfo.
    ///
    /// # Errors
    /// See the module.
    pub fn from_der(_der: &[u8]) -> Result<Self, Error> {
        todo!()
    }

    /// The SubjectPublicKeyInfo.
    #[must_use]
    pub fn to_der(&self) -> Vec<u8> {
        todo!()
    }

    /// ML-KEM.Encaps, Algorithm 20: a fresh secret, and the ciphertext that carries it.
    ///
    /// # Errors
    /// [`Error::Rng`] if `rng` fails.
    pub fn encapsulate(
        &self,
        _rng: &mut impl TryCryptoRng,
    ) -> Result<(SharedSecret, Vec<u8>), Error> {
        todo!()
    }
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.set() == other.set() && self.as_bytes() == other.as_bytes()
    }
}

impl Eq for PublicKey {}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({}, {})", self.set().name(), self.id())
    }
}

impl SecretKey {
    /// A new key.
    ///
    /// # Errors
    /// [`Error::Rng`] if `rng` fails.
    pub fn generate(_set: SetId, _rng: &mut impl TryCryptoRng) -> Result<Self, Error> {
        todo!()
    }

    /// The parameter set.
    #[must_use]
    pub fn set(&self) -> SetId {
        todo!()
    }

    /// The public half.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        todo!()
    }

    /// The key id, the same as the public half's.
    #[must_use]
    pub fn id(&self) -> KeyId {
        todo!()
    }

    /// Whether there is an encrypted secret key in this text: whether to ask for a passphrase.
    #[must_use]
    pub fn is_encrypted_pem(_text: &[u8]) -> bool {
        todo!()
    }

    /// Reads `PRIVATE KEY`, or `ENCRYPTED PRIVATE KEY` by means of the passphrase. A passphrase
    /// that is not needed is not used.
    ///
    /// # Errors
    /// [`Error::PassphraseNeeded`], [`Error::WrongPassphrase`]; see the module.
    pub fn from_pem(_text: &[u8], _passphrase: Option<&[u8]>) -> Result<Self, Error> {
        todo!()
    }

    /// `PRIVATE KEY` in PEM, in the seed form where the seed is known.
    #[must_use]
    pub fn to_pem(&self) -> Zeroizing<String> {
        todo!()
    }

    /// `ENCRYPTED PRIVATE KEY` in PEM: PBES2, scrypt, AES-256-CBC.
    ///
    /// # Errors
    /// [`Error::Rng`] if `rng` fails.
    pub fn to_encrypted_pem(
        &self,
        _passphrase: &[u8],
        _rng: &mut impl TryCryptoRng,
    ) -> Result<Zeroizing<String>, Error> {
        todo!()
    }

    /// ML-KEM.Decaps, Algorithm 21. A ciphertext that was not made for this key gives a secret
    /// that nobody else knows.
    ///
    /// # Errors
    /// [`Error::Length`] if the ciphertext is not as long as the parameter set says.
    pub fn decapsulate(&self, _ciphertext: &[u8]) -> Result<SharedSecret, Error> {
        todo!()
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey({}, {})", self.set().name(), self.id())
    }
}
