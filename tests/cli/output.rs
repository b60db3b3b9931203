//! Output files: links to the input, existing files, devices, FIFOs and `/dev/stdout`, a full
//! disk, permissions.

use crate::harness::{CHUNK, Lab, Run, chmod, inode, mode, noise};
use std::fs;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, symlink};

#[test]
fn output_is_the_input_by_any_name() {
    let lab = Lab::with_keys();
    lab.write("data", "data");
    fs::hard_link(lab.path("data"), lab.path("hard")).unwrap();
    symlink("data", lab.path("soft")).unwrap();
    symlink(".", lab.path("here")).unwrap();
    for out in ["data", "./data", "hard", "soft", "here/hard"] {
        for force in [None, Some("--force")] {
            let mut args = vec!["seal", "data", "-o", out];
            args.extend(force);
            lab.run(&args).fails(2, &[&format!("{out:?}")]);
        }
    }
    lab.run(["seal", "data", "-o", "hard", "--force"])
        .fails(2, &["\"hard\" is the input itself"]);
    assert_eq!(lab.read("data"), b"data");

    let sealed = lab.sealed("sealed", b"data");
    let before = fs::read(&sealed).unwrap();
    fs::hard_link(&sealed, lab.path("hard2")).unwrap();
    for input in ["open sealed -o hard2", "open -o hard2 <sealed"] {
        lab.shell(&format!(r#"exec "$@" {input} --force"#))
            .fails(2, &["is the input itself"]);
    }
    assert_eq!(fs::read(&sealed).unwrap(), before);
}

#[test]
fn standard_output_is_the_input() {
    let lab = Lab::with_keys();
    lab.write("data", "data");
    lab.shell(r#"exec "$@" seal data -o - >> data"#)
        .fails(2, &["standard output is the input itself"]);
    lab.shell(r#"exec "$@" seal < data 1<> data"#)
        .fails(2, &["standard output is the input itself"]);
    assert_eq!(lab.read("data"), b"data");
}

#[test]
fn output_is_a_key() {
    let lab = Lab::new();
    lab.run(["keygen", "-o", "key"]).succeeds();
    lab.write("data", "data");
    lab.run(["seal", "-r", "key.pub", "data"]).succeeds();
    let before = (lab.read("key"), lab.read("key.pub"));
    lab.run(["seal", "-r", "key.pub", "data", "-o", "key.pub", "-f"])
        .fails(2, &["\"key.pub\" is a recipient's key itself"]);
    lab.run(["open", "-i", "key", "data.pqbox", "-o", "key", "-f"])
        .fails(2, &["\"key\" is a secret key itself"]);
    assert_eq!((lab.read("key"), lab.read("key.pub")), before);
}

#[test]
fn existing_output_is_refused_without_force() {
    let lab = Lab::with_keys();
    lab.write("data", "data");
    lab.write("data.pqbox", "precious");
    lab.run(["seal", "data"])
        .fails(2, &["\"data.pqbox\" exists already", "--force"]);
    assert_eq!(lab.read("data.pqbox"), b"precious");
}

#[test]
fn force_replaces_atomically() {
    let lab = Lab::with_keys();
    lab.write("data", "data");
    let out = lab.write("data.pqbox", "old");
    // Whoever has the old file open, or has another name for it, keeps all of it.
    fs::hard_link(&out, lab.path("other-name")).unwrap();
    let mut held = fs::File::open(&out).unwrap();
    let before = inode(&out);
    lab.run(["seal", "data", "--force"]).succeeds();
    assert_ne!(inode(&out), before);
    assert_eq!(lab.read("other-name"), b"old");
    let mut old = Vec::new();
    held.read_to_end(&mut old).unwrap();
    assert_eq!(old, b"old");
    assert_eq!(lab.names(), ["data", "data.pqbox", "other-name"]);
    let opened = lab.run(["open", "data.pqbox", "-o", "-"]).succeeds();
    assert_eq!(opened.stdout, b"data");
}

#[test]
fn force_follows_a_symbolic_link() {
    let lab = Lab::with_keys();
    lab.write("data", "data");
    fs::create_dir(lab.path("real")).unwrap();
    lab.write("real/out", "old");
    symlink("real/out", lab.path("out")).unwrap();
    lab.run(["seal", "data", "-o", "out"])
        .fails(2, &["exists already"]);
    lab.run(["seal", "data", "-o", "out", "-f"]).succeeds();
    assert!(lab.path("out").is_symlink());
    let opened = lab.run(["open", "real/out", "-o", "-"]).succeeds();
    assert_eq!(opened.stdout, b"data");
    assert_eq!(fs::read_dir(lab.path("real")).unwrap().count(), 1);
}

#[test]
fn symbolic_link_to_nothing() {
    let lab = Lab::with_keys();
    lab.write("data", "data");
    symlink("nothing", lab.path("out")).unwrap();
    for force in [None, Some("--force")] {
        let mut args = vec!["seal", "data", "-o", "out"];
        args.extend(force);
        lab.run(&args).fails(2, &["is a symbolic link to nothing"]);
    }
    assert_eq!(lab.names(), ["data", "out"]);
}

#[test]
fn full_device() {
    let lab = Lab::with_keys();
    lab.write("data", "data");
    lab.run(["seal", "data", "-o", "/dev/full"])
        .fails(1, &["cannot write \"/dev/full\": no space left"]);
    lab.shell(r#"exec "$@" seal data -o - > /dev/full"#)
        .fails(1, &["cannot write standard output: no space left"]);
    lab.shell(r#"exec "$@" inspect data.pqbox > /dev/full"#)
        .fails(1, &["data.pqbox"]);
    lab.shell(r#"exec "$@" keygen -o key > /dev/full"#)
        .fails(1, &["standard output"]);
    let device = fs::metadata("/dev/full").unwrap();
    assert!(device.file_type().is_char_device());
}

/// A disk that fills up, by the limit on a file's size. The signal that comes with it would end
/// the process before it can say anything, so it is ignored.
#[test]
fn disk_full_leaves_no_output() {
    let lab = Lab::with_keys();
    lab.sealed("sealed", &noise(40 * CHUNK));
    lab.write("data", noise(40 * CHUNK));
    lab.write("old", "old");
    for command in ["seal data", "open sealed"] {
        for out in ["new", "old --force"] {
            let script = format!(r#"trap '' XFSZ; ulimit -f 200; exec "$@" {command} -o {out}"#);
            let name = out.split(' ').next().unwrap();
            lab.shell(&script)
                .fails(1, &[&format!("cannot write {name:?}: file too large")]);
        }
    }
    assert_eq!(lab.names(), ["data", "old", "sealed"]);
    assert_eq!(lab.read("old"), b"old");
}

#[test]
fn device_stays_a_device() {
    let lab = Lab::with_keys();
    lab.write("data", "data");
    lab.run(["seal", "data", "-o", "/dev/null"]).succeeds();
    lab.run(["seal", "data", "-o", "/dev/null", "--force"])
        .succeeds();
    let device = fs::metadata("/dev/null").unwrap();
    assert!(device.file_type().is_char_device());
}

#[test]
fn fifo_is_written_through() {
    let lab = Lab::with_keys();
    lab.write("data", "data");
    let script = r#"mkfifo pipe; "$@" seal data -o pipe & "$@" open - -o copy < pipe; wait"#;
    lab.shell(script).succeeds();
    assert_eq!(lab.read("copy"), b"data");
    let pipe = fs::metadata(lab.path("pipe")).unwrap();
    assert!(pipe.file_type().is_fifo());
}

#[test]
fn dev_stdout_is_standard_output() {
    let lab = Lab::with_keys();
    lab.sealed("sealed", b"data");
    let piped = lab.run(["open", "sealed", "-o", "/dev/stdout"]).succeeds();
    assert_eq!(piped.stdout, b"data");
    lab.write("log", "one ");
    lab.shell(r#"exec "$@" open sealed -o /dev/stdout >> log"#)
        .succeeds();
    assert_eq!(lab.read("log"), b"one data");
    lab.shell(r#"exec "$@" open sealed -o /dev/fd/3 3> new"#)
        .succeeds();
    assert_eq!(lab.read("new"), b"data");
    assert!(fs::symlink_metadata("/dev/stdout").unwrap().is_symlink());
}

#[test]
fn permissions() {
    let lab = Lab::new();
    // The user's umask is for what others may see; it gives nobody a secret.
    for (umask, shared) in [(0o000, 0o666), (0o022, 0o644), (0o077, 0o600)] {
        let script = format!(
            r#"umask {umask:o}; "$@" keygen -f && "$@" keygen -f -o key && echo data > data &&
               "$@" seal -f data && "$@" open -f data.pqbox -o copy &&
               "$@" open -f data.pqbox -o public --umask &&
               "$@" encapsulate -f -r key.pub --ciphertext ct --secret ss"#
        );
        lab.shell(&script).succeeds();
        let found =
            ["key.pub", "data.pqbox", "ct", "key", "copy", "ss"].map(|name| mode(lab.path(name)));
        let secret = 0o600;
        assert_eq!(found, [shared, shared, shared, secret, secret, secret]);
        assert_eq!(mode(lab.path("public")), shared);
        let found = ["public.pem", "secret.pem", ""].map(|name| mode(lab.key(name)));
        assert_eq!(found, [shared, secret, 0o700]);
    }
}

#[test]
fn replacing_a_readable_file_makes_it_private() {
    let lab = Lab::with_keys();
    lab.sealed("sealed", b"data");
    let out = lab.write("out", "old");
    chmod(&out, 0o644);
    lab.run(["open", "sealed", "-o", "out", "-f"]).succeeds();
    assert_eq!(mode(out), 0o600);
}

/// `/proc` takes no new files, not even root's.
#[test]
fn unwritable_directory() {
    let lab = Lab::with_keys();
    lab.write("data", "data");
    lab.run(["seal", "data", "-o", "/proc/pqbox-test"])
        .fails(1, &["cannot write \"/proc/pqbox-test\""]);
    lab.run(["--key-dir", "/proc/pqbox-test", "keygen"])
        .fails(1, &["cannot make the directory \"/proc/pqbox-test\""]);
}

/// Without `/proc` an unnamed file cannot get a name, so that the program takes the way of a file
/// system that has no unnamed files. Hiding `/proc` takes a mount namespace.
pub(crate) fn without_proc(lab: &Lab, script: &str) -> Option<std::process::Command> {
    let hide = |script: &str| {
        let script = script.replace('\'', r"'\''");
        format!(r#"exec unshare -rm sh -c 'mount -t tmpfs none /proc && {script}' sh "$@""#)
    };
    let possible = Run::of(lab.shell_command(&hide("echo yes")), b"");
    if possible.stdout != b"yes\n" {
        eprintln!("SKIPPED, no mount namespace for an unprivileged user: {possible:?}");
        return None;
    }
    Some(lab.shell_command(&hide(script)))
}

#[test]
fn file_system_without_unnamed_files() {
    let lab = Lab::with_keys();
    lab.write("data", noise(3 * CHUNK));
    lab.write("old", "old");
    lab.sealed("good", b"data");
    let mut bad = lab.read("good");
    bad.pop();
    lab.write("bad", bad);
    let script = r#""$@" seal data && "$@" open data.pqbox -o copy &&
        "$@" open data.pqbox -o old -f &&
        ! "$@" open bad -o none 2>/dev/null && ! "$@" open bad -o old -f 2>/dev/null"#;
    let Some(command) = without_proc(&lab, script) else {
        return;
    };
    Run::of(command, b"").succeeds();
    assert!(lab.read("copy") == noise(3 * CHUNK));
    assert!(lab.read("old") == noise(3 * CHUNK));
    assert_eq!(
        lab.names(),
        ["bad", "copy", "data", "data.pqbox", "good", "old"]
    );
    assert_eq!(
        (mode(lab.path("copy")), mode(lab.path("old"))),
        (0o600, 0o600)
    );
}

/// What `sync` asks of the system, by what it says itself.
#[test]
fn durability_is_what_was_asked_for() {
    let lab = Lab::with_keys();
    lab.write("data", "data");
    let syncs = |args: &[&str]| {
        let script = format!(
            "strace -f -e trace=fsync,fdatasync -o trace \"$@\" {}",
            args.join(" ")
        );
        lab.shell(&script).succeeds();
        let trace = String::from_utf8(lab.read("trace")).unwrap();
        trace.lines().filter(|line| line.contains("sync(")).count()
    };
    if std::process::Command::new("strace")
        .arg("-V")
        .output()
        .is_err()
    {
        eprintln!("durability_is_what_was_asked_for: there is no strace here");
        return;
    }
    assert_eq!(syncs(&["seal", "data"]), 0, "as cp does");
    assert_eq!(
        syncs(&["seal", "--force", "data"]),
        2,
        "data and name of what replaces a file"
    );
    assert_eq!(syncs(&["seal", "--force", "--no-sync", "data"]), 0);
    assert_eq!(syncs(&["open", "--sync", "data.pqbox", "-o", "copy"]), 2);
    assert_eq!(
        syncs(&["open", "--sync", "--no-sync", "data.pqbox", "-o", "other"]),
        0,
        "the last counts"
    );
    assert_eq!(lab.read("copy"), lab.read("other"));
}
