//! HPKE, base mode, single shot (draft-ietf-hpke-hpke), with a one-stage KDF (draft-ietf-hpke-pq).
//!
//! The KEMs of ML-KEM are ML-KEM itself: enc is the ciphertext, and the shared secret goes into
//! the key schedule as it is. So this file begins where the shared secret is known.

use super::aead::{Aes256Gcm, KEY_LEN, NONCE_LEN, TAG_LEN, Unauthentic};
use crate::Secret;
use crate::kem::SharedSecret;
use shake::Shake256;
use shake::digest::{ExtendableOutput, Update, XofReader};

/// The KDF SHAKE256, draft-ietf-hpke-pq section 5.
const KDF_ID: u16 = 0x0011;
/// AES-256-GCM, draft-ietf-hpke-hpke section 7.3.
const AEAD_ID: u16 = 0x0002;
/// Nh of SHAKE256: bytes of the exporter secret.
const EXPORTER_LEN: usize = 64;
const MODE_BASE: u8 = 0;

/// "HPKE" || kem_id || kdf_id || aead_id.
type SuiteId = [u8; 10];

/// What the key schedule gives. A single shot exports nothing, so the exporter secret is missing.
struct Context {
    key: Secret<KEY_LEN>,
    /// The nonce of the first message, and there is no second one.
    base_nonce: Secret<NONCE_LEN>,
}

fn suite_id(kem_id: u16) -> SuiteId {
    let mut id = *b"HPKE______";
    for (two, value) in id[4..].chunks_exact_mut(2).zip([kem_id, KDF_ID, AEAD_ID]) {
        two.copy_from_slice(&value.to_be_bytes());
    }
    id
}

/// SHAKE256.LabeledDerive(ikm, label, context, len), for the caller to read as much of as it wants.
/// `ikm` and `context` come in parts.
fn labeled_derive(
    suite_id: &[u8],
    ikm: &[&[u8]],
    label: &[u8],
    context: &[&[u8]],
    len: u16,
) -> impl XofReader + use<> {
    let mut shake = Shake256::default();
    ikm.iter().for_each(|part| shake.update(part));
    shake.update(b"HPKE-v1");
    shake.update(suite_id);
    shake.update(&length(label));
    shake.update(label);
    shake.update(&len.to_be_bytes());
    context.iter().for_each(|part| shake.update(part));
    shake.finalize_xof()
}

/// I2OSP(len(bytes), 2).
fn length(bytes: &[u8]) -> [u8; 2] {
    u16::try_from(bytes.len())
        .expect("labels, secrets and info are short")
        .to_be_bytes()
}

/// KeySchedule with CombineSecrets_OneStage in base mode, where psk and psk_id are empty.
fn key_schedule(suite_id: &SuiteId, shared_secret: &[u8], info: &[u8]) -> Context {
    let no_psk = length(&[]);
    // The whole output has this length, and the length is part of what is hashed; but an
    // extendable output is read from its beginning, and the exporter secret is the end of it.
    let len = (KEY_LEN + NONCE_LEN + EXPORTER_LEN) as u16;
    let mut secret = labeled_derive(
        suite_id,
        &[&no_psk, &length(shared_secret), shared_secret],
        b"secret",
        &[&[MODE_BASE], &no_psk, &length(info), info],
        len,
    );
    let mut context = Context {
        key: Secret::zeroed(),
        base_nonce: Secret::zeroed(),
    };
    secret.read(context.key.as_mut_bytes());
    secret.read(context.base_nonce.as_mut_bytes());
    context
}

/// SealBase with an empty aad: encrypts `message` in place and gives the tag.
pub(super) fn seal(
    kem_id: u16,
    shared_secret: &SharedSecret,
    info: &[u8],
    message: &mut [u8],
) -> [u8; TAG_LEN] {
    let context = key_schedule(&suite_id(kem_id), shared_secret.as_bytes(), info);
    Aes256Gcm::new(&context.key).seal(context.base_nonce.as_bytes(), message)
}

/// OpenBase with an empty aad: decrypts `sealed` in place and gives the message.
pub(super) fn open<'a>(
    kem_id: u16,
    shared_secret: &SharedSecret,
    info: &[u8],
    sealed: &'a mut [u8],
) -> Result<&'a mut [u8], Unauthentic> {
    let context = key_schedule(&suite_id(kem_id), shared_secret.as_bytes(), info);
    let (message, tag) = sealed.split_last_chunk_mut().ok_or(Unauthentic)?;
    Aes256Gcm::new(&context.key).open(context.base_nonce.as_bytes(), message, tag)?;
    Ok(message)
}

#[cfg(test)]
mod tests;
