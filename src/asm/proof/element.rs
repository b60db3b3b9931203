//! What can be said of one 16-bit lane, for all inputs within their ranges.
//!
//! An [`Element`] is a *value* or a *function* of one. Of a value it is known in which range the
//! number lies and, as a polynomial in the inputs, to what it is congruent modulo q. A function
//! stands for the steps of a reduction or of a multiplication by a constant, whose intermediate
//! results are congruent to nothing: it is only written down, until it is used as a number. Then
//! it is computed at every number in the range of the value that it is a function of, by the plain
//! lanes of `portable`, and has to be congruent to slope * x + offset at every one.
//!
//! So an addition of two values is shown not to wrap by their ranges, a multiplication by a
//! constant is shown to be one by trying all numbers, and whatever is neither is refused. A refusal
//! spreads to all that is computed from it.

use super::polynomial::Polynomial;
use crate::asm::backend::Q;
use crate::asm::lanes::Lanes;
use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::Location;
use std::rc::Rc;
use std::sync::LazyLock;
use std::vec;
use std::vec::Vec;

/// A line of a kernel.
pub(super) type At = &'static Location<'static>;

/// All integers from the one to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Range(pub(super) i64, pub(super) i64);

impl Range {
    /// All numbers of a lane.
    pub(super) const LANE: Self = Self(i16::MIN as i64, i16::MAX as i64);
    /// All numbers of a sum of products.
    const WIDE: Self = Self(i32::MIN as i64, i32::MAX as i64);

    /// From -bound to bound.
    pub(super) fn within(bound: i16) -> Self {
        Self(-i64::from(bound), bound.into())
    }

    fn of(numbers: impl IntoIterator<Item = i64>) -> Self {
        let hull = |Self(low, high), x: i64| Self(x.min(low), x.max(high));
        numbers.into_iter().fold(Self(i64::MAX, i64::MIN), hull)
    }

    pub(super) fn contains(self, other: Self) -> bool {
        self.0 <= other.0 && other.1 <= self.1
    }

    /// Refuses a result of an operation that does not fit.
    fn fits(self, bits: Self, at: At) -> Result<Self, Refusal> {
        match bits.contains(self) {
            true => Ok(self),
            false => Err(Refusal::Overflow { at, range: self }),
        }
    }
}

/// Why a proof fails.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Refusal {
    /// A sum or difference may wrap.
    Overflow { at: At, range: Range },
    /// A function, used as a number here, is not congruent to slope * x + offset for this x, or
    /// breaks the contract of one of its operations.
    NotAffine { at: At, x: i64 },
    /// An operation other than addition and subtraction on unrelated values.
    Unrelated { at: At, operation: Operation },
    /// A product of more than two inputs.
    Degree { at: At },
    /// An output is congruent to something else.
    Residue { place: usize },
    /// An output may leave its bound.
    Bound { place: usize, range: Range },
}

pub(super) type Verdict = Result<(), Refusal>;

/// The element-wise operations of [`Lanes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    Add,
    Sub,
    MulLow,
    MulRoundHigh,
    WhereNegative,
    ShiftLeft,
    And,
}

/// As many numbers as the compiler works on at once.
type Chunk = [i16; 32];

impl Operation {
    fn on_numbers(self, a: Chunk, b: Chunk) -> Chunk {
        match self {
            Self::Add => a.add(b),
            Self::Sub => a.sub(b),
            Self::MulLow => a.mul_low(b),
            Self::MulRoundHigh => a.mul_round_high(b),
            Self::WhereNegative => a.where_negative(b),
            Self::ShiftLeft => a.shift_left(b[0] as usize),
            Self::And => a.and(b),
        }
    }
}

/// A function of one number.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Function {
    Argument,
    Constant(i16),
    Operation(Operation, Rc<Function>, Rc<Function>),
}

impl Function {
    /// The function at all numbers of `x`, or the place of one where an operation's contract is
    /// broken.
    fn at(&self, x: &[Chunk]) -> Result<Vec<Chunk>, usize> {
        let (operation, a, b) = match self {
            Self::Argument => return Ok(x.to_vec()),
            Self::Constant(c) => return Ok(vec![[*c; _]; x.len()]),
            Self::Operation(operation, a, b) => (*operation, a.at(x)?, b.at(x)?),
        };
        if operation == Operation::MulRoundHigh {
            let mut factors = a.as_flattened().iter().zip(b.as_flattened());
            if let Some(place) = factors.position(|(&a, &b)| a == i16::MIN && b == i16::MIN) {
                return Err(place);
            }
        }
        let pairs = a.into_iter().zip(b);
        Ok(pairs.map(|(a, b)| operation.on_numbers(a, b)).collect())
    }

