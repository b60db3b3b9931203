//! The program, from outside: real processes, each test in a directory of its own.
//!
//! What is tested is what goes wrong in tools of this kind; each module says which situations are
//! its own. A test that needs what the machine may lack says so on standard error before it
//! returns, and nothing else is skipped. All of it holds for root as for anyone else.
#![cfg(all(unix, feature = "cli"))]
#![allow(
    clippy::unwrap_used,
    reason = "a test that unwraps says where it failed; clippy.toml lets test functions, and these are their helpers"
)]

mod archive;
mod armor;
mod batch;
mod check;
mod damage;
mod harness;
mod inspect;
mod kem;
mod keyfiles;
mod keygen;
mod keyring;
mod kills;
mod memory;
mod names;
mod output;
mod part;
mod passphrase;
mod program;
mod recipients;
mod rekey;
mod round_trip;
mod selection;
mod selftest;
mod signals;
mod streams;
mod terminal;
mod voice;
