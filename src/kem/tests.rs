//! The whole of ML-KEM against the oracle, with every kernel's contract asserted; and the public
//! types' checks.

use super::k_pke::ExpandedKey;
use super::spec::{self, Params};
use super::*;
use crate::asm::backend::Kernels;
use crate::asm::checked::Checked;
use crate::asm::portable::Portable;
use crate::{Backend, Error};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng, TryCryptoRng, TryRng};

macro_rules! for_every_set {
    ($($test:ident)*) => {
        $(
            mod $test {
                use super::*;
                #[test]
                fn ml_kem_512() {
                    super::$test::<MlKem512>();
                }
                #[test]
                fn ml_kem_768() {
                    super::$test::<MlKem768>();
                }
                #[test]
                fn ml_kem_1024() {
                    super::$test::<MlKem1024>();
                }
            }
        )*
    };
}

for_every_set!(
    checked_against_the_oracle parsed_and_raw_agree bad_ciphertexts_are_rejected_implicitly
    lengths_are_checked modulus_is_checked hash_is_checked pairs_are_checked rng_failure_is_an_error
);

fn checked_against_the_oracle<P: ParameterSet>() {
    fn run<P: ParameterSet, B: Kernels>() {
        let Some(b) = Checked::<B>::detect() else {
            return;
        };
        let rng = &mut StdRng::seed_from_u64(4);
        let p = Params::of::<P>();
        for _ in 0..20 {
            let (d, z, m): ([u8; 32], [u8; 32], [u8; 32]) = rng.random();
            let (mut expanded, mut dk) = (ExpandedKey::<P, _>::zero(), P::Dk::ZEROED);
            internal::keygen(b, &d, &z, &mut expanded, &mut dk);
            let ek = internal::ek_of::<P>(&dk);
            let (spec_ek, spec_dk) = spec::keygen_internal(p, &d, &z);
            assert_eq!((ek.as_ref(), dk.as_ref()), (&spec_ek[..], &spec_dk[..]));

            let mut c = P::Ct::ZEROED;
            let k = internal::encaps(b, &expanded, internal::h_of::<P>(&dk), &m, &mut c);
            let (spec_k, spec_c) = spec::encaps_internal(p, ek.as_ref(), &m);
            assert_eq!((k.as_bytes(), c.as_ref()), (&spec_k, &spec_c[..]));

            let decaps = |c: &P::Ct| {
                let (from_bytes, hash_matches, canonical) =
                    internal::decaps_from_bytes::<P, _>(b, &dk, c);
                assert!(hash_matches && canonical);
                let shared_secret = internal::decaps(b, &expanded, &dk, c);
                assert_eq!(shared_secret.as_bytes(), from_bytes.as_bytes());
                *shared_secret.as_bytes()
            };
            assert_eq!(decaps(&c), spec_k);
            let bit = rng.random_range(0..8 * P::CT_LEN);
            c.as_mut()[bit / 8] ^= 1 << (bit % 8);
            let rejected = spec::decaps_internal(p, dk.as_ref(), c.as_ref());
            assert_eq!(decaps(&c), rejected);
            assert_ne!(rejected, spec_k);
        }
    }
    run::<P, Portable>();
}

#[cfg(feature = "std")]
for_every_set!(many_are_as_one_by_one);

/// Also where keys were parsed by different backends.
#[cfg(feature = "std")]
fn many_are_as_one_by_one<P: ParameterSet>() {
    let mut all = Vec::new();
    for backend in Backend::available() {
        backend.select();
        for count in [0, 1, 4, 6] {
            let rng = &mut StdRng::seed_from_u64(9);
            let keys = keygen_many::<P>(count, rng).unwrap();
            assert_eq!(keys.len(), count);
            let rng = &mut StdRng::seed_from_u64(9);
            for key in &keys {
                let alone = DecapsulationKey::<P>::generate(rng).unwrap();
                assert_eq!(key.to_expanded().as_ref(), alone.to_expanded().as_ref());
                assert_eq!(
                    key.seed().unwrap().as_bytes(),
                    alone.seed().unwrap().as_bytes()
                );
            }
            all.extend(keys);
        }
    }
    let rng = &mut StdRng::seed_from_u64(10);
    let results = encapsulate_many(all.iter().map(|key| key.encapsulation_key()), rng).unwrap();
    assert_eq!(results.len(), all.len());
    let rng = &mut StdRng::seed_from_u64(10);
    for (key, (secret, c)) in all.iter().zip(results) {
        let (alone, c_alone) = key.encapsulation_key().encapsulate(rng).unwrap();
        assert_eq!(secret.as_bytes(), alone.as_bytes());
        assert_eq!(c, c_alone);
        assert_eq!(key.decapsulate(&c).as_bytes(), secret.as_bytes());
    }
}

