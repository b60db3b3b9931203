//! Vectors and matrices of polynomials.

use super::params::{ParameterSet, Vector};
use crate::asm::backend::{Factor, Kernels, NttPoly, Poly, Product};
use core::ops::Range;
use zeroize::Zeroize;

/// K polynomials in normal order.
pub(crate) struct PolyVec<P: ParameterSet>(P::Vector<Poly>);

/// K polynomials in the NTT domain.
pub(crate) struct NttVec<P: ParameterSet, B: Kernels>(P::Vector<NttPoly<B>>);

/// K polynomials in the NTT domain, as right factors of products.
pub(crate) struct Factors<P: ParameterSet, B: Kernels>(P::Vector<Factor<B>>);

/// K x K polynomials in the NTT domain, by rows.
pub(crate) struct NttMatrix<P: ParameterSet, B: Kernels>(P::Vector<P::Vector<NttPoly<B>>>);

impl<P: ParameterSet> PolyVec<P> {
    pub(crate) fn zero() -> Self {
        Self(Vector::from_fn(|_| Poly::ZERO))
    }

    pub(crate) fn polys(&self) -> &[Poly] {
        self.0.as_ref()
    }

    pub(crate) fn polys_mut(&mut self) -> &mut [Poly] {
        self.0.as_mut()
    }
}

impl<P: ParameterSet, B: Kernels> NttVec<P, B> {
    pub(crate) fn zero() -> Self {
        Self(Vector::from_fn(|_| NttPoly::ZERO))
    }

    pub(crate) fn polys(&self) -> &[NttPoly<B>] {
        self.0.as_ref()
    }

    pub(crate) fn polys_mut(&mut self) -> &mut [NttPoly<B>] {
        self.0.as_mut()
    }

    /// The inner product with `rhs`.
    pub(crate) fn dot(&self, b: B, rhs: &Factors<P, B>, sum: &mut Product<B>) {
        dot(b, |j| &self.polys()[j], rhs, sum);
    }
}

impl<P: ParameterSet, B: Kernels> Factors<P, B> {
    pub(crate) fn zero() -> Self {
        Self(Vector::from_fn(|_| Factor::ZERO))
    }

    /// To be changed only into what is congruent modulo q.
    pub(crate) fn polys_mut(&mut self) -> impl Iterator<Item = &mut NttPoly<B>> {
        self.0.as_mut().iter_mut().map(|factor| &mut factor.f_hat)
    }

    /// Becomes the NTT of each polynomial.
    pub(crate) fn ntt(&mut self, b: B, f: &PolyVec<P>) {
        for (f, factor) in f.polys().iter().zip(self.0.as_mut()) {
            b.ntt(f, &mut factor.f_hat);
            b.prepare(factor);
        }
    }
}

impl<P: ParameterSet, B: Kernels> NttMatrix<P, B> {
    pub(crate) fn zero() -> Self {
        Self(Vector::from_fn(|_| Vector::from_fn(|_| NttPoly::ZERO)))
    }

    /// The entries (i, j) of some rows, to be written.
    pub(crate) fn rows_mut(
        &mut self,
        rows: Range<usize>,
    ) -> impl Iterator<Item = (usize, usize, &mut NttPoly<B>)> {
        let rows = self.0.as_mut()[rows.clone()].iter_mut().zip(rows);
        rows.flat_map(|(row, i)| {
            row.as_mut()
                .iter_mut()
                .enumerate()
                .map(move |(j, entry)| (i, j, entry))
        })
    }

    /// Row i times `rhs`.
    pub(crate) fn row_dot(&self, b: B, i: usize, rhs: &Factors<P, B>, sum: &mut Product<B>) {
        dot(b, |j| &self.0.as_ref()[i].as_ref()[j], rhs, sum);
    }

    /// Column i times `rhs`: row i of the transpose.
    pub(crate) fn column_dot(&self, b: B, i: usize, rhs: &Factors<P, B>, sum: &mut Product<B>) {
        dot(b, |j| &self.0.as_ref()[j].as_ref()[i], rhs, sum);
    }
}

fn dot<'a, P: ParameterSet, B: Kernels>(
    b: B,
    lhs: impl Fn(usize) -> &'a NttPoly<B>,
    rhs: &'a Factors<P, B>,
    sum: &mut Product<B>,
) {
    let terms: P::Vector<_> = Vector::from_fn(|j| (lhs(j), &rhs.0.as_ref()[j]));
    b.multiply_accumulate(terms.as_ref(), sum);
}

impl<P: ParameterSet, B: Kernels> Clone for NttVec<P, B> {
    fn clone(&self) -> Self {
        Self(Vector::from_fn(|i| self.polys()[i]))
    }
}

impl<P: ParameterSet, B: Kernels> Clone for NttMatrix<P, B> {
    fn clone(&self) -> Self {
        Self(Vector::from_fn(|i| {
            Vector::from_fn(|j| self.0.as_ref()[i].as_ref()[j])
        }))
    }
}

impl<P: ParameterSet> Zeroize for PolyVec<P> {
    fn zeroize(&mut self) {
        self.polys_mut().iter_mut().for_each(Zeroize::zeroize);
    }
}

impl<P: ParameterSet, B: Kernels> Zeroize for Factors<P, B> {
    fn zeroize(&mut self) {
        self.0.as_mut().iter_mut().for_each(Zeroize::zeroize);
    }
}

impl<P: ParameterSet, B: Kernels> Zeroize for NttVec<P, B> {
    fn zeroize(&mut self) {
        self.polys_mut().iter_mut().for_each(Zeroize::zeroize);
    }
}
