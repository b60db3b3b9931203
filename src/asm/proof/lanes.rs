//! Lanes of which everything is known that a proof needs, and nothing else.

use super::element::{At, Element, Operation};
use super::element::{Range, Refusal, Verdict};
use super::polynomial::Polynomial;

use crate::asm::lanes::Lanes;
use std::panic::Location;
use std::vec::Vec;

/// Lanes that begin and end a proof.
pub(super) trait Provable: Lanes {
    fn from_elements(elements: &[Element]) -> Self;
    fn elements(self) -> Vec<Element>;
}

/// `N` elements.
#[derive(Clone, Copy)]
pub(super) struct Abstract<const N: usize>([Element; N]);

/// `N` sums of products.
#[derive(Clone, Copy)]
pub(super) struct AbstractSums<const N: usize>([Element; N]);

impl<const N: usize> Abstract<N> {
    fn operate(self, operation: Operation, rhs: Self, at: At) -> Self {
        Self(core::array::from_fn(|i| {
            self.0[i].operate(operation, rhs.0[i], at)
        }))
    }
}

impl<const N: usize> Provable for Abstract<N> {
    fn from_elements(elements: &[Element]) -> Self {
        Self(elements.try_into().expect("as many as lanes"))
    }

    fn elements(self) -> Vec<Element> {
        self.0.to_vec()
    }
}

/// `track_caller` makes a refusal name the kernel's line.
impl<const N: usize> Lanes for Abstract<N> {
    const WIDTH: usize = N;
    type Wide = AbstractSums<N>;

    fn splat(c: i16) -> Self {
        Self([Element::constant(c); N])
    }

    fn constants(c: &[i16]) -> Self {
        Self(core::array::from_fn(|i| Element::constant(c[i])))
    }

    #[track_caller]
    fn add(self, rhs: Self) -> Self {
        self.operate(Operation::Add, rhs, Location::caller())
    }

    #[track_caller]
    fn sub(self, rhs: Self) -> Self {
        self.operate(Operation::Sub, rhs, Location::caller())
    }

    #[track_caller]
    fn mul_low(self, rhs: Self) -> Self {
        self.operate(Operation::MulLow, rhs, Location::caller())
    }

    #[track_caller]
    fn mul_round_high(self, rhs: Self) -> Self {
        self.operate(Operation::MulRoundHigh, rhs, Location::caller())
    }

    #[track_caller]
    fn where_negative(self, c: Self) -> Self {
        self.operate(Operation::WhereNegative, c, Location::caller())
    }

    #[track_caller]
    fn shift_left(self, n: usize) -> Self {
        let n = Self::splat(n as i16);
        self.operate(Operation::ShiftLeft, n, Location::caller())
    }

    #[track_caller]
    fn and(self, rhs: Self) -> Self {
        self.operate(Operation::And, rhs, Location::caller())
    }

    /// Elements go where the plain lanes put their places.
    fn transpose<const BLOCK: usize>(a: Self, b: Self) -> (Self, Self) {
        let places: [i16; N] = core::array::from_fn(|i| i as i16);
        let (first, second) = Lanes::transpose::<BLOCK>(places, places.map(|i| i + N as i16));
        let elements = [a.0, b.0];
        let at = |place: i16| elements.as_flattened()[place as usize];
        (Self(first.map(at)), Self(second.map(at)))
    }

    fn zero_wide() -> Self::Wide {
        AbstractSums([Element::zero_wide(); N])
    }

    #[track_caller]
    fn mul_add_wide(self, rhs: Self, sum: Self::Wide) -> Self::Wide {
        let at = Location::caller();
        AbstractSums(core::array::from_fn(|i| {
            sum.0[i].add_product(self.0[i], rhs.0[i], at)
        }))
    }

    #[track_caller]
    fn montgomery_reduce(sum: Self::Wide) -> Self {
        let at = Location::caller();
        Self(sum.0.map(|sum| sum.montgomery_reduce(at)))
    }
}

/// What these lanes accept, and where that ends.
#[test]
fn only_what_is_known_is_accepted() {
    type Lane = Abstract<1>;
    let x = |number, low, high| Abstract([Element::input(number, Range(low, high))]);
    let is = |lane: Lane, residue| lane.0[0].prove(0, &residue, Range::LANE);
    let linear = |c, d| Polynomial::linear([(0, c), (1, d)]);
    let refusal = |verdict: Verdict| verdict.expect_err("refused");

    // A sum may reach the end of the range of 16 bits, and not pass it.
    assert_eq!(is(x(0, -5, 32_000).add(x(1, 0, 767)), linear(1, 1)), Ok(()));
    let overflow = refusal(is(x(0, -5, 32_000).add(x(1, 0, 768)), linear(1, 1)));
    assert!(matches!(
        overflow,
        Refusal::Overflow {
            range: Range(-5, 32_768),
            ..
        }
    ));
    let overflow = refusal(is(x(0, -32_768, 0).sub(x(1, 0, 1)), linear(1, -1)));
    assert!(matches!(
        overflow,
        Refusal::Overflow {
            range: Range(-32_769, 0),
            ..
        }
    ));

    // A product by a constant is one as long as it does not wrap.
    let double = |high| is(x(0, 0, high).mul_low(Lane::splat(2)), linear(2, 0));
    assert_eq!(double(16_383), Ok(()));
    assert!(matches!(
        refusal(double(16_384)),
        Refusal::NotAffine { x: 16_384, .. }
    ));
    // The one product that no rounding multiplication may meet.
    let square = x(0, -32_768, -32_767).mul_round_high(Lane::splat(i16::MIN));
    assert!(matches!(
        refusal(is(square, linear(1, 0))),
        Refusal::NotAffine { x: -32_768, .. }
    ));

    // Values that have nothing to do with each other, and too many of them.
    let product = x(0, 0, 1).mul_low(x(1, 0, 1));
    assert!(matches!(
        refusal(is(product, linear(0, 0))),
        Refusal::Unrelated { .. }
    ));
    let times = |a: Lane, b| Lane::montgomery_reduce(a.mul_add_wide(b, Lane::zero_wide()));
    let cube = times(times(x(0, 0, 1), x(0, 0, 1)), x(0, 0, 1));
    assert!(matches!(
        refusal(is(cube, linear(0, 0))),
        Refusal::Degree { .. }
    ));

    // What is known is neither another residue nor a narrower range.
    assert_eq!(
        is(x(0, 0, 1), linear(2, 0)),
        Err(Refusal::Residue { place: 0 })
    );
    let bound = x(0, 0, 2).0[0].prove(7, &linear(1, 0), Range(0, 1));
    assert_eq!(
        bound,
        Err(Refusal::Bound {
            place: 7,
            range: Range(0, 2)
        })
    );
}
