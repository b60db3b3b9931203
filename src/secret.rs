//! Secret bytes: zeroized on drop, never printed.

use core::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// `N` secret bytes. Zeroized when dropped; `Debug` shows the length alone.
///
/// There is no `==` on purpose: comparing secrets byte by byte takes a time that tells where they
/// differ.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct Secret<const N: usize>([u8; N]);

impl<const N: usize> Secret<N> {
    /// `N` zero bytes, to be filled through [`Self::as_mut_bytes`].
    #[must_use]
    pub const fn zeroed() -> Self {
        Self([0; N])
    }

    /// The bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; N] {
        &self.0
    }

    /// The bytes, to be written.
    #[must_use]
    pub const fn as_mut_bytes(&mut self) -> &mut [u8; N] {
        &mut self.0
    }
}

/// Copies; the caller's array stays where it was and is the caller's to wipe.
impl<const N: usize> From<&[u8; N]> for Secret<N> {
    fn from(bytes: &[u8; N]) -> Self {
        Self(*bytes)
    }
}

impl<const N: usize> fmt::Debug for Secret<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({N} bytes)")
    }
}
