//! The program as a whole: help, version, wrong usage, the choice of a backend.

use crate::harness::Lab;

const COMMANDS: [&str; 17] = [
    "keygen",
    "seal",
    "open",
    "check",
    "inspect",
    "rekey",
    "keys",
    "pub",
    "passwd",
    "import",
    "export",
    "selftest",
    "speed",
    "encapsulate",
    "decapsulate",
    "completions",
    "man",
];

#[test]
fn help_fits_a_terminal_and_has_an_example() {
    let lab = Lab::new();
    let top = lab.run(["--help"]).succeeds();
    for command in COMMANDS {
        assert!(top.text().contains(&format!("\n  {command} ")));
        let help = lab.run([command, "--help"]).succeeds();
        assert!(help.text().contains(&format!("  pqbox {command}")));
        for line in top.text().lines().chain(help.text().lines()) {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
    lab.run(["keygen", "-h"]).succeeds();
}

#[test]
fn version() {
    let version = Lab::new().run(["--version"]).succeeds();
    assert_eq!(
        version.text(),
        concat!("pqbox ", env!("CARGO_PKG_VERSION"), "\n")
    );
}

#[test]
fn wrong_usage() {
    let lab = Lab::new();
    for args in [
        &["sael", "x"][..],
        &["seal", "--no-such-option"],
        &["keygen", "--kem", "2048"],
        &["open", "a", "-"],
        &["rekey"],
        &["inspect"],
        &["encapsulate", "-r", "x"],
    ] {
        lab.run(args).fails(2, &["error: "]);
    }
}

#[test]
fn an_unavailable_backend_is_an_error() {
    let lab = Lab::with_keys();
    let words = &["no backend \"mmx\" runs on this CPU", "portable"];
    lab.run(["--backend", "mmx", "seal"]).fails(2, words);
    lab.shell(r#"exec env PQBOX_BACKEND=mmx "$@" keygen -o key"#)
        .fails(2, words);
    lab.shell(r#"exec env PQBOX_BACKEND= "$@" keygen -o key"#)
        .fails(2, &["no backend \"\""]);
    assert_eq!(lab.names().len(), 0);
}

#[test]
fn a_backend_by_name() {
    let lab = Lab::new();
    lab.run(["--backend", "portable", "keygen"]).succeeds();
    // The command line wins over the environment.
    lab.shell(r#"exec env PQBOX_BACKEND=mmx "$@" keygen -o key --backend portable"#)
        .succeeds();
}
