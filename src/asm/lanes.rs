//! The vector operations that kernels are written with.
//!
//! A kernel is a generic function over one of these traits, every method of which is one or two
//! instructions and `#[inline(always)]`; it is entered from one function that enables the CPU
//! features. Nothing here says that a lane is an integer, so a proof can run the same kernel over
//! abstract lanes.

/// `WIDTH` coefficients of 16 bits.
pub(crate) trait Lanes: Copy {
    /// How many: a power of two, at most 32.
    const WIDTH: usize;
    /// `WIDTH` sums of 32 bits.
    type Wide: Copy;

    /// The same public constant in every lane.
    fn splat(c: i16) -> Self;
    /// `WIDTH` public constants.
    fn constants(c: &[i16]) -> Self;
    /// Lane by lane, modulo 2^16.
    fn add(self, rhs: Self) -> Self;
    /// Lane by lane, modulo 2^16.
    fn sub(self, rhs: Self) -> Self;
    /// The low 16 bits of the products.
    fn mul_low(self, rhs: Self) -> Self;
    /// `(a * b + 2^14) >> 15`: `sqrdmulh` on Arm, `vpmulhrsw` on x86. No lane has both factors
    /// -2^15.
    fn mul_round_high(self, rhs: Self) -> Self;
    /// `c` in the lanes that are negative, 0 in the others.
    fn where_negative(self, c: Self) -> Self;
    /// Transposes the 2x2 matrices of blocks: of the blocks a0 a1 a2 a3... and b0 b1 b2 b3..., each
    /// of `BLOCK < WIDTH` lanes, makes a0 b0 a2 b2... and a1 b1 a3 b3... Its own inverse.
    fn transpose<const BLOCK: usize>(a: Self, b: Self) -> (Self, Self);
    /// Sums of nothing.
    fn zero_wide() -> Self::Wide;
    /// `sum` plus the products; no sum leaves 32 bits.
    fn mul_add_wide(self, rhs: Self, sum: Self::Wide) -> Self::Wide;
    /// Montgomery reduction: x * 2^-16 mod q, of absolute value at most |x| / 2^16 + q/2.
    fn montgomery_reduce(sum: Self::Wide) -> Self;
}

/// One 64-bit lane of one or more Keccak states: the operations are those of Armv8.2's SHA-3
/// instructions, one or two instructions each on AVX-512.
pub(crate) trait KeccakLanes: Copy {
    /// a ^ b ^ c.
    fn xor3(self, b: Self, c: Self) -> Self;
    /// a ^ rotl(b, 1).
    fn xor_rotated(self, b: Self) -> Self;
    /// rotl(a ^ b, N).
    fn xor_rotate<const N: u32>(self, b: Self) -> Self;
    /// a ^ (!b & c).
    fn xor_clear(self, b: Self, c: Self) -> Self;
    /// a ^ c, a public constant.
    fn xor_constant(self, c: u64) -> Self;
}
