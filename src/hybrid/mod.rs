//! Sealed files: ML-KEM carries a file key to each recipient, AES-256-GCM carries the file.
//! `docs/format.md` is the specification.
//!
//! | what | standard | here |
//! | --- | --- | --- |
//! | header | ours | `hybrid/format.rs`, the grammar; it knows no key |
//! | recipients | HPKE, draft-ietf-hpke-pq | `hybrid/recipient.rs`, `hybrid/hpke.rs` |
//! | passphrases | Argon2id, RFC 9106 | `hybrid/passphrase.rs` |
//! | payload | C2SP chunked-encryption | `hybrid/payload` |
//! | armor | ours, base64 of RFC 4648 | [`ArmorReader`], [`ArmorWriter`] |
//! | keys on disk | RFC 9935, PKCS#8, SPKI, PBES2 | [`keyfile`] |
//!
//! [`seal`] and [`open`] do it all; [`Sealer`], [`Header`] and [`Opener`] are the same in steps,
//! for callers that have to look at the header, or at what happens between reading and writing.
//!
//! ```
//! use pqbox::hybrid::{self, SecretKey};
//! use pqbox::kem::SetId;
//!
//! let mut rng = rand::rngs::SysRng;
//! let key = SecretKey::generate(SetId::MlKem768, &mut rng)?;
//! let (mut sealed, mut opened) = (Vec::new(), Vec::new());
//! hybrid::seal(&[key.public_key()], &b"some message"[..], &mut sealed, &mut rng)?;
//! hybrid::open(&[key], &sealed[..], &mut opened)?;
//! assert_eq!(opened, b"some message");
//! # Ok::<(), pqbox::Error>(())
//! ```

mod aead;
mod armor;
mod format;
mod hpke;
mod kdf;
pub mod keyfile;
mod passphrase;
mod payload;
mod recipient;
mod sniff;

pub use armor::{ArmorReader, ArmorWriter};
pub use format::{Header, MAGIC, MAX_BODY_LEN, MAX_HEADER_LEN, MAX_STANZAS, Stanza};
pub use keyfile::{KeyId, PublicKey, SecretKey};
pub use passphrase::Passphrase;
pub use payload::{Opener, Sealer, plaintext_len};
pub use recipient::FileKey;
pub use sniff::sniff;

use crate::{Error, Secret};
use rand::TryCryptoRng;
use std::io::{ErrorKind, IoSliceMut, Read, Write};

impl<R: Read> Sealer<R> {
    /// Makes a file key, and a header that brings it to `recipients`. A recipient who is there
    /// twice gets one stanza.
    ///
    /// Of `rng`, it takes the file key (32 bytes), the m of each encapsulation (32 bytes each, in
    /// the recipients' order) and the salt (24 bytes), in this order.
    ///
    /// # Errors
    /// [`Error::NoRecipient`]; [`Error::KeyIdCollision`]; [`Error::HeaderLimit`] if there are too
    /// many recipients; [`Error::Rng`].
    pub fn new(
        recipients: &[PublicKey],
        input: R,
        rng: &mut impl TryCryptoRng,
    ) -> Result<Self, Error> {
        Self::under(&FileKey::generate(rng)?, recipients, input, rng)
    }

    /// The same with a file key of the caller's: who keeps it can open the file without being one of
    /// `recipients`.
    ///
    /// # Errors
    /// Those of [`Self::new`].
    pub fn under(
        file_key: &FileKey,
        recipients: &[PublicKey],
        input: R,
        rng: &mut impl TryCryptoRng,
    ) -> Result<Self, Error> {
        let header = recipient::write_header(recipients, file_key, rng)?;
        Self::begin(header, file_key, input, rng)
    }

    /// Makes a file key, and a header that brings it to whoever knows the passphrase.
    ///
    /// Of `rng`, it takes the file key (32 bytes), Argon2's salt (16 bytes) and the payload's (24
    /// bytes), in this order.
    ///
    /// # Errors
    /// [`Error::Rng`]; [`Error::Memory`] if 64 MiB cannot be had.
    pub fn by_passphrase(
        passphrase: &[u8],
        input: R,
        rng: &mut impl TryCryptoRng,
    ) -> Result<Self, Error> {
        Self::under_by_passphrase(&FileKey::generate(rng)?, passphrase, input, rng)
    }

