use super::read::BLOCK as TEXT_BLOCK;
use super::write::BLOCK;
use super::*;
use crate::Error;
use crate::hybrid::MAGIC;
use base64::Engine;
use std::io::{self, Read, Write};

fn noise(len: usize) -> Vec<u8> {
    let numbers = (0..len as u32).map(|i| i.wrapping_mul(0x9e37_79b1) >> 13);
    numbers.map(|number| number as u8).collect()
}

fn armor(bytes: &[u8]) -> String {
    let mut armor = ArmorWriter::new(Vec::new());
    armor.write_all(bytes).unwrap();
    String::from_utf8(armor.finish().unwrap()).unwrap()
}

/// What the format says, step by step.
fn expected(bytes: &[u8]) -> String {
    let base64 = general_purpose::STANDARD.encode(bytes);
    let lines = base64.as_bytes().chunks(64);
    let lines = lines.map(|line| format!("{}\n", str::from_utf8(line).unwrap()));
    format!(
        "-----BEGIN PQBOX FILE-----\n{}-----END PQBOX FILE-----\n",
        lines.collect::<String>()
    )
}

fn read(text: impl AsRef<[u8]>) -> Result<Vec<u8>, Error> {
    read_from(text.as_ref())
}

fn read_from(input: impl Read) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let mut reader = ArmorReader::new(input)?;
    match reader.read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(Error::reading(error)),
    }
}

/// A reader that gives a few bytes at a time.
struct Sips<'a>(&'a [u8], usize);

impl Read for Sips<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = buffer.len().min(self.1);
        self.0.read(&mut buffer[..len])
    }
}

/// Lengths around those of lines and of both sides' blocks.
fn lengths() -> impl Iterator<Item = usize> {
    let in_text = TEXT_BLOCK / (LINE + 1) * LINE_BYTES;
    let around = |len: usize| len - 100..len + 100;
    (0..200)
        .chain(around(BLOCK))
        .chain(around(in_text))
        .chain([3 * BLOCK + 7, 5 * in_text])
}

#[test]
fn one_form_is_written() {
    for len in lengths() {
        let bytes = noise(len);
        assert!(armor(&bytes) == expected(&bytes), "{len} bytes");
    }
    let bytes = noise(2 * BLOCK);
    for piece in [1, 47, 48, 1000, BLOCK - 1, BLOCK + 1] {
        let mut armor = ArmorWriter::new(Vec::new());
        for piece in bytes.chunks(piece) {
            armor.write_all(piece).unwrap();
        }
        let text = armor.finish().unwrap();
        assert!(text == expected(&bytes).as_bytes(), "pieces of {piece}");
    }
}

#[test]
fn what_was_written_is_read() {
    for len in lengths() {
        let bytes = noise(len);
        assert!(read(armor(&bytes)).unwrap() == bytes, "{len} bytes");
    }
    let bytes = noise(100_000);
    let text = armor(&bytes);
    for sip in [1, 3, 63, 66, 4096] {
        let sips = Sips(text.as_bytes(), sip);
        assert!(read_from(sips).unwrap() == bytes, "{sip} at a time");
    }
}

