//! Lanes of which everything is known that a proof needs, and nothing else.

use super::element::{At, Element, Operation};
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
