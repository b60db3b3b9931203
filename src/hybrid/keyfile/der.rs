//! SubjectPublicKeyInfo and OneAsymmetricKey for ML-KEM, RFC 9935.

use super::pem::Label;
use crate::Error;
use crate::kem::{Seed, SetId};
use pkcs8::der::asn1::{AnyRef, BitStringRef, OctetStringRef};
use pkcs8::der::{Decode, Encode, Tag, TagNumber, Tagged};
use pkcs8::spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};
use pkcs8::{EncryptedPrivateKeyInfoRef, ObjectIdentifier, PrivateKeyInfoRef, SecretDocument};
use zeroize::Zeroizing;

/// RFC 9935 section 3: id-alg-ml-kem-512, -768, -1024.
const fn oid(set: SetId) -> ObjectIdentifier {
    ObjectIdentifier::new_unwrap(match set {
        SetId::MlKem512 => "2.16.840.1.101.3.4.4.1",
        SetId::MlKem768 => "2.16.840.1.101.3.4.4.2",
        SetId::MlKem1024 => "2.16.840.1.101.3.4.4.3",
    })
}

/// Parameters are absent.
const fn algorithm(set: SetId) -> AlgorithmIdentifierRef<'static> {
    AlgorithmIdentifierRef {
        oid: oid(set),
        parameters: None,
    }
}

/// What people are likely to hand over in place of an ML-KEM key.
const OTHERS: [(&str, &str); 15] = [
    ("1.2.840.113549.1.1.1", "RSA"),
    ("1.2.840.113549.1.1.10", "RSA-PSS"),
    ("1.2.840.113549.1.3.1", "Diffie-Hellman"),
    ("1.2.840.10040.4.1", "DSA"),
    ("1.2.840.10045.2.1", "elliptic curves"),
    ("1.3.101.110", "X25519"),
    ("1.3.101.111", "X448"),
    ("1.3.101.112", "Ed25519"),
    ("1.3.101.113", "Ed448"),
    ("2.16.840.1.101.3.4.3.17", "ML-DSA-44"),
    ("2.16.840.1.101.3.4.3.18", "ML-DSA-65"),
    ("2.16.840.1.101.3.4.3.19", "ML-DSA-87"),
    ("1.3.6.1.4.1.62253.25722", "X-Wing"),
    (
        "1.3.6.1.4.1.22554.5.6.1",
        "Kyber512, the draft before ML-KEM",
    ),
    (
        "1.3.6.1.4.1.22554.5.6.2",
        "Kyber768, the draft before ML-KEM",
    ),
];

/// The parameter set of an algorithm.
fn set(algorithm: &AlgorithmIdentifierRef<'_>) -> Result<SetId, Error> {
    let Some(set) = SetId::ALL
        .into_iter()
        .find(|&set| oid(set) == algorithm.oid)
    else {
        let id = algorithm.oid.to_string();
        let known = OTHERS.iter().find(|(other, _)| *other == id);
        return Err(Error::KeyAlgorithm(match known {
            Some((_, name)) => (*name).into(),
            None => format!("the algorithm {id}"),
        }));
    };
    match algorithm.parameters {
        None => Ok(set),
        Some(_) => Err(Error::KeyDamaged(
            "algorithm parameters, which ML-KEM has none of",
        )),
    }
}

/// Which structure a file in DER has: none if it is not in DER, or another one.
pub(super) fn label(file: &[u8]) -> Option<Label> {
    if PrivateKeyInfoRef::from_der(file).is_ok() {
        Some(Label::Private)
    } else if EncryptedPrivateKeyInfoRef::from_der(file).is_ok() {
        Some(Label::Encrypted)
    } else {
        let public = SubjectPublicKeyInfoRef::from_der(file).is_ok();
        public.then_some(Label::Public)
    }
}

/// The encapsulation key in a SubjectPublicKeyInfo. RFC 9935 section 4.
pub(super) fn read_public(der: &[u8]) -> Result<(SetId, &[u8]), Error> {
    const DAMAGED: Error = Error::KeyDamaged("no SubjectPublicKeyInfo in its DER");
    let info = SubjectPublicKeyInfoRef::from_der(der).map_err(|_| DAMAGED)?;
    let set = set(&info.algorithm)?;
    let bytes = info.subject_public_key.as_bytes().ok_or(DAMAGED)?;
    Ok((set, bytes))
}

