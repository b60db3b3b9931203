//! Parts of sealed files: padding, random access, and what is left of a damaged file.

#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, reason = "a test")]

use pqbox::Error;
use pqbox::hybrid::{
    Content, Header, Naming, Opener, RandomAccess, Salvaged, Salvager, Sealing, SecretKey,
};
use pqbox::kem::SetId;
use rand::rngs::SysRng;
use std::io::{Cursor, Read, Seek, SeekFrom};

const CHUNK: usize = 16 << 10;
const SEALED_CHUNK: usize = CHUNK + 16;
/// Bytes before the first chunk of a payload.
const PREFIX: usize = 56;

fn key() -> SecretKey {
    SecretKey::generate(SetId::MlKem512, &mut SysRng).unwrap()
}

/// Bytes that say where they stand.
fn message(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i / 7 + i % 251) as u8).collect()
}

fn sealed(key: &SecretKey, content: Content, message: &[u8]) -> Vec<u8> {
    let recipients = [key.public_key()];
    let sealing = Sealing::to(&recipients).content(content);
    let mut sealer = sealing.begin(message, &mut SysRng).unwrap();
    let mut file = Vec::new();
    while let Some(piece) = sealer.next_chunk().unwrap() {
        file.extend_from_slice(piece);
    }
    file
}

fn padded() -> Content {
    Content {
        padded: true,
        archive: false,
    }
}

fn random_access(key: &SecretKey, file: &[u8]) -> Result<RandomAccess<Cursor<Vec<u8>>>, Error> {
    let mut file = Cursor::new(file.to_vec());
    let file_key = Header::read(&mut file)?.unlock(std::slice::from_ref(key))?;
    RandomAccess::new(file_key, file)
}

fn opened(key: &SecretKey, file: &[u8]) -> Result<Vec<u8>, Error> {
    let mut file = file;
    let file_key = Header::read(&mut file)?.unlock(std::slice::from_ref(key))?;
    let mut opener = Opener::new(file_key, file)?;
    let mut plaintext = Vec::new();
    opener.read_to_end(&mut plaintext).map_err(Error::reading)?;
    Ok(plaintext)
}

/// Lengths around everything that is done by pieces: a chunk, and the pieces of 1, 4, 16 chunks.
fn lengths() -> impl Iterator<Item = usize> {
    let edges = [0, 1, 2, 3, 5, 21, 22].map(|chunks| chunks * CHUNK);
    edges
        .into_iter()
        .flat_map(|edge| [edge.saturating_sub(1), edge, edge + 1])
}

#[test]
fn padding_is_no_content() {
    let key = key();
    for len in lengths() {
        let contents = [
            message(len),
            vec![0; len],
            vec![0x80; len],
            // What looks like padding, and more of it than is held back in one place.
            [&message(len / 2)[..], b"\x80", &vec![0; len / 2]].concat(),
            [b"\x80", &vec![0; len][..], b"a"].concat(),
        ];
        for content in contents {
            let file = sealed(&key, padded(), &content);
            assert!(opened(&key, &file).unwrap() == content, "{len}");
            let mut access = random_access(&key, &file).unwrap();
            assert_eq!(access.len(), content.len() as u64);
            let mut read = Vec::new();
            access.read_to_end(&mut read).unwrap();
            assert!(read == content, "{len}");
        }
    }
}

/// Lengths that differ a little have one length when they are sealed.
#[test]
fn padding_hides_lengths() {
    let key = key();
    let len = |len: usize| sealed(&key, padded(), &message(len)).len();
    assert_eq!(len(1_000_000), len(1_010_000));
    assert_eq!(len(1_000_000), len(1_015_807));
    assert!(len(1_015_807) < len(1_015_808));
    assert!(
        len(1_000_000) * 100 <= sealed(&key, Content::default(), &message(1_000_000)).len() * 103
    );
}

/// The header is authentic and promises padding; who sealed it left it out.
#[test]
fn padding_that_is_missing() {
    let key = key();
    for content in [&b""[..], b"text", b"\0\0", b"\x80\0a"] {
        let recipients = [key.public_key()];
        let file_key = pqbox::hybrid::FileKey::generate(&mut SysRng).unwrap();
        let seal = |content| {
            let sealing = Sealing::to(&recipients).under(&file_key).content(content);
            let mut file = Vec::new();
            let mut sealer = sealing.begin(&b""[..], &mut SysRng).unwrap();
            while let Some(piece) = sealer.next_chunk().unwrap() {
                file.extend_from_slice(piece);
            }
            file
        };
        // The header of a padded file before the payload of one that is not.
        let header_len = seal(padded()).len() - PREFIX - 17;
        let mut plain = Vec::new();
        let sealing = Sealing::to(&recipients).under(&file_key);
        let mut sealer = sealing.begin(content, &mut SysRng).unwrap();
        while let Some(piece) = sealer.next_chunk().unwrap() {
            plain.extend_from_slice(piece);
        }
        let file = [&seal(padded())[..header_len], &plain[header_len..]].concat();
        assert!(matches!(opened(&key, &file), Err(Error::Padding)));
        assert!(matches!(random_access(&key, &file), Err(Error::Padding)));
    }
}

