//! NIST's ACVP vectors for ML-KEM: what a case is, the ones built in, and how a case is judged.
//!
//! The format of the file is described in `vectors/README.md`; `cargo xtask acvp` writes it.

use super::Row;
use crate::Backend;
use crate::kem::{ByteArray, MlKem512, MlKem768, MlKem1024, ParameterSet, SetId, hazmat};

/// The vectors that are built in.
pub(super) static VECTORS: &[u8] = include_bytes!("vectors/acvp.bin");

/// What a case exercises. The order is that of the numbers in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    KeyGen,
    Encapsulation,
    Decapsulation,
    EncapsulationKeyCheck,
    DecapsulationKeyCheck,
}

impl Function {
    pub(super) const ALL: [Self; 5] = [
        Self::KeyGen,
        Self::Encapsulation,
        Self::Decapsulation,
        Self::EncapsulationKeyCheck,
        Self::DecapsulationKeyCheck,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::KeyGen => "key generation",
            Self::Encapsulation => "encapsulation",
            Self::Decapsulation => "decapsulation",
            Self::EncapsulationKeyCheck => "encapsulation key check",
            Self::DecapsulationKeyCheck => "decapsulation key check",
        }
    }
}

/// A decapsulation key, in either of its forms.
pub(super) enum Key<B> {
    Expanded(B),
    #[cfg_attr(
        not(feature = "cli"),
        expect(dead_code, reason = "NIST's files alone have seeds")
    )]
    Seed {
        d: B,
        z: B,
    },
}

/// Input and known answer of one case. `B` is bytes, of whatever length the vectors gave them.
pub(super) enum Case<B> {
    KeyGen { d: B, z: B, ek: B, dk: B },
    Encapsulation { ek: B, m: B, c: B, k: B },
    Decapsulation { dk: Key<B>, c: B, k: B },
    EncapsulationKeyCheck { ek: B, accepted: bool },
    DecapsulationKeyCheck { dk: Key<B>, accepted: bool },
}

impl<B: AsRef<[u8]>> Case<B> {
    /// Whether the backend gives the known answer.
    pub(super) fn passes(&self, set: SetId, backend: Backend) -> bool {
        match set {
            SetId::MlKem512 => self.judge::<MlKem512>(backend),
            SetId::MlKem768 => self.judge::<MlKem768>(backend),
            SetId::MlKem1024 => self.judge::<MlKem1024>(backend),
        }
        .unwrap_or(false)
    }

    /// `None`: an input that the algorithm does not take. Only the key checks may be given such.
    fn judge<P: ParameterSet>(&self, backend: Backend) -> Option<bool> {
        let ek_checked = |bytes: &B| {
            array::<P::Ek>(bytes).filter(|ek| hazmat::check_ek::<P>(backend, ek).is_ok())
        };
        let dk_checked = |key: &Key<B>| {
            let dk = match key {
                Key::Expanded(bytes) => array::<P::Dk>(bytes)?,
                Key::Seed { d, z } => {
                    *hazmat::keygen_internal::<P>(backend, &array(d)?, &array(z)?).1
                }
            };
            hazmat::check_dk::<P>(backend, &dk).is_ok().then_some(dk)
        };
        Some(match self {
            Self::KeyGen { d, z, ek, dk } => {
                let (our_ek, our_dk) =
                    hazmat::keygen_internal::<P>(backend, &array(d)?, &array(z)?);
                our_ek.as_ref() == ek.as_ref() && (*our_dk).as_ref() == dk.as_ref()
            }
            Self::Encapsulation { ek, m, c, k } => {
                let (our_k, our_c) =
                    hazmat::encaps_internal::<P>(backend, &ek_checked(ek)?, &array(m)?);
                our_c.as_bytes() == c.as_ref() && our_k.as_bytes() == k.as_ref()
            }
            Self::Decapsulation { dk, c, k } => {
                let our_k = hazmat::decaps_internal::<P>(backend, &dk_checked(dk)?, &array(c)?);
                our_k.as_bytes() == k.as_ref()
            }
            Self::EncapsulationKeyCheck { ek, accepted } => ek_checked(ek).is_some() == *accepted,
            Self::DecapsulationKeyCheck { dk, accepted } => dk_checked(dk).is_some() == *accepted,
        })
    }
}

