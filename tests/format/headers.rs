//! Headers that are not as they should be, and some that are only unusual.

use super::*;
use pqbox::hybrid::{MAGIC, MAX_HEADER_LEN};

/// A header of these bytes with its mac under [`FILE_KEY`], and a payload.
fn with_mac(header: &[u8], payload: &[u8]) -> Vec<u8> {
    let mac_key = expand(&FILE_KEY, b"pqbox/1 header", 32);
    let mut hmac = Hmac::<Sha512>::new_from_slice(&mac_key).unwrap();
    hmac.update(header);
    [header, &hmac.finalize().into_bytes()[..32], payload].concat()
}

fn header(count: u16, stanzas: &[&[u8]]) -> Vec<u8> {
    [&MAGIC[..], &[1, 0], &count.to_be_bytes(), &stanzas.concat()].concat()
}

fn stanza(kind: u16, body: &[u8]) -> Vec<u8> {
    let len = body.len() as u32;
    [&kind.to_be_bytes()[..], &len.to_be_bytes(), body].concat()
}

/// The two stanzas of [`sealed`], and its payload.
fn parts(sealed: &[u8]) -> (&[u8], &[u8], &[u8]) {
    let (first, rest) = sealed[PREFIX..].split_at(STANZA);
    let (second, rest) = rest.split_at(STANZA);
    (first, second, &rest[32..])
}

#[test]
fn hidden_recipients() {
    let sealed = sealed();
    let (first, second, payload) = parts(&sealed);
    let hide = |stanza: &[u8]| [&stanza[..6], &[0; 8], &stanza[14..]].concat();
    let hidden = header(2, &[&hide(first), &hide(second)]);
    let file = with_mac(&hidden, payload);
    for n in [1, 2] {
        assert_eq!(open(&key(n), &file).unwrap(), MESSAGE);
    }
    match open(&key(3), &file).unwrap_err() {
        Error::NoMatchingKey {
            wanted,
            hidden: 2,
            tried,
        } => {
            assert_eq!((wanted, tried), (vec![], vec![key(3).id()]));
        }
        other => panic!("{other}"),
    }
    let stanzas = Header::read(&mut &file[..]).unwrap();
    assert_eq!(stanzas.stanzas()[0].key_id(), None);
    assert_eq!(stanzas.stanzas()[0].set(), Some(SetId::MlKem512));
}

/// Skipped, but authenticated.
#[test]
fn unknown_stanzas() {
    let sealed = sealed();
    let (first, second, payload) = parts(&sealed);
    for kind in [0x0000, 0x003f, 0x0043, 0x647a, 0xff00, 0xffff] {
        for len in [0, 1, 7, BODY, 65536] {
            let unknown = stanza(kind, &vec![9; len]);
            let mut file = with_mac(&header(3, &[first, &unknown, second]), payload);
            for n in [1, 2] {
                assert_eq!(open(&key(n), &file).unwrap(), MESSAGE, "{kind:04x} {len}");
            }
            if len > 0 {
                file[PREFIX + STANZA + 6] ^= 1;
                let error = open(&key(2), &file).unwrap_err();
                assert!(
                    matches!(error, Error::HeaderAuthentication),
                    "{kind:04x} {len}: {error}"
                );
            }
        }
    }
}

/// Other orders, other numbers of stanzas: all authenticated.
#[test]
fn rearranged_stanzas() {
    let sealed = sealed();
    let (first, second, payload) = parts(&sealed);
    let mac = &sealed[PREFIX + 2 * STANZA..][..32];
    let file = |header: Vec<u8>| [&header, mac, payload].concat();
    for changed in [header(2, &[second, first]), header(1, &[first])] {
        let error = open(&key(1), &file(changed)).unwrap_err();
        assert!(matches!(error, Error::HeaderAuthentication), "{error}");
    }
    let error = open(&key(1), &with_mac(&header(2, &[first, first]), payload)).unwrap_err();
    assert!(
        matches!(error, Error::HeaderMalformed("two stanzas for one key")),
        "{error}"
    );
    // With a mac that fits, what was rearranged is a good file: it is the mac that says so.
    let rearranged = with_mac(&header(2, &[second, first]), payload);
    assert_eq!(open(&key(1), &rearranged).unwrap(), MESSAGE);
}

