//! Standard streams: pipes, a reader that goes away, streams that are closed from the start.

use crate::harness::{Lab, Run, noise};
use rustix::process::Signal;

#[test]
fn from_pipe_to_pipe() {
    let lab = Lab::with_keys();
    lab.write("data", noise(100_000));
    lab.shell(r#"cat data | "$@" seal | "$@" open | cmp - data"#)
        .succeeds();
    lab.shell(r#"cat data | "$@" seal - -o - | "$@" open - -o - | cmp - data"#)
        .succeeds();
    // What is no file has no name that an output's could be made of.
    lab.shell(r#"cat data | "$@" seal /dev/stdin | "$@" open /dev/stdin | cmp - data"#)
        .succeeds();
    assert_eq!(lab.names(), ["data"]);
}

#[test]
fn a_redirected_file_has_no_name_either() {
    let lab = Lab::with_keys();
    lab.write("data", "data");
    lab.shell(r#""$@" seal < data > sealed && exec "$@" open < sealed > copy"#)
        .succeeds();
    assert_eq!(lab.read("copy"), b"data");
    assert_eq!(lab.names(), ["copy", "data", "sealed"]);
}

#[test]
fn reader_goes_away() {
    let lab = Lab::with_keys();
    lab.write("data", noise(1_000_000));
    lab.sealed("sealed", &noise(1_000_000));
    for args in [
        &["seal", "data", "-o", "-"][..],
        &["open", "sealed", "-o", "-"],
        // The same for what is no file's content.
        &["inspect", "sealed"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = lab.command(args).stdout(writer).output().unwrap();
        Run::from(output).dies_of(Signal::PIPE);
    }
}

#[test]
fn standard_input_cannot_be_two_inputs() {
    let lab = Lab::with_keys();
    lab.write("data", "data");
    let words = &["standard input cannot be two inputs"];
    for args in [
        &["seal", "-r", "-"][..],
        &["seal", "data", "-r", "-", "-r", "-"],
        &[
            "decapsulate",
            "-i",
            "-",
            "--ciphertext",
            "-",
            "--secret",
            "x",
        ],
    ] {
        let key = std::fs::read(lab.key("public.pem")).unwrap();
        lab.run_with(args, &key).fails(2, words);
    }
    assert_eq!(lab.names(), ["data"]);
}

/// A file opened by a program whose standard output is closed gets number 1: what is meant for
/// standard output must not end up in it.
#[test]
fn closed_from_the_start() {
    let lab = Lab::with_keys();
    lab.write("data", "data");
    lab.shell(r#"exec "$@" seal data <&- >&- 2>&-"#).succeeds();
    lab.shell(r#"exec "$@" open data.pqbox -o copy <&- >&- 2>&-"#)
        .succeeds();
    assert_eq!(lab.read("copy"), b"data");
    lab.shell(r#"exec "$@" keygen -o key <&- >&- 2>&-"#)
        .succeeds();
    let sealed = lab.run_with(["seal", "-r", "key.pub"], b"x").succeeds();
    lab.run_with(["open", "-i", "key"], &sealed.stdout)
        .succeeds();
    // A message that nobody can hear goes nowhere.
    let quiet = lab.shell(r#""$@" open data -o none >&- 2>&-; echo $?"#);
    assert_eq!((quiet.text(), quiet.stderr.as_str()), ("4\n", ""));
    assert_eq!(lab.read("data"), b"data");
    assert!(!lab.exists("none"));
}

#[test]
fn standard_error_that_is_full() {
    let lab = Lab::with_keys();
    let run = lab.shell(r#""$@" open missing 2> /dev/full; echo $?"#);
    assert_eq!(run.text(), "1\n");
}
