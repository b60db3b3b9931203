//! The grammar of a header, `docs/format.md`. It knows no key.

use super::passphrase::{self, Cost};
use super::read_full;
use crate::Error;
use crate::kem::{MlKem512, MlKem768, MlKem1024, ParameterSet, SetId};
use crate::key_id::KeyId;
use core::ops::Range;
use std::io::Read;

/// What a pqbox file begins with. It has a byte above 127, both line ends and a control-Z, so that
/// whatever takes the file for text damages these bytes first.
pub const MAGIC: [u8; 10] = *b"\x89pqbox\r\n\x1a\n";

/// The version of the format that is written here.
pub(super) const VERSION: u8 = 1;

/// Bytes of the header's mac.
pub(super) const MAC_LEN: usize = 32;
/// Bytes of a file key as a stanza holds it: the key, and the tag of the AEAD.
pub(super) const SEALED_KEY_LEN: usize = 32 + 16;
const KEY_ID_LEN: usize = 8;
/// Bytes of magic, version, content and stanza count.
const PREFIX_LEN: usize = MAGIC.len() + 1 + 1 + 2;
/// Bytes of a stanza's type and length.
const STANZA_PREFIX_LEN: usize = 2 + 4;

// The limits keep what an attacker's file can ask for within what an honest one needs: memory
// before anything is authenticated, and one decapsulation for each hidden stanza.

/// The most stanzas a header may have.
pub const MAX_STANZAS: usize = 4096;
/// The most bytes a stanza's body may have: some three times the largest KEM ciphertext in sight.
pub const MAX_BODY_LEN: usize = 64 << 10;
/// The most bytes a header may have, its mac included.
pub const MAX_HEADER_LEN: usize = 8 << 20;

// As many of the largest stanzas written here as there may be stanzas.
const _: () = assert!(
    PREFIX_LEN
        + MAX_STANZAS * (STANZA_PREFIX_LEN + KEY_ID_LEN + MlKem1024::CT_LEN + SEALED_KEY_LEN)
        + MAC_LEN
        <= MAX_HEADER_LEN
);

/// The stanza types that are known: HPKE KEM ids of draft-ietf-hpke-pq, with the bytes of enc.
const KINDS: [(u16, SetId, usize); 3] = [
    (0x0040, SetId::MlKem512, MlKem512::CT_LEN),
    (0x0041, SetId::MlKem768, MlKem768::CT_LEN),
    (0x0042, SetId::MlKem1024, MlKem1024::CT_LEN),
];

/// The stanza type of a passphrase.
const PASSPHRASE: u16 = 0xff01;

/// The stanza type of a parameter set.
pub(super) fn kind(set: SetId) -> u16 {
    match set {
        SetId::MlKem512 => KINDS[0].0,
        SetId::MlKem768 => KINDS[1].0,
        SetId::MlKem1024 => KINDS[2].0,
    }
}

/// What a sealed file holds, as its header says: bytes of which nothing is said, unless more is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// A tar archive: a directory.
    pub archive: bool,
    /// Padding stands behind it, so that the file's length says less.
    pub padded: bool,
}

impl Content {
    /// How the header says it.
    #[must_use]
    pub fn byte(self) -> u8 {
        u8::from(self.archive) | u8::from(self.padded) << 1
    }
}

impl TryFrom<u8> for Content {
    type Error = Error;

    /// # Errors
    /// [`Error::Content`].
    fn try_from(byte: u8) -> Result<Self, Error> {
        match byte {
            0..4 => Ok(Self {
                archive: byte & 1 == 1,
                padded: byte >> 1 == 1,
            }),
            _ => Err(Error::Content(byte)),
        }
    }
}

/// A header: read, not yet authenticated. [`Header::unlock`] does that.
#[derive(Clone, Debug)]
pub struct Header {
    /// All of it, the mac included.
    bytes: Vec<u8>,
    content: Content,
    stanzas: Vec<Stanza>,
}

/// What a header says of one recipient, or of one other way to the file key.
#[derive(Clone, Debug)]
pub struct Stanza {
    kind: u16,
    /// Where its body lies in the header.
    body: Range<usize>,
    /// What it has, where its type is known.
    known: Option<(SetId, KeyId)>,
}

/// The body of a stanza whose type is known.
pub(super) struct Body<'a> {
    pub(super) enc: &'a [u8],
    pub(super) sealed_key: &'a [u8; SEALED_KEY_LEN],
}