pub(super) fn write_public(set: SetId, key: &[u8]) -> Vec<u8> {
    SubjectPublicKeyInfoRef {
        algorithm: algorithm(set),
        subject_public_key: BitStringRef::from_bytes(key).expect("a key is short"),
    }
    .to_der()
    .expect("a key is short")
}

/// What stands in a OneAsymmetricKey. None of it is checked against the rest.
pub(super) struct Secret<'a> {
    pub(super) set: SetId,
    pub(super) seed: Option<Seed>,
    pub(super) expanded: Option<&'a [u8]>,
    pub(super) public: Option<&'a [u8]>,
}

/// Reads a OneAsymmetricKey. RFC 9935 section 6:
///
/// ```text
/// ML-KEM-PrivateKey ::= CHOICE {
///   seed [0] OCTET STRING (SIZE (64)),
///   expandedKey OCTET STRING,
///   both SEQUENCE { seed OCTET STRING (SIZE (64)), expandedKey OCTET STRING } }
/// ```
pub(super) fn read_secret(der: &[u8]) -> Result<Secret<'_>, Error> {
    const DAMAGED: Error = Error::KeyDamaged("no PKCS#8 private key in its DER");
    const CHOICE: Error = Error::KeyDamaged("none of the private key forms of RFC 9935");
    const SEED_TAG: Tag = Tag::ContextSpecific {
        constructed: false,
        number: TagNumber(0),
    };
    let info = PrivateKeyInfoRef::from_der(der).map_err(|_| DAMAGED)?;
    let set = set(&info.algorithm)?;
    let choice = AnyRef::from_der(info.private_key.as_bytes()).map_err(|_| CHOICE)?;
    let (seed, expanded) = match choice.tag() {
        SEED_TAG => (Some(choice.value()), None),
        Tag::OctetString => (None, Some(choice.value())),
        Tag::Sequence => choice
            .sequence(|both| {
                let seed = <&OctetStringRef>::decode(both)?;
                let expanded = <&OctetStringRef>::decode(both)?;
                Ok((Some(seed.as_bytes()), Some(expanded.as_bytes())))
            })
            .map_err(|_: pkcs8::der::Error| CHOICE)?,
        _ => return Err(CHOICE),
    };
    let public = match &info.public_key {
        Some(bits) => Some(bits.as_bytes().ok_or(DAMAGED)?),
        None => None,
    };
    Ok(Secret {
        set,
        seed: seed.map(read_seed).transpose()?,
        expanded,
        public,
    })
}

fn read_seed(bytes: &[u8]) -> Result<Seed, Error> {
    let seed: &[u8; 64] = bytes.try_into().map_err(|_| Error::Length {
        what: "seed",
        expected: 64,
        got: bytes.len(),
    })?;
    Ok(Seed::from(seed))
}

/// The seed form: 86 bytes.
pub(super) fn write_seed(set: SetId, seed: &Seed) -> SecretDocument {
    let mut choice = Zeroizing::new([0; 2 + 64]);
    // [0] IMPLICIT OCTET STRING, 64 bytes.
    choice[..2].copy_from_slice(&[0x80, 64]);
    choice[2..].copy_from_slice(seed.as_bytes());
    write_secret(set, &*choice)
}

/// The expanded form.
pub(super) fn write_expanded(set: SetId, key: &[u8]) -> SecretDocument {
    let choice = OctetStringRef::new(key).and_then(|key| key.to_der());
    write_secret(set, &Zeroizing::new(choice.expect("a key is short")))
}

/// Both.
pub(super) fn write_both(set: SetId, seed: &Seed, expanded: &[u8]) -> SecretDocument {
    let octets = |bytes| OctetStringRef::new(bytes).and_then(|octets| octets.to_der());
    let [seed, expanded] = [seed.as_bytes(), expanded]
        .map(|part| Zeroizing::new(octets(part).expect("a key is short")));
    let both = Zeroizing::new([&seed[..], &expanded].concat());
    let choice = AnyRef::new(Tag::Sequence, &both).and_then(|both| both.to_der());
    write_secret(set, &Zeroizing::new(choice.expect("a key is short")))
}

fn write_secret(set: SetId, choice: &[u8]) -> SecretDocument {
    let choice = OctetStringRef::new(choice).expect("a key is short");
    let info = PrivateKeyInfoRef::new(algorithm(set), choice);
    SecretDocument::try_from(info).expect("a key is short")
}
