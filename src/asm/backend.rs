//! What a backend is: every kernel's contract, stated here and nowhere else.
//!
//! A backend is a zero-sized token that only [`Kernels::detect`] makes, so holding one proves that
//! this CPU has its instructions. Kernels take whole polynomials and whole batches of Keccak
//! states. Throughout, `q` = 3329, and a coefficient is *canonical* if it lies in `0..q`.
//!
//! Three types keep apart what must not be mixed:
//! [`Poly`] is in normal order; [`NttPoly`] is in the NTT domain, in an order that belongs to the
//! backend; [`Product`] is an [`NttPoly`] times 2^-16, which [`Kernels::inv_ntt`] and
//! [`Kernels::add_product`] take out again.

use super::portable::Portable;
use core::marker::PhantomData;
use zeroize::Zeroize;

/// FIPS 203's q.
pub(crate) const Q: i16 = 3329;

/// What bounds the coefficients of a [`Product`].
pub(crate) const PRODUCT_BOUND: i16 = 14_977;

/// What bounds the coefficients that [`Kernels::ntt`] leaves.
pub(crate) const NTT_BOUND: i16 = 6 * Q;

/// SHAKE128's rate in bytes: what one squeeze of the XOF gives.
pub(crate) const XOF_BLOCK: usize = 168;

/// A polynomial of R_q in normal order, 16 bits a coefficient.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Poly(pub(crate) [i16; 256]);

/// A polynomial of T_q, in the order of backend `B`.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct NttPoly<B>(pub(crate) [i16; 256], PhantomData<B>);

/// 2^-16 times a sum of products in T_q: the Montgomery reduction's factor, kept in the type.
#[derive(Clone, Copy)]
pub(crate) struct Product<B>(pub(crate) NttPoly<B>);

/// A right factor of products, and what the backend wants to know of it beforehand.
#[derive(Clone, Copy)]
pub(crate) struct Factor<B: Kernels> {
    pub(crate) f_hat: NttPoly<B>,
    pub(in crate::asm) prepared: B::Prepared,
}

impl Poly {
    pub(crate) const ZERO: Self = Self([0; 256]);
}

impl<B> NttPoly<B> {
    pub(crate) const ZERO: Self = Self::new([0; 256]);

    pub(crate) const fn new(coefficients: [i16; 256]) -> Self {
        Self(coefficients, PhantomData)
    }
}

impl<B> Product<B> {
    pub(crate) const ZERO: Self = Self(NttPoly::ZERO);
}

impl<B: Kernels> Factor<B> {
    pub(crate) const ZERO: Self = Self {
        f_hat: NttPoly::ZERO,
        prepared: B::PREPARED_ZERO,
    };
}

impl Zeroize for Poly {
    fn zeroize(&mut self) {
        self.0.as_mut_slice().zeroize();
    }
}

impl<B> Zeroize for NttPoly<B> {
    fn zeroize(&mut self) {
        self.0.as_mut_slice().zeroize();
    }
}

impl<B> Zeroize for Product<B> {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl<B: Kernels> Zeroize for Factor<B> {
    fn zeroize(&mut self) {
        self.f_hat.zeroize();
        self.prepared.zeroize();
    }
}

/// The most Keccak states that a backend permutes in one call.
pub(crate) const MAX_STATES: usize = 8;

/// Keccak states that one call permutes. Streams are numbered from 0.
pub(crate) trait KeccakBatch: Zeroize {
    /// How many, at most [`MAX_STATES`].
    const WIDTH: usize;
    /// A block for each stream.
    type Blocks: AsRef<[Block]> + AsMut<[Block]> + Zeroize;
    /// Blocks of zeros.
    const ZERO_BLOCKS: Self::Blocks;
    /// All states zero.
    fn zeroed() -> Self;
    /// Makes `value` a lane (0..25) of a stream.
    fn set(&mut self, stream: usize, lane: usize, value: u64);
    /// Xors `value` into a lane (0..25) of a stream.
    fn xor(&mut self, stream: usize, lane: usize, value: u64);
    /// A lane of a stream.
    fn lane(&self, stream: usize, lane: usize) -> u64;
}

/// The first 24 lanes of a state as bytes: more than any rate here.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Block(pub(crate) [u8; 192]);

impl Block {
    pub(crate) const ZERO: Self = Self([0; 192]);

