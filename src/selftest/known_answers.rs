//! Known answers of what the KEM is made of and used with: Keccak and AES-256-GCM.

use super::Row;
use crate::Backend;
use crate::asm::aes_gcm::{self as kernels, Cipher};
use crate::kem::symmetric::{self, SHA3_256, SHA3_512, SHAKE128, SHAKE256};
use aes_gcm::{AeadInOut, Aes256Gcm, KeyInit};

/// Runs them all.
pub(super) fn run(backend: Backend) -> Vec<Row> {
    let row = |vectors, function, set, backend, results: &[bool]| Row {
        vectors,
        function,
        set,
        backend,
        passed: results.iter().filter(|passed| **passed).count(),
        total: results.len(),
    };
    let mut rows: Vec<Row> = KECCAK
        .iter()
        .map(|keccak| {
            let results = keccak.results(backend);
            row(
                "FIPS 202",
                keccak.kind,
                keccak.name,
                backend.name(),
                &results,
            )
        })
        .collect();
    // What the backend has kernels for; and the crate, which finds out for itself what the CPU has.
    for cipher in Cipher::of(backend).map(Some).chain([None]) {
        let results: Vec<bool> = GCM.iter().filter_map(|gcm| gcm.passes(cipher)).collect();
        let name = cipher.map_or("aes-gcm", Cipher::name);
        rows.push(row(
            "SP 800-38D",
            "seal, open, refuse",
            "AES-256-GCM",
            name,
            &results,
        ));
    }
    rows
}

/// NIST's examples of one function of FIPS 202: of no bytes, and of 200 bytes a3. The longer message
/// fills more than one block of every function, and so do 512 bytes of output.
struct Keccak {
    name: &'static str,
    kind: &'static str,
    function: symmetric::Function,
    /// Bytes of output in the example.
    len: usize,
    /// The last of them, for either message.
    answers: [&'static [u8]; 2],
}

static KECCAK: [Keccak; 4] = [
    Keccak {
        name: "SHA3-256",
        kind: "hash",
        function: SHA3_256,
        len: 32,
        answers: [
            &hex::<32>("a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"),
            &hex::<32>("79f38adec5c20307a98ef76e8324afbfd46cfd81b22e3973c65fa1bd9de31787"),
        ],
    },
    Keccak {
        name: "SHA3-512",
        kind: "hash",
        function: SHA3_512,
        len: 64,
        answers: [
            &hex::<64>(
                "a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a6\
                 15b2123af1f5f94c11e3e9402c3ac558f500199d95b6d3e301758586281dcd26",
            ),
            &hex::<64>(
                "e76dfad22084a8b1467fcf2ffa58361bec7628edf5f3fdc0e4805dc48caeeca8\
                 1b7c13c30adf52a3659584739a2df46be589c51ca1a4a8416df6545a1ce8ba00",
            ),
        ],
    },
    Keccak {
        name: "SHAKE128",
        kind: "extendable output",
        function: SHAKE128,
        len: 512,
        answers: [
            &hex::<32>("43e41b45a653f2a5c4492c1add544512dda2529833462b71a41a45be97290b6f"),
            &hex::<32>("44c9fb359fd56ac0a9a75a743cff6862f17d7259ab075216c0699511643b6439"),
        ],
    },
    Keccak {
        name: "SHAKE256",
        kind: "extendable output",
        function: SHAKE256,
        len: 512,
        answers: [
            &hex::<32>("ab0bae316339894304e35877b0c28a9b1fd166c796b9cc258a064a8f57e27f2a"),
            &hex::<32>("6a1a9d7846436e4dca5728b6f760eef0ca92bf0be5615e96959d767197a0beeb"),
        ],
    },
];

impl Keccak {
    fn results(&self, backend: Backend) -> [bool; 2] {
        let messages: [&[u8]; 2] = [&[], &[0xa3; 200]];
        std::array::from_fn(|i| {
            let mut out = vec![0; self.len];
            symmetric::hash(backend, self.function, messages[i], &mut out);
            out.ends_with(self.answers[i])
        })
    }
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
    /// Seals to the known answer, opens it again, and refuses it with any byte of the tag changed;
    /// none where the case has associated data, and the kernels take none.
    fn passes(&self, cipher: Option<Cipher>) -> Option<bool> {
        match cipher {
            Some(_) if !self.aad.is_empty() => None,
            Some(cipher) => {
                let gcm = kernels::Aes256Gcm::new(cipher, &self.key);
                Some(self.passes_with(
                    |text| gcm.seal(&self.nonce, text),
                    |text, tag| gcm.open(&self.nonce, text, tag),
                ))
            }
            None => {
                let gcm = Aes256Gcm::new(&self.key.into());
                let (nonce, aad) = (self.nonce.into(), self.aad);
                Some(self.passes_with(
                    |text| {
                        let sealed = gcm.encrypt_inout_detached(&nonce, aad, text.into());
                        sealed.map_or([0; 16], Into::into)
                    },
                    |text, tag| {
                        let opened =
                            gcm.decrypt_inout_detached(&nonce, aad, text.into(), tag.into());
                        opened.is_ok()
                    },
                ))
            }
        }
    }

    fn passes_with(
        &self,
        seal: impl Fn(&mut [u8]) -> [u8; 16],
        open: impl Fn(&mut [u8], &[u8; 16]) -> bool,
    ) -> bool {
        let opens = |tag: [u8; 16]| {
            let mut text = self.ciphertext.to_vec();
            open(&mut text, &tag).then_some(text)
        };
        let mut text = self.plaintext.to_vec();
        seal(&mut text) == self.tag
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
    fn keccak_passes_and_changed_answers_do_not() {
        for backend in Backend::available() {
            for case in &KECCAK {
                assert_eq!(case.results(backend), [true; 2], "{}", case.name);
                let [empty, long] = case.answers;
                let swapped = Keccak {
                    answers: [long, empty],
                    ..*case
                };
                assert_eq!(swapped.results(backend), [false; 2], "{}", case.name);
            }
        }
    }

    #[test]
    fn gcm_passes_and_changed_answers_do_not() {
        let kernels = Backend::available().flat_map(Cipher::of).map(Some);
        for cipher in kernels.chain([None]) {
            let results: Vec<_> = GCM.iter().filter_map(|case| case.passes(cipher)).collect();
            assert!(results.len() >= 3 && !results.contains(&false));
            for case in &GCM {
                let mut tag = case.tag;
                tag[15] ^= 0x80;
                let bad_tag = Gcm { tag, ..*case };
                assert_ne!(bad_tag.passes(cipher), Some(true));
                let bad_nonce = Gcm {
                    nonce: [7; 12],
                    ..*case
                };
                assert_ne!(bad_nonce.passes(cipher), Some(true));
            }
        }
    }
}
