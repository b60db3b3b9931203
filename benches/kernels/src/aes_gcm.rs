//! AES-256-GCM on the chunk of a sealed file, beside AWS-LC and the crate `aes-gcm`.

use crate::Meter;
use crate::asm::aes_gcm::{Aes256Gcm, Cipher};
use crate::asm::dispatch::Backend;
use aes_gcm::{AeadInOut, KeyInit};
use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};

const KEY: [u8; 32] = [7; 32];
const NONCE: [u8; 12] = [3; 12];
const TAG: usize = 16;
/// Plaintext in a chunk.
const LEN: usize = 16 << 10;

/// Those of the fastest backend, which may use all that the CPU has.
pub(crate) fn kernels(m: &mut Meter) {
    let fastest = Backend::available().next().expect("there is a backend");
    for cipher in Cipher::of(fastest) {
        let gcm = Aes256Gcm::new(cipher, &KEY);
        both(
            m,
            cipher.name(),
            |data| gcm.seal(&NONCE, data),
            |data, tag| gcm.open(&NONCE, data, tag),
        );
    }
    let key = UnboundKey::new(&AES_256_GCM, &KEY).expect("32 bytes");
    let key = LessSafeKey::new(key);
    let nonce = || Nonce::assume_unique_for_key(NONCE);
    both(
        m,
        "aws-lc-rs",
        |data| {
            let tag = key.seal_in_place_separate_tag(nonce(), Aad::empty(), data);
            tag.expect("it is short")
                .as_ref()
                .try_into()
                .expect("16 bytes")
        },
        |data, tag| {
            let opened = key.open_in_place_separate_tag(nonce(), Aad::empty(), tag, data);
            opened.is_ok()
        },
    );
    let key = aes_gcm::Aes256Gcm::new(&KEY.into());
    both(
        m,
        "aes-gcm",
        |data| {
            let tag = key.encrypt_inout_detached(&NONCE.into(), &[], data.into());
            tag.expect("it is short").into()
        },
        |data, tag| {
            let opened = key.decrypt_inout_detached(&NONCE.into(), &[], data.into(), tag.into());
            opened.is_ok()
        },
    );
}

/// Seals, over and over, what was sealed; and seals and opens by turns, of which the first is then
/// to be taken away.
fn both(
    m: &mut Meter,
    name: &str,
    seal: impl Fn(&mut [u8]) -> [u8; TAG],
    open: impl Fn(&mut [u8], &[u8; TAG]) -> bool,
) {
    let mut data = vec![1; LEN];
    m.kernel(&format!("aes_gcm seal of 16 KiB/{name}"), || {
        seal(&mut data)
    });
    m.kernel(&format!("aes_gcm seal and open of 16 KiB/{name}"), || {
        let tag = seal(&mut data);
        assert!(open(&mut data, &tag));
    });
}
