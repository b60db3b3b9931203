//! Each rule is shown to reject what it is for, and to let pass what looks like it.

use super::*;

/// The root that all cases share.
const LIB: &str = "
    mod asm; mod error; pub mod hybrid; pub mod kem; mod key_id; mod secret; pub mod selftest;
    pub use asm::dispatch::Backend;
    pub use error::Error;
    pub use secret::Secret;
";

fn violations(files: &[(&str, &str)]) -> Vec<String> {
    let mut sources = vec![("src/lib.rs".to_owned(), LIB.to_owned())];
    sources.extend(
        files
            .iter()
            .map(|(name, text)| (name.to_string(), text.to_string())),
    );
    check(&sources).unwrap().violations
}

#[track_caller]
fn rejected(file: &str, text: &str, because: &str) {
    let found = violations(&[(file, text)]);
    let right = |one: &String| one.starts_with(file) && one.contains(because);
    assert!(
        !found.is_empty() && found.iter().all(right),
        "{file}: {text}: {found:?}"
    );
}

#[track_caller]
fn accepted(file: &str, text: &str) {
    assert_eq!(violations(&[(file, text)]), [""; 0], "{file}: {text}");
}

#[test]
fn the_arrows_point_down() {
    for (file, text) in [
        ("src/asm/ntt.rs", "use crate::kem::ParameterSet;"),
        ("src/kem/k_pke.rs", "use crate::hybrid::seal;"),
        ("src/kem/k_pke.rs", "use crate::selftest;"),
        ("src/kem/k_pke.rs", "use crate::dsa::sign;"),
        ("src/dsa/ml_dsa.rs", "use crate::kem::MlKem768;"),
        ("src/hybrid/hpke.rs", "use crate::selftest::run;"),
        ("src/hybrid/hpke.rs", "use crate::asm::keccak;"),
        ("src/hybrid/hpke.rs", "use crate::asm::dispatch;"),
        ("src/selftest/mod.rs", "use crate::hybrid::Header;"),
        ("src/error.rs", "use crate::secret::Secret;"),
        ("src/error.rs", "use crate::kem::SetId;"),
        ("src/key_id.rs", "use crate::hybrid::PublicKey;"),
        ("src/secret.rs", "use crate::Error;"),
        ("src/kem/mod.rs", "use crate::cli::args;"),
    ] {
        rejected(file, text, "may not know");
    }
    for (file, text) in [
        (
            "src/kem/k_pke.rs",
            "use crate::asm::ntt; use crate::{Backend, Error, Secret};",
        ),
        (
            "src/hybrid/hpke.rs",
            "use crate::kem::SetId; use crate::{Backend, Error, Secret};",
        ),
        ("src/hybrid/hpke.rs", "use crate::asm::dispatch::Backend;"),
        (
            "src/selftest/mod.rs",
            "use crate::kem::hazmat; fn f() -> crate::Backend { todo!() }",
        ),
        (
            "src/cli/seal.rs",
            "use pqbox::{Error, hybrid::Sealer, kem, selftest};",
        ),
        ("src/main.rs", "mod cli; fn main() { cli::run() }"),
        (
            "src/error.rs",
            "use core::fmt; #[cfg(feature = \"std\")] use std::io;",
        ),
    ] {
        accepted(file, text);
    }
}

