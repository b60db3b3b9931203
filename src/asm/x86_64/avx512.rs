//! AVX-512: a polynomial in eight registers, eight Keccak states a call.
//!
//! Two backends: `avx512` on CPUs that have VBMI and VBMI2, since Ice Lake and Zen 4, and `avx512bw`
//! on those that do not, where the codecs and the sampling are those of AVX2.

mod arithmetic;
mod codec;
pub(in crate::asm) mod keccak;
pub(in crate::asm) mod lanes;

use super::super::backend::{Block, Factor, Kernels, NttPoly, Poly, Product, XOF_BLOCK};
use super::super::keccak::Interleaved;
use super::avx2;

/// The token of an AVX-512 backend: F, BW and VL, and what the codecs and the sampling take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx512<T>(T);

pub(crate) use codec::Vbmi2;

/// The codecs and the sampling. Of bare coefficients: both tiers have them in the standard's order.
pub(crate) trait Tier: Copy + 'static {
    /// The backend's name.
    const NAME: &'static str;
    /// The token, if this CPU has the instructions.
    fn detect() -> Option<Self>;
    /// See `Kernels::byte_encode_12`.
    fn byte_encode_12(self, f: &[i16; 256], bytes: &mut [u8; 384]);
    /// See `Kernels::byte_decode_12`.
    fn byte_decode_12(self, bytes: &[u8; 384], f: &mut [i16; 256]) -> bool;
    /// See `Kernels::sample_ntt_vartime`.
    fn sample_ntt_vartime(self, block: &[u8; XOF_BLOCK], f: &mut [i16; 256], n: usize) -> usize;
    /// See `Kernels::sample_poly_cbd`.
    fn sample_poly_cbd(self, eta: usize, bytes: &[u8], f: &mut [i16; 256]);
    /// See `Kernels::compress`.
    fn compress(self, d: usize, f: &[i16; 256], bytes: &mut [u8]);
    /// See `Kernels::decompress`.
    fn decompress(self, d: usize, bytes: &[u8], f: &mut [i16; 256]);
}

/// The token of F, BW and VL, and what [`avx2::Avx2`] takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bw(());

impl Tier for Bw {
    const NAME: &'static str = "avx512bw";

    fn detect() -> Option<Self> {
        cpufeatures::new!(
            features, "avx512f", "avx512bw", "avx512vl", "avx2", "bmi1", "bmi2", "popcnt"
        );
        features::get().then_some(Self(()))
    }

    kernels! {
        "avx512f,avx512bw,avx512vl,avx2,bmi1,bmi2,popcnt";

        fn byte_encode_12(self, f: &[i16; 256], bytes: &mut [u8; 384]) {
            avx2::codec::byte_encode_12(f, bytes);
        }

        fn byte_decode_12(self, bytes: &[u8; 384], f: &mut [i16; 256]) -> bool {
            avx2::codec::byte_decode_12(bytes, f)
        }

        fn sample_ntt_vartime(
            self,
            block: &[u8; XOF_BLOCK],
            f: &mut [i16; 256],
            n: usize,
        ) -> usize {
            avx2::codec::sample_ntt_vartime(block, f, n)
        }

        fn sample_poly_cbd(self, eta: usize, bytes: &[u8], f: &mut [i16; 256]) {
            avx2::codec::sample_poly_cbd(eta, bytes, f);
        }

        fn compress(self, d: usize, f: &[i16; 256], bytes: &mut [u8]) {
            avx2::codec::compress(d, f, bytes);
        }

        fn decompress(self, d: usize, bytes: &[u8], f: &mut [i16; 256]) {
            avx2::codec::decompress(d, bytes, f);
        }
    }
}

impl<T: Tier> Kernels for Avx512<T> {
    const NAME: &'static str = T::NAME;

    type KeccakBatch = Interleaved<8>;
    type Prepared = ();
    const PREPARED_ZERO: () = ();

    const NARROW: usize = 4;

    fn detect() -> Option<Self> {
        T::detect().map(Self)
    }

    fn keccak_f1600(self, state: &mut [u64; 25]) {
        simd!(keccak::permute_one(state));
    }

    fn keccak_f1600_batch(self, states: &mut Interleaved<8>) {
        simd!(keccak::permute_eight(states));
    }

    fn keccak_f1600_narrow(self, states: &mut Interleaved<8>) {
        simd!(keccak::permute_four(states));
    }

    fn squeeze(self, states: &Interleaved<8>, blocks: &mut [Block; 8]) {
        simd!(keccak::squeeze(states, blocks));
    }

    fn ntt(self, f: &Poly, f_hat: &mut NttPoly<Self>) {
        simd!(arithmetic::ntt(&f.0, &mut f_hat.0));
    }

    fn inv_ntt(self, f_hat: &Product<Self>, f: &mut Poly) {
        simd!(arithmetic::inv_ntt(&f_hat.0.0, &mut f.0));
    }

    fn prepare(self, _: &mut Factor<Self>) {}

    fn multiply_accumulate(
        self,
        terms: &[(&NttPoly<Self>, &Factor<Self>)],
        sum: &mut Product<Self>,
    ) {
        simd!(arithmetic::multiply_accumulate(terms, sum));
    }

    fn add_product(self, product: &Product<Self>, e_hat: &NttPoly<Self>, sum: &mut NttPoly<Self>) {
        simd!(arithmetic::add_product(&product.0.0, &e_hat.0, &mut sum.0));
    }

    fn canonicalize(self, f_hat: &mut NttPoly<Self>) {
        simd!(arithmetic::canonicalize(&mut f_hat.0));
    }

    fn byte_encode_12(self, f_hat: &NttPoly<Self>, bytes: &mut [u8; 384]) {
        self.0.byte_encode_12(&f_hat.0, bytes);
    }

    fn byte_decode_12(self, bytes: &[u8; 384], f_hat: &mut NttPoly<Self>) -> bool {
        self.0.byte_decode_12(bytes, &mut f_hat.0)
    }

    fn sample_ntt_vartime(
        self,
        block: &[u8; XOF_BLOCK],
        f_hat: &mut NttPoly<Self>,
        n: usize,
    ) -> usize {
        self.0.sample_ntt_vartime(block, &mut f_hat.0, n)
    }

    fn reorder(self, _: &mut NttPoly<Self>) {}

    fn sample_poly_cbd(self, eta: usize, bytes: &[u8], f: &mut Poly) {
        self.0.sample_poly_cbd(eta, bytes, &mut f.0);
    }

    fn compress(self, d: usize, f: &Poly, bytes: &mut [u8]) {
        self.0.compress(d, &f.0, bytes);
    }

    fn decompress(self, d: usize, bytes: &[u8], f: &mut Poly) {
        self.0.decompress(d, bytes, &mut f.0);
    }

    fn add(self, f: &mut Poly, g: &Poly) {
        simd!(arithmetic::add(&mut f.0, &g.0));
    }

    fn sub(self, f: &mut Poly, g: &Poly) {
        simd!(arithmetic::sub(&mut f.0, &g.0));
    }
}
