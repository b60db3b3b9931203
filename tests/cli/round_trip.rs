//! Sealed and opened again: the empty file, every length around a chunk, every parameter set.

use crate::harness::{CHUNK, Lab, noise};

#[test]
fn three_commands_on_a_fresh_machine() {
    let lab = Lab::new();
    lab.write("report.pdf", "the report");
    lab.run(["keygen"]).succeeds();
    let sealed = lab.run(["seal", "report.pdf"]).succeeds();
    let opened = lab
        .run(["open", "report.pdf.pqbox", "-o", "copy.pdf"])
        .succeeds();
    assert_eq!(lab.read("copy.pdf"), b"the report");
    assert_eq!(lab.read("report.pdf"), b"the report");
    // Silence is success.
    assert_eq!((sealed.stdout.len(), opened.stdout.len()), (0, 0));
}

#[test]
fn empty_file_opens_to_an_empty_file() {
    let lab = Lab::with_keys();
    lab.write("empty", "");
    lab.run(["seal", "empty"]).succeeds();
    lab.run(["open", "empty.pqbox", "-o", "copy"]).succeeds();
    assert_eq!(lab.read("copy"), b"");
    let piped = lab.run_with(["open"], &lab.read("empty.pqbox")).succeeds();
    assert_eq!(piped.stdout, b"");
}

#[test]
fn every_length_around_a_chunk() {
    let lab = Lab::with_keys();
    let many = 3 * 1024 * 1024 + 5;
    for len in [1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, many] {
        let data = noise(len);
        lab.write("data", &data);
        lab.run(["seal", "--force", "data"]).succeeds();
        lab.run(["open", "--force", "data.pqbox", "-o", "copy"])
            .succeeds();
        assert!(lab.read("copy") == data, "{len} bytes");
    }
}

#[test]
fn every_parameter_set() {
    let lab = Lab::new();
    for set in ["512", "768", "1024"] {
        let made = lab.run(["keygen", "--kem", set, "-o", set]).succeeds();
        assert!(made.text().contains(&format!("ML-KEM-{set}")));
        let public = format!("{set}.pub");
        let sealed = lab.run_with(["seal", "-r", &public], b"data").succeeds();
        let opened = lab.run_with(["open", "-i", set], &sealed.stdout).succeeds();
        assert_eq!(opened.stdout, b"data");
    }
}

#[test]
fn opened_next_to_the_sealed_file_by_default() {
    let lab = Lab::with_keys();
    std::fs::create_dir(lab.path("sub")).unwrap();
    lab.write("sub/data", "data");
    lab.run(["seal", "sub/data"]).succeeds();
    std::fs::remove_file(lab.path("sub/data")).unwrap();
    lab.run(["open", "sub/data.pqbox"]).succeeds();
    assert_eq!(lab.read("sub/data"), b"data");
}

#[test]
fn a_name_without_the_suffix_needs_an_output() {
    let lab = Lab::with_keys();
    lab.sealed("plain-name", b"data");
    lab.run(["open", "plain-name"])
        .fails(2, &["\"plain-name\"", ".pqbox", "hint: -o OUT"]);
    std::fs::rename(lab.path("plain-name"), lab.path(".pqbox")).unwrap();
    lab.run(["open", ".pqbox"]).fails(2, &["\".pqbox\""]);
    assert_eq!(lab.names(), [".pqbox"]);
}

#[test]
fn sealing_what_is_sealed_warns() {
    let lab = Lab::with_keys();
    lab.sealed("once", b"data");
    lab.run(["seal", "once"])
        .warns(&["\"once\" is sealed already", "two runs"]);
    let outer = lab.run(["open", "once.pqbox", "-o", "-"]).succeeds();
    assert_eq!(outer.stdout, lab.read("once"));
    // From a pipe as well, where the look at the beginning must not lose it.
    let piped = lab
        .run_with(["seal"], &lab.read("once"))
        .warns(&["standard input is sealed already"]);
    let outer = lab.run_with(["open"], &piped.stdout).succeeds();
    assert_eq!(outer.stdout, lab.read("once"));
}
