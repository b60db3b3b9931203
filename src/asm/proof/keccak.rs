//! Keccak-f\[1600\] for all states: the kernel over lanes whose bits are polynomials over GF(2).
//!
//! Twenty-four rounds of polynomials would be too large to write down, so there is a cut after
//! every round: a lane that is found equal to what FIPS 202 makes of some lane in a round is
//! replaced by 64 new variables, which by definition are those bits of the next state. Whatever is
//! not equal stays an expression in the bits of an earlier state, and must not meet lanes of a
//! later one. At the end, every lane has to consist of the variables of the last state.

use super::gf2::Bit;
use crate::asm::keccak;
use crate::asm::lanes::KeccakLanes;
use std::boxed::Box;
use std::cell::RefCell;
use std::panic::Location;
use std::rc::Rc;
use std::sync::LazyLock;
use std::vec::Vec;

/// FIPS 202, line by line and bit by bit.
mod fips_202 {
    use super::*;

    /// A\[x, y, z\].
    pub(super) type State = Box<[[[Bit; 64]; 5]; 5]>;

    pub(super) fn state(bit: impl Fn(usize, usize, usize) -> Bit) -> State {
        let row = |x, y| core::array::from_fn(|z| bit(x, y, z));
        Box::new(core::array::from_fn(|x| {
            core::array::from_fn(|y| row(x, y))
        }))
    }

    /// Algorithm 1.
    pub(super) fn theta(a: &State) -> State {
        let c: Vec<[Bit; 64]> = (0..5)
            .map(|x| core::array::from_fn(|z| Bit::sum((0..5).map(|y| &a[x][y][z]))))
            .collect();
        let d = |x: usize, z: usize| Bit::sum([&c[(x + 4) % 5][z], &c[(x + 1) % 5][(z + 63) % 64]]);
        state(|x, y, z| Bit::sum([&a[x][y][z], &d(x, z)]))
    }

    /// Algorithm 2.
    pub(super) fn rho(a: &State) -> State {
        let mut rotated = a.clone();
        let (mut x, mut y) = (1, 0);
        for t in 0..24 {
            let offset = (t + 1) * (t + 2) / 2 % 64;
            rotated[x][y] = core::array::from_fn(|z| a[x][y][(z + 64 - offset) % 64].clone());
            (x, y) = (y, (2 * x + 3 * y) % 5);
        }
        rotated
    }

    /// Algorithm 3.
    pub(super) fn pi(a: &State) -> State {
        state(|x, y, z| a[(x + 3 * y) % 5][x][z].clone())
    }

    /// Algorithm 4.
    pub(super) fn chi(a: &State) -> State {
        let one = Bit::constant(true);
        state(|x, y, z| {
            let not_next = Bit::sum([&a[(x + 1) % 5][y][z], &one]);
            let product = not_next.product(&a[(x + 2) % 5][y][z]);
            Bit::sum([&a[x][y][z], &product.expect("degree two")])
        })
    }

    /// Algorithm 5.
    pub(super) fn rc(t: usize) -> bool {
        let mut r = Vec::from([true, false, false, false, false, false, false, false]);
        for _ in 1..=t % 255 {
            r.insert(0, false);
            r[0] ^= r[8];
            r[4] ^= r[8];
            r[5] ^= r[8];
            r[6] ^= r[8];
            r.truncate(8);
        }
        r[0]
    }

    /// RC of Algorithm 6.
    pub(super) fn round_constant(round: usize) -> u64 {
        (0..=6)
            .map(|j| u64::from(rc(j + 7 * round)) << ((1 << j) - 1))
            .sum()
    }
}

/// The bits of lane `lane` = 5y + x, as variables.
fn variables(lane: usize) -> Vec<Bit> {
    (0..64)
        .map(|z| Bit::variable((64 * lane + z) as u16))
        .collect()
}

/// The lanes after chi, in the bits of the state before theta.
static AFTER_CHI: LazyLock<Vec<Vec<Bit>>> = LazyLock::new(|| {
    use fips_202::{chi, pi, rho, state, theta};
    let a = state(|x, y, z| Bit::variable((64 * (5 * y + x) + z) as u16));
    let a = chi(&pi(&rho(&theta(&a))));
    (0..25).map(|lane| a[lane % 5][lane / 5].to_vec()).collect()
});

/// The constants of iota.
static ROUND_CONSTANTS: LazyLock<[u64; 24]> =
    LazyLock::new(|| core::array::from_fn(fips_202::round_constant));

/// Whether the bits are what FIPS 202 makes of a lane in a round.
fn is_lane_after(round: usize, lane: usize, bits: &[Bit]) -> bool {
    let constant = if lane == 0 { ROUND_CONSTANTS[round] } else { 0 };
    let mut pairs = bits.iter().zip(&AFTER_CHI[lane]).enumerate();
    pairs.all(|(z, (bit, after_chi))| *bit == Bit::sum([after_chi, &bit_of(constant, z)]))
}

fn bit_of(c: u64, z: usize) -> Bit {
    Bit::constant(c >> z & 1 == 1)
}

/// Why the proof fails.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Refusal {
    /// A line of the kernel mixes lanes of several rounds: some are not what they should be.
    Rounds { at: &'static Location<'static> },
    /// A product of more than two bits.
    Degree { at: &'static Location<'static> },
    /// A lane of the result is not that of FIPS 202.
    Lane(usize),
}

