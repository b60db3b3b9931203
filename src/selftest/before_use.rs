//! The fast subset that runs before a process first uses a secret key.

use super::acvp::{self, Case, Function};
use crate::kem::{DecapsulationKey, MlKem512, MlKem768, MlKem1024, ParameterSet, Seed, SetId};
use crate::{Backend, Error};
use std::sync::{Mutex, PoisonError};

type Outcome = Result<(), &'static str>;

/// What has been tested in this process. Few enough to be searched in order.
static OUTCOMES: Mutex<Vec<(SetId, Backend, Outcome)>> = Mutex::new(Vec::new());

/// The known answers that FIPS 140-3 (implementation guidance, 10.3.A) asks of ML-KEM: key
/// generation, encapsulation, decapsulation, and decapsulation that rejects; of one parameter set,
/// on one backend. They run once per process: later calls give the first one's outcome.
///
/// # Errors
/// [`Error::SelfTest`], also from every later call. Nothing that the backend says is to be trusted
/// then.
pub fn before_use(set: SetId, backend: Backend) -> Result<(), Error> {
    // Held while testing, so that a second thread waits for the outcome. An outcome is pushed
    // whole, so that a panic elsewhere leaves nothing half done.
    let mut outcomes = OUTCOMES.lock().unwrap_or_else(PoisonError::into_inner);
    let known = outcomes
        .iter()
        .find(|seen| (seen.0, seen.1) == (set, backend));
    let outcome = known.map(|seen| seen.2).unwrap_or_else(|| {
        let outcome = test(acvp::VECTORS, &ANSWERS[set as usize], set, backend);
        outcomes.push((set, backend, outcome));
        outcome
    });
    outcome.map_err(Error::SelfTest)
}

/// For each parameter set, what NIST's first seed d || z for it answers: K of the message d, and
/// what its ciphertext decapsulates to when its first bit is changed, which depends on all of it.
const ANSWERS: [[[u8; 32]; 2]; 3] = [
    [
        hex("2814f13a7b9eec3e3f036c865efee8243f7693f39068b737f90a2f1213926172"),
        hex("c405ec842d4ad9616f6c456fe799ecf4abd754d87064b678cdef5b1ea7f3da83"),
    ],
    [
        hex("f77eb89834e085b4250c07b836c02eca534791f056e73b19198e01e733d2a46a"),
        hex("938f8ffa6de005f6d06ffcb510d9cc2560ebb8571a56ffc4b0293caba6a33347"),
    ],
    [
        hex("14de81d0430cd3ab12801f65accdd4cbcaaca4c6161403a4997d09e4fd377e99"),
        hex("374f2506d74f50b1d9045cac1438e0c93c96f7ea5e0e6f6a40bb37b322456d7e"),
    ],
];

/// The bytes of 64 digits, at compile time.
const fn hex(digits: &str) -> [u8; 32] {
    let (digits, mut bytes) = (digits.as_bytes(), [0; 32]);
    let mut i = 0;
    while i < 64 {
        let digit = match digits[i] {
            digit @ b'0'..=b'9' => digit - b'0',
            digit => digit - b'a' + 10,
        };
        bytes[i >> 1] = bytes[i >> 1] << 4 | digit;
        i += 1;
    }
    bytes
}

/// Key generation as in the first case in `vectors`, and what the key answers.
fn test(vectors: &[u8], answers: &[[u8; 32]; 2], set: SetId, backend: Backend) -> Outcome {
    match set {
        SetId::MlKem512 => test_set::<MlKem512>(vectors, answers, set, backend),
        SetId::MlKem768 => test_set::<MlKem768>(vectors, answers, set, backend),
        SetId::MlKem1024 => test_set::<MlKem1024>(vectors, answers, set, backend),
    }
}