#[test]
fn every_way_to_name_a_room_is_resolved() {
    for text in [
        "use crate::{kem::SetId, hybrid::{Header, seal as s}};",
        "use super::super::hybrid::Header;",
        "use super::super::*; fn f() { hybrid::seal() }",
        "use crate::*; fn f() { hybrid::seal() }",
        "use crate as root; fn f() { root::hybrid::seal() }",
        "extern crate self as root; fn f() { root::hybrid::seal() }",
        "fn f() { crate::hybrid::seal() }",
        "fn f() -> crate::hybrid::Header { todo!() }",
        "fn f() { assert!(x == crate::hybrid::seal()) }",
        "macro_rules! m { () => { $crate::hybrid::seal() } }",
        "macro_rules! m { () => { use crate::{kem, hybrid::seal}; } }",
        "mod inner { fn f() { super::super::super::hybrid::seal() } }",
        "impl crate::hybrid::Open for X {}",
        "fn f<T: crate::hybrid::Open>() {}",
        "const X: usize = crate::hybrid::X;",
        "#[derive(crate::hybrid::Open)] struct X;",
    ] {
        let found = violations(&[("src/kem/k_pke.rs", text)]);
        let all = found
            .iter()
            .all(|one| one.contains("kem may not know hybrid"));
        assert!(all && !found.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn a_re_export_does_not_hide_what_it_exports() {
    let keccak = ("src/asm/keccak.rs", "pub(crate) fn permute() {}");
    for kem in [
        "pub(crate) use crate::asm::keccak::permute;",
        "pub(crate) use crate::asm::keccak::*;",
        "pub(crate) use crate::asm::keccak::permute as other; pub(crate) use other as permute;",
        "mod deep { pub(crate) use crate::asm::keccak::permute; } pub(crate) use deep::permute;",
    ] {
        let hybrid = ("src/hybrid/mod.rs", "use crate::kem::permute;");
        let found = violations(&[keccak, ("src/kem/mod.rs", kem), hybrid]);
        let expected = "src/hybrid/mod.rs:1: hybrid may not know asm (asm::keccak::permute)";
        assert_eq!(found, [expected], "{kem}");
    }
}

#[test]
fn the_library_leaves_the_outside_to_the_program() {
    for (text, what) in [
        ("use std::fs::File;", "std::fs"),
        ("use std::{env, io::Read};", "std::env"),
        ("fn f() { ::std::process::exit(1) }", "std::process"),
        ("use std::io; fn f() { io::stdin() }", "std::io::stdin"),
        (
            "use std::io::{self as i}; fn f() { i::stderr() }",
            "std::io::stderr",
        ),
        ("use std::io::*;", "std::io::stdin"),
        ("use std as s; fn f() { s::env::var(\"X\") }", "std::env"),
        ("use anyhow::Result;", "anyhow"),
        ("#[derive(clap::Args)] struct X;", "clap"),
        ("fn f() { println!(\"x\") }", "println!"),
        ("fn f() { std::eprintln!(\"x\") }", "eprintln!"),
        ("fn f() { vec![dbg!(1)] }", "dbg!"),
    ] {
        rejected("src/hybrid/mod.rs", text, &format!("{what} is for cli"));
        accepted("src/cli/ui.rs", text);
        accepted("src/main.rs", text);
    }
    accepted(
        "src/hybrid/mod.rs",
        "use std::io::{self, Read}; fn f() -> io::Result<()> { env() }",
    );
}

#[test]
fn unsafe_code_stays_with_the_kernels() {
    for text in [
        "fn f() { unsafe { g() } }",
        "unsafe fn f() {}",
        "unsafe impl Send for X {}",
        "#[unsafe(no_mangle)] fn f() {}",
        "macro_rules! m { () => { unsafe { g() } } }",
        "#[cfg(test)] mod tests { fn f() { unsafe { g() } } }",
    ] {
        rejected("src/kem/poly.rs", text, "outside src/asm");
    }
    accepted("src/asm/x86_64/avx2.rs", "fn f() { unsafe { g() } }");
    accepted("src/kem/poly.rs", "/// unsafe\nfn f() { \"unsafe\" }");
}

#[test]
fn nothing_leaves_the_check_s_sight() {
    rejected("src/kem/a.rs", "#[path = \"../b.rs\"] mod b;", "#[path]");
    rejected("src/kem/a.rs", "include!(\"b.rs\");", "include!");
    accepted(
        "src/kem/a.rs",
        "const B: &[u8] = include_bytes!(\"b.bin\");",
    );
    rejected("src/extras/mod.rs", "fn f() {}", "no room `extras`");
}

#[test]
fn files_are_short() {
    let long = "\n".repeat(MAX_LINES + 1);
    rejected("src/kem/a.rs", &long, "501 lines");
    rejected("tests/a.rs", &long, "501 lines");
    accepted("src/kem/a.rs", &"\n".repeat(MAX_LINES));
}

#[test]
fn test_code_may_look_everywhere() {
    accepted(
        "src/asm/ntt.rs",
        "#[cfg(test)] mod tests { use crate::kem::spec; }",
    );
    accepted("src/asm/ntt.rs", "#[cfg(test)] use crate::kem::spec;");
    accepted(
        "src/asm/ntt.rs",
        "#[test] fn t() { println!(\"{}\", crate::kem::spec::Q) }",
    );
    accepted("src/asm/ntt.rs", "#![cfg(test)] use crate::kem::spec;");
    let declared = [
        ("src/asm/mod.rs", "#[cfg(test)] mod tests;"),
        (
            "src/asm/tests.rs",
            "use crate::kem::spec; mod inner { use crate::hybrid; }",
        ),
    ];
    assert_eq!(violations(&declared), [""; 0]);
    for text in [
        "#[cfg(not(test))] use crate::kem::spec;",
        "#[cfg(any(test, feature = \"x\"))] use crate::kem::spec;",
        "#[cfg(feature = \"test\")] use crate::kem::spec;",
        "#[cfg(test)] mod tests {} use crate::kem::spec;",
    ] {
        rejected("src/asm/ntt.rs", text, "asm may not know kem");
    }
}
