//! What can go wrong, as one flat enum.

use crate::key_id::KeyId;
use core::fmt;

/// Every failure that the library reports. No variant holds a secret.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    // FIPS 203.
    /// A byte string is not as long as the parameter set says. FIPS 203 section 7, type checks.
    Length {
        /// What the bytes were to be, for example `encapsulation key`.
        what: &'static str,
        /// Bytes wanted.
        expected: usize,
        /// Bytes given.
        got: usize,
    },
    /// An encapsulation key has a coefficient of q or more. FIPS 203 section 7.2, modulus check.
    EncapsulationKeyRange,
    /// The hash of ek inside a decapsulation key is wrong. FIPS 203 section 7.3, hash check.
    DecapsulationKeyHash,
    /// The two halves of a key pair do not belong together. FIPS 203 section 7.1, pair-wise check.
    KeyPairMismatch,
    /// The random bit generator failed.
    Rng,
    /// No backend of that name runs on this CPU.
    UnknownBackend,
    /// The self-test before the first use of a key failed; the name of the function that did.
    SelfTest(&'static str),

    // Streams.
    /// The input could not be read.
    #[cfg(feature = "std")]
    Read(std::io::Error),
    /// The output could not be written.
    #[cfg(feature = "std")]
    Write(std::io::Error),
    /// The stream was used again after it had failed.
    AfterFailure,

    // Armor.
    /// A sealed file in armor, which is damaged.
    ArmorDamaged {
        /// The line, from 1, text before the armor included.
        line: u64,
        /// What is there.
        what: &'static str,
    },
    /// A sealed file in armor, which has no end.
    ArmorTruncated,

    // The header of a sealed file: what it says.
    /// The input does not begin as a pqbox file does. What it looks like, where that is known.
    NotPqbox(Option<&'static str>),
    /// The input was a pqbox file until something took it for text.
    TextDamage,
    /// A format version that this library does not know.
    Version(u8),
    /// A kind of content that this library does not know.
    Content(u8),
    /// The input ends inside the header.
    HeaderTruncated,
    /// The header asks for more than the format allows.
    HeaderLimit {
        /// What there is too much of, for example `stanzas`.
        what: &'static str,
        /// The most that is allowed.
        limit: u64,
        /// What the header has.
        got: u64,
    },
    /// The header breaks a rule of the format: which.
    HeaderMalformed(&'static str),

    // The header: its keys.
    /// A file was to be sealed to nobody.
    NoRecipient,
    /// Two different recipients have one key id, and a header cannot hold both.
    KeyIdCollision(KeyId),
    /// None of the keys is one that the file is sealed to.
    #[cfg(feature = "std")]
    NoMatchingKey {
        /// The recipients that the file names.
        wanted: Vec<KeyId>,
        /// How many recipients it does not name. Every key of the right kind was tried on them.
        hidden: usize,
        /// The keys that were tried.
        tried: Vec<KeyId>,
    },
    /// The file names this key, but the key does not open what stands beside the name: it was
    /// changed. (ML-KEM's implicit rejection gives a wrong secret, not an error; this is where it
    /// comes to light.)
    StanzaAuthentication(KeyId),
    /// The header was changed since it was sealed.
    HeaderAuthentication,

    // The payload. Offsets count bytes from the beginning of the file.
    /// The payload does not commit to this file key.
    Commitment,
    /// A chunk was changed.
    ChunkCorrupted {
        /// Its number, from 0.
        chunk: u64,
        /// Where it begins.
        offset: u64,
    },
    /// The file ends where another chunk has to follow.
    Truncated {
        /// The number of the chunk that is missing.
        chunk: u64,
        /// Where the file ends.
        offset: u64,
    },
    /// The last chunk is not authentic: the file was cut off inside it, or it was changed.
    LastChunk {
        /// Its number, from 0.
        chunk: u64,
        /// Where it begins.
        offset: u64,
    },
    /// All of the sealed data is there and authentic, but something follows it.
    TrailingData {
        /// Where the sealed data ends.
        offset: u64,
        /// Whether a second pqbox file begins there.
        another_file: bool,
    },
    /// More than 2^38 chunks (4 PiB).
    TooLong,
    /// The content is said to be padded, and is not.
    Padding,

    // Key files.
    /// The key file is empty.
    KeyEmpty,
    /// There is no key in the key file. What it looks like, where that is known.
    NotKey(Option<&'static str>),
    /// There is more than one key where one belongs.
    KeySeveral,
    /// A public key where a secret one belongs.
    KeyIsPublic,
    /// A secret key where a public one belongs.
    KeyIsSecret,
    /// A key of another algorithm: its name, or its object identifier.
    #[cfg(feature = "std")]
    KeyAlgorithm(String),
    /// The key file is damaged: where.
    KeyDamaged(&'static str),
    /// The seed in a secret key does not generate the expanded key beside it. RFC 9935 section 8.
    SeedMismatch,
    /// A secret key was to be written with its seed, which is not known.
    SeedUnknown,
    /// A key id is not 16 hex digits.
    KeyIdSyntax,
    /// The secret key is encrypted, or the file sealed by a passphrase, and there is none.
    PassphraseNeeded,
    /// The passphrase does not decrypt the secret key, or the file.
    WrongPassphrase,
    /// The secret key is encrypted in a way that this library does not read.
    PassphraseScheme,
    /// The key file, or the sealed file, asks for more work to turn the passphrase into a key than is reasonable.
    PassphraseCost {
        /// What there is too much of, for example `PBKDF2 iterations`.
        what: &'static str,
        /// The most that is allowed.
        limit: u64,
        /// What it asks for.
        got: u64,
    },
    /// There is not as much memory as it takes to make a key of a passphrase: how many bytes.
    Memory(u64),
}

#[cfg(feature = "std")]
impl Error {
    /// What a failed read means: what a reader of this library has put inside, else [`Self::Read`].
    #[must_use]
    pub fn reading(error: std::io::Error) -> Self {
        error.downcast().unwrap_or_else(Self::Read)
    }
}

impl Error {
    /// A name of the kind of error for programs: it stays what it is.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Length { .. } => "length",
            Self::EncapsulationKeyRange => "encapsulation-key-range",
            Self::DecapsulationKeyHash => "decapsulation-key-hash",
            Self::KeyPairMismatch => "key-pair-mismatch",
            Self::Rng => "rng",
            Self::UnknownBackend => "unknown-backend",
            Self::SelfTest(_) => "self-test",
            #[cfg(feature = "std")]
            Self::Read(_) => "read",
            #[cfg(feature = "std")]
            Self::Write(_) => "write",
            Self::AfterFailure => "after-failure",
            Self::ArmorDamaged { .. } => "armor-damaged",
            Self::ArmorTruncated => "armor-truncated",
            Self::NotPqbox(_) => "not-pqbox",
            Self::TextDamage => "text-damage",
            Self::Version(_) => "version",
            Self::Content(_) => "content",
            Self::HeaderTruncated => "header-truncated",
            Self::HeaderLimit { .. } => "header-limit",
            Self::HeaderMalformed(_) => "header-malformed",
            Self::NoRecipient => "no-recipient",
            Self::KeyIdCollision(_) => "key-id-collision",
            #[cfg(feature = "std")]
            Self::NoMatchingKey { .. } => "no-matching-key",
            Self::StanzaAuthentication(_) => "stanza-authentication",
            Self::HeaderAuthentication => "header-authentication",
            Self::Commitment => "commitment",
            Self::ChunkCorrupted { .. } => "chunk-corrupted",
            Self::Truncated { .. } => "truncated",
            Self::LastChunk { .. } => "last-chunk",
            Self::TrailingData { .. } => "trailing-data",
            Self::TooLong => "too-long",
            Self::Padding => "padding",
            Self::KeyEmpty => "key-empty",
            Self::NotKey(_) => "not-key",
            Self::KeySeveral => "key-several",
            Self::KeyIsPublic => "key-is-public",
            Self::KeyIsSecret => "key-is-secret",
            #[cfg(feature = "std")]
            Self::KeyAlgorithm(_) => "key-algorithm",
            Self::KeyDamaged(_) => "key-damaged",
            Self::SeedMismatch => "seed-mismatch",
            Self::SeedUnknown => "seed-unknown",
            Self::KeyIdSyntax => "key-id-syntax",
            Self::PassphraseNeeded => "passphrase-needed",
            Self::WrongPassphrase => "wrong-passphrase",
            Self::PassphraseScheme => "passphrase-scheme",
            Self::PassphraseCost { .. } => "passphrase-cost",
            Self::Memory(_) => "memory",
        }
    }
}

/// `a, b, c`.
#[cfg(feature = "std")]
fn list(ids: &[KeyId]) -> String {
    let ids: Vec<String> = ids.iter().map(KeyId::to_string).collect();
    ids.join(", ")
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length {
                what,
                expected,
                got,
            } => {
                write!(f, "{what} of {got} bytes, where {expected} are wanted")
            }
            Self::EncapsulationKeyRange => {
                f.write_str("encapsulation key has a coefficient out of range")
            }
            Self::DecapsulationKeyHash => {
                f.write_str("decapsulation key does not match the hash that it holds")
            }
            Self::KeyPairMismatch => {
                f.write_str("the encapsulation key and the decapsulation key are not a pair")
            }
            Self::Rng => f.write_str("the operating system gave no random bytes"),
            Self::UnknownBackend => f.write_str("no backend of that name runs on this CPU"),

            #[cfg(feature = "std")]
            Self::Read(error) => write!(f, "cannot read: {error}"),
            #[cfg(feature = "std")]
            Self::Write(error) => write!(f, "cannot write: {error}"),
            Self::AfterFailure => f.write_str("the stream has failed before"),

            Self::ArmorDamaged { line, what } => write!(f, "damaged armor: {what} in line {line}"),
            Self::ArmorTruncated => f.write_str("truncated: the armor has no END line"),

            Self::NotPqbox(None) => f.write_str("not a pqbox file"),
            Self::NotPqbox(Some(kind)) => write!(f, "not a pqbox file; it looks like {kind}"),
            Self::TextDamage => f.write_str(
                "a pqbox file that was copied as text, which changed its bytes; copy it as binary",
            ),
            Self::Version(version) => write!(
                f,
                "sealed in version {version} of the format, which this program does not know"
            ),
            Self::Content(content) => write!(
                f,
                "holds content of kind {content}, which this program does not know"
            ),
            Self::HeaderTruncated => f.write_str("truncated: the file ends inside its header"),
            Self::HeaderLimit { what, limit, got } => {
                write!(
                    f,
                    "header with {got} {what}, where {limit} are the most allowed"
                )
            }
            Self::HeaderMalformed(rule) => write!(f, "malformed header: {rule}"),

            Self::NoRecipient => f.write_str("no recipient"),
            Self::KeyIdCollision(id) => {
                write!(f, "two different recipients have the key id {id}")
            }
            #[cfg(feature = "std")]
            Self::NoMatchingKey {
                wanted,
                hidden,
                tried,
            } => {
                f.write_str("no key for this file: it is sealed to ")?;
                let s = if *hidden == 1 { "" } else { "s" };
                match (wanted.is_empty(), hidden) {
                    (false, 0) => f.write_str(&list(wanted))?,
                    (false, _) => write!(f, "{} and {hidden} hidden recipient{s}", list(wanted))?,
                    (true, 0) => f.write_str("recipients of unknown kinds")?,
                    (true, _) => write!(f, "{hidden} hidden recipient{s}")?,
                }
                match tried.is_empty() {
                    true => f.write_str("; no key was tried"),
                    false => write!(f, "; tried {}", list(tried)),
                }
            }
            Self::StanzaAuthentication(id) => {
                write!(
                    f,
                    "corrupted: the header names key {id}, which does not open it"
                )
            }
            Self::HeaderAuthentication => {
                f.write_str("corrupted: the header was changed after sealing")
            }

            Self::Commitment => f.write_str("corrupted: the payload belongs to another file key"),
            Self::ChunkCorrupted { chunk, offset } => {
                write!(f, "corrupted: chunk {chunk}, which begins at byte {offset}")
            }
            Self::Truncated { chunk, offset } => write!(
                f,
                "truncated: the file ends at byte {offset}, where chunk {chunk} is missing"
            ),
            Self::LastChunk { chunk, offset } => write!(
                f,
                "truncated or corrupted: the last chunk, {chunk}, which begins at byte {offset}"
            ),
            Self::TrailingData {
                offset,
                another_file,
            } => {
                write!(
                    f,
                    "corrupted: the sealed data ends at byte {offset}, but {} follows",
                    match another_file {
                        true => "another pqbox file",
                        false => "something else",
                    }
                )
            }
            Self::Padding => f.write_str("malformed: it has no padding, which its header promises"),
            Self::TooLong => f.write_str("longer than the 4 PiB that the format allows"),

            Self::KeyEmpty => f.write_str("the key file is empty"),
            Self::NotKey(None) => f.write_str("no key in PEM"),
            Self::NotKey(Some(kind)) => write!(f, "no key in PEM; it looks like {kind}"),
            Self::KeySeveral => f.write_str("more than one key, where one belongs"),
            Self::KeyIsPublic => f.write_str("a public key, where a secret key belongs"),
            Self::KeyIsSecret => f.write_str("a secret key, where a public key belongs"),
            #[cfg(feature = "std")]
            Self::KeyAlgorithm(name) => write!(f, "a key for {name}, not for ML-KEM"),
            Self::KeyDamaged(place) => write!(f, "damaged key: {place}"),
            Self::SeedMismatch => {
                f.write_str("the seed in the key does not generate the expanded key beside it")
            }
            Self::SeedUnknown => f.write_str("the key has no seed, only its expanded form"),
            Self::KeyIdSyntax => f.write_str("a key id is 16 hex digits, as 1a2b-3c4d-5e6f-7081"),
            Self::PassphraseNeeded => f.write_str("it takes a passphrase, and there is none"),
            Self::WrongPassphrase => f.write_str("wrong passphrase, or a damaged file"),
            Self::PassphraseScheme => {
                f.write_str("the secret key is encrypted by a method that is not supported")
            }
            Self::PassphraseCost { what, limit, got } => write!(
                f,
                "its passphrase asks for {got} {what}, where {limit} are the most allowed"
            ),
            Self::Memory(bytes) => write!(f, "cannot get {bytes} bytes of memory"),
            Self::SelfTest(function) => write!(f, "the self-test of {function} failed"),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            #[cfg(feature = "std")]
            Self::Read(error) | Self::Write(error) => Some(error),
            _ => None,
        }
    }
}
