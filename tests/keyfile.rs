//! Key files, from outside: other people's, damaged ones, and what people's tools do to ours.
#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, reason = "a test")]

use pqbox::Error;
use pqbox::hybrid::{KeyId, PublicKey, SecretKey};
use pqbox::kem::{Seed, SetId};
use rand::rngs::SysRng;
use std::path::PathBuf;

const SETS: [(&str, SetId); 3] = [
    ("512", SetId::MlKem512),
    ("768", SetId::MlKem768),
    ("1024", SetId::MlKem1024),
];

fn data(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    std::fs::read(path.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn secret(name: &str) -> Result<SecretKey, Error> {
    SecretKey::from_pem(&data(name), None)
}

/// A key that is the same each time.
fn some_key() -> SecretKey {
    let seed = core::array::from_fn(|i| i as u8);
    SecretKey::from_seed(SetId::MlKem512, &Seed::from(&seed))
}

/// A text, damaged or changed, and what is to come of it.
type Case<'a, T> = (&'a str, Vec<u8>, fn(&Result<T, Error>) -> bool);

fn check<T: std::fmt::Debug>(cases: &[Case<'_, T>], read: impl Fn(&[u8]) -> Result<T, Error>) {
    for (name, text, is_right) in cases {
        let result = read(text);
        assert!(is_right(&result), "{name}: {result:?}");
    }
}

#[test]
fn rfc_9935_examples() {
    for (name, set) in SETS {
        let public = PublicKey::from_pem(&data(&format!("rfc9935/ML-KEM-{name}.pub"))).unwrap();
        assert_eq!(public.set(), set);
        for form in ["seed", "expanded", "both"] {
            let key = secret(&format!("rfc9935/ML-KEM-{name}-{form}.priv")).unwrap();
            assert_eq!(key.set(), set);
            assert_eq!(key.public_key(), public, "{name} {form}");
            assert_eq!(key.id(), public.id());
        }
    }
}

/// We write what RFC 9935 shows: the seed form, byte for byte, and the same public key. A key of
/// which no seed is known stays what it is.
#[test]
fn rfc_9935_examples_written() {
    for (name, _) in SETS {
        let text = |kind: &str| data(&format!("rfc9935/ML-KEM-{name}{kind}"));
        let [seed, expanded, both] = ["-seed.priv", "-expanded.priv", "-both.priv"].map(text);
        let write = |text: &[u8]| SecretKey::from_pem(text, None).unwrap().to_pem();
        assert_eq!(write(&seed).as_bytes(), seed);
        assert_eq!(write(&both).as_bytes(), seed);
        assert_eq!(write(&expanded).as_bytes(), expanded);
        let public = PublicKey::from_pem(&text(".pub")).unwrap();
        assert_eq!(public.to_pem().as_bytes(), text(".pub"));
        assert_eq!(PublicKey::from_der(&public.to_der()).unwrap(), public);
    }
}

#[test]
fn rfc_9935_bad_keys() {
    let bad = |n| secret(&format!("rfc9935/bad-ML-KEM-512-{n}.priv"));
    assert!(matches!(bad(1), Err(Error::SeedMismatch)));
    assert!(matches!(bad(2), Err(Error::KeyPairMismatch)));
    assert!(matches!(bad(3), Err(Error::DecapsulationKeyHash)));
    assert!(matches!(bad(4), Err(Error::SeedMismatch)));
}

/// Keys that OpenSSL, Node and Python `cryptography` made, and secrets that they encapsulated.
#[test]
fn made_by_others() {
    for name in [
        "openssl-512",
        "openssl-768",
        "openssl-1024",
        "node-768",
        "pyca-768",
        "pyca-1024",
    ] {
        let file = |kind| format!("interop/{name}-{kind}");
        let key = secret(&file("priv.pem")).unwrap();
        let public = PublicKey::from_pem(&data(&file("pub.pem"))).unwrap();
        assert_eq!(key.public_key(), public, "{name}");
        let shared = key.decapsulate(&data(&file("ct.bin"))).unwrap();
        assert_eq!(shared.as_bytes()[..], data(&file("ss.bin")), "{name}");
    }
    for form in ["seed", "expanded"] {
        let key = secret(&format!("interop/openssl-768-{form}-priv.pem")).unwrap();
        let shared = key
            .decapsulate(&data("interop/openssl-768-ct.bin"))
            .unwrap();
        assert_eq!(shared.as_bytes()[..], data("interop/openssl-768-ss.bin"));
    }
}

/// PBES2 as OpenSSL writes it (PBKDF2 with HMAC-SHA-256, AES-256-CBC): of a seed by way of Python,
/// of seed and expanded key by way of Node.
#[test]
fn encrypted_by_others() {
    for name in ["pyca-768", "node-768"] {
        let plain = secret(&format!("interop/{name}-priv.pem")).unwrap();
        let text = data(&format!("interop/{name}-encrypted-priv.pem"));
        assert!(SecretKey::is_encrypted_pem(&text));
        let key = SecretKey::from_pem(&text, Some(b"correct horse")).unwrap();
        assert_eq!(key.to_pem(), plain.to_pem(), "{name}");
        assert!(matches!(
            SecretKey::from_pem(&text, Some(b"wrong horse")),
            Err(Error::WrongPassphrase)
        ));
        assert!(matches!(
            SecretKey::from_pem(&text, None),
            Err(Error::PassphraseNeeded)
        ));
    }
}

#[test]
fn encrypted_by_us() {
    let key = some_key();
    let text = key
        .to_encrypted_pem("pässphrase".as_bytes(), &mut SysRng)
        .unwrap();
    let text = text.as_bytes();
    assert!(text.starts_with(b"-----BEGIN ENCRYPTED PRIVATE KEY-----\n"));
    assert!(SecretKey::is_encrypted_pem(text));
    let read = |passphrase: &str| SecretKey::from_pem(text, Some(passphrase.as_bytes()));
    assert_eq!(read("pässphrase").unwrap().to_pem(), key.to_pem());
    assert!(matches!(read(""), Err(Error::WrongPassphrase)));
    let again = key.to_encrypted_pem(b"", &mut SysRng).unwrap();
    assert_ne!(again.as_bytes(), text);
    assert!(SecretKey::from_pem(again.as_bytes(), Some(b"")).is_ok());
    assert!(!SecretKey::is_encrypted_pem(key.to_pem().as_bytes()));
}

/// Without authentication, one wrong passphrase in 256 gives good padding. It is an error all the
/// same.
#[test]
fn many_wrong_passphrases() {
    let text = data("interop/pyca-768-encrypted-priv.pem");
    for i in 0..1000 {
        let passphrase = format!("guess {i}");
        let error = SecretKey::from_pem(&text, Some(passphrase.as_bytes())).unwrap_err();
        assert!(matches!(error, Error::WrongPassphrase), "{i}: {error}");
    }
}

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
    check(cases, |text| SecretKey::from_pem(text, Some(b"x")));
}

/// What editors, mail and shells do to a key file, none of which is a reason to reject it.
#[test]
fn changed_but_whole() {
    let key = some_key();
    let pem = key.to_pem();
    let pem = pem.as_str();
    let utf16 = |encode: fn(u16) -> [u8; 2]| -> Vec<u8> {
        format!("\u{feff}{pem}")
            .encode_utf16()
            .flat_map(encode)
            .collect()
    };
    let lines = |change: fn(&str) -> String| -> Vec<u8> {
        pem.lines().map(change).collect::<String>().into_bytes()
    };
    let right = |result: &Result<SecretKey, Error>| matches!(result, Ok(key) if key.to_pem() == some_key().to_pem());
    let comment = "key of Zoë: keep it secret\n\n";
    let cases: &[Case<'_, SecretKey>] = &[
        ("CRLF", pem.replace('\n', "\r\n").into(), right),
        ("CR alone", pem.replace('\n', "\r").into(), right),
        ("byte-order mark", format!("\u{feff}{pem}").into(), right),
        ("UTF-16, little-endian", utf16(u16::to_le_bytes), right),
        ("UTF-16, big-endian", utf16(u16::to_be_bytes), right),
        (
            "trailing blanks",
            lines(|line| format!("{line} \t\n")),
            right,
        ),
        ("indented", lines(|line| format!("    {line}\n")), right),
        ("blank lines", lines(|line| format!("{line}\n\n")), right),
        ("no final newline", pem.trim_end().into(), right),
        ("one line", lines(|line| format!("{line} ")), right),
        (
            "text around",
            format!("{comment}{pem}{comment}").into(),
            right,
        ),
        (
            "text in Latin-1",
            [b"Zo\xeb\n", pem.as_bytes()].concat(),
            right,
        ),
        (
            "a public key and a certificate beside it",
            format!(
                "{}{pem}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
                key.public_key().to_pem()
            )
            .into(),
            right,
        ),
    ];
    check(cases, |text| SecretKey::from_pem(text, None));
}

#[test]
fn damaged_secret_keys() {
    let pem = some_key().to_pem();
    let pem = pem.as_str();
    let damaged = |r: &Result<SecretKey, Error>| matches!(r, Err(Error::KeyDamaged(_)));
    let lines: Vec<&str> = pem.lines().collect();
    let body = &lines[1..lines.len() - 1];
    let cases: &[Case<'_, SecretKey>] = &[
        ("empty", b"".into(), |r| matches!(r, Err(Error::KeyEmpty))),
        ("blank", b" \r\n\t".into(), |r| {
            matches!(r, Err(Error::KeyEmpty))
        }),
        ("a mark alone", b"\xef\xbb\xbf".into(), |r| {
            matches!(r, Err(Error::KeyEmpty))
        }),
        ("a UTF-16 mark alone", b"\xff\xfe".into(), |r| {
            matches!(r, Err(Error::KeyEmpty))
        }),
        (
            "a public key",
            some_key().public_key().to_pem().into(),
            |r| matches!(r, Err(Error::KeyIsPublic)),
        ),
        ("two keys", pem.repeat(2).into(), |r| {
            matches!(r, Err(Error::KeySeveral))
        }),
        (
            "another algorithm",
            data("x25519-priv.pem"),
            |r| matches!(r, Err(Error::KeyAlgorithm(name)) if name == "X25519"),
        ),
        (
            "an old RSA key",
            b"-----BEGIN RSA PRIVATE KEY-----\n".into(),
            |r| matches!(r, Err(Error::KeyAlgorithm(name)) if name == "RSA"),
        ),
        (
            "an age key",
            b"# created: today\nAGE-SECRET-KEY-1\n".into(),
            |r| matches!(r, Err(Error::NotKey(Some("an age secret key")))),
        ),
        (
            "a certificate",
            b"-----BEGIN CERTIFICATE-----\n".into(),
            |r| matches!(r, Err(Error::NotKey(Some("a certificate")))),
        ),
        ("DER", sequence(&[&[0; 200]]), |r| {
            matches!(r, Err(Error::NotKey(None | Some("a DER file"))))
        }),
        ("noise", vec![0x9c; 100], |r| {
            matches!(r, Err(Error::NotKey(None)))
        }),
        ("cut off", pem[..pem.len() - 30].into(), damaged),
        ("cut off in the BEGIN line", pem[..20].into(), damaged),
        (
            "a line missing",
            format!(
                "{}\n{}\n{}\n",
                lines[0],
                body[1..].concat(),
                lines[lines.len() - 1]
            )
            .into(),
            damaged,
        ),
        (
            "a strange character",
            pem.replacen(body[0], &body[0].replacen('M', "!", 1), 1)
                .into(),
            damaged,
        ),
        (
            "no body",
            format!("{}\n{}\n", lines[0], lines[lines.len() - 1]).into(),
            damaged,
        ),
        (
            "another END line",
            pem.replace("END PRIVATE", "END PUBLIC").into(),
            damaged,
        ),
    ];
    check(cases, |text| SecretKey::from_pem(text, None));
}

#[test]
fn damaged_public_keys() {
    let pem = some_key().public_key().to_pem();
    let cases: &[Case<'_, PublicKey>] = &[
        ("a secret key", some_key().to_pem().as_bytes().into(), |r| {
            matches!(r, Err(Error::KeyIsSecret))
        }),
        (
            "an encrypted one",
            data("interop/pyca-768-encrypted-priv.pem"),
            |r| matches!(r, Err(Error::KeyIsSecret)),
        ),
        ("two keys", pem.repeat(2).into(), |r| {
            matches!(r, Err(Error::KeySeveral))
        }),
        (
            "another algorithm",
            data("x25519-pub.pem"),
            |r| matches!(r, Err(Error::KeyAlgorithm(name)) if name == "X25519"),
        ),
        ("an age key", b"age1xyz\n".into(), |r| {
            matches!(r, Err(Error::NotKey(Some("an age public key"))))
        }),
        ("cut off", pem[..200].into(), |r| {
            matches!(r, Err(Error::KeyDamaged(_)))
        }),
    ];
    check(cases, PublicKey::from_pem);
    // Both of one key in one file: each reader finds its own.
    let both = format!("{}{pem}", some_key().to_pem().as_str());
    assert_eq!(
        PublicKey::from_pem(both.as_bytes()).unwrap(),
        some_key().public_key()
    );
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

/// An expanded key whose ek has a coefficient out of range, with a hash that is right for it:
/// nothing that FIPS 203 section 7.3 looks at is wrong.
#[test]
fn expanded_key_with_an_ek_out_of_range() {
    use sha3::{Digest, Sha3_256};
    let text = data("rfc9935/ML-KEM-512-expanded.priv");
    let (_, mut der) = pkcs8::der::pem::decode_vec(&text).unwrap();
    let start = der.len() - 1632;
    let key = &mut der[start..];
    key[768..770].copy_from_slice(&[0xff, 0xff]);
    let hash = Sha3_256::digest(&key[768..1568]);
    key[1568..1600].copy_from_slice(&hash);
    let result = SecretKey::from_der(&der);
    assert!(
        matches!(result, Err(Error::EncapsulationKeyRange)),
        "{result:?}"
    );
}

#[test]
fn nothing_secret_is_shown() {
    let key = some_key();
    let shown = format!("{key:?}");
    assert_eq!(shown, format!("SecretKey(ML-KEM-512, {})", key.id()));
    let error = PublicKey::from_pem(key.to_pem().as_bytes()).unwrap_err();
    let body = key.to_pem().lines().nth(1).unwrap().to_owned();
    assert!(!format!("{error} {error:?}").contains(&body[..8]));
}

/// The id as `openssl dgst -sha3-256` over the DER begins.
#[test]
fn key_ids() {
    use sha3::{Digest, Sha3_256};
    let text = data("interop/openssl-768-pub.pem");
    let key = PublicKey::from_pem(&text).unwrap();
    let (_, der) = pkcs8::der::pem::decode_vec(&text).unwrap();
    let hash = Sha3_256::digest(der);
    assert_eq!(key.id().as_bytes()[..], hash[..8]);
    assert_eq!(key.id().to_string().parse::<KeyId>().unwrap(), key.id());
}
