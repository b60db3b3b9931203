//! `encapsulate` and `decapsulate`: the KEM by itself.

use crate::harness::{Lab, mode};

const ENCAPSULATE: [&str; 7] = [
    "encapsulate",
    "-r",
    "key.pub",
    "--ciphertext",
    "ct",
    "--secret",
    "sent",
];
const DECAPSULATE: [&str; 7] = [
    "decapsulate",
    "-i",
    "key",
    "--ciphertext",
    "ct",
    "--secret",
    "got",
];

fn lab(set: &str) -> Lab {
    let lab = Lab::new();
    lab.run(["keygen", "--kem", set, "-o", "key"]).succeeds();
    lab.run(ENCAPSULATE).succeeds();
    lab
}

#[test]
fn both_sides_get_the_same_secret() {
    for (set, len) in [("512", 768), ("768", 1088), ("1024", 1568)] {
        let lab = lab(set);
        assert_eq!(lab.read("ct").len(), len);
        lab.run(DECAPSULATE).succeeds();
        assert_eq!(lab.read("sent").len(), 32);
        assert_eq!(lab.read("sent"), lab.read("got"));
        assert_eq!(
            (mode(lab.path("sent")), mode(lab.path("got"))),
            (0o600, 0o600)
        );
    }
}

/// FIPS 203's implicit rejection: no error, the same secret each time, but not the sender's.
#[test]
fn a_changed_ciphertext_gives_the_rejection_secret() {
    let lab = lab("768");
    let mut ciphertext = lab.read("ct");
    ciphertext[100] ^= 1;
    lab.write("ct", ciphertext);
    lab.run(DECAPSULATE).succeeds();
    let rejection = lab.read("got");
    assert_ne!(rejection, lab.read("sent"));
    lab.run(DECAPSULATE.iter().chain(&["--force"])).succeeds();
    assert_eq!(lab.read("got"), rejection);
}

#[test]
fn a_wrong_length_is_named() {
    let lab = lab("768");
    let ciphertext = lab.read("ct");
    for len in [0, 768, 1087, 1089, 1568] {
        let mut wrong = ciphertext.clone();
        wrong.resize(len, 0);
        lab.write("ct", wrong);
        lab.run(DECAPSULATE)
            .fails(4, &["\"ct\"", &format!("of {len} bytes"), "1088"]);
    }
    lab.write("ct", vec![0; 100_000]);
    lab.run(DECAPSULATE).fails(2, &["\"ct\" is longer than"]);
    assert!(!lab.exists("got"));
}

#[test]
fn through_pipes() {
    let lab = lab("768");
    let script = r#""$@" encapsulate -r key.pub --ciphertext - --secret a |
        "$@" decapsulate -i key --ciphertext - --secret b && cmp a b"#;
    lab.shell(script).succeeds();
}

#[test]
fn outputs_are_as_safe_as_others() {
    let lab = lab("768");
    lab.run(ENCAPSULATE).fails(2, &["\"ct\" exists already"]);
    for (ciphertext, secret) in [("x", "x"), ("x", "./x"), ("-", "-")] {
        let outputs = ["--ciphertext", ciphertext, "--secret", secret];
        lab.run(["encapsulate", "-r", "key.pub"].iter().chain(&outputs))
            .fails(2, &["one output, where two belong"]);
    }
    let over_key = ["--ciphertext", "x", "--secret", "key.pub", "-f"];
    lab.run(["encapsulate", "-r", "key.pub"].iter().chain(&over_key))
        .fails(2, &["\"key.pub\" is the public key itself"]);
    for (over, words) in [
        ("key", "the secret key itself"),
        ("ct", "the ciphertext itself"),
    ] {
        let args = ["--ciphertext", "ct", "--secret", over, "-f"];
        lab.run(["decapsulate", "-i", "key"].iter().chain(&args))
            .fails(2, &[words]);
    }
    assert_eq!(lab.names(), ["ct", "key", "key.pub", "sent"]);
}
