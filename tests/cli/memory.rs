//! Memory does not grow with the file.

use crate::harness::{Lab, Run};
use std::fs;
use std::io::Write;
use std::process::Stdio;

const MIB: usize = 1024 * 1024;

/// The most memory that the process ever had resident, in KiB.
fn peak(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// Feeds `input` and looks at the memory early on and just before the end.
fn stays_constant(lab: &Lab, args: &[&str], input: impl Iterator<Item = Vec<u8>>) {
    let mut child = lab.command(args).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut early = None;
    let mut fed = 0;
    for piece in input {
        stdin.write_all(&piece).unwrap();
        fed += piece.len();
        if fed >= 8 * MIB && early.is_none() {
            early = Some(peak(child.id()));
        }
    }
    let late = peak(child.id());
    drop(stdin);
    Run::from(child.wait_with_output().unwrap()).succeeds();
    let (Some(Some(early)), Some(late)) = (early, late) else {
        eprintln!("SKIPPED, /proc does not tell the memory of a process");
        return;
    };
    assert!(early < 64 * 1024, "{early} KiB after 8 MiB");
    assert!(
        late <= early + 1024,
        "{early} KiB after 8 MiB, {late} KiB after {fed} bytes"
    );
}

#[test]
fn constant_in_the_size_of_the_file() {
    let lab = Lab::with_keys();
    let zeros = std::iter::repeat_n(vec![0; MIB], 200);
    stays_constant(&lab, &["seal", "-o", "sealed"], zeros);
    let sealed = lab.read("sealed");
    let pieces = sealed.chunks(MIB).map(<[u8]>::to_vec);
    stays_constant(&lab, &["open", "-o", "/dev/null"], pieces);
}
