//! AWS-LC, which aws-lc-rs wraps, through its own interface: the wrapper has no function that takes
//! the randomness.

use crate::case::{Cases, M, Op, seed};
use aws_lc_sys::*;
use std::ffi::c_int;
use std::ptr::null_mut;

pub const ABOUT: &str = "mlkem-native's AVX2 arithmetic; all checks, at each use; a parsed key \
    keeps the bytes";

/// A key, owned.
struct Key(*mut EVP_PKEY);

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: the pointer came from AWS-LC, which counts references, and holds one.
        unsafe { EVP_PKEY_free(self.0) };
    }
}

impl Key {
    /// The bytes that one of the two functions for them gives.
    fn raw(
        &self,
        get: unsafe extern "C" fn(*const EVP_PKEY, *mut u8, *mut usize) -> c_int,
    ) -> Vec<u8> {
        let mut bytes = vec![0; 4096];
        let mut len = bytes.len();
        // SAFETY: the buffer has `len` bytes.
        let done = unsafe { get(self.0, bytes.as_mut_ptr(), &mut len) };
        assert!(done == 1, "AWS-LC refused");
        bytes.truncate(len);
        bytes
    }
}

/// What operations run in, owned.
struct Context(*mut EVP_PKEY_CTX);

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the pointer came from AWS-LC and is not used again.
        unsafe { EVP_PKEY_CTX_free(self.0) };
    }
}

impl Context {
    fn keygen(nid: c_int) -> Self {
        // SAFETY: no engine is passed, and AWS-LC checks the rest.
        let context = unsafe { EVP_PKEY_CTX_new_id(EVP_PKEY_KEM, null_mut()) };
        // SAFETY: AWS-LC refuses a null context.
        let ready = unsafe { EVP_PKEY_CTX_kem_set_params(context, nid) };
        // SAFETY: as above.
        let begun = unsafe { EVP_PKEY_keygen_init(context) };
        assert!((ready, begun) == (1, 1), "AWS-LC refused");
        Self(context)
    }

    /// Of a key that `new` makes of bytes. The context holds a reference to the key.
    fn parse(
        nid: c_int,
        bytes: &[u8],
        new: unsafe extern "C" fn(c_int, *const u8, usize) -> *mut EVP_PKEY,
    ) -> Self {
        // SAFETY: pointer and length are those of one slice.
        let key = Key(unsafe { new(nid, bytes.as_ptr(), bytes.len()) });
        // SAFETY: AWS-LC refuses a null key.
        let context = unsafe { EVP_PKEY_CTX_new(key.0, null_mut()) };
        assert!(!context.is_null(), "AWS-LC refused");
        Self(context)
    }

    fn generate(&self, seed: &[u8; 64]) -> Key {
        let (mut key, mut len) = (null_mut(), seed.len());
        // SAFETY: the seed has `len` bytes.
        let done =
            unsafe { EVP_PKEY_keygen_deterministic(self.0, &mut key, seed.as_ptr(), &mut len) };
        assert!(done == 1, "AWS-LC refused");
        Key(key)
    }

    fn encapsulate<const C: usize>(&self) -> ([u8; 32], [u8; C]) {
        let (mut k, mut c) = ([0; 32], [0; C]);
        let (mut k_len, mut c_len, mut m_len) = (k.len(), C, M.len());
        // SAFETY: each length is that of the array beside it.
        let done = unsafe {
            EVP_PKEY_encapsulate_deterministic(
                self.0,
                c.as_mut_ptr(),
                &mut c_len,
                k.as_mut_ptr(),
                &mut k_len,
                M.as_ptr(),
                &mut m_len,
            )
        };
        assert!(done == 1, "AWS-LC refused");
        (k, c)
    }

    fn decapsulate(&self, c: &[u8]) -> [u8; 32] {
        let mut k = [0; 32];
        let mut k_len = k.len();
        // SAFETY: each length is that of the array or slice beside it.
        let done = unsafe {
            EVP_PKEY_decapsulate(self.0, k.as_mut_ptr(), &mut k_len, c.as_ptr(), c.len())
        };
        assert!(done == 1, "AWS-LC refused");
        k
    }
}

fn add_set<const C: usize>(cases: &mut Cases<'_>, nid: c_int) {
    let known = cases.known;
    let parse_ek = move || Context::parse(nid, &known.ek, EVP_PKEY_kem_new_raw_public_key);
    let parse_dk = move || Context::parse(nid, &known.dk, EVP_PKEY_kem_new_raw_secret_key);
    let (keygen, ek, dk) = (Context::keygen(nid), parse_ek(), parse_dk());
    let seed = seed();

    cases.add(
        Op::Keygen,
        move || keygen.generate(&seed),
        |key| {
            [
                key.raw(EVP_PKEY_get_raw_public_key),
                key.raw(EVP_PKEY_get_raw_private_key),
            ]
            .concat()
        },
    );
    cases.add(
        Op::EncapsRaw,
        move || parse_ek().encapsulate::<C>(),
        |(k, c)| [&k[..], &c].concat(),
    );
    cases.add(
        Op::DecapsRaw,
        move || parse_dk().decapsulate(&known.c),
        |k| k.to_vec(),
    );
    cases.add(
        Op::EncapsParsed,
        move || ek.encapsulate::<C>(),
        |(k, c)| [&k[..], &c].concat(),
    );
    cases.add(
        Op::DecapsParsed,
        move || dk.decapsulate(&known.c),
        |k| k.to_vec(),
    );
}

pub fn add(cases: &mut Cases<'_>) {
    match cases.known.set {
        512 => add_set::<768>(cases, NID_MLKEM512),
        768 => add_set::<1088>(cases, NID_MLKEM768),
        _ => add_set::<1568>(cases, NID_MLKEM1024),
    }
}
