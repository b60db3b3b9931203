//! Every peer's way to the same five operations. What the randomness would be is fixed in all.

mod aws_lc;
mod fips203;
#[cfg(target_arch = "x86_64")]
mod graviola;
mod libcrux;
mod ml_kem;
#[cfg(target_arch = "x86_64")]
mod oqs;
mod ours;
#[cfg(target_arch = "x86_64")]
mod pqcrypto;

use crate::case::{Case, Cases, Known};
use pqbox::Backend;
use pqbox::kem::{MlKem512, MlKem768, MlKem1024};

type Add = fn(&mut Cases<'_>);

/// Crate, what it is and does, sets, and how its cases are made.
pub const PEERS: &[(&str, &str, &[usize], Add)] = &[
    #[cfg(target_arch = "x86_64")]
    ("graviola", graviola::ABOUT, &[768], graviola::add),
    #[cfg(target_arch = "x86_64")]
    ("oqs-sys", oqs::ABOUT, SETS, oqs::add),
    #[cfg(target_arch = "x86_64")]
    ("pqcrypto-mlkem", pqcrypto::ABOUT, SETS, pqcrypto::add),
    ("libcrux-ml-kem", libcrux::ABOUT, SETS, libcrux::add),
    #[cfg(target_arch = "aarch64")]
    (
        "libcrux-ml-kem, unchecked",
        libcrux::ABOUT,
        SETS,
        libcrux::add_unchecked,
    ),
    ("aws-lc-sys", aws_lc::ABOUT, SETS, aws_lc::add),
    ("ml-kem", ml_kem::ABOUT, SETS, ml_kem::add),
    ("fips203", fips203::ABOUT, SETS, fips203::add),
];

pub const SETS: &[usize] = &[512, 768, 1024];

/// All cases of one set, those of one operation side by side; all have agreed.
pub fn cases(set: usize) -> Vec<Case> {
    let mut all = Vec::new();
    let known = match set {
        512 => Known::new::<MlKem512>(set),
        768 => Known::new::<MlKem768>(set),
        _ => Known::new::<MlKem1024>(set),
    };
    for backend in Backend::available() {
        let cases = &mut Cases {
            known,
            peer: format!("pqbox/{}", backend.name()),
            backend: Some(backend),
            all: &mut all,
        };
        match set {
            512 => ours::add::<MlKem512>(backend, cases),
            768 => ours::add::<MlKem768>(backend, cases),
            _ => ours::add::<MlKem1024>(backend, cases),
        }
    }
    for &(name, _, sets, add) in PEERS {
        if sets.contains(&set) {
            add(&mut Cases {
                known,
                peer: name.to_owned(),
                backend: None,
                all: &mut all,
            });
        }
    }
    all.sort_by_key(|case| case.op as usize);
    all.iter().for_each(|case| case.agree(known));
    all
}

/// The version of a crate that this was built with.
pub fn version(name: &str) -> &'static str {
    let lock = include_str!("../../Cargo.lock");
    let entry = format!("name = \"{name}\"\nversion = \"");
    lock.split_once(&entry)
        .and_then(|(_, rest)| rest.split_once('"'))
        .map_or("?", |(version, _)| version)
}
