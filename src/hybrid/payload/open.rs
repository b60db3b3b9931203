//! Opening a stream, and finding out what is wrong with it.

use super::super::aead::{KEY_LEN, TAG_LEN};
use super::{
    CHUNK_LEN, COMMITMENT_LEN, Chunks, PIECE, PREFIX_LEN, Room, SALT_LEN, SEALED_CHUNK_LEN, State,
};
use crate::hybrid::format::MAGIC;
use crate::hybrid::padding::{HELD, Unpadder};
use crate::hybrid::{constant_time_eq, read_all_full, read_full};
use crate::{Error, Secret};
use core::ops::Range;
use std::io::{self, IoSliceMut, Read};
use std::mem;

/// Opens a payload: lends its plaintext piece by piece, each when it is authentic, in constant
/// memory. It can also be read, which copies.
pub struct Opener<R> {
    input: R,
    chunks: Chunks,
    /// Where the first chunk lies in the file.
    start: u64,
    /// Plaintext, chunk after chunk. A sealed chunk is read to its place, its tag to another, and
    /// opened there: nothing is moved.
    piece: Room,
    tags: [[u8; TAG_LEN]; PIECE],
    state: State,
    /// What went wrong after the plaintext that is lent: to be told next.
    failure: Option<Error>,
    /// Where padding may follow the content.
    unpadder: Option<Unpadder>,
    /// Bytes that were held back as padding and turned out to be content: to be lent before the piece.
    /// The first of them is a marker, the others are zeros.
    released: Range<u64>,
    /// Content in the piece that was not lent yet: its first bytes.
    ready: usize,
    /// What was lent and has not been read yet.
    unread: Lent,
}