    /// What the function is for every x in the range, or an x where it is not that.
    fn affine(&self, range: Range) -> Result<Affine, i64> {
        assert!(Range::LANE.contains(range), "lanes alone have functions");
        let Range(low, high) = range;
        // The last number fills up the last chunk.
        let x: Vec<Chunk> = (low..=high)
            .step_by(32)
            .map(|start| core::array::from_fn(|i| (start + i as i64).min(high) as i16))
            .collect();
        let count = (high - low) as usize + 1;
        let at = |place: usize| low + place.min(count - 1) as i64;
        let y = self.at(&x).map_err(at)?;
        let y = &y.as_flattened()[..count];

        let slope = match *y {
            [first, second, ..] => i32::from(second) - i32::from(first),
            _ => 0,
        };
        let slope = slope.rem_euclid(Q.into());
        let offset = i32::from(y[0]) - slope * low as i32;
        let other =
            |(x, &y): (i64, &i16)| (i32::from(y) - slope * x as i32 - offset) % i32::from(Q) != 0;
        if let Some(place) = (low..=high).zip(y).position(other) {
            return Err(at(place));
        }
        let (lowest, highest) = y
            .iter()
            .fold((y[0], y[0]), |(low, high), &y| (low.min(y), high.max(y)));
        Ok(Affine {
            slope: slope.into(),
            offset: offset.into(),
            range: Range(lowest.into(), highest.into()),
        })
    }
}

/// slope * x + offset modulo q, within a range.
#[derive(Clone, Copy)]
struct Affine {
    slope: i64,
    offset: i64,
    range: Range,
}

/// A number in a range, and what it is congruent to.
#[derive(Debug)]
pub(super) struct Value {
    range: Range,
    residue: Polynomial,
}

#[derive(Clone)]
enum Term {
    Value(Rc<Value>),
    /// Of a value; constants are functions of none.
    Function(Option<Element>, Rc<Function>),
    Refused(Refusal),
}

/// What functions have turned out to be on a range. No proof changes that.
type KnownFunctions = HashMap<(Rc<Function>, Range), Result<Affine, i64>>;

thread_local! {
    /// All elements of the proof that this thread is at.
    static TERMS: RefCell<Vec<Term>> = const { RefCell::new(Vec::new()) };
    static AFFINE: RefCell<KnownFunctions> = RefCell::default();
}

/// One lane, by its place among the terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element(usize);

impl Element {
    /// Forgets all elements.
    pub(super) fn begin_proof() {
        TERMS.with_borrow_mut(Vec::clear);
    }

    fn new(term: Result<Term, Refusal>) -> Self {
        TERMS.with_borrow_mut(|terms| {
            terms.push(term.unwrap_or_else(Term::Refused));
            Self(terms.len() - 1)
        })
    }

    fn term(self) -> Term {
        TERMS.with_borrow(|terms| terms[self.0].clone())
    }

    fn known(range: Range, residue: Polynomial) -> Term {
        Term::Value(Rc::new(Value { range, residue }))
    }

    pub(super) fn constant(c: i16) -> Self {
        Self::new(Ok(Term::Function(None, Rc::new(Function::Constant(c)))))
    }

    /// Any number in the range.
    pub(super) fn input(number: u16, range: Range) -> Self {
        Self::new(Ok(Self::known(range, Polynomial::input(number))))
    }

    /// Congruent to a polynomial, and in a range: the proof that an output is right.
    pub(super) fn prove(self, place: usize, residue: &Polynomial, bound: Range) -> Verdict {
        let value = self.value(Location::caller())?;
        if value.residue != *residue {
            return Err(Refusal::Residue { place });
        }
        if !bound.contains(value.range) {
            let range = value.range;
            return Err(Refusal::Bound { place, range });
        }
        Ok(())
    }

    /// What the element is as a number. A function that has been used as one is a value from then
    /// on.
    fn value(self, at: At) -> Result<Rc<Value>, Refusal> {
        let (of, function) = match self.term() {
            Term::Value(value) => return Ok(value),
            Term::Refused(refusal) => return Err(refusal),
            Term::Function(of, function) => (of, function),
        };
        let (range, argument) = match of {
            Some(x) => (x.value(at)?.range, x.value(at)?.residue.clone()),
            None => (Range(0, 0), Polynomial::default()),
        };
        let affine = AFFINE.with_borrow_mut(|known| {
            *known
                .entry((function.clone(), range))
                .or_insert_with(|| function.affine(range))
        });
        let Affine {
            slope,
            offset,
            range,
        } = affine.map_err(|x| Refusal::NotAffine { at, x })?;
        let residue = Polynomial::constant(offset).plus(slope, &argument);
        let value = Rc::new(Value { range, residue });
        TERMS.with_borrow_mut(|terms| terms[self.0] = Term::Value(value.clone()));
        Ok(value)
    }

