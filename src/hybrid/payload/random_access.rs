//! Reading parts of a payload.

use super::super::aead::TAG_LEN;
use super::open::begin;
use super::{CHUNK_LEN, Chunks, PREFIX_LEN, SEALED_CHUNK_LEN};
use crate::Error;
use crate::hybrid::padding::Unpadder;
use crate::hybrid::{FileKey, read_full};
use std::io::{self, Read, Seek, SeekFrom};
use zeroize::Zeroizing;

/// The plaintext of a sealed file, to be read anywhere: [`Read`] and [`Seek`]. Only the chunks that a read
/// needs are read and authenticated, and the last, which authenticates the length.
///
/// Errors of reading are this library's, inside those of the system: [`Error::reading`] takes them out.
///
/// ```
/// use pqbox::hybrid::{self, Header, RandomAccess, SecretKey};
/// use pqbox::kem::SetId;
/// use std::io::{Cursor, Read, Seek, SeekFrom};
///
/// let mut rng = rand::rngs::SysRng;
/// let key = SecretKey::generate(SetId::MlKem768, &mut rng)?;
/// let mut sealed = Vec::new();
/// hybrid::seal(&[key.public_key()], &b"some message"[..], &mut sealed, &mut rng)?;
///
/// let mut file = Cursor::new(sealed);
/// let file_key = Header::read(&mut file)?.unlock(&[key])?;
/// let mut plaintext = RandomAccess::new(file_key, file)?;
/// plaintext.seek(SeekFrom::End(-7)).map_err(pqbox::Error::Read)?;
/// let mut end = String::new();
/// plaintext.read_to_string(&mut end).map_err(pqbox::Error::reading)?;
/// assert_eq!((plaintext.len(), end.as_str()), (12, "message"));
/// # Ok::<(), pqbox::Error>(())
/// ```
pub struct RandomAccess<R> {
    places: Places<R>,
    /// Bytes of content.
    len: u64,
    /// Where the next read begins.
    position: u64,
    /// The chunk that was opened last, and its number.
    chunk: Zeroizing<Vec<u8>>,
    number: u64,
}

impl<R: Read + Seek> RandomAccess<R> {
    /// Begins on a sealed file: `input` is all of it, and stands anywhere.
    ///
    /// # Errors
    /// [`Error::Commitment`] if the payload is not this file key's; [`Error::Truncated`] or
    /// [`Error::LastChunk`] if the file does not end as it was sealed; [`Error::Padding`],
    /// [`Error::ChunkCorrupted`] if it is padded and the padding is damaged; [`Error::TooLong`],
    /// [`Error::Read`].
    pub fn new(file_key: FileKey, input: R) -> Result<Self, Error> {
        let mut places = Places::new(&file_key, input)?;
        let (full, rest) = (places.full, places.rest);
        if rest < TAG_LEN {
            return Err(places.truncated());
        }
        let mut chunk = Zeroizing::new(Vec::with_capacity(SEALED_CHUNK_LEN));
        places.read(full, &mut chunk)?;
        if !places.open(full, &mut chunk)? {
            return Err(Error::LastChunk {
                chunk: full,
                offset: places.offset(full),
            });
        }
        let mut this = Self {
            places,
            len: full * CHUNK_LEN as u64 + chunk.len() as u64,
            position: 0,
            chunk,
            number: full,
        };
        if file_key.padded() {
            this.len = this.unpadded_len()?;
        }
        Ok(this)
    }

    /// Bytes of plaintext, without padding.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Looks for the padding from the end. The last chunk is there.
    fn unpadded_len(&mut self) -> Result<u64, Error> {
        loop {
            if self.chunk.iter().any(|&byte| byte != 0) {
                let mut unpadder = Unpadder::default();
                let (_, len) = unpadder.take(&self.chunk);
                return match unpadder.is_at_padding() {
                    true => Ok(self.number * CHUNK_LEN as u64 + len as u64),
                    false => Err(Error::Padding),
                };
            }
            let before = self.number.checked_sub(1).ok_or(Error::Padding)?;
            self.load(before)?;
        }
    }

