//! DER that is well-formed and wrong, or asks for too much.

use super::*;

/// DER of one tag and its value.
fn tlv(tag: u8, value: &[u8]) -> Vec<u8> {
    let length = match value.len() {
        len @ ..128 => vec![len as u8],
        len @ ..256 => vec![0x81, len as u8],
        len => vec![0x82, (len >> 8) as u8, len as u8],
    };
    [&[tag], &length[..], value].concat()
}

fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    tlv(0x30, &parts.concat())
}

fn integer(value: u64) -> Vec<u8> {
    let bytes = [&[0], &value.to_be_bytes()[..]].concat();
    let start = bytes.windows(2).position(|two| two[0] != 0 || two[1] > 127);
    tlv(2, &bytes[start.unwrap_or(bytes.len() - 1)..])
}

fn pem(label: &str, der: &[u8]) -> Vec<u8> {
    let pem = pkcs8::der::pem::encode_string(label, pkcs8::LineEnding::LF, der);
    pem.unwrap().into_bytes()
}

const PBES2: &[u8] = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0d";
const PBKDF2: &[u8] = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0c";
const SCRYPT: &[u8] = b"\x06\x09\x2b\x06\x01\x04\x01\xda\x47\x04\x0b";
const AES_256_CBC: &[u8] = b"\x06\x09\x60\x86\x48\x01\x65\x03\x04\x01\x2a";
const DES_EDE3_CBC: &[u8] = b"\x06\x08\x2a\x86\x48\x86\xf7\x0d\x03\x07";
const SALT: &[u8] = b"\x04\x08saltsalt";

/// An encrypted key of which nothing is good but the parameters.
fn encrypted(kdf: &[u8], parameters: &[u8], cipher: &[u8], iv_len: usize) -> Vec<u8> {
    let kdf = sequence(&[kdf, parameters]);
    let cipher = sequence(&[cipher, &tlv(4, &vec![1; iv_len])]);
    let scheme = sequence(&[PBES2, &sequence(&[&kdf, &cipher])]);
    let info = sequence(&[&scheme, &tlv(4, &[2; 96])]);
    pem("ENCRYPTED PRIVATE KEY", &info)
}

#[test]
fn passphrase_costs() {
    let scrypt = |n, r, p| {
        let parameters = sequence(&[SALT, &integer(n), &integer(r), &integer(p)]);
        encrypted(SCRYPT, &parameters, AES_256_CBC, 16)
    };
    let pbkdf2 = |iterations| {
        let prf = sequence(&[b"\x06\x08\x2a\x86\x48\x86\xf7\x0d\x02\x09\x05\x00"]);
        let parameters = sequence(&[SALT, &integer(iterations), &prf]);
        encrypted(PBKDF2, &parameters, AES_256_CBC, 16)
    };
    let fine = |r: &Result<SecretKey, Error>| matches!(r, Err(Error::WrongPassphrase));
    let capped = |r: &Result<SecretKey, Error>| matches!(r, Err(Error::PassphraseCost { .. }));
    let senseless = |r: &Result<SecretKey, Error>| matches!(r, Err(Error::KeyDamaged(_)));
    let unknown = |r: &Result<SecretKey, Error>| matches!(r, Err(Error::PassphraseScheme));
    let cases: &[Case<'_, SecretKey>] = &[
        ("scrypt, little", scrypt(16, 1, 1), fine),
        ("scrypt, 512 MiB", scrypt(1 << 19, 8, 1), capped),
        ("scrypt, long", scrypt(1 << 14, 8, 65), capped),
        ("scrypt, exabytes", scrypt(1 << 63, 65535, 65535), capped),
        ("scrypt, N = 0", scrypt(0, 8, 1), senseless),
        ("scrypt, N = 1", scrypt(1, 8, 1), senseless),
        ("scrypt, N = 3", scrypt(3, 8, 1), senseless),
        ("scrypt, r = 0", scrypt(16, 0, 1), senseless),
        ("scrypt, p = 0", scrypt(16, 8, 0), senseless),
        ("PBKDF2, one iteration", pbkdf2(1), fine),
        ("PBKDF2, none", pbkdf2(0), senseless),
        ("PBKDF2, too many", pbkdf2(10_000_001), capped),
        ("PBKDF2, 2^32 - 1", pbkdf2(0xffff_ffff), capped),
        (
            "3DES",
            encrypted(PBKDF2, &sequence(&[SALT, &integer(1)]), DES_EDE3_CBC, 8),
            unknown,
        ),
    ];
    check(cases, |text| {
        SecretKey::from_pem(text, Some(Passphrase::new(b"x")))
    });
}

const ML_KEM_512: &[u8] = b"\x06\x09\x60\x86\x48\x01\x65\x03\x04\x04\x01";

