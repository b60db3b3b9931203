//! Writing armor, in the one form that there is to write.

use super::{BEGIN, Base64, END, LINE, LINE_BYTES, PADDED, engine};
use base64::Engine;
use std::io::{self, Write};

/// Bytes that become text together: whole lines, and few enough to stay in a cache.
pub(super) const BLOCK: usize = 2048 * LINE_BYTES;

/// Armors what is written to it: `output` gets text.
///
/// ```
/// use pqbox::hybrid::{self, ArmorWriter, SecretKey};
/// use pqbox::kem::SetId;
///
/// let mut rng = rand::rngs::SysRng;
/// let key = SecretKey::generate(SetId::MlKem768, &mut rng)?;
/// let mut armor = ArmorWriter::new(Vec::new());
/// hybrid::seal(&[key.public_key()], &b"some message"[..], &mut armor, &mut rng)?;
/// let text = armor.finish().expect("a Vec takes everything");
/// assert!(text.starts_with(b"-----BEGIN PQBOX FILE-----\n"));
/// # Ok::<(), pqbox::Error>(())
/// ```
pub struct ArmorWriter<W> {
    output: W,
    engine: Base64,
    /// What waits for the rest of its block.
    block: Vec<u8>,
    base64: Vec<u8>,
    text: Vec<u8>,
}

impl<W: Write> ArmorWriter<W> {
    /// Begins on a text.
    pub fn new(output: W) -> Self {
        Self {
            output,
            engine: engine(PADDED),
            block: Vec::with_capacity(BLOCK),
            base64: vec![0; BLOCK / LINE_BYTES * LINE],
            text: format!("{BEGIN}\n").into(),
        }
    }

    /// Writes what is left of the text. Without this, it has no end.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<W> {
        self.write_block()?;
        writeln!(self.output, "{END}")?;
        self.output.flush()?;
        Ok(self.output)
    }

    fn write_block(&mut self) -> io::Result<()> {
        let len = self
            .engine
            .encode_slice(&self.block, &mut self.base64)
            .expect("there is room for a block");
        self.block.clear();
        let (lines, rest) = self.base64[..len].as_chunks::<LINE>();
        for line in lines {
            self.text.extend_from_slice(line);
            self.text.push(b'\n');
        }
        if !rest.is_empty() {
            self.text.extend_from_slice(rest);
            self.text.push(b'\n');
        }
        self.output.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }
}

impl<W: Write> Write for ArmorWriter<W> {
    /// After an error, what has arrived in the output is not known.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.block.len() == BLOCK {
            self.write_block()?;
        }
        let len = bytes.len().min(BLOCK - self.block.len());
        self.block.extend_from_slice(&bytes[..len]);
        Ok(len)
    }

    /// Flushes the output. What does not fill a block is written by [`Self::finish`] alone.
    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
