//! PEM, read as people's tools leave it.

use crate::Error;
use crate::hybrid::armor::without_white_space;
use crate::hybrid::sniff;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use base64ct::Encoding;
use pkcs8::{LineEnding, SecretDocument};
use zeroize::Zeroizing;

/// The kinds of block that are read and written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Public,
    Private,
    Encrypted,
}

impl Label {
    const fn text(self) -> &'static str {
        match self {
            Self::Public => "PUBLIC KEY",
            Self::Private => "PRIVATE KEY",
            Self::Encrypted => "ENCRYPTED PRIVATE KEY",
        }
    }
}

/// A block. It may hold a secret.
pub(super) struct Block {
    pub(super) label: Label,
    pub(super) der: Zeroizing<Vec<u8>>,
}

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";

/// Reads the one key of the `wanted` kinds in a file, which is PEM or, as a whole, DER.
pub(super) fn read_any(file: &[u8], wanted: &[Label]) -> Result<Block, Error> {
    match super::der::label(file) {
        None => read(file, wanted),
        Some(label) if wanted.contains(&label) => Ok(Block {
            label,
            der: Zeroizing::new(file.to_vec()),
        }),
        Some(Label::Public) => Err(Error::KeyIsPublic),
        Some(Label::Private | Label::Encrypted) => Err(Error::KeyIsSecret),
    }
}

/// Reads the one block of the `wanted` kinds in `text`. What stands before, between and after the
/// blocks is not looked at, and neither are the blocks of other kinds.
pub(super) fn read(file: &[u8], wanted: &[Label]) -> Result<Block, Error> {
    let text = decode(file);
    let mut found = None;
    let mut others = Vec::new();
    let mut rest = text.as_str();
    while let Some((_, after)) = rest.split_once(BEGIN) {
        let (name, after) = after.split_once(DASHES).ok_or(NO_END)?;
        rest = after;
        match wanted.iter().find(|label| label.text() == name) {
            None => others.push(name),
            Some(_) if found.is_some() => return Err(Error::KeySeveral),
            Some(label) => {
                // The END line is looked for by its dashes, so that a body can be cut off but not
                // run into the next block.
                let (body, after) = after.split_once(END).ok_or(NO_END)?;
                let after = after.strip_prefix(name).ok_or(NO_END)?;
                rest = after.strip_prefix(DASHES).ok_or(NO_END)?;
                found = Some(Block {
                    label: *label,
                    der: read_body(*label, body)?,
                });
            }
        }
    }
    found.ok_or_else(|| missing(file, &text, &others))
}

const NO_END: Error = Error::KeyDamaged("no END line");

/// The DER of a block's body. What is secret is decoded in constant time; what is public, fast.
fn read_body(label: Label, body: &str) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut base64 = Zeroizing::new(Vec::new());
    without_white_space(&mut base64, body.as_bytes());
    let mut der = Zeroizing::new(vec![0; base64.len().div_ceil(4) * 3]);
    let len = match label {
        Label::Public => STANDARD.decode_slice(&base64, &mut der).ok(),
        Label::Private | Label::Encrypted => {
            let decoded = base64ct::Base64::decode(&*base64, &mut der);
            decoded.ok().map(<[u8]>::len)
        }
    };
    der.truncate(len.ok_or(Error::KeyDamaged(
        "its base64 has a wrong character, or not all of them",
    ))?);
    Ok(der)
}

/// Why there is no block of the wanted kinds in a file, which has these `others`.
fn missing(file: &[u8], text: &str, others: &[&str]) -> Error {
    if text.trim().is_empty() {
        return Error::KeyEmpty;
    }
    // What was wanted is not among them.
    let has = |label: Label| others.contains(&label.text());
    if has(Label::Public) {
        return Error::KeyIsPublic;
    }
    if has(Label::Private) || has(Label::Encrypted) {
        return Error::KeyIsSecret;
    }
    match others {
        // The forms from before PKCS#8 and SPKI have the algorithm in the label.
        ["RSA PRIVATE KEY" | "RSA PUBLIC KEY", ..] => Error::KeyAlgorithm("RSA".into()),
        ["EC PRIVATE KEY" | "EC PARAMETERS", ..] => Error::KeyAlgorithm("elliptic curves".into()),
        ["DSA PRIVATE KEY", ..] => Error::KeyAlgorithm("DSA".into()),
        [other, ..] => {
            let begin = format!("{BEGIN}{other}{DASHES}");
            Error::NotKey(sniff(begin.as_bytes()))
        }
        [] => Error::NotKey(sniff(file)),
    }
}

/// The text, of which only ASCII matters: UTF-8 or what extends ASCII in another way, or UTF-16
/// with a byte-order mark, as PowerShell writes it.
fn decode(text: &[u8]) -> Zeroizing<String> {
    let (unit, text): (fn([u8; 2]) -> u16, _) = match text {
        [0xff, 0xfe, text @ ..] => (u16::from_le_bytes, text),
        [0xfe, 0xff, text @ ..] => (u16::from_be_bytes, text),
        _ => {
            let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
            let ascii = text
                .iter()
                .map(|&byte| if byte.is_ascii() { byte } else { b'?' });
            return Zeroizing::new(String::from_utf8(ascii.collect()).expect("it is ASCII"));
        }
    };
    // UTF-8 has at most three bytes where UTF-16 has two.
    let mut decoded = Zeroizing::new(String::with_capacity(text.len() / 2 * 3));
    let units = text.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    decoded.extend(char::decode_utf16(units).map(|c| c.unwrap_or('?')));
    decoded
}

/// A block for everybody's eyes.
pub(super) fn write(label: Label, der: &[u8]) -> String {
    pkcs8::der::pem::encode_string(label.text(), LineEnding::LF, der)
        .expect("the label is well-formed and a key is short")
}

/// A block with a secret.
pub(super) fn write_secret(label: Label, der: &SecretDocument) -> Zeroizing<String> {
    der.to_pem(label.text(), LineEnding::LF)
        .expect("the label is well-formed and a key is short")
}
