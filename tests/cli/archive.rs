//! Directories: sealed as archives, extracted into new directories and nowhere else.

use crate::harness::{CHUNK, Lab, Run, chmod, mode, noise, send};
use rustix::process::Signal;
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, UNIX_EPOCH};
use tar::{EntryType, Header};

fn tree(lab: &Lab) {
    fs::create_dir_all(lab.path("tree/b/c")).unwrap();
    fs::create_dir(lab.path("tree/empty")).unwrap();
    // At and around the sizes of tar's blocks and of chunks.
    for len in [0, 1, 511, 512, 513, CHUNK, 3 * CHUNK + 7] {
        lab.write(format!("tree/b/{len}"), noise(len));
    }
    let long = "n".repeat(150);
    lab.write(
        format!("tree/b/c/{long}"),
        "a name that tar's header has no room for",
    );
    lab.write("tree/run", "#!/bin/sh\n");
    chmod(lab.path("tree/run"), 0o755);
}

/// Every name below `root`, with what it holds.
fn contents(root: &Path) -> Vec<(String, Option<Vec<u8>>)> {
    let mut all = Vec::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_string_lossy()
                .into_owned();
            if path.is_dir() {
                all.push((name, None));
                directories.push(path);
            } else {
                all.push((name, Some(fs::read(path).unwrap())));
            }
        }
    }
    all.sort();
    all
}

#[test]
fn a_directory_is_sealed_and_extracted() {
    let lab = Lab::with_keys();
    tree(&lab);
    let time = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for name in ["tree/run", "tree/b"] {
        fs::File::open(lab.path(name))
            .unwrap()
            .set_modified(time)
            .unwrap();
    }
    // As a shell completes it, too.
    for name in ["tree", "tree/"] {
        lab.run(["seal", "--force", name]).succeeds();
    }
    assert_eq!(lab.names(), ["tree", "tree.pqbox"]);
    let report = lab.run(["inspect", "tree.pqbox"]).succeeds();
    assert!(report.text().contains("content     a directory\n"));

    lab.run(["open", "tree.pqbox"])
        .fails(2, &["\"tree\" is a directory", "-o OUT"]);
    lab.write("file", "file");
    lab.run(["open", "tree.pqbox", "-o", "file", "--force"])
        .fails(2, &["\"file\" exists already", "replaces nothing"]);
    assert_eq!(lab.read("file"), b"file");
    lab.run(["open", "tree.pqbox", "-o", "new"]).succeeds();
    assert!(contents(&lab.path("new")) == contents(&lab.path("tree")));
    assert_eq!([mode(lab.path("new")), mode(lab.path("new/b"))], [0o700; 2]);
    assert_eq!(mode(lab.path("new/run")), 0o700);
    assert_eq!(mode(lab.path("new/b/512")), 0o600);
    for name in ["new/run", "new/b"] {
        let modified = fs::metadata(lab.path(name)).unwrap().modified();
        assert_eq!(modified.unwrap(), time, "{name}");
    }
    lab.run(["check", "tree.pqbox"]).succeeds();
    // Sealed again, it is the same archive.
    lab.run(["seal", "new", "-o", "again.pqbox"]).succeeds();
    let archive = |name: &str| lab.run(["open", name, "-o", "-"]).succeeds().stdout;
    let sizes = [archive("tree.pqbox").len(), archive("again.pqbox").len()];
    assert_eq!(sizes[0], sizes[1]);
}

/// With everything that sealing and opening can do to a file.
#[test]
fn a_directory_in_every_form() {
    let lab = Lab::with_keys();
    tree(&lab);
    let whole = contents(&lab.path("tree"));
    lab.run(["seal", "tree", "--armor", "--pad", "--sync", "-o", "text"])
        .succeeds();
    lab.run(["open", "text", "-o", "new", "--sync"]).succeeds();
    assert!(contents(&lab.path("new")) == whole);
    lab.run([
        "rekey",
        "text",
        "--set",
        lab.key("public.pem").to_str().unwrap(),
        "--rotate",
    ])
    .succeeds();
    lab.run(["open", "text", "-o", "rotated"]).succeeds();
    assert!(contents(&lab.path("rotated")) == whole);
    // Beside files.
    lab.write("file", "file");
    lab.run(["seal", "tree", "file", "--output-dir", "out"])
        .succeeds();
    lab.run([
        "open",
        "out/tree.pqbox",
        "out/file.pqbox",
        "--output-dir",
        "opened",
    ])
    .succeeds();
    assert!(contents(&lab.path("opened/tree")) == whole);
    assert_eq!(lab.read("opened/file"), b"file");
    fs::create_dir(lab.path("nothing")).unwrap();
    lab.run(["seal", "nothing"]).succeeds();
    lab.run(["open", "nothing.pqbox", "-o", "nothing more"])
        .succeeds();
    assert!(contents(&lab.path("nothing more")).is_empty());
}