fn key<P: ParameterSet>(seed: u64) -> DecapsulationKey<P> {
    DecapsulationKey::generate(&mut StdRng::seed_from_u64(seed)).unwrap()
}

fn parsed_and_raw_agree<P: ParameterSet>() {
    for backend in Backend::available() {
        backend.select();
        let dk = key::<P>(5);
        let expanded = dk.to_expanded();
        let expanded = expanded.as_ref();
        let parsed = DecapsulationKey::<P>::try_from(expanded).unwrap();
        assert!(parsed.seed().is_none());
        assert_eq!(parsed.to_expanded().as_ref(), expanded);
        let ek = dk.encapsulation_key().as_bytes();
        assert_eq!(parsed.encapsulation_key().as_bytes(), ek);

        let rng = &mut StdRng::seed_from_u64(6);
        let (secret, c) = EncapsulationKey::<P>::try_from(ek)
            .unwrap()
            .encapsulate(rng)
            .unwrap();
        let rng = &mut StdRng::seed_from_u64(6);
        let (raw_secret, raw_c) = encapsulate_bytes::<P>(ek, rng).unwrap();
        assert_eq!(
            (secret.as_bytes(), c.as_bytes()),
            (raw_secret.as_bytes(), raw_c.as_bytes())
        );

        let from_raw = decapsulate_bytes::<P>(expanded, c.as_bytes()).unwrap();
        for opened in [dk.decapsulate(&c), parsed.decapsulate(&c), from_raw] {
            assert_eq!(opened.as_bytes(), secret.as_bytes());
        }
        check_key_pair(dk.encapsulation_key(), &dk, rng).unwrap();
    }
}

fn bad_ciphertexts_are_rejected_implicitly<P: ParameterSet>() {
    let dk = key::<P>(7);
    let (secret, c) = dk
        .encapsulation_key()
        .encapsulate(&mut StdRng::seed_from_u64(8))
        .unwrap();
    for i in (0..P::CT_LEN).step_by(31) {
        let mut bytes = c.as_bytes().to_vec();
        bytes[i] ^= 0x10;
        let bad = Ciphertext::<P>::try_from(&bytes[..]).unwrap();
        let rejected = dk.decapsulate(&bad);
        assert_ne!(rejected.as_bytes(), secret.as_bytes());
        // The same each time, and the one that z and the ciphertext give.
        assert_eq!(rejected.as_bytes(), dk.decapsulate(&bad).as_bytes());
        let (p, expanded) = (Params::of::<P>(), dk.to_expanded());
        let oracle = spec::decaps_internal(p, expanded.as_ref(), &bytes);
        assert_eq!(rejected.as_bytes(), &oracle);
    }
}

fn lengths_are_checked<P: ParameterSet>() {
    let long = vec![0; P::DK_LEN + 1];
    for n in [0, 1, P::EK_LEN - 1, P::EK_LEN + 1] {
        let error = EncapsulationKey::<P>::try_from(&long[..n]).unwrap_err();
        assert!(
            matches!(error, Error::Length { got, expected, .. } if got == n && expected == P::EK_LEN)
        );
        assert!(encapsulate_bytes::<P>(&long[..n], &mut StdRng::seed_from_u64(0)).is_err());
    }
    for n in [0, P::DK_LEN - 1, P::DK_LEN + 1] {
        let error = DecapsulationKey::<P>::try_from(&long[..n]).unwrap_err();
        assert!(matches!(error, Error::Length { got, .. } if got == n));
    }
    for n in [0, P::CT_LEN - 1, P::CT_LEN + 1] {
        assert!(matches!(
            Ciphertext::<P>::try_from(&long[..n]),
            Err(Error::Length { .. })
        ));
        let dk = key::<P>(9).to_expanded();
        assert!(decapsulate_bytes::<P>(dk.as_ref(), &long[..n]).is_err());
    }
}

