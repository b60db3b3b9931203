//! A decorator that asserts the contract of every kernel at run time, for tests.
//!
//! It knows bounds alone. That a kernel computes the right thing is for `asm::tests`.

use super::backend::{
    Factor, KeccakBatch, Kernels, NTT_BOUND, NttPoly, PRODUCT_BOUND, Poly, Product, Q, XOF_BLOCK,
};

/// The kernels of `B`, with every bound of their contracts asserted.
#[derive(Clone, Copy)]
pub(crate) struct Checked<B>(B);

#[track_caller]
fn within(f: &[i16; 256], bound: i16) {
    assert!(
        f.iter().all(|x| x.unsigned_abs() <= bound as u16),
        "a coefficient exceeds {bound}"
    );
}

#[track_caller]
fn canonical(f: &[i16; 256]) {
    assert!(
        f.iter().all(|x| (0..Q).contains(x)),
        "a coefficient is not canonical"
    );
}

/// The same coefficients under the type of the other backend; the order is the same.
fn inner<B>(f_hat: &NttPoly<Checked<B>>) -> NttPoly<B> {
    NttPoly::new(f_hat.0)
}

fn inner_factor<B: Kernels>(factor: &Factor<Checked<B>>) -> Factor<B> {
    Factor {
        f_hat: inner(&factor.f_hat),
        prepared: factor.prepared,
    }
}

/// Runs `kernel` on the inner type and puts the coefficients back.
fn through<B, R>(f_hat: &mut NttPoly<Checked<B>>, kernel: impl FnOnce(&mut NttPoly<B>) -> R) -> R {
    let mut f = inner(f_hat);
    let result = kernel(&mut f);
    f_hat.0 = f.0;
    result
}

impl<B: Kernels> Kernels for Checked<B> {
    const NAME: &'static str = "checked";

    type KeccakBatch = B::KeccakBatch;
    type Prepared = B::Prepared;
    const PREPARED_ZERO: B::Prepared = B::PREPARED_ZERO;

    fn detect() -> Option<Self> {
        B::detect().map(Self)
    }

    fn keccak_f1600(self, state: &mut [u64; 25]) {
        self.0.keccak_f1600(state);
    }

    fn keccak_f1600_batch(self, states: &mut Self::KeccakBatch) {
        self.0.keccak_f1600_batch(states);
    }

    const NARROW: usize = B::NARROW;

    fn keccak_f1600_narrow(self, states: &mut Self::KeccakBatch) {
        self.0.keccak_f1600_narrow(states);
    }

    fn squeeze(
        self,
        states: &Self::KeccakBatch,
        blocks: &mut <Self::KeccakBatch as KeccakBatch>::Blocks,
    ) {
        self.0.squeeze(states, blocks);
    }

    fn ntt(self, f: &Poly, f_hat: &mut NttPoly<Self>) {
        within(&f.0, Q - 1);
        through(f_hat, |f_hat| self.0.ntt(f, f_hat));
        within(&f_hat.0, NTT_BOUND);
    }

    fn inv_ntt(self, f_hat: &Product<Self>, f: &mut Poly) {
        within(&f_hat.0.0, PRODUCT_BOUND);
        self.0.inv_ntt(&Product(inner(&f_hat.0)), f);
        within(&f.0, Q - 1);
    }

    fn prepare(self, factor: &mut Factor<Self>) {
        let mut inner = inner_factor(factor);
        self.0.prepare(&mut inner);
        factor.prepared = inner.prepared;
    }

    fn multiply_accumulate(
        self,
        terms: &[(&NttPoly<Self>, &Factor<Self>)],
        sum: &mut Product<Self>,
    ) {
        assert!((2..=4).contains(&terms.len()), "two to four terms");
        terms.iter().for_each(|(a, _)| within(&a.0, Q - 1));
        let terms: Vec<_> = terms
            .iter()
            .map(|(a, b)| (inner(a), inner_factor(b)))
            .collect();
        let terms: Vec<_> = terms.iter().map(|(a, b)| (a, b)).collect();
        let mut inner_sum = Product::ZERO;
        self.0.multiply_accumulate(&terms, &mut inner_sum);
        sum.0.0 = inner_sum.0.0;
        within(&sum.0.0, PRODUCT_BOUND);
    }

