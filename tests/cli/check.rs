//! `check`: all of a file is looked at, and nothing is written.

use crate::harness::{CHUNK, Lab, noise};

#[test]
fn good_files() {
    let lab = Lab::with_keys();
    lab.sealed("a.pqbox", b"");
    lab.sealed("b.pqbox", &noise(3 * CHUNK));
    lab.run_with(["seal", "-a", "-o", "c.pqbox"], b"text")
        .succeeds();
    let before = lab.names();
    let one = lab.run(["check", "a.pqbox"]).succeeds();
    assert_eq!(one.text(), "good  a.pqbox: 0 bytes\n");
    let all = lab.run(["check", "--recursive", "."]).succeeds();
    let mut lines: Vec<_> = all.text().lines().collect();
    lines.sort_unstable();
    let expected = [
        "good  ./a.pqbox: 0 bytes",
        "good  ./b.pqbox: 49152 bytes",
        "good  ./c.pqbox: 4 bytes",
    ];
    assert_eq!(lines, expected);
    let piped = lab.run_with(["check"], &lab.read("b.pqbox")).succeeds();
    assert_eq!(piped.text(), "good  standard input: 49152 bytes\n");
    assert_eq!(lab.names(), before);
}

#[test]
fn damage_is_reported_and_the_others_go_on() {
    let lab = Lab::with_keys();
    lab.sealed("a.pqbox", &noise(100));
    lab.sealed("b.pqbox", &noise(5 * CHUNK));
    let mut damaged = lab.read("b.pqbox");
    let place = damaged.len() - 2 * CHUNK;
    damaged[place] ^= 1;
    lab.write("b.pqbox", &damaged);
    lab.write("c.pqbox", "words");
    let run = lab.run(["check", "a.pqbox", "b.pqbox", "c.pqbox"]);
    assert_eq!(run.text(), "good  a.pqbox: 100 bytes\n");
    run.fails_after_output(
        4,
        &[
            "\"b.pqbox\": corrupted: chunk 3",
            "\"c.pqbox\": not a pqbox file",
            "2 of 3 files were not found good",
        ],
    );
    lab.run(["keygen", "-o", "other"]).succeeds();
    lab.run(["check", "a.pqbox", "-i", "other"])
        .fails(3, &["no key for this file"]);
}