#[test]
fn malformed_headers() {
    let sealed = sealed();
    let (first, second, _) = parts(&sealed);
    let changed = |at: usize, bytes: &[u8]| {
        let mut sealed = sealed.clone();
        sealed[at..at + bytes.len()].copy_from_slice(bytes);
        sealed
    };
    let big = stanza(0x0043, &[0; 65536]);
    let too_big: Vec<&[u8]> = vec![&big; MAX_HEADER_LEN / 65536];
    type Is = fn(&Error) -> bool;
    let truncated: Is = |e| matches!(e, Error::HeaderTruncated);
    let malformed: Is = |e| matches!(e, Error::HeaderMalformed(_));
    let cases: &[(&str, Vec<u8>, Is)] = &[
        ("empty", vec![], |e| {
            matches!(e, Error::NotPqbox(Some("an empty file")))
        }),
        ("a ZIP archive", b"PK\x03\x04".into(), |e| {
            matches!(e, Error::NotPqbox(Some("a ZIP archive")))
        }),
        ("zeros", vec![0; 1000], |e| {
            matches!(e, Error::NotPqbox(None))
        }),
        ("version 0", changed(10, &[0]), |e| {
            matches!(e, Error::Version(0))
        }),
        ("version 2", changed(10, &[2]), |e| {
            matches!(e, Error::Version(2))
        }),
        ("content 4", changed(11, &[4]), |e| {
            matches!(e, Error::Content(4))
        }),
        ("no stanza", changed(12, &[0, 0]), malformed),
        ("too many stanzas", changed(12, &[0x10, 1]), |e| {
            matches!(
                e,
                Error::HeaderLimit {
                    what: "stanzas",
                    limit: 4096,
                    got: 4097
                }
            )
        }),
        ("one stanza more", changed(12, &[0, 3]), |e| {
            matches!(e, Error::HeaderTruncated | Error::HeaderLimit { .. })
        }),
        ("a stanza of 4 GiB", changed(16, &[0xff; 4]), |e| {
            matches!(
                e,
                Error::HeaderLimit {
                    what: "bytes in a stanza",
                    limit: 65536,
                    got: 0xffff_ffff
                }
            )
        }),
        (
            "a stanza of 64 KiB + 1",
            changed(14, &[0, 0x43, 0, 1, 0, 1]),
            |e| {
                matches!(
                    e,
                    Error::HeaderLimit {
                        what: "bytes in a stanza",
                        got: 65537,
                        ..
                    }
                )
            },
        ),
        ("8 MiB", header(128, &too_big), |e| {
            matches!(
                e,
                Error::HeaderLimit {
                    what: "bytes",
                    limit: 8_388_608,
                    ..
                }
            )
        }),
        (
            "a byte less in a stanza",
            changed(16, &(BODY as u32 - 1).to_be_bytes()),
            malformed,
        ),
        (
            "a byte more in a stanza",
            changed(16, &(BODY as u32 + 1).to_be_bytes()),
            malformed,
        ),
        (
            "a stanza without a body",
            header(1, &[&stanza(0x0040, &[])]),
            malformed,
        ),
        (
            "another set's type",
            changed(14, &0x0041u16.to_be_bytes()),
            malformed,
        ),
        (
            "a passphrase beside a key",
            with_mac(&header(2, &[first, &stanza(0xff01, &[1; 76])]), b""),
            malformed,
        ),
        (
            "two passphrases",
            with_mac(
                &header(2, &[&stanza(0xff01, &[1; 76]), &stanza(0xff01, &[2; 76])]),
                b"",
            ),
            malformed,
        ),
        (
            "a passphrase's stanza of a wrong length",
            header(1, &[&stanza(0xff01, &[1; 75])]),
            malformed,
        ),
        ("no mac", header(2, &[first, second]), truncated),
    ];
    for (name, file, is_right) in cases {
        let error = Header::read(&mut &file[..]).unwrap_err();
        assert!(is_right(&error), "{name}: {error:?}");
    }
    for len in 1..PREFIX + 2 * STANZA + 32 {
        let error = Header::read(&mut &sealed[..len]).unwrap_err();
        assert!(truncated(&error), "{len}: {error:?}");
    }
}