/// A part of the plaintext.
#[derive(Clone)]
enum Lent {
    /// Of what padding looks like.
    Held(Range<usize>),
    /// Of the piece.
    Piece(Range<usize>),
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
        let chunks = begin(key, context, offset, &mut input)?;
        Ok(Self {
            input,
            chunks,
            start: offset + PREFIX_LEN as u64,
            piece: Room::none(),
            tags: [[0; TAG_LEN]; PIECE],
            state: State::Chunks,
            failure: None,
            unpadder: None,
            released: 0..0,
            ready: 0,
            unread: Lent::Piece(0..0),
        })
    }

    /// Takes the padding off, if there is to be one.
    pub(in crate::hybrid) fn padded(self, padded: bool) -> Self {
        Self {
            unpadder: padded.then(Unpadder::default),
            ..self
        }
    }

    /// The next piece of the plaintext; none after its end, which is authentic as well. What is
    /// lent before that is authentic, but may be a beginning only.
    ///
    /// # Errors
    /// [`Error::ChunkCorrupted`], [`Error::Truncated`], [`Error::LastChunk`],
    /// [`Error::TrailingData`], [`Error::TooLong`], [`Error::Padding`], [`Error::Read`]: after all of the
    /// plaintext before it was lent. After any of them, [`Error::AfterFailure`].
    pub fn next_chunk(&mut self) -> Result<Option<&[u8]>, Error> {
        Ok(match self.advance()? {
            Some(lent) => Some(self.lent(&lent)),
            None => None,
        })
    }

    fn lent(&self, lent: &Lent) -> &[u8] {
        match lent {
            Lent::Held(range) => &HELD[range.clone()],
            Lent::Piece(range) => &self.piece.bytes[range.clone()],
        }
    }

    /// The next part of the plaintext; none after its end.
    fn advance(&mut self) -> Result<Option<Lent>, Error> {
        loop {
            if !self.released.is_empty() {
                let start = usize::from(self.released.start > 0);
                let left = self.released.end - self.released.start;
                let count = left.min((HELD.len() - start) as u64);
                self.released.start += count;
                return Ok(Some(Lent::Held(start..start + count as usize)));
            }
            if self.ready > 0 {
                return Ok(Some(Lent::Piece(0..mem::take(&mut self.ready))));
            }
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            match mem::replace(&mut self.state, State::Failed) {
                State::Prefix | State::Chunks => {
                    let mut filled = 0;
                    self.failure = self.fill(&mut filled).err();
                    self.ready = filled;
                    if let Some(unpadder) = &mut self.unpadder {
                        let released;
                        (released, self.ready) = unpadder.take(&self.piece.bytes[..filled]);
                        self.released = 0..released;
                        if matches!(self.state, State::Ended) && !unpadder.is_at_padding() {
                            self.state = State::Failed;
                            self.failure = Some(Error::Padding);
                        }
                    }
                }
                State::Ended => {
                    self.state = State::Ended;
                    return Ok(None);
                }
                State::Failed => return Err(Error::AfterFailure),
            }
        }
    }

    /// Fills the piece with plaintext, and counts it in `filled`. Sets the state unless it fails.
    fn fill(&mut self, filled: &mut usize) -> Result<(), Error> {
        let room = self.piece.grow(CHUNK_LEN);
        let count = room.len() / CHUNK_LEN;
        let mut places = Vec::with_capacity(2 * count);
        for (data, tag) in room.chunks_exact_mut(CHUNK_LEN).zip(&mut self.tags) {
            places.extend([IoSliceMut::new(data), IoSliceMut::new(tag)]);
        }
        let (len, end) = read_all_full(&mut self.input, &mut places);
        self.piece.uses(len);

        for i in 0..count {
            let sealed_len = len
                .saturating_sub(i * SEALED_CHUNK_LEN)
                .min(SEALED_CHUNK_LEN);
            if sealed_len < SEALED_CHUNK_LEN && end.is_err() {
                return end;
            }
            // Nothing, or less than the tag of an empty chunk, is no chunk.
            let data_len = sealed_len
                .checked_sub(TAG_LEN)
                .ok_or_else(|| Error::Truncated {
                    chunk: self.chunks.next,
                    offset: self.chunk_offset() + sealed_len as u64,
                })?;
            let place = &mut self.piece.bytes[i * CHUNK_LEN..][..CHUNK_LEN];
            let tag = tag_after(&place[data_len..], self.tags[i]);
            if self
                .chunks
                .open_next(&mut place[..data_len], &tag)?
                .is_err()
            {
                return Err(self.diagnose(i, len - i * SEALED_CHUNK_LEN)?);
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

    /// What is wrong with chunk `i` of the piece, which is not authentic; with what was read behind
    /// it, it is `len` bytes. Where a beginning of it is an authentic last chunk, the sealed data is
    /// complete and something follows.
    fn diagnose(&mut self, i: usize, len: usize) -> Result<Error, Error> {
        let (places, _) = self.piece.bytes.as_chunks::<CHUNK_LEN>();
        let chunks = places[i..].iter().zip(&self.tags[i..]);
        let sealed: Vec<u8> = chunks
            .flat_map(|(data, tag)| data.iter().chain(tag))
            .copied()
            .take(len)
            .collect();
        let (chunk, offset) = (self.chunks.next, self.chunk_offset());
        let first = &sealed[..len.min(SEALED_CHUNK_LEN)];
        if let Some(last) = self.chunks.last_chunk_in(first)? {
            return Ok(Error::TrailingData {
                offset: offset + last as u64,
                another_file: self.is_magic(&sealed[last..])?,
            });
        }
        Ok(match len < SEALED_CHUNK_LEN {
            true => Error::LastChunk { chunk, offset },
            false => Error::ChunkCorrupted { chunk, offset },
        })
    }

    /// Whether a pqbox file begins with `read` and what follows it in the input.
    fn is_magic(&mut self, read: &[u8]) -> Result<bool, Error> {
        let mut start = [0; MAGIC.len()];
        let len = read.len().min(MAGIC.len());
        start[..len].copy_from_slice(&read[..len]);
        read_full(&mut self.input, &mut start[len..])?;
        Ok(start == MAGIC)
    }

    /// Where the next chunk begins in the file.
    fn chunk_offset(&self) -> u64 {
        self.start + self.chunks.next * SEALED_CHUNK_LEN as u64
    }
}

/// The plaintext. Errors are this library's, inside those of the system: [`Error::reading`] takes them
/// out.
impl<R: Read> Read for Opener<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let (Lent::Held(range) | Lent::Piece(range)) = &self.unread;
            if !range.is_empty() || buffer.is_empty() {
                break;
            }
            match self.advance().map_err(io::Error::other)? {
                Some(lent) => self.unread = lent,
                None => return Ok(0),
            }
        }
        let count = self.lent(&self.unread).read(buffer)?;
        let (Lent::Held(range) | Lent::Piece(range)) = &mut self.unread;
        range.start += count;
        Ok(count)
    }
}

/// Reads what comes before the first chunk: the cipher of the payload under `key`, which lies at
/// `offset` in its file.
///
/// # Errors
/// [`Error::Truncated`], [`Error::Commitment`], [`Error::Read`].
pub(super) fn begin(
    key: &Secret<KEY_LEN>,
    context: &[u8],
    offset: u64,
    input: &mut impl Read,
) -> Result<Chunks, Error> {
    let mut prefix = [0; PREFIX_LEN];
    let len = read_full(input, &mut prefix)?;
    if len < PREFIX_LEN {
        return Err(Error::Truncated {
            chunk: 0,
            offset: offset + len as u64,
        });
    }
    let (salt, commitment) = prefix.split_at(SALT_LEN);
    let salt = salt.try_into().expect("24 bytes");
    let (chunks, expected): (_, [u8; COMMITMENT_LEN]) = Chunks::derive(key, salt, context);
    match constant_time_eq(&expected, commitment) {
        true => Ok(chunks),
        false => Err(Error::Commitment),
    }
}

/// The tag of a chunk that leaves `rest` of its place: as much of the tag as fits there lies there,
/// and `beyond` begins with what does not.
fn tag_after(rest: &[u8], beyond: [u8; TAG_LEN]) -> [u8; TAG_LEN] {
    let mut tag = beyond;
    let here = rest.len().min(TAG_LEN);
    tag.copy_within(..TAG_LEN - here, here);
    tag[..here].copy_from_slice(&rest[..here]);
    tag
}