    /// What SHAKE128 gives.
    pub(crate) fn xof(&self) -> &[u8; XOF_BLOCK] {
        self.0.first_chunk().expect("shorter than a block")
    }
}

impl Zeroize for Block {
    fn zeroize(&mut self) {
        self.0.as_mut_slice().zeroize();
    }
}

/// The kernels of one backend.
///
/// No default: kernels that depend on the order of [`NttPoly`], so that a half-ported backend does
/// not compile. The others default to the portable ones.
///
/// "Time" says what a kernel's running time, branches and addresses depend on.
pub(crate) trait Kernels: Copy + Sized + 'static {
    /// What `--backend` calls it.
    const NAME: &'static str;

    /// As many Keccak states as a call permutes at the least cost a state.
    type KeccakBatch: KeccakBatch;

    /// As many states as may cost less than a whole batch.
    const NARROW: usize = Self::KeccakBatch::WIDTH;

    /// What [`Kernels::prepare`] makes of a right factor.
    type Prepared: Copy + Zeroize;
    /// That of 0.
    const PREPARED_ZERO: Self::Prepared;

    /// The token, if this CPU can run the backend.
    fn detect() -> Option<Self>;

    /// `Keccak-f[1600]` on one state. FIPS 202 section 3.3.
    /// Order:  lane (x, y) at 5y + x.
    /// Time:   independent of the values.
    /// Checked by: `asm::tests::keccak`.
    fn keccak_f1600(self, state: &mut [u64; 25]);

    /// `Keccak-f[1600]` on every state of a batch.
    /// Time:   independent of the values.
    /// Checked by: `asm::tests::keccak`.
    fn keccak_f1600_batch(self, states: &mut Self::KeccakBatch);

    /// Keccak-f\[1600\] on the first [`Kernels::NARROW`] states of a batch; the others stay.
    /// Time:   independent of the values.
    /// Checked by: `asm::tests::keccak`.
    fn keccak_f1600_narrow(self, states: &mut Self::KeccakBatch) {
        self.keccak_f1600_batch(states);
    }

    /// The first 24 lanes of every state of a batch, into the blocks of the same numbers.
    /// Time:   independent of the values.
    /// Checked by: `asm::tests::keccak`.
    fn squeeze(
        self,
        states: &Self::KeccakBatch,
        blocks: &mut <Self::KeccakBatch as KeccakBatch>::Blocks,
    ) {
        for (stream, block) in blocks.as_mut().iter_mut().enumerate() {
            for (lane, bytes) in block.0.as_chunks_mut().0.iter_mut().enumerate() {
                *bytes = states.lane(stream, lane).to_le_bytes();
            }
        }
    }

    /// Forward NTT. FIPS 203 Algorithm 9.
    /// Order:  normal -> the backend's.
    /// Bounds: every |x| < q in; every |x| <= NTT_BOUND out.
    /// Time:   independent of the values.
    /// Checked by: `Checked::ntt`, `asm::tests::ntt`.
    fn ntt(self, f: &Poly, f_hat: &mut NttPoly<Self>);

    /// Inverse NTT. FIPS 203 Algorithm 10, and times 2^16, so that a [`Product`] comes out plain.
    /// Order:  the backend's -> normal.
    /// Bounds: every |x| <= PRODUCT_BOUND in; every |x| < q out.
    /// Time:   independent of the values.
    /// Checked by: `Checked::inv_ntt`, `asm::tests::inv_ntt`.
    fn inv_ntt(self, f_hat: &Product<Self>, f: &mut Poly);

    /// Gets a right factor ready for any number of products. What it is made of may change afterwards
    /// as long as it stays congruent modulo q.
    /// Bounds: any x in.
    /// Time:   independent of the values.
    /// Checked by: `asm::tests::multiply_accumulate`.
    fn prepare(self, factor: &mut Factor<Self>);

    /// 2^-16 times the sum of a * b over `terms`, 2 to 4 of them, each b prepared. FIPS 203 Algorithms
    /// 11, 12.
    /// Order:  the backend's.
    /// Bounds: every |x| < q in a, any x in b; every |x| <= PRODUCT_BOUND out.
    /// Time:   independent of the values.
    /// Checked by: `Checked::multiply_accumulate`, `asm::tests::multiply_accumulate`.
    fn multiply_accumulate(
        self,
        terms: &[(&NttPoly<Self>, &Factor<Self>)],
        sum: &mut Product<Self>,
    );