fn modulus_is_checked<P: ParameterSet>() {
    let ek = key::<P>(10).encapsulation_key().as_bytes().to_vec();
    for i in 0..256 * P::K {
        // Coefficient i takes 12 bits from bit 12 i on; 0xfff is out of range.
        let mut bad = ek.clone();
        for bit in 12 * i..12 * (i + 1) {
            bad[bit / 8] |= 1 << (bit % 8);
        }
        assert!(!spec::check_ek(Params::of::<P>(), &bad));
        let error = EncapsulationKey::<P>::try_from(&bad[..]).unwrap_err();
        assert!(
            matches!(error, Error::EncapsulationKeyRange),
            "coefficient {i}"
        );
        assert!(encapsulate_bytes::<P>(&bad, &mut StdRng::seed_from_u64(0)).is_err());
    }
}

fn hash_is_checked<P: ParameterSet>() {
    let dk = key::<P>(11).to_expanded();
    let dk = dk.as_ref();
    // Any bit of ek or of its hash matters; of s and z, none does.
    for i in (0..P::DK_LEN).step_by(17) {
        let mut bad = dk.to_vec();
        bad[i] ^= 1;
        let covered = (384 * P::K..P::DK_LEN - 32).contains(&i);
        assert_eq!(spec::check_dk(Params::of::<P>(), &bad), !covered);
        let result = DecapsulationKey::<P>::try_from(&bad[..]);
        assert_eq!(
            matches!(result, Err(Error::DecapsulationKeyHash)),
            covered,
            "byte {i}"
        );
        let c = vec![0; P::CT_LEN];
        assert_eq!(
            decapsulate_bytes::<P>(&bad, &c).is_err(),
            covered,
            "byte {i}"
        );
    }
}

fn pairs_are_checked<P: ParameterSet>() {
    let rng = &mut StdRng::seed_from_u64(12);
    let (one, other) = (key::<P>(13), key::<P>(14));
    check_key_pair(one.encapsulation_key(), &one, rng).unwrap();
    let error = check_key_pair(other.encapsulation_key(), &one, rng).unwrap_err();
    assert!(matches!(error, Error::KeyPairMismatch));
    // The secret vector changed, the hash still right.
    let mut bad = one.to_expanded();
    bad.as_mut()[5] ^= 1;
    let bad = DecapsulationKey::<P>::try_from(bad.as_ref()).unwrap();
    let error = check_key_pair(one.encapsulation_key(), &bad, rng).unwrap_err();
    assert!(matches!(error, Error::KeyPairMismatch));
}

/// A generator that always fails.
struct Broken;

impl TryRng for Broken {
    type Error = core::fmt::Error;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Err(core::fmt::Error)
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Err(core::fmt::Error)
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
        Err(core::fmt::Error)
    }
}

impl TryCryptoRng for Broken {}

fn rng_failure_is_an_error<P: ParameterSet>() {
    assert!(matches!(
        DecapsulationKey::<P>::generate(&mut Broken),
        Err(Error::Rng)
    ));
    let dk = key::<P>(15);
    assert!(matches!(
        dk.encapsulation_key().encapsulate(&mut Broken),
        Err(Error::Rng)
    ));
}

#[test]
fn secrets_are_not_printed() {
    let dk = key::<MlKem512>(16);
    assert_eq!(format!("{dk:?}"), "DecapsulationKey<ML-KEM-512>");
    assert_eq!(format!("{:?}", dk.seed().unwrap()), "Secret(64 bytes)");
}

#[test]
fn unknown_backends_are_refused() {
    assert!(matches!(
        Backend::named("no such"),
        Err(Error::UnknownBackend)
    ));
    for backend in Backend::available() {
        assert_eq!(Backend::named(backend.name()).unwrap(), backend);
    }
}
