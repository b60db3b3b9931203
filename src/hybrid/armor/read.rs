//! Reading armor, whatever mail programs and editors did to it.

use super::{BEGIN, Base64, END, LINE, UNPADDED, engine};
use crate::Error;
use crate::hybrid::{MAGIC, read_full};
use base64::engine::general_purpose::STANDARD as PADDED;
use base64::{DecodeError, DecodeSliceError, Engine};
use memchr::{memchr, memchr_iter, memmem};
use std::io::{self, IoSliceMut, Read};

/// Bytes that tell a sealed file, and mostly hold its header.
const HEAD: usize = 4 << 10;
/// Bytes among which armor has to begin.
const MAX_BEFORE: usize = 64 << 10;
/// Bytes of text that are read together.
pub(super) const BLOCK: usize = 128 << 10;

/// Reads a sealed file, armored or not: gives its bytes either way.
///
/// Armor may have text around it, and white space anywhere in it. What is wrong with it is an
/// [`io::Error`] with an [`Error::ArmorDamaged`] or [`Error::ArmorTruncated`] inside; the functions
/// of this module that read from here give that one.
pub struct ArmorReader<R> {
    input: R,
    /// Bytes that are to be given before others are read.
    ready: Vec<u8>,
    given: usize,
    armor: Option<Armor>,
}

/// Where a text stands.
struct Armor {
    engine: Base64,
    /// Text that was read and of which nothing was made yet.
    text: Vec<u8>,
    /// Lines that end before it.
    lines: u64,
    /// Base64 of which no bytes were made yet: after a block, one to four characters, since padding
    /// is right in the very last group only.
    base64: Vec<u8>,
    ended: bool,
}

impl<R: Read> ArmorReader<R> {
    /// Looks whether `input` is armored: whether there is a line that begins armor within its first
    /// 64 KiB.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn new(mut input: R) -> Result<Self, Error> {
        let mut head = vec![0; HEAD];
        let mut len = 0;
        while len < MAGIC.len() {
            match input.read(&mut head[len..]) {
                Ok(0) => break,
                Ok(more) => len += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::reading(error)),
            }
        }
        let mut armor = None;
        if !head[..len].starts_with(&MAGIC) {
            head.resize(MAX_BEFORE, 0);
            len += read_full(&mut input, &mut head[len..])?;
            armor = Armor::find(&head[..len]);
        }
        head.truncate(len);
        if armor.is_some() {
            head.clear();
        }
        Ok(Self {
            input,
            ready: head,
            given: 0,
            armor,
        })
    }

    /// Whether the input is armored.
    #[must_use]
    pub fn is_armored(&self) -> bool {
        self.armor.is_some()
    }

    /// The input, of which some was read, and not all of that was given.
    #[must_use]
    pub fn into_inner(self) -> R {
        self.input
    }
}

impl<R: Read> Read for ArmorReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.read_vectored(&mut [IoSliceMut::new(buffer)])
    }

    fn read_vectored(&mut self, buffers: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        if self.given == self.ready.len() {
            self.given = 0;
            self.ready.clear();
            match &mut self.armor {
                None => return self.input.read_vectored(buffers),
                Some(armor) => armor.decode(&mut self.input, &mut self.ready)?,
            }
        }
        let count = (&self.ready[self.given..]).read_vectored(buffers)?;
        self.given += count;
        Ok(count)
    }
}

impl Armor {
    /// The armor that begins in `head`, which is as much as was read.
    fn find(head: &[u8]) -> Option<Self> {
        let start = memmem::find(head, BEGIN.as_bytes())?;
        let (before, text) = head.split_at(start + BEGIN.len());
        Some(Self {
            engine: engine(UNPADDED),
            text: text.to_vec(),
            lines: lines(before),
            base64: Vec::new(),
            ended: false,
        })
    }

