//! SIGKILL at random moments: under the final name is what was there, or all of what is new.

use crate::harness::{CHUNK, Lab, is_emulated, noise, send};
use rustix::process::Signal;
use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often each command is killed. An emulator takes long for each.
fn times() -> u32 {
    if is_emulated() { 6 } else { 60 }
}

/// What an undisturbed run takes.
fn duration(lab: &Lab, args: &[&str]) -> Duration {
    let start = Instant::now();
    lab.run(args).succeeds();
    start.elapsed()
}

/// Starts the command again and again, and kills it at moments that are spread over its whole run.
/// `check` looks at what is there then; it says whether the command had done its work.
fn kill(lab: &Lab, args: &[&str], reset: impl Fn(), check: impl Fn() -> bool) {
    reset();
    let whole = duration(lab, args);
    assert!(check(), "an undisturbed run does its work");
    let mut done = 0;
    let times = times();
    for n in 0..times {
        reset();
        let mut child = lab.command(args).spawn().unwrap();
        sleep(whole * n / times);
        // It may have ended before.
        if child.try_wait().unwrap().is_none() {
            send(&child, Signal::KILL);
        }
        child.wait().unwrap();
        done += u32::from(check());
        // A temporary file with a name is all that may be left where there are no unnamed ones, and
        // between a link and a rename.
        for name in lab.names() {
            if name.to_string_lossy().starts_with(".pqbox-") {
                let path = lab.path(&name);
                if path.is_dir() {
                    fs::remove_dir_all(path).unwrap();
                } else {
                    fs::remove_file(path).unwrap();
                }
            }
        }
    }
    assert!(done < times, "no kill came in time");
}

fn remove(lab: &Lab, name: &str) {
    let _ = fs::remove_file(lab.path(name));
    let _ = fs::remove_dir_all(lab.path(name));
}

#[test]
fn killed_while_sealing() {
    let lab = Lab::with_keys();
    let data = noise(64 * CHUNK);
    lab.write("data", &data);
    kill(
        &lab,
        &["seal", "data", "-o", "out"],
        || remove(&lab, "out"),
        || lab.exists("out") && lab.run(["open", "out", "-o", "-"]).succeeds().stdout == data,
    );
}

#[test]
fn killed_while_opening() {
    let lab = Lab::with_keys();
    let data = noise(64 * CHUNK);
    lab.sealed("data.pqbox", &data);
    kill(
        &lab,
        &["open", "data.pqbox", "-o", "out"],
        || remove(&lab, "out"),
        || {
            let there = lab.exists("out");
            assert!(!there || lab.read("out") == data);
            there
        },
    );
}

#[test]
fn killed_while_replacing() {
    let lab = Lab::with_keys();
    let (old, data) = (noise(1000), noise(64 * CHUNK));
    lab.sealed("data.pqbox", &data);
    kill(
        &lab,
        &["open", "--force", "data.pqbox", "-o", "out"],
        || drop(lab.write("out", &old)),
        || {
            let out = lab.read("out");
            assert!(out == old || out == data);
            out == data
        },
    );
}

#[test]
fn killed_while_rekeying() {
    let lab = Lab::with_keys();
    lab.run(["keygen", "-o", "other"]).succeeds();
    let data = noise(64 * CHUNK);
    lab.sealed("before", &data);
    let before = lab.read("before");
    for rotate in [
        &["rekey", "file", "--add", "other.pub"][..],
        &["rekey", "file", "--rotate", "--set", "other.pub"],
    ] {
        kill(
            &lab,
            rotate,
            || drop(lab.write("file", &before)),
            || {
                if lab.read("file") == before {
                    return false;
                }
                let run = lab.run(["open", "-i", "other", "file", "-o", "-"]);
                run.succeeds().stdout == data
            },
        );
    }
}

#[test]
fn killed_while_removing_the_source() {
    let lab = Lab::with_keys();
    let data = noise(64 * CHUNK);
    kill(
        &lab,
        &["seal", "--rm", "data"],
        || {
            remove(&lab, "data.pqbox");
            lab.write("data", &data);
        },
        || {
            let removed = !lab.exists("data");
            // Never neither.
            if removed || lab.exists("data.pqbox") {
                let run = lab.run(["open", "data.pqbox", "-o", "-"]);
                assert!(run.succeeds().stdout == data);
            }
            assert!(removed || lab.read("data") == data);
            removed
        },
    );
}

#[test]
fn killed_while_extracting() {
    let lab = Lab::with_keys();
    fs::create_dir(lab.path("tree")).unwrap();
    for n in 0..16 {
        lab.write(format!("tree/{n}"), noise(4 * CHUNK));
    }
    lab.run(["seal", "tree"]).succeeds();
    kill(
        &lab,
        &["open", "tree.pqbox", "-o", "out"],
        || remove(&lab, "out"),
        || {
            let there = lab.exists("out");
            for n in (0..16).filter(|_| there) {
                assert!(lab.read(format!("out/{n}")) == noise(4 * CHUNK));
            }
            there
        },
    );
}