    fn add_product(self, product: &Product<Self>, e_hat: &NttPoly<Self>, sum: &mut NttPoly<Self>) {
        within(&product.0.0, PRODUCT_BOUND);
        within(&e_hat.0, NTT_BOUND);
        through(sum, |sum| {
            self.0
                .add_product(&Product(inner(&product.0)), &inner(e_hat), sum);
        });
        canonical(&sum.0);
    }

    fn canonicalize(self, f_hat: &mut NttPoly<Self>) {
        through(f_hat, |f_hat| self.0.canonicalize(f_hat));
        canonical(&f_hat.0);
    }

    fn byte_encode_12(self, f_hat: &NttPoly<Self>, bytes: &mut [u8; 384]) {
        canonical(&f_hat.0);
        self.0.byte_encode_12(&inner(f_hat), bytes);
    }

    fn byte_decode_12(self, bytes: &[u8; 384], f_hat: &mut NttPoly<Self>) -> bool {
        let below_q = through(f_hat, |f_hat| self.0.byte_decode_12(bytes, f_hat));
        canonical(&f_hat.0);
        below_q
    }

    fn sample_ntt_vartime(
        self,
        block: &[u8; XOF_BLOCK],
        f_hat: &mut NttPoly<Self>,
        n: usize,
    ) -> usize {
        assert!(n <= 256, "more coefficients than a polynomial has");
        let n = through(f_hat, |f_hat| self.0.sample_ntt_vartime(block, f_hat, n));
        assert!(n <= 256 && f_hat.0[..n].iter().all(|x| (0..Q).contains(x)));
        n
    }

    fn reorder(self, f_hat: &mut NttPoly<Self>) {
        through(f_hat, |f_hat| self.0.reorder(f_hat));
    }

    fn sample_poly_cbd(self, eta: usize, bytes: &[u8], f: &mut Poly) {
        assert!(eta == 2 || eta == 3, "eta is 2 or 3");
        assert_eq!(bytes.len(), 64 * eta);
        self.0.sample_poly_cbd(eta, bytes, f);
        within(&f.0, eta as i16);
    }

    fn compress(self, d: usize, f: &Poly, bytes: &mut [u8]) {
        assert!([1, 4, 5, 10, 11].contains(&d), "d is 1, 4, 5, 10 or 11");
        assert_eq!(bytes.len(), 32 * d);
        within(&f.0, 2 * Q - 1);
        self.0.compress(d, f, bytes);
    }

    fn decompress(self, d: usize, bytes: &[u8], f: &mut Poly) {
        assert!([1, 4, 5, 10, 11].contains(&d), "d is 1, 4, 5, 10 or 11");
        assert_eq!(bytes.len(), 32 * d);
        self.0.decompress(d, bytes, f);
        canonical(&f.0);
    }

    fn add(self, f: &mut Poly, g: &Poly) {
        let sum: Vec<_> = f.0.iter().zip(g.0).map(|(f, g)| f.checked_add(g)).collect();
        self.0.add(f, g);
        assert!(
            f.0.iter().zip(sum).all(|(f, sum)| sum == Some(*f)),
            "not the sum"
        );
    }

    fn sub(self, f: &mut Poly, g: &Poly) {
        let difference: Vec<_> = f.0.iter().zip(g.0).map(|(f, g)| f.checked_sub(g)).collect();
        self.0.sub(f, g);
        assert!(
            f.0.iter().zip(difference).all(|(f, d)| d == Some(*f)),
            "not the difference"
        );
    }
}
