//! How a file is sealed, step by step.

use super::format::Content;
use super::keyfile::PublicKey;
use super::payload::{Opener, Sealer};
use super::random;
use super::recipient::{FileKey, Naming, write_header, write_passphrase_header};
use crate::Error;
use rand::TryCryptoRng;
use std::io::Read;

/// How a file is to be sealed.
///
/// ```
/// use pqbox::hybrid::{Content, FileKey, Naming, Sealing, SecretKey};
/// use pqbox::kem::SetId;
///
/// let mut rng = rand::rngs::SysRng;
/// let recipients = [SecretKey::generate(SetId::MlKem768, &mut rng)?.public_key()];
/// let file_key = FileKey::generate(&mut rng)?;
/// let mut sealer = Sealing::to(&recipients)
///     .naming(Naming::Hidden)
///     .content(Content { padded: true, ..Content::default() })
///     .under(&file_key)
///     .begin(&b"some message"[..], &mut rng)?;
/// # while sealer.next_chunk()?.is_some() {}
/// # Ok::<(), pqbox::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Sealing<'a> {
    readers: Readers<'a>,
    naming: Naming,
    content: Content,
    file_key: Option<&'a FileKey>,
}

/// Who can open it.
#[derive(Clone, Copy)]
enum Readers<'a> {
    Keys(&'a [PublicKey]),
    Passphrase(&'a [u8]),
}

impl<'a> Sealing<'a> {
    /// For the owners of these keys. One who is there twice gets one stanza.
    #[must_use]
    pub fn to(recipients: &'a [PublicKey]) -> Self {
        Self::by(Readers::Keys(recipients))
    }

    /// For whoever knows the passphrase.
    #[must_use]
    pub fn by_passphrase(passphrase: &'a [u8]) -> Self {
        Self::by(Readers::Passphrase(passphrase))
    }

    fn by(readers: Readers<'a>) -> Self {
        Self {
            readers,
            naming: Naming::default(),
            content: Content::default(),
            file_key: None,
        }
    }

    /// Whether the header is to name the recipients.
    #[must_use]
    pub fn naming(self, naming: Naming) -> Self {
        Self { naming, ..self }
    }

    /// What the header is to say of the content. Where it says that the content is padded, it is.
    #[must_use]
    pub fn content(self, content: Content) -> Self {
        Self { content, ..self }
    }

    /// Takes a file key of the caller's: who keeps it can open the file.
    #[must_use]
    pub fn under(self, file_key: &'a FileKey) -> Self {
        Self {
            file_key: Some(file_key),
            ..self
        }
    }

    /// Makes the header, and begins on the payload.
    ///
    /// Of `rng`, it takes the file key (32 bytes, unless there is one), then the m of each encapsulation
    /// (32 bytes each, in the recipients' order) or Argon2's salt (16 bytes), and the payload's salt (24
    /// bytes).
    ///
    /// # Errors
    /// [`Error::NoRecipient`]; [`Error::KeyIdCollision`]; [`Error::HeaderLimit`] if there are too
    /// many recipients; [`Error::Memory`] if Argon2 cannot have its 64 MiB; [`Error::Rng`].
    pub fn begin<R: Read>(self, input: R, rng: &mut impl TryCryptoRng) -> Result<Sealer<R>, Error> {
        let new;
        let file_key = match self.file_key {
            Some(file_key) => file_key,
            None => {
                new = FileKey::generate(rng)?;
                &new
            }
        };
        let content = self.content;
        let header = match self.readers {
            Readers::Keys(keys) => write_header(content, keys, self.naming, file_key, rng),
            Readers::Passphrase(words) => write_passphrase_header(content, words, file_key, rng),
        }?;
        let (key, salt) = (file_key.payload_key(), random(rng)?);
        let padded = content.padded;
        Ok(Sealer::payload(
            header,
            &key,
            salt.as_bytes(),
            &[],
            padded,
            input,
        ))
    }
}

impl<R: Read> Sealer<R> {
    /// Seals to `recipients`: [`Sealing`] without anything out of the ordinary.
    ///
    /// # Errors
    /// Those of [`Sealing::begin`].
    pub fn new(
        recipients: &[PublicKey],
        input: R,
        rng: &mut impl TryCryptoRng,
    ) -> Result<Self, Error> {
        Sealing::to(recipients).begin(input, rng)
    }
}

impl<R: Read> Opener<R> {
    /// Begins on a payload: `input` stands just after the header.
    ///
    /// # Errors
    /// [`Error::Commitment`] if the payload is not this file key's, [`Error::Truncated`] if it
    /// ends before the first chunk, [`Error::Read`].
    pub fn new(file_key: FileKey, input: R) -> Result<Self, Error> {
        let key = file_key.payload_key();
        let opener = Self::payload(&key, &[], file_key.header_len(), input)?;
        Ok(opener.padded(file_key.padded()))
    }
}
