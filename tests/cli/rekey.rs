//! `rekey`: other recipients, the same payload.

use crate::harness::{Lab, chmod, mode, noise};
use std::path::PathBuf;

/// Keys `alice`, `bob` and `carol`, and `data.pqbox` for Alice.
fn lab() -> Lab {
    let lab = Lab::new();
    for name in ["alice", "bob", "carol"] {
        lab.run(["keygen", "-o", name]).succeeds();
    }
    lab.write("data", noise(100_000));
    lab.run(["seal", "data", "-r", "alice.pub"]).succeeds();
    lab
}

fn id(lab: &Lab, name: &str) -> String {
    lab.run([
        "seal",
        "data",
        "-r",
        &format!("{name}.pub"),
        "-o",
        "probe",
        "-f",
    ])
    .succeeds();
    let report = lab.run(["inspect", "probe"]).succeeds();
    let words = report.text().split_whitespace();
    words
        .skip_while(|word| *word != "to")
        .nth(1)
        .unwrap()
        .to_owned()
}

#[track_caller]
fn opens(lab: &Lab, name: &str, file: &str) {
    let opened = lab.run(["open", file, "-o", "-", "-i", name]).succeeds();
    assert!(opened.stdout == noise(100_000), "{name}");
}

#[track_caller]
fn does_not_open(lab: &Lab, name: &str, file: &str) {
    lab.run(["open", file, "-o", "-", "-i", name])
        .fails(3, &["no key for this file"]);
}

/// Salt, commitment and chunks.
fn payload(lab: &Lab, file: &str) -> Vec<u8> {
    let sealed = lab.read(file);
    sealed[sealed.len() - 56 - 6 * 16400 - 100_000 % 16384 - 16..].to_vec()
}

#[test]
fn recipients_come_and_go_and_the_payload_stays() {
    let lab = lab();
    let before = payload(&lab, "data.pqbox");
    lab.run([
        "rekey",
        "data.pqbox",
        "-i",
        "alice",
        "--add",
        "bob.pub",
        "--add",
        "bob.pub",
    ])
    .succeeds();
    opens(&lab, "alice", "data.pqbox");
    opens(&lab, "bob", "data.pqbox");
    does_not_open(&lab, "carol", "data.pqbox");

    let alice = id(&lab, "alice");
    lab.run([
        "rekey",
        "data.pqbox",
        "-i",
        "bob",
        "--remove",
        &alice,
        "--add",
        "carol.pub",
    ])
    .warns(&["still can", "--rotate"]);
    does_not_open(&lab, "alice", "data.pqbox");
    opens(&lab, "bob", "data.pqbox");
    opens(&lab, "carol", "data.pqbox");
    // One who is there already gets no second stanza.
    let size = lab.read("data.pqbox").len();
    lab.run(["rekey", "data.pqbox", "-i", "bob", "--add", "carol.pub"])
        .succeeds();
    assert_eq!(lab.read("data.pqbox").len(), size);

    lab.run(["rekey", "data.pqbox", "-i", "bob", "--set", "alice.pub"])
        .warns(&["still can"]);
    opens(&lab, "alice", "data.pqbox");
    does_not_open(&lab, "bob", "data.pqbox");
    assert!(payload(&lab, "data.pqbox") == before);
}

#[test]
fn rotating_seals_anew() {
    let lab = lab();
    let before = payload(&lab, "data.pqbox");
    lab.run([
        "rekey",
        "--rotate",
        "data.pqbox",
        "-i",
        "alice",
        "--set",
        "bob.pub",
    ])
    .succeeds();
    opens(&lab, "bob", "data.pqbox");
    does_not_open(&lab, "alice", "data.pqbox");
    assert!(payload(&lab, "data.pqbox") != before);
    lab.run(["rekey", "--rotate", "data.pqbox", "-i", "bob"])
        .fails(2, &["--set"]);
}

#[test]
fn what_cannot_be_done_leaves_the_file() {
    let lab = lab();
    let alice = id(&lab, "alice");
    let bob = id(&lab, "bob");
    let before = lab.read("data.pqbox");
    let names = lab.names();
    let rekey = |arguments: &[&str], status, words: &[&str]| {
        let all = [&["rekey", "data.pqbox", "-i", "alice"], arguments].concat();
        lab.run(all).fails(status, words);
    };
    rekey(&[], 2, &["nothing to change", "--add"]);
    rekey(&["--remove", &bob], 2, &["not sealed to", &bob]);
    rekey(&["--remove", "bob"], 2, &["--remove takes a key id"]);
    rekey(&["--remove", &alice], 2, &["no recipient"]);
    rekey(
        &["--add", "alice"],
        2,
        &["a secret key, where a public key"],
    );
    rekey(
        &["--set", "bob.pub", "--add", "bob.pub"],
        2,
        &["cannot be used with"],
    );
    lab.run(["rekey", "data.pqbox", "-i", "bob", "--add", "bob.pub"])
        .fails(3, &["no key for this file"]);
    lab.run(["rekey", "-", "-i", "alice", "--add", "bob.pub"])
        .fails(2, &["no file that could be replaced"]);
    lab.run(["rekey", "data", "-i", "alice", "--add", "bob.pub"])
        .fails(4, &["not a pqbox file"]);
    // To seal anew, all of it has to be authentic.
    let mut damaged = before.clone();
    *damaged.last_mut().unwrap() ^= 1;
    lab.write("damaged", &damaged);
    lab.run([
        "rekey", "damaged", "-i", "alice", "--rotate", "--set", "bob.pub",
    ])
    .fails(4, &["last chunk"]);
    assert!(lab.read("damaged") == damaged);
    std::fs::remove_file(lab.path("damaged")).unwrap();
    assert!(lab.read("data.pqbox") == before);
    assert_eq!(lab.names(), names);
}

#[test]
fn several_files_and_what_they_are_stays() {
    let lab = lab();
    lab.run(["seal", "data", "-r", "alice.pub", "-a", "-o", "text"])
        .succeeds();
    lab.run(["seal", "data", "-r", "bob.pub", "-o", "bobs"])
        .succeeds();
    chmod(lab.path("data.pqbox"), 0o640);
    let linked = lab.path("link");
    std::os::unix::fs::symlink("text", &linked).unwrap();
    lab.run([
        "rekey",
        "data.pqbox",
        "link",
        "bobs",
        "-i",
        "alice",
        "--add",
        "carol.pub",
    ])
    .fails(3, &["\"bobs\"", "1 of 3 files were not rekeyed"]);
    assert_eq!(mode(lab.path("data.pqbox")), 0o640);
    assert_eq!(std::fs::read_link(linked).unwrap(), PathBuf::from("text"));
    assert!(lab.read("text").starts_with(b"-----BEGIN PQBOX FILE-----"));
    opens(&lab, "carol", "data.pqbox");
    opens(&lab, "carol", "text");
}

#[test]
fn a_passphrase_gives_way_to_keys_alone() {
    let lab = lab();
    lab.shell(r#"PQBOX_PASSPHRASE=x "$@" seal -p data -o words"#)
        .succeeds();
    lab.shell(r#"PQBOX_PASSPHRASE=x "$@" rekey words --add bob.pub"#)
        .fails(2, &["sealed by a passphrase", "--set PUB"]);
    lab.shell(r#"PQBOX_PASSPHRASE=x "$@" rekey words --set bob.pub"#)
        .warns(&["still can"]);
    opens(&lab, "bob", "words");
}
