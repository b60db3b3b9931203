//! The fast subset that runs before a process first uses a secret key.

use super::acvp::{self, Function};
use crate::kem::SetId;
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
        let outcome = test(acvp::VECTORS, set, backend);
        outcomes.push((set, backend, outcome));
        outcome
    });
    outcome.map_err(Error::SelfTest)
}

/// One case of each kind, the first of those in `vectors`.
fn test(vectors: &[u8], set: SetId, backend: Backend) -> Outcome {
    for (name, function, untouched) in [
        ("key generation", Function::KeyGen, true),
        ("encapsulation", Function::Encapsulation, true),
        ("decapsulation", Function::Decapsulation, true),
        ("implicit rejection", Function::Decapsulation, false),
    ] {
        acvp::groups(vectors)
            .filter(|group| group.function == function && group.set == set)
            .flat_map(|group| group.cases())
            .find(|case| case.0 == untouched)
            .filter(|(_, case)| case.passes(set, backend))
            .ok_or(name)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
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

    /// Each of the four must be able to fail: a changed shared secret, or a changed dk.
    #[test]
    fn each_known_answer_is_compared() {
        let set = SetId::MlKem512;
        let backend = Backend::selected();
        let mut failed = Vec::new();
        for (function, untouched) in [
            (Function::KeyGen, true),
            (Function::Encapsulation, true),
            (Function::Decapsulation, true),
            (Function::Decapsulation, false),
        ] {
            let mut vectors = VECTORS.to_vec();
            let mut end = 0;
            for group in acvp::groups(VECTORS) {
                end += 4 + group.cases.len();
                if group.function == function && group.set == set {
                    let (count, index) = (
                        group.cases().count(),
                        group.cases().position(|case| case.0 == untouched),
                    );
                    let following = count - 1 - index.expect("a case of the kind");
                    // The last byte of the case: of dk, or of K.
                    vectors[end - following * (group.cases.len() / count) - 1] ^= 1;
                }
            }
            failed.push(test(&vectors, set, backend).expect_err("a changed answer"));
        }
        assert_eq!(
            failed,
            [
                "key generation",
                "encapsulation",
                "decapsulation",
                "implicit rejection"
            ]
        );
    }

    #[test]
    fn no_vectors_is_a_failure() {
        assert!(test(&[], SetId::MlKem768, Backend::selected()).is_err());
    }
}
