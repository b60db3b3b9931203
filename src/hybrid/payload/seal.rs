//! Sealing a stream.

use super::super::aead::{KEY_LEN, TAG_LEN};
use super::{CHUNK_LEN, Chunks, PIECE, Room, SEALED_CHUNK_LEN, Salt, State};
use crate::hybrid::padding::Padded;
use crate::hybrid::read_all_full;
use crate::{Error, Secret};
use std::io::{IoSliceMut, Read};
use std::mem;

/// Seals a stream: lends the sealed file piece by piece, in constant memory.
///
/// ```
/// use pqbox::hybrid::{Sealer, SecretKey};
/// use pqbox::kem::SetId;
///
/// let mut rng = rand::rngs::SysRng;
/// let key = SecretKey::generate(SetId::MlKem768, &mut rng)?;
/// let mut sealer = Sealer::new(&[key.public_key()], &b"some message"[..], &mut rng)?;
/// let mut file = Vec::new();
/// while let Some(piece) = sealer.next_chunk()? {
///     file.extend_from_slice(piece);
/// }
/// # Ok::<(), pqbox::Error>(())
/// ```
pub struct Sealer<R> {
    input: Padded<R>,
    chunks: Chunks,
    /// What comes before the first chunk.
    prefix: Vec<u8>,
    /// The chunks that are lent. It holds plaintext while it is being filled.
    piece: Room,
    state: State,
}

impl<R: Read> Sealer<R> {
    /// The payload under `key`, with `header` before it, and padding behind the content where it is to
    /// be `padded`.
    pub(in crate::hybrid) fn payload(
        header: Vec<u8>,
        key: &Secret<KEY_LEN>,
        salt: &Salt,
        context: &[u8],
        padded: bool,
        input: R,
    ) -> Self {
        let (chunks, commitment) = Chunks::derive(key, salt, context);
        let mut prefix = header;
        prefix.extend(salt);
        prefix.extend(commitment);
        Self {
            input: Padded::new(input, padded),
            chunks,
            prefix,
            piece: Room::none(),
            state: State::Prefix,
        }
    }

    /// The next piece of the sealed file, the header first; none after the end.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::TooLong`]; after either, [`Error::AfterFailure`].
    pub fn next_chunk(&mut self) -> Result<Option<&[u8]>, Error> {
        match mem::replace(&mut self.state, State::Failed) {
            State::Prefix => {
                self.state = State::Chunks;
                Ok(Some(&self.prefix))
            }
            State::Chunks => {
                let len = self.fill()?;
                Ok(Some(&self.piece.bytes[..len]))
            }
            State::Ended => {
                self.state = State::Ended;
                Ok(None)
            }
            State::Failed => Err(Error::AfterFailure),
        }
    }

    /// Fills the piece with sealed chunks; how far. Sets the state unless it fails.
    fn fill(&mut self) -> Result<usize, Error> {
        let chunks = self.piece.grow(SEALED_CHUNK_LEN);
        let chunks = chunks.chunks_exact_mut(SEALED_CHUNK_LEN);
        let mut places: Vec<_> = chunks
            .map(|chunk| IoSliceMut::new(&mut chunk[..CHUNK_LEN]))
            .collect();
        let (len, end) = read_all_full(&mut self.input, &mut places);
        self.piece.uses(len + PIECE * TAG_LEN);
        end?;
        let mut filled = 0;
        for (i, chunk) in self
            .piece
            .bytes
            .chunks_exact_mut(SEALED_CHUNK_LEN)
            .enumerate()
        {
            let len = len.saturating_sub(i * CHUNK_LEN).min(CHUNK_LEN);
            self.chunks.seal_next(&mut chunk[..len + TAG_LEN])?;
            filled += len + TAG_LEN;
            if len < CHUNK_LEN {
                self.state = State::Ended;
                return Ok(filled);
            }
        }
        self.state = State::Chunks;
        Ok(filled)
    }
}
