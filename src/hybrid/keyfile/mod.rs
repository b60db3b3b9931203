//! Keys on disk: SubjectPublicKeyInfo and PKCS#8 as RFC 9935 has them, in PEM.
//!
//! Reading is tolerant of what editors, mail and shells do to text, and strict about the DER
//! inside. What can be wrong with a key file is, for every reader here:
//! [`Error::KeyEmpty`], [`Error::NotKey`], [`Error::KeySeveral`], [`Error::KeyIsPublic`] or
//! [`Error::KeyIsSecret`], [`Error::KeyAlgorithm`], [`Error::KeyDamaged`], and, of the key itself,
//! [`Error::Length`], [`Error::EncapsulationKeyRange`], [`Error::DecapsulationKeyHash`],
//! [`Error::KeyPairMismatch`], [`Error::SeedMismatch`].

mod der;
mod pbes2;
mod pem;

use super::passphrase::Passphrase;
use crate::Error;
use crate::kem::{
    self, Ciphertext, DecapsulationKey, EncapsulationKey, MlKem512, MlKem768, MlKem1024, Seed,
    SetId, SharedSecret,
};
use core::fmt;
use pem::{Block, Label};
use rand::TryCryptoRng;
use rand::rngs::SysRng;
use sha3::{Digest, Sha3_256};
use zeroize::Zeroizing;

pub use crate::key_id::KeyId;

/// A public key of any parameter set, with its id.
#[derive(Clone)]
pub struct PublicKey {
    key: AnyPublic,
    id: KeyId,
}

/// Boxed: a parsed key caches what repeats, which is several KiB.
#[derive(Clone)]
enum AnyPublic {
    MlKem512(Box<EncapsulationKey<MlKem512>>),
    MlKem768(Box<EncapsulationKey<MlKem768>>),
    MlKem1024(Box<EncapsulationKey<MlKem1024>>),
}

/// A secret key of any parameter set. `Debug` shows its set and its id.
#[derive(Clone)]
pub enum SecretKey {
    /// ML-KEM-512
    MlKem512(Box<DecapsulationKey<MlKem512>>),
    /// ML-KEM-768
    MlKem768(Box<DecapsulationKey<MlKem768>>),
    /// ML-KEM-1024
    MlKem1024(Box<DecapsulationKey<MlKem1024>>),
}

/// What of a secret key a file has. RFC 9935 section 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretForm {
    /// The 64 bytes from which the key is made.
    Seed,
    /// FIPS 203's dk.
    Expanded,
    /// One after the other.
    Both,
}

/// A secret key as a file.
pub struct Exported(Label, pkcs8::SecretDocument);

impl Exported {
    /// In DER.
    #[must_use]
    pub fn as_der(&self) -> &[u8] {
        self.1.as_bytes()
    }

    /// In PEM.
    #[must_use]
    pub fn to_pem(&self) -> Zeroizing<String> {
        pem::write_secret(self.0, &self.1)
    }
}

/// What a key file holds, by what stands around the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A public key.
    Public,
    /// A secret key.
    Secret,
    /// A secret key that takes a passphrase.
    Encrypted,
}

/// What a key file holds, which is PEM or DER. The key itself is not looked at.
///
/// # Errors
/// See the [module](self).
pub fn kind(file: &[u8]) -> Result<Kind, Error> {
    let any = [Label::Public, Label::Private, Label::Encrypted];
    Ok(match pem::read_any(file, &any)?.label {
        Label::Public => Kind::Public,
        Label::Private => Kind::Secret,
        Label::Encrypted => Kind::Encrypted,
    })
}

/// Where a secret key is.
const SECRET: &[Label] = &[Label::Private, Label::Encrypted];

/// A value of this enum by a parameter set that is known at run time alone.
macro_rules! of_set {
    ($set:expr, $P:ident => $key:expr) => {
        match $set {
            SetId::MlKem512 => {
                type $P = MlKem512;
                Self::MlKem512(Box::new($key))
            }
            SetId::MlKem768 => {
                type $P = MlKem768;
                Self::MlKem768(Box::new($key))
            }
            SetId::MlKem1024 => {
                type $P = MlKem1024;
                Self::MlKem1024(Box::new($key))
            }
        }
    };
}

