//! Kernels with one fault, every one of which must be refused: a proof that accepts anything
//! proves nothing.
//!
//! A fault is an operation of the lanes that does something else, once. The kernels are the real
//! ones; each fault is tried in every place where it can strike.

use super::element::{Element, Refusal, Verdict};
use super::keccak::{self, AbstractLane};
use super::lanes::{Abstract, Provable};
use super::theorems::{add_product, inv_ntt, multiply_accumulate, ntt};
use crate::asm::lanes::{KeccakLanes, Lanes};
use std::cell::Cell;
use std::vec::Vec;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// A sum becomes a difference.
    SubForAdd,
    /// A difference becomes a sum.
    AddForSub,
    /// A constant is left out of a product.
    NoFactor,
    /// The quotient that a multiplication estimates is 0: nothing is reduced.
    NoQuotient,
    /// Barrett's constant is too large by 1024. By a few, it would only loosen the ranges.
    WrongQuotient,
    /// Constants lie one lane to the left, in the values and the quotients alike.
    ShiftedConstants,
    /// Blocks of half, or of twice, the size are transposed.
    WrongBlock,
    /// The results of a transposition change places.
    SwappedVectors,
    /// A negative number stays so.
    NoCorrection,
    /// A product is left out of a sum.
    NoProduct,

    /// A lane is left out of an exclusive or.
    NoLane,
    /// A lane is rotated by one place too many.
    WrongRotation,
    /// A lane is not rotated, where it should be by one place.
    NoRotation,
    /// b & !c for !b & c.
    WrongClear,
    /// The lowest bit of a round constant is the other one.
    WrongConstant,
}

/// A fault, and where it strikes.
#[derive(Clone, Copy)]
struct Planted {
    fault: Fault,
    /// How often it is still passed by.
    wait: usize,
    /// How often it then strikes, one time after the other.
    times: usize,
}

thread_local! {
    static PLANTED: Cell<Option<Planted>> = const { Cell::new(None) };
}

/// Whether the fault strikes here.
fn strikes(fault: Fault) -> bool {
    let Some(mut planted) = PLANTED.get().filter(|planted| planted.fault == fault) else {
        return false;
    };
    let strikes = planted.wait == 0 && planted.times > 0;
    match strikes {
        true => planted.times -= 1,
        false => planted.wait = planted.wait.saturating_sub(1),
    }
    PLANTED.set(Some(planted));
    strikes
}

/// The verdicts on all kernels that have the fault once.
fn verdicts<V>(fault: Fault, theorem: impl Fn() -> V) -> impl Iterator<Item = V> {
    // A constant comes as its value, then its quotient.
    let times = 1 + usize::from(fault == Fault::ShiftedConstants);
    (0..).map_while(move |n| {
        let wait = n * times;
        PLANTED.set(Some(Planted { fault, wait, times }));
        let verdict = theorem();
        let struck = PLANTED.take().is_some_and(|planted| planted.times == 0);
        struck.then_some(verdict)
    })
}

/// Lanes with the fault that is planted.
#[derive(Clone, Copy)]
struct Faulty<L>(L);

impl<L: Provable> Provable for Faulty<L> {
    fn from_elements(elements: &[Element]) -> Self {
        Self(L::from_elements(elements))
    }

    fn elements(self) -> Vec<Element> {
        self.0.elements()
    }
}

impl<L: Lanes> Lanes for Faulty<L> {
    const WIDTH: usize = L::WIDTH;
    type Wide = L::Wide;

    fn splat(c: i16) -> Self {
        Self(L::splat(c))
    }

    fn constants(c: &[i16]) -> Self {
        let mut c = c.to_vec();
        if strikes(Fault::ShiftedConstants) {
            c.rotate_left(1);
        }
        Self(L::constants(&c))
    }

    fn add(self, rhs: Self) -> Self {
        match strikes(Fault::SubForAdd) {
            true => Self(self.0.sub(rhs.0)),
            false => Self(self.0.add(rhs.0)),
        }
    }

    fn sub(self, rhs: Self) -> Self {
        match strikes(Fault::AddForSub) {
            true => Self(self.0.add(rhs.0)),
            false => Self(self.0.sub(rhs.0)),
        }
    }

    fn mul_low(self, rhs: Self) -> Self {
        match strikes(Fault::NoFactor) {
            true => self,
            false => Self(self.0.mul_low(rhs.0)),
        }
    }

    fn mul_round_high(self, rhs: Self) -> Self {
        if strikes(Fault::NoQuotient) {
            return Self::splat(0);
        }
        let rhs = match strikes(Fault::WrongQuotient) {
            true => rhs.0.add(L::splat(1024)),
            false => rhs.0,
        };
        Self(self.0.mul_round_high(rhs))
    }

    fn where_negative(self, c: Self) -> Self {
        match strikes(Fault::NoCorrection) {
            true => Self::splat(0),
            false => Self(self.0.where_negative(c.0)),
        }
    }

    fn shift_left(self, n: usize) -> Self {
        Self(self.0.shift_left(n))
    }

    fn and(self, rhs: Self) -> Self {
        Self(self.0.and(rhs.0))
    }