impl Header {
    /// Reads a header, and not one byte beyond it.
    ///
    /// # Errors
    /// [`Error::NotPqbox`] or [`Error::TextDamage`] by its first bytes, [`Error::Version`],
    /// [`Error::Content`], [`Error::HeaderTruncated`], [`Error::HeaderLimit`] and
    /// [`Error::HeaderMalformed`] by the rules of the format; [`Error::Read`].
    pub fn read(input: &mut impl Read) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        read_magic(input, &mut bytes)?;
        let [version] = *take(input, &mut bytes)?;
        if version != VERSION {
            return Err(Error::Version(version));
        }
        let [content] = *take(input, &mut bytes)?;
        let content = Content::try_from(content)?;
        let count = usize::from(u16::from_be_bytes(*take(input, &mut bytes)?));
        if count == 0 {
            return Err(Error::HeaderMalformed("no stanza"));
        }
        limit("stanzas", MAX_STANZAS, count)?;
        let stanzas = (0..count)
            .map(|_| Stanza::read(input, &mut bytes))
            .collect::<Result<_, _>>()?;
        let _mac: &[u8; MAC_LEN] = take(input, &mut bytes)?;
        let header = Self {
            bytes,
            content,
            stanzas,
        };
        header.check_names()?;
        if header.passphrase().is_some() && count > 1 {
            return Err(Error::HeaderMalformed("a passphrase that is not alone"));
        }
        Ok(header)
    }

    /// Two stanzas of one type must not name the same key: a header says everything once.
    fn check_names(&self) -> Result<(), Error> {
        let mut names: Vec<_> = self
            .stanzas
            .iter()
            .filter_map(|stanza| Some((stanza.kind, stanza.key_id()?)))
            .collect();
        names.sort_unstable();
        match names.windows(2).any(|pair| pair[0] == pair[1]) {
            true => Err(Error::HeaderMalformed("two stanzas for one key")),
            false => Ok(()),
        }
    }

    /// The version of the format: 1.
    #[must_use]
    pub fn version(&self) -> u8 {
        self.bytes[MAGIC.len()]
    }

    /// What the file holds.
    #[must_use]
    pub fn content(&self) -> Content {
        self.content
    }

    /// Bytes of the header, its mac included: where the payload begins.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a header is never empty")]
    pub fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The stanzas, at least one, in the file's order.
    #[must_use]
    pub fn stanzas(&self) -> &[Stanza] {
        &self.stanzas
    }

    /// The body of one of the stanzas of this header; none where its type is unknown.
    pub(super) fn body(&self, stanza: &Stanza) -> Option<Body<'_>> {
        stanza.known?;
        let (rest, sealed_key) = self.bytes[stanza.body.clone()].split_last_chunk()?;
        Some(Body {
            enc: &rest[KEY_ID_LEN..],
            sealed_key,
        })
    }

    /// The body of the stanza that takes a passphrase, if there is one.
    pub(super) fn passphrase(&self) -> Option<&[u8; passphrase::BODY_LEN]> {
        let stanza = self
            .stanzas
            .iter()
            .find(|stanza| stanza.kind == PASSPHRASE)?;
        self.bytes[stanza.body.clone()].as_array()
    }

    /// Whether the file was sealed by a passphrase: whether it takes one, and no key. What it then
    /// takes of Argon2: KiB of memory, passes and lanes.
    #[must_use]
    pub fn passphrase_cost(&self) -> Option<(u32, u32, u32)> {
        let Cost {
            memory,
            passes,
            lanes,
        } = Cost::of(self.passphrase()?);
        Some((memory, passes, lanes))
    }

    /// What the mac is over, and the mac.
    pub(super) fn authenticated(&self) -> (&[u8], &[u8; MAC_LEN]) {
        self.bytes
            .split_last_chunk()
            .expect("a header that was read has a mac")
    }
}

impl Stanza {
    /// Reads a stanza onto the end of `bytes`.
    fn read(input: &mut impl Read, bytes: &mut Vec<u8>) -> Result<Self, Error> {
        let kind = u16::from_be_bytes(*take(input, bytes)?);
        let len = u32::from_be_bytes(*take(input, bytes)?);
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        limit("bytes in a stanza", MAX_BODY_LEN, len)?;
        limit("bytes", MAX_HEADER_LEN, bytes.len() + len + MAC_LEN)?;
        let start = bytes.len();
        take_slice(input, bytes, len)?;

        let mut known = None;
        if let Some((_, set, enc_len)) = KINDS.into_iter().find(|known| known.0 == kind) {
            if len != KEY_ID_LEN + enc_len + SEALED_KEY_LEN {
                return Err(Error::HeaderMalformed("stanza of a wrong length"));
            }
            let id = bytes[start..].first_chunk().expect("longer than a key id");
            known = Some((set, KeyId::from_bytes(*id)));
        } else if kind == PASSPHRASE && len != passphrase::BODY_LEN {
            return Err(Error::HeaderMalformed("stanza of a wrong length"));
        }
        Ok(Self {
            kind,
            body: start..bytes.len(),
            known,
        })
    }

    /// The type. Below 0xff00 it is an HPKE KEM id.
    #[must_use]
    pub fn kind(&self) -> u16 {
        self.kind
    }

