//! Padding, so that a file's length says less: behind the content a byte 0x80, and zeros up to a length
//! of Padmé (Nikitin and others, "Reducing Metadata Leakage from Encrypted Files and Communication with
//! PURBs", 2019).
//!
//! Neither the one who writes it nor the one who reads it has to know the content's length beforehand.

use std::io::{self, IoSliceMut, Read};

/// The first byte of padding.
const MARKER: u8 = 0x80;

/// The least length of Padmé that is not below `len`: one of which the number of significant bits is
/// that of the number of bits in `len`. At most 12 % more, and fewer the longer it is.
const fn padme(len: u64) -> u64 {
    let Some(exponent) = len.checked_ilog2() else {
        return len;
    };
    let significant = match exponent.checked_ilog2() {
        Some(bits) => bits + 1,
        None => return len,
    };
    let mask = (1 << (exponent - significant)) - 1;
    (len + mask) & !mask
}

/// A reader with padding behind what it gives, if wanted.
pub(super) struct Padded<R> {
    inner: R,
    padding: Padding,
}

enum Padding {
    None,
    /// Still to come, behind so many bytes and more.
    After(u64),
    /// So many bytes are left, of which the first is this, and the others are zero.
    Left(u64, u8),
}

impl<R> Padded<R> {
    pub(super) fn new(inner: R, padded: bool) -> Self {
        let padding = match padded {
            true => Padding::After(0),
            false => Padding::None,
        };
        Self { inner, padding }
    }
}

impl<R: Read> Read for Padded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.read_vectored(&mut [IoSliceMut::new(buffer)])
    }

    fn read_vectored(&mut self, buffers: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        if let Padding::None = self.padding {
            return self.inner.read_vectored(buffers);
        }
        if buffers.iter().all(|buffer| buffer.is_empty()) {
            return Ok(0);
        }
        if let Padding::After(len) = &mut self.padding {
            let count = self.inner.read_vectored(buffers)?;
            *len += count as u64;
            if count > 0 {
                return Ok(count);
            }
            self.padding = Padding::Left(padme(*len + 1) - *len, MARKER);
        }
        if let Padding::Left(left, next) = &mut self.padding
            && let Some(buffer) = buffers.iter_mut().find(|buffer| !buffer.is_empty())
            && *left > 0
        {
            let count = (*left).min(buffer.len() as u64) as usize;
            buffer[..count].fill(0);
            buffer[0] = std::mem::take(next);
            *left -= count as u64;
            return Ok(count);
        }
        Ok(0)
    }
}

/// Tells content from the padding behind it. What may be padding is held back until more is known.
#[derive(Default)]
pub(super) struct Unpadder {
    /// Bytes that are held back: a marker, and zeros.
    held: u64,
}

impl Unpadder {
    /// How many bytes that were held back turn out to be content, and how many of `piece` are.
    pub(super) fn take(&mut self, piece: &[u8]) -> (u64, usize) {
        match piece.iter().rposition(|&byte| byte != 0) {
            None if self.held == 0 => (0, piece.len()),
            None => {
                self.held += piece.len() as u64;
                (0, 0)
            }
            Some(last) if piece[last] == MARKER => {
                let held = (piece.len() - last) as u64;
                (std::mem::replace(&mut self.held, held), last)
            }
            Some(_) => (std::mem::take(&mut self.held), piece.len()),
        }
    }

    /// Whether what is held back is the padding, if nothing more comes.
    pub(super) fn is_at_padding(&self) -> bool {
        self.held > 0
    }
}

/// What is held back begins so, and goes on with zeros.
pub(super) static HELD: [u8; 4096] = {
    let mut held = [0; 4096];
    held[0] = MARKER;
    held
};

#[cfg(test)]
mod tests {
    use super::{Padded, Unpadder, padme};
    use std::io::Read;

    /// The paper's own definition, in its words: of a length, the floor of its logarithm gives the
    /// exponent, and the bits that are not significant are rounded up.
    #[test]
    fn lengths() {
        for len in (1_u64..5000).chain([1 << 20, (1 << 20) + 1, (1 << 40) - 1, (1 << 40) + 12_345])
        {
            let padded = padme(len);
            assert!(padded >= len && padme(padded) == padded, "{len}");
            assert!((padded - len) * 100 <= len * 12, "{len}");
            let exponent = 63 - len.leading_zeros();
            let unit = (exponent.max(1) as f64).log2().floor() as u32 + 1;
            let zeros = exponent.saturating_sub(unit);
            assert_eq!(padded % (1 << zeros), 0, "{len}");
            assert!(padded - len < 1 << zeros, "{len}");
        }
        assert_eq!(
            [1, 2, 9, 100, 1000, 1_000_000].map(padme),
            [1, 2, 10, 104, 1024, 1_015_808]
        );
    }

    fn unpad(pieces: &[&[u8]]) -> Option<Vec<u8>> {
        let mut unpadder = Unpadder::default();
        let mut content = Vec::new();
        for piece in pieces {
            let (held, len) = unpadder.take(piece);
            if held > 0 {
                content.push(super::MARKER);
                content.resize(content.len() + held as usize - 1, 0);
            }
            content.extend_from_slice(&piece[..len]);
        }
        unpadder.is_at_padding().then_some(content)
    }

    /// Contents that look like padding, cut into pieces at every place.
    #[test]
    fn padding_is_taken_off_again() {
        let contents: [&[u8]; 9] = [
            b"",
            b"a",
            b"\x80",
            b"\0",
            b"\x80\0\0",
            b"\0\x80",
            b"a\0\0\0b\x80\0c\0",
            b"\0\0\0\0\0\0\0\0",
            &[0x80; 40],
        ];
        for content in contents {
            let mut padded = Vec::new();
            Padded::new(content, true).read_to_end(&mut padded).unwrap();
            assert_eq!(padded.len() as u64, padme(content.len() as u64 + 1));
            for first in 0..=padded.len() {
                for second in first..=padded.len() {
                    let pieces = [&padded[..first], &padded[first..second], &padded[second..]];
                    assert_eq!(unpad(&pieces).as_deref(), Some(content));
                }
            }
            let mut plain = Vec::new();
            Padded::new(content, false).read_to_end(&mut plain).unwrap();
            assert_eq!(plain, content);
        }
        assert_eq!(unpad(&[b"", b"a", b"\0"]), None);
        assert_eq!(unpad(&[b""]), None);
    }
}
