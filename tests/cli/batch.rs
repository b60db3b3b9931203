//! Many files in one run: each to its own output, and one bad one does not hold up the others.

use crate::harness::{Lab, noise};

const COUNT: usize = 40;

fn names() -> Vec<String> {
    (0..COUNT).map(|i| format!("f{i}")).collect()
}

/// The command and the files.
fn with<'a>(command: &[&'a str], files: &'a [String]) -> Vec<&'a str> {
    let files = files.iter().map(String::as_str);
    command.iter().copied().chain(files).collect()
}

#[test]
fn many_files_seal_and_open_each_to_its_own() {
    let lab = Lab::with_keys();
    let files = names();
    for (i, file) in files.iter().enumerate() {
        lab.write(file, noise(1000 * i));
    }
    lab.run(with(&["seal"], &files)).succeeds();
    for file in &files {
        std::fs::rename(lab.path(file), lab.path(format!("{file}.before"))).unwrap();
    }
    let sealed: Vec<String> = files.iter().map(|file| format!("{file}.pqbox")).collect();
    lab.run(with(&["open"], &sealed)).succeeds();
    for file in &files {
        assert!(
            lab.read(file) == lab.read(format!("{file}.before")),
            "{file}"
        );
    }
}

#[test]
fn one_bad_file_is_reported_and_the_others_go_on() {
    let lab = Lab::with_keys();
    let files = names();
    for file in &files {
        lab.write(file, file);
    }
    lab.write("f7.pqbox", "there already");
    std::fs::remove_file(lab.path("f3")).unwrap();
    lab.run(with(&["seal"], &files)).fails(
        1,
        &[
            "\"f3\"",
            "no such file",
            "\"f7.pqbox\" exists already",
            "2 of 40 files were not sealed",
        ],
    );
    assert_eq!(lab.read("f7.pqbox"), b"there already");
    assert!(!lab.exists("f3.pqbox"));

    let sealed: Vec<String> = (10..20).map(|i| format!("f{i}.pqbox")).collect();
    for file in &files[10..20] {
        std::fs::remove_file(lab.path(file)).unwrap();
    }
    let mut damaged = lab.read("f15.pqbox");
    *damaged.last_mut().unwrap() ^= 1;
    lab.write("f15.pqbox", damaged);
    lab.run(with(&["open"], &sealed))
        .fails(4, &["\"f15.pqbox\"", "1 of 10 files were not opened"]);
    for i in (10..20).filter(|i| *i != 15) {
        assert_eq!(lab.read(format!("f{i}")), format!("f{i}").as_bytes());
    }
    assert!(!lab.exists("f15"));
}

#[test]
fn one_output_is_not_for_many_files() {
    let lab = Lab::with_keys();
    lab.write("a", "a");
    lab.write("b", "b");
    let before = lab.names();
    lab.run(["seal", "a", "b", "-o", "both"])
        .fails(2, &["2 files cannot all become \"both\"", "hint: "]);
    lab.run(["seal", "a", "-"]).fails(2, &["standard input"]);
    lab.run(["open", "a.pqbox", "-"])
        .fails(2, &["standard input"]);
    assert_eq!(lab.names(), before);
}

#[test]
fn a_file_that_is_named_twice_is_refused() {
    let lab = Lab::with_keys();
    lab.write("a", "a");
    for force in [&[][..], &["--force"]] {
        lab.run([&["seal", "a", "./a"], force].concat())
            .fails(2, &["\"a\" and \"./a\" would have one output"]);
        assert!(!lab.exists("a.pqbox"));
    }
}