    /// The parameter set, where the type is one of ML-KEM.
    #[must_use]
    pub fn set(&self) -> Option<SetId> {
        self.known.map(|(set, _)| set)
    }

    /// The recipient; none where the type is unknown or the recipient is hidden.
    #[must_use]
    pub fn key_id(&self) -> Option<KeyId> {
        self.known.map(|(_, id)| id).filter(|id| !id.is_hidden())
    }
}

/// Writes a header but for its mac: what the mac is over.
pub(super) struct Writer(Vec<u8>);

impl Writer {
    /// Begins a header of `count` stanzas.
    ///
    /// # Errors
    /// [`Error::NoRecipient`], [`Error::HeaderLimit`].
    pub(super) fn new(content: Content, count: usize) -> Result<Self, Error> {
        if count == 0 {
            return Err(Error::NoRecipient);
        }
        limit("stanzas", MAX_STANZAS, count)?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend([VERSION, content.byte()]);
        bytes.extend((count as u16).to_be_bytes());
        Ok(Self(bytes))
    }

    /// Adds a stanza.
    pub(super) fn stanza(
        &mut self,
        set: SetId,
        id: KeyId,
        enc: &[u8],
        sealed_key: &[u8; SEALED_KEY_LEN],
    ) {
        self.any(kind(set), &[id.as_bytes(), enc, sealed_key]);
    }

    /// Adds the stanza of a passphrase.
    pub(super) fn passphrase(&mut self, body: &[u8; passphrase::BODY_LEN]) {
        self.any(PASSPHRASE, &[body]);
    }

    /// Adds a stanza of another header, as it is.
    pub(super) fn copy(&mut self, from: &Header, stanza: &Stanza) {
        self.any(stanza.kind, &[&from.bytes[stanza.body.clone()]]);
    }

    fn any(&mut self, kind: u16, body: &[&[u8]]) {
        let len: usize = body.iter().map(|part| part.len()).sum();
        self.0.extend(kind.to_be_bytes());
        self.0.extend((len as u32).to_be_bytes());
        body.iter().for_each(|part| self.0.extend_from_slice(part));
    }

    /// The header so far.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The header, with its mac.
    pub(super) fn finish(mut self, mac: &[u8; MAC_LEN]) -> Vec<u8> {
        self.0.extend_from_slice(mac);
        self.0
    }
}

/// # Errors
/// [`Error::HeaderLimit`] if `got` is more than `limit`.
fn limit(what: &'static str, limit: usize, got: usize) -> Result<(), Error> {
    match got > limit {
        true => Err(Error::HeaderLimit {
            what,
            limit: limit as u64,
            got: got as u64,
        }),
        false => Ok(()),
    }
}

/// Reads `len` bytes onto the end of `bytes`.
fn take_slice<'a>(
    input: &mut impl Read,
    bytes: &'a mut Vec<u8>,
    len: usize,
) -> Result<&'a [u8], Error> {
    let start = bytes.len();
    bytes.resize(start + len, 0);
    match read_full(input, &mut bytes[start..])? == len {
        true => Ok(&bytes[start..]),
        false => Err(Error::HeaderTruncated),
    }
}

/// Reads `N` bytes onto the end of `bytes`.
fn take<'a, const N: usize>(
    input: &mut impl Read,
    bytes: &'a mut Vec<u8>,
) -> Result<&'a [u8; N], Error> {
    take_slice(input, bytes, N).map(|slice| slice.try_into().expect("as long as it was asked for"))
}

/// Reads the magic onto the end of `bytes`, or says what stands in its place.
fn read_magic(input: &mut impl Read, bytes: &mut Vec<u8>) -> Result<(), Error> {
    let mut start = [0; super::sniff::ENOUGH];
    let mut len = read_full(input, &mut start[..MAGIC.len()])?;
    if start[..len] == MAGIC {
        bytes.extend(MAGIC);
        return Ok(());
    }
    if len > 0 && MAGIC.starts_with(&start[..len]) {
        return Err(Error::HeaderTruncated);
    }
    if is_text_damage(&start[..len]) {
        return Err(Error::TextDamage);
    }
    len += read_full(input, &mut start[len..])?;
    Err(Error::NotPqbox(super::sniff(&start[..len])))
}

/// Whether these are the first bytes of a pqbox file after something took it for text: line ends
/// converted, the eighth bit stripped, or the first byte transcoded.
fn is_text_damage(start: &[u8]) -> bool {
    // \x89 as it is, in seven bits, in UTF-8, and replaced in UTF-8 and in ASCII.
    const FIRST: [&[u8]; 5] = [b"\x89", b"\x09", b"\xc2\x89", b"\xef\xbf\xbd", b"?"];
    FIRST.iter().any(|first| {
        start
            .strip_prefix(*first)
            .is_some_and(|rest| rest.starts_with(b"pqbox"))
    })
}