    fn transpose<const BLOCK: usize>(a: Self, b: Self) -> (Self, Self) {
        let wrong_block = strikes(Fault::WrongBlock);
        let (first, second) = match (wrong_block, BLOCK) {
            (true, 1) => L::transpose::<2>(a.0, b.0),
            (true, 2) => L::transpose::<1>(a.0, b.0),
            (true, 4) => L::transpose::<2>(a.0, b.0),
            (true, 8) => L::transpose::<4>(a.0, b.0),
            (true, 16) => L::transpose::<8>(a.0, b.0),
            _ => L::transpose::<BLOCK>(a.0, b.0),
        };
        match strikes(Fault::SwappedVectors) {
            true => (Self(second), Self(first)),
            false => (Self(first), Self(second)),
        }
    }

    fn zero_wide() -> Self::Wide {
        L::zero_wide()
    }

    fn mul_add_wide(self, rhs: Self, sum: Self::Wide) -> Self::Wide {
        match strikes(Fault::NoProduct) {
            true => sum,
            false => self.0.mul_add_wide(rhs.0, sum),
        }
    }

    fn montgomery_reduce(sum: Self::Wide) -> Self {
        Self(L::montgomery_reduce(sum))
    }
}

impl<L: keccak::Provable> keccak::Provable for Faulty<L> {
    fn from_lane(lane: AbstractLane) -> Self {
        Self(L::from_lane(lane))
    }

    fn lane(self) -> AbstractLane {
        self.0.lane()
    }
}

impl<L: KeccakLanes> KeccakLanes for Faulty<L> {
    fn xor3(self, b: Self, c: Self) -> Self {
        let c = match strikes(Fault::NoLane) {
            true => zero(c.0),
            false => c.0,
        };
        Self(self.0.xor3(b.0, c))
    }

    fn xor_rotated(self, b: Self) -> Self {
        match strikes(Fault::NoRotation) {
            true => Self(self.0.xor3(b.0, zero(b.0))),
            false => Self(self.0.xor_rotated(b.0)),
        }
    }

    fn xor_rotate<const N: u32>(self, b: Self) -> Self {
        let rotated = self.0.xor_rotate::<N>(b.0);
        match strikes(Fault::WrongRotation) {
            true => Self(zero(rotated).xor_rotated(rotated)),
            false => Self(rotated),
        }
    }

    fn xor_clear(self, b: Self, c: Self) -> Self {
        match strikes(Fault::WrongClear) {
            true => Self(self.0.xor_clear(c.0, b.0)),
            false => Self(self.0.xor_clear(b.0, c.0)),
        }
    }

    fn xor_constant(self, c: u64) -> Self {
        let fault = u64::from(strikes(Fault::WrongConstant));
        Self(self.0.xor_constant(c ^ fault))
    }
}

fn zero<L: KeccakLanes>(lane: L) -> L {
    lane.xor_rotate::<0>(lane)
}

/// The widest lanes: the fewest operations, and every kind of shuffle.
type Lanes32 = Faulty<Abstract<32>>;

/// Every kernel that has the fault once is refused, and there are such kernels.
fn all_refused(faults: &[Fault], theorem: fn() -> Verdict) {
    assert_eq!(theorem(), Ok(()), "without a fault");
    for &fault in faults {
        let mut kernels = 0;
        for verdict in verdicts(fault, theorem) {
            assert!(verdict.is_err(), "{fault:?} in place {kernels} is accepted");
            kernels += 1;
        }
        assert!(kernels > 0, "{fault:?} never strikes");
    }
}

use Fault::*;

/// What can go wrong in a butterfly.
const BUTTERFLY: [Fault; 8] = [
    SubForAdd,
    AddForSub,
    NoFactor,
    NoQuotient,
    WrongQuotient,
    ShiftedConstants,
    WrongBlock,
    SwappedVectors,
];

#[test]
fn wrong_ntts_are_refused() {
    all_refused(&BUTTERFLY, ntt::<Lanes32>);
}

#[test]
fn wrong_inverse_ntts_are_refused() {
    all_refused(&BUTTERFLY, inv_ntt::<Lanes32>);
}

#[test]
fn wrong_products_are_refused() {
    let theorem = || multiply_accumulate::<Lanes32>(2);
    let (_, shuffles) = BUTTERFLY.split_at(5);
    all_refused(shuffles, theorem);
    all_refused(&[NoProduct], theorem);
}

#[test]
fn wrong_sums_are_refused() {
    let (arithmetic, _) = BUTTERFLY.split_at(5);
    all_refused(arithmetic, add_product::<Lanes32>);
    all_refused(&[NoCorrection], add_product::<Lanes32>);
}

/// Sums that are not reduced overflow in a later layer, and that is what the proof sees.
#[test]
fn a_missing_reduction_overflows() {
    let overflows = verdicts(NoQuotient, inv_ntt::<Lanes32>)
        .filter(|verdict| matches!(verdict, Err(Refusal::Overflow { .. })))
        .count();
    // Two layers reduce the sums of four pairs of vectors.
    assert_eq!(overflows, 8);
}

/// In every place of the first round; the others are the same lines.
#[test]
fn wrong_permutations_are_refused() {
    let theorem = keccak::keccak_f1600::<Faulty<AbstractLane>>;
    assert_eq!(theorem(), Ok(()), "without a fault");
    for (fault, places) in [
        (NoLane, 10),
        (NoRotation, 5),
        (WrongRotation, 25),
        (WrongClear, 25),
        (WrongConstant, 1),
    ] {
        let verdicts: Vec<_> = verdicts(fault, theorem).take(places).collect();
        assert_eq!(verdicts.len(), places);
        assert!(verdicts.iter().all(Result::is_err), "{fault:?}");
    }
}
