//! Which files: lists, directories, and where the outputs go.

use crate::harness::{Lab, Run, noise};
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;

/// A tree with files at three depths, and what is not to be taken.
fn tree(lab: &Lab) {
    fs::create_dir_all(lab.path("tree/b/c")).unwrap();
    fs::create_dir(lab.path("tree/empty")).unwrap();
    for file in ["tree/a", "tree/b/a", "tree/b/c/z"] {
        lab.write(file, file);
    }
    lab.write("outside", "outside");
    symlink("../outside", lab.path("tree/link")).unwrap();
    symlink("..", lab.path("tree/up")).unwrap();
}

#[test]
fn names_come_from_a_list() {
    let lab = Lab::with_keys();
    for file in ["a", "b c", "-d", "e\nf"] {
        lab.write(file, file);
    }
    lab.write("list", "a\n\nb c\n-d");
    lab.run(["seal", "--files-from", "list"]).succeeds();
    for file in ["a", "b c", "-d"] {
        fs::remove_file(lab.path(file)).unwrap();
    }
    lab.run_with(["open", "--files-from", "-"], b"a.pqbox\n-d.pqbox\n")
        .succeeds();
    assert_eq!(lab.read("a"), b"a");
    assert_eq!(lab.read("-d"), b"-d");
    assert!(!lab.exists("b c"));

    lab.run_with(["seal", "--files-from", "-", "-0"], b"e\nf\0b c.pqbox\0")
        .warns(&["\"b c.pqbox\" is sealed already"]);
    assert!(lab.exists("e\nf.pqbox"));
    // Beside names that were typed; and a bad one does not hold up the others.
    lab.write("g", "g");
    lab.run_with(["seal", "g", "--files-from", "-"], b"missing\n")
        .fails(1, &["\"missing\"", "1 of 2 files were not sealed"]);
    assert!(lab.exists("g.pqbox"));
}

#[test]
fn an_empty_list_is_no_file() {
    let lab = Lab::with_keys();
    let before = lab.names();
    let run = lab
        .run_with(["seal", "--files-from", "-"], b"\n")
        .succeeds();
    assert_eq!(run.stdout, b"");
    assert_eq!(lab.names(), before);
    lab.run(["seal", "--files-from", "missing"])
        .fails(1, &["cannot open \"missing\""]);
    lab.run(["seal", "-0"]).fails(2, &["--files-from"]);
}

#[test]
fn a_tree_is_sealed_file_by_file() {
    let lab = Lab::with_keys();
    tree(&lab);
    lab.run(["seal", "--recursive", "tree"]).succeeds();
    for file in ["tree/a", "tree/b/a", "tree/b/c/z"] {
        assert!(lab.exists(format!("{file}.pqbox")));
        fs::remove_file(lab.path(file)).unwrap();
    }
    assert!(!lab.exists("tree/link.pqbox") && !lab.exists("outside.pqbox"));
    lab.run(["open", "--recursive", "tree"]).succeeds();
    for file in ["tree/a", "tree/b/a", "tree/b/c/z"] {
        assert_eq!(lab.read(file), file.as_bytes());
    }
    // A second run takes what the first did not make: nothing here is new.
    lab.run(["seal", "--recursive", "tree"])
        .fails(2, &["exists already", "3 of 3 files"]);
    assert!(!lab.exists("tree/a.pqbox.pqbox"));
}

