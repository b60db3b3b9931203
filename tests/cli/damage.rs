//! Damaged and foreign input: truncated, flipped, with something after the end, two files in one,
//! empty, of another tool's. In each case no output, an old output untouched, and a message that
//! tells which it is.

use crate::harness::{CHUNK, Lab, noise};

/// Tries to open `bytes` to a free name, over an existing file, and from a pipe.
#[track_caller]
fn is_refused(lab: &Lab, bytes: &[u8], words: &[&str]) {
    lab.write("bad.pqbox", bytes);
    lab.write("old", "old");
    lab.run(["open", "bad.pqbox", "-o", "new"]).fails(4, words);
    lab.run(["open", "bad.pqbox", "-o", "old", "--force"])
        .fails(4, words);
    lab.run_with(["open", "-o", "new"], bytes).fails(4, words);
    assert_eq!(lab.read("old"), b"old");
    assert_eq!(lab.names(), ["bad.pqbox", "old"]);
}

/// A sealed file of three chunks, and where its payload begins.
fn three_chunks(lab: &Lab) -> (Vec<u8>, usize) {
    let data = noise(2 * CHUNK + 100);
    let sealed = lab.run_with(["seal"], &data).succeeds().stdout;
    let payload = 24 + 32 + data.len() + 3 * 16;
    let header = sealed.len() - payload;
    (sealed, header)
}

#[test]
fn truncated() {
    let lab = Lab::with_keys();
    let (sealed, header) = three_chunks(&lab);
    let chunk = |n: usize| header + 24 + 32 + n * (CHUNK + 16);
    for (len, words) in [
        (5, "truncated"),
        (11, "truncated: the file ends inside its header"),
        (header - 1, "truncated: the file ends inside its header"),
        (header, "truncated"),
        (header + 24 + 31, "truncated"),
        (chunk(0), "chunk 0 is missing"),
        (chunk(0) + 15, "chunk 0 is missing"),
        (chunk(1) - 1, "the last chunk, 0"),
        (chunk(1), "truncated: the file ends at byte"),
        (chunk(2), "chunk 2 is missing"),
        (chunk(2) + 10, "chunk 2 is missing"),
        (sealed.len() - 1, "the last chunk, 2"),
    ] {
        is_refused(&lab, &sealed[..len], &["cannot open", "truncated", words]);
    }
}

#[test]
fn flipped() {
    let lab = Lab::with_keys();
    let (sealed, header) = three_chunks(&lab);
    let chunk = |n: usize| header + 24 + 32 + n * (CHUNK + 16);
    let offset = |n: usize| format!("begins at byte {}", chunk(n));
    for (at, words) in [
        (0, "not a pqbox file"),
        (10, "version 0 of the format"),
        // A plain file that says that it is a directory.
        (11, "corrupted: the header was changed"),
        (12, "header"),
        (40, "corrupted: the header names key"),
        (header - 33, "corrupted: the header names key"),
        (header - 1, "corrupted: the header was changed"),
        (header, "corrupted: the payload belongs to another file key"),
        (header + 24, "corrupted: the payload belongs to another"),
        (chunk(0), "corrupted: chunk 0"),
        (chunk(0) + 1, &offset(0)),
        (chunk(1) + 7, "corrupted: chunk 1"),
        (chunk(2) - 1, &offset(1)),
        (chunk(2), "the last chunk, 2"),
        (sealed.len() - 1, &offset(2)),
    ] {
        let mut bad = sealed.clone();
        bad[at] ^= 1;
        is_refused(&lab, &bad, &["error: cannot open", words]);
    }
}

/// Before a key opens the header, nothing tells a changed recipient from somebody else.
#[test]
fn flipped_recipient_is_one_whose_key_we_do_not_have() {
    let lab = Lab::with_keys();
    let (sealed, _) = three_chunks(&lab);
    let (kind, key_id) = (14, 20);
    for at in [kind, key_id] {
        let mut bad = sealed.clone();
        bad[at] ^= 1;
        lab.write("bad", bad);
        lab.run(["open", "bad", "-o", "new"])
            .fails(3, &["no key for this file"]);
    }
    assert_eq!(lab.names(), ["bad"]);
}

#[test]
fn chunks_exchanged() {
    let lab = Lab::with_keys();
    let (mut sealed, header) = three_chunks(&lab);
    let chunk = CHUNK + 16;
    sealed[header + 56..][..2 * chunk].rotate_left(chunk);
    is_refused(&lab, &sealed, &["corrupted: chunk 0"]);
}

#[test]
fn trailing_bytes() {
    let lab = Lab::with_keys();
    let (mut sealed, _) = three_chunks(&lab);
    let end = sealed.len();
    sealed.push(b'\n');
    is_refused(&lab, &sealed, &["corrupted"]);
    // So many that the last chunk is no longer the last: recognised for what it is.
    sealed.resize(end + 2 * CHUNK, b'x');
    is_refused(
        &lab,
        &sealed,
        &[
            &format!("the sealed data ends at byte {end}"),
            "something else follows",
        ],
    );
}

#[test]
fn two_sealed_files_concatenated() {
    let lab = Lab::with_keys();
    let (sealed, _) = three_chunks(&lab);
    let end = format!("ends at byte {}", sealed.len());
    is_refused(
        &lab,
        &sealed.repeat(2),
        &[
            &end,
            "another pqbox file follows",
            "open each one by itself",
        ],
    );
}

#[test]
fn empty_input() {
    let lab = Lab::with_keys();
    is_refused(&lab, b"", &["empty"]);
}

#[test]
fn foreign_input_is_named() {
    let lab = Lab::with_keys();
    for (bytes, kind) in [
        (&b"age-encryption.org/v1\n-> X25519 abc\n"[..], "age"),
        (b"-----BEGIN PGP MESSAGE-----\n\nabc\n", "PGP"),
        (b"-----BEGIN CERTIFICATE-----\nabc\n", "certificate"),
        (b"\x1f\x8b\x08\0\0\0\0\0\0\x03abc", "gzip"),
        (b"just some words\n", "text"),
        (
            b"\x00\x01\x02\x1b[31m\x9c\xff\xfe binary",
            "not a pqbox file",
        ),
    ] {
        // The check for control characters sees to it that none of the input is in the message.
        is_refused(&lab, bytes, &["not a pqbox file", kind]);
        lab.run_with(["inspect", "-"], bytes)
            .fails(4, &["not a pqbox file", kind]);
    }
}

#[test]
fn copied_as_text() {
    let lab = Lab::with_keys();
    let (sealed, _) = three_chunks(&lab);
    let mut text = sealed[..6].to_vec();
    for byte in &sealed[6..] {
        if *byte != b'\r' {
            text.push(*byte);
        }
    }
    is_refused(&lab, &text, &["as text", "binary"]);
}

/// Pieces go to a pipe as they are found authentic; the exit status tells that some are missing.
#[test]
fn a_pipe_gets_only_what_is_authentic() {
    let lab = Lab::with_keys();
    let (mut sealed, header) = three_chunks(&lab);
    sealed[header + 56 + CHUNK + 16] ^= 1;
    let run = lab.run_with(["open"], &sealed);
    assert!(run.stdout == noise(CHUNK), "chunk 0 and no more");
    run.fails_after_output(4, &["corrupted: chunk 1"]);
    sealed[header + 56] ^= 1;
    lab.run_with(["open"], &sealed)
        .fails(4, &["corrupted: chunk 0"]);
}
