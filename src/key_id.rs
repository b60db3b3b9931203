//! The name of a key: 64 bits of a hash. A leaf, so that errors can carry it.

use crate::Error;
use core::fmt;
use core::str::FromStr;

/// A key id: the first 8 bytes of SHA3-256 over the key's SubjectPublicKeyInfo in DER. It is how
/// people name keys, written as hex in groups of four: `1a2b-3c4d-5e6f-7081`.
///
/// It is a name, not a proof: 64 bits tell honest keys apart and stop nobody who makes keys until
/// two names are alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId([u8; 8]);

impl KeyId {
    /// What a stanza shows in place of a key id when its recipient is not to be named.
    pub const HIDDEN: Self = Self([0; 8]);

    /// The key id of these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 8]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 8] {
        &self.0
    }

    /// Whether it stands for a recipient who is not named.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        *self == Self::HIDDEN
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g, h, i] = self.0;
        write!(
            f,
            "{a:02x}{b:02x}-{c:02x}{d:02x}-{e:02x}{g:02x}-{h:02x}{i:02x}"
        )
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyId({self})")
    }
}

/// Reads what `Display` writes, with its dashes or without, in either case.
///
/// # Errors
/// [`Error::KeyIdSyntax`] if it is not 16 hex digits.
impl FromStr for KeyId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut digits = text.chars();
        let mut bytes = [0; 8];
        let (mut groups, mut nibbles) = (text.split('-'), 0);
        let grouped = groups.clone().count() == 4 && groups.all(|group| group.len() == 4);
        for digit in digits.by_ref().filter(|&digit| !(grouped && digit == '-')) {
            let value = digit.to_digit(16).ok_or(Error::KeyIdSyntax)?;
            let byte = bytes.get_mut(nibbles / 2).ok_or(Error::KeyIdSyntax)?;
            *byte = *byte << 4 | value as u8;
            nibbles += 1;
        }
        if nibbles != 16 {
            return Err(Error::KeyIdSyntax);
        }
        Ok(Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form() {
        let id = KeyId([0x1a, 0x2b, 0x3c, 0x4d, 0x5e, 0x6f, 0x70, 0x81]);
        assert_eq!(id.to_string(), "1a2b-3c4d-5e6f-7081");
        for text in [
            "1a2b-3c4d-5e6f-7081",
            "1A2B3C4D5E6F7081",
            "1a2b3c4d5e6f7081",
        ] {
            assert_eq!(text.parse::<KeyId>().unwrap(), id);
        }
        for text in [
            "",
            "1a2b-3c4d-5e6f-708",
            "1a2b-3c4d-5e6f-70811",
            "1a2b3c4d-5e6f7081",
            "1a2b-3c4d-5e6f-70é",
            "1a2b3c4d5e6f708g",
        ] {
            assert!(text.parse::<KeyId>().is_err(), "{text}");
        }
    }
}
