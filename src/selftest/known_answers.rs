//! Known answers of what the KEM is used with: AES-256-GCM.

use super::Row;
use aes_gcm::{AeadInOut, Aes256Gcm, KeyInit};

/// Runs them all.
pub(super) fn run() -> Vec<Row> {
    let passed = GCM.iter().filter(|case| case.passes()).count();
    [Row {
        vectors: "SP 800-38D",
        function: "seal, open, refuse",
        set: "AES-256-GCM",
        backend: "aes-gcm",
        passed,
        total: GCM.len(),
    }]
    .into()
}

/// One test case of the GCM specification.
struct Gcm {
    key: [u8; 32],
    nonce: [u8; 12],
    aad: &'static [u8],
    plaintext: &'static [u8],
    ciphertext: &'static [u8],
    tag: [u8; 16],
}

/// D. McGrew, J. Viega, "The Galois/Counter Mode of Operation (GCM)", which SP 800-38D standardizes:
/// appendix B, test cases 13 to 16, those with a 256-bit key and a 96-bit nonce.
static GCM: [Gcm; 4] = [
    Gcm {
        key: [0; 32],
        nonce: [0; 12],
        aad: b"",
        plaintext: b"",
        ciphertext: b"",
        tag: hex("530f8afbc74536b9a963b4f1c4cb738b"),
    },
    Gcm {
        key: [0; 32],
        nonce: [0; 12],
        aad: b"",
        plaintext: &[0; 16],
        ciphertext: &hex::<16>("cea7403d4d606b6e074ec5d3baf39d18"),
        tag: hex("d0d1c8a799996bf0265b98b5d48ab919"),
    },
    Gcm {
        key: KEY,
        nonce: NONCE,
        aad: b"",
        plaintext: &PLAINTEXT,
        ciphertext: &CIPHERTEXT,
        tag: hex("b094dac5d93471bdec1a502270e3cc6c"),
    },
    Gcm {
        key: KEY,
        nonce: NONCE,
        aad: &hex::<20>("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
        plaintext: PLAINTEXT.split_at(60).0,
        ciphertext: CIPHERTEXT.split_at(60).0,
        tag: hex("76fc6ece0f4e1768cddf8853bb2d551b"),
    },
];

const KEY: [u8; 32] = hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308");
const NONCE: [u8; 12] = hex("cafebabefacedbaddecaf888");
const PLAINTEXT: [u8; 64] = hex(
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
     1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
);
const CIPHERTEXT: [u8; 64] = hex(
    "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
     8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
);

impl Gcm {
    /// Seals to the known answer, opens it again, and refuses it with any byte of the tag changed.
    fn passes(&self) -> bool {
        let cipher = Aes256Gcm::new(&self.key.into());
        let nonce = self.nonce.into();
        let opens = |tag: [u8; 16]| {
            let mut text = self.ciphertext.to_vec();
            let opened = cipher.decrypt_inout_detached(
                &nonce,
                self.aad,
                text.as_mut_slice().into(),
                &tag.into(),
            );
            opened.is_ok().then_some(text)
        };

        let mut text = self.plaintext.to_vec();
        let sealed = cipher.encrypt_inout_detached(&nonce, self.aad, text.as_mut_slice().into());
        sealed.is_ok_and(|tag| tag.as_slice() == self.tag)
            && text == self.ciphertext
            && opens(self.tag).is_some_and(|text| text == self.plaintext)
            && (0..self.tag.len()).all(|i| {
                let mut tag = self.tag;
                tag[i] ^= 1;
                opens(tag).is_none()
            })
    }
}

/// The bytes of hexadecimal digits, at compile time: wrong ones do not compile.
const fn hex<const N: usize>(digits: &str) -> [u8; N] {
    const fn nibble(digit: u8) -> u8 {
        match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => panic!("not a hexadecimal digit"),
        }
    }
    let digits = digits.as_bytes();
    assert!(digits.len() == 2 * N);
    let mut bytes = [0; N];
    let mut i = 0;
    while i < N {
        bytes[i] = nibble(digits[2 * i]) << 4 | nibble(digits[2 * i + 1]);
        i += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_answers_pass_and_others_do_not() {
        for case in &GCM {
            assert!(case.passes());
            let mut tag = case.tag;
            tag[15] ^= 0x80;
            let bad_tag = Gcm { tag, ..*case };
            assert!(!bad_tag.passes());
            let bad_nonce = Gcm {
                nonce: [7; 12],
                ..*case
            };
            assert!(!bad_nonce.passes());
        }
    }
}
