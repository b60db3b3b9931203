use crate::case::{Cases, D, M, Op, Z, array};
use fips203::traits::{Decaps, Encaps, KeyGen, SerDes};
use fips203::{ml_kem_512, ml_kem_768, ml_kem_1024};

pub const ABOUT: &str =
    "portable; all checks, when a key is parsed; keeps nothing beside the bytes";

macro_rules! add {
    ($set:ident, $cases:expr) => {{
        use $set::{CipherText, DecapsKey, EncapsKey, KG};
        let cases: &mut Cases<'_> = $cases;
        let known = cases.known;
        let parse_ek = || EncapsKey::try_from_bytes(*array(&known.ek)).expect("a valid key");
        let parse_dk = || DecapsKey::try_from_bytes(*array(&known.dk)).expect("a valid key");
        let parse_c = || CipherText::try_from_bytes(*array(&known.c)).expect("a ciphertext");
        let (ek, dk, c) = (parse_ek(), parse_dk(), parse_c());

        cases.add(
            Op::Keygen,
            || KG::keygen_from_seed(D, Z),
            |(ek, dk)| [&ek.into_bytes()[..], &dk.into_bytes()].concat(),
        );
        cases.add(
            Op::EncapsRaw,
            move || parse_ek().encaps_from_seed(&M),
            |(k, c)| [&k.into_bytes()[..], &c.into_bytes()].concat(),
        );
        cases.add(
            Op::DecapsRaw,
            move || parse_dk().try_decaps(&parse_c()).expect("a valid key"),
            |k| k.into_bytes().to_vec(),
        );
        cases.add(
            Op::EncapsParsed,
            move || ek.encaps_from_seed(&M),
            |(k, c)| [&k.into_bytes()[..], &c.into_bytes()].concat(),
        );
        cases.add(
            Op::DecapsParsed,
            move || dk.try_decaps(&c).expect("a valid key"),
            |k| k.into_bytes().to_vec(),
        );
    }};
}

pub fn add(cases: &mut Cases<'_>) {
    match cases.known.set {
        512 => add!(ml_kem_512, cases),
        768 => add!(ml_kem_768, cases),
        _ => add!(ml_kem_1024, cases),
    }
}
