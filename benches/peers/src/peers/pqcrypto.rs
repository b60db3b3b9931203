//! PQClean's C and assembly for AVX2, through the functions that take the randomness: the crate
//! itself offers only those that ask the system for it.

use crate::case::{Cases, M, Op, array, seed};
use pqcrypto_mlkem as _;
use std::ffi::c_int;

pub const ABOUT: &str = "AVX2; makes no checks; keys are bytes";

macro_rules! declare {
    ($($keygen:ident, $encaps:ident, $decaps:ident;)*) => {
        unsafe extern "C" {
            $(
                fn $keygen(ek: *mut u8, dk: *mut u8, seed: *const u8) -> c_int;
                fn $encaps(c: *mut u8, k: *mut u8, ek: *const u8, m: *const u8) -> c_int;
                fn $decaps(k: *mut u8, c: *const u8, dk: *const u8) -> c_int;
            )*
        }
    };
}

declare! {
    PQCLEAN_MLKEM512_AVX2_crypto_kem_keypair_derand,
    PQCLEAN_MLKEM512_AVX2_crypto_kem_enc_derand,
    PQCLEAN_MLKEM512_AVX2_crypto_kem_dec;
    PQCLEAN_MLKEM768_AVX2_crypto_kem_keypair_derand,
    PQCLEAN_MLKEM768_AVX2_crypto_kem_enc_derand,
    PQCLEAN_MLKEM768_AVX2_crypto_kem_dec;
    PQCLEAN_MLKEM1024_AVX2_crypto_kem_keypair_derand,
    PQCLEAN_MLKEM1024_AVX2_crypto_kem_enc_derand,
    PQCLEAN_MLKEM1024_AVX2_crypto_kem_dec;
}

type Keygen = unsafe extern "C" fn(*mut u8, *mut u8, *const u8) -> c_int;
type Encaps = unsafe extern "C" fn(*mut u8, *mut u8, *const u8, *const u8) -> c_int;
type Decaps = unsafe extern "C" fn(*mut u8, *const u8, *const u8) -> c_int;

fn add_set<const EK: usize, const DK: usize, const C: usize>(
    cases: &mut Cases<'_>,
    (keygen, encaps, decaps): (Keygen, Encaps, Decaps),
) {
    let known = cases.known;
    let (ek, dk, c): (&[u8; EK], &[u8; DK], &[u8; C]) =
        (array(&known.ek), array(&known.dk), array(&known.c));
    let seed = seed();

    cases.add(
        Op::Keygen,
        move || {
            let (mut ek, mut dk) = ([0; EK], [0; DK]);
            // SAFETY: the function is that of the set whose lengths these arrays have.
            unsafe { keygen(ek.as_mut_ptr(), dk.as_mut_ptr(), seed.as_ptr()) };
            (ek, dk)
        },
        |(ek, dk)| [&ek[..], &dk].concat(),
    );
    cases.add(
        Op::EncapsRaw,
        move || {
            let (mut c, mut k) = ([0; C], [0; 32]);
            // SAFETY: as above.
            unsafe { encaps(c.as_mut_ptr(), k.as_mut_ptr(), ek.as_ptr(), M.as_ptr()) };
            (k, c)
        },
        |(k, c)| [&k[..], &c].concat(),
    );
    cases.add(
        Op::DecapsRaw,
        move || {
            let mut k = [0; 32];
            // SAFETY: as above.
            unsafe { decaps(k.as_mut_ptr(), c.as_ptr(), dk.as_ptr()) };
            k
        },
        |k| k.to_vec(),
    );
}

pub fn add(cases: &mut Cases<'_>) {
    match cases.known.set {
        512 => add_set::<800, 1632, 768>(
            cases,
            (
                PQCLEAN_MLKEM512_AVX2_crypto_kem_keypair_derand,
                PQCLEAN_MLKEM512_AVX2_crypto_kem_enc_derand,
                PQCLEAN_MLKEM512_AVX2_crypto_kem_dec,
            ),
        ),
        768 => add_set::<1184, 2400, 1088>(
            cases,
            (
                PQCLEAN_MLKEM768_AVX2_crypto_kem_keypair_derand,
                PQCLEAN_MLKEM768_AVX2_crypto_kem_enc_derand,
                PQCLEAN_MLKEM768_AVX2_crypto_kem_dec,
            ),
        ),
        _ => add_set::<1568, 3168, 1568>(
            cases,
            (
                PQCLEAN_MLKEM1024_AVX2_crypto_kem_keypair_derand,
                PQCLEAN_MLKEM1024_AVX2_crypto_kem_enc_derand,
                PQCLEAN_MLKEM1024_AVX2_crypto_kem_dec,
            ),
        ),
    }
}
