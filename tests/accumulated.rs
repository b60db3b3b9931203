//! Many operations on pseudo-random input, their results hashed together: in place of gigabytes of
//! vectors. The scheme is that of C2SP's CCTV. The hashes were computed once with the crate
//! `ml-kem`, which a test does again for the shortest run.
#![allow(
    clippy::unwrap_used,
    reason = "a test that unwraps says where it failed"
)]

mod support;

use ml_kem::kem::Decapsulate;
use pqbox::Backend;
use pqbox::kem::{ByteArray, MlKem512, MlKem768, MlKem1024, ParameterSet, hazmat};
use shake::Shake128;
use shake::digest::{ExtendableOutput, Update, XofReader};
use support::{Given, on_every_backend};

/// The hash over `rounds` rounds of `round(d, z, m, c)`, which gives ek, the ciphertext and the
/// shared secret of m, and the shared secret of c, a random string as long as a ciphertext.
fn accumulate<P: ParameterSet>(
    rounds: usize,
    round: impl Fn([u8; 32], [u8; 32], [u8; 32], P::Ct) -> [Vec<u8>; 4],
) -> String {
    let mut input = Shake128::default().finalize_xof();
    let mut output = Shake128::default();
    for _ in 0..rounds {
        let mut draw = || {
            let mut bytes = [0; 32];
            input.read(&mut bytes);
            bytes
        };
        let (d, z, m) = (draw(), draw(), draw());
        let mut c = P::Ct::ZEROED;
        input.read(c.as_mut());
        round(d, z, m, c)
            .iter()
            .for_each(|part| output.update(part));
    }
    let mut hash = [0; 32];
    output.finalize_xof().read(&mut hash);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn ours<P: ParameterSet>(backend: Backend, rounds: usize) -> String {
    accumulate::<P>(rounds, |d, z, m, c| {
        let (ek, dk) = hazmat::keygen_internal::<P>(backend, &d, &z);
        let (k, ct) = hazmat::encaps_internal::<P>(backend, &ek, &m);
        let mut own = P::Ct::ZEROED;
        own.as_mut().copy_from_slice(ct.as_bytes());
        let opened = hazmat::decaps_internal::<P>(backend, &dk, &own);
        assert_eq!(opened.as_bytes(), k.as_bytes());
        let rejected = hazmat::decaps_internal::<P>(backend, &dk, &c);
        [
            ek.as_ref().to_vec(),
            ct.as_bytes().to_vec(),
            k.as_bytes().to_vec(),
            rejected.as_bytes().to_vec(),
        ]
    })
}

macro_rules! theirs {
    ($set:ident, $rounds:expr) => {
        accumulate::<$set>($rounds, |d, z, m, c| {
            let seed: [u8; 64] = [d, z].concat().try_into().unwrap();
            let dk = ml_kem::DecapsulationKey::<ml_kem::$set>::from_seed(seed.into());
            let ek = dk.encapsulation_key();
            let (ct, k) = ml_kem::Encapsulate::encapsulate_with_rng(ek, &mut Given(&m));
            [
                ml_kem::KeyExport::to_bytes(ek).to_vec(),
                ct.to_vec(),
                k.to_vec(),
                dk.decapsulate(&c.into()).to_vec(),
            ]
        })
    };
}

/// Rounds, and the hash for each set.
const HASHES: [(usize, [&str; 3]); 3] = [
    (
        100,
        [
            "86b1b4703b8ffef6f7f3290c6dbce4ad954498a0673ded401a94828e8c519a59",
            "1114b1b6699ed191734fa339376afa7e285c9e6acf6ff0177d346696ce564415",
            "800018fec3e2723f73f1d657fe239b4d5d8782efaade297e8cd448e54cc2ac00",
        ],
    ),
    (
        10_000,
        [
            "e0112db334d4240ca6feed5b0beab1318925edd4ff7d840c2ebe6d61971fc14c",
            "8a518cc63da366322a8e7a818c7a0d63483cb3528d34a4cf42f35d5ad73f22fc",
            "f1a3925c9cf8538bb104c56efb2f5ecb74cc3df25087460b73f6c873e96bcb6a",
        ],
    ),
    (
        1_000_000,
        [
            "a3e16deb5dc7fb037a72f0642975a220270bc2adc80718fb97f7de91c3caa6f1",
            "424bf8f0e8ae99b78d788a6e2e8e9cdaf9773fc0c08a6f433507cb559edfd0f0",
            "2254e1f80327f405dd4c8c35ab3234c66c4b7b66360324b06caea551235ceab2",
        ],
    ),
];

fn check((rounds, hashes): (usize, [&str; 3])) {
    on_every_backend(|backend| {
        let name = backend.name();
        assert_eq!(
            ours::<MlKem512>(backend, rounds),
            hashes[0],
            "ML-KEM-512, {name}"
        );
        assert_eq!(
            ours::<MlKem768>(backend, rounds),
            hashes[1],
            "ML-KEM-768, {name}"
        );
        assert_eq!(
            ours::<MlKem1024>(backend, rounds),
            hashes[2],
            "ML-KEM-1024, {name}"
        );
    });
}

#[test]
fn ten_thousand_operations() {
    check(HASHES[1]);
}

#[test]
#[ignore = "takes a quarter of an hour; cargo test --release --test accumulated -- --ignored"]
fn a_million_operations() {
    check(HASHES[2]);
}

#[test]
fn the_hashes_are_those_of_another_implementation() {
    let (rounds, hashes) = HASHES[0];
    assert_eq!(theirs!(MlKem512, rounds), hashes[0]);
    assert_eq!(theirs!(MlKem768, rounds), hashes[1]);
    assert_eq!(theirs!(MlKem1024, rounds), hashes[2]);
    check(HASHES[0]);
}
