//! NIST's ACVP vectors for ML-KEM, twice: the self-test's own account of them, and the same file
//! read by other code and run through the key types, which is what users of the library call.
//!
//! That a changed vector is reported as a failure is tested beside the self-test, in
//! `src/selftest/acvp.rs`, where the vectors can be changed.
#![cfg(feature = "std")]

mod support;

use pqbox::Error;
use pqbox::kem::{
    Ciphertext, DecapsulationKey, EncapsulationKey, MlKem512, MlKem768, MlKem1024, ParameterSet,
    Seed, SetId, decapsulate_bytes, encapsulate_bytes,
};
use pqbox::selftest;
use support::{Given, on_every_backend};

static VECTORS: &[u8] = include_bytes!("../src/selftest/vectors/acvp.bin");

/// FIPS 203's five functions and the cases that NIST has of each, for each parameter set.
const CASES: [(&str, usize); 5] = [
    ("key generation", 25),
    ("encapsulation", 25),
    ("decapsulation", 10),
    ("encapsulation key check", 10),
    ("decapsulation key check", 10),
];

#[test]
fn the_self_test_runs_all_240_cases_and_passes() {
    on_every_backend(|backend| {
        let rows = selftest::run(backend);
        let mut acvp = rows.iter().filter(|row| row.vectors == "ACVP");
        for (function, cases) in CASES {
            for set in SetId::ALL {
                let row = acvp.next().expect("a row of every function and set");
                assert_eq!((row.function, row.set), (function, set.name()));
                assert_eq!((row.passed, row.total), (cases, cases), "{row:?}");
                assert_eq!(row.backend, backend.name());
            }
        }
        assert_eq!(acvp.next(), None);
        for vectors in ["FIPS 202", "SP 800-38D"] {
            assert!(
                rows.iter().any(|row| row.vectors == vectors),
                "no {vectors}"
            );
        }
        assert!(rows.iter().all(selftest::Row::is_good), "{rows:?}");
    });
}

#[test]
fn the_self_test_before_use_passes() {
    on_every_backend(|backend| {
        for set in SetId::ALL {
            selftest::before_use(set, backend).expect("the self-test passes");
        }
    });
}

/// The bytes of a file, taken off piece by piece.
struct Pieces<'a>(&'a [u8]);

impl<'a> Pieces<'a> {
    fn take(&mut self, len: usize) -> &'a [u8] {
        self.0.split_off(..len).expect("the file is long enough")
    }

    fn array<const N: usize>(&mut self) -> [u8; N] {
        self.take(N).try_into().expect("as long as asked for")
    }
}

#[test]
fn the_key_types_give_the_same_answers() {
    on_every_backend(|_| {
        let mut file = Pieces(VECTORS);
        let mut groups = 0;
        while !file.0.is_empty() {
            let [function, set, n1, n0] = file.array();
            for _ in 0..u16::from_be_bytes([n1, n0]) {
                match set {
                    0 => run_case::<MlKem512>(function, &mut file),
                    1 => run_case::<MlKem768>(function, &mut file),
                    2 => run_case::<MlKem1024>(function, &mut file),
                    _ => panic!("parameter set {set}"),
                }
            }
            groups += 1;
        }
        assert_eq!(groups, 15);
    });
}

fn run_case<P: ParameterSet>(function: u8, file: &mut Pieces<'_>) {
    let [untouched] = file.array();
    match function {
        0 => {
            let seed = Seed::from(&file.array());
            let expanded = file.take(P::DK_LEN);
            let dk = DecapsulationKey::<P>::from_seed(&seed);
            assert_eq!((*dk.to_expanded()).as_ref(), expanded);
            let ek = dk.encapsulation_key().as_bytes();
            assert_eq!(ek, &expanded[384 * P::K..][..P::EK_LEN]);
        }
        1 => {
            let (ek, m) = (file.take(P::EK_LEN), file.take(32));
            let (c, k) = (file.take(P::CT_LEN), file.take(32));
            let parsed = EncapsulationKey::<P>::try_from(ek).expect("a good key");
            for (our_k, our_c) in [
                parsed.encapsulate(&mut Given(m)).expect("randomness"),
                parsed.encapsulate(&mut Given(m)).expect("randomness"),
                encapsulate_bytes::<P>(ek, &mut Given(m)).expect("a good key"),
            ] {
                assert_eq!((our_c.as_bytes(), &our_k.as_bytes()[..]), (c, k));
            }
        }
        2 => {
            let (dk, c, k) = (file.take(P::DK_LEN), file.take(P::CT_LEN), file.take(32));
            let parsed = DecapsulationKey::<P>::try_from(dk).expect("a good key");
            let ciphertext = Ciphertext::try_from(c).expect("its length");
            for our_k in [
                parsed.decapsulate(&ciphertext),
                parsed.decapsulate(&ciphertext),
                decapsulate_bytes::<P>(dk, c).expect("a good key"),
            ] {
                assert_eq!(&our_k.as_bytes()[..], k);
            }
        }
        3 => match EncapsulationKey::<P>::try_from(file.take(P::EK_LEN)) {
            Ok(_) => assert_eq!(untouched, 1),
            Err(Error::EncapsulationKeyRange) => assert_eq!(untouched, 0),
            Err(error) => panic!("{error}"),
        },
        4 => match DecapsulationKey::<P>::try_from(file.take(P::DK_LEN)) {
            Ok(_) => assert_eq!(untouched, 1),
            Err(Error::DecapsulationKeyHash) => assert_eq!(untouched, 0),
            Err(error) => panic!("{error}"),
        },
        _ => panic!("function {function}"),
    }
}
