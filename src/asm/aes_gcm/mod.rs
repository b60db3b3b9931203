//! AES-256-GCM (FIPS 197, SP 800-38D), in place, with nonces of 96 bits and no associated data.
//!
//! The algorithm is written once, in [`gcm`], over vectors of one, two or four blocks
//! ([`blocks::Blocks`]). What a CPU has decides which vectors; where it has none of them, there is
//! no [`Cipher`].

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod blocks;
mod gcm;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use super::ct;
use super::dispatch::{Backend, Token};
use gcm::Key;

/// Bytes of a tag.
const TAG_LEN: usize = 16;

/// A kind of vectors, and the proof that this CPU has the instructions.
trait Kernels: Copy {
    /// What the self-test calls it.
    const NAME: &'static str;

    /// The token, if this CPU can run it.
    fn detect() -> Option<Self>;

    /// The round keys, and the powers of the hash key.
    /// Time:   independent of the key.
    /// Checked by: `asm::aes_gcm::tests`.
    fn expand(self, key: &[u8; 32]) -> Key;

    /// Encrypts `data`, and gives the tag.
    /// Bounds: less than 2^32 - 1 blocks.
    /// Time:   depends on the length alone.
    /// Checked by: `asm::aes_gcm::tests`.
    fn seal(self, key: &Key, nonce: &[u8; 12], data: &mut [u8]) -> [u8; TAG_LEN];

    /// Decrypts `data`, and gives the tag that it should have had.
    /// Bounds: less than 2^32 - 1 blocks.
    /// Time:   depends on the length alone.
    /// Checked by: `asm::aes_gcm::tests`.
    fn open(self, key: &Key, nonce: &[u8; 12], data: &mut [u8]) -> [u8; TAG_LEN];
}

macro_rules! ciphers {
    ($($(#[$arch:meta])* $name:ident = $kernels:path;)*) => {
        /// An implementation that this CPU can run.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Cipher {
            $($(#[$arch])* $name($kernels),)*
        }

        /// Runs the expression with `k` bound to the kernels of a [`Cipher`], in a time independent
        /// of data as far as the CPU has to be asked for it.
        macro_rules! on_cipher {
            ($cipher:expr, $k:ident => $body:expr) => {{
                let _timing = super::timing::DataIndependentTiming::begin();
                match $cipher {
                    $($(#[$arch])* Cipher::$name($k) => $body,)*
                }
            }};
        }

        impl Cipher {
            /// All that this build has, the fastest first; `None` where the CPU lacks it.
            fn all() -> impl Iterator<Item = Option<Self>> {
                let detect: [fn() -> Option<Self>; _] =
                    [$($(#[$arch])* || <$kernels>::detect().map(Self::$name),)*];
                detect.into_iter().map(|detect| detect())
            }
        }
    };
}

ciphers! {
    #[cfg(target_arch = "x86_64")]
    Vaes512 = x86_64::Vaes512;
    #[cfg(target_arch = "x86_64")]
    Vaes256 = x86_64::Vaes256;
    #[cfg(target_arch = "x86_64")]
    AesNi = x86_64::AesNi;
    #[cfg(target_arch = "aarch64")]
    Arm = aarch64::Arm;
}

impl Cipher {
    /// Those of a backend that this CPU has, the fastest first.
    pub(crate) fn of(backend: Backend) -> impl Iterator<Item = Self> {
        Self::all()
            .flatten()
            .filter(move |cipher| match (backend.0, cipher) {
                (Token::Portable(_), _) => false,
                #[cfg(target_arch = "x86_64")]
                (Token::Avx2(_), Self::Vaes512(_)) => false,
                #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
                _ => true,
            })
    }

    /// Its name, for example `vaes512`.
    pub(crate) fn name(self) -> &'static str {
        const fn name_of<K: Kernels>(_: K) -> &'static str {
            K::NAME
        }
        on_cipher!(self, k => name_of(k))
    }
}

/// A key, expanded for one implementation. Zeroized when dropped.
pub(crate) struct Aes256Gcm {
    cipher: Cipher,
    key: Key,
}

impl Aes256Gcm {
    pub(crate) fn new(cipher: Cipher, key: &[u8; 32]) -> Self {
        Self {
            cipher,
            key: on_cipher!(cipher, k => k.expand(key)),
        }
    }

    /// Encrypts `data` and gives the tag. A nonce is for one call.
    ///
    /// # Panics
    /// If `data` is longer than GCM allows (64 GiB).
    pub(crate) fn seal(&self, nonce: &[u8; 12], data: &mut [u8]) -> [u8; TAG_LEN] {
        assert_is_short(data);
        on_cipher!(self.cipher, k => k.seal(&self.key, nonce, data))
    }

    /// Decrypts `data` if `tag` is its tag, and says whether it is. If not, `data` is as it was
    /// when this returns.
    ///
    /// # Panics
    /// If `data` is longer than GCM allows (64 GiB).
    pub(crate) fn open(&self, nonce: &[u8; 12], data: &mut [u8], tag: &[u8; TAG_LEN]) -> bool {
        assert_is_short(data);
        on_cipher!(self.cipher, k => {
            let authentic = ct::equal(&k.open(&self.key, nonce, data), tag).is_set();
            if !authentic {
                // The same key stream once more.
                k.seal(&self.key, nonce, data);
            }
            authentic
        })
    }
}

/// SP 800-38D section 5.2.1.1: a counter of 32 bits, of which the first two values are not for data.
fn assert_is_short(data: &[u8]) {
    assert!(
        data.len() as u64 <= (1 << 36) - 32,
        "one message has at most 64 GiB"
    );
}
