//! FIPS 203 section 7: ML-KEM with its input checks. A value of a key type has passed them.

use super::internal;
use super::k_pke::ExpandedKey;
use super::params::{ByteArray, ParameterSet};
use crate::asm::backend::Kernels;
use crate::asm::ct;
use crate::asm::dispatch::{Family, Held, Holds, on, with_held};
use crate::{Backend, Error, Secret, SecretArray};
use core::fmt;
use core::marker::PhantomData;
use rand::TryCryptoRng;

/// The shared secret K.
pub type SharedSecret = Secret<32>;

/// d || z, from which key generation derives everything.
pub type Seed = Secret<64>;

/// A ciphertext of the right length. Any such byte string decapsulates, if only to a secret that
/// nobody else has (implicit rejection).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Ciphertext<P: ParameterSet>(pub(crate) P::Ct);

/// An encapsulation key that has passed the checks of FIPS 203 section 7.2.
///
/// It keeps what every encapsulation repeats: H(ek), and the matrix A as the backend that parsed it
/// lays it out, about 3, 6 or 10 KiB.
#[derive(Clone)]
pub struct EncapsulationKey<P: ParameterSet> {
    bytes: P::Ek,
    pub(super) h: [u8; 32],
    pub(super) expanded: Held<Expanded<P>>,
}

/// Names the type of an expanded key, backend by backend.
#[derive(Clone)]
pub(super) struct Expanded<P>(PhantomData<P>);

impl<P: ParameterSet> Family for Expanded<P> {
    type Of<B: Kernels> = ExpandedKey<P, B>;
}

/// A decapsulation key that has passed the checks of FIPS 203 section 7.3, or that was made here,
/// with its encapsulation key.
#[derive(Clone)]
pub struct DecapsulationKey<P: ParameterSet> {
    seed: Option<Seed>,
    bytes: SecretArray<P::Dk>,
    ek: EncapsulationKey<P>,
}

/// The bytes in place, as an array.
fn array<'a, A: ByteArray>(bytes: &'a [u8], what: &'static str) -> Result<&'a A, Error> {
    A::of(bytes).ok_or(Error::Length {
        what,
        expected: size_of::<A>(),
        got: bytes.len(),
    })
}

pub(super) fn random<const N: usize>(rng: &mut impl TryCryptoRng) -> Result<Secret<N>, Error> {
    let mut bytes = Secret::zeroed();
    rng.try_fill_bytes(bytes.as_mut_bytes())
        .map_err(|_| Error::Rng)?;
    Ok(bytes)
}

impl<P: ParameterSet> EncapsulationKey<P> {
    /// The key as FIPS 203 encodes it, [`ParameterSet::EK_LEN`] bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    /// ML-KEM.Encaps, Algorithm 20: a fresh shared secret, and the ciphertext that carries it.
    ///
    /// # Errors
    /// [`Error::Rng`] if `rng` fails.
    pub fn encapsulate(
        &self,
        rng: &mut impl TryCryptoRng,
    ) -> Result<(SharedSecret, Ciphertext<P>), Error> {
        Ok(self.encaps_internal(random(rng)?.as_bytes()))
    }

    /// Algorithm 17.
    pub(crate) fn encaps_internal(&self, m: &[u8; 32]) -> (SharedSecret, Ciphertext<P>) {
        with_held!(&self.expanded, (b, expanded) => {
            let mut c = Ciphertext(P::Ct::ZEROED);
            (internal::encaps(b, expanded, &self.h, m, &mut c.0), c)
        })
    }

    /// Expands a key, and says whether it passes the modulus check.
    fn expand(bytes: P::Ek) -> (Self, bool) {
        let (h, canonical);
        let expanded = on!(Backend::selected(), b => {
            let mut expanded = ExpandedKey::zero();
            (h, canonical) = internal::expand(b, &bytes, &mut expanded);
            b.hold(expanded)
        });
        (Self { bytes, h, expanded }, canonical)
    }
}

