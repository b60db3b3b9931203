//! Polynomials over GF(2) of degree at most two, in bits that are known by number.

use std::vec::Vec;

/// A product of one or two bits, the lower number first, one bit as its own square; 1 if `None`.
type Monomial = Option<(u16, u16)>;

/// Distinct monomials in ascending order: equal polynomials are equal values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bit(Vec<Monomial>);

impl Bit {
    /// Equal monomials cancel.
    fn from_terms(mut terms: Vec<Monomial>) -> Self {
        // Stable, because that merges runs which are sorted already.
        terms.sort();
        let odd = terms
            .chunk_by(Monomial::eq)
            .filter(|same| same.len() & 1 == 1);
        Self(odd.map(|same| same[0]).collect())
    }

    pub(super) fn constant(bit: bool) -> Self {
        Self(bit.then_some(None).into_iter().collect())
    }

    pub(super) fn variable(number: u16) -> Self {
        Self([Some((number, number))].into())
    }

    /// The sum of polynomials: their exclusive or.
    pub(super) fn sum<'a>(bits: impl IntoIterator<Item = &'a Self>) -> Self {
        Self::from_terms(bits.into_iter().flat_map(|bit| &bit.0).copied().collect())
    }

    /// The product of two, unless a factor is of degree two.
    pub(super) fn product(&self, other: &Self) -> Option<Self> {
        let mut terms = Vec::with_capacity(self.0.len() * other.0.len());
        for &m in &self.0 {
            for &n in &other.0 {
                terms.push(match (m, n) {
                    (None, k) | (k, None) => k,
                    (Some((i, k)), Some((j, l))) if i == k && j == l => Some((i.min(j), i.max(j))),
                    _ => return None,
                });
            }
        }
        Some(Self::from_terms(terms))
    }
}

#[test]
fn arithmetic() {
    let [x, y] = [1, 2].map(Bit::variable);
    let one = Bit::constant(true);
    let not_x = Bit::sum([&one, &x]);
    assert_eq!(x.product(&x), Some(x.clone()));
    assert_eq!(x.product(&not_x), Some(Bit::constant(false)));
    let xy = x.product(&y).unwrap();
    assert_eq!(xy.product(&y), None);
    assert_eq!(Bit::sum([&xy, &y]), not_x.product(&y).unwrap());
}
