//! A passphrase in the place of recipients, `docs/format.md`: Argon2id (RFC 9106) makes a key of it,
//! which seals the file key.

use super::aead::{Aes256Gcm, KEY_LEN, NONCE_LEN};
use super::format::SEALED_KEY_LEN;
use crate::{Error, Secret};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use rand::TryCryptoRng;
use zeroize::Zeroizing;

const SALT_LEN: usize = 16;
/// Bytes of a stanza: salt, memory, passes, lanes, and the file key, sealed.
pub(super) const BODY_LEN: usize = SALT_LEN + 3 * 4 + SEALED_KEY_LEN;

/// The second recommendation of RFC 9106, section 4: 64 MiB, which a telephone has, too. Fixed, not
/// measured: what is sealed on a fast machine has to be readable on a slow one.
const COST: Cost = Cost {
    memory: 64 << 10,
    passes: 3,
    lanes: 4,
};

// What a file may ask for: 1 GiB and some ten seconds. Whoever writes one could otherwise stop the
// program for hours, before any passphrase is known to be right.

/// KiB.
const MAX_MEMORY: u64 = 1 << 20;
/// KiB, times passes. Written here: a 21st of this.
const MAX_WORK: u64 = 1 << 22;

/// A passphrase, and how much work may be asked for to make a key of it.
///
/// Files and keys that were encrypted by a passphrase say themselves what that takes. Without
/// [`Self::allow`], that is at most some ten seconds and 1 GiB.
#[derive(Clone, Copy)]
pub struct Passphrase<'a> {
    bytes: &'a [u8],
    factor: u32,
}

impl<'a> Passphrase<'a> {
    /// Any bytes, as they are: no encoding is looked at, no form normalised.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, factor: 1 }
    }

    /// Allows `factor` times the work and the memory.
    #[must_use]
    pub fn allow(self, factor: u32) -> Self {
        Self { factor, ..self }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.bytes
    }

    /// # Errors
    /// [`Error::PassphraseCost`] if `got` is more than the `limit` that there is by default, as often
    /// as it is allowed.
    pub(super) fn check(&self, what: &'static str, limit: u64, got: u64) -> Result<(), Error> {
        let limit = limit.saturating_mul(self.factor.into());
        match got > limit {
            true => Err(Error::PassphraseCost { what, limit, got }),
            false => Ok(()),
        }
    }
}

/// Argon2's parameters.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    /// KiB
    pub(super) memory: u32,
    pub(super) passes: u32,
    pub(super) lanes: u32,
}

impl Cost {
    /// Those in a stanza.
    pub(super) fn of(body: &[u8; BODY_LEN]) -> Self {
        let number = |place: usize| {
            let bytes = body[SALT_LEN + 4 * place..].first_chunk();
            u32::from_be_bytes(*bytes.expect("it is in the body"))
        };
        Self {
            memory: number(0),
            passes: number(1),
            lanes: number(2),
        }
    }

    fn to_bytes(self) -> [u8; 12] {
        let numbers = [self.memory, self.passes, self.lanes].map(u32::to_be_bytes);
        *numbers.as_flattened().first_chunk().expect("three fours")
    }

    fn check(self, passphrase: &Passphrase<'_>) -> Result<(), Error> {
        let memory = u64::from(self.memory);
        passphrase.check("KiB of memory for Argon2", MAX_MEMORY, memory)?;
        let work = memory * u64::from(self.passes);
        passphrase.check("KiB to fill for Argon2", MAX_WORK, work)
    }
}

/// A stanza's body: the file key, sealed by the passphrase.
pub(super) fn seal(
    passphrase: &[u8],
    file_key: &Secret<KEY_LEN>,
    rng: &mut impl TryCryptoRng,
) -> Result<[u8; BODY_LEN], Error> {
    let mut body = [0; BODY_LEN];
    let (salt, rest) = body.split_at_mut(SALT_LEN);
    rng.try_fill_bytes(salt).map_err(|_| Error::Rng)?;
    let (cost, sealed_key) = rest.split_at_mut(3 * 4);
    cost.copy_from_slice(&COST.to_bytes());
    let (cipher, nonce) = derive(passphrase, salt, COST)?;
    let mut message = file_key.clone();
    let tag = cipher.seal(&nonce, message.as_mut_bytes());
    let (ciphertext, end) = sealed_key.split_at_mut(KEY_LEN);
    ciphertext.copy_from_slice(message.as_bytes());
    end.copy_from_slice(&tag);
    Ok(body)
}

/// The file key in a stanza's body.
///
/// # Errors
/// [`Error::WrongPassphrase`], [`Error::PassphraseCost`], [`Error::HeaderMalformed`],
/// [`Error::Memory`].
pub(super) fn open(
    passphrase: &Passphrase<'_>,
    body: &[u8; BODY_LEN],
) -> Result<Secret<KEY_LEN>, Error> {
    let cost = Cost::of(body);
    cost.check(passphrase)?;
    let (cipher, nonce) = derive(passphrase.as_bytes(), &body[..SALT_LEN], cost)?;
    let (rest, tag) = body.split_last_chunk().expect("longer than a tag");
    let sealed: &[u8; KEY_LEN] = rest.last_chunk().expect("longer than a key");
    let mut message = Secret::from(sealed);
    let opened = cipher.open(&nonce, message.as_mut_bytes(), tag);
    opened.map_err(|_| Error::WrongPassphrase)?;
    Ok(message)
}

/// The cipher and the nonce for one message.
fn derive(
    passphrase: &[u8],
    salt: &[u8],
    cost: Cost,
) -> Result<(Aes256Gcm, [u8; NONCE_LEN]), Error> {
    const SENSELESS: Error = Error::HeaderMalformed("Argon2 parameters that make no sense");
    let mut okm = Secret::<{ KEY_LEN + NONCE_LEN }>::zeroed();
    let params = Params::new(
        cost.memory,
        cost.passes,
        cost.lanes,
        Some(okm.as_bytes().len()),
    );
    let params = params.map_err(|_| SENSELESS)?;
    let count = params.block_count();
    let mut memory = Zeroizing::new(Vec::new());
    memory
        .try_reserve_exact(count)
        .map_err(|_| Error::Memory((count * Block::SIZE) as u64))?;
    memory.resize(count, Block::new());
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into_with_memory(passphrase, salt, okm.as_mut_bytes(), &mut memory[..])
        .map_err(|_| SENSELESS)?;
    let (key, nonce) = okm.as_bytes().split_at(KEY_LEN);
    let key = Secret::from(<&[u8; KEY_LEN]>::try_from(key).expect("32 bytes"));
    Ok((Aes256Gcm::new(&key), nonce.try_into().expect("12 bytes")))
}
