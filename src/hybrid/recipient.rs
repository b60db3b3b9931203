//! How a file key reaches its recipients: one HPKE message each, and a mac over the header.

use super::aead::KEY_LEN;
use super::format::{self, Body, Content, Header, SEALED_KEY_LEN, Stanza};
use super::kdf::{hkdf_expand_sha512, hmac_sha512};
use super::keyfile::{KeyId, PublicKey, SecretKey};
use super::passphrase::{self, Passphrase};
use super::{hpke, random};
use crate::kem::{SetId, SharedSecret};
use crate::{Error, Secret};
use hmac::{Hmac, Mac};
use rand::TryCryptoRng;
use sha2::Sha512;
use std::collections::HashMap;

/// The info of the HPKE messages.
const INFO: &[u8] = b"pqbox/1 file key";

/// The key of one file, from which its other keys come. Zeroized when dropped.
#[derive(Clone, Debug)]
pub struct FileKey {
    key: Secret<KEY_LEN>,
    /// Where the payload begins, for the messages about it, and whether its content is padded.
    header_len: u64,
    padded: bool,
}

impl FileKey {
    /// A key for one file: 32 bytes of `rng`.
    ///
    /// # Errors
    /// [`Error::Rng`] if `rng` fails.
    pub fn generate(rng: &mut impl TryCryptoRng) -> Result<Self, Error> {
        Ok(random(rng)?.into())
    }

    pub(super) fn header_len(&self) -> u64 {
        self.header_len
    }

    pub(super) fn padded(&self) -> bool {
        self.padded
    }

    pub(super) fn payload_key(&self) -> Secret<KEY_LEN> {
        self.derive(b"pqbox/1 payload")
    }

    fn header_mac(&self) -> Hmac<Sha512> {
        hmac_sha512(&self.derive(b"pqbox/1 header"))
    }

    fn derive(&self, info: &[u8]) -> Secret<KEY_LEN> {
        let mut key = Secret::zeroed();
        hkdf_expand_sha512(&self.key, &[info], key.as_mut_bytes());
        key
    }
}

impl From<Secret<KEY_LEN>> for FileKey {
    fn from(key: Secret<KEY_LEN>) -> Self {
        Self {
            key,
            header_len: 0,
            padded: false,
        }
    }
}

/// A header that brings the file key to each of `recipients`, once.
///
/// # Errors
/// [`Error::NoRecipient`], [`Error::KeyIdCollision`], [`Error::HeaderLimit`], [`Error::Rng`].
pub(super) fn write_header(
    content: Content,
    recipients: &[PublicKey],
    naming: Naming,
    file_key: &FileKey,
    rng: &mut impl TryCryptoRng,
) -> Result<Vec<u8>, Error> {
    let recipients = distinct(recipients)?;
    let mut header = format::Writer::new(content, recipients.len())?;
    add_stanzas(&mut header, &recipients, naming, file_key, rng)?;
    Ok(finish(header, file_key))
}

/// Whether a header names its recipients by their key ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Naming {
    /// It does: whoever has several keys knows at once which one it takes.
    #[default]
    Named,
    /// It does not, but shows how many there are, and their parameter sets.
    Hidden,
}

/// One for each of `recipients`.
fn add_stanzas(
    header: &mut format::Writer,
    recipients: &[&PublicKey],
    naming: Naming,
    file_key: &FileKey,
    rng: &mut impl TryCryptoRng,
) -> Result<(), Error> {
    let encapsulated = PublicKey::encapsulate_many(recipients, rng)?;
    for (recipient, (shared_secret, enc)) in recipients.iter().zip(encapsulated) {
        let sealed_key = wrap(recipient.set(), &shared_secret, file_key);
        let id = match naming {
            Naming::Named => recipient.id(),
            Naming::Hidden => KeyId::HIDDEN,
        };
        header.stanza(recipient.set(), id, &enc, &sealed_key);
    }
    Ok(())
}

