//! The container, from outside: `docs/format.md` by its worked example, and every way in which a
//! file can be wrong.
#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "format/headers.rs"]
mod headers;

use hmac::{Hmac, KeyInit, Mac};
use pqbox::Error;
use pqbox::hybrid::{
    self, ArmorWriter, Content, Header, KeyId, MAX_STANZAS, Naming, Opener, Passphrase, Sealing,
};
use pqbox::hybrid::{PublicKey, Sealer, SecretKey, Stanza};
use pqbox::kem::{Seed, SetId};
use rand::rngs::SysRng;
use rand::{TryCryptoRng, TryRng};
use sha2::Sha512;
use std::convert::Infallible;
use std::io::Write;

/// Randomness that was written down before.
struct Tape(Vec<u8>);

impl TryRng for Tape {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("bytes are what is asked for")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        unreachable!("bytes are what is asked for")
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.copy_from_slice(&self.0.drain(..bytes.len()).collect::<Vec<_>>());
        Ok(())
    }
}

impl TryCryptoRng for Tape {}

const FILE_KEY: [u8; 32] = [0xf1; 32];
const MESSAGE: &[u8] = b"a short message";

fn key(n: u8) -> SecretKey {
    SecretKey::from_seed(SetId::MlKem512, &Seed::from(&[n; 64]))
}

/// A file for these keys.
fn sealed_to(keys: &[u8]) -> Vec<u8> {
    let recipients: Vec<_> = keys.iter().map(|n| key(*n).public_key()).collect();
    let mut sealed = Vec::new();
    hybrid::seal(&recipients, MESSAGE, &mut sealed, &mut SysRng).unwrap();
    sealed
}

/// A file for keys 1 and 2, under [`FILE_KEY`].
fn sealed() -> Vec<u8> {
    let recipients = [1, 2].map(|n| key(n).public_key());
    let mut rng = Tape([&FILE_KEY[..], &[2; 32], &[3; 32], &[4; 24]].concat());
    let mut sealed = Vec::new();
    hybrid::seal(&recipients, MESSAGE, &mut sealed, &mut rng).unwrap();
    assert!(rng.0.is_empty());
    sealed
}

fn open(key: &SecretKey, sealed: &[u8]) -> Result<Vec<u8>, Error> {
    let mut opened = Vec::new();
    hybrid::open(std::slice::from_ref(key), sealed, &mut opened)?;
    Ok(opened)
}

/// Where things lie in a file for ML-KEM-512.
const PREFIX: usize = 14;
const BODY: usize = 8 + 768 + 48;
const STANZA: usize = 6 + BODY;

/// HKDF-Expand-SHA-512 with 32 bytes of key, for one or two blocks.
fn expand(key: &[u8], info: &[u8], len: usize) -> Vec<u8> {
    let hmac = |parts: &[&[u8]]| {
        let mut hmac = Hmac::<Sha512>::new_from_slice(key).unwrap();
        parts.iter().for_each(|part| hmac.update(part));
        hmac.finalize().into_bytes()
    };
    let first = hmac(&[info, &[1]]);
    let second = hmac(&[&first, info, &[2]]);
    [&first[..], &second].concat()[..len].to_vec()
}

/// The blocks of hex of the worked example that are marked with this name.
fn example(name: &str) -> Vec<u8> {
    let text = include_str!("../docs/format.md");
    let blocks: Vec<&str> = text
        .split("```hex ")
        .skip(1)
        .filter_map(|block| block.split_once("\n```")?.0.strip_prefix(name))
        .filter_map(|block| block.strip_prefix('\n'))
        .collect();
    assert!(!blocks.is_empty(), "no {name} in the example");
    let digits: Vec<u8> = blocks
        .concat()
        .bytes()
        .filter(|b| !b.is_ascii_whitespace())
        .collect();
    let hex = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(hex).collect()
}