/// The bytes as an array, if they are as many.
fn array<A: ByteArray>(bytes: &impl AsRef<[u8]>) -> Option<A> {
    let mut array = A::ZEROED;
    let bytes = bytes.as_ref();
    (array.as_ref().len() == bytes.len()).then(|| {
        array.as_mut().copy_from_slice(bytes);
        array
    })
}

/// Lengths that a parameter set gives to the fields of a case.
#[derive(Clone, Copy)]
struct Lengths {
    ek: usize,
    /// Where ek begins inside dk.
    ek_in_dk: usize,
    dk: usize,
    c: usize,
}

impl Lengths {
    const fn of(set: SetId) -> Self {
        const fn lengths<P: ParameterSet>() -> Lengths {
            Lengths {
                ek: P::EK_LEN,
                ek_in_dk: 384 * P::K,
                dk: P::DK_LEN,
                c: P::CT_LEN,
            }
        }
        match set {
            SetId::MlKem512 => lengths::<MlKem512>(),
            SetId::MlKem768 => lengths::<MlKem768>(),
            SetId::MlKem1024 => lengths::<MlKem1024>(),
        }
    }

    /// Of a whole case, its first byte included.
    const fn case(self, function: Function) -> usize {
        1 + match function {
            Function::KeyGen => 32 + 32 + self.dk,
            Function::Encapsulation => self.ek + 32 + self.c + 32,
            Function::Decapsulation => self.dk + self.c + 32,
            Function::EncapsulationKeyCheck => self.ek,
            Function::DecapsulationKeyCheck => self.dk,
        }
    }
}

/// The cases of one function and one parameter set, as they stand in the file.
#[derive(Clone, Copy)]
pub(super) struct Group<'a> {
    pub(super) function: Function,
    pub(super) set: SetId,
    pub(super) cases: &'a [u8],
}

impl<'a> Group<'a> {
    /// Takes the next group off `bytes`. `None`: the bytes are none, or are cut off.
    fn take(bytes: &mut &'a [u8]) -> Option<Self> {
        let (&[function, set, n1, n0], rest) = bytes.split_first_chunk()?;
        let function = *Function::ALL.get(usize::from(function))?;
        let set = *SetId::ALL.get(usize::from(set))?;
        let count = usize::from(u16::from_be_bytes([n1, n0]));
        let (cases, rest) = rest.split_at_checked(count * Lengths::of(set).case(function))?;
        *bytes = rest;
        Some(Self {
            function,
            set,
            cases,
        })
    }

    /// The cases. Beside each, whether NIST left its key and ciphertext as they should be.
    pub(super) fn cases(self) -> impl Iterator<Item = (bool, Case<&'a [u8]>)> {
        let lengths = Lengths::of(self.set);
        self.cases
            .chunks_exact(lengths.case(self.function))
            .map(move |bytes| {
                let untouched = bytes[0] == 1;
                let mut rest = &bytes[1..];
                let mut field = |len| rest.split_off(..len).unwrap_or_default();
                let case = match self.function {
                    Function::KeyGen => {
                        let (d, z, dk) = (field(32), field(32), field(lengths.dk));
                        let ek = &dk[lengths.ek_in_dk..][..lengths.ek];
                        Case::KeyGen { d, z, ek, dk }
                    }
                    Function::Encapsulation => Case::Encapsulation {
                        ek: field(lengths.ek),
                        m: field(32),
                        c: field(lengths.c),
                        k: field(32),
                    },
                    Function::Decapsulation => Case::Decapsulation {
                        dk: Key::Expanded(field(lengths.dk)),
                        c: field(lengths.c),
                        k: field(32),
                    },
                    Function::EncapsulationKeyCheck => Case::EncapsulationKeyCheck {
                        ek: field(lengths.ek),
                        accepted: untouched,
                    },
                    Function::DecapsulationKeyCheck => Case::DecapsulationKeyCheck {
                        dk: Key::Expanded(field(lengths.dk)),
                        accepted: untouched,
                    },
                };
                (untouched, case)
            })
    }
}