/// A header that brings the file key to whoever knows the passphrase.
///
/// # Errors
/// [`Error::Rng`], [`Error::Memory`].
pub(super) fn write_passphrase_header(
    content: Content,
    passphrase: &[u8],
    file_key: &FileKey,
    rng: &mut impl TryCryptoRng,
) -> Result<Vec<u8>, Error> {
    let mut header = format::Writer::new(content, 1)?;
    header.passphrase(&passphrase::seal(passphrase, &file_key.key, rng)?);
    Ok(finish(header, file_key))
}

/// The header with its mac.
fn finish(header: format::Writer, file_key: &FileKey) -> Vec<u8> {
    let mac = file_key
        .header_mac()
        .chain_update(header.as_bytes())
        .finalize()
        .into_bytes();
    header.finish(mac.first_chunk().expect("32 of 64 bytes"))
}

/// `recipients`, each once, in their order.
fn distinct(recipients: &[PublicKey]) -> Result<Vec<&PublicKey>, Error> {
    let mut seen = HashMap::new();
    let mut distinct = Vec::new();
    for recipient in recipients {
        let id = recipient.id();
        match seen.insert(id, recipient) {
            None => distinct.push(recipient),
            Some(earlier) if earlier == recipient => {}
            Some(_) => return Err(Error::KeyIdCollision(id)),
        }
    }
    Ok(distinct)
}

/// The file key, sealed under the shared secret of an encapsulation.
fn wrap(set: SetId, shared_secret: &SharedSecret, file_key: &FileKey) -> [u8; SEALED_KEY_LEN] {
    let mut message = file_key.key.clone();
    let tag = hpke::seal(
        format::kind(set),
        shared_secret,
        INFO,
        message.as_mut_bytes(),
    );
    let mut sealed_key = [0; SEALED_KEY_LEN];
    let (ciphertext, end) = sealed_key.split_at_mut(KEY_LEN);
    ciphertext.copy_from_slice(message.as_bytes());
    end.copy_from_slice(&tag);
    sealed_key
}

impl Header {
    /// Finds the file key by means of any of `keys`, and authenticates the header with it.
    ///
    /// A key is tried on the stanza that names it, and on every stanza of its kind that names
    /// nobody.
    ///
    /// # Errors
    /// [`Error::NoMatchingKey`] if the file is not sealed to any of them, [`Error::PassphraseNeeded`] if
    /// it takes a passphrase;
    /// [`Error::StanzaAuthentication`] if it names one of them, which does not open its stanza;
    /// [`Error::HeaderAuthentication`] if anything else in the header was changed.
    pub fn unlock(&self, keys: &[SecretKey]) -> Result<FileKey, Error> {
        if self.passphrase().is_some() {
            return Err(Error::PassphraseNeeded);
        }
        let keys: Vec<_> = keys.iter().map(|key| (key.id(), key)).collect();
        let mut unopened = None;
        // The stanzas that name a key first: they cost a decapsulation only where it will do.
        let (named, unnamed): (Vec<_>, Vec<_>) = self
            .stanzas()
            .iter()
            .filter(|stanza| stanza.set().is_some())
            .partition(|stanza| stanza.key_id().is_some());
        for stanza in named.iter().chain(&unnamed) {
            for (id, key) in &keys {
                if !stanza.may_be_for(*id, key) {
                    continue;
                }
                match self.unwrap(stanza, key) {
                    Some(file_key) => return self.authenticate(file_key),
                    None => unopened = unopened.or(stanza.key_id()),
                }
            }
        }
        Err(match unopened {
            Some(id) => Error::StanzaAuthentication(id),
            None => Error::NoMatchingKey {
                wanted: named.iter().filter_map(|stanza| stanza.key_id()).collect(),
                hidden: unnamed.len(),
                tried: keys.iter().map(|(id, _)| *id).collect(),
            },
        })
    }