/// Other software reads it.
#[test]
fn the_archive_is_a_tar_archive() {
    let lab = Lab::with_keys();
    tree(&lab);
    lab.run(["seal", "tree"]).succeeds();
    lab.shell(r#"mkdir new && "$@" open tree.pqbox -o - | tar x -C new"#)
        .succeeds();
    assert!(contents(&lab.path("new")) == contents(&lab.path("tree")));
    // And it reads that of others, if it says so.
    let status = lab
        .shell(r#"exec "$@" open tree.pqbox -o - > tree.tar"#)
        .succeeds();
    assert!(status.stdout.is_empty());
    assert!(lab.read("tree.tar").len().is_multiple_of(512));
}

#[test]
fn a_directory_is_removed_when_it_is_safe() {
    let lab = Lab::with_keys();
    tree(&lab);
    let whole = contents(&lab.path("tree"));
    lab.run(["seal", "--rm", "tree"]).succeeds();
    assert_eq!(lab.names(), ["tree.pqbox"]);
    lab.run(["open", "tree.pqbox"]).succeeds();
    assert!(contents(&lab.path("tree")) == whole);
    lab.run(["seal", "--rm", "tree", "-o", "-"])
        .fails(2, &["--rm cannot remove"]);
    lab.run(["seal", "--rm", "tree", "-o", "tree/inside"])
        .fails(1, &["sealed, but not removed", "\"tree\""]);
    assert!(lab.exists("tree/inside"));
}

#[test]
fn permissions_of_a_directory() {
    let lab = Lab::with_keys();
    tree(&lab);
    lab.run(["seal", "tree"]).succeeds();
    for (umask, shared) in [(0o000, 0o666), (0o022, 0o644), (0o077, 0o600)] {
        let script = format!(
            r#"umask {umask:o}; rm -rf private open; "$@" open tree.pqbox -o private &&
               "$@" open tree.pqbox -o open --umask"#
        );
        lab.shell(&script).succeeds();
        let directory = shared | (shared & 0o444) >> 2;
        let found = ["open", "open/b", "open/run", "open/b/1"].map(|name| mode(lab.path(name)));
        assert_eq!(found, [directory, directory, directory, shared]);
        let found = ["private", "private/b", "private/run", "private/b/1"];
        let found = found.map(|name| mode(lab.path(name)));
        assert_eq!(found, [0o700, 0o700, 0o700, 0o600]);
    }
}

/// What an archive cannot hold fails the whole, before there is an output.
#[test]
fn links_and_devices_are_not_sealed() {
    let lab = Lab::with_keys();
    fs::create_dir(lab.path("tree")).unwrap();
    lab.write("tree/a", "a");
    symlink("a", lab.path("tree/link")).unwrap();
    let words = ["\"tree/link\" is a symbolic link", "tar c"];
    lab.run(["seal", "tree"]).fails(2, &words);
    fs::remove_file(lab.path("tree/link")).unwrap();
    lab.shell("mkfifo tree/pipe").succeeds();
    lab.run(["seal", "tree"])
        .fails(2, &["\"tree/pipe\" is no regular file"]);
    assert_eq!(lab.names(), ["tree"]);
    // The output is not what is sealed.
    fs::remove_file(lab.path("tree/pipe")).unwrap();
    lab.run(["seal", "tree", "--force", "-o", "tree/a"])
        .fails(2, &["\"tree/a\" is to be sealed itself"]);
    assert_eq!(lab.read("tree/a"), b"a");
    // A link to a directory is one, as it is for other commands.
    symlink("tree", lab.path("link")).unwrap();
    lab.run(["seal", "link"]).succeeds();
    lab.run(["seal", "--rm", "link", "--force"])
        .fails(2, &["--rm cannot remove"]);
}

/// An archive of these names and kinds, each with the name as what it holds.
fn archive(entries: &[(&str, EntryType)]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, kind) in entries {
        let mut header = Header::new_gnu();
        let field = &mut header.as_old_mut().name;
        field[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        header.set_mode(0o644);
        header.set_mtime(0);
        let data = if kind.is_file() { name.as_bytes() } else { b"" };
        header.set_size(data.len() as u64);
        if !kind.is_file() && !kind.is_dir() {
            header.set_link_name("target").unwrap();
        }
        header.set_cksum();
        archive.append(&header, data).unwrap();
    }
    archive.into_inner().unwrap()
}

/// Seals bytes as a directory: what a malicious writer would make with the library.
fn sealed_as_directory(lab: &Lab, name: &str, bytes: &[u8]) {
    use pqbox::hybrid::{Content, PublicKey, Sealing};
    let key = fs::read(lab.key("public.pem")).unwrap();
    let recipients = [PublicKey::from_pem(&key).unwrap()];
    let content = Content {
        archive: true,
        padded: false,
    };
    let mut rng = rand::rngs::SysRng;
    let sealing = Sealing::to(&recipients).content(content);
    let mut sealer = sealing.begin(bytes, &mut rng).unwrap();
    let mut file = Vec::new();
    while let Some(piece) = sealer.next_chunk().unwrap() {
        file.extend_from_slice(piece);
    }
    lab.write(name, file);
}

#[test]
fn archives_that_lead_elsewhere_are_refused() {
    use EntryType::{Block, Char, Directory, Fifo, Link, Regular, Symlink};
    let lab = Lab::with_keys();
    fs::create_dir(lab.path("here")).unwrap();
    lab.write("target", "target");
    let bad: &[(&[(&str, EntryType)], &str)] = &[
        (&[("/etc/passwd", Regular)], "leads out of it"),
        (&[("../target", Regular)], "leads out of it"),
        (&[("a/../../target", Regular)], "leads out of it"),
        (&[("a/..", Directory)], "leads out of it"),
        (
            &[("link", Symlink), ("link/a", Regular)],
            "neither a file nor a directory",
        ),
        (&[("hard", Link)], "neither a file nor a directory"),
        (&[("device", Char)], "neither a file nor a directory"),
        (&[("disk", Block)], "neither a file nor a directory"),
        (&[("pipe", Fifo)], "neither a file nor a directory"),
        (&[("a", Regular), ("a", Regular)], "would be one"),
        (&[("a", Regular), ("./a", Regular)], "would be one"),
        (&[("a", Regular), ("A", Regular)], "would be one"),
        (&[("É", Regular), ("é", Regular)], "would be one"),
        (&[("a/b", Regular), ("A/c", Regular)], "would be one"),
        (&[("a", Regular), ("a/b", Regular)], "would be one"),
        (&[("a/b", Regular), ("a", Regular)], "would be one"),
        (&[("a", Directory), ("a", Regular)], "would be one"),
        (&[(".", Regular)], "no name for a file"),
        (&[("", Regular)], "no name for a file"),
    ];
    for (entries, words) in bad {
        // What is good before it does not appear either.
        let entries = [&[("good", Regular)], *entries].concat();
        sealed_as_directory(&lab, "here/bad.pqbox", &archive(&entries));
        lab.run(["open", "here/bad.pqbox"]).fails(
            4,
            &["here/bad.pqbox", "cannot be extracted", words, "tar tv"],
        );
        assert_eq!(
            fs::read_dir(lab.path("here")).unwrap().count(),
            1,
            "{entries:?}"
        );
    }
    assert_eq!(lab.read("target"), b"target");
    // Standard output gets it as it is.
    let run = lab.run(["open", "here/bad.pqbox", "-o", "-"]).succeeds();
    assert!(run.stdout.starts_with(b"good"));

    let good = [
        (".", Directory),
        ("./a", Directory),
        ("a/b", Regular),
        ("c/d/e", Regular),
        ("a", Directory),
        ("c", Directory),
        ("..e", Regular),
    ];
    sealed_as_directory(&lab, "good.pqbox", &archive(&good));
    lab.run(["open", "good.pqbox"]).succeeds();
    assert_eq!(lab.read("good/c/d/e"), b"c/d/e");
    assert_eq!(lab.read("good/..e"), b"..e");
}

#[test]
fn malformed_archives_leave_nothing() {
    let lab = Lab::with_keys();
    let good = archive(&[("a", EntryType::Regular), ("b", EntryType::Regular)]);
    let mut flipped = good.clone();
    flipped[5] ^= 1;
    // A name that would take all memory.
    let mut huge = Header::new_gnu();
    huge.set_entry_type(EntryType::GNULongName);
    huge.set_size(1 << 40);
    huge.set_cksum();
    let huge = [huge.as_bytes(), &vec![b'n'; 3 << 20][..]].concat();
    for bytes in [&good[..700], &flipped, &huge, &noise(10_000)] {
        sealed_as_directory(&lab, "bad.pqbox", bytes);
        lab.run(["open", "bad.pqbox"])
            .fails(4, &["\"bad.pqbox\"", "archive in it is malformed"]);
        assert_eq!(lab.names(), ["bad.pqbox"]);
    }
    // What is sealed behind the archive is authenticated too.
    let mut long = good.clone();
    long.extend(vec![0; 5 * CHUNK]);
    sealed_as_directory(&lab, "bad.pqbox", &long);
    let mut sealed = lab.read("bad.pqbox");
    let last = sealed.len() - 20;
    sealed[last] ^= 1;
    lab.write("bad.pqbox", &sealed);
    lab.run(["open", "bad.pqbox"]).fails(4, &["the last chunk"]);
    assert_eq!(lab.names(), ["bad.pqbox"]);
}

#[test]
fn a_signal_while_extracting_leaves_nothing() {
    let lab = Lab::with_keys();
    fs::create_dir(lab.path("tree")).unwrap();
    for n in 0..20 {
        lab.write(format!("tree/{n}"), noise(4 * CHUNK));
    }
    lab.run(["seal", "--rm", "tree"]).succeeds();
    let sealed = lab.read("tree.pqbox");
    fs::remove_file(lab.path("tree.pqbox")).unwrap();
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut command = lab.command(["open", "-o", "new"]);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&sealed[..sealed.len() - 100]).unwrap();
        send(&child, signal);
        Run::from(child.wait_with_output().unwrap()).dies_of(signal);
        assert_eq!(lab.names().len(), 0, "{signal:?}");
    }
    // That it fails does not leave anything either.
    lab.run_with(["open", "-o", "new"], &sealed[..sealed.len() - 100])
        .fails(4, &["truncated"]);
    assert_eq!(lab.names().len(), 0);
}
