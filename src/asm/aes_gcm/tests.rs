//! Every implementation against the crate `aes-gcm`. Wycheproof's vectors are in `hybrid/aead.rs`.

use super::*;
use aes_gcm::{AeadInOut, KeyInit};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// What this CPU can run. On one that has no AES instructions, there is nothing here to test.
fn ciphers() -> Vec<Cipher> {
    Cipher::all().flatten().collect()
}

/// What the crate makes of it.
fn expected(key: &[u8; 32], nonce: &[u8; 12], data: &[u8]) -> (Vec<u8>, [u8; TAG_LEN]) {
    let mut data = data.to_vec();
    let tag = aes_gcm::Aes256Gcm::new(key.into())
        .encrypt_inout_detached(nonce.into(), &[], data.as_mut_slice().into())
        .expect("short");
    (data, tag.into())
}

fn seals_and_opens(cipher: Cipher, key: &[u8; 32], nonce: &[u8; 12], plain: &[u8]) {
    let context = || format!("{} {}", cipher.name(), plain.len());
    let (sealed, tag) = expected(key, nonce, plain);
    let gcm = Aes256Gcm::new(cipher, key);
    let mut data = plain.to_vec();
    assert_eq!(gcm.seal(nonce, &mut data), tag, "{}", context());
    assert!(data == sealed, "{}", context());
    assert!(gcm.open(nonce, &mut data, &tag), "{}", context());
    assert!(data == plain, "{}", context());
}

/// Every length up to 4 KiB, and those around a chunk's.
#[test]
fn agrees_with_the_crate_at_every_length() {
    let mut rng = StdRng::seed_from_u64(5);
    let message: Vec<u8> = (0..17_000).map(|_| rng.random()).collect();
    for cipher in ciphers() {
        for len in (0..=4096).chain(16_000..17_000) {
            let (key, nonce) = (rng.random(), rng.random());
            seals_and_opens(cipher, &key, &nonce, &message[..len]);
        }
    }
}

/// Keys and messages for which carries and reductions are all or nothing.
#[test]
fn agrees_with_the_crate_on_extremes() {
    for cipher in ciphers() {
        for byte in [0, 1, 0x80, 0xff] {
            for len in [0, 1, 16, 128, 512, 513, 1024, 16384] {
                seals_and_opens(cipher, &[byte; 32], &[!byte; 12], &vec![byte; len]);
            }
        }
    }
}

/// Whatever is changed, it does not open, and is as it was.
#[test]
fn what_was_changed_does_not_open() {
    let mut rng = StdRng::seed_from_u64(6);
    let (key, nonce) = (rng.random(), rng.random());
    for cipher in ciphers() {
        let gcm = Aes256Gcm::new(cipher, &key);
        for len in [0, 1, 15, 16, 17, 128, 511, 512, 1023, 1024, 16384] {
            let mut sealed: Vec<u8> = (0..len).map(|_| rng.random()).collect();
            let tag = gcm.seal(&nonce, &mut sealed);
            for bit in 0..128 {
                let mut tag = tag;
                tag[bit >> 3] ^= 1 << (bit & 7);
                let mut data = sealed.clone();
                assert!(!gcm.open(&nonce, &mut data, &tag), "{len} {bit}");
                assert!(data == sealed, "{len} {bit}");
            }
            for _ in 0..len.min(20) {
                let mut changed = sealed.clone();
                changed[rng.random_range(0..len)] ^= 1 << rng.random_range(0..8);
                let mut data = changed.clone();
                assert!(!gcm.open(&nonce, &mut data, &tag), "{len}");
                assert!(data == changed, "{len}");
            }
        }
    }
}

/// The portable backend has the crate alone; the others have what the CPU has.
#[test]
fn backends_choose() {
    for backend in Backend::available() {
        let names: Vec<_> = Cipher::of(backend).map(Cipher::name).collect();
        match backend.name() {
            "portable" => assert!(names.is_empty()),
            "avx2" => assert!(!names.contains(&"vaes512")),
            _ => assert_eq!(names.len(), ciphers().len()),
        }
    }
}