#[test]
fn worked_example() {
    let seed = Seed::from(&example("seed").try_into().unwrap());
    let key = SecretKey::from_seed(SetId::MlKem512, &seed);
    let file = example("file");
    let plaintext = example("plaintext");
    assert_eq!(open(&key, &file).unwrap(), plaintext);

    // The same randomness gives the same file.
    let tape = ["file-key", "m", "salt"].map(example).concat();
    let mut sealed = Vec::new();
    hybrid::seal(
        &[key.public_key()],
        &plaintext[..],
        &mut sealed,
        &mut Tape(tape),
    )
    .unwrap();
    assert_eq!(sealed, file);

    // In armor, it begins and ends as the text shows.
    let text = include_str!("../docs/format.md");
    let (start, rest) = text
        .split_once("```text\n-----BEGIN")
        .unwrap()
        .1
        .split_once("...\n")
        .unwrap();
    let end = rest.split_once("```").unwrap().0;
    let mut armor = ArmorWriter::new(Vec::new());
    armor.write_all(&file).unwrap();
    let armored = String::from_utf8(armor.finish().unwrap()).unwrap();
    assert!(armored.starts_with(&format!("-----BEGIN{start}")));
    assert!(armored.ends_with(end));
    assert_eq!(open(&key, armored.as_bytes()).unwrap(), plaintext);
}

/// What the example shows between its beginning and its end.
#[test]
fn worked_example_in_steps() {
    use shake::Shake256;
    use shake::digest::{ExtendableOutput, Update, XofReader};

    let seed = Seed::from(&example("seed").try_into().unwrap());
    let key = SecretKey::from_seed(SetId::MlKem512, &seed);
    assert_eq!(key.id().as_bytes()[..], example("key-id"));

    let file = example("file");
    let shared_secret = key.decapsulate(&file[PREFIX + 6 + 8..][..768]).unwrap();
    assert_eq!(shared_secret.as_bytes()[..], example("shared-secret"));

    let ikm = [&[0, 0, 0, 32], &shared_secret.as_bytes()[..]].concat();
    let suite_id = b"HPKE\x00\x40\x00\x11\x00\x02";
    let context = [&[0, 0, 0, 0, 16], &b"pqbox/1 file key"[..]].concat();
    let labels: [&[u8]; 4] = [b"HPKE-v1", suite_id, b"\0\x06secret", b"\0\x6c"];
    assert_eq!(
        [&ikm, &labels.concat(), &context].map(Vec::len),
        [36, 27, 21]
    );
    let mut shake = Shake256::default();
    shake.update(&[&ikm[..], &labels.concat(), &context].concat());
    let mut okm = [0; 44];
    shake.finalize_xof().read(&mut okm);
    assert_eq!(
        okm[..],
        [example("hpke-key"), example("hpke-nonce")].concat()
    );

    let file_key = example("file-key");
    let payload_key = expand(&file_key, b"pqbox/1 payload", 32);
    assert_eq!(
        expand(&file_key, b"pqbox/1 header", 32),
        example("header-key")
    );
    assert_eq!(payload_key, example("payload-key"));
    let label = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0";
    let okm = expand(&payload_key, &[&label[..], &example("salt")].concat(), 76);
    assert_eq!(
        okm[..44],
        [example("chunk-key"), example("base-nonce")].concat()
    );
    assert_eq!(okm[44..], file[PREFIX + STANZA + 32 + 24..][..32]);
}

#[test]
fn every_recipient_opens() {
    let sealed = sealed();
    for n in [1, 2] {
        assert_eq!(open(&key(n), &sealed).unwrap(), MESSAGE);
    }
    let header = Header::read(&mut &sealed[..]).unwrap();
    assert_eq!(
        (header.version(), header.content()),
        (1, Content::default())
    );
    assert_eq!(header.len(), (PREFIX + 2 * STANZA + 32) as u64);
    let ids: Vec<_> = header
        .stanzas()
        .iter()
        .map(|stanza| stanza.key_id())
        .collect();
    assert_eq!(ids, [Some(key(1).id()), Some(key(2).id())]);
    assert_eq!(header.stanzas()[0].set(), Some(SetId::MlKem512));
    assert_eq!(header.stanzas()[0].kind(), 0x0040);
}

/// The steps leave the input where the next one takes it up.
#[test]
fn in_steps() {
    let sealed = sealed();
    let mut input = &sealed[..];
    let file_key = Header::read(&mut input).unwrap().unlock(&[key(1)]).unwrap();
    let payload_len = hybrid::plaintext_len(input.len() as u64);
    assert_eq!(payload_len, Some(MESSAGE.len() as u64));
    let mut opener = Opener::new(file_key, input).unwrap();
    assert_eq!(opener.next_chunk().unwrap(), Some(MESSAGE));
    assert_eq!(opener.next_chunk().unwrap(), None);
}