/// # Errors
/// [`Error::Length`], [`Error::EncapsulationKeyRange`]: FIPS 203 section 7.2.
impl<P: ParameterSet> TryFrom<&[u8]> for EncapsulationKey<P> {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        let (key, canonical) = Self::expand(*array(bytes, "encapsulation key")?);
        canonical.then_some(key).ok_or(Error::EncapsulationKeyRange)
    }
}

impl<P: ParameterSet> DecapsulationKey<P> {
    /// ML-KEM.KeyGen, Algorithm 19.
    ///
    /// # Errors
    /// [`Error::Rng`] if `rng` fails.
    pub fn generate(rng: &mut impl TryCryptoRng) -> Result<Self, Error> {
        Ok(Self::from_seed(&random(rng)?))
    }

    /// The key of a seed, Algorithm 16.
    #[must_use]
    pub fn from_seed(seed: &Seed) -> Self {
        Self::from_seed_on(Backend::selected(), seed)
    }

    pub(crate) fn from_seed_on(backend: Backend, seed: &Seed) -> Self {
        let [d, z] = seed.as_bytes().as_chunks().0 else {
            unreachable!("64 bytes")
        };
        let mut bytes = SecretArray::new(P::Dk::ZEROED);
        let expanded = on!(backend, b => {
            let mut expanded = ExpandedKey::zero();
            internal::keygen(b, d, z, &mut expanded, &mut *bytes);
            b.hold(expanded)
        });
        Self::generated(seed, bytes, expanded)
    }

    /// The key that was generated from a seed.
    pub(super) fn generated(
        seed: &Seed,
        bytes: SecretArray<P::Dk>,
        expanded: Held<Expanded<P>>,
    ) -> Self {
        let ek = EncapsulationKey {
            bytes: *internal::ek_of::<P>(&bytes),
            h: *internal::h_of::<P>(&bytes),
            expanded,
        };
        Self {
            seed: Some(seed.clone()),
            bytes,
            ek,
        }
    }

    /// The seed, where the key was made from one. An expanded key has none.
    #[must_use]
    pub fn seed(&self) -> Option<&Seed> {
        self.seed.as_ref()
    }

    /// The key in FIPS 203's expanded encoding, [`ParameterSet::DK_LEN`] bytes.
    #[must_use]
    pub fn to_expanded(&self) -> SecretArray<P::Dk> {
        self.bytes.clone()
    }

    /// The public half.
    #[must_use]
    pub fn encapsulation_key(&self) -> &EncapsulationKey<P> {
        &self.ek
    }

    /// ML-KEM.Decaps, Algorithm 21. A ciphertext that was not made for this key, or was changed,
    /// gives a secret that nobody else knows: nothing tells it from a good one.
    #[must_use]
    pub fn decapsulate(&self, ciphertext: &Ciphertext<P>) -> SharedSecret {
        with_held!(&self.ek.expanded, (b, expanded) => {
            internal::decaps(b, expanded, &self.bytes, &ciphertext.0)
        })
    }
}

/// From FIPS 203's expanded encoding.
///
/// # Errors
/// [`Error::Length`], [`Error::DecapsulationKeyHash`]: FIPS 203 section 7.3.
/// [`Error::EncapsulationKeyRange`]: the ek inside would not pass section 7.2, which no key that
/// FIPS 203 generates does.
impl<P: ParameterSet> TryFrom<&[u8]> for DecapsulationKey<P> {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        let bytes: SecretArray<P::Dk> = SecretArray::new(*array(bytes, "decapsulation key")?);
        let (ek, canonical) = EncapsulationKey::expand(*internal::ek_of::<P>(&bytes));
        if ek.h != *internal::h_of::<P>(&bytes) {
            return Err(Error::DecapsulationKeyHash);
        }
        if !canonical {
            return Err(Error::EncapsulationKeyRange);
        }
        Ok(Self {
            seed: None,
            bytes,
            ek,
        })
    }
}