#[test]
fn hidden_recipients_open_too() {
    let keys = [key(), key()];
    let recipients = [keys[0].public_key(), keys[1].public_key()];
    let sealing = Sealing::to(&recipients).naming(Naming::Hidden);
    let mut sealer = sealing.begin(&b"text"[..], &mut SysRng).unwrap();
    let mut file = Vec::new();
    while let Some(piece) = sealer.next_chunk().unwrap() {
        file.extend_from_slice(piece);
    }
    let header = Header::read(&mut &file[..]).unwrap();
    assert!(
        header
            .stanzas()
            .iter()
            .all(|stanza| stanza.key_id().is_none())
    );
    for key in &keys {
        let id = key.id();
        assert!(!file.windows(8).any(|bytes| bytes == id.as_bytes()));
        assert_eq!(opened(key, &file).unwrap(), b"text");
    }
    assert!(matches!(
        opened(&key(), &file),
        Err(Error::NoMatchingKey { hidden: 2, .. })
    ));
}

/// What is read anywhere is what stands there.
#[test]
fn random_access_reads_what_is_there() {
    let key = key();
    for len in lengths() {
        let message = message(len);
        let file = sealed(&key, Content::default(), &message);
        let mut access = random_access(&key, &file).unwrap();
        assert_eq!((access.len(), access.is_empty()), (len as u64, len == 0));
        let places = [
            0,
            1,
            CHUNK - 1,
            CHUNK,
            CHUNK + 1,
            len / 2,
            len.saturating_sub(1),
            len,
        ];
        for start in places.into_iter().filter(|start| *start <= len) {
            for count in [0, 1, 100, CHUNK, 3 * CHUNK + 5] {
                access.seek(SeekFrom::Start(start as u64)).unwrap();
                let mut read = Vec::new();
                (&mut access)
                    .take(count as u64)
                    .read_to_end(&mut read)
                    .unwrap();
                assert!(
                    read == message[start..len.min(start + count)],
                    "{len} {start} {count}"
                );
            }
        }
        assert_eq!(access.seek(SeekFrom::End(7)).unwrap(), len as u64 + 7);
        assert_eq!(access.read(&mut [0; 9]).unwrap(), 0);
        assert!(access.seek(SeekFrom::Current(-1 - len as i64 - 7)).is_err());
    }
}

/// It reads the chunks that it needs, and the last: damage elsewhere is not its business, and
/// damage there is found. That the file was cut off is found as well.
#[test]
fn random_access_is_authenticated() {
    let key = key();
    let message = message(5 * CHUNK + 100);
    let file = sealed(&key, Content::default(), &message);
    let first = file.len() - (5 * SEALED_CHUNK + 116);
    let damaged = |at: usize| {
        let mut file = file.clone();
        file[at] ^= 1;
        file
    };
    let read = |file: &[u8], chunk: usize| {
        let mut access = random_access(&key, file)?;
        let mut part = [0; 10];
        access
            .seek(SeekFrom::Start((chunk * CHUNK) as u64))
            .map_err(Error::Read)?;
        access.read_exact(&mut part).map_err(Error::reading)?;
        assert_eq!(part, message[chunk * CHUNK..][..10]);
        Ok::<_, Error>(())
    };
    for chunk in 0..5 {
        let file = damaged(first + chunk * SEALED_CHUNK + 5000);
        for other in (0..6).filter(|other| *other != chunk) {
            read(&file, other).unwrap();
        }
        let offset = (first + chunk * SEALED_CHUNK) as u64;
        assert!(matches!(
            read(&file, chunk),
            Err(Error::ChunkCorrupted { chunk: c, offset: o }) if (c, o) == (chunk as u64, offset)
        ));
    }
    let last = |file: &[u8]| read(file, 0).unwrap_err();
    assert!(matches!(
        last(&damaged(file.len() - 50)),
        Error::LastChunk { chunk: 5, .. }
    ));
    assert!(matches!(last(&damaged(first - 40)), Error::Commitment));
    for cut in 1..=116 {
        let error = last(&file[..file.len() - cut]);
        match cut <= 100 {
            true => assert!(matches!(error, Error::LastChunk { chunk: 5, .. }), "{cut}"),
            false => assert!(matches!(error, Error::Truncated { chunk: 5, .. }), "{cut}"),
        }
    }
    // A whole chunk less: what is now the last was not sealed as that.
    let cut = &file[..file.len() - 116 - 5];
    assert!(matches!(last(cut), Error::LastChunk { chunk: 4, .. }));
    assert!(matches!(
        last(&file[..first - 1]),
        Error::Truncated { chunk: 0, .. }
    ));
}

