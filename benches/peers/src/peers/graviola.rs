//! The functions that graviola hides from its documentation: they take the randomness, and leave
//! out the check of the CPU and the clearing of registers around each public call.

use crate::case::{Cases, M, Op, array, seed};
use graviola::key_agreement::mlkem768::{Ciphertext, DecapKey, EncapKey, Message};

pub const ABOUT: &str = "ML-KEM-768 alone; a decapsulation key comes from a seed and keeps A; \
    encapsulation keeps nothing";

pub fn add(cases: &mut Cases<'_>) {
    let known = cases.known;
    let seed = seed();
    let ek_bytes = array(&known.ek);
    let ek = EncapKey::from_bytes(ek_bytes).expect("a valid key");
    let dk = DecapKey::keygen_internal(&seed);
    let c = Ciphertext::from(*array(&known.c));

    cases.add(
        Op::Keygen,
        move || DecapKey::keygen_internal(&seed),
        |dk| [&dk.encapsulation_key().as_bytes()[..], &dk.as_bytes()].concat(),
    );
    cases.add(
        Op::EncapsRaw,
        || {
            EncapKey::from_bytes(ek_bytes)
                .expect("a valid key")
                .encaps_internal(Message(M))
        },
        |(k, c)| [&k.as_ref()[..], c.as_ref()].concat(),
    );
    cases.add(
        Op::EncapsParsed,
        move || ek.clone().encaps_internal(Message(M)),
        |(k, c)| [&k.as_ref()[..], c.as_ref()].concat(),
    );
    cases.add(
        Op::DecapsParsed,
        move || dk.decaps_internal(&c),
        |k| k.as_ref().to_vec(),
    );
}
