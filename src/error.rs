//! What can go wrong, as one flat enum.

use core::fmt;

/// Every failure that the library reports. No variant holds a secret.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A byte string is not as long as the parameter set says. FIPS 203 section 7, type checks.
    Length {
        /// What the bytes were to be, for example `encapsulation key`.
        what: &'static str,
        /// Bytes wanted.
        expected: usize,
        /// Bytes given.
        got: usize,
    },
    /// An encapsulation key has a coefficient of q or more. FIPS 203 section 7.2, modulus check.
    EncapsulationKeyRange,
    /// The hash of ek inside a decapsulation key is wrong. FIPS 203 section 7.3, hash check.
    DecapsulationKeyHash,
    /// The two halves of a key pair do not belong together. FIPS 203 section 7.1, pair-wise check.
    KeyPairMismatch,
    /// The random bit generator failed.
    Rng,
    /// No backend of that name runs on this CPU.
    UnknownBackend,
    /// The self-test before the first use of a key failed; the name of the function that did.
    SelfTest(&'static str),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length {
                what,
                expected,
                got,
            } => {
                write!(f, "{what} of {got} bytes, where {expected} are wanted")
            }
            Self::EncapsulationKeyRange => {
                f.write_str("encapsulation key has a coefficient out of range")
            }
            Self::DecapsulationKeyHash => {
                f.write_str("decapsulation key does not match the hash that it holds")
            }
            Self::KeyPairMismatch => {
                f.write_str("the encapsulation key and the decapsulation key are not a pair")
            }
            Self::Rng => f.write_str("the operating system gave no random bytes"),
            Self::UnknownBackend => f.write_str("no backend of that name runs on this CPU"),
            Self::SelfTest(function) => write!(f, "the self-test of {function} failed"),
        }
    }
}

impl core::error::Error for Error {}
