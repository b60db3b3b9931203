//! The self-test: known answers, on any backend, at run time.
//!
//! | vectors | of | run by |
//! | --- | --- | --- |
//! | NIST ACVP, 240 cases (`vectors/README.md`) | ML-KEM: key generation, encapsulation, decapsulation, both key checks | [`run`] |
//! | SP 800-38D (the GCM specification's test cases) | AES-256-GCM | [`run`] |
//! | FIPS 202 examples | the KEM's Keccak | [`run`] |
//! | an ACVP key, and three answers of it | one parameter set | [`before_use()`] |
//! | NIST's own JSON files, from outside | ML-KEM | `VectorSets` (feature `cli`) |

mod acvp;
#[cfg(feature = "cli")]
mod acvp_json;
mod before_use;
mod known_answers;

#[cfg(feature = "cli")]
pub use acvp_json::{FileError, NotRun, VectorSets};
pub use before_use::before_use;

use crate::Backend;

/// How the cases of one kind went on one backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Where the known answers are from: `ACVP`, `SP 800-38D` or `FIPS 202`.
    pub vectors: &'static str,
    /// What was run, for example `key generation`.
    pub function: &'static str,
    /// Its parameter set or algorithm, for example `ML-KEM-768`.
    pub set: &'static str,
    /// What ran it: a [`Backend::name`], or the crate that does it on every backend.
    pub backend: &'static str,
    /// Cases that gave the known answer.
    pub passed: usize,
    /// Cases that were run.
    pub total: usize,
}

impl Row {
    /// Whether cases were run and all of them gave the known answer.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.total > 0 && self.passed == self.total
    }
}

/// Runs all the known answers that are built in. Wrong answers are counted, never a panic.
#[must_use]
pub fn run(backend: Backend) -> Vec<Row> {
    let mut rows = acvp::run(acvp::VECTORS, backend);
    rows.extend(known_answers::run(backend));
    rows
}