#[test]
fn all_sets_together() {
    let keys = SetId::ALL.map(|set| SecretKey::generate(set, &mut SysRng).unwrap());
    let recipients = keys.each_ref().map(SecretKey::public_key);
    let message: Vec<u8> = (0..100_000).map(|i| i as u8).collect();
    let mut sealed = Vec::new();
    let len = hybrid::seal(&recipients, &message[..], &mut sealed, &mut SysRng).unwrap();
    assert_eq!(len, sealed.len() as u64);
    for key in &keys {
        assert!(open(key, &sealed).unwrap() == message);
    }
}

#[test]
fn recipients() {
    let seal = |recipients: &[PublicKey]| {
        let mut sealed = Vec::new();
        hybrid::seal(recipients, MESSAGE, &mut sealed, &mut SysRng).map(|_| sealed)
    };
    assert!(matches!(seal(&[]), Err(Error::NoRecipient)));
    let one = key(1).public_key();
    let twice = seal(&[one.clone(), one]).unwrap();
    assert_eq!(Header::read(&mut &twice[..]).unwrap().stanzas().len(), 1);
    assert_eq!(open(&key(1), &twice).unwrap(), MESSAGE);
}

/// Keys that nobody has: t = 0, and rho the number.
fn nobody(n: usize) -> PublicKey {
    let mut bytes = [0; 800];
    bytes[768..776].copy_from_slice(&n.to_be_bytes());
    PublicKey::from_bytes(SetId::MlKem512, &bytes).unwrap()
}

#[test]
fn a_thousand_recipients() {
    let mut recipients: Vec<_> = (0..999).map(nobody).collect();
    recipients.push(key(1).public_key());
    let mut sealed = Vec::new();
    hybrid::seal(&recipients, MESSAGE, &mut sealed, &mut SysRng).unwrap();
    assert_eq!(open(&key(1), &sealed).unwrap(), MESSAGE);
    assert_eq!(
        Header::read(&mut &sealed[..]).unwrap().stanzas().len(),
        1000
    );
}

#[test]
fn too_many_recipients() {
    let recipients: Vec<_> = (0..=MAX_STANZAS).map(nobody).collect();
    let error = Sealer::new(&recipients, MESSAGE, &mut SysRng)
        .err()
        .unwrap();
    assert!(matches!(
        error,
        Error::HeaderLimit {
            what: "stanzas",
            limit: 4096,
            got: 4097
        }
    ));
}

/// Argon2's salt is drawn between the file key and the payload's salt.
#[test]
fn by_passphrase() {
    let mut rng = Tape([&FILE_KEY[..], &[2; 16], &[3; 24]].concat());
    let mut sealer = Sealing::by_passphrase(b"words")
        .begin(MESSAGE, &mut rng)
        .unwrap();
    let mut sealed = Vec::new();
    while let Some(piece) = sealer.next_chunk().unwrap() {
        sealed.extend_from_slice(piece);
    }
    assert!(rng.0.is_empty());
    assert_eq!(sealed[PREFIX + 6..][..16], [2; 16]);

    let header = Header::read(&mut &sealed[..]).unwrap();
    assert_eq!(header.passphrase_cost(), Some((64 << 10, 3, 4)));
    let unlock = |words: &[u8]| header.unlock_by_passphrase(Passphrase::new(words));
    assert!(unlock(b"words").is_ok());
    assert!(matches!(unlock(b"word"), Err(Error::WrongPassphrase)));
    assert!(matches!(
        header.unlock(&[key(1)]),
        Err(Error::PassphraseNeeded)
    ));
    // One that is sealed to keys takes none.
    let keyed = sealed_to(&[1]);
    let keyed = Header::read(&mut &keyed[..]).unwrap();
    assert_eq!(keyed.passphrase_cost(), None);
    assert!(matches!(
        keyed.unlock_by_passphrase(Passphrase::new(b"words")),
        Err(Error::NoMatchingKey { .. })
    ));
}