/// DER that is well-formed and wrong.
#[test]
fn wrong_secret_der() {
    let seed: [u8; 64] = core::array::from_fn(|i| i as u8);
    let right = some_key();
    let expanded = data("rfc9935/ML-KEM-512-expanded.priv");
    let (_, expanded) = pkcs8::der::pem::decode_vec(&expanded).unwrap();
    let expanded = &expanded[expanded.len() - 1632..];
    let with = |version: u8, algorithm: &[u8], choice: &[u8], rest: &[u8]| {
        sequence(&[
            &[2, 1, version],
            &sequence(&[algorithm]),
            &tlv(4, choice),
            rest,
        ])
    };
    let public = |bytes: &[u8]| tlv(0x81, &[&[0], bytes].concat());
    let ok = |r: &Result<SecretKey, Error>| r.is_ok();
    let damaged = |r: &Result<SecretKey, Error>| matches!(r, Err(Error::KeyDamaged(_)));
    let length = |r: &Result<SecretKey, Error>| matches!(r, Err(Error::Length { .. }));
    let seed_form = tlv(0x80, &seed);
    let cases: &[Case<'_, SecretKey>] = &[
        ("the seed form", with(0, ML_KEM_512, &seed_form, &[]), ok),
        (
            "its public key beside it",
            with(
                1,
                ML_KEM_512,
                &seed_form,
                &public(right.public_key().as_bytes()),
            ),
            ok,
        ),
        (
            "another public key beside it",
            with(1, ML_KEM_512, &seed_form, &public(&[0; 800])),
            |r| matches!(r, Err(Error::KeyPairMismatch)),
        ),
        (
            "a seed of 63 bytes",
            with(0, ML_KEM_512, &tlv(0x80, &seed[1..]), &[]),
            length,
        ),
        (
            "a seed in an OCTET STRING",
            with(0, ML_KEM_512, &tlv(4, &seed), &[]),
            length,
        ),
        (
            "an expanded key, short",
            with(0, ML_KEM_512, &tlv(4, &expanded[1..]), &[]),
            length,
        ),
        (
            "an expanded key, whole",
            with(0, ML_KEM_512, &tlv(4, expanded), &[]),
            ok,
        ),
        (
            "both, the expanded key short",
            with(
                0,
                ML_KEM_512,
                &sequence(&[&tlv(4, &seed), &tlv(4, &expanded[1..])]),
                &[],
            ),
            |r| matches!(r, Err(Error::SeedMismatch)),
        ),
        (
            "both, and something more",
            with(
                0,
                ML_KEM_512,
                &sequence(&[&tlv(4, &seed), &tlv(4, expanded), &[5, 0]]),
                &[],
            ),
            damaged,
        ),
        (
            "a seed alone in a SEQUENCE",
            with(0, ML_KEM_512, &sequence(&[&tlv(4, &seed)]), &[]),
            damaged,
        ),
        (
            "a seed with nothing around it",
            with(0, ML_KEM_512, &seed, &[]),
            damaged,
        ),
        (
            "an explicit tag",
            with(0, ML_KEM_512, &tlv(0xa0, &tlv(4, &seed)), &[]),
            damaged,
        ),
        (
            "an unknown choice",
            with(0, ML_KEM_512, &tlv(0x81, &seed), &[]),
            damaged,
        ),
        (
            "something after the choice",
            with(0, ML_KEM_512, &[&seed_form[..], &[5, 0]].concat(), &[]),
            damaged,
        ),
        (
            "parameters",
            with(0, &[ML_KEM_512, &[5, 0]].concat(), &seed_form, &[]),
            damaged,
        ),
        (
            "something after the key",
            [with(0, ML_KEM_512, &seed_form, &[]), vec![5, 0]].concat(),
            damaged,
        ),
        (
            "an unknown algorithm",
            with(0, b"\x06\x03\x2a\x03\x04", &seed_form, &[]),
            |r| matches!(r, Err(Error::KeyAlgorithm(name)) if name == "the algorithm 1.2.3.4"),
        ),
        ("nothing", vec![], damaged),
    ];
    check(cases, SecretKey::from_der);
}

#[test]
fn wrong_public_der() {
    let key = some_key().public_key();
    let with = |algorithm: &[u8], bits: &[u8]| sequence(&[&sequence(&[algorithm]), &tlv(3, bits)]);
    let bits = [&[0], key.as_bytes()].concat();
    let damaged = |r: &Result<PublicKey, Error>| matches!(r, Err(Error::KeyDamaged(_)));
    let mut range = bits.clone();
    range[1..3].copy_from_slice(&[0xff, 0xff]);
    let cases: &[Case<'_, PublicKey>] = &[
        ("the key", with(ML_KEM_512, &bits), |r| r.is_ok()),
        ("short", with(ML_KEM_512, &bits[..800]), |r| {
            matches!(r, Err(Error::Length { .. }))
        }),
        ("out of range", with(ML_KEM_512, &range), |r| {
            matches!(r, Err(Error::EncapsulationKeyRange))
        }),
        (
            "parameters",
            with(&[ML_KEM_512, &[5, 0]].concat(), &bits),
            damaged,
        ),
        (
            "unused bits",
            with(ML_KEM_512, &[&[4], &bits[1..800], &[0xf0]].concat()),
            damaged,
        ),
        (
            "something after the key",
            [with(ML_KEM_512, &bits), vec![0]].concat(),
            damaged,
        ),
    ];
    check(cases, PublicKey::from_der);
    assert_eq!(with(ML_KEM_512, &bits), key.to_der());
}
