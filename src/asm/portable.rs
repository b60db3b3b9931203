//! The portable backend: plain Rust, on every CPU.

use super::backend::{Factor, Kernels, NttPoly, Poly, Product, Q, XOF_BLOCK};
use super::keccak::Interleaved;
use super::lanes::{KeccakLanes, Lanes};
use super::{cbd, compress, ct, encode, keccak, multiply, ntt, reduce, sample};

/// The token of the portable backend, which runs everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Portable;

/// Coefficients a vector: of 1, 8, 16 and 32 the quickest here, by 3 to 10 % of a whole operation.
const WIDTH: usize = 16;

/// Keccak states a call.
const STATES: usize = 1;

/// A polynomial as vectors.
fn vectors(f: &[i16; 256]) -> &[[i16; WIDTH]] {
    f.as_chunks().0
}

/// A polynomial as vectors.
fn vectors_mut(f: &mut [i16; 256]) -> &mut [[i16; WIDTH]] {
    f.as_chunks_mut().0
}

impl Kernels for Portable {
    const NAME: &'static str = "portable";

    type KeccakBatch = Interleaved<STATES>;
    type Prepared = ();
    const PREPARED_ZERO: () = ();

    fn detect() -> Option<Self> {
        Some(Self)
    }

    fn keccak_f1600(self, state: &mut [u64; 25]) {
        keccak::keccak_f1600(state);
    }

    fn keccak_f1600_batch(self, states: &mut Self::KeccakBatch) {
        keccak::keccak_f1600(&mut states.0);
    }

    fn ntt(self, f: &Poly, f_hat: &mut NttPoly<Self>) {
        ntt::ntt(vectors(&f.0), vectors_mut(&mut f_hat.0));
    }

    fn inv_ntt(self, f_hat: &Product<Self>, f: &mut Poly) {
        ntt::inv_ntt(vectors(&f_hat.0.0), vectors_mut(&mut f.0));
    }

    fn prepare(self, _: &mut Factor<Self>) {}

    fn multiply_accumulate(
        self,
        terms: &[(&NttPoly<Self>, &Factor<Self>)],
        sum: &mut Product<Self>,
    ) {
        let terms = terms
            .iter()
            .map(|(a, b)| (vectors(&a.0), vectors(&b.f_hat.0)));
        multiply::multiply_accumulate(terms, vectors_mut(&mut sum.0.0));
    }

    fn add_product(self, product: &Product<Self>, e_hat: &NttPoly<Self>, sum: &mut NttPoly<Self>) {
        multiply::add_product(
            vectors(&product.0.0),
            vectors(&e_hat.0),
            vectors_mut(&mut sum.0),
        );
    }

    fn canonicalize(self, f_hat: &mut NttPoly<Self>) {
        for x in vectors_mut(&mut f_hat.0) {
            *x = reduce::canonical(*x);
        }
    }

    fn byte_encode_12(self, f_hat: &NttPoly<Self>, bytes: &mut [u8; 384]) {
        encode::byte_encode::<12>(&f_hat.0, bytes, |x| x as u16);
    }

    fn byte_decode_12(self, bytes: &[u8; 384], f_hat: &mut NttPoly<Self>) -> bool {
        let mut below_q = -1;
        encode::byte_decode::<12>(bytes, &mut f_hat.0, |y| {
            // Below 2^12 < 2q, so one subtraction reduces.
            let x = y as i16 - Q;
            let negative = x >> 15;
            below_q &= negative;
            x + (Q & negative)
        });
        below_q == -1
    }

    fn sample_ntt_vartime(
        self,
        block: &[u8; XOF_BLOCK],
        f_hat: &mut NttPoly<Self>,
        n: usize,
    ) -> usize {
        sample::sample_ntt_vartime(block, &mut f_hat.0, n)
    }

    fn reorder(self, _: &mut NttPoly<Self>) {}

    fn sample_poly_cbd(self, eta: usize, bytes: &[u8], f: &mut Poly) {
        match eta {
            2 => cbd::sample_poly_cbd_2(bytes.try_into().expect("64 eta bytes"), &mut f.0),
            3 => cbd::sample_poly_cbd_3(bytes.try_into().expect("64 eta bytes"), &mut f.0),
            _ => unreachable!("eta is 2 or 3"),
        }
    }

    fn compress(self, d: usize, f: &Poly, bytes: &mut [u8]) {
        match d {
            1 => compress::compress::<1>(&f.0, bytes),
            4 => compress::compress::<4>(&f.0, bytes),
            5 => compress::compress::<5>(&f.0, bytes),
            10 => compress::compress::<10>(&f.0, bytes),
            11 => compress::compress::<11>(&f.0, bytes),
            _ => unreachable!("d is 1, 4, 5, 10 or 11"),
        }
    }

    fn decompress(self, d: usize, bytes: &[u8], f: &mut Poly) {
        match d {
            1 => compress::decompress::<1>(bytes, &mut f.0),
            4 => compress::decompress::<4>(bytes, &mut f.0),
            5 => compress::decompress::<5>(bytes, &mut f.0),
            10 => compress::decompress::<10>(bytes, &mut f.0),
            11 => compress::decompress::<11>(bytes, &mut f.0),
            _ => unreachable!("d is 1, 4, 5, 10 or 11"),
        }
    }

    fn add(self, f: &mut Poly, g: &Poly) {
        for (f, g) in f.0.iter_mut().zip(&g.0) {
            *f = f.wrapping_add(*g);
        }
    }

