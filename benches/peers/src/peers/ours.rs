use crate::case::{Cases, D, M, Op, Z};
use pqbox::Backend;
use pqbox::kem::{
    Ciphertext, DecapsulationKey, EncapsulationKey, ParameterSet, decapsulate_bytes,
    encapsulate_bytes, hazmat,
};
use rand::{TryCryptoRng, TryRng};
use std::convert::Infallible;

/// Gives m, so that the system's randomness is not timed.
struct Fixed(&'static [u8; 32]);

impl TryRng for Fixed {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unimplemented!("ML-KEM asks for bytes")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        unimplemented!("ML-KEM asks for bytes")
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.copy_from_slice(self.0);
        Ok(())
    }
}

impl TryCryptoRng for Fixed {}

pub fn add<P: ParameterSet>(backend: Backend, cases: &mut Cases<'_>) {
    backend.select();
    let known = cases.known;
    let ek = EncapsulationKey::<P>::try_from(&known.ek[..]).expect("a valid key");
    let dk = DecapsulationKey::<P>::try_from(&known.dk[..]).expect("a valid key");
    let c = Ciphertext::<P>::try_from(&known.c[..]).expect("a ciphertext");

    cases.add(
        Op::Keygen,
        move || hazmat::keygen_internal::<P>(backend, &D, &Z),
        |(ek, dk)| [ek.as_ref(), dk.as_ref()].concat(),
    );
    cases.add(
        Op::EncapsRaw,
        || encapsulate_bytes::<P>(&known.ek, &mut Fixed(&M)).expect("a valid key"),
        |(k, c)| [k.as_bytes(), c.as_bytes()].concat(),
    );
    cases.add(
        Op::DecapsRaw,
        || decapsulate_bytes::<P>(&known.dk, &known.c).expect("a valid key"),
        |k| k.as_bytes().to_vec(),
    );
    cases.add(
        Op::EncapsParsed,
        move || {
            ek.encapsulate(&mut Fixed(&M))
                .expect("infallible randomness")
        },
        |(k, c)| [k.as_bytes(), c.as_bytes()].concat(),
    );
    cases.add(
        Op::DecapsParsed,
        move || dk.decapsulate(&c),
        |k| k.as_bytes().to_vec(),
    );
}
