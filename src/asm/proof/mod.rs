//! Proofs, for all inputs, of the kernels over lanes: the very functions that the backends
//! compile, run in `cargo test` over lanes that hold no numbers but what can be said of them.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `polynomial` | residues modulo q, as polynomials in the inputs |
//! | `element` | what is known of one 16-bit lane: its residue and its range |
//! | `lanes` | vectors of those |
//! | `theorems` | what is proved of `ntt`, `multiply` and `reduce`, at every width |
//! | `gf2`, `keccak` | lanes of GF(2) terms, and Keccak-f\[1600\] for all states |
//! | `mutants` | wrong kernels, each of which must be refused |
//! | `instructions` | each backend's own lanes against the plain ones of `portable` |
//! | `exhaustive` | small functions, at every input |
//!
//! `docs/proofs.md` says what follows from this, and what does not.

mod element;
mod exhaustive;
mod gf2;
mod instructions;
mod keccak;
mod lanes;
mod mutants;
mod polynomial;
mod theorems;