#[test]
fn white_space_and_text_around_do_no_harm() {
    let lines = |text: &str, change: &dyn Fn(&str) -> String| {
        let lines = text.lines().map(change);
        lines.collect::<String>()
    };
    for len in [1200, 1201, 1202, 300_000] {
        let bytes = noise(len);
        let text = armor(&bytes);
        let base64 = &text[BEGIN.len()..text.len() - END.len() - 1];
        let changed = [
            lines(&text, &|line| format!("{line}\r\n")),
            lines(&text, &|line| format!("{line}\n\n")),
            lines(&text, &|line| format!("   \t{line}\n")),
            lines(&text, &|line| format!("{line}  \n")),
            text.trim_end().to_owned(),
            format!("\u{feff}{text}"),
            format!("Dear Bob,\n\nhere it is -- at last:\n{text}\n-- \nAlice\n"),
            format!("{}{text}", "before\n".repeat(9000)),
            format!("{text}{}", "after -\n".repeat(100_000)),
            format!("{BEGIN}\n{}\n{END}", base64.replace('\n', "")),
            format!("{BEGIN}{}{END}", base64.replace('\n', "")),
            // Lines of 64 and a space among them, of 63, of 65.
            format!(
                "{BEGIN}\n{}\n{END}",
                base64.replace('\n', "").replacen('A', "A ", 9)
            ),
            base64
                .replace('\n', "")
                .as_bytes()
                .chunks(63)
                .fold(BEGIN.to_owned(), |text, line| {
                    text + "\n" + str::from_utf8(line).unwrap()
                })
                + END,
        ];
        for (number, text) in changed.iter().enumerate() {
            assert!(read(text).unwrap() == bytes, "{len} bytes, change {number}");
            let sips = Sips(text.as_bytes(), 1009);
            assert!(
                read_from(sips).unwrap() == bytes,
                "{len} bytes, sips, change {number}"
            );
        }
    }
}

#[test]
fn what_is_not_armored_passes() {
    let mut sealed = MAGIC.to_vec();
    sealed.extend(noise(200_000));
    let mut text = b"no armor, however long this goes on\n".repeat(10_000);
    text.extend(armor(b"too late").bytes());
    for plain in [&sealed[..], &sealed[..5], &text, b"", b"-----BEGIN PQBOX"] {
        for sip in [1, 7, 100_000] {
            let mut reader = ArmorReader::new(Sips(plain, sip)).unwrap();
            assert!(!reader.is_armored());
            let mut bytes = Vec::new();
            reader.read_to_end(&mut bytes).unwrap();
            assert!(bytes == plain);
        }
    }
}

#[test]
fn damage_is_found_and_its_line_named() {
    let text = format!("Hello,\n{}", armor(&noise(300_000)));
    let place = |line: usize, column: usize| {
        let lines = text.split_inclusive('\n').take(line - 1);
        lines.map(str::len).sum::<usize>() + column
    };
    // In the first block, in a later one, and in the last line of base64.
    for line in [3, 5000, text.lines().count() - 1] {
        for (byte, expected) in [
            (b'!', "a character that is not base64"),
            (0x80, "a character that is not base64"),
            (b'=', "an equals sign before the end"),
            (b'-', "a dash that begins no END line"),
        ] {
            let mut damaged = text.clone().into_bytes();
            damaged[place(line, 9)] = byte;
            match read(&damaged).unwrap_err() {
                Error::ArmorDamaged { line: found, what } => {
                    assert_eq!(found, line as u64, "{what}");
                    // A dash may stand where base64 cannot end: that is seen first.
                    assert!(what == expected || byte == b'-', "{what}");
                }
                error => panic!("{error}"),
            }
        }
    }
    let mut missing = text.clone().into_bytes();
    missing.remove(place(4000, 1));
    assert!(matches!(
        read(&missing),
        Err(Error::ArmorDamaged {
            what: "base64 that is not complete",
            ..
        })
    ));
    let twice = format!("{text}\nand\n{text}");
    assert!(matches!(
        read(&twice),
        Err(Error::ArmorDamaged { line, what: "another sealed file begins" })
            if line == text.lines().count() as u64 + 4
    ));
    for len in (place(2, BEGIN.len())..text.len() - 1).step_by(97) {
        let cut = &text[..len];
        assert!(
            matches!(
                read(cut),
                Err(Error::ArmorTruncated | Error::ArmorDamaged { .. })
            ),
            "{len} bytes"
        );
    }
    // What is in the last group must leave no bits over.
    assert!(read(format!("{BEGIN}\nAB==\n{END}")).is_err());
    assert!(read(format!("{BEGIN}\nAA=\n{END}")).is_err());
    assert!(read(format!("{BEGIN}\nAA\n{END}")).is_err());
    assert_eq!(read(format!("{BEGIN}\nAA==\n{END}")).unwrap(), [0]);
}
