//! Keys, container.

pub mod keyfile;

pub use keyfile::{KeyId, PublicKey, SecretKey};

use crate::kem::SetId;
use crate::{Error, Secret};
use rand::TryCryptoRng;
use std::io::{Read, Write};

/// What a pqbox file begins with. Any copy that takes it for text damages it visibly.
pub const MAGIC: [u8; 10] = *b"\x89pqbox\r\n\x1a\n";

/// A header: read, not yet authenticated.
#[derive(Debug)]
pub struct Header;

/// What a header says of one recipient.
#[derive(Debug)]
pub struct Stanza;

impl Header {
    /// Reads a header, and not one byte more.
    ///
    /// # Errors
    /// [`Error::NotPqbox`], [`Error::TextDamage`], [`Error::Version`], [`Error::Content`],
    /// [`Error::HeaderTruncated`], [`Error::HeaderLimit`], [`Error::HeaderMalformed`],
    /// [`Error::Read`].
    pub fn read(_input: &mut impl Read) -> Result<Self, Error> {
        todo!()
    }

    /// The version of the format.
    #[must_use]
    pub fn version(&self) -> u8 {
        todo!()
    }

    /// The kind of content.
    #[must_use]
    pub fn content(&self) -> u8 {
        todo!()
    }

    /// Bytes of the header, its mac included: where the payload begins.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a header is never empty")]
    pub fn len(&self) -> u64 {
        todo!()
    }

    /// One for each recipient.
    #[must_use]
    pub fn stanzas(&self) -> &[Stanza] {
        todo!()
    }

    /// Finds the file key by means of any of `keys`, and authenticates the header with it.
    ///
    /// # Errors
    /// [`Error::NoMatchingKey`], [`Error::StanzaAuthentication`], [`Error::HeaderAuthentication`].
    pub fn unlock(&self, _keys: &[SecretKey]) -> Result<FileKey, Error> {
        todo!()
    }
}

impl Stanza {
    /// The type: an HPKE KEM id.
    #[must_use]
    pub fn kind(&self) -> u16 {
        todo!()
    }

    /// The parameter set, where the type is one of ML-KEM.
    #[must_use]
    pub fn set(&self) -> Option<SetId> {
        todo!()
    }

    /// The recipient; none where the type is unknown or the recipient hidden.
    #[must_use]
    pub fn key_id(&self) -> Option<KeyId> {
        todo!()
    }
}

/// The key of one file, out of an authenticated header.
#[derive(Debug)]
pub struct FileKey {
    _key: Secret<32>,
}

/// Seals a stream: lends the sealed file piece by piece.
#[derive(Debug)]
pub struct Sealer<R> {
    _input: R,
}

impl<R: Read> Sealer<R> {
    /// Makes a file key and a header. The same recipient twice gives one stanza.
    ///
    /// # Errors
    /// [`Error::NoRecipient`], [`Error::KeyIdCollision`], [`Error::HeaderLimit`], [`Error::Rng`].
    pub fn new(
        _recipients: &[PublicKey],
        _input: R,
        _rng: &mut impl TryCryptoRng,
    ) -> Result<Self, Error> {
        todo!()
    }

    /// The next piece of the sealed file, the header first; none after the end.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::TooLong`], and [`Error::AfterFailure`] after any other.
    pub fn next_chunk(&mut self) -> Result<Option<&[u8]>, Error> {
        todo!()
    }
}

/// Opens a payload: lends the plaintext piece by piece, each only when it is authentic.
#[derive(Debug)]
pub struct Opener<R> {
    _input: R,
}

impl<R: Read> Opener<R> {
    /// Begins on a payload: `input` stands just after the header.
    ///
    /// # Errors
    /// [`Error::Commitment`], [`Error::Truncated`], [`Error::Read`].
    pub fn new(_file_key: FileKey, _input: R) -> Result<Self, Error> {
        todo!()
    }

    /// The next piece of the plaintext; none after its authenticated end. Until then, what was
    /// lent is authentic but may be only the beginning.
    ///
    /// # Errors
    /// [`Error::ChunkCorrupted`], [`Error::Truncated`], [`Error::LastChunk`],
    /// [`Error::TrailingData`], [`Error::TooLong`], [`Error::Read`], and [`Error::AfterFailure`]
    /// after any other.
    pub fn next_chunk(&mut self) -> Result<Option<&[u8]>, Error> {
        todo!()
    }
}

/// Seals `input` to `recipients`; the bytes written.
///
/// # Errors
/// As [`Sealer`], and [`Error::Write`].
pub fn seal(
    _recipients: &[PublicKey],
    _input: impl Read,
    _output: impl Write,
    _rng: &mut impl TryCryptoRng,
) -> Result<u64, Error> {
    todo!()
}

/// Opens `input` by means of any of `keys`; the bytes written.
///
/// # Errors
/// As [`Header::read`], [`Header::unlock`] and [`Opener`], and [`Error::Write`]. What was written
/// before an error is authentic but incomplete.
pub fn open(_keys: &[SecretKey], _input: impl Read, _output: impl Write) -> Result<u64, Error> {
    todo!()
}

/// The length of what a payload of `payload_len` bytes (the file without its header) holds; none
/// where no payload has that length.
#[must_use]
pub fn plaintext_len(_payload_len: u64) -> Option<u64> {
    todo!()
}

/// What some bytes that are no pqbox file look like by their beginning, for example `an age file`.
#[must_use]
pub fn sniff(_prefix: &[u8]) -> Option<&'static str> {
    todo!()
}
