//! What a file is that is no pqbox file: a word for the error message.

/// As many bytes of the beginning as [`sniff`] can make use of.
pub(super) const ENOUGH: usize = 512;

/// Beginnings, and what begins so. The first that fits counts.
const BEGINNINGS: &[(&[u8], &str)] = &[
    (&super::MAGIC, "a pqbox file"),
    (b"-----BEGIN PQBOX FILE", "a pqbox file in armor"),
    (b"age-encryption.org/", "an age file"),
    (b"-----BEGIN AGE ENCRYPTED FILE", "an age file"),
    (b"AGE-SECRET-KEY-", "an age secret key"),
    (b"# created: ", "an age secret key"),
    (b"age1", "an age public key"),
    (b"-----BEGIN PGP MESSAGE", "an OpenPGP message"),
    (b"-----BEGIN PGP PUBLIC KEY", "an OpenPGP public key"),
    (b"-----BEGIN PGP PRIVATE KEY", "an OpenPGP secret key"),
    (b"-----BEGIN PGP", "an OpenPGP file"),
    (b"-----BEGIN OPENSSH PRIVATE KEY", "an OpenSSH secret key"),
    (b"ssh-", "an OpenSSH public key"),
    (b"ecdsa-sha2-", "an OpenSSH public key"),
    (b"-----BEGIN CERTIFICATE-----", "a certificate"),
    (b"-----BEGIN CMS", "a CMS message"),
    (b"-----BEGIN PKCS7", "a CMS message"),
    (b"-----BEGIN ", "a PEM file"),
    (b"untrusted comment:", "a minisign or signify file"),
    (b"Salted__", "a file of openssl enc"),
    (b"\x1f\x8b", "gzip data"),
    (b"\x28\xb5\x2f\xfd", "Zstandard data"),
    (b"\xfd7zXZ\0", "xz data"),
    (b"BZh", "bzip2 data"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"PK\x05\x06", "a ZIP archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"\x7fELF", "an ELF executable"),
    (b"MZ", "a Windows executable"),
    (b"#!", "a script"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
];

/// What some bytes that are no pqbox file look like by their beginning, for example `an age file`;
/// none where there is no telling. 512 bytes are enough; fewer will mostly do.
#[must_use]
pub fn sniff(start: &[u8]) -> Option<&'static str> {
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let text = text.trim_ascii_start();
    if text.is_empty() {
        return Some(match start.is_empty() {
            true => "an empty file",
            false => "blank text",
        });
    }
    if let Some((_, name)) = BEGINNINGS.iter().find(|(begin, _)| text.starts_with(begin)) {
        return Some(name);
    }
    if start.get(257..262) == Some(b"ustar") {
        return Some("a tar archive");
    }
    if is_openpgp(start) {
        return Some("an OpenPGP message");
    }
    if is_der(start) {
        return Some("a DER file");
    }
    // A character cut off by the end of `start` is no reason against text.
    let utf8 = str::from_utf8(text).map_or_else(|error| error.error_len().is_none(), |_| true);
    let printable = |byte: &u8| !byte.is_ascii_control() || byte.is_ascii_whitespace();
    (utf8 && text.iter().all(printable)).then_some("text")
}

/// A packet that begins an encrypted OpenPGP message: tags 1 (public-key session key), 3
/// (passphrase session key), 9 and 18 (encrypted data), in either packet format, followed by a
/// plausible version. RFC 9580 section 4.2.
fn is_openpgp(start: &[u8]) -> bool {
    let [first, rest @ ..] = start else {
        return false;
    };
    let (tag, length_len) = match first >> 6 {
        0b11 => (first & 0x3f, 1),
        0b10 => (first >> 2 & 0xf, [1, 2, 4, 0][usize::from(first & 3)]),
        _ => return false,
    };
    let version = rest.get(length_len).copied();
    match tag {
        1 => matches!(version, Some(2 | 3 | 6)),
        3 => matches!(version, Some(4..=6)),
        18 => matches!(version, Some(1 | 2)),
        _ => false,
    }
}

/// A DER SEQUENCE with a length of two bytes.
fn is_der(start: &[u8]) -> bool {
    start.starts_with(&[0x30, 0x82])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let mut tar = vec![b'n'; 257];
        tar.extend(b"ustar\x0000");
        let cases: [(&[u8], Option<&str>); 13] = [
            (b"", Some("an empty file")),
            (b" \r\n", Some("blank text")),
            (b"age-encryption.org/v1\n-> X25519", Some("an age file")),
            (
                b"\xef\xbb\xbf\n-----BEGIN PGP MESSAGE-----",
                Some("an OpenPGP message"),
            ),
            (b"\x85\x01\x0c\x03", Some("an OpenPGP message")),
            (b"\xc1\x5e\x03", Some("an OpenPGP message")),
            (b"-----BEGIN PUBLIC KEY-----", Some("a PEM file")),
            (b"\x1f\x8b\x08", Some("gzip data")),
            (b"PK\x03\x04", Some("a ZIP archive")),
            (&tar, Some("a tar archive")),
            (b"Dear all,\n\xe2\x80\xa6", Some("text")),
            (b"\x00\x01\x02\x03", None),
            (b"\xd0\xcf\x11\xe0", None),
        ];
        for (start, name) in cases {
            assert_eq!(sniff(start), name, "{start:02x?}");
        }
    }
}
