//! Reading what is left of a damaged payload.

use super::super::aead::TAG_LEN;
use super::random_access::Places;
use super::{CHUNK_LEN, SEALED_CHUNK_LEN};
use crate::Error;
use crate::hybrid::FileKey;
use crate::hybrid::format::MAGIC;
use std::io::{Read, Seek};
use zeroize::Zeroizing;

/// Opens each chunk of a damaged file by itself, and tells what is lost. What it gives is authentic and
/// in its place, but not all that was sealed.
pub struct Salvager<R> {
    places: Places<R>,
    next: u64,
    chunk: Zeroizing<Vec<u8>>,
    /// Whether what comes before the next chunk is.
    intact: bool,
    /// How the payload ends, once its end was reached: as it should if there is none.
    end: Option<Result<(), Error>>,
}

/// A chunk of a damaged file.
#[derive(Debug)]
pub enum Salvaged<'a> {
    /// Its plaintext.
    Intact(&'a [u8]),
    /// It is not authentic, or cannot be read.
    Lost {
        /// Its number, from 0.
        chunk: u64,
        /// Where it begins in the file.
        offset: u64,
        /// Bytes of plaintext that it had.
        len: usize,
    },
}

impl<R: Read + Seek> Salvager<R> {
    /// Begins on a sealed file: `input` is all of it, and stands anywhere.
    ///
    /// # Errors
    /// [`Error::Commitment`], [`Error::Truncated`] if the file ends before its first chunk, [`Error::Read`].
    pub fn new(file_key: &FileKey, input: R) -> Result<Self, Error> {
        Ok(Self {
            places: Places::new(file_key, input)?,
            next: 0,
            chunk: Zeroizing::new(Vec::with_capacity(SEALED_CHUNK_LEN)),
            intact: true,
            end: None,
        })
    }

    /// The next chunk; none after the end of a file of which nothing is missing at the end. Padding is
    /// not taken off.
    ///
    /// # Errors
    /// [`Error::Truncated`], [`Error::LastChunk`], [`Error::TrailingData`]: after all chunks, where the
    /// file does not end as it was sealed; then [`Error::AfterFailure`]. [`Error::TooLong`].
    pub fn next_chunk(&mut self) -> Result<Option<Salvaged<'_>>, Error> {
        match self.end.take() {
            None => {}
            Some(Ok(())) => {
                self.end = Some(Ok(()));
                return Ok(None);
            }
            Some(Err(error)) => {
                self.end = Some(Err(Error::AfterFailure));
                return Err(error);
            }
        }
        let Places { full, rest, .. } = self.places;
        let (chunk, offset) = (self.next, self.places.offset(self.next));
        if chunk == full && rest < TAG_LEN {
            self.end = Some(Err(Error::AfterFailure));
            return Err(self.places.truncated());
        }
        self.next += 1;
        if self.open(chunk, offset)? {
            self.intact = true;
            if chunk == full && self.end.is_none() {
                self.end = Some(Ok(()));
            }
            return Ok(Some(Salvaged::Intact(&self.chunk)));
        }
        self.intact = false;
        if chunk == full {
            self.end = Some(Err(Error::LastChunk { chunk, offset }));
        }
        Ok(Some(Salvaged::Lost {
            chunk,
            offset,
            len: match chunk == full {
                true => rest - TAG_LEN,
                false => CHUNK_LEN,
            },
        }))
    }

    /// Whether a chunk, or a beginning of it as the last one, is authentic.
    fn open(&mut self, number: u64, offset: u64) -> Result<bool, Error> {
        match self.places.read(number, &mut self.chunk) {
            // A bad place on a disk is like a changed chunk.
            Err(Error::Read(_)) => return Ok(false),
            done => done?,
        }
        if self.places.open(number, &mut self.chunk)? {
            return Ok(true);
        }
        // It takes long, and what was added to a file stands behind something intact.
        if !self.intact {
            return Ok(false);
        }
        let Some(len) = self.places.last_chunk_in(number, &self.chunk)? else {
            return Ok(false);
        };
        self.end = Some(Err(Error::TrailingData {
            offset: offset + len as u64,
            another_file: self.chunk[len..].starts_with(&MAGIC),
        }));
        self.chunk.truncate(len);
        self.places.open(number, &mut self.chunk)
    }
}
