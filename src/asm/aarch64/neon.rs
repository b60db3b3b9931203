//! The arithmetic on NEON: 16-bit polynomials from the first sample to the last byte.

use super::super::backend::{Kernels, NttPoly, Poly, Product, Q, XOF_BLOCK};
use super::super::{cbd, compress, encode, multiply, ntt, reduce, sample};
use super::keccak::Tier;

/// The token of an AArch64 backend: NEON, which every such CPU has, and the way to permute Keccak
/// states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Aarch64<T>(T);

/// Coefficients a vector.
const WIDTH: usize = 8;

/// A polynomial as vectors.
fn vectors(f: &[i16; 256]) -> &[[i16; WIDTH]] {
    f.as_chunks().0
}

/// A polynomial as vectors.
fn vectors_mut(f: &mut [i16; 256]) -> &mut [[i16; WIDTH]] {
    f.as_chunks_mut().0
}

impl<T: Tier> Kernels for Aarch64<T> {
    const NAME: &'static str = T::NAME;

    type KeccakBatch = T::Batch;

    fn detect() -> Option<Self> {
        T::detect().map(Self)
    }

    fn keccak_f1600(self, state: &mut [u64; 25]) {
        self.0.keccak_f1600(state);
    }

    fn keccak_f1600_batch(self, states: &mut T::Batch) {
        self.0.keccak_f1600_batch(states);
    }

    fn ntt(self, f: &Poly, f_hat: &mut NttPoly<Self>) {
        f_hat.0 = f.0;
        ntt::ntt(vectors_mut(&mut f_hat.0));
    }

    fn inv_ntt(self, f_hat: &Product<Self>, f: &mut Poly) {
        f.0 = f_hat.0.0;
        ntt::inv_ntt(vectors_mut(&mut f.0));
    }

    fn multiply_accumulate(
        self,
        terms: &[(&NttPoly<Self>, &NttPoly<Self>)],
        sum: &mut Product<Self>,
    ) {
        let terms = terms.iter().map(|(a, b)| (vectors(&a.0), vectors(&b.0)));
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
