//! Signals while writing: nothing is left behind, and the process dies of the signal.

use crate::harness::{CHUNK, Lab, Run, noise, send};
use crate::output::without_proc;
use rustix::process::Signal;
use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// (SIGQUIT is meant to leave something: a core.)
const LETHAL: [Signal; 4] = [Signal::INT, Signal::TERM, Signal::HUP, Signal::KILL];

/// Starts the program, and feeds it until it has written something for certain: more than a pipe
/// holds has left our hands.
fn start(mut command: Command, input: &[u8]) -> (Child, ChildStdin) {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input).unwrap();
    (child, stdin)
}

#[test]
fn nothing_is_left_behind() {
    let lab = Lab::with_keys();
    let data = noise(40 * CHUNK);
    let sealed = lab.run_with(["seal"], &data).succeeds().stdout;
    let part = &sealed[..39 * CHUNK];
    for (command, input) in [("seal", &data[..]), ("open", part)] {
        for signal in LETHAL {
            let (child, stdin) = start(lab.command([command, "-o", "new"]), input);
            send(&child, signal);
            Run::from(child.wait_with_output().unwrap()).dies_of(signal);
            drop(stdin);
            assert_eq!(lab.names().len(), 0, "{command}, {signal:?}");
        }
    }
}

#[test]
fn an_existing_file_is_untouched() {
    let lab = Lab::with_keys();
    lab.write("old", "old");
    for signal in LETHAL {
        let command = lab.command(["seal", "--force", "-o", "old"]);
        let (child, stdin) = start(command, &noise(40 * CHUNK));
        send(&child, signal);
        Run::from(child.wait_with_output().unwrap()).dies_of(signal);
        drop(stdin);
        assert_eq!(lab.read("old"), b"old");
        assert_eq!(lab.names(), ["old"]);
    }
}

/// What a shell sees: 128 and the number of the signal.
#[test]
fn exit_status_as_a_shell_sees_it() {
    let lab = Lab::with_keys();
    let script = r#"mkfifo in; "$@" seal in -o out & pid=$!
        exec 3> in; kill -TERM $pid; wait $pid; echo $?"#;
    assert_eq!(lab.shell(script).text(), "143\n");
}

fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Without unnamed files there is a temporary one to remove. (Not by SIGKILL, which nobody can
/// act upon: there the final name is free all the same.)
#[test]
fn nothing_is_left_behind_without_unnamed_files() {
    let lab = Lab::with_keys();
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let Some(command) = without_proc(&lab, r#"exec "$@" seal -o new"#) else {
            return;
        };
        let (child, stdin) = start(command, &noise(40 * CHUNK));
        wait_for("a temporary file", || lab.names().len() == 1);
        assert!(!lab.exists("new"));
        send(&child, signal);
        Run::from(child.wait_with_output().unwrap()).dies_of(signal);
        drop(stdin);
        assert_eq!(lab.names().len(), 0, "{signal:?}");
    }
}

/// A job under `nohup` keeps ignoring what it was started to ignore, at the moment of replacing
/// a file too, where the program has a handler.
#[test]
fn ignored_signals_stay_ignored() {
    let lab = Lab::with_keys();
    lab.write("old", "old");
    let command = lab.shell_command(r#"trap '' HUP; exec "$@" seal --force -o old"#);
    let (child, stdin) = start(command, &noise(40 * CHUNK));
    send(&child, Signal::HUP);
    drop(stdin);
    Run::from(child.wait_with_output().unwrap()).succeeds();
    let opened = lab.run(["open", "old", "-o", "-"]).succeeds();
    assert!(opened.stdout == noise(40 * CHUNK));
}
