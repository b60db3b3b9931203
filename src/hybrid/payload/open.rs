//! Opening a stream, and finding out what is wrong with it.

use super::super::aead::{KEY_LEN, TAG_LEN};
use super::{
    CHUNK_LEN, COMMITMENT_LEN, Chunks, PIECE, PREFIX_LEN, SALT_LEN, SEALED_CHUNK_LEN, State,
};
use crate::hybrid::format::MAGIC;
use crate::hybrid::{constant_time_eq, read_full};
use crate::{Error, Secret};
use std::io::Read;
use std::mem;
use zeroize::Zeroizing;

/// Opens a payload: lends its plaintext piece by piece, each when it is authentic, in constant
/// memory.
pub struct Opener<R> {
    input: R,
    chunks: Chunks,
    /// Where the first chunk lies in the file.
    start: u64,
    /// Plaintext, chunk after chunk. A sealed chunk is read to its place, its tag overlapping the
    /// place of the next one, and opened there: nothing is moved.
    piece: Zeroizing<Vec<u8>>,
    state: State,
    /// What went wrong after the plaintext that is lent: to be told next.
    failure: Option<Error>,
}

impl<R: Read> Opener<R> {
    /// Begins on the payload under `key`, which lies at `offset` in its file.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub(in crate::hybrid) fn payload(
        key: &Secret<KEY_LEN>,
        context: &[u8],
        offset: u64,
        mut input: R,
    ) -> Result<Self, Error> {
        let mut prefix = [0; PREFIX_LEN];
        let len = read_full(&mut input, &mut prefix)?;
        if len < PREFIX_LEN {
            return Err(Error::Truncated {
                chunk: 0,
                offset: offset + len as u64,
            });
        }
        let (salt, commitment) = prefix.split_at(SALT_LEN);
        let salt = salt.try_into().expect("24 bytes");
        let (chunks, expected): (_, [u8; COMMITMENT_LEN]) = Chunks::derive(key, salt, context);
        if !constant_time_eq(&expected, commitment) {
            return Err(Error::Commitment);
        }
        Ok(Self {
            input,
            chunks,
            start: offset + PREFIX_LEN as u64,
            piece: Zeroizing::new(vec![0; PIECE * CHUNK_LEN + TAG_LEN]),
            state: State::Chunks,
            failure: None,
        })
    }

    /// The next piece of the plaintext; none after its end, which is authentic as well. What is
    /// lent before that is authentic, but may be a beginning only.
    ///
    /// # Errors
    /// [`Error::ChunkCorrupted`], [`Error::Truncated`], [`Error::LastChunk`],
    /// [`Error::TrailingData`], [`Error::TooLong`], [`Error::Read`]: after all of the plaintext
    /// before it was lent. After any of them, [`Error::AfterFailure`].
    pub fn next_chunk(&mut self) -> Result<Option<&[u8]>, Error> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        match mem::replace(&mut self.state, State::Failed) {
            State::Prefix | State::Chunks => {
                let mut filled = 0;
                let result = self.fill(&mut filled);
                match (result, filled) {
                    (Err(failure), 0) => return Err(failure),
                    (Err(failure), _) => self.failure = Some(failure),
                    // An empty last chunk has nothing to lend.
                    (Ok(()), 0) => return Ok(None),
                    (Ok(()), _) => {}
                }
                Ok(Some(&self.piece[..filled]))
            }
            State::Ended => {
                self.state = State::Ended;
                Ok(None)
            }
            State::Failed => Err(Error::AfterFailure),
        }
    }

    /// Fills the piece with plaintext, and counts it in `filled`. Sets the state unless it fails.
    fn fill(&mut self, filled: &mut usize) -> Result<(), Error> {
        while *filled < PIECE * CHUNK_LEN {
            let chunk = &mut self.piece[*filled..][..SEALED_CHUNK_LEN];
            let len = read_full(&mut self.input, chunk)?;
            // Nothing, or less than the tag of an empty chunk, is no chunk.
            let data_len = len.checked_sub(TAG_LEN).ok_or_else(|| Error::Truncated {
                chunk: self.chunks.next,
                offset: self.start + self.chunks.next * SEALED_CHUNK_LEN as u64 + len as u64,
            })?;
            if self.chunks.open_next(&mut chunk[..len])?.is_err() {
                return Err(self.diagnose(*filled, len)?);
            }
            *filled += data_len;
            if data_len < CHUNK_LEN {
                self.state = State::Ended;
                return Ok(());
            }
        }
        self.state = State::Chunks;
        Ok(())
    }

    /// What is wrong with the chunk of `len` bytes at `at` in the piece, which is not authentic.
    /// Where a beginning of it is an authentic last chunk, the sealed data is complete and
    /// something follows.
    fn diagnose(&mut self, at: usize, len: usize) -> Result<Error, Error> {
        let chunk = self.chunks.next;
        let offset = self.start + chunk * SEALED_CHUNK_LEN as u64;
        if let Some(last) = self.chunks.last_chunk_in(&self.piece[at..][..len])? {
            return Ok(Error::TrailingData {
                offset: offset + last as u64,
                another_file: self.is_magic(at + last, len - last)?,
            });
        }
        Ok(match len < SEALED_CHUNK_LEN {
            true => Error::LastChunk { chunk, offset },
            false => Error::ChunkCorrupted { chunk, offset },
        })
    }

    /// Whether a pqbox file begins at `at` in the piece, of which `len` bytes have been read.
    fn is_magic(&mut self, at: usize, len: usize) -> Result<bool, Error> {
        let mut start = [0; MAGIC.len()];
        let len = len.min(MAGIC.len());
        start[..len].copy_from_slice(&self.piece[at..][..len]);
        read_full(&mut self.input, &mut start[len..])?;
        Ok(start == MAGIC)
    }
}