/// What a salvager gives: the plaintext with zeros where something is lost, the numbers of the lost
/// chunks, and how it ends.
fn salvage(key: &SecretKey, file: &[u8]) -> (Vec<u8>, Vec<u64>, Result<(), Error>) {
    let mut file = Cursor::new(file);
    let header = Header::read(&mut file).unwrap();
    let file_key = header.unlock(std::slice::from_ref(key)).unwrap();
    let mut salvager = Salvager::new(&file_key, file).unwrap();
    let (mut plaintext, mut all) = (Vec::new(), Vec::new());
    let end = loop {
        match salvager.next_chunk() {
            Ok(Some(Salvaged::Intact(piece))) => plaintext.extend_from_slice(piece),
            Ok(Some(Salvaged::Lost { chunk, offset, len })) => {
                assert_eq!(
                    offset,
                    header.len() + (PREFIX + chunk as usize * SEALED_CHUNK) as u64
                );
                plaintext.resize(plaintext.len() + len, 0);
                all.push(chunk);
            }
            Ok(None) => {
                assert!(matches!(salvager.next_chunk(), Ok(None)));
                break Ok(());
            }
            Err(error) => {
                assert!(matches!(salvager.next_chunk(), Err(Error::AfterFailure)));
                break Err(error);
            }
        }
    };
    (plaintext, all, end)
}

#[test]
fn what_is_intact_is_salvaged() {
    let key = key();
    let message = message(4 * CHUNK + 100);
    let file = sealed(&key, Content::default(), &message);
    let first = file.len() - (4 * SEALED_CHUNK + 116);
    let (plaintext, lost, end) = salvage(&key, &file);
    assert!(plaintext == message && lost.is_empty() && end.is_ok());

    let mut damaged = file.clone();
    damaged[first + SEALED_CHUNK + 1] ^= 1;
    damaged[first + 3 * SEALED_CHUNK - 1] ^= 1;
    let (plaintext, lost, end) = salvage(&key, &damaged);
    assert!(end.is_ok());
    assert_eq!(lost, [1, 2]);
    let zeros = [0; 2 * CHUNK];
    assert!(plaintext == [&message[..CHUNK], &zeros, &message[3 * CHUNK..]].concat());

    // The last chunk.
    damaged[first + 4 * SEALED_CHUNK] ^= 1;
    let (plaintext, lost, end) = salvage(&key, &damaged);
    assert_eq!((lost, plaintext.len()), (vec![1, 2, 4], message.len()));
    assert!(matches!(end, Err(Error::LastChunk { chunk: 4, .. })));
}

#[test]
fn ends_are_told_apart_by_a_salvager() {
    let key = key();
    let message = message(2 * CHUNK + 100);
    let file = sealed(&key, Content::default(), &message);
    // Cut off between two chunks, and within one.
    let (plaintext, lost, end) = salvage(&key, &file[..file.len() - 116]);
    assert!(plaintext == message[..2 * CHUNK] && lost.is_empty());
    assert!(matches!(end, Err(Error::Truncated { chunk: 2, .. })));
    let (plaintext, lost, end) = salvage(&key, &file[..file.len() - 16]);
    assert_eq!((plaintext.len(), lost), (2 * CHUNK + 84, vec![2]));
    assert!(matches!(end, Err(Error::LastChunk { chunk: 2, .. })));
    // Something follows.
    for (tail, is_file) in [(&b"more"[..], false), (&file, true)] {
        let (plaintext, lost, end) = salvage(&key, &[&file, tail].concat());
        assert!(plaintext == message && lost.is_empty());
        assert!(matches!(
            end,
            Err(Error::TrailingData { offset, another_file })
                if offset == file.len() as u64 && another_file == is_file
        ));
    }
    // A chunk is missing in the middle: nothing stands where it belongs any more.
    let first = file.len() - (2 * SEALED_CHUNK + 116);
    let shorter = [&file[..first], &file[first + SEALED_CHUNK..]].concat();
    let (plaintext, lost, _) = salvage(&key, &shorter);
    assert!(plaintext.iter().all(|byte| *byte == 0));
    assert_eq!(lost, [0, 1]);
}

/// A disk that cannot read one place.
struct BadPlace<'a>(Cursor<&'a [u8]>, u64);

impl Read for BadPlace<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let here = self.0.position();
        match here <= self.1 && self.1 < here + buffer.len() as u64 {
            true => Err(std::io::Error::other("bad place")),
            false => self.0.read(buffer),
        }
    }
}

impl Seek for BadPlace<'_> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.0.seek(to)
    }
}

#[test]
fn a_bad_place_costs_one_chunk() {
    let key = key();
    let message = message(3 * CHUNK);
    let file = sealed(&key, Content::default(), &message);
    let mut start = &file[..];
    let header = Header::read(&mut start).unwrap();
    let place = header.len() + (PREFIX + SEALED_CHUNK + 77) as u64;
    let file_key = header.unlock(&[key]).unwrap();
    let mut salvager = Salvager::new(&file_key, BadPlace(Cursor::new(&file), place)).unwrap();
    let mut lost = Vec::new();
    while let Some(piece) = salvager.next_chunk().unwrap() {
        lost.push(matches!(piece, Salvaged::Lost { .. }));
    }
    assert_eq!(lost, [false, true, false, false]);
}
