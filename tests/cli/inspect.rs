//! `inspect`: without a key, at once, from a file or a pipe.

use crate::harness::{CHUNK, Lab};
use serde_json::{Value, json};
use std::fs::{File, OpenOptions};

#[test]
fn text() {
    let lab = Lab::with_keys();
    lab.run(["keygen", "--kem", "1024", "-o", "other"])
        .succeeds();
    let own = lab.key("public.pem");
    lab.write("data", "data");
    lab.run([
        "seal",
        "data",
        "-r",
        own.to_str().unwrap(),
        "-r",
        "other.pub",
    ])
    .succeeds();
    let report = lab.run(["inspect", "data.pqbox"]).succeeds();
    let lines: Vec<_> = report.text().lines().collect();
    assert_eq!(lines[0], "format      pqbox, version 1");
    assert_eq!(lines[1], "content     plain bytes");
    assert!(lines[2].starts_with("sealed to   ") && lines[2].ends_with("  ML-KEM-768 (your key)"));
    assert!(lines[3].starts_with("            ") && lines[3].ends_with("  ML-KEM-1024"));
    let header = 14 + (6 + 8 + 1088 + 48) + (6 + 8 + 1568 + 48) + 32;
    assert_eq!(lines[4], format!("header      {header} bytes"));
    assert_eq!(lines[5], "payload     76 bytes");
    assert_eq!(lines[6], "plaintext   4 bytes");
    assert_eq!(lines.len(), 7);
}

#[test]
fn json() {
    let lab = Lab::with_keys();
    let made = lab
        .run(["keygen", "--kem", "512", "-o", "other"])
        .succeeds();
    let id = made.text().split_whitespace().nth(2).unwrap();
    lab.write("data", vec![0; 2 * CHUNK]);
    lab.run(["seal", "data", "-r", "other.pub"]).succeeds();
    let report = lab.run(["inspect", "--json", "data.pqbox"]).succeeds();
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    assert_eq!(
        report,
        json!({
            "file": "data.pqbox",
            "version": 1,
            "armored": false,
            "content": 0,
            "recipients": [{ "type": 0x40, "kem": "ML-KEM-512", "key_id": id, "own": false, "name": null }],
            "header_bytes": 14 + (6 + 8 + 768 + 48) + 32,
            "payload_bytes": 24 + 32 + 2 * (CHUNK + 16) + 16,
            "plaintext_bytes": 2 * CHUNK,
        })
    );
}

#[test]
fn needs_no_key() {
    let lab = Lab::with_keys();
    lab.sealed("sealed", b"data");
    std::fs::remove_dir_all(lab.key("")).unwrap();
    let report = lab.run(["inspect", "sealed"]).succeeds();
    assert!(report.text().contains("ML-KEM-768\n"));
    // Nor a place for keys.
    lab.shell(r#"exec env -u PQBOX_HOME HOME=here "$@" inspect sealed"#)
        .succeeds();
}

#[test]
fn sizes_of_a_pipe_are_unknown() {
    let lab = Lab::with_keys();
    let sealed = lab.run_with(["seal"], b"data").succeeds().stdout;
    let report = lab.run_with(["inspect", "-"], &sealed).succeeds();
    assert!(
        report
            .text()
            .contains("plaintext   unknown, the input is a pipe")
    );
    let report = lab.run_with(["inspect", "-", "--json"], &sealed).succeeds();
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    assert_eq!(report["plaintext_bytes"], Value::Null);
}

#[test]
fn a_length_that_no_sealed_file_has() {
    let lab = Lab::with_keys();
    let path = lab.sealed("sealed", b"");
    let file = OpenOptions::new().append(true).open(&path).unwrap();
    file.set_len(file.metadata().unwrap().len() - 1).unwrap();
    let report = lab.run(["inspect", "sealed"]).succeeds();
    assert!(
        report
            .text()
            .contains("plaintext   none: the file is truncated")
    );
}

/// A file of a tebibyte, most of it a hole: who reads it does not come back in time.
#[test]
fn instant_on_any_size() {
    let lab = Lab::with_keys();
    let path = lab.sealed("sealed", b"data");
    let file = OpenOptions::new().append(true).open(&path).unwrap();
    let header = file.metadata().unwrap().len() - 76;
    file.set_len(header + 56 + (1 << 26) * (CHUNK as u64 + 16) + 16)
        .unwrap();
    drop::<File>(file);
    let report = lab.run(["inspect", "sealed"]).succeeds();
    let bytes = CHUNK << 26;
    assert!(
        report
            .text()
            .ends_with(&format!("plaintext   {bytes} bytes\n"))
    );
}