#[test]
fn rekeyed() {
    let sealed = sealed_to(&[1, 2]);
    let header = Header::read(&mut &sealed[..]).unwrap();
    let payload = &sealed[header.len() as usize..];
    let file_key = header.unlock(&[key(1)]).unwrap();
    let change = |keep: &[u8], add: &[u8]| {
        let kept: Vec<_> = keep.iter().map(|n| Some(key(*n).id())).collect();
        let added: Vec<_> = add.iter().map(|n| key(*n).public_key()).collect();
        let keep = |stanza: &Stanza| kept.contains(&stanza.key_id());
        header.rekeyed(&file_key, keep, &added, Naming::Named, &mut SysRng)
    };
    for (keep, add, all) in [
        (&[1, 2][..], &[3][..], &[1, 2, 3][..]),
        (&[2], &[], &[2]),
        (&[2], &[2, 3, 3], &[2, 3]),
        (&[], &[3], &[3]),
    ] {
        let changed = change(keep, add).unwrap();
        let file = [&changed, payload].concat();
        assert_eq!(
            Header::read(&mut &file[..]).unwrap().stanzas().len(),
            all.len()
        );
        for n in [1, 2, 3] {
            let opened = open(&key(n), &file);
            assert_eq!(opened.is_ok(), all.contains(&n), "{n} of {all:?}");
        }
    }
    assert!(matches!(change(&[], &[]), Err(Error::NoRecipient)));
}

#[test]
fn wrong_key() {
    match open(&key(3), &sealed()).unwrap_err() {
        Error::NoMatchingKey {
            wanted,
            hidden: 0,
            tried,
        } => {
            assert_eq!(wanted, [1, 2].map(|n| key(n).id()));
            assert_eq!(tried, [key(3).id()]);
        }
        other => panic!("{other}"),
    }
    // A wrong key beside a right one does no harm.
    let keys = [key(3), key(2)];
    assert!(hybrid::open(&keys, &sealed()[..], Vec::new()).is_ok());
    let none = hybrid::open(&[], &sealed()[..], Vec::new()).unwrap_err();
    assert!(matches!(none, Error::NoMatchingKey { tried, .. } if tried.is_empty()));
}

#[test]
fn offsets_are_of_the_file() {
    let sealed = sealed();
    let end = sealed.len() as u64;
    let two = [&sealed[..], &sealed].concat();
    assert!(matches!(
        open(&key(1), &two),
        Err(Error::TrailingData { offset, another_file: true }) if offset == end
    ));
    let start = end - (MESSAGE.len() + 16) as u64;
    assert!(matches!(
        open(&key(1), &sealed[..sealed.len() - 1]),
        Err(Error::LastChunk { chunk: 0, offset }) if offset == start
    ));
    assert!(matches!(
        open(&key(1), &sealed[..start as usize + 3]),
        Err(Error::Truncated { chunk: 0, offset }) if offset == start + 3
    ));
    assert!(matches!(
        open(&key(1), &sealed[..start as usize - 56]),
        Err(Error::Truncated { chunk: 0, offset }) if offset == start - 56
    ));
}

/// The payload of another file for the same reader.
#[test]
fn exchanged_payload() {
    let sealed = sealed();
    let mut other = Vec::new();
    hybrid::seal(&[key(1).public_key()], MESSAGE, &mut other, &mut SysRng).unwrap();
    let header_len = Header::read(&mut &sealed[..]).unwrap().len() as usize;
    let other_len = Header::read(&mut &other[..]).unwrap().len() as usize;
    let file = [&sealed[..header_len], &other[other_len..]].concat();
    assert!(matches!(open(&key(1), &file), Err(Error::Commitment)));
}

#[test]
fn failing_output() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let result = hybrid::open(&[key(1)], &sealed()[..], Full);
    assert!(matches!(result, Err(Error::Write(_))));
    let result = hybrid::seal(&[key(1).public_key()], MESSAGE, Full, &mut SysRng);
    assert!(matches!(result, Err(Error::Write(_))));
}

#[test]
fn messages_name_the_keys() {
    let id: KeyId = "0011-2233-4455-6677".parse().unwrap();
    let error = Error::NoMatchingKey {
        wanted: vec![id],
        hidden: 1,
        tried: vec![],
    };
    assert_eq!(
        error.to_string(),
        "no key for this file: it is sealed to 0011-2233-4455-6677 and 1 hidden recipient; no key was tried"
    );
}
