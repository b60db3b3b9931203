//! Keys with a passphrase: from a file, wrong, missing, without a terminal. (With one: `terminal`.)

use crate::harness::{Lab, chmod, mode};

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
        .fails(
            2,
            &[
                "no terminal to ask",
                "--passphrase-file FILE",
                "--passphrase-fd N",
                "PQBOX_PASSPHRASE",
            ],
        );
}

#[test]
fn from_a_descriptor_or_a_variable() {
    let lab = lab();
    let open = r#""$@" open data.pqbox -o - -i key"#;
    for script in [
        format!("{open} --passphrase-fd 3 3< pass"),
        format!("echo correct horse | {open} --passphrase-fd 0"),
        format!("PQBOX_PASSPHRASE='correct horse' {open}"),
        // What is named comes first.
        format!("PQBOX_PASSPHRASE=wrong {open} --passphrase-file pass"),
    ] {
        assert_eq!(lab.shell(&script).succeeds().stdout, b"data", "{script}");
    }
    lab.shell(&format!("PQBOX_PASSPHRASE=wrong {open}"))
        .fails(3, &["wrong passphrase"]);
    lab.shell(&format!("{open} --passphrase-fd 9"))
        .fails(1, &["cannot open \"/dev/fd/9\""]);
    lab.shell(&format!(
        "{open} --passphrase-fd 3 --passphrase-file pass 3< pass"
    ))
    .fails(2, &["cannot be used with"]);
}

#[test]
fn a_pipe_serves_several_keys() {
    let lab = lab();
    lab.run(["keygen", "-o", "other", "--passphrase-file", "pass"])
        .succeeds();
    let script =
        r#"echo correct horse | "$@" open data.pqbox -o - -i other -i key --passphrase-fd 0"#;
    assert_eq!(lab.shell(script).succeeds().stdout, b"data");
}

