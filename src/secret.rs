//! Secret bytes: zeroized on drop, never printed.

use core::fmt;
use core::ops::{Deref, DerefMut};
use zeroize::{Zeroize, ZeroizeOnDrop};

// Arrays are zeroized as slices: in one sweep, where zeroize's own way with an array is a store for
// each element.

/// `N` secret bytes. Zeroized when dropped; `Debug` shows the length alone.
///
/// There is no `==` on purpose: comparing secrets byte by byte takes a time that tells where they
/// differ.
#[derive(Clone)]
pub struct Secret<const N: usize>([u8; N]);

impl<const N: usize> Zeroize for Secret<N> {
    fn zeroize(&mut self) {
        self.0.as_mut_slice().zeroize();
    }
}

impl<const N: usize> Drop for Secret<N> {
    fn drop(&mut self) {
        self.zeroize();
    }
}

impl<const N: usize> ZeroizeOnDrop for Secret<N> {}

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

/// A secret byte array of a type that only a parameter set knows. Zeroized when dropped; `Debug`
/// shows nothing of it.
#[derive(Clone)]
pub struct SecretArray<A: AsMut<[u8]>>(A);

impl<A: AsMut<[u8]>> SecretArray<A> {
    pub(crate) fn new(array: A) -> Self {
        Self(array)
    }
}

impl<A: AsMut<[u8]>> Drop for SecretArray<A> {
    fn drop(&mut self) {
        self.0.as_mut().zeroize();
    }
}

impl<A: AsMut<[u8]>> ZeroizeOnDrop for SecretArray<A> {}

impl<A: AsMut<[u8]>> Deref for SecretArray<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.0
    }
}

impl<A: AsMut<[u8]>> DerefMut for SecretArray<A> {
    fn deref_mut(&mut self) -> &mut A {
        &mut self.0
    }
}

impl<A: AsMut<[u8]>> fmt::Debug for SecretArray<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretArray")
    }
}
