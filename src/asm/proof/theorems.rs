//! What is proved of the kernels over 16-bit lanes, at every width that a vector can have.
//!
//! The statements are those of `Kernels`. What FIPS 203 says is taken from its definitions, not
//! from its algorithms, so nothing here can share a mistake with a kernel.

use super::element::{Element, Range, Refusal, Verdict};
use super::lanes::{Abstract, Provable};
use super::polynomial::Polynomial;
use crate::asm::backend::{NTT_BOUND, PRODUCT_BOUND, Q};
use crate::asm::reduce::{self, Constant, multiply_bound};
use crate::asm::{multiply, ntt};
use crate::kem::spec;
use std::sync::LazyLock;
use std::vec::Vec;

/// Below q in absolute value.
const REDUCED: i16 = Q - 1;

/// As vectors, 256 inputs from number `first` on.
fn inputs<L: Provable>(first: u16, range: Range) -> Vec<L> {
    let elements: Vec<_> = (first..first + 256)
        .map(|i| Element::input(i, range))
        .collect();
    elements.chunks(L::WIDTH).map(L::from_elements).collect()
}

/// Each output is congruent to its target, and in the range.
fn prove<L: Provable>(outputs: &[L], targets: &[Polynomial], bound: Range) -> Verdict {
    let elements: Vec<_> = outputs.iter().flat_map(|v| v.elements()).collect();
    assert_eq!(elements.len(), targets.len());
    let mut results = elements.iter().zip(targets).enumerate();
    results.try_for_each(|(place, (element, target))| element.prove(place, target, bound))
}

fn power(base: i64, exponent: usize) -> i64 {
    (0..exponent).fold(1, |power, _| power * base % i64::from(Q))
}

/// gamma_i = zeta^(2 BitRev_7(i) + 1), the root of the i-th factor X^2 - gamma_i of X^256 + 1.
fn gamma(i: usize) -> i64 {
    let bit_rev_7: usize = (0..7).map(|bit| (i >> bit & 1) << (6 - bit)).sum();
    power(17, 2 * bit_rev_7 + 1)
}

/// (4.12): the i-th pair of NTT(f) is f mod X^2 - gamma_i, where X^(2j) is gamma_i^j.
static NTT: LazyLock<Vec<Polynomial>> = LazyLock::new(|| {
    let number = |i: usize| {
        let gamma = gamma(i / 2);
        Polynomial::linear((0..128).map(|j| ((2 * j + i % 2) as u16, power(gamma, j))))
    };
    (0..256).map(number).collect()
});

/// f_(2j) = 1/128 times the sum of gamma_i^-j fhat_(2i), likewise the odd ones; and times 2^16.
/// Gamma^-j is gamma^(256 - j), and 2^16 / 128 is 512.
static INVERSE: LazyLock<Vec<Polynomial>> = LazyLock::new(|| {
    let gammas: Vec<_> = (0..128).map(gamma).collect();
    let number = |j: usize| {
        let c = |i: usize| 512 * power(gammas[i], 256 - j / 2);
        Polynomial::linear((0..128).map(|i| ((2 * i + j % 2) as u16, c(i))))
    };
    (0..256).map(number).collect()
});

/// `Kernels::ntt`.
pub(super) fn ntt<L: Provable>() -> Verdict {
    Element::begin_proof();
    let f = inputs::<L>(0, Range::within(REDUCED));
    let mut f_hat = inputs(0, Range::LANE);
    ntt::ntt(&f, &mut f_hat);
    prove(&f_hat, &NTT, Range::within(NTT_BOUND))
}

/// `Kernels::inv_ntt`.
pub(super) fn inv_ntt<L: Provable>() -> Verdict {
    Element::begin_proof();
    let f_hat = inputs::<L>(0, Range::within(PRODUCT_BOUND));
    let mut f = inputs(0, Range::LANE);
    ntt::inv_ntt(&f_hat, &mut f);
    prove(&f, &INVERSE, Range::within(REDUCED))
}

/// `Kernels::multiply_accumulate`, of so many terms.
pub(super) fn multiply_accumulate<L: Provable>(terms: u16) -> Verdict {
    sum_of_products::<L>(terms, |a, b, sum| {
        let pairs = a.iter().zip(b).map(|(a, b)| (&a[..], &b[..]));
        multiply::multiply_accumulate(pairs, sum);
    })
}

/// The same by the instructions of AArch64.
#[cfg(target_arch = "aarch64")]
fn multiply_accumulate_on_aarch64<L: Provable>(terms: u16) -> Verdict {
    sum_of_products::<L>(terms, |a, b, sum| {
        let table = |b: &Vec<L>| {
            let pairs = b.as_chunks().0.iter().enumerate();
            let entries = pairs.map(|(i, pair)| multiply::table_entry(pair, i));
            entries.collect()
        };
        let terms: Vec<_> = a.iter().cloned().zip(b.iter().map(table)).collect();
        crate::asm::aarch64::products::read::sum_of_products(&terms, sum);
    })
}