fn test_set<P: ParameterSet>(
    vectors: &[u8],
    [k, rejected]: &[[u8; 32]; 2],
    set: SetId,
    backend: Backend,
) -> Outcome {
    let pass = |passes: bool, name| passes.then_some(()).ok_or(name);
    let mut cases = acvp::groups(vectors)
        .filter(|group| group.function == Function::KeyGen && group.set == set)
        .flat_map(|group| group.cases());
    let Some((_, Case::KeyGen { d, z, ek, dk })) = cases.next() else {
        return Err("its known answers");
    };
    let mut seed = Seed::zeroed();
    seed.as_mut_bytes()[..32].copy_from_slice(d);
    seed.as_mut_bytes()[32..].copy_from_slice(z);
    let key = DecapsulationKey::<P>::from_seed_on(backend, &seed);
    let generated = key.encapsulation_key().as_bytes() == ek && key.to_expanded().as_ref() == dk;
    pass(generated, "key generation")?;
    let m = seed.as_bytes().first_chunk().expect("64 bytes");
    let (secret, mut ciphertext) = key.encapsulation_key().encaps_internal(m);
    pass(secret.as_bytes() == k, "encapsulation")?;
    pass(
        key.decapsulate(&ciphertext).as_bytes() == k,
        "decapsulation",
    )?;
    ciphertext.0.as_mut()[0] ^= 1;
    pass(
        key.decapsulate(&ciphertext).as_bytes() == rejected,
        "implicit rejection",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kem::spec::{self, Params};
    use crate::selftest::acvp::VECTORS;

    #[test]
    fn passes_on_every_backend_and_is_remembered() {
        for backend in Backend::available() {
            for set in SetId::ALL {
                before_use(set, backend).expect("the self-test passes");
                before_use(set, backend).expect("its outcome is remembered");
                let outcomes = OUTCOMES.lock().expect("no test panics while holding it");
                let seen = outcomes
                    .iter()
                    .filter(|seen| (seen.0, seen.1) == (set, backend));
                assert_eq!(seen.count(), 1);
            }
        }
    }

    /// The answers are those of the standard, transcribed.
    #[test]
    fn the_answers_are_the_oracle_s() {
        fn check<P: ParameterSet>(set: SetId) {
            let mut cases = acvp::groups(VECTORS).filter(|group| group.set == set);
            let group = cases.next().expect("NIST's key generations");
            let Some((_, Case::KeyGen { d, ek, dk, .. })) = group.cases().next() else {
                panic!("a key generation");
            };
            let p = Params::of::<P>();
            let (k, mut c) = spec::encaps_internal(p, ek, d.try_into().expect("32 bytes"));
            c[0] ^= 1;
            let rejected = spec::decaps_internal(p, dk, &c);
            assert_eq!(ANSWERS[set as usize], [k, rejected], "{set:?}");
        }
        check::<MlKem512>(SetId::MlKem512);
        check::<MlKem768>(SetId::MlKem768);
        check::<MlKem1024>(SetId::MlKem1024);
    }

    /// What differs from the known answers is noticed.
    #[test]
    fn each_known_answer_is_compared() {
        let set = SetId::MlKem512;
        let backend = Backend::selected();
        let run = |vectors: &[u8], answers| test(vectors, &answers, set, backend);
        let answers = ANSWERS[set as usize];
        assert_eq!(run(VECTORS, answers), Ok(()));
        let mut vectors = VECTORS.to_vec();
        // The last byte of the first case, of dk.
        vectors[4 + 64 + MlKem512::DK_LEN] ^= 1;
        assert_eq!(run(&vectors, answers), Err("key generation"));
        let mut wrong = answers;
        wrong[0][31] ^= 1;
        assert_eq!(run(VECTORS, wrong), Err("encapsulation"));
        wrong = answers;
        wrong[1][31] ^= 1;
        assert_eq!(run(VECTORS, wrong), Err("implicit rejection"));
    }

    #[test]
    fn no_vectors_is_a_failure() {
        let answers = &ANSWERS[1];
        assert!(test(&[], answers, SetId::MlKem768, Backend::selected()).is_err());
    }
}
