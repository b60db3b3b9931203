#![expect(
    deprecated,
    reason = "the expanded keys of FIPS 203 are what every peer here takes"
)]

use crate::case::{Cases, M, Op, seed};
use ml_kem::kem::{Decapsulate, KeyExport};
use ml_kem::{Ciphertext, ExpandedKeyEncoding, MlKem512, MlKem768, MlKem1024};

pub const ABOUT: &str = "portable; all checks, when a key is parsed; keeps H(ek)";

macro_rules! add {
    ($set:ident, $cases:expr) => {{
        type Ek = ml_kem::EncapsulationKey<$set>;
        type Dk = ml_kem::DecapsulationKey<$set>;
        let cases: &mut Cases<'_> = $cases;
        let known = cases.known;
        let ek_bytes = known.ek[..].try_into().expect("the length of a key");
        let dk_bytes = known.dk[..].try_into().expect("the length of a key");
        let c: &Ciphertext<$set> = known.c[..].try_into().expect("the length of a ciphertext");
        let m = M.into();
        let seed = seed().into();
        let parse_ek = move || Ek::new(ek_bytes).expect("a valid key");
        let parse_dk = move || Dk::from_expanded_bytes(dk_bytes).expect("a valid key");
        let (ek, dk) = (parse_ek(), parse_dk());

        cases.add(
            Op::Keygen,
            move || Dk::from_seed(seed),
            |dk| {
                [
                    &dk.encapsulation_key().to_bytes()[..],
                    &dk.to_expanded_bytes(),
                ]
                .concat()
            },
        );
        cases.add(
            Op::EncapsRaw,
            move || parse_ek().encapsulate_deterministic(&m),
            |(c, k)| [&k[..], &c].concat(),
        );
        cases.add(
            Op::DecapsRaw,
            move || parse_dk().decapsulate(c),
            |k| k.to_vec(),
        );
        cases.add(
            Op::EncapsParsed,
            move || ek.encapsulate_deterministic(&m),
            |(c, k)| [&k[..], &c].concat(),
        );
        cases.add(Op::DecapsParsed, move || dk.decapsulate(c), |k| k.to_vec());
    }};
}

pub fn add(cases: &mut Cases<'_>) {
    match cases.known.set {
        512 => add!(MlKem512, cases),
        768 => add!(MlKem768, cases),
        _ => add!(MlKem1024, cases),
    }
}