#[test]
fn keygen_wants_to_be_told() {
    let lab = Lab::new();
    let made = |option: &str, encrypted: bool| {
        let script = format!(r#"PQBOX_PASSPHRASE=x "$@" keygen -o key --force {option}"#);
        lab.shell(&script).succeeds();
        let key = String::from_utf8(lab.read("key")).unwrap();
        assert_eq!(key.contains("ENCRYPTED"), encrypted, "{option}");
    };
    made("", false);
    made("-p", true);
    made("--passphrase", true);
}

#[test]
fn a_file_is_sealed_by_a_passphrase() {
    // Without any key.
    let lab = Lab::new();
    chmod(lab.write("pass", "correct horse\n"), 0o600);
    let files = ["a", "b"];
    for file in files {
        lab.write(file, file);
    }
    lab.run(["seal", "a", "b", "--passphrase-file", "pass"])
        .succeeds();
    let report = lab.run(["inspect", "a.pqbox"]).succeeds();
    assert!(
        report
            .text()
            .contains("a passphrase (Argon2id: 65536 KiB, 3 passes, 4 lanes)")
    );
    for file in files {
        let sealed = format!("{file}.pqbox");
        let open = ["open", &sealed, "-o", "-", "--passphrase-file", "pass"];
        assert_eq!(lab.run(open).succeeds().stdout, file.as_bytes());
        std::fs::remove_file(lab.path(file)).unwrap();
    }
    // One reading serves all of them.
    lab.shell(r#"echo correct horse | "$@" open a.pqbox b.pqbox --passphrase-fd 0"#)
        .succeeds();
    assert_eq!(lab.read("b"), b"b");

    lab.shell(r#"PQBOX_PASSPHRASE="correct horse " "$@" open a.pqbox -o -"#)
        .fails(3, &["\"a.pqbox\"", "wrong passphrase"]);
    let mut damaged = lab.read("a.pqbox");
    damaged[13 + 100] ^= 1;
    lab.write("damaged.pqbox", damaged);
    lab.run(["open", "damaged.pqbox", "--passphrase-file", "pass"])
        .fails(3, &["wrong passphrase, or a damaged file"]);
    assert!(!lab.exists("damaged"));

    lab.run(["keygen", "-o", "key"]).succeeds();
    lab.run(["seal", "-p", "-r", "key.pub", "a", "-o", "both"])
        .fails(2, &["cannot be used with"]);
    lab.run([
        "seal",
        "--passphrase-file",
        "pass",
        "-r",
        "key.pub",
        "a",
        "-o",
        "both",
    ])
    .fails(2, &["not both"]);
    assert!(!lab.exists("both"));
}

#[test]
fn keyed_and_passphrase_files_open_together() {
    let lab = lab();
    lab.write("words", "words");
    lab.run(["seal", "words", "--passphrase-file", "pass"])
        .succeeds();
    std::fs::remove_file(lab.path("words")).unwrap();
    std::fs::remove_file(lab.path("data")).unwrap();
    let script =
        r#"echo correct horse | "$@" open data.pqbox words.pqbox -i key --passphrase-fd 0"#;
    lab.shell(script).succeeds();
    assert_eq!(lab.read("words"), b"words");
    assert_eq!(lab.read("data"), b"data");
}

/// A cost that the file's maker chose.
#[test]
fn cost_is_capped() {
    let lab = Lab::new();
    lab.shell(r#"echo data | PQBOX_PASSPHRASE=x "$@" seal -p -o sealed"#)
        .succeeds();
    let sealed = lab.read("sealed");
    // Behind magic, version, content, count, type, length and salt.
    let cost = 14 + 6 + 16;
    assert_eq!(sealed[cost..cost + 4], (64_u32 << 10).to_be_bytes());
    for (place, number, words) in [
        (0, (1 << 20) + 1_u32, "KiB of memory for Argon2"),
        (0, u32::MAX, "KiB of memory for Argon2"),
        (4, 65, "KiB to fill for Argon2"),
        (4, u32::MAX, "KiB to fill for Argon2"),
        (4, 0, "make no sense"),
        (8, 0, "make no sense"),
        (8, u32::MAX, "make no sense"),
    ] {
        let mut sealed = sealed.clone();
        sealed[cost + place..][..4].copy_from_slice(&number.to_be_bytes());
        lab.write("costly", sealed);
        lab.shell(r#"PQBOX_PASSPHRASE=x "$@" open costly -o -"#)
            .fails(4, &["\"costly\"", words]);
    }
    lab.shell(r#"PQBOX_PASSPHRASE=x "$@" open costly -o - --kdf-limit 0"#)
        .fails(4, &["--kdf-limit N allows"]);
}

#[test]
fn passwd_changes_adds_and_removes() {
    let lab = lab();
    let opens_with = |words: &str| {
        let script = format!(r#"PQBOX_PASSPHRASE={words} "$@" open data.pqbox -o - -i key"#);
        lab.shell(&script)
    };
    let before = lab.read("key");
    lab.shell(r#"PQBOX_PASSPHRASE=wrong PQBOX_NEW_PASSPHRASE=new "$@" passwd key"#)
        .fails(3, &["\"key\"", "wrong passphrase"]);
    assert_eq!(lab.read("key"), before);

    lab.shell(r#"PQBOX_NEW_PASSPHRASE=new "$@" passwd key --passphrase-file pass"#)
        .succeeds();
    assert_eq!(mode(lab.path("key")), 0o600);
    assert_eq!(opens_with("new").succeeds().stdout, b"data");
    opens_with("'correct horse'").fails(3, &["wrong passphrase"]);

    lab.shell(r#"PQBOX_PASSPHRASE=new "$@" passwd key --new-passphrase-fd 3 3< pass"#)
        .succeeds();
    assert_eq!(opens_with("'correct horse'").succeeds().stdout, b"data");

    lab.run(["passwd", "key", "--remove", "--passphrase-file", "pass"])
        .succeeds();
    assert!(
        lab.read("key")
            .starts_with(b"-----BEGIN PRIVATE KEY-----\n")
    );
    assert_eq!(opens_with("").succeeds().stdout, b"data");

    lab.run(["passwd", "key", "--new-passphrase-file", "pass"])
        .succeeds();
    assert_eq!(opens_with("'correct horse'").succeeds().stdout, b"data");
}

#[test]
fn passwd_of_the_default_key() {
    let lab = Lab::with_keys();
    lab.sealed("data.pqbox", b"data");
    lab.shell(r#"PQBOX_NEW_PASSPHRASE=new "$@" passwd"#)
        .succeeds();
    let opened = lab.shell(r#"PQBOX_PASSPHRASE=new "$@" open data.pqbox -o -"#);
    assert_eq!(opened.succeeds().stdout, b"data");
    lab.shell(r#"cat > /dev/null | PQBOX_NEW_PASSPHRASE=new "$@" passwd -"#)
        .fails(2, &["no file that could be replaced"]);
}

/// Who opens the wrong file learns it before a passphrase is needed.
#[test]
fn the_file_is_looked_at_first() {
    let lab = lab();
    lab.write("words", "just some words");
    lab.shell(r#"exec setsid -w "$@" open words -o - -i key"#)
        .fails(4, &["not a pqbox file"]);
}
