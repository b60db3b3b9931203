//! File names: not UTF-8, with a newline, with a leading dash, without a slash; missing parent
//! directory; a directory where a file belongs.

use crate::harness::{Lab, Run};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Stdio;

fn seals_and_opens(lab: &Lab, name: &OsStr) {
    let mut sealed = name.to_owned();
    sealed.push(".pqbox");
    lab.write(name, "data");
    let dashes = OsStr::new("--");
    lab.run([OsStr::new("seal"), dashes, name]).succeeds();
    fs::remove_file(lab.path(name)).unwrap();
    lab.run([OsStr::new("open"), dashes, &sealed]).succeeds();
    assert_eq!(lab.read(name), b"data");
}

#[test]
fn not_utf8() {
    let lab = Lab::with_keys();
    seals_and_opens(&lab, OsStr::from_bytes(b"r\xe9sum\xe9"));
}

#[test]
fn with_a_newline() {
    seals_and_opens(&Lab::with_keys(), OsStr::new("two\nlines"));
}

#[test]
fn with_a_leading_dash() {
    let lab = Lab::with_keys();
    seals_and_opens(&lab, OsStr::new("-o"));
    lab.run_with(["seal", "--output=-dash"], b"data").succeeds();
    assert!(lab.exists("-dash"));
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let lab = Lab::with_keys();
    // `fails` checks that no control character is in the message.
    lab.run(["open", "\x1b[2J\u{9b}2J\r\u{202e}x"])
        .fails(1, &[r"\u{1b}[2J\u{9b}2J\r\u{202e}x"]);
    lab.run([OsStr::new("seal"), OsStr::from_bytes(b"\xff")])
        .fails(1, &[r#""\xFF""#]);
}

#[test]
fn without_a_slash() {
    let lab = Lab::with_keys();
    lab.write("data", "data");
    lab.run(["seal", "data", "-o", "bare"]).succeeds();
    lab.run(["open", "bare", "-o", "copy"]).succeeds();
    lab.run(["keygen", "-o", "key"]).succeeds();
    assert_eq!(lab.names(), ["bare", "copy", "data", "key", "key.pub"]);
}

#[test]
fn missing_parent_directory() {
    let lab = Lab::with_keys();
    lab.write("data", "data");
    lab.run(["seal", "data", "-o", "no/such/out"])
        .fails(1, &["there is no directory \"no/such\"", "mkdir -p"]);
    lab.run(["keygen", "-o", "no/key"])
        .fails(1, &["there is no directory \"no\""]);
    lab.run(["seal", "data", "-o", "data/out"])
        .fails(1, &["\"data/out\""]);
    assert_eq!(lab.names(), ["data"]);
}

#[test]
fn missing_input() {
    let lab = Lab::with_keys();
    for command in ["seal", "open", "inspect"] {
        lab.run([command, "nothing.pqbox"])
            .fails(1, &["cannot open \"nothing.pqbox\": no such file"]);
    }
    assert_eq!(lab.names().len(), 0);
}

#[test]
fn directory_as_input() {
    let lab = Lab::with_keys();
    for command in ["open", "check", "inspect", "pub"] {
        lab.run([command, "."]).fails(2, &["\".\" is a directory"]);
    }
    // It is sealed as an archive, and then it needs a name.
    for name in [".", "..", "/"] {
        lab.run(["seal", name]).fails(2, &["has no name", "-o OUT"]);
    }
    lab.shell(r#"exec "$@" seal < ."#)
        .fails(2, &["standard input is a directory"]);
}

/// Standard input stays open and empty: who reads before checking never comes back.
fn fails_before_reading(lab: &Lab, args: &[&str], words: &[&str]) {
    let mut child = lab.command(args).stdin(Stdio::piped()).spawn().unwrap();
    let stdin = child.stdin.take();
    Run::from(child.wait_with_output().unwrap()).fails(2, words);
    drop(stdin);
}

#[test]
fn directory_as_output_is_found_before_anything_is_read() {
    let lab = Lab::with_keys();
    fs::create_dir(lab.path("dir")).unwrap();
    for command in ["seal", "open"] {
        for out in ["dir", "dir/", ".", "..", "new/"] {
            for force in [None, Some("--force")] {
                let mut args = vec![command, "-o", out];
                args.extend(force);
                let name = format!("{:?} is a directory", Path::new(out));
                fails_before_reading(&lab, &args, &[&name]);
            }
        }
    }
    lab.run(["keygen", "-o", "dir"])
        .fails(2, &["is a directory"]);
    assert_eq!(lab.names(), ["dir"]);
}

#[test]
fn existing_output_is_found_before_anything_is_read() {
    let lab = Lab::with_keys();
    lab.write("old", "old");
    for command in ["seal", "open"] {
        fails_before_reading(&lab, &[command, "-o", "old"], &["\"old\" exists already"]);
    }
    assert_eq!(lab.read("old"), b"old");
}

#[test]
fn empty_names() {
    let lab = Lab::with_keys();
    lab.write("data", "data");
    lab.run(["seal", "data", "-o", ""]).fails(2, &[]);
    lab.run(["seal", ""]).fails(2, &[]);
}
