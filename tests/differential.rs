//! The KEM against two others, the crates `ml-kem` and `fips203`, on inputs from a fixed stream of
//! pseudo-random bytes: good keys and ciphertexts, changed ones, and bad keys.

mod support;

use fips203::traits::{Decaps, Encaps, KeyGen, SerDes};
use ml_kem::array::Array;
use ml_kem::kem::Decapsulate;
use pqbox::kem::{
    ByteArray, Ciphertext, DecapsulationKey, EncapsulationKey, MlKem512, MlKem768, MlKem1024,
    ParameterSet, Seed, decapsulate_bytes, encapsulate_bytes, hazmat,
};
use pqbox::{Backend, Error};
use shake::Shake256;
use shake::digest::{ExtendableOutput, Update, XofReader};
use support::{Given, on_every_backend};

const ROUNDS: usize = 100;
const Q: u16 = 3329;

/// (ek, dk), or (K, c).
type Pair = (Vec<u8>, Vec<u8>);

/// Another implementation. `None` is its refusal of a key.
struct Peer {
    name: &'static str,
    /// d || z -> (ek, dk)
    keygen: fn(&[u8; 64]) -> Pair,
    /// (ek, m) -> (K, c)
    encaps: fn(&[u8], &[u8; 32]) -> Option<Pair>,
    /// (dk, c) -> K
    decaps: fn(&[u8], &[u8]) -> Option<Vec<u8>>,
}

macro_rules! peers {
    ($ml_kem:ident, $fips203:ident) => {
        [
            Peer {
                name: "ml-kem",
                keygen: |seed| {
                    let dk = ml_kem::DecapsulationKey::<ml_kem::$ml_kem>::from_seed((*seed).into());
                    #[expect(deprecated, reason = "expanded keys are what is compared")]
                    let expanded = ml_kem::ExpandedKeyEncoding::to_expanded_bytes(&dk);
                    let ek = ml_kem::KeyExport::to_bytes(dk.encapsulation_key());
                    (ek.to_vec(), expanded.to_vec())
                },
                encaps: |ek, m| {
                    let ek = Array::try_from(ek).expect("its length");
                    let ek = ml_kem::EncapsulationKey::<ml_kem::$ml_kem>::new(&ek).ok()?;
                    let (c, k) = ml_kem::Encapsulate::encapsulate_with_rng(&ek, &mut Given(m));
                    Some((k.to_vec(), c.to_vec()))
                },
                decaps: |dk, c| {
                    let dk = Array::try_from(dk).expect("its length");
                    #[expect(deprecated, reason = "expanded keys are what is compared")]
                    let dk =
                        ml_kem::DecapsulationKey::<ml_kem::$ml_kem>::from_expanded(&dk).ok()?;
                    Some(dk.decapsulate_slice(c).expect("its length").to_vec())
                },
            },
            Peer {
                name: "fips203",
                keygen: |seed| {
                    let half = |at| seed[at..][..32].try_into().expect("32 bytes");
                    let (ek, dk) = fips203::$fips203::KG::keygen_from_seed(half(0), half(32));
                    (ek.into_bytes().to_vec(), dk.into_bytes().to_vec())
                },
                encaps: |ek, m| {
                    let ek = ek.try_into().expect("its length");
                    let ek = fips203::$fips203::EncapsKey::try_from_bytes(ek).ok()?;
                    let (k, c) = ek.encaps_from_seed(m);
                    Some((k.into_bytes().to_vec(), c.into_bytes().to_vec()))
                },
                decaps: |dk, c| {
                    let dk = dk.try_into().expect("its length");
                    let dk = fips203::$fips203::DecapsKey::try_from_bytes(dk).ok()?;
                    let c = c.try_into().expect("its length");
                    let c = fips203::$fips203::CipherText::try_from_bytes(c).expect("any is good");
                    Some(
                        dk.try_decaps(&c)
                            .expect("the key is good")
                            .into_bytes()
                            .to_vec(),
                    )
                },
            },
        ]
    };
}

/// Pseudo-random bytes, the same in every run.
struct Stream(<Shake256 as ExtendableOutput>::Reader);

impl Stream {
    fn new(name: &str) -> Self {
        let mut hasher = Shake256::default();
        hasher.update(name.as_bytes());
        Self(hasher.finalize_xof())
    }

    fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.0.read(&mut bytes);
        bytes
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.0.read(&mut bytes);
        bytes
    }

    /// Nearly uniform below `end`.
    fn below(&mut self, end: usize) -> usize {
        (u64::from_le_bytes(self.array()) % end as u64) as usize
    }
}

#[test]
fn ml_kem_512() {
    compare::<MlKem512>(&peers!(MlKem512, ml_kem_512));
}

#[test]
fn ml_kem_768() {
    compare::<MlKem768>(&peers!(MlKem768, ml_kem_768));
}

#[test]
fn ml_kem_1024() {
    compare::<MlKem1024>(&peers!(MlKem1024, ml_kem_1024));
}

fn compare<P: ParameterSet>(peers: &[Peer]) {
    on_every_backend(|backend| {
        let mut stream = Stream::new(P::NAME);
        for _ in 0..ROUNDS {
            round::<P>(backend, peers, &mut stream);
        }
    });
}

fn round<P: ParameterSet>(backend: Backend, peers: &[Peer], stream: &mut Stream) {
    let (seed, m) = (stream.array(), stream.array());
    let (ek, dk) = keygen::<P>(backend, &seed);
    let (k, c) = encaps::<P>(backend, &ek, &m).expect("a good key");
    for Peer {
        name,
        keygen,
        encaps,
        ..
    } in peers
    {
        assert_eq!(keygen(&seed), (ek.clone(), dk.clone()), "{name}");
        assert_eq!(encaps(&ek, &m), Some((k.clone(), c.clone())), "{name}");
    }
    let same = |dk: &[u8], c: &[u8]| {
        let k = decaps::<P>(backend, dk, c).ok();
        for Peer { name, decaps, .. } in peers {
            assert_eq!(decaps(dk, c), k, "{name}");
        }
        k
    };
    assert_eq!(same(&dk, &c).as_ref(), Some(&k));

    // Ciphertexts that were changed or made up: rejected, each to the secret of its own.
    let mut changed = c.clone();
    changed[stream.below(P::CT_LEN)] ^= 1 << stream.below(8);
    let made_up = stream.bytes(P::CT_LEN);
    for c in [
        &changed,
        &made_up,
        &vec![0; P::CT_LEN],
        &vec![0xff; P::CT_LEN],
    ] {
        assert_ne!(same(&dk, c).as_ref(), Some(&k));
    }

    // A changed secret vector or a changed z: good keys still, though of nobody.
    let mut other = dk.clone();
    set_coefficient(
        &mut other,
        stream.below(256 * P::K),
        stream.below(usize::from(Q)) as u16,
    );
    other[P::DK_LEN - 1 - stream.below(32)] ^= 1 << stream.below(8);
    for c in [&c, &changed] {
        assert!(same(&other, c).is_some());
    }

    // A changed ek or a changed H(ek) inside dk.
    let mut bad = dk.clone();
    bad[384 * P::K + stream.below(P::EK_LEN + 32)] ^= 1 << stream.below(8);
    assert_eq!(same(&bad, &c), None);
    assert!(matches!(
        decaps::<P>(backend, &bad, &c),
        Err(Error::DecapsulationKeyHash)
    ));

    // A coefficient of ek out of range.
    let mut bad = ek;
    let value = Q + stream.below(usize::from(4096 - Q)) as u16;
    set_coefficient(&mut bad, stream.below(256 * P::K), value);
    assert!(matches!(
        encaps::<P>(backend, &bad, &m),
        Err(Error::EncapsulationKeyRange)
    ));
    for Peer { name, encaps, .. } in peers {
        assert_eq!(encaps(&bad, &m), None, "{name}");
    }
}

/// (ek, dk) of a seed, by the internal algorithm and by the key type.
fn keygen<P: ParameterSet>(backend: Backend, seed: &[u8; 64]) -> Pair {
    let half = |at| seed[at..][..32].try_into().expect("32 bytes");
    let (ek, dk) = hazmat::keygen_internal::<P>(backend, &half(0), &half(32));
    let parsed = DecapsulationKey::<P>::from_seed(&Seed::from(seed));
    let drawn = DecapsulationKey::<P>::generate(&mut Given(seed)).expect("randomness");
    for key in [parsed, drawn] {
        assert_eq!((*key.to_expanded()).as_ref(), (*dk).as_ref());
        assert_eq!(key.encapsulation_key().as_bytes(), ek.as_ref());
    }
    (ek.as_ref().to_vec(), (*dk).as_ref().to_vec())
}

