//! Keys with a passphrase: from a file, wrong, missing, without a terminal. (With one: `terminal`.)

use crate::harness::{Lab, chmod};

/// An encrypted key `key`, its passphrase in `pass`, and a file `data.pqbox` sealed to it.
pub(crate) fn lab() -> Lab {
    let lab = Lab::new();
    chmod(lab.write("pass", "correct horse\n"), 0o600);
    lab.run(["keygen", "-o", "key", "--passphrase-file", "pass"])
        .succeeds();
    lab.write("data", "data");
    lab.run(["seal", "data", "-r", "key.pub"]).succeeds();
    lab
}

fn open(file: &str) -> [&str; 8] {
    [
        "open",
        "data.pqbox",
        "-o",
        "-",
        "-i",
        "key",
        "--passphrase-file",
        file,
    ]
}

#[test]
fn from_a_file() {
    let lab = lab();
    let key = String::from_utf8(lab.read("key")).unwrap();
    assert!(key.starts_with("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"));
    // The first line, however it ends and whatever follows.
    for text in [
        "correct horse",
        "correct horse\r\n",
        "correct horse\nsecond line\n",
    ] {
        chmod(lab.write("typed", text), 0o600);
        assert_eq!(lab.run(open("typed")).succeeds().stdout, b"data");
    }
    let script = r#"echo correct horse | "$@" open data.pqbox -o - -i key --passphrase-file -"#;
    assert_eq!(lab.shell(script).succeeds().stdout, b"data");
}

#[test]
fn wrong() {
    let lab = lab();
    for text in ["Correct horse", "correct horse ", "x"] {
        chmod(lab.write("typed", text), 0o600);
        lab.run(open("typed"))
            .fails(3, &["\"key\"", "wrong passphrase"]);
    }
}

#[test]
fn empty_or_absurd() {
    let lab = lab();
    for (text, words) in [("", "is empty"), ("\nx", "is empty")] {
        chmod(lab.write("typed", text), 0o600);
        lab.run(open("typed")).fails(2, &["\"typed\"", words]);
        lab.run(["keygen", "-o", "new", "--passphrase-file", "typed"])
            .fails(2, &["\"typed\"", words]);
    }
    chmod(lab.write("typed", "x".repeat(10_000)), 0o600);
    lab.run(open("typed")).fails(2, &["longer than"]);
    lab.run(open("missing"))
        .fails(1, &["cannot open \"missing\""]);
    assert!(!lab.exists("new"));
}

#[test]
fn readable_by_others() {
    let lab = lab();
    chmod(lab.path("pass"), 0o644);
    lab.run(open("pass"))
        .warns(&["passphrase file \"pass\"", "chmod 600"]);
}

#[test]
fn without_a_terminal() {
    let lab = lab();
    lab.shell(r#"exec setsid -w "$@" open data.pqbox -o - -i key"#)
        .fails(2, &["no terminal to ask", "--passphrase-file FILE"]);
}

/// Who opens the wrong file learns it before a passphrase is needed.
#[test]
fn the_file_is_looked_at_first() {
    let lab = lab();
    lab.write("words", "just some words");
    lab.shell(r#"exec setsid -w "$@" open words -o - -i key"#)
        .fails(4, &["not a pqbox file"]);
}