/// A lane's bits, in those of the state that the round `round` begins with.
#[derive(PartialEq)]
struct Contents {
    round: usize,
    bits: Vec<Bit>,
}

impl Contents {
    /// The same contents, in the bits of the next state if they are a lane of that.
    fn cut(self) -> Self {
        let is_lane = |&lane: &usize| is_lane_after(self.round, lane, &self.bits);
        match (0..25).find(|lane| self.round < 24 && is_lane(lane)) {
            Some(lane) => Self::of_state(self.round + 1, lane),
            None => self,
        }
    }

    fn of_state(round: usize, lane: usize) -> Self {
        let bits = variables(lane);
        Self { round, bits }
    }
}

thread_local! {
    static LANES: RefCell<Vec<Result<Rc<Contents>, Refusal>>> = const { RefCell::new(Vec::new()) };
}

/// One lane of a state, by its place among the lanes that this thread's proof knows.
#[derive(Clone, Copy)]
pub(super) struct AbstractLane(usize);

impl AbstractLane {
    fn new(contents: Result<Contents, Refusal>) -> Self {
        LANES.with_borrow_mut(|lanes| {
            lanes.push(contents.map(Rc::new));
            Self(lanes.len() - 1)
        })
    }

    fn contents(self) -> Result<Rc<Contents>, Refusal> {
        LANES.with_borrow(|lanes| lanes[self.0].clone())
    }

    /// Bit z of the result is `bit(z, lanes)`, unless that is of too high a degree.
    #[track_caller]
    fn bitwise<const N: usize>(
        lanes: [Self; N],
        bit: impl Fn(usize, [&[Bit]; N]) -> Option<Bit>,
    ) -> Self {
        let at = Location::caller();
        let result = || {
            let lanes: Vec<_> = lanes
                .iter()
                .map(|lane| lane.contents())
                .collect::<Result<_, _>>()?;
            let round = lanes[0].round;
            if lanes.iter().any(|lane| lane.round != round) {
                return Err(Refusal::Rounds { at });
            }
            let bits = (0..64).map(|z| bit(z, core::array::from_fn(|i| &lanes[i].bits[..])));
            let bits = bits.collect::<Option<_>>().ok_or(Refusal::Degree { at })?;
            Ok(Contents { round, bits }.cut())
        };
        Self::new(result())
    }
}

impl KeccakLanes for AbstractLane {
    #[track_caller]
    fn xor3(self, b: Self, c: Self) -> Self {
        Self::bitwise([self, b, c], |z, lanes| {
            Some(Bit::sum(lanes.map(|lane| &lane[z])))
        })
    }

    #[track_caller]
    fn xor_rotated(self, b: Self) -> Self {
        Self::bitwise([self, b], |z, [a, b]| {
            Some(Bit::sum([&a[z], &b[(z + 63) % 64]]))
        })
    }

    #[track_caller]
    fn xor_rotate<const N: u32>(self, b: Self) -> Self {
        Self::bitwise([self, b], |z, lanes| {
            let from = (z + 64 - N as usize) % 64;
            Some(Bit::sum(lanes.map(|lane| &lane[from])))
        })
    }

    #[track_caller]
    fn xor_clear(self, b: Self, c: Self) -> Self {
        let one = Bit::constant(true);
        Self::bitwise([self, b, c], |z, [a, b, c]| {
            let cleared = Bit::sum([&one, &b[z]]).product(&c[z])?;
            Some(Bit::sum([&a[z], &cleared]))
        })
    }

    #[track_caller]
    fn xor_constant(self, c: u64) -> Self {
        Self::bitwise([self], |z, [a]| Some(Bit::sum([&a[z], &bit_of(c, z)])))
    }
}

/// Lanes that begin and end a proof.
pub(super) trait Provable: KeccakLanes {
    fn from_lane(lane: AbstractLane) -> Self;
    fn lane(self) -> AbstractLane;
}

impl Provable for AbstractLane {
    fn from_lane(lane: AbstractLane) -> Self {
        lane
    }

    fn lane(self) -> AbstractLane {
        self
    }
}

/// The kernel is Keccak-f\[1600\].
pub(super) fn keccak_f1600<L: Provable>() -> Result<(), Refusal> {
    is_keccak_f1600::<L>(keccak::keccak_f1600)
}

/// What is given is Keccak-f\[1600\].
fn is_keccak_f1600<L: Provable>(permute: impl Fn(&mut [L; 25])) -> Result<(), Refusal> {
    LANES.with_borrow_mut(Vec::clear);
    let input = |lane| AbstractLane::new(Ok(Contents::of_state(0, lane)));
    let mut a = core::array::from_fn(|lane| L::from_lane(input(lane)));
    permute(&mut a);
    for (lane, result) in a.into_iter().enumerate() {
        if *result.lane().contents()? != Contents::of_state(24, lane) {
            return Err(Refusal::Lane(lane));
        }
    }
    Ok(())
}

#[test]
fn the_permutation_is_that_of_fips_202() {
    assert_eq!(keccak_f1600::<AbstractLane>(), Ok(()));
}

/// The instructions of both tables, read as they are named.
#[test]
#[cfg(target_arch = "aarch64")]
fn the_instructions_of_aarch64_permute_as_fips_202_does() {
    use crate::asm::aarch64::rounds::read;
    assert_eq!(is_keccak_f1600::<AbstractLane>(read::neon), Ok(()));
    assert_eq!(is_keccak_f1600::<AbstractLane>(read::sha3), Ok(()));
}
