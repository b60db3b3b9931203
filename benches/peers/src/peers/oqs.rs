//! The liboqs that oqs-sys brings, as a DIST build: it chooses by the CPU at run time.

use crate::case::{Cases, M, Op, array, seed};
use oqs_sys::kem::{OQS_KEM, OQS_KEM_decaps, OQS_KEM_encaps, OQS_KEM_keypair_derand, OQS_KEM_new};
use oqs_sys::rand::OQS_randombytes_custom_algorithm;
use std::ffi::CStr;

pub const ABOUT: &str = "liboqs, DIST build: mlkem-native's AVX2 arithmetic, AVX2 Keccak; all \
    checks; keys are bytes";

/// Gives m, so that the system's randomness is not timed.
unsafe extern "C" fn fixed(bytes: *mut u8, len: usize) {
    assert!(len == M.len(), "encapsulation alone is random here");
    // SAFETY: liboqs passes a buffer of `len` bytes, which is M's length.
    unsafe { bytes.copy_from_nonoverlapping(M.as_ptr(), len) };
}

fn add_set<const EK: usize, const DK: usize, const C: usize>(cases: &mut Cases<'_>, name: &CStr) {
    let known = cases.known;
    let (ek, dk, c): (&[u8; EK], &[u8; DK], &[u8; C]) =
        (array(&known.ek), array(&known.dk), array(&known.c));
    let seed = seed();
    // SAFETY: the function pointer has the type and does what liboqs asks of it.
    unsafe { OQS_randombytes_custom_algorithm(Some(fixed)) };
    // SAFETY: the name is a string that ends in zero.
    let kem: *const OQS_KEM = unsafe { OQS_KEM_new(name.as_ptr()) };
    // SAFETY: liboqs returns null or a pointer to a value that lives until it is freed, which it
    // is not.
    let kem: &'static OQS_KEM = unsafe { kem.as_ref() }.expect("built in");
    let lengths = (
        kem.length_public_key,
        kem.length_secret_key,
        kem.length_ciphertext,
    );
    assert_eq!(lengths, (EK, DK, C));

    cases.add(
        Op::Keygen,
        move || {
            let (mut ek, mut dk) = ([0; EK], [0; DK]);
            // SAFETY: the arrays have the lengths compared above, the seed is of 64 bytes.
            unsafe { OQS_KEM_keypair_derand(kem, ek.as_mut_ptr(), dk.as_mut_ptr(), seed.as_ptr()) };
            (ek, dk)
        },
        |(ek, dk)| [&ek[..], &dk].concat(),
    );
    cases.add(
        Op::EncapsRaw,
        move || {
            let (mut c, mut k) = ([0; C], [0; 32]);
            // SAFETY: the arrays have the lengths compared above.
            unsafe { OQS_KEM_encaps(kem, c.as_mut_ptr(), k.as_mut_ptr(), ek.as_ptr()) };
            (k, c)
        },
        |(k, c)| [&k[..], &c].concat(),
    );
    cases.add(
        Op::DecapsRaw,
        move || {
            let mut k = [0; 32];
            // SAFETY: the arrays have the lengths compared above.
            unsafe { OQS_KEM_decaps(kem, k.as_mut_ptr(), c.as_ptr(), dk.as_ptr()) };
            k
        },
        |k| k.to_vec(),
    );
}

pub fn add(cases: &mut Cases<'_>) {
    match cases.known.set {
        512 => add_set::<800, 1632, 768>(cases, c"ML-KEM-512"),
        768 => add_set::<1184, 2400, 1088>(cases, c"ML-KEM-768"),
        _ => add_set::<1568, 3168, 1568>(cases, c"ML-KEM-1024"),
    }
}