/// What is announced is not believed: nothing is read or kept beyond what is there.
#[test]
fn limits_come_before_reading() {
    struct Endless(usize);
    impl std::io::Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.0 += buffer.len();
            buffer.fill(0);
            Ok(buffer.len())
        }
    }
    // Stanzas of type 0 and of no length, without end; and one of 4 GiB.
    let long = header(4097, &[]);
    let mut rest = Endless(0);
    let result = Header::read(&mut std::io::Read::chain(&long[..], &mut rest));
    assert!(matches!(result, Err(Error::HeaderLimit { .. })));
    let big = header(1, &[&[0, 0, 0xff, 0xff, 0xff, 0xff]]);
    let result = Header::read(&mut std::io::Read::chain(&big[..], &mut rest));
    assert!(matches!(result, Err(Error::HeaderLimit { .. })));
    assert_eq!(rest.0, 0);
}

#[test]
fn text_damage() {
    let sealed = sealed();
    let replace = |from: &[u8], to: &[u8]| {
        let mut out = Vec::new();
        let mut rest = &sealed[..];
        while !rest.is_empty() {
            match rest.strip_prefix(from) {
                Some(after) => {
                    out.extend(to);
                    rest = after;
                }
                None => {
                    out.push(rest[0]);
                    rest = &rest[1..];
                }
            }
        }
        out
    };
    let cases = [
        ("CRLF to LF", replace(b"\r\n", b"\n")),
        ("LF to CRLF", replace(b"\n", b"\r\n")),
        ("LF to CR", replace(b"\n", b"\r")),
        (
            "seven bits",
            sealed.iter().map(|byte| byte & 0x7f).collect(),
        ),
        (
            "Latin-1 to UTF-8",
            sealed
                .iter()
                .map(|&byte| char::from(byte))
                .collect::<String>()
                .into(),
        ),
        (
            "through UTF-8",
            String::from_utf8_lossy(&sealed).into_owned().into(),
        ),
        (
            "through ASCII",
            sealed
                .iter()
                .map(|&b| if b < 128 { b } else { b'?' })
                .collect(),
        ),
    ];
    for (name, file) in cases {
        let error = Header::read(&mut &file[..]).unwrap_err();
        assert!(matches!(error, Error::TextDamage), "{name}: {error:?}");
    }
}

/// Every byte of a small file, in the class that it belongs to.
#[test]
fn every_flipped_byte() {
    let sealed = sealed();
    let reader = key(1);
    let mac = PREFIX + 2 * STANZA;
    for at in 0..sealed.len() {
        let mut file = sealed.clone();
        file[at] ^= 1;
        let error = open(&reader, &file).unwrap_err();
        let is_right = match at {
            0..6 => matches!(error, Error::NotPqbox(_)),
            6..10 => matches!(error, Error::TextDamage),
            10 => matches!(error, Error::Version(0)),
            11 => matches!(error, Error::HeaderAuthentication),
            // 258 and 3 stanzas: what follows is none.
            12 | 13 => matches!(error, Error::HeaderLimit { .. } | Error::HeaderTruncated),
            // ML-KEM-512 becomes an unknown type, or one of another length.
            14 => matches!(error, Error::NoMatchingKey { .. }),
            15 => matches!(error, Error::HeaderMalformed(_)),
            16..18 => matches!(
                error,
                Error::HeaderLimit { .. } | Error::HeaderMalformed(_) | Error::HeaderTruncated
            ),
            18..20 => matches!(error, Error::HeaderMalformed(_)),
            20..28 => matches!(error, Error::NoMatchingKey { .. }),
            28..844 => matches!(error, Error::StanzaAuthentication(id) if id == reader.id()),
            // The other recipient's stanza: its type and length as above, the rest by the mac.
            844 => matches!(error, Error::HeaderAuthentication),
            845 | 848 | 849 => matches!(error, Error::HeaderMalformed(_)),
            846 | 847 => matches!(error, Error::HeaderLimit { .. } | Error::HeaderTruncated),
            _ if at < mac + 32 => matches!(error, Error::HeaderAuthentication),
            _ if at < mac + 32 + 56 => matches!(error, Error::Commitment),
            _ => matches!(error, Error::LastChunk { chunk: 0, .. }),
        };
        assert!(is_right, "{at}: {error:?}");
    }
}
