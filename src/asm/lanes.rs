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
    /// The `i`-th of eight public constants in every lane. An ISA may have multiplications by one
    /// lane of a register, which do without this.
    #[inline(always)]
    fn splat_of(constants: &[i16; 8], i: usize) -> Self {
        Self::splat(constants[i])
    }
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
    /// Plus `c` in the lanes that are negative: `c` is positive, and no lane is below -`c`.
    #[inline(always)]
    fn add_where_negative(self, c: Self) -> Self {
        self.add(self.where_negative(c))
    }
    /// Plus 1 in the lanes where `x` is above the public constant `bound`: their difference is within
    /// 16 bits.
    #[inline(always)]
    fn increment_where_above(self, x: Self, bound: i16) -> Self {
        let above = Self::splat(bound).sub(x).where_negative(Self::splat(1));
        self.add(above)
    }
    /// By a public constant below 16, modulo 2^16.
    fn shift_left(self, n: usize) -> Self;
    /// Bit by bit.
    fn and(self, rhs: Self) -> Self;
    /// Transposes the 2x2 matrices of blocks: of the blocks a0 a1 a2 a3... and b0 b1 b2 b3..., each
    /// of `BLOCK < WIDTH` lanes, makes a0 b0 a2 b2... and a1 b1 a3 b3... Its own inverse.
    fn transpose<const BLOCK: usize>(a: Self, b: Self) -> (Self, Self);
    /// Of the blocks of `BLOCK < WIDTH` lanes that two vectors hold: the even ones, and the odd ones.
    #[inline(always)]
    fn deinterleave<const BLOCK: usize>(&[a, b]: &[Self; 2]) -> (Self, Self) {
        let pair = transpose_if::<_, 16>(BLOCK <= 16, (a, b));
        let pair = transpose_if::<_, 8>(BLOCK <= 8, pair);
        let pair = transpose_if::<_, 4>(BLOCK <= 4, pair);
        let pair = transpose_if::<_, 2>(BLOCK <= 2, pair);
        transpose_if::<_, 1>(BLOCK <= 1, pair)
    }
    /// The inverse of [`Self::deinterleave`].
    #[inline(always)]
    fn interleave<const BLOCK: usize>(even: Self, odd: Self, pair: &mut [Self; 2]) {
        let [a, b] = pair;
        (*a, *b) = transpose_if::<_, 1>(BLOCK <= 1, (even, odd));
        (*a, *b) = transpose_if::<_, 2>(BLOCK <= 2, (*a, *b));
        (*a, *b) = transpose_if::<_, 4>(BLOCK <= 4, (*a, *b));
        (*a, *b) = transpose_if::<_, 8>(BLOCK <= 8, (*a, *b));
        (*a, *b) = transpose_if::<_, 16>(BLOCK <= 16, (*a, *b));
    }
    /// Has the compiler keep what comes before apart from what comes after: it likes to do one chain
    /// of dependent instructions after the other, where the CPU would rather have them side by side.
    #[inline(always)]
    fn barrier(_: &mut [Self]) {}
    /// Sums of nothing.
    fn zero_wide() -> Self::Wide;
    /// `sum` plus the products; no sum leaves 32 bits.
    fn mul_add_wide(self, rhs: Self, sum: Self::Wide) -> Self::Wide;
    /// Montgomery reduction: x * 2^-16 mod q, of absolute value at most |x| / 2^16 + q/2.
    fn montgomery_reduce(sum: Self::Wide) -> Self;
}

/// [`Lanes::transpose`] if `condition` holds, and there are such blocks.
#[inline(always)]
fn transpose_if<L: Lanes, const BLOCK: usize>(condition: bool, (a, b): (L, L)) -> (L, L) {
    match condition && BLOCK < L::WIDTH {
        true => L::transpose::<BLOCK>(a, b),
        false => (a, b),
    }
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
