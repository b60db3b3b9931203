//! Secret keys under a passphrase: PKCS#8 EncryptedPrivateKeyInfo with PBES2 (RFC 8018).

use crate::Error;
use crate::hybrid::passphrase::Passphrase;
use pkcs8::der::asn1::OctetStringRef;
use pkcs8::der::{self, Decode, ErrorKind};
use pkcs8::pkcs5::pbes2::{Kdf, Parameters, Pbkdf2Params, ScryptParams};
use pkcs8::pkcs5::{self, EncryptionScheme, scrypt};
use pkcs8::{EncryptedPrivateKeyInfo, EncryptedPrivateKeyInfoRef, SecretDocument};
use rand::TryCryptoRng;
use zeroize::Zeroizing;

// scrypt as it is written here. N = 2^14 and r = 8 take 16 MiB, the most that fits the 32 MiB
// which OpenSSL allows scrypt unless told otherwise (N = 2^15 takes all of it and a little more, and
// fails); p = 5 makes up in time for what that lacks in memory, as OWASP's table has it. Fixed, not
// measured: a key made on a fast machine has to be readable on a slow one.
const LOG_N: u8 = 14;
const R: u32 = 8;
const P: u32 = 5;

// What a key file may ask for: a few seconds and 256 MiB. Whoever can write a key file could
// otherwise stop the program for hours, before any passphrase is known to be right.

/// scrypt takes 128 N r bytes.
const MAX_SCRYPT_MEMORY: u64 = 256 << 20;
/// scrypt takes time proportional to N r p. Written here: 2^14 * 8 * 5, a twelfth of this.
const MAX_SCRYPT_WORK: u64 = 1 << 23;
/// OpenSSL writes 2048, OWASP recommends 600,000.
const MAX_PBKDF2_ITERATIONS: u64 = 10_000_000;

/// Encrypts a PrivateKeyInfo by scrypt and AES-256-CBC.
pub(super) fn encrypt(
    info: &SecretDocument,
    passphrase: &[u8],
    rng: &mut impl TryCryptoRng,
) -> Result<SecretDocument, Error> {
    let (mut salt, mut iv) = ([0; 16], [0; 16]);
    rng.try_fill_bytes(&mut salt).map_err(|_| Error::Rng)?;
    rng.try_fill_bytes(&mut iv).map_err(|_| Error::Rng)?;
    let cost = scrypt::Params::new(LOG_N, R, P).expect("in scrypt's range");
    let scheme = Parameters::generate_scrypt_aes256cbc(cost, &salt, iv).expect("in scrypt's range");
    let encrypted = scheme
        .encrypt(passphrase, info.as_bytes())
        .expect("a key is short");
    let info = EncryptedPrivateKeyInfo {
        encryption_algorithm: EncryptionScheme::Pbes2(scheme),
        encrypted_data: OctetStringRef::new(&encrypted).expect("a key is short"),
    };
    Ok(SecretDocument::encode_msg(&info).expect("a key is short"))
}

/// Decrypts an EncryptedPrivateKeyInfo: PBES2 with scrypt or PBKDF2 (HMAC-SHA-2), AES-CBC or
/// AES-GCM.
///
/// CBC does not authenticate. A wrong passphrase shows as bad padding, or, one time in 256, as
/// something that is no key.
pub(super) fn decrypt(
    der: &[u8],
    passphrase: &Passphrase<'_>,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let info = EncryptedPrivateKeyInfoRef::from_der(der).map_err(|error| match error.kind() {
        ErrorKind::OidUnknown { .. } => Error::PassphraseScheme,
        _ => Error::KeyDamaged("no PKCS#8 encrypted private key in its DER"),
    })?;
    let EncryptionScheme::Pbes2(scheme) = info.encryption_algorithm else {
        return Err(Error::PassphraseScheme);
    };
    match &scheme.kdf {
        Kdf::Scrypt(params) => check_scrypt(params, passphrase)?,
        Kdf::Pbkdf2(params) => check_pbkdf2(params, passphrase)?,
        _ => return Err(Error::PassphraseScheme),
    }
    let mut data = Zeroizing::new(info.encrypted_data.as_bytes().to_vec());
    let len = scheme
        .decrypt_in_place(passphrase.as_bytes(), &mut data)
        .map_err(|error| match error {
            pkcs5::Error::DecryptFailed => Error::WrongPassphrase,
            _ => Error::PassphraseScheme,
        })?
        .len();
    data.truncate(len);
    // One document and nothing after it; what the document says is not the passphrase's affair.
    match der::AnyRef::from_der(&data) {
        Ok(_) => Ok(data),
        Err(_) => Err(Error::WrongPassphrase),
    }
}

fn check_scrypt(params: &ScryptParams, passphrase: &Passphrase<'_>) -> Result<(), Error> {
    let (n, r, p) = (
        params.cost_parameter,
        u64::from(params.block_size),
        u64::from(params.parallelization),
    );
    // The decoder takes any integers; scrypt, powers of two.
    if n < 2 || !n.is_power_of_two() || r == 0 || p == 0 {
        return Err(Error::KeyDamaged("scrypt parameters that make no sense"));
    }
    let memory = n.saturating_mul(128 * r);
    passphrase.check("bytes of memory for scrypt", MAX_SCRYPT_MEMORY, memory)?;
    let work = n.saturating_mul(r * p);
    passphrase.check("units of work for scrypt", MAX_SCRYPT_WORK, work)
}

fn check_pbkdf2(params: &Pbkdf2Params, passphrase: &Passphrase<'_>) -> Result<(), Error> {
    match u64::from(params.iteration_count) {
        0 => Err(Error::KeyDamaged("PBKDF2 without an iteration")),
        count => passphrase.check("PBKDF2 iterations", MAX_PBKDF2_ITERATIONS, count),
    }
}
