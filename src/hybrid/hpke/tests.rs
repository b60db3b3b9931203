use super::*;
use crate::Backend;
use crate::hybrid::format;
use crate::hybrid::keyfile::SecretKey;
use crate::kem::hazmat;
use crate::kem::{MlKem512, MlKem768, MlKem1024, Seed, SetId};
use ::hpke::aead::AesGcm256;
use ::hpke::kdf::KdfShake256;
use ::hpke::rand_core::UnwrapErr;
use ::hpke::{self as reference, Deserializable, OpModeR, OpModeS, Serializable};
use rand::rngs::SysRng;
use std::collections::HashMap;

const INFO: &[u8] = b"some info";
const MESSAGE: &[u8; 32] = b"a message as long as a file key.";

/// The groups of `tests/data/hpke-pq-04.txt`, each with its values by name.
fn vectors() -> Vec<HashMap<&'static str, Vec<u8>>> {
    include_str!("../../../tests/data/hpke-pq-04.txt")
        .split("\n\n")
        .skip(1)
        .map(|group| {
            group
                .lines()
                .map(|line| {
                    let (name, value) = line.split_once(" = ").unwrap();
                    (name, unhex(value))
                })
                .collect()
        })
        .collect()
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap())
        .collect()
}

/// The draft's own vectors with SHAKE256. There is none with ML-KEM, SHAKE256 and AES-256-GCM
/// together, but the key schedule knows the KEM and the AEAD by their ids alone.
#[test]
fn key_schedule_vectors() {
    let mut cases = 0;
    for vector in vectors() {
        let Some(suite_id) = vector.get("suite_id") else {
            continue;
        };
        let suite_id = suite_id[..].try_into().unwrap();
        let context = key_schedule(suite_id, &vector["shared_secret"], &vector["info"]);
        assert_eq!(context.key.as_bytes()[..], vector["key"]);
        assert_eq!(context.base_nonce.as_bytes()[..], vector["base_nonce"]);
        cases += 1;
    }
    assert_eq!(cases, 2);
}

/// The draft's own vectors of the three KEMs: DeriveKeyPair, Encap, Decap.
#[test]
fn kem_vectors() {
    let mut cases = 0;
    for vector in vectors() {
        let Some(kem_id) = vector.get("kem_id") else {
            continue;
        };
        let set = SetId::ALL
            .into_iter()
            .find(|&set| format::kind(set).to_be_bytes()[..] == kem_id[..])
            .unwrap();

        let mut seed = Seed::zeroed();
        let suite_id = [b"KEM", &kem_id[..]].concat();
        labeled_derive(&suite_id, &[&vector["ikmR"]], b"DeriveKeyPair", &[], 64)
            .read(seed.as_mut_bytes());
        assert_eq!(seed.as_bytes()[..], vector["skRm"]);

        let key = SecretKey::from_seed(set, &seed);
        assert_eq!(key.public_key().as_bytes(), vector["pkRm"]);
        let m = vector["ikmE"][..].try_into().unwrap();
        let ek = key.public_key();
        let (secret, enc) = match set {
            SetId::MlKem512 => encaps::<MlKem512>(ek.as_bytes(), m),
            SetId::MlKem768 => encaps::<MlKem768>(ek.as_bytes(), m),
            SetId::MlKem1024 => encaps::<MlKem1024>(ek.as_bytes(), m),
        };
        assert_eq!(enc, vector["enc"]);
        assert_eq!(secret.as_bytes()[..], vector["shared_secret"]);
        let secret = key.decapsulate(&enc).unwrap();
        assert_eq!(secret.as_bytes()[..], vector["shared_secret"]);
        cases += 1;
    }
    assert_eq!(cases, 3);
}

fn encaps<P: crate::kem::ParameterSet>(ek: &[u8], m: &[u8; 32]) -> (SharedSecret, Vec<u8>) {
    let mut array = <P::Ek as crate::kem::ByteArray>::ZEROED;
    array.as_mut().copy_from_slice(ek);
    let (secret, enc) = hazmat::encaps_internal::<P>(Backend::selected(), &array, m);
    (secret, enc.as_bytes().to_vec())
}

/// What we seal, the crate `hpke` opens, and the other way round.
fn against_the_crate<Kem: reference::Kem>(set: SetId) {
    let ours = SecretKey::generate(set, &mut SysRng).unwrap();
    let kem_id = format::kind(set);
    let seed = match &ours {
        SecretKey::MlKem512(key) => key.seed(),
        SecretKey::MlKem768(key) => key.seed(),
        SecretKey::MlKem1024(key) => key.seed(),
    };
    let theirs = Kem::PrivateKey::from_bytes(seed.unwrap().as_bytes()).unwrap();
    let public = Kem::sk_to_pk(&theirs);
    assert_eq!(public.to_bytes()[..], ours.public_key().as_bytes()[..]);

    let (secret, enc) = ours.public_key().encapsulate(&mut SysRng).unwrap();
    let mut sealed = MESSAGE.to_vec();
    let tag = seal(kem_id, &secret, INFO, &mut sealed);
    sealed.extend(tag);
    let enc = Kem::EncappedKey::from_bytes(&enc).unwrap();
    let opened = reference::single_shot_open::<AesGcm256, KdfShake256, Kem>(
        &OpModeR::Base,
        &theirs,
        &enc,
        INFO,
        &sealed,
        &[],
    );
    assert_eq!(opened.unwrap(), MESSAGE);

    let (enc, mut sealed) = reference::single_shot_seal_with_rng::<AesGcm256, KdfShake256, Kem>(
        &OpModeS::Base,
        &public,
        INFO,
        MESSAGE,
        &[],
        &mut UnwrapErr(SysRng),
    )
    .unwrap();
    let secret = ours.decapsulate(&enc.to_bytes()).unwrap();
    assert_eq!(open(kem_id, &secret, INFO, &mut sealed).unwrap(), MESSAGE);
}

#[test]
fn against_the_crate_768() {
    against_the_crate::<reference::kem::MlKem768>(SetId::MlKem768);
}

#[test]
fn against_the_crate_1024() {
    against_the_crate::<reference::kem::MlKem1024>(SetId::MlKem1024);
}

#[test]
fn everything_is_bound() {
    let secret = SharedSecret::from(&[7; 32]);
    let mut sealed = MESSAGE.to_vec();
    let tag = seal(0x0041, &secret, INFO, &mut sealed);
    sealed.extend(tag);
    assert_eq!(
        open(0x0041, &secret, INFO, &mut sealed.clone()).unwrap(),
        MESSAGE
    );
    assert!(open(0x0042, &secret, INFO, &mut sealed.clone()).is_err());
    assert!(open(0x0041, &secret, b"other", &mut sealed.clone()).is_err());
    assert!(open(0x0041, &SharedSecret::from(&[8; 32]), INFO, &mut sealed).is_err());
    assert!(open(0x0041, &secret, INFO, &mut []).is_err());
}