/// (K, c), by the internal algorithm, by the raw bytes and by the key type.
fn encaps<P: ParameterSet>(backend: Backend, ek: &[u8], m: &[u8; 32]) -> Result<Pair, Error> {
    let raw = encapsulate_bytes::<P>(ek, &mut Given(m));
    let parsed = EncapsulationKey::<P>::try_from(ek);
    let mut array = P::Ek::ZEROED;
    array.as_mut().copy_from_slice(ek);
    let checked = hazmat::check_ek::<P>(backend, &array);
    assert_eq!(
        (raw.is_ok(), parsed.is_ok()),
        (checked.is_ok(), checked.is_ok())
    );
    checked?;
    let (k, c) = hazmat::encaps_internal::<P>(backend, &array, m);
    for (other_k, other_c) in [raw?, parsed?.encapsulate(&mut Given(m))?] {
        assert_eq!(
            (other_k.as_bytes(), other_c.as_bytes()),
            (k.as_bytes(), c.as_bytes())
        );
    }
    Ok((k.as_bytes().to_vec(), c.as_bytes().to_vec()))
}

/// K, by the internal algorithm, by the raw bytes and by the key type.
fn decaps<P: ParameterSet>(backend: Backend, dk: &[u8], c: &[u8]) -> Result<Vec<u8>, Error> {
    let raw = decapsulate_bytes::<P>(dk, c);
    let parsed = DecapsulationKey::<P>::try_from(dk);
    let (mut dk_array, mut c_array) = (P::Dk::ZEROED, P::Ct::ZEROED);
    dk_array.as_mut().copy_from_slice(dk);
    c_array.as_mut().copy_from_slice(c);
    let checked = hazmat::check_dk::<P>(backend, &dk_array);
    assert_eq!(
        (raw.is_ok(), parsed.is_ok()),
        (checked.is_ok(), checked.is_ok())
    );
    checked?;
    let k = hazmat::decaps_internal::<P>(backend, &dk_array, &c_array);
    for other in [raw?, parsed?.decapsulate(&Ciphertext::try_from(c)?)] {
        assert_eq!(other.as_bytes(), k.as_bytes());
    }
    Ok(k.as_bytes().to_vec())
}

/// Writes a coefficient of an encoded vector: 12 bits at bit 12 * `index`, least significant first.
fn set_coefficient(bytes: &mut [u8], index: usize, value: u16) {
    let pair: &mut [u8; 3] = (&mut bytes[index / 2 * 3..][..3])
        .try_into()
        .expect("3 bytes");
    match index % 2 {
        0 => {
            pair[0] = value as u8;
            pair[1] = pair[1] & 0xf0 | (value >> 8) as u8;
        }
        _ => {
            pair[1] = pair[1] & 0x0f | (value << 4) as u8;
            pair[2] = (value >> 4) as u8;
        }
    }
}

/// The modulus check sees each coefficient of the key, and nothing else of it.
fn modulus_check<P: ParameterSet>() {
    on_every_backend(|backend| {
        let (ek, _) = keygen::<P>(backend, &Stream::new("modulus").array());
        let accepts = |ek: &[u8]| EncapsulationKey::<P>::try_from(ek).is_ok();
        for index in 0..256 * P::K {
            let mut ek = ek.clone();
            for (value, good) in [
                (Q - 1, true),
                (Q, false),
                (Q + 1, false),
                (4095, false),
                (0, true),
            ] {
                set_coefficient(&mut ek, index, value);
                assert_eq!(accepts(&ek), good, "coefficient {index} = {value}");
            }
        }
        let mut ek = ek;
        ek[384 * P::K..].fill(0xff);
        assert!(accepts(&ek), "rho is any 32 bytes");
        for len in [0, P::EK_LEN - 1, P::EK_LEN + 1] {
            let mut ek = ek.clone();
            ek.resize(len, 0);
            assert!(!accepts(&ek), "{len} bytes");
        }
    });
}

#[test]
fn modulus_check_512() {
    modulus_check::<MlKem512>();
}

#[test]
fn modulus_check_768() {
    modulus_check::<MlKem768>();
}

#[test]
fn modulus_check_1024() {
    modulus_check::<MlKem1024>();
}
