//! The arithmetic on NEON: 16-bit polynomials from the first sample to the last byte.

mod codec;
pub(in crate::asm) mod lanes;
mod sample;

use super::super::backend::{Block, Factor, Kernels, NttPoly, Poly, Product, XOF_BLOCK};
use super::super::keccak::Interleaved;
use super::super::{multiply, ntt, reduce};
use super::keccak::{self, Tier};
use super::products::{self, Table};
use lanes::V;

/// The token of an AArch64 backend: NEON, which every such CPU has, and the way to permute Keccak
/// states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Aarch64<T>(T);

/// A term as its product takes it.
fn term<'a, B: Kernels<Prepared = Table>>(
    (a, b): (&'a NttPoly<B>, &'a Factor<B>),
) -> (&'a [i16; 256], &'a Table) {
    (&a.0, &b.prepared)
}

impl<T: Tier> Kernels for Aarch64<T> {
    const NAME: &'static str = T::NAME;

    type KeccakBatch = Interleaved<2>;
    type Prepared = Table;
    const PREPARED_ZERO: Table = Table([0; 384]);

    fn detect() -> Option<Self> {
        T::detect().map(Self)
    }

    fn keccak_f1600(self, state: &mut [u64; 25]) {
        self.0.keccak_f1600(state);
    }

    fn keccak_f1600_batch(self, states: &mut Interleaved<2>) {
        self.0.keccak_f1600_batch(states);
    }

    fn squeeze(self, states: &Interleaved<2>, blocks: &mut [Block; 2]) {
        keccak::squeeze(states, blocks);
    }

    fn ntt(self, f: &Poly, f_hat: &mut NttPoly<Self>) {
        ntt::ntt(V::of(&f.0), V::of_mut(&mut f_hat.0));
    }

    fn inv_ntt(self, f_hat: &Product<Self>, f: &mut Poly) {
        ntt::inv_ntt(V::of(&f_hat.0.0), V::of_mut(&mut f.0));
    }

    fn prepare(self, factor: &mut Factor<Self>) {
        let (b, _) = V::of(&factor.f_hat.0).as_chunks();
        let (table, _) = factor.prepared.0.as_chunks_mut::<24>();
        for (i, (b, entry)) in b.iter().zip(table).enumerate() {
            let (places, _) = entry.as_chunks_mut();
            for (v, place) in multiply::table_entry(b, i).into_iter().zip(places) {
                v.store(place);
            }
        }
    }

    fn multiply_accumulate(
        self,
        terms: &[(&NttPoly<Self>, &Factor<Self>)],
        sum: &mut Product<Self>,
    ) {
        let sum = &mut sum.0.0;
        match *terms {
            [a, b] => products::of_two([a, b].map(term), sum),
            [a, b, c] => products::of_three([a, b, c].map(term), sum),
            [a, b, c, d] => products::of_four([a, b, c, d].map(term), sum),
            _ => unreachable!("two to four terms"),
        }
    }

    fn add_product(self, product: &Product<Self>, e_hat: &NttPoly<Self>, sum: &mut NttPoly<Self>) {
        multiply::add_product(V::of(&product.0.0), V::of(&e_hat.0), V::of_mut(&mut sum.0));
    }

    fn canonicalize(self, f_hat: &mut NttPoly<Self>) {
        for x in V::of_mut(&mut f_hat.0) {
            *x = reduce::canonical(*x);
        }
    }

    fn byte_encode_12(self, f_hat: &NttPoly<Self>, bytes: &mut [u8; 384]) {
        codec::byte_encode_12(V::of(&f_hat.0), bytes);
    }

    fn byte_decode_12(self, bytes: &[u8; 384], f_hat: &mut NttPoly<Self>) -> bool {
        codec::byte_decode_12(bytes, V::of_mut(&mut f_hat.0))
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
        let f = V::of_mut(&mut f.0);
        match eta {
            2 => sample::sample_poly_cbd_2(bytes.try_into().expect("64 eta bytes"), f),
            3 => sample::sample_poly_cbd_3(bytes.try_into().expect("64 eta bytes"), f),
            _ => unreachable!("eta is 2 or 3"),
        }
    }

    fn compress(self, d: usize, f: &Poly, bytes: &mut [u8]) {
        let f = V::of(&f.0);
        match d {
            1 => codec::compress_1(f, bytes.try_into().expect("32 d bytes")),
            4 => codec::compress_4(f, bytes.try_into().expect("32 d bytes")),
            5 => codec::compress_5(f, bytes.try_into().expect("32 d bytes")),
            10 => codec::compress_10(f, bytes.try_into().expect("32 d bytes")),
            11 => codec::compress_11(f, bytes.try_into().expect("32 d bytes")),
            _ => unreachable!("d is 1, 4, 5, 10 or 11"),
        }
    }

    fn decompress(self, d: usize, bytes: &[u8], f: &mut Poly) {
        let f = V::of_mut(&mut f.0);
        match d {
            1 => codec::decompress_1(bytes.try_into().expect("32 d bytes"), f),
            4 => codec::decompress_4(bytes.try_into().expect("32 d bytes"), f),
            5 => codec::decompress_5(bytes.try_into().expect("32 d bytes"), f),
            10 => codec::decompress_10(bytes.try_into().expect("32 d bytes"), f),
            11 => codec::decompress_11(bytes.try_into().expect("32 d bytes"), f),
            _ => unreachable!("d is 1, 4, 5, 10 or 11"),
        }
    }
}