/// The same for every parameter set.
macro_rules! each_set {
    ($self:expr, $key:ident => $value:expr) => {
        match $self {
            Self::MlKem512($key) => $value,
            Self::MlKem768($key) => $value,
            Self::MlKem1024($key) => $value,
        }
    };
}

impl AnyPublic {
    fn from_bytes(set: SetId, bytes: &[u8]) -> Result<Self, Error> {
        Ok(of_set!(set, P => EncapsulationKey::<P>::try_from(bytes)?))
    }

    fn set(&self) -> SetId {
        match self {
            Self::MlKem512(_) => SetId::MlKem512,
            Self::MlKem768(_) => SetId::MlKem768,
            Self::MlKem1024(_) => SetId::MlKem1024,
        }
    }

    fn as_bytes(&self) -> &[u8] {
        each_set!(self, key => key.as_bytes())
    }

    fn encapsulate(&self, rng: &mut impl TryCryptoRng) -> Result<(SharedSecret, Vec<u8>), Error> {
        each_set!(self, key => {
            let (secret, ciphertext) = key.encapsulate(rng)?;
            Ok((secret, ciphertext.as_bytes().to_vec()))
        })
    }
}

impl PublicKey {
    fn new(key: AnyPublic) -> Self {
        let hash = Sha3_256::digest(der::write_public(key.set(), key.as_bytes()));
        let id = KeyId::from_bytes(core::array::from_fn(|i| hash[i]));
        Self { key, id }
    }

    /// The key that `bytes` encode, FIPS 203 section 7.2.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::EncapsulationKeyRange`].
    pub fn from_bytes(set: SetId, bytes: &[u8]) -> Result<Self, Error> {
        Ok(Self::new(AnyPublic::from_bytes(set, bytes)?))
    }

    /// The parameter set.
    #[must_use]
    pub fn set(&self) -> SetId {
        self.key.set()
    }

