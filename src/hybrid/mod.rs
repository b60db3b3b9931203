//! Sealed files: ML-KEM carries a file key to each recipient, AES-256-GCM carries the file.
//! `docs/format.md` is the specification.
//!
//! | what | standard | here |
//! | --- | --- | --- |
//! | header | ours | `hybrid/format.rs`, the grammar; it knows no key |
//! | recipients | HPKE, draft-ietf-hpke-pq | `hybrid/recipient.rs`, `hybrid/hpke.rs` |
//! | passphrases | Argon2id, RFC 9106 | `hybrid/passphrase.rs` |
//! | payload | C2SP chunked-encryption | `hybrid/payload` |
//! | padding | Padmé | `hybrid/padding.rs` |
//! | armor | ours, base64 of RFC 4648 | [`ArmorReader`], [`ArmorWriter`] |
//! | keys on disk | RFC 9935, PKCS#8, SPKI, PBES2 | [`keyfile`] |
//!
//! [`seal`] and [`open`] do it all; [`Sealing`], [`Header`] and [`Opener`] are the same in steps,
//! for callers that have to look at the header, or at what happens between reading and writing.
//! [`RandomAccess`] reads parts of a sealed file, [`Salvager`] what is left of a damaged one.
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
mod padding;
mod passphrase;
mod payload;
mod recipient;
mod sealing;
mod sniff;

pub use armor::{ArmorReader, ArmorWriter};
pub use format::{Content, Header, MAGIC, MAX_BODY_LEN, MAX_HEADER_LEN, MAX_STANZAS, Stanza};
pub use keyfile::{KeyId, PublicKey, SecretKey};
pub use passphrase::Passphrase;
pub use payload::{Opener, RandomAccess, Salvaged, Salvager, Sealer, plaintext_len};
pub use recipient::{FileKey, Naming};
pub use sealing::Sealing;
pub use sniff::sniff;

use crate::{Error, Secret};
use rand::TryCryptoRng;
use std::io::{ErrorKind, IoSliceMut, Read, Write};

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