/// The groups of a file, up to its end or to where it is malformed.
pub(super) fn groups(mut bytes: &[u8]) -> impl Iterator<Item = Group<'_>> {
    core::iter::from_fn(move || Group::take(&mut bytes))
}

/// Runs the cases of a file, a row a group. What is malformed is a row in which nothing passed.
pub(super) fn run(mut vectors: &[u8], backend: Backend) -> Vec<Row> {
    let row = |function, set, passed, total| Row {
        vectors: "ACVP",
        function,
        set,
        backend: backend.name(),
        passed,
        total,
    };
    let mut rows = Vec::new();
    while !vectors.is_empty() {
        let Some(group) = Group::take(&mut vectors) else {
            rows.push(row("reading of the vectors", "ML-KEM", 0, 1));
            break;
        };
        let results = group
            .cases()
            .map(|(_, case)| case.passes(group.set, backend));
        let (passed, total) = results.fold((0, 0), |(passed, total), passes| {
            (passed + usize::from(passes), total + 1)
        });
        rows.push(row(group.function.name(), group.set.name(), passed, total));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failures(vectors: &[u8]) -> usize {
        run(vectors, Backend::selected())
            .iter()
            .map(|row| row.total - row.passed)
            .sum()
    }

    #[test]
    fn functions_are_numbered_as_in_the_file() {
        for (number, function) in Function::ALL.into_iter().enumerate() {
            assert_eq!(function as usize, number);
        }
    }

    /// A copy of the smallest group of every function, with one byte of each field of its first case
    /// changed in turn: exactly that case fails. (A group alone: the oracle is slow.)
    #[test]
    fn every_changed_field_is_noticed() {
        for function in Function::ALL {
            let group = groups(VECTORS)
                .find(|group| group.function == function)
                .expect("a group of every function");
            let lengths = Lengths::of(group.set);
            let mut one = vec![function as u8, group.set as u8, 0, 1];
            one.extend(&group.cases[..lengths.case(function)]);
            assert_eq!(failures(&one), 0, "{function:?}");
            let fields: &[usize] = match function {
                Function::KeyGen => &[32, 32, lengths.dk],
                Function::Encapsulation => &[lengths.ek, 32, lengths.c, 32],
                Function::Decapsulation => &[lengths.dk, lengths.c, 32],
                // The verdict is in the first byte.
                Function::EncapsulationKeyCheck | Function::DecapsulationKeyCheck => &[],
            };
            let mut at = 5;
            for len in fields {
                one[at + len - 1] ^= 1;
                assert_eq!(
                    failures(&one),
                    1,
                    "{function:?}, the field before {at} + {len}"
                );
                one[at + len - 1] ^= 1;
                at += len;
            }
            if fields.is_empty() {
                one[4] ^= 1;
                assert_eq!(failures(&one), 1, "{function:?}, its verdict");
            }
        }
    }

    #[test]
    fn a_malformed_file_is_a_failure_and_no_panic() {
        let first = groups(VECTORS).next().expect("a group");
        let end = 4 + first.cases.len();
        for bad in [
            &VECTORS[..1],
            &VECTORS[..3],
            &VECTORS[..end - 1],
            &[5, 0, 0, 0],
            &[0, 3, 0, 0],
            &[0, 0, 0xff, 0xff],
        ] {
            assert_eq!(failures(bad), 1);
        }
    }
}
