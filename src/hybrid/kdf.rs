//! HMAC-SHA-512, and HKDF-Expand (RFC 5869 section 2.3) over it.
//!
//! Not by the crate `hkdf`: it refuses a key shorter than the hash, as RFC 5869 would have it, and
//! C2SP chunked-encryption expands 32-byte keys. HMAC is a PRF under those just as well.

use crate::Secret;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha512;
use zeroize::Zeroize;

/// HMAC-SHA-512 under `key`, to be fed.
pub(super) fn hmac_sha512(key: &Secret<32>) -> Hmac<Sha512> {
    Hmac::new_from_slice(key.as_bytes()).expect("HMAC takes a key of any length")
}

/// HKDF-Expand-SHA-512: fills `out` from `key` and the concatenation of `info`.
///
/// # Panics
/// If `out` is longer than 255 blocks of 64 bytes.
pub(super) fn hkdf_expand_sha512(key: &Secret<32>, info: &[&[u8]], out: &mut [u8]) {
    let prf = hmac_sha512(key);
    let mut block = hmac::digest::Output::<Hmac<Sha512>>::default();
    for (i, out) in out.chunks_mut(64).enumerate() {
        let mut prf = prf.clone();
        if i > 0 {
            prf.update(&block);
        }
        info.iter().for_each(|part| prf.update(part));
        prf.update(&[u8::try_from(i + 1).expect("at most 255 blocks")]);
        block = prf.finalize().into_bytes();
        out.copy_from_slice(&block[..out.len()]);
    }
    block.zeroize();
}

#[cfg(test)]
mod tests {
    use super::*;
    use hkdf::Hkdf;

    /// What both sides can do: keys of 64 bytes and more. HMAC pads a key with zeros up to its
    /// block of 128 bytes, so that the same key, padded to 64, has to give the same.
    #[test]
    fn against_the_crate() {
        let key = [0x5a; 32];
        let mut padded = [0; 64];
        padded[..32].copy_from_slice(&key);
        let reference = Hkdf::<Sha512>::from_prk(&padded).unwrap();
        for len in [0, 1, 32, 63, 64, 65, 76, 128, 129, 255 * 64] {
            let (mut want, mut got) = (vec![0; len], vec![0; len]);
            reference.expand(b"some information", &mut want).unwrap();
            hkdf_expand_sha512(&Secret::from(&key), &[b"some ", b"information"], &mut got);
            assert_eq!(got, want, "{len}");
        }
    }
}
