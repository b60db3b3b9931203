//! Parts of sealed files: ranges, and what is left of damaged ones.

use crate::harness::{CHUNK, Lab, noise};
use std::fs;

/// A sealed file, and what is in it.
fn lab(len: usize) -> (Lab, Vec<u8>) {
    let lab = Lab::with_keys();
    let data = noise(len);
    lab.write("data", &data);
    lab.run(["seal", "--rm", "data"]).succeeds();
    (lab, data)
}

#[test]
fn a_range_is_what_stands_there() {
    let (lab, data) = lab(3 * CHUNK + 100);
    let range = |range: &str| {
        lab.run(["open", "--range", range, "data.pqbox"])
            .succeeds()
            .stdout
    };
    assert!(range("0..10") == data[..10]);
    assert!(range("16380..16390") == data[16380..16390]);
    assert!(range("100..") == data[100..]);
    assert!(range("..40000") == data[..40000]);
    assert!(range("..") == data);
    assert!(range("7..7").is_empty());
    // What is beyond the end is not there; nor is it an error, as with `tail`.
    assert!(range("49200..99999") == data[49200..]);
    assert!(range("49252..").is_empty());
    lab.run(["open", "--range", "49253..", "data.pqbox"])
        .fails(2, &["has 49252 bytes of content", "begins at 49253"]);

    lab.run(["open", "--range", "5..9", "data.pqbox", "-o", "part"])
        .succeeds();
    assert_eq!(lab.read("part"), data[5..9]);
    lab.run(["open", "--range", "5..9", "data.pqbox", "-o", "part"])
        .fails(2, &["exists already"]);
    for wrong in ["5", "9..5", "a..b", "-1..5", "5...9"] {
        lab.run(["open", &format!("--range={wrong}"), "data.pqbox"])
            .fails(2, &["--range"]);
    }
    lab.run(["open", "--range", "..5", "data.pqbox", "part"])
        .fails(2, &["one file at a time"]);
}

/// It is authenticated, and reads no more than it needs.
#[test]
fn a_range_needs_its_own_chunks_and_the_last() {
    let (lab, data) = lab(4 * CHUNK);
    let mut sealed = lab.read("data.pqbox");
    let first = sealed.len() - (4 * (CHUNK + 16) + 16);
    sealed[first + 2 * (CHUNK + 16) + 9] ^= 1;
    lab.write("data.pqbox", &sealed);
    let run = lab
        .run(["open", "--range", "..30000", "data.pqbox"])
        .succeeds();
    assert!(run.stdout == data[..30000]);
    lab.run(["open", "--range", "32768..32769", "data.pqbox"])
        .fails(
            4,
            &[
                "corrupted: chunk 2",
                &format!("byte {}", first + 2 * (CHUNK + 16)),
            ],
        );
    // Without its end, nobody knows how long it was.
    lab.write("data.pqbox", &sealed[..sealed.len() - 16]);
    lab.run(["open", "--range", "..10", "data.pqbox"])
        .fails(4, &["truncated"]);
}

#[test]
fn ranges_of_other_forms() {
    let (lab, data) = lab(2 * CHUNK);
    lab.write("data", &data);
    lab.run(["seal", "data", "--pad", "-o", "padded"])
        .succeeds();
    lab.run(["seal", "data", "--armor", "-o", "armored"])
        .succeeds();
    for file in ["padded", "armored"] {
        let run = lab.run(["open", "--range", "32760..", file]).succeeds();
        assert_eq!(run.stdout, data[32760..], "{file}");
    }
    let sealed = lab.read("data.pqbox");
    lab.run_with(["open", "--range", "5..9"], &sealed)
        .fails(2, &["cannot be read at any place"]);
    let run = lab
        .shell(r#"exec "$@" open --range 5..9 < data.pqbox"#)
        .succeeds();
    assert_eq!(run.stdout, data[5..9]);
}

#[test]
fn what_is_intact_is_salvaged() {
    let (lab, data) = lab(5 * CHUNK + 100);
    let mut sealed = lab.read("data.pqbox");
    let first = sealed.len() - (5 * (CHUNK + 16) + 116);
    let place = |chunk: usize| first + chunk * (CHUNK + 16);
    for chunk in [1, 2, 4] {
        sealed[place(chunk) + 77] ^= 1;
    }
    lab.write("data.pqbox", &sealed);
    lab.run(["open", "data.pqbox"])
        .fails(4, &["corrupted: chunk 1"]);
    let run = lab
        .run(["open", "--salvage", "data.pqbox"])
        .fails_after_output(
            4,
            &["\"data.salvaged\" has zeros for 49152 of its 82020 bytes"],
        );
    assert_eq!(
        run.text(),
        format!(
            "lost  bytes 16384 to 49152, from byte {} of the file\n\
             lost  bytes 65536 to 81920, from byte {} of the file\n",
            place(1),
            place(4)
        )
    );
    let mut expected = data.clone();
    expected[CHUNK..3 * CHUNK].fill(0);
    expected[4 * CHUNK..5 * CHUNK].fill(0);
    assert!(lab.read("data.salvaged") == expected);
    assert!(!lab.exists("data"));
    // It takes the place of nothing.
    lab.run(["open", "--salvage", "data.pqbox"])
        .fails(2, &["exists already"]);
    let run = lab.run(["open", "--salvage", "data.pqbox", "-o", "-"]);
    let run = run.fails_after_output(4, &["lost  bytes 16384 to 49152", "standard output has"]);
    assert!(run.stdout == expected);
    let run = lab.run(["open", "--salvage", "data.pqbox", "-o", "json", "--json"]);
    let lines: Vec<serde_json::Value> = run
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["lost"]["end"], 49152);
    assert_eq!(run.errs(4)["code"], "salvaged");
}

#[test]
fn what_is_cut_off_is_salvaged() {
    let (lab, data) = lab(2 * CHUNK + 100);
    let sealed = lab.read("data.pqbox");
    lab.write("short.pqbox", &sealed[..sealed.len() - 116]);
    lab.run(["open", "--salvage", "short.pqbox"])
        .fails_after_output(
            4,
            &["has all 32768 bytes", "truncated", "chunk 2 is missing"],
        );
    assert!(lab.read("short.salvaged") == data[..2 * CHUNK]);
    lab.write("long.pqbox", [&sealed[..], b"tail"].concat());
    lab.run(["open", "--salvage", "long.pqbox"])
        .fails_after_output(4, &["has all 32868 bytes", "something else follows"]);
    assert!(lab.read("long.salvaged") == data);
    // One that is whole is no failure.
    lab.run(["open", "--salvage", "data.pqbox"]).succeeds();
    assert!(lab.read("data.salvaged") == data);
}

#[test]
fn what_cannot_be_salvaged() {
    let (lab, _) = lab(100);
    let sealed = lab.read("data.pqbox");
    fs::remove_dir_all(lab.key("")).unwrap();
    lab.run(["keygen"]).succeeds();
    lab.run(["open", "--salvage", "data.pqbox"])
        .fails(3, &["no key for this file"]);
    lab.run_with(["open", "--salvage", "-o", "x"], &sealed)
        .fails(2, &["cannot be read at any place"]);
    lab.write("text.pqbox", "text");
    lab.run(["open", "--salvage", "text.pqbox"])
        .fails(4, &["not a pqbox file"]);
    assert_eq!(lab.names(), ["data.pqbox", "text.pqbox"]);
}
