//! The payload: C2SP chunked-encryption (<https://c2sp.org/chunked-encryption>), Cobblestone-256.
//!
//! salt (24) || commitment (32) || chunks. A chunk is 16 KiB of plaintext and a tag; the last one
//! is always shorter and may be empty, so that every proper beginning of a payload is recognised
//! as one.

mod open;
mod random_access;
mod salvage;
mod seal;
#[cfg(test)]
mod tests;

pub use open::Opener;
pub use random_access::RandomAccess;
pub use salvage::{Salvaged, Salvager};
pub use seal::Sealer;

use super::aead::{Aes256Gcm, KEY_LEN, NONCE_LEN, TAG_LEN, Unauthentic};
use super::kdf::hkdf_expand_sha512;
use crate::{Error, Secret};
use zeroize::Zeroize;

/// Bytes of plaintext in every chunk but the last.
pub(super) const CHUNK_LEN: usize = 16 << 10;
/// Bytes of such a chunk in the file.
pub(super) const SEALED_CHUNK_LEN: usize = CHUNK_LEN + TAG_LEN;
/// The number of chunks, and with it the length of a message (4 PiB), has a limit.
const MAX_CHUNKS: u64 = 1 << 38;

const SALT_LEN: usize = 24;
const COMMITMENT_LEN: usize = 32;
/// Bytes before the first chunk.
const PREFIX_LEN: usize = SALT_LEN + COMMITMENT_LEN;

/// The most chunks that are read, worked on and lent together: enough that system calls cost little
/// beside the encryption, few enough to stay in a cache.
const PIECE: usize = 64;

type Salt = [u8; SALT_LEN];
type Commitment = [u8; COMMITMENT_LEN];

/// The cipher of one message, and the number of the chunk that comes next.
struct Chunks {
    cipher: Aes256Gcm,
    base_nonce: Secret<NONCE_LEN>,
    next: u64,
}

impl Chunks {
    /// The cipher of the message under `key` and `salt`, and what commits to it.
    fn derive(key: &Secret<KEY_LEN>, salt: &Salt, context: &[u8]) -> (Self, Commitment) {
        let mut okm = Secret::<{ KEY_LEN + NONCE_LEN + COMMITMENT_LEN }>::zeroed();
        let label = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0";
        hkdf_expand_sha512(key, &[label, salt, context], okm.as_mut_bytes());

        let (mut key, mut base_nonce) = (Secret::zeroed(), Secret::zeroed());
        let mut commitment = [0; COMMITMENT_LEN];
        let (start, rest) = okm.as_bytes().split_at(KEY_LEN);
        key.as_mut_bytes().copy_from_slice(start);
        let (start, rest) = rest.split_at(NONCE_LEN);
        base_nonce.as_mut_bytes().copy_from_slice(start);
        commitment.copy_from_slice(rest);
        let chunks = Self {
            cipher: Aes256Gcm::new(&key),
            base_nonce,
            next: 0,
        };
        (chunks, commitment)
    }

    /// The base nonce, xor the number of the next chunk as a big-endian integer of its width.
    fn nonce(&self) -> Result<[u8; NONCE_LEN], Error> {
        if self.next >= MAX_CHUNKS {
            return Err(Error::TooLong);
        }
        let mut nonce = *self.base_nonce.as_bytes();
        let number = self.next.to_be_bytes();
        for (byte, number) in nonce[NONCE_LEN - number.len()..].iter_mut().zip(number) {
            *byte ^= number;
        }
        Ok(nonce)
    }

    /// Seals the next chunk in place: the plaintext is all of `chunk` but the last 16 bytes, which
    /// become the tag.
    fn seal_next(&mut self, chunk: &mut [u8]) -> Result<(), Error> {
        let (data, tag) = chunk
            .split_last_chunk_mut()
            .expect("the caller leaves room for a tag");
        *tag = self.cipher.seal(&self.nonce()?, data);
        self.next += 1;
        Ok(())
    }

    /// Opens the next chunk in place. Where it is not authentic, nothing has changed.
    fn open_next(
        &mut self,
        data: &mut [u8],
        tag: &[u8; TAG_LEN],
    ) -> Result<Result<(), Unauthentic>, Error> {
        let opened = self.cipher.open(&self.nonce()?, data, tag);
        self.next += u64::from(opened.is_ok());
        Ok(opened)
    }

    /// How much of `chunk`, which does not open, would open as the next and last chunk.
    fn last_chunk_in(&self, chunk: &[u8]) -> Result<Option<usize>, Error> {
        Ok(self.cipher.authentic_beginning(&self.nonce()?, chunk))
    }
}

/// Room for a piece: for one chunk at first, so that a small message takes little, then for more.
/// When it is dropped, as much of it is zeroized as was used.
struct Room {
    bytes: Vec<u8>,
    used: usize,
}

impl Room {
    const fn none() -> Self {
        Self {
            bytes: Vec::new(),
            used: 0,
        }
    }

    /// Room for the next piece, of chunks of `len` bytes: for four times as many as the piece before,
    /// at most for [`PIECE`].
    fn grow(&mut self, len: usize) -> &mut [u8] {
        let wanted = (4 * self.bytes.len()).clamp(len, PIECE * len);
        if wanted > self.bytes.len() {
            *self = Self {
                bytes: vec![0; wanted],
                used: 0,
            };
        }
        &mut self.bytes
    }

    /// To be called when the first `len` bytes may have been written.
    fn uses(&mut self, len: usize) {
        self.used = self.used.max(len.min(self.bytes.len()));
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.bytes[..self.used].zeroize();
    }
}

/// Where a stream stands.
enum State {
    /// The header and what else comes before the first chunk is to be lent.
    Prefix,
    Chunks,
    Ended,
    Failed,
}

/// The length of what a payload of `payload_len` bytes (a sealed file without its header) holds;
/// none where no payload has that length.
#[must_use]
pub fn plaintext_len(payload_len: u64) -> Option<u64> {
    let chunks = payload_len.checked_sub(PREFIX_LEN as u64)?;
    let full = chunks / SEALED_CHUNK_LEN as u64;
    let last = (chunks % SEALED_CHUNK_LEN as u64).checked_sub(TAG_LEN as u64)?;
    (full < MAX_CHUNKS).then_some(full * CHUNK_LEN as u64 + last)
}