    /// The key as FIPS 203 encodes it.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.key.as_bytes()
    }

    /// The key id: the first 8 bytes of SHA3-256 over [`Self::to_der`].
    #[must_use]
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// Reads `PUBLIC KEY` in PEM.
    ///
    /// # Errors
    /// See the [module](self).
    pub fn from_pem(text: &[u8]) -> Result<Self, Error> {
        let block = pem::read(text, &[Label::Public])?;
        Self::from_der(&block.der)
    }

    /// Reads a key file in PEM or in DER.
    ///
    /// # Errors
    /// See the [module](self).
    pub fn from_file(file: &[u8]) -> Result<Self, Error> {
        let block = pem::read_any(file, &[Label::Public])?;
        Self::from_der(&block.der)
    }

    /// `PUBLIC KEY` in PEM.
    #[must_use]
    pub fn to_pem(&self) -> String {
        pem::write(Label::Public, &self.to_der())
    }

    /// Reads a SubjectPublicKeyInfo. RFC 9935 section 4.
    ///
    /// # Errors
    /// See the [module](self).
    pub fn from_der(der: &[u8]) -> Result<Self, Error> {
        let (set, bytes) = der::read_public(der)?;
        Self::from_bytes(set, bytes)
    }

    /// The SubjectPublicKeyInfo.
    #[must_use]
    pub fn to_der(&self) -> Vec<u8> {
        der::write_public(self.set(), self.as_bytes())
    }

    /// ML-KEM.Encaps, FIPS 203 Algorithm 20: a fresh secret, and the ciphertext that carries it.
    ///
    /// # Errors
    /// [`Error::Rng`] if `rng` fails.
    pub fn encapsulate(
        &self,
        rng: &mut impl TryCryptoRng,
    ) -> Result<(SharedSecret, Vec<u8>), Error> {
        self.key.encapsulate(rng)
    }

    /// The same for each of `keys`, in their order, several at a time.
    pub(super) fn encapsulate_many(
        keys: &[&Self],
        rng: &mut impl TryCryptoRng,
    ) -> Result<Vec<(SharedSecret, Vec<u8>)>, Error> {
        let mut results = Vec::with_capacity(keys.len());
        macro_rules! encapsulate {
            ($keys:expr, $Set:ident) => {{
                let keys = $keys.iter().filter_map(|key| match &key.key {
                    AnyPublic::$Set(key) => Some(&**key),
                    _ => None,
                });
                let each = kem::encapsulate_many::<$Set>(keys, rng)?.into_iter();
                results.extend(each.map(|(secret, ct)| (secret, ct.as_bytes().to_vec())));
            }};
        }
        for keys in keys.chunk_by(|a, b| a.set() == b.set()) {
            match keys[0].set() {
                SetId::MlKem512 => encapsulate!(keys, MlKem512),
                SetId::MlKem768 => encapsulate!(keys, MlKem768),
                SetId::MlKem1024 => encapsulate!(keys, MlKem1024),
            }
        }
        Ok(results)
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
    /// A new key, FIPS 203 Algorithm 19.
    ///
    /// # Errors
    /// [`Error::Rng`] if `rng` fails.
    pub fn generate(set: SetId, rng: &mut impl TryCryptoRng) -> Result<Self, Error> {
        Ok(of_set!(set, P => DecapsulationKey::<P>::generate(rng)?))
    }

    /// The key that a seed generates, FIPS 203 Algorithm 16.
    #[must_use]
    pub fn from_seed(set: SetId, seed: &Seed) -> Self {
        of_set!(set, P => DecapsulationKey::<P>::from_seed(seed))
    }

    /// The key in FIPS 203's expanded encoding, with every check that it allows: of its hash
    /// (section 7.3), of the ek in it (section 7.2), and that its halves belong together
    /// (section 7.1). RFC 9935 section 8 asks for them.
    fn from_expanded(set: SetId, bytes: &[u8]) -> Result<Self, Error> {
        Ok(of_set!(set, P => {
            let key = DecapsulationKey::<P>::try_from(bytes)?;
            let ek = EncapsulationKey::try_from(key.encapsulation_key().as_bytes())?;
            kem::check_key_pair(&ek, &key, &mut SysRng)?;
            key
        }))
    }

    /// The key of a seed and of the expanded encoding beside it.
    fn from_both(set: SetId, seed: &Seed, expanded: &[u8]) -> Result<Self, Error> {
        let key = Self::from_seed(set, seed);
        let same = each_set!(&key, key => {
            super::constant_time_eq(key.to_expanded().as_ref(), expanded)
        });
        same.then_some(key).ok_or(Error::SeedMismatch)
    }

    /// The parameter set.
    #[must_use]
    pub fn set(&self) -> SetId {
        match self {
            Self::MlKem512(_) => SetId::MlKem512,
            Self::MlKem768(_) => SetId::MlKem768,
            Self::MlKem1024(_) => SetId::MlKem1024,
        }
    }

    /// The public half.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        PublicKey::new(match self {
            Self::MlKem512(key) => AnyPublic::MlKem512(key.encapsulation_key().clone().into()),
            Self::MlKem768(key) => AnyPublic::MlKem768(key.encapsulation_key().clone().into()),
            Self::MlKem1024(key) => AnyPublic::MlKem1024(key.encapsulation_key().clone().into()),
        })
    }

    /// The key id, which is the public half's.
    #[must_use]
    pub fn id(&self) -> KeyId {
        self.public_key().id()
    }

    /// Reads `PRIVATE KEY`, or `ENCRYPTED PRIVATE KEY` by means of the passphrase. A passphrase
    /// for a key that is not encrypted is not used.
    ///
    /// # Errors
    /// See the [module](self). Of an encrypted key also [`Error::PassphraseNeeded`],
    /// [`Error::WrongPassphrase`], [`Error::PassphraseScheme`], [`Error::PassphraseCost`].
    pub fn from_pem(text: &[u8], passphrase: Option<Passphrase<'_>>) -> Result<Self, Error> {
        Self::from_block(&pem::read(text, SECRET)?, passphrase)
    }

    /// Reads a key file in PEM or in DER.
    ///
    /// # Errors
    /// Those of [`Self::from_pem`].
    pub fn from_file(file: &[u8], passphrase: Option<Passphrase<'_>>) -> Result<Self, Error> {
        Self::from_block(&pem::read_any(file, SECRET)?, passphrase)
    }

    fn from_block(block: &Block, passphrase: Option<Passphrase<'_>>) -> Result<Self, Error> {
        if block.label == Label::Private {
            return Self::from_der(&block.der);
        }
        let passphrase = passphrase.ok_or(Error::PassphraseNeeded)?;
        let der = pbes2::decrypt(&block.der, &passphrase)?;
        Self::from_der(&der)
    }

    /// Reads a PKCS#8 PrivateKeyInfo (OneAsymmetricKey). RFC 9935 section 6: the seed, the
    /// expanded key, or both.
    ///
    /// # Errors
    /// See the [module](self).
    pub fn from_der(der: &[u8]) -> Result<Self, Error> {
        let parts = der::read_secret(der)?;
        let key = match (parts.seed, parts.expanded) {
            (Some(seed), None) => Self::from_seed(parts.set, &seed),
            (None, Some(expanded)) => Self::from_expanded(parts.set, expanded)?,
            (Some(seed), Some(expanded)) => Self::from_both(parts.set, &seed, expanded)?,
            (None, None) => return Err(Error::KeyDamaged("neither a seed nor an expanded key")),
        };
        match parts.public {
            Some(public) if public != key.public_key().as_bytes() => Err(Error::KeyPairMismatch),
            _ => Ok(key),
        }
    }

    /// The form of all that is known: the seed, or the expanded key where no seed is.
    #[must_use]
    pub fn form(&self) -> SecretForm {
        match each_set!(self, key => key.seed().is_some()) {
            true => SecretForm::Seed,
            false => SecretForm::Expanded,
        }
    }

    /// The PKCS#8 PrivateKeyInfo in one of the forms of RFC 9935, section 6.
    fn to_der(&self, form: SecretForm) -> Result<pkcs8::SecretDocument, Error> {
        let set = self.set();
        each_set!(self, key => {
            let seed = || key.seed().ok_or(Error::SeedUnknown);
            Ok(match form {
                SecretForm::Seed => der::write_seed(set, seed()?),
                SecretForm::Expanded => der::write_expanded(set, key.to_expanded().as_ref()),
                SecretForm::Both => der::write_both(set, seed()?, key.to_expanded().as_ref()),
            })
        })
    }

    /// The key as a file, encrypted if there is a passphrase: PBES2 with scrypt and AES-256-CBC.
    ///
    /// # Errors
    /// [`Error::SeedUnknown`] if the form has a seed and the key has none; [`Error::Rng`].
    pub fn export(
        &self,
        form: SecretForm,
        passphrase: Option<&[u8]>,
        rng: &mut impl TryCryptoRng,
    ) -> Result<Exported, Error> {
        let der = self.to_der(form)?;
        Ok(match passphrase {
            None => Exported(Label::Private, der),
            Some(passphrase) => Exported(Label::Encrypted, pbes2::encrypt(&der, passphrase, rng)?),
        })
    }

    /// `PRIVATE KEY` in PEM, in the seed form where the seed is known.
    ///
    /// # Panics
    /// Never: a key has the form that it has.
    #[must_use]
    pub fn to_pem(&self) -> Zeroizing<String> {
        let der = self.to_der(self.form()).expect("the form that it has");
        Exported(Label::Private, der).to_pem()
    }

    /// `ENCRYPTED PRIVATE KEY` in PEM, likewise.
    ///
    /// # Errors
    /// [`Error::Rng`] if `rng` fails.
    pub fn to_encrypted_pem(
        &self,
        passphrase: &[u8],
        rng: &mut impl TryCryptoRng,
    ) -> Result<Zeroizing<String>, Error> {
        let exported = self.export(self.form(), Some(passphrase), rng)?;
        Ok(exported.to_pem())
    }

    /// ML-KEM.Decaps, FIPS 203 Algorithm 21. A ciphertext that was not made for this key gives a
    /// secret that nobody else has (implicit rejection).
    ///
    /// # Errors
    /// [`Error::Length`] if the ciphertext is not as long as the parameter set says.
    pub fn decapsulate(&self, ciphertext: &[u8]) -> Result<SharedSecret, Error> {
        each_set!(self, key => Ok(key.decapsulate(&Ciphertext::try_from(ciphertext)?)))
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey({}, {})", self.set().name(), self.id())
    }
}
