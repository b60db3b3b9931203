//! The AVX2 implementation by name, compiled for this CPU (see `rustc.sh`); on AArch64, the one for
//! NEON.

use crate::case::{Cases, M, Op, array, seed};
use libcrux_ml_kem::{MlKemCiphertext, MlKemPrivateKey, MlKemPublicKey};
use libcrux_ml_kem::{mlkem512, mlkem768, mlkem1024};

pub const ABOUT: &str = "AVX2, built for this CPU; the checks are separate functions, called here \
    for keys in bytes; unpacked keys keep A and H(ek)";

macro_rules! add {
    ($set:ident, $cases:expr, $checks:expr) => {{
        use simd::unpacked;
        #[cfg(target_arch = "x86_64")]
        use $set::avx2 as simd;
        #[cfg(target_arch = "aarch64")]
        use $set::neon as simd;
        let cases: &mut Cases<'_> = $cases;
        let known = cases.known;
        let ek = MlKemPublicKey::from(*array(&known.ek));
        let dk = MlKemPrivateKey::from(*array(&known.dk));
        let c = MlKemCiphertext::from(*array(&known.c));
        let seed = seed();
        let mut ek_unpacked = unpacked::init_public_key();
        unpacked::unpacked_public_key(&ek, &mut ek_unpacked);
        let mut dk_unpacked = unpacked::init_key_pair();
        unpacked::key_pair_from_private_mut(&dk, &mut dk_unpacked);

        cases.add(
            Op::Keygen,
            move || simd::generate_key_pair(seed),
            |pair| [&pair.pk()[..], pair.sk()].concat(),
        );
        cases.add(
            Op::EncapsRaw,
            move || {
                assert!(!$checks || simd::validate_public_key(&ek));
                simd::encapsulate(&ek, M)
            },
            |(c, k)| [&k[..], c.as_slice()].concat(),
        );
        let ciphertext = c.clone();
        cases.add(
            Op::DecapsRaw,
            move || {
                assert!(!$checks || simd::validate_private_key_only(&dk));
                simd::decapsulate(&dk, &ciphertext)
            },
            |k| k.to_vec(),
        );
        cases.add(
            Op::EncapsParsed,
            move || unpacked::encapsulate(&ek_unpacked, M),
            |(c, k)| [&k[..], c.as_slice()].concat(),
        );
        cases.add(
            Op::DecapsParsed,
            move || unpacked::decapsulate(&dk_unpacked, &c),
            |k| k.to_vec(),
        );
    }};
}

fn add_set(cases: &mut Cases<'_>, checks: bool) {
    match cases.known.set {
        512 => add!(mlkem512, cases, checks),
        768 => add!(mlkem768, cases, checks),
        _ => add!(mlkem1024, cases, checks),
    }
}

pub fn add(cases: &mut Cases<'_>) {
    add_set(cases, true);
}

/// The least that it can take: a harder mark than any that checks its keys.
#[cfg(target_arch = "aarch64")]
pub fn add_unchecked(cases: &mut Cases<'_>) {
    add_set(cases, false);
}