#[test]
fn outputs_go_where_they_are_told() {
    let lab = Lab::with_keys();
    tree(&lab);
    lab.write("x", "x");
    lab.run([
        "seal",
        "--recursive",
        "tree",
        "x",
        "--output-dir",
        "new/sealed",
    ])
    .succeeds();
    for file in ["a", "b/a", "b/c/z", "x"] {
        assert!(lab.exists(format!("new/sealed/{file}.pqbox")), "{file}");
    }
    assert!(!lab.exists("new/sealed/empty") && !lab.exists("tree/a.pqbox"));
    lab.run([
        "open",
        "--recursive",
        "new/sealed",
        "--output-dir",
        "opened",
    ])
    .succeeds();
    assert_eq!(lab.read("opened/b/c/z"), b"tree/b/c/z");
    // One file too.
    lab.run(["seal", "x", "--output-dir", "one"]).succeeds();
    assert!(lab.exists("one/x.pqbox"));
    lab.run(["seal", "x", "--output-dir", "one", "-o", "y"])
        .fails(2, &["cannot be used with"]);
    for stdin in [&["seal"][..], &["seal", "-"]] {
        lab.run([stdin, &["--output-dir", "two"]].concat())
            .fails(2, &["standard input has no name"]);
    }
    assert!(!lab.exists("two"));
}

#[test]
fn two_files_do_not_become_one() {
    let lab = Lab::with_keys();
    tree(&lab);
    let seal = [
        "seal",
        "tree/a",
        "tree/b/a",
        "--output-dir",
        "sealed",
        "--force",
    ];
    lab.run(seal)
        .fails(2, &["\"tree/a\" and \"tree/b/a\" would have one output"]);
    assert!(!lab.exists("sealed"));
    lab.run(["seal", "tree/a", "tree/a", "--force"])
        .fails(2, &["would have one output"]);
    assert!(!lab.exists("tree/a.pqbox"));
}

#[test]
fn the_source_is_removed_when_it_is_safe() {
    let lab = Lab::with_keys();
    for name in ["a", "b", "c"] {
        lab.write(name, noise(40_000));
    }
    lab.run(["seal", "--rm", "a", "b"]).succeeds();
    lab.run(["seal", "--rm", "--armor", "c"]).succeeds();
    for name in ["a", "b", "c"] {
        assert!(!lab.exists(name));
        let sealed = format!("{name}.pqbox");
        let opened = lab.run(["open", &sealed, "-o", "-"]).succeeds();
        assert!(opened.stdout == noise(40_000));
    }
}

#[test]
fn a_source_that_is_not_safe_stays() {
    let lab = Lab::with_keys();
    lab.write("a", "a");
    lab.write("a.pqbox", "there already");
    symlink("a", lab.path("link")).unwrap();
    lab.run(["seal", "--rm", "a"]).fails(2, &["exists already"]);
    for run in [
        lab.run(["seal", "--rm", "link"]),
        lab.run(["seal", "--rm", "a", "-o", "-"]),
        lab.run(["seal", "--rm", "a", "-o", "/dev/null"]),
        lab.run_with(["seal", "--rm", "-o", "out"], b"piped"),
    ] {
        run.fails(2, &["--rm cannot remove"]);
    }
    lab.run(["seal", "--rm", "--no-sync", "a", "-o", "out"])
        .fails(2, &["cannot be used with"]);
    assert_eq!(lab.read("a"), b"a");
    assert!(!lab.exists("out") && !lab.exists("link.pqbox"));
}

/// It is removed only if the sealed file holds what it has in the end.
#[test]
fn a_source_that_changes_meanwhile_stays() {
    let lab = Lab::with_keys();
    lab.shell("mkfifo -m 600 pass").succeeds();
    lab.write("a", "first");
    // The file is open and its size known; the passphrase is waited for.
    let mut command = lab.command(["seal", "--rm", "a", "--passphrase-file", "pass"]);
    let child = command.spawn().unwrap();
    let mut pipe = fs::File::options()
        .write(true)
        .open(lab.path("pass"))
        .unwrap();
    fs::remove_file(lab.path("a")).unwrap();
    lab.write("a", "second");
    pipe.write_all(b"words\n").unwrap();
    drop(pipe);
    Run::from(child.wait_with_output().unwrap())
        .fails(1, &["sealed, but not removed", "has changed since"]);
    assert_eq!(lab.read("a"), b"second");
}
