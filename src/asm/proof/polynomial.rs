//! Polynomials over Z_q of degree at most two, in inputs that are known by number.

use crate::asm::backend::Q;
use std::collections::BTreeMap;
use std::vec::Vec;

/// A product of at most two inputs, `None` before `Some`, the lower number first.
type Monomial = (Option<u16>, Option<u16>);

/// Monomials in ascending order, each with a coefficient in `1..q`: equal polynomials are equal
/// values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Polynomial(Vec<(Monomial, i64)>);

impl Polynomial {
    fn from_terms(terms: impl IntoIterator<Item = (Monomial, i64)>) -> Self {
        let mut sum = BTreeMap::new();
        for (monomial, c) in terms {
            *sum.entry(monomial).or_insert(0) += c;
        }
        let reduced = sum.into_iter().map(|(m, c)| (m, c.rem_euclid(Q.into())));
        Self(reduced.filter(|&(_, c)| c != 0).collect())
    }

    pub(super) fn constant(c: i64) -> Self {
        Self::from_terms([((None, None), c)])
    }

    pub(super) fn input(number: u16) -> Self {
        Self::from_terms([((None, Some(number)), 1)])
    }

    /// The sum of c times input i over all (i, c).
    pub(super) fn linear(terms: impl IntoIterator<Item = (u16, i64)>) -> Self {
        Self::from_terms(terms.into_iter().map(|(i, c)| ((None, Some(i)), c)))
    }

    /// self + c * other.
    pub(super) fn plus(&self, c: i64, other: &Self) -> Self {
        let mut sum = Vec::with_capacity(self.0.len() + other.0.len());
        let (mut a, mut b) = (&self.0[..], &other.0[..]);
        while let Some(next) = [a, b].iter().filter_map(|terms| terms.first()).min() {
            let monomial = next.0;
            let take = |terms: &mut &[(Monomial, i64)]| match **terms {
                [(m, c), ref rest @ ..] if m == monomial => {
                    *terms = rest;
                    c
                }
                _ => 0,
            };
            let coefficient = (take(&mut a) + c * take(&mut b)).rem_euclid(Q.into());
            if coefficient != 0 {
                sum.push((monomial, coefficient));
            }
        }
        Self(sum)
    }

    /// self * other, unless that has a monomial of more than two inputs.
    pub(super) fn times(&self, other: &Self) -> Option<Self> {
        let mut terms = Vec::new();
        for &(m, c) in &self.0 {
            for &(n, d) in &other.0 {
                let monomial = match (m, n) {
                    ((None, None), k) | (k, (None, None)) => k,
                    ((None, i), (None, j)) => (i.min(j), i.max(j)),
                    _ => return None,
                };
                terms.push((monomial, c * d));
            }
        }
        Some(Self::from_terms(terms))
    }

    /// A linear form of other polynomials, by number.
    pub(super) fn substitute(&self, inputs: &[Self]) -> Self {
        self.0
            .iter()
            .fold(Self::default(), |sum, term| match *term {
                ((None, Some(i)), c) => sum.plus(c, &inputs[usize::from(i)]),
                _ => panic!("a linear form"),
            })
    }
}

#[test]
fn arithmetic() {
    let [x, y] = [1, 2].map(Polynomial::input);
    let sum = x.plus(1, &y);
    let square = sum.times(&sum).unwrap();
    let expected = Polynomial::from_terms([
        ((Some(1), Some(1)), 1),
        ((Some(1), Some(2)), 2),
        ((Some(2), Some(2)), 1),
    ]);
    assert_eq!(square, expected);
    assert_eq!(square.times(&x), None);
    assert_eq!(sum.plus(-1, &y), x);
    assert_eq!(x.plus(3328, &x), Polynomial::default());
    assert_eq!(
        x.times(&Polynomial::constant(-1)),
        Some(Polynomial::linear([(1, 3328)]))
    );
}