    /// Finds the file key by means of a passphrase, and authenticates the header with it.
    ///
    /// # Errors
    /// [`Error::WrongPassphrase`], also if the header was changed: were there a difference, a file made
    /// for it would tell much about a passphrase at once. [`Error::NoMatchingKey`] if the file is sealed
    /// to keys. [`Error::PassphraseCost`] if it asks for more work than `passphrase` allows,
    /// [`Error::HeaderMalformed`] if for such that Argon2 has no meaning for, [`Error::Memory`].
    pub fn unlock_by_passphrase(&self, passphrase: Passphrase<'_>) -> Result<FileKey, Error> {
        let Some(body) = self.passphrase() else {
            return self.unlock(&[]);
        };
        let file_key = FileKey::from(passphrase::open(&passphrase, body)?);
        let authentic = self.authenticate(file_key);
        authentic.map_err(|_| Error::WrongPassphrase)
    }

    /// A header for the same payload and other recipients: with the stanzas that are to be kept, as they
    /// are, and new ones for those of `add` who have none that names them. `file_key` is the one that unlocking gave.
    ///
    /// Whoever could open the file before still can, with the file key or an old copy: the payload's key
    /// is the same.
    ///
    /// # Errors
    /// [`Error::NoRecipient`] if nobody is left, [`Error::HeaderMalformed`] if keys would stand beside a
    /// passphrase; [`Error::KeyIdCollision`], [`Error::HeaderLimit`], [`Error::Rng`].
    pub fn rekeyed(
        &self,
        file_key: &FileKey,
        keep: impl Fn(&Stanza) -> bool,
        add: &[PublicKey],
        naming: Naming,
        rng: &mut impl TryCryptoRng,
    ) -> Result<Vec<u8>, Error> {
        let kept: Vec<&Stanza> = self
            .stanzas()
            .iter()
            .filter(|stanza| keep(stanza))
            .collect();
        let has = |key: &PublicKey| {
            let named = |stanza: &&Stanza| stanza.names(key.set(), key.id());
            kept.iter().any(named)
        };
        let mut added = distinct(add)?;
        added.retain(|key| !has(key));
        let keeps_passphrase = self.passphrase().is_some() && !kept.is_empty();
        if keeps_passphrase && !added.is_empty() {
            return Err(Error::HeaderMalformed("a passphrase that is not alone"));
        }
        let mut header = format::Writer::new(self.content(), kept.len() + added.len())?;
        kept.iter().for_each(|stanza| header.copy(self, stanza));
        add_stanzas(&mut header, &added, naming, file_key, rng)?;
        Ok(finish(header, file_key))
    }

    /// The file key in a stanza, if `key` opens it.
    fn unwrap(&self, stanza: &Stanza, key: &SecretKey) -> Option<FileKey> {
        let Body { enc, sealed_key } = self.body(stanza)?;
        let shared_secret = key.decapsulate(enc).ok()?;
        let mut message = Secret::from(sealed_key);
        let opened =
            hpke::open(stanza.kind(), &shared_secret, INFO, message.as_mut_bytes()).ok()?;
        let key: Secret<KEY_LEN> = Secret::from(<&[u8; KEY_LEN]>::try_from(&*opened).ok()?);
        Some(key.into())
    }

    /// Authenticates the header with a file key that is known without it; gives the key back, for
    /// [`Opener`](super::Opener).
    ///
    /// # Errors
    /// [`Error::HeaderAuthentication`].
    pub fn authenticate(&self, file_key: FileKey) -> Result<FileKey, Error> {
        let (bytes, mac) = self.authenticated();
        let file_key = FileKey {
            header_len: self.len(),
            padded: self.content().padded,
            ..file_key
        };
        file_key
            .header_mac()
            .chain_update(bytes)
            .verify_truncated_left(mac)
            .map_err(|_| Error::HeaderAuthentication)?;
        Ok(file_key)
    }
}

impl Stanza {
    fn names(&self, set: SetId, id: KeyId) -> bool {
        self.set() == Some(set) && self.key_id() == Some(id)
    }

    fn may_be_for(&self, id: KeyId, key: &SecretKey) -> bool {
        self.set() == Some(key.set()) && self.key_id().is_none_or(|named| named == id)
    }
}
