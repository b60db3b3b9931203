//! Key files: line ends, byte-order mark, UTF-16, comments, blanks; the wrong kind of file where a
//! key belongs; a secret key that others can read.

use crate::harness::{Lab, chmod};

/// The ways in which editors, mail and PowerShell change a text file.
fn variants(pem: &str) -> Vec<(&'static str, Vec<u8>)> {
    let utf16 = |order: fn(u16) -> [u8; 2]| {
        let text = format!("\u{feff}{}", pem.replace('\n', "\r\n"));
        text.encode_utf16().flat_map(order).collect()
    };
    vec![
        ("CRLF", pem.replace('\n', "\r\n").into_bytes()),
        ("byte-order mark", format!("\u{feff}{pem}").into_bytes()),
        ("trailing blanks", pem.replace('\n', " \t\n").into_bytes()),
        ("blank lines", format!("\n\n{pem}\n\n").into_bytes()),
        (
            "comments",
            format!("# my key\nof 2026\n{pem}# end\n").into_bytes(),
        ),
        ("no final newline", pem.trim_end().as_bytes().to_vec()),
        ("UTF-16, little endian", utf16(u16::to_le_bytes)),
        ("UTF-16, big endian", utf16(u16::to_be_bytes)),
    ]
}

#[test]
fn changed_by_editors() {
    let lab = Lab::new();
    lab.run(["keygen", "-o", "key"]).succeeds();
    let text = |name| String::from_utf8(lab.read(name)).unwrap();
    let secrets = variants(&text("key"));
    let publics = variants(&text("key.pub"));
    for ((what, secret), (_, public)) in secrets.into_iter().zip(publics) {
        chmod(lab.write("changed", secret), 0o600);
        lab.write("changed.pub", public);
        let sealed = lab.run_with(["seal", "-r", "changed.pub"], what.as_bytes());
        let opened = lab.run_with(["open", "-i", "changed"], &sealed.succeeds().stdout);
        assert_eq!(opened.succeeds().stdout, what.as_bytes());
    }
}

#[test]
fn the_wrong_kind_of_file() {
    let lab = Lab::with_keys();
    lab.run(["keygen", "-o", "key"]).succeeds();
    let sealed = lab.run_with(["seal"], b"data").succeeds().stdout;
    lab.write("sealed", &sealed);
    lab.write("empty", "");
    lab.write("words", "just some words");
    lab.write("long", "x".repeat(100_000));
    let rsa = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n";
    lab.write("ed25519", rsa);

    for (file, status, words) in [
        ("key", 2, "a secret key, where a public key belongs"),
        ("empty", 4, "empty"),
        ("words", 4, "no key"),
        ("sealed", 4, "no key"),
        ("long", 2, "longer than"),
        ("ed25519", 2, "Ed25519"),
        (".", 2, "is a directory"),
        ("missing", 1, "no such file"),
        ("/dev/null", 4, "empty"),
    ] {
        let name = format!("{file:?}");
        lab.run_with(["seal", "-r", file], b"data")
            .fails(status, &[words, &name]);
    }
    for (file, status, words) in [
        ("key.pub", 2, "a public key, where a secret key belongs"),
        ("empty", 4, "empty"),
        ("words", 4, "no key"),
        (".", 2, "is a directory"),
        ("missing", 1, "no such file"),
    ] {
        if !["missing", "."].contains(&file) {
            chmod(lab.path(file), 0o600);
        }
        lab.run_with(["open", "-i", file], &sealed)
            .fails(status, &[words, &format!("{file:?}")]);
    }
}

#[test]
fn key_from_a_pipe() {
    let lab = Lab::new();
    lab.run(["keygen", "-o", "key"]).succeeds();
    lab.write("data", "data");
    lab.shell(r#"exec "$@" seal -r - data < key.pub"#)
        .succeeds();
    // A pipe has no permissions to warn about.
    let opened = lab
        .shell(r#"cat key | "$@" open -i /dev/stdin data.pqbox -o -"#)
        .succeeds();
    assert_eq!(opened.stdout, b"data");
}

#[test]
fn secret_key_readable_by_others() {
    let lab = Lab::with_keys();
    let sealed = lab.run_with(["seal"], b"data").succeeds().stdout;
    for mode in [0o640, 0o604, 0o644] {
        chmod(lab.key("secret.pem"), mode);
        let path = format!("{:?}", lab.key("secret.pem"));
        let opened = lab
            .run_with(["open"], &sealed)
            .warns(&[&path, &format!("chmod 600 {path}")]);
        assert_eq!(opened.stdout, b"data");
    }
    chmod(lab.key("secret.pem"), 0o600);
    lab.run_with(["open"], &sealed).succeeds();
    // A public key is for everyone.
    chmod(lab.key("public.pem"), 0o666);
    lab.run_with(["seal"], b"data").succeeds();
}