    /// Opens a chunk, if it is not the one that is there.
    fn load(&mut self, number: u64) -> Result<(), Error> {
        if number != self.number {
            // Until it is there, none is.
            self.number = u64::MAX;
            self.places.read(number, &mut self.chunk)?;
            if !self.places.open(number, &mut self.chunk)? {
                return Err(Error::ChunkCorrupted {
                    chunk: number,
                    offset: self.places.offset(number),
                });
            }
            self.number = number;
        }
        Ok(())
    }
}

impl<R: Read + Seek> Read for RandomAccess<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.len.saturating_sub(self.position);
        if left == 0 || buffer.is_empty() {
            return Ok(0);
        }
        self.load(self.position / CHUNK_LEN as u64)
            .map_err(io::Error::other)?;
        let start = (self.position % CHUNK_LEN as u64) as usize;
        let count = (&self.chunk[start..]).take(left).read(buffer)?;
        self.position += count as u64;
        Ok(count)
    }
}

impl<R: Read + Seek> Seek for RandomAccess<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::End(distance) => self.len.checked_add_signed(distance),
            SeekFrom::Current(distance) => self.position.checked_add_signed(distance),
        };
        self.position = place.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

/// The chunks of a payload, each at its place.
pub(super) struct Places<R> {
    input: R,
    chunks: Chunks,
    /// Where the first chunk lies in the file.
    start: u64,
    /// How many full chunks there are, and bytes after them.
    pub(super) full: u64,
    pub(super) rest: usize,
}

impl<R: Read + Seek> Places<R> {
    pub(super) fn new(file_key: &FileKey, mut input: R) -> Result<Self, Error> {
        let header_len = file_key.header_len();
        let size = input.seek(SeekFrom::End(0)).map_err(Error::Read)?;
        input
            .seek(SeekFrom::Start(header_len))
            .map_err(Error::Read)?;
        let chunks = begin(&file_key.payload_key(), &[], header_len, &mut input)?;
        let start = header_len + PREFIX_LEN as u64;
        let len = size.saturating_sub(start);
        Ok(Self {
            input,
            chunks,
            start,
            full: len / SEALED_CHUNK_LEN as u64,
            rest: (len % SEALED_CHUNK_LEN as u64) as usize,
        })
    }

    /// Where a chunk begins in the file.
    pub(super) fn offset(&self, number: u64) -> u64 {
        self.start + number * SEALED_CHUNK_LEN as u64
    }

    /// The file ends where another chunk has to follow.
    pub(super) fn truncated(&self) -> Error {
        Error::Truncated {
            chunk: self.full,
            offset: self.offset(self.full) + self.rest as u64,
        }
    }

    /// Reads a chunk as it is.
    pub(super) fn read(&mut self, number: u64, chunk: &mut Vec<u8>) -> Result<(), Error> {
        let len = match number < self.full {
            true => SEALED_CHUNK_LEN,
            false => self.rest,
        };
        let offset = self.offset(number);
        let place = SeekFrom::Start(offset);
        self.input.seek(place).map_err(Error::Read)?;
        chunk.resize(len, 0);
        match read_full(&mut self.input, chunk)? == len {
            true => Ok(()),
            // It has become shorter meanwhile.
            false => Err(Error::Truncated {
                chunk: number,
                offset,
            }),
        }
    }

    /// Opens a chunk that was read: whether it is authentic. If it is not, it stays as it was.
    pub(super) fn open(&mut self, number: u64, chunk: &mut Vec<u8>) -> Result<bool, Error> {
        let Some((data, tag)) = chunk.split_last_chunk_mut() else {
            return Ok(false);
        };
        self.chunks.next = number;
        let (len, opened) = (data.len(), self.chunks.open_next(data, tag)?);
        if opened.is_ok() {
            chunk.truncate(len);
        }
        Ok(opened.is_ok())
    }

    /// How much of `chunk`, which is not authentic, would be as the last one.
    pub(super) fn last_chunk_in(
        &mut self,
        number: u64,
        chunk: &[u8],
    ) -> Result<Option<usize>, Error> {
        self.chunks.next = number;
        self.chunks.last_chunk_in(chunk)
    }
}