    /// The same with a file key of the caller's.
    ///
    /// # Errors
    /// Those of [`Self::by_passphrase`].
    pub fn under_by_passphrase(
        file_key: &FileKey,
        passphrase: &[u8],
        input: R,
        rng: &mut impl TryCryptoRng,
    ) -> Result<Self, Error> {
        let header = recipient::write_passphrase_header(passphrase, file_key, rng)?;
        Self::begin(header, file_key, input, rng)
    }

    fn begin(
        header: Vec<u8>,
        file_key: &FileKey,
        input: R,
        rng: &mut impl TryCryptoRng,
    ) -> Result<Self, Error> {
        let (key, salt) = (file_key.payload_key(), random(rng)?);
        Ok(Self::payload(header, &key, salt.as_bytes(), &[], input))
    }
}

impl<R: Read> Opener<R> {
    /// Begins on a payload: `input` stands just after the header.
    ///
    /// # Errors
    /// [`Error::Commitment`] if the payload is not this file key's, [`Error::Truncated`] if it
    /// ends before the first chunk, [`Error::Read`].
    pub fn new(file_key: FileKey, input: R) -> Result<Self, Error> {
        Self::payload(&file_key.payload_key(), &[], file_key.header_len(), input)
    }
}

/// Seals `input` to `recipients`; the bytes written.
///
/// # Errors
/// As [`Sealer`], and [`Error::Write`].
pub fn seal(
    recipients: &[PublicKey],
    input: impl Read,
    mut output: impl Write,
    rng: &mut impl TryCryptoRng,
) -> Result<u64, Error> {
    let mut sealer = Sealer::new(recipients, input, rng)?;
    let mut written = 0;
    while let Some(piece) = sealer.next_chunk()? {
        output.write_all(piece).map_err(Error::Write)?;
        written += piece.len() as u64;
    }
    output.flush().map_err(Error::Write)?;
    Ok(written)
}

/// Opens `input`, armored or not, by means of any of `keys`; the bytes written.
///
/// # Errors
/// As [`ArmorReader`], [`Header::read`], [`Header::unlock`] and [`Opener`], and [`Error::Write`].
/// What was written before an error is authentic, but a beginning only.
pub fn open(keys: &[SecretKey], input: impl Read, mut output: impl Write) -> Result<u64, Error> {
    let mut input = ArmorReader::new(input)?;
    let file_key = Header::read(&mut input)?.unlock(keys)?;
    let mut opener = Opener::new(file_key, input)?;
    let mut written = 0;
    while let Some(piece) = opener.next_chunk()? {
        output.write_all(piece).map_err(Error::Write)?;
        written += piece.len() as u64;
    }
    output.flush().map_err(Error::Write)?;
    Ok(written)
}

/// Whether a file that begins so was sealed, armored or not. 64 bytes are enough to tell.
#[must_use]
pub fn is_sealed(start: &[u8]) -> bool {
    let text = start.trim_ascii_start();
    start.starts_with(&MAGIC) || text.starts_with(armor::BEGIN.as_bytes())
}

/// Reads until `buffer` is full or the input ends; how far it came. A read that was interrupted or
/// that gave less than there was room for goes on.
fn read_full(input: &mut impl Read, buffer: &mut [u8]) -> Result<usize, Error> {
    let (len, end) = read_all_full(input, &mut [IoSliceMut::new(buffer)]);
    end.map(|()| len)
}

/// Likewise until all of several buffers are full. How far it came is known after a failure too.
fn read_all_full(
    input: &mut impl Read,
    mut buffers: &mut [IoSliceMut<'_>],
) -> (usize, Result<(), Error>) {
    let mut len = 0;
    // What is full goes, and what is empty from the start.
    IoSliceMut::advance_slices(&mut buffers, 0);
    while !buffers.is_empty() {
        match input.read_vectored(buffers) {
            Ok(0) => break,
            Ok(more) => {
                len += more;
                IoSliceMut::advance_slices(&mut buffers, more);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return (len, Err(Error::reading(error))),
        }
    }
    (len, Ok(()))
}

/// `N` random bytes.
fn random<const N: usize>(rng: &mut impl TryCryptoRng) -> Result<Secret<N>, Error> {
    let mut bytes = Secret::zeroed();
    rng.try_fill_bytes(bytes.as_mut_bytes())
        .map_err(|_| Error::Rng)?;
    Ok(bytes)
}

/// Whether `a` and `b` are the same, in a time that does not tell where they differ.
fn constant_time_eq(a: &[u8], b: &[u8]) -> bool {
    let differences = a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b));
    // Without the barrier, the optimiser could leave the loop at the first difference.
    a.len() == b.len() && core::hint::black_box(differences) == 0
}