    /// The element as a function of a value, if only of itself.
    fn function(self) -> Result<(Option<Self>, Rc<Function>), Refusal> {
        match self.term() {
            Term::Value(_) => Ok((Some(self), Rc::new(Function::Argument))),
            Term::Function(of, function) => Ok((of, function)),
            Term::Refused(refusal) => Err(refusal),
        }
    }

    pub(super) fn operate(self, operation: Operation, rhs: Self, at: At) -> Self {
        Self::new(self.result(operation, rhs, at))
    }

    fn result(self, operation: Operation, rhs: Self, at: At) -> Result<Term, Refusal> {
        let ((x, a), (y, b)) = (self.function()?, rhs.function()?);
        if x.is_none() || y.is_none() || x == y {
            let function = Function::Operation(operation, a, b);
            return Ok(Term::Function(x.or(y), Rc::new(function)));
        }
        let (a, b) = (self.value(at)?, rhs.value(at)?);
        let (sign, Range(low, high)) = match operation {
            Operation::Add => (1, b.range),
            Operation::Sub => (-1, Range(-b.range.1, -b.range.0)),
            _ => return Err(Refusal::Unrelated { at, operation }),
        };
        let range = Range(a.range.0 + low, a.range.1 + high).fits(Range::LANE, at)?;
        Ok(Self::known(range, a.residue.plus(sign, &b.residue)))
    }

    /// The sum of products of no elements.
    pub(super) fn zero_wide() -> Self {
        Self::new(Ok(Self::known(Range(0, 0), Polynomial::default())))
    }

    /// A sum of products, and one product more.
    pub(super) fn add_product(self, a: Self, b: Self, at: At) -> Self {
        Self::new(self.with_product(a, b, at))
    }

    fn with_product(self, a: Self, b: Self, at: At) -> Result<Term, Refusal> {
        let (sum, a, b) = (self.value(at)?, a.value(at)?, b.value(at)?);
        let corners = |x: i64| [x * b.range.0, x * b.range.1];
        let product = Range::of([a.range.0, a.range.1].into_iter().flat_map(corners));
        let range = Range(sum.range.0 + product.0, sum.range.1 + product.1);
        let residue = a.residue.times(&b.residue).ok_or(Refusal::Degree { at })?;
        let residue = sum.residue.plus(1, &residue);
        Ok(Self::known(range.fits(Range::WIDE, at)?, residue))
    }

    /// The Montgomery reduction of a sum of products.
    pub(super) fn montgomery_reduce(self, at: At) -> Self {
        Self::new(self.reduced(at))
    }

    /// The reduction subtracts m q, with an m of 16 bits that depends on the low 16 bits of the sum
    /// alone, and takes the upper half. Of 2^16 h + l, that is h more than of l; and if the
    /// reduction of l is congruent to 2^-16 l, then that of the sum is so to its. So it is enough
    /// to try every l.
    fn reduced(self, at: At) -> Result<Term, Refusal> {
        static OF_LOW_HALVES: LazyLock<Range> = LazyLock::new(|| {
            Range::of((0..1 << 16).map(|low| {
                let [reduced] = <[i16; 1]>::montgomery_reduce([low]);
                let difference = (i64::from(reduced) << 16) - i64::from(low);
                assert_eq!(
                    difference % i64::from(Q),
                    0,
                    "Montgomery reduction of {low}"
                );
                reduced.into()
            }))
        });
        let sum = self.value(at)?;
        let Range(low, high) = sum.range;
        let subtracted = i64::from(Q) << 15;
        Range(low - subtracted, high + subtracted).fits(Range::WIDE, at)?;
        let range = Range(
            (low >> 16) + OF_LOW_HALVES.0,
            (high >> 16) + OF_LOW_HALVES.1,
        );
        // 2^-16 is 169 modulo q.
        const { assert!((169 << 16) % Q as i64 == 1) };
        let residue = Polynomial::default().plus(169, &sum.residue);
        Ok(Self::known(range.fits(Range::LANE, at)?, residue))
    }
}
