//! Key files, from outside: other people's, damaged ones, and what people's tools do to ours.
#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "keyfile/der.rs"]
mod der;

use pqbox::Error;
use pqbox::hybrid::keyfile::{Kind, kind};
use pqbox::hybrid::{KeyId, Passphrase, PublicKey, SecretKey};
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
        assert_eq!(kind(&text).unwrap(), Kind::Encrypted);
        let key = SecretKey::from_pem(&text, Some(Passphrase::new(b"correct horse"))).unwrap();
        assert_eq!(key.to_pem(), plain.to_pem(), "{name}");
        assert!(matches!(
            SecretKey::from_pem(&text, Some(Passphrase::new(b"wrong horse"))),
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
    assert_eq!(kind(text).unwrap(), Kind::Encrypted);
    let read =
        |passphrase: &str| SecretKey::from_pem(text, Some(Passphrase::new(passphrase.as_bytes())));
    assert_eq!(read("pässphrase").unwrap().to_pem(), key.to_pem());
    assert!(matches!(read(""), Err(Error::WrongPassphrase)));
    let again = key.to_encrypted_pem(b"", &mut SysRng).unwrap();
    assert_ne!(again.as_bytes(), text);
    assert!(SecretKey::from_pem(again.as_bytes(), Some(Passphrase::new(b""))).is_ok());
    assert_eq!(kind(key.to_pem().as_bytes()).unwrap(), Kind::Secret);
}

/// Without authentication, one wrong passphrase in 256 gives good padding. It is an error all the
/// same.
#[test]
fn many_wrong_passphrases() {
    let text = data("interop/pyca-768-encrypted-priv.pem");
    for i in 0..1000 {
        let passphrase = format!("guess {i}");
        let error =
            SecretKey::from_pem(&text, Some(Passphrase::new(passphrase.as_bytes()))).unwrap_err();
        assert!(matches!(error, Error::WrongPassphrase), "{i}: {error}");
    }
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
        ("DER", [&[0x30, 0x82, 1, 0][..], &[0; 256]].concat(), |r| {
            matches!(r, Err(Error::NotKey(Some("a DER file"))))
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
