//! What GCM is written with: vectors of blocks of 16 bytes.

/// The round keys of AES-256, FIPS 197 section 5.2, each in every block of a vector.
pub(super) type RoundKeys<V> = [V; 15];

/// A vector of [`Self::WIDTH`] blocks. To GHASH, a block is a polynomial over GF(2) whose bit i, of
/// the 128-bit number that its bytes are from the last to the first, is the coefficient of
/// x^(127 - i): [`Self::reversed`] makes a number of them that the CPU can multiply.
pub(super) trait Blocks: Copy {
    /// Blocks in a vector, at most [`MAX_WIDTH`].
    const WIDTH: usize;

    /// Of 16 WIDTH bytes.
    fn load(bytes: &[u8]) -> Self;
    /// To 16 WIDTH bytes.
    fn store(self, bytes: &mut [u8]);
    /// The block in every place.
    fn broadcast(block: &[u8; 16]) -> Self;
    /// The block in the first place, and zeros.
    fn first(block: &[u8; 16]) -> Self;
    fn xor(self, rhs: Self) -> Self;
    /// The bytes of every block from the last to the first.
    fn reversed(self) -> Self;
    /// Adds `n` to the lowest 32 bits of every block, as a number.
    fn count(self, n: u32) -> Self;
    /// The 128-bit product of half A of every block and half B of that of `rhs`; half 0 is the lower.
    fn multiply<const A: u8, const B: u8>(self, rhs: Self) -> Self;
    /// Lower and upper half of every block, exchanged.
    fn swap_halves(self) -> Self;
    /// The exclusive-or of all blocks in the first place, and zeros.
    fn sum(self) -> Self;

    // AES on every block: `start`, then `round` 0 to 12, then `end`. CPUs differ in whether an
    // instruction adds the key of its round or of the next one.
    fn start(self, keys: &RoundKeys<Self>) -> Self;
    fn round(self, keys: &RoundKeys<Self>, i: usize) -> Self;
    fn end(self, keys: &RoundKeys<Self>) -> Self;
    /// FIPS 197's SubWord.
    fn sub_word(word: u32) -> u32;
}

/// The widest vector.
pub(super) const MAX_WIDTH: usize = 4;