/// What makes sums of products of a and b makes the right ones.
fn sum_of_products<L: Provable>(
    terms: u16,
    multiply: impl FnOnce(&[Vec<L>], &[Vec<L>], &mut [L]),
) -> Verdict {
    Element::begin_proof();
    let (a, b): (Vec<_>, Vec<_>) = (0..terms)
        .map(|n| {
            let a = inputs::<L>(512 * n, Range::within(REDUCED));
            (a, inputs::<L>(512 * n + 256, Range::LANE))
        })
        .unzip();
    let mut sum = inputs(0, Range::LANE);
    multiply(&a, &b, &mut sum);

    // Algorithms 11 and 12, times 2^-16 = 169.
    let products = |places: [(usize, usize); 2], factors: [i64; 2]| {
        let mut sum = Polynomial::default();
        for n in 0..terms {
            for ((i, j), c) in places.into_iter().zip(factors) {
                let [a, b] = [512 * n + i as u16, 512 * n + 256 + j as u16].map(Polynomial::input);
                sum = sum.plus(169 * c, &a.times(&b).expect("degree two"));
            }
        }
        sum
    };
    let targets: Vec<_> = (0..128)
        .flat_map(|i| {
            let (even, odd) = (2 * i, 2 * i + 1);
            [
                products([(even, even), (odd, odd)], [1, gamma(i)]),
                products([(even, odd), (odd, even)], [1, 1]),
            ]
        })
        .collect();
    prove(&sum, &targets, Range::within(PRODUCT_BOUND))
}

/// `Kernels::add_product`.
pub(super) fn add_product<L: Provable>() -> Verdict {
    Element::begin_proof();
    let product = inputs::<L>(0, Range::within(PRODUCT_BOUND));
    let e_hat = inputs::<L>(256, Range::within(NTT_BOUND));
    let mut sum = inputs(0, Range::LANE);
    multiply::add_product(&product, &e_hat, &mut sum);
    let target = |i| Polynomial::linear([(i, 1 << 16), (256 + i, 1)]);
    let targets: Vec<_> = (0..256).map(target).collect();
    prove(&sum, &targets, Range(0, REDUCED.into()))
}

/// A reduction of any lane stays congruent and in the range.
fn reduction(reduce: fn(Abstract<1>) -> Abstract<1>, c: i64, bound: Range) -> Verdict {
    Element::begin_proof();
    let x = Abstract::from_elements(&[Element::input(0, Range::LANE)]);
    prove(&[reduce(x)], &[Polynomial::linear([(0, c)])], bound)
}

/// Tests a theorem at every width.
macro_rules! at_every_width {
    ($theorem:ident $args:tt) => {
        at_every_width!($theorem $args: 1 2 4 8 16 32)
    };
    ($theorem:ident $args:tt: $($width:literal)*) => {
        $(assert_eq!($theorem::<Abstract<$width>> $args, Ok(()), "{} lanes", $width);)*
    };
}

mod at_every_width {
    use super::*;

    #[test]
    fn the_ntt_is_that_of_fips_203() {
        at_every_width!(ntt());
    }

    #[test]
    fn the_inverse_ntt_is_that_of_fips_203() {
        at_every_width!(inv_ntt());
    }

    #[test]
    fn sums_of_products_are_those_of_fips_203() {
        for terms in 0..=4 {
            at_every_width!(multiply_accumulate(terms));
        }
    }

    #[test]
    #[cfg(target_arch = "aarch64")]
    fn sums_of_products_on_aarch64_are_those_of_fips_203() {
        for terms in 2..=4 {
            assert_eq!(multiply_accumulate_on_aarch64::<Abstract<8>>(terms), Ok(()));
        }
    }

    #[test]
    fn a_product_is_added() {
        at_every_width!(add_product());
    }
}

#[test]
fn reductions_are_right_for_any_lane() {
    let bound = Range::within(multiply_bound(1 << 15) as i16);
    assert_eq!(reduction(reduce::barrett_reduce, 1, bound), Ok(()));
    let canonical = Range(0, REDUCED.into());
    assert_eq!(reduction(reduce::canonical, 1, canonical), Ok(()));
}

#[test]
fn multiplication_by_every_constant_is_right_for_any_lane() {
    let bound = Range::within(multiply_bound(1 << 15) as i16);
    for c in -1664..=1664 {
        Element::begin_proof();
        let x = Abstract::<1>::from_elements(&[Element::input(0, Range::LANE)]);
        let product = reduce::multiply(x, Constant::new(c));
        let target = Polynomial::linear([(0, c)]);
        assert_eq!(prove(&[product], &[target], bound), Ok(()), "{c}");
    }
}

/// More terms than the contract admits may overflow, and the proof says so.
#[test]
fn five_terms_are_too_many() {
    let verdict = multiply_accumulate::<Abstract<16>>(5);
    assert!(matches!(verdict, Err(Refusal::Bound { .. })), "{verdict:?}");
}

/// The two targets belong together, and to the algorithms of the standard, which are linear in
/// what they transform, as one sees by reading them.
#[test]
fn definitions_and_algorithms_agree() {
    let plain = |i: usize, c: i64| Polynomial::linear([(i as u16, c)]);
    for i in 0..256 {
        let round_trip = INVERSE[i].substitute(&NTT);
        assert_eq!(round_trip, plain(i, 1 << 16), "coefficient {i}");
    }
    let columns = |transform: fn(&spec::Poly) -> spec::Poly| -> Vec<spec::Poly> {
        let basis = |i| core::array::from_fn(|j| u32::from(i == j));
        (0..256).map(|i| transform(&basis(i))).collect()
    };
    for (transform, targets, scale) in [
        (columns(spec::ntt), &NTT, 1),
        (columns(spec::inv_ntt), &INVERSE, 1 << 16),
    ] {
        for (i, target) in targets.iter().enumerate() {
            let row = (0..256).map(|j| (j as u16, scale * i64::from(transform[j][i])));
            assert_eq!(*target, Polynomial::linear(row), "coefficient {i}");
        }
    }
}