    /// 2^16 `product` + e: what was multiplied, made plain, plus e.
    /// Order:  the backend's.
    /// Bounds: every |x| <= PRODUCT_BOUND in `product`, <= NTT_BOUND in e; canonical out.
    /// Time:   independent of the values.
    /// Checked by: `Checked::add_product`, `asm::tests::add_product`.
    fn add_product(self, product: &Product<Self>, e_hat: &NttPoly<Self>, sum: &mut NttPoly<Self>);

    /// Brings every coefficient into `0..q`.
    /// Bounds: any x in; canonical out.
    /// Time:   independent of the values.
    /// Checked by: `Checked::canonicalize`, `asm::tests::canonicalize`.
    fn canonicalize(self, f_hat: &mut NttPoly<Self>);

    /// ByteEncode_12. FIPS 203 Algorithm 5.
    /// Order:  the backend's -> that of the standard.
    /// Bounds: canonical in.
    /// Time:   independent of the values.
    /// Checked by: `Checked::byte_encode_12`, `asm::tests::codec_12`.
    fn byte_encode_12(self, f_hat: &NttPoly<Self>, bytes: &mut [u8; 384]);

    /// ByteDecode_12. FIPS 203 Algorithm 6. True if every 12-bit number was below q, which is what
    /// the modulus check of section 7.2 asks: only those does ByteEncode_12 give back unchanged.
    /// Order:  that of the standard -> the backend's.
    /// Bounds: any bytes in; canonical out.
    /// Time:   independent of the values.
    /// Checked by: `Checked::byte_decode_12`, `asm::tests::codec_12`.
    fn byte_decode_12(self, bytes: &[u8; 384], f_hat: &mut NttPoly<Self>) -> bool;

    /// The loop of SampleNTT (FIPS 203 Algorithm 7) over one block of the XOF: appends what is
    /// below q to the `n` coefficients that `f_hat` has, and returns how many it then has.
    /// Order:  that of the standard, until [`Kernels::reorder`].
    /// Bounds: `n` at most 256 in and out; canonical out.
    /// Time:   depends on the bytes, which are public.
    /// Checked by: `Checked::sample_ntt_vartime`, `asm::tests::sample_ntt`.
    fn sample_ntt_vartime(
        self,
        block: &[u8; XOF_BLOCK],
        f_hat: &mut NttPoly<Self>,
        n: usize,
    ) -> usize;

    /// From the order of the standard to the backend's, in place.
    /// Time:   independent of the values.
    /// Checked by: `asm::tests::sample_ntt`.
    fn reorder(self, f_hat: &mut NttPoly<Self>);

    /// SamplePolyCBD_eta. FIPS 203 Algorithm 8.
    /// Bounds: `eta` is 2 or 3, 64 eta bytes in; every |x| <= eta out.
    /// Time:   independent of the bytes.
    /// Checked by: `Checked::sample_poly_cbd`, `asm::tests::sample_poly_cbd`.
    fn sample_poly_cbd(self, eta: usize, bytes: &[u8], f: &mut Poly) {
        Portable.sample_poly_cbd(eta, bytes, f);
    }

    /// Compress_d, then ByteEncode_d. FIPS 203 (4.7), Algorithm 5.
    /// Bounds: `d` is 1, 4, 5, 10 or 11; every |x| < 2q in; 32 d bytes out.
    /// Time:   independent of the values.
    /// Checked by: `Checked::compress`, `asm::tests::compress`.
    fn compress(self, d: usize, f: &Poly, bytes: &mut [u8]) {
        Portable.compress(d, f, bytes);
    }

    /// ByteDecode_d, then Decompress_d. FIPS 203 Algorithm 6, (4.8).
    /// Bounds: `d` is 1, 4, 5, 10 or 11; 32 d bytes in; canonical out.
    /// Time:   independent of the bytes.
    /// Checked by: `Checked::decompress`, `asm::tests::decompress`.
    fn decompress(self, d: usize, bytes: &[u8], f: &mut Poly) {
        Portable.decompress(d, bytes, f);
    }

    /// f + g, in place of f.
    /// Bounds: no sum leaves 16 bits; what comes out is what was added.
    /// Time:   independent of the values.
    /// Checked by: `Checked::add`.
    fn add(self, f: &mut Poly, g: &Poly) {
        Portable.add(f, g);
    }

    /// f - g, in place of f.
    /// Bounds: no difference leaves 16 bits; what comes out is what was subtracted.
    /// Time:   independent of the values.
    /// Checked by: `Checked::sub`.
    fn sub(self, f: &mut Poly, g: &Poly) {
        Portable.sub(f, g);
    }
}
