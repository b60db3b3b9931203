//! A case: one operation of one peer with one parameter set, on inputs that all peers share.

use crate::marker;
use pqbox::Backend;
use pqbox::kem::{ParameterSet, hazmat};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// What is timed. `Raw` takes keys as bytes and makes the input checks of FIPS 203 section 7;
/// `Parsed` takes keys that were parsed, checked and expanded before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Keygen,
    EncapsRaw,
    DecapsRaw,
    EncapsParsed,
    DecapsParsed,
}

impl Op {
    pub const ALL: [Self; 5] = [
        Self::Keygen,
        Self::EncapsRaw,
        Self::DecapsRaw,
        Self::EncapsParsed,
        Self::DecapsParsed,
    ];

    /// Whether nothing was prepared in a call before.
    pub fn takes_bytes(self) -> bool {
        !matches!(self, Self::EncapsParsed | Self::DecapsParsed)
    }

    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Keygen => "keygen",
            Self::EncapsRaw => "encaps_raw",
            Self::DecapsRaw => "decaps_raw",
            Self::EncapsParsed => "encaps_parsed",
            Self::DecapsParsed => "decaps_parsed",
        }
    }

    /// Its name for a reader.
    pub fn title(self) -> &'static str {
        match self {
            Self::Keygen => "key generation",
            Self::EncapsRaw => "encapsulation, key in bytes",
            Self::DecapsRaw => "decapsulation, key in bytes",
            Self::EncapsParsed => "encapsulation, parsed key",
            Self::DecapsParsed => "decapsulation, parsed key",
        }
    }
}

/// The seed of every key is D || Z, the message of every encapsulation is M.
pub static D: [u8; 32] = pattern(1);
pub static Z: [u8; 32] = pattern(2);
pub static M: [u8; 32] = pattern(3);

const fn pattern(purpose: u8) -> [u8; 32] {
    let mut bytes = [purpose; 32];
    let mut i = 1;
    while i < bytes.len() {
        bytes[i] = bytes[i - 1].wrapping_mul(37).wrapping_add(11);
        i += 1;
    }
    bytes
}

/// D || Z.
pub fn seed() -> [u8; 64] {
    let mut seed = [0; 64];
    seed[..32].copy_from_slice(&D);
    seed[32..].copy_from_slice(&Z);
    seed
}

/// What FIPS 203 makes of D, Z and M, by pqbox's portable backend: all peers must make the same.
pub struct Known {
    pub set: usize,
    pub ek: Vec<u8>,
    pub dk: Vec<u8>,
    pub c: Vec<u8>,
    pub k: [u8; 32],
}

impl Known {
    /// Leaked, for the cases to borrow: there is one a set.
    pub fn new<P: ParameterSet>(set: usize) -> &'static Self {
        let portable = Backend::named("portable").expect("the portable backend runs everywhere");
        let (ek, dk) = hazmat::keygen_internal::<P>(portable, &D, &Z);
        let (k, c) = hazmat::encaps_internal::<P>(portable, &ek, &M);
        Box::leak(Box::new(Self {
            set,
            ek: ek.as_ref().to_vec(),
            dk: dk.as_ref().to_vec(),
            c: c.as_bytes().to_vec(),
            k: *k.as_bytes(),
        }))
    }

    /// What an operation must return: ek || dk, k || c or k.
    fn expected(&self, op: Op) -> Vec<u8> {
        match op {
            Op::Keygen => [&self.ek[..], &self.dk].concat(),
            Op::EncapsRaw | Op::EncapsParsed => [&self.k[..], &self.c].concat(),
            Op::DecapsRaw | Op::DecapsParsed => self.k.to_vec(),
        }
    }
}

/// The bytes of a value as an array of the length that its type says.
pub fn array<const N: usize>(bytes: &[u8]) -> &[u8; N] {
    bytes.try_into().expect("the length of the parameter set")
}

pub struct Case {
    pub op: Op,
    pub set: usize,
    pub peer: String,
    /// The backend that must be the selected one meanwhile, where the peer is pqbox.
    pub backend: Option<Backend>,
    run: Box<dyn Run>,
    /// Calls a sample.
    calls: u32,
}

trait Run {
    fn output(&self) -> Vec<u8>;
    fn time(&self, calls: u32) -> Duration;
    fn count(&self);
}

struct Call<C, E> {
    call: C,
    encode: E,
}

impl<T, C: Fn() -> T, E: Fn(T) -> Vec<u8>> Run for Call<C, E> {
    fn output(&self) -> Vec<u8> {
        (self.encode)((self.call)())
    }

    fn time(&self, calls: u32) -> Duration {
        // Other peers ran since: this call alone finds its code and tables out of the caches.
        black_box((self.call)());
        let start = Instant::now();
        for _ in 0..calls {
            black_box((self.call)());
        }
        start.elapsed()
    }

    fn count(&self) {
        marker::between(|| drop(black_box((self.call)())));
    }
}

impl Case {
    /// Runs once, and compares with what is known.
    ///
    /// # Panics
    /// If the peer disagrees.
    pub fn agree(&self, known: &Known) {
        self.select();
        assert!(
            self.run.output() == known.expected(self.op),
            "{} disagrees on {} of ML-KEM-{}",
            self.peer,
            self.op.name(),
            self.set
        );
    }

    /// Chooses the number of calls that fills a sample.
    pub fn calibrate(&mut self, sample: Duration) {
        self.select();
        let call = (0..5).map(|_| self.run.time(4)).min().unwrap_or_default() / 4;
        self.calls = (sample.as_nanos() / call.as_nanos().max(1)).clamp(1, 1000) as u32;
    }

    /// Nanoseconds a call, over one sample.
    pub fn sample(&self) -> f64 {
        self.select();
        self.run.time(self.calls).as_nanos() as f64 / f64::from(self.calls)
    }

    /// One call between the markers. What it returns is dropped there too: who wipes a key pays.
    pub fn count(&self) {
        self.select();
        self.run.count();
    }

    fn select(&self) {
        if let Some(backend) = self.backend {
            backend.select();
        }
    }
}

/// Collects the cases of one peer with one set.
pub struct Cases<'a> {
    pub known: &'static Known,
    pub peer: String,
    pub backend: Option<Backend>,
    pub all: &'a mut Vec<Case>,
}

impl Cases<'_> {
    /// Adds a case: `call` is timed, and `encode` turns what it returns into the bytes that
    /// [`Known::expected`] gives.
    pub fn add<T: 'static>(
        &mut self,
        op: Op,
        call: impl Fn() -> T + 'static,
        encode: impl Fn(T) -> Vec<u8> + 'static,
    ) {
        self.all.push(Case {
            op,
            set: self.known.set,
            peer: self.peer.clone(),
            backend: self.backend,
            run: Box::new(Call { call, encode }),
            calls: 1,
        });
    }
}