    fn sub(self, f: &mut Poly, g: &Poly) {
        for (f, g) in f.0.iter_mut().zip(&g.0) {
            *f = f.wrapping_sub(*g);
        }
    }
}

/// Lanes that the compiler puts into whatever vectors it has.
impl<const N: usize> Lanes for [i16; N] {
    const WIDTH: usize = N;
    type Wide = [i32; N];

    #[inline(always)]
    fn splat(c: i16) -> Self {
        [c; N]
    }

    #[inline(always)]
    fn constants(c: &[i16]) -> Self {
        core::array::from_fn(|i| c[i])
    }

    #[inline(always)]
    fn add(self, rhs: Self) -> Self {
        core::array::from_fn(|i| self[i].wrapping_add(rhs[i]))
    }

    #[inline(always)]
    fn sub(self, rhs: Self) -> Self {
        core::array::from_fn(|i| self[i].wrapping_sub(rhs[i]))
    }

    #[inline(always)]
    fn mul_low(self, rhs: Self) -> Self {
        core::array::from_fn(|i| self[i].wrapping_mul(rhs[i]))
    }

    #[inline(always)]
    fn mul_round_high(self, rhs: Self) -> Self {
        core::array::from_fn(|i| {
            ((i32::from(self[i]) * i32::from(rhs[i]) + (1 << 14)) >> 15) as i16
        })
    }

    #[inline(always)]
    fn where_negative(self, c: Self) -> Self {
        core::array::from_fn(|i| c[i] & (self[i] >> 15))
    }

    #[inline(always)]
    fn shift_left(self, n: usize) -> Self {
        self.map(|x| x << n)
    }

    #[inline(always)]
    fn and(self, rhs: Self) -> Self {
        core::array::from_fn(|i| self[i] & rhs[i])
    }

    #[inline(always)]
    fn transpose<const BLOCK: usize>(a: Self, b: Self) -> (Self, Self) {
        (
            core::array::from_fn(|i| if i & BLOCK == 0 { a[i] } else { b[i - BLOCK] }),
            core::array::from_fn(|i| if i & BLOCK == 0 { a[i + BLOCK] } else { b[i] }),
        )
    }

    #[inline(always)]
    fn deinterleave<const BLOCK: usize>(pair: &[Self; 2]) -> (Self, Self) {
        let lanes = pair.as_flattened();
        let place = |i: usize| (i & !(BLOCK - 1)) + i;
        (
            core::array::from_fn(|i| lanes[place(i)]),
            core::array::from_fn(|i| lanes[place(i) + BLOCK]),
        )
    }

    #[inline(always)]
    fn interleave<const BLOCK: usize>(even: Self, odd: Self, pair: &mut [Self; 2]) {
        let lanes = pair.as_flattened_mut();
        for i in 0..N {
            let place = (i & !(BLOCK - 1)) + i;
            lanes[place] = even[i];
            lanes[place + BLOCK] = odd[i];
        }
    }

    #[inline(always)]
    fn zero_wide() -> Self::Wide {
        [0; N]
    }

    #[inline(always)]
    fn mul_add_wide(self, rhs: Self, sum: Self::Wide) -> Self::Wide {
        core::array::from_fn(|i| sum[i] + i32::from(self[i]) * i32::from(rhs[i]))
    }

    #[inline(always)]
    fn montgomery_reduce(sum: Self::Wide) -> Self {
        core::array::from_fn(|i| {
            let m = (sum[i] as i16).wrapping_mul(multiply::Q_INVERSE);
            ((sum[i] - i32::from(m) * i32::from(Q)) >> 16) as i16
        })
    }
}

/// Where the whole program is compiled for a CPU with vectors (`-C target-cpu`), has the compiler keep
/// a lane out of them: a single state in vectors takes twice as long.
#[inline(always)]
fn scalar(x: u64) -> u64 {
    match cfg!(all(target_arch = "x86_64", target_feature = "avx")) {
        true => ct::barrier(x),
        false => x,
    }
}

impl KeccakLanes for u64 {
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self ^ b ^ c
    }

    #[inline(always)]
    fn xor_rotated(self, b: Self) -> Self {
        self ^ b.rotate_left(1)
    }

    #[inline(always)]
    fn xor_rotate<const N: u32>(self, b: Self) -> Self {
        (self ^ b).rotate_left(N)
    }

    #[inline(always)]
    fn xor_clear(self, b: Self, c: Self) -> Self {
        scalar(self ^ (!b & c))
    }

    #[inline(always)]
    fn xor_constant(self, c: u64) -> Self {
        self ^ c
    }
}

impl<const N: usize> KeccakLanes for [u64; N] {
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        core::array::from_fn(|i| self[i].xor3(b[i], c[i]))
    }

    #[inline(always)]
    fn xor_rotated(self, b: Self) -> Self {
        core::array::from_fn(|i| self[i].xor_rotated(b[i]))
    }

    #[inline(always)]
    fn xor_rotate<const R: u32>(self, b: Self) -> Self {
        core::array::from_fn(|i| self[i].xor_rotate::<R>(b[i]))
    }

    #[inline(always)]
    fn xor_clear(self, b: Self, c: Self) -> Self {
        core::array::from_fn(|i| self[i].xor_clear(b[i], c[i]))
    }

    #[inline(always)]
    fn xor_constant(self, c: u64) -> Self {
        self.map(|x| x.xor_constant(c))
    }
}