impl<P: ParameterSet> Ciphertext<P> {
    /// The bytes, [`ParameterSet::CT_LEN`] of them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_ref()
    }
}

/// # Errors
/// [`Error::Length`]: FIPS 203 section 7.3, ciphertext type check.
impl<P: ParameterSet> TryFrom<&[u8]> for Ciphertext<P> {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        array(bytes, "ciphertext").copied().map(Self)
    }
}

/// Encapsulation to a key in bytes: the checks of section 7.2, then Algorithm 20, with nothing
/// cached. For one use of a key; parse it where there are more.
///
/// # Errors
/// As `EncapsulationKey::try_from` and [`EncapsulationKey::encapsulate`].
pub fn encapsulate_bytes<P: ParameterSet>(
    ek: &[u8],
    rng: &mut impl TryCryptoRng,
) -> Result<(SharedSecret, Ciphertext<P>), Error> {
    let ek: &P::Ek = array(ek, "encapsulation key")?;
    let m = random::<32>(rng)?;
    on!(Backend::selected(), b => {
        let mut expanded = ExpandedKey::<P, _>::zero();
        let (h, canonical) = internal::expand(b, ek, &mut expanded);
        if !canonical {
            return Err(Error::EncapsulationKeyRange);
        }
        let mut c = Ciphertext(P::Ct::ZEROED);
        Ok((internal::encaps(b, &expanded, &h, m.as_bytes(), &mut c.0), c))
    })
}

/// Decapsulation with an expanded key in bytes: the checks of section 7.3, then Algorithm 21, with
/// nothing cached.
///
/// # Errors
/// As `DecapsulationKey::try_from` and `Ciphertext::try_from`.
pub fn decapsulate_bytes<P: ParameterSet>(dk: &[u8], c: &[u8]) -> Result<SharedSecret, Error> {
    let (dk, c) = (array(dk, "decapsulation key")?, array(c, "ciphertext")?);
    let (shared_secret, matches, canonical) =
        on!(Backend::selected(), b => internal::decaps_from_bytes::<P, _>(b, dk, c));
    if !matches {
        return Err(Error::DecapsulationKeyHash);
    }
    canonical
        .then_some(shared_secret)
        .ok_or(Error::EncapsulationKeyRange)
}

/// The key-pair check of FIPS 203 section 7.1: a dk with a seed is what the seed generates, ek is
/// the one inside dk, and what ek encapsulates, dk decapsulates.
///
/// # Errors
/// [`Error::KeyPairMismatch`] if they are not a pair, [`Error::Rng`] if `rng` fails.
pub fn check_key_pair<P: ParameterSet>(
    ek: &EncapsulationKey<P>,
    dk: &DecapsulationKey<P>,
    rng: &mut impl TryCryptoRng,
) -> Result<(), Error> {
    let (secret, ciphertext) = ek.encapsulate(rng)?;
    let generated = dk.seed.as_ref().map_or(dk.bytes.clone(), |seed| {
        DecapsulationKey::<P>::from_seed(seed).bytes
    });
    let pair = ct::equal(dk.bytes.as_ref(), generated.as_ref()).is_set()
        && ek.as_bytes() == dk.ek.as_bytes()
        && ct::equal(dk.decapsulate(&ciphertext).as_bytes(), secret.as_bytes()).is_set();
    pair.then_some(()).ok_or(Error::KeyPairMismatch)
}

impl<P: ParameterSet> fmt::Debug for EncapsulationKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EncapsulationKey<{}>", P::NAME)
    }
}

impl<P: ParameterSet> fmt::Debug for DecapsulationKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DecapsulationKey<{}>", P::NAME)
    }
}

impl<P: ParameterSet> fmt::Debug for Ciphertext<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ciphertext<{}>", P::NAME)
    }
}