    /// Fills `bytes`, which is empty, with those that come next; leaves it empty at the end alone.
    fn decode(&mut self, input: &mut impl Read, bytes: &mut Vec<u8>) -> io::Result<()> {
        while bytes.is_empty() && !self.ended {
            if self.text.is_empty() && self.read(input)? == 0 {
                return Err(io::Error::new(
                    io::ErrorKind::UnexpectedEof,
                    Error::ArmorTruncated,
                ));
            }
            let end = memchr(b'-', &self.text);
            let held = self.base64.len();
            without_white_space(
                &mut self.base64,
                &self.text[..end.unwrap_or(self.text.len())],
            );
            let ready = match end {
                None => self.base64.len().saturating_sub(1) / 4 * 4,
                Some(_) => self.base64.len(),
            };
            bytes.resize(ready.div_ceil(4) * 3, 0);
            let base64 = &self.base64[..ready];
            let decoded = match end {
                None => self.engine.decode_slice(base64, bytes),
                Some(_) => PADDED.decode_slice(base64, bytes),
            };
            let len = decoded.map_err(|error| self.damage(error, held))?;
            bytes.truncate(len);
            self.base64.drain(..ready);
            match end {
                None => self.skip(self.text.len()),
                Some(end) => {
                    self.skip(end);
                    self.end(input)?;
                }
            }
        }
        Ok(())
    }

    /// Reads more text; how much.
    fn read(&mut self, input: &mut impl Read) -> io::Result<usize> {
        let start = self.text.len();
        self.text.resize(start + BLOCK, 0);
        let read = loop {
            match input.read(&mut self.text[start..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.text.truncate(start + *read.as_ref().unwrap_or(&0));
        read
    }

    /// Leaves `len` bytes of text behind.
    fn skip(&mut self, len: usize) {
        self.lines += lines(&self.text[..len]);
        self.text.drain(..len);
    }

    /// Reads the line that ends the armor, and what follows, where no other file may begin: who
    /// pasted two into one would not want to miss the second.
    fn end(&mut self, input: &mut impl Read) -> io::Result<()> {
        while self.text.len() < END.len() && self.read(input)? > 0 {}
        if !self.text.starts_with(END.as_bytes()) {
            return Err(match END.as_bytes().starts_with(&self.text) {
                true => io::Error::new(io::ErrorKind::UnexpectedEof, Error::ArmorTruncated),
                false => self.damaged(0, "a dash that begins no END line"),
            });
        }
        self.skip(END.len());
        loop {
            if let Some(start) = memmem::find(&self.text, BEGIN.as_bytes()) {
                return Err(self.damaged(start, "another sealed file begins"));
            }
            // The line may be cut by what was read so far.
            self.skip(self.text.len().saturating_sub(BEGIN.len() - 1));
            if self.read(input)? == 0 {
                self.ended = true;
                return Ok(());
            }
        }
    }

    /// What is wrong with the base64 that was made of the text, behind `held` characters that were
    /// there before.
    fn damage(&self, error: DecodeSliceError, held: usize) -> io::Error {
        let (index, what) = match error {
            DecodeSliceError::DecodeError(DecodeError::InvalidByte(index, byte)) => (
                index,
                match byte {
                    b'=' => "an equals sign before the end",
                    _ => "a character that is not base64",
                },
            ),
            _ => (self.base64.len(), "base64 that is not complete"),
        };
        let mut characters = (self.text.iter().enumerate())
            .filter(|(_, byte)| !byte.is_ascii_whitespace())
            .map(|(place, _)| place);
        let place = characters.nth(index.saturating_sub(held));
        self.damaged(place.unwrap_or(self.text.len()), what)
    }

    /// `what` is at `place` in the text.
    fn damaged(&self, place: usize, what: &'static str) -> io::Error {
        let line = self.lines + lines(&self.text[..place]) + 1;
        io::Error::new(
            io::ErrorKind::InvalidData,
            Error::ArmorDamaged { line, what },
        )
    }
}

/// The lines that end in `text`.
fn lines(text: &[u8]) -> u64 {
    memchr_iter(b'\n', text).count() as u64
}

/// Adds `text` without its white space.
pub(in crate::hybrid) fn without_white_space(all: &mut Vec<u8>, mut text: &[u8]) {
    all.reserve(text.len());
    loop {
        text = text.trim_ascii_start();
        let word = match text.first_chunk::<LINE>() {
            Some(line) if !has_blank(line) => LINE,
            _ => {
                let end = text.iter().position(u8::is_ascii_whitespace);
                end.unwrap_or(text.len())
            }
        };
        if word == 0 {
            return;
        }
        let (word, rest) = text.split_at(word);
        all.extend_from_slice(word);
        text = rest;
    }
}

/// Whether there is white space in a line, or something else below it. Without a branch for each
/// character: vectors do it.
fn has_blank(line: &[u8; LINE]) -> bool {
    line.iter().fold(false, |any, byte| any | (*byte <= b' '))
}
