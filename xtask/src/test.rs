//! `cargo xtask test`: every test that this machine can run.
//!
//! That is the suite on this CPU; most of the suite again for AArch64 under qemu, and `pqbox
//! selftest` there; and the Python opener, which reads sealed files with none of our code. What the
//! machine lacks for the last two is named at the end, and is a failure where `CI` is set.

use crate::command::{self, Command};
use crate::cross::Cross;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::Path;
use std::time::Instant;

/// The suite without `tests/cli` and `tests/readme.rs`: the emulator's fork hangs now and then, so
/// tests that start hundreds of processes do not end reliably in it.
const SUITE_WITHOUT_PROCESSES: [&str; 18] = [
    "test",
    "--lib",
    "--bins",
    "--test",
    "accumulated",
    "--test",
    "acvp",
    "--test",
    "differential",
    "--test",
    "format",
    "--test",
    "keyfile",
    "--test",
    "project",
    "--test",
    "wycheproof",
    "--no-fail-fast",
];

pub(crate) fn run(root: &Path) -> Result<()> {
    let mut missing = Vec::new();
    step("the test suite", || {
        Command::cargo(root)
            .arguments(&["test", "--workspace"])
            .run()
    })?;
    match Cross::find() {
        Ok(cross) => {
            step("the test suite on AArch64, under qemu", || {
                cross
                    .cargo(root, "-cpu max", &SUITE_WITHOUT_PROCESSES)
                    .run()
            })?;
            step("pqbox selftest on AArch64, under qemu", || {
                cross
                    .cargo(root, "-cpu max", &["run", "--quiet", "--", "selftest"])
                    .run()
            })?;
        }
        Err(why) => missing.push(format!("the suite on AArch64: {why:#}")),
    }
    match python() {
        Ok(()) => step("the Python opener", || interop(root))?,
        Err(why) => missing.push(format!("the Python opener: {why:#}")),
    }
    for what in &missing {
        println!("not run: {what}");
    }
    ensure!(
        missing.is_empty() || std::env::var_os("CI").is_none(),
        "CI is set, and not everything was run"
    );
    Ok(())
}

fn step(name: &str, run: impl FnOnce() -> Result<()>) -> Result<()> {
    println!("\n-- {name}");
    let start = Instant::now();
    run().with_context(|| name.to_owned())?;
    println!(
        "-- {name}: passed in {:.0} s",
        start.elapsed().as_secs_f32()
    );
    Ok(())
}

/// Whether the Python here has what the opener needs.
fn python() -> Result<()> {
    Command::new("python3", Path::new("."))
        .arguments(&["-c", "import cryptography.hazmat.primitives.hpke"])
        .output()
        .map(drop)
}

/// Seals files of lengths around the chunk's, and has the opener open them.
fn interop(root: &Path) -> Result<()> {
    let program = command::build_program(root)?;
    let opener = root.join("tests/interop/open.py");
    let place = tempfile::tempdir()?;
    let place = place.path();
    for kem in ["768", "1024"] {
        let keys = place.join(kem);
        let pqbox = |arguments: &[&str]| {
            Command::new(&program, place)
                .variable("PQBOX_HOME", &keys)
                .arguments(arguments)
                .output()
        };
        pqbox(&["keygen", "--kem", kem])?;
        for len in [0, 1, 16_383, 16_384, 16_385, 1_000_000] {
            let plain: Vec<u8> = (0..len).map(|i: u32| (i ^ i >> 8) as u8).collect();
            let name = format!("{kem}-{len}");
            fs::write(place.join(&name), &plain)?;
            pqbox(&["seal", &name])?;
            Command::new("python3", place)
                .arguments(&[&opener, &keys.join("secret.pem")])
                .arguments(&[format!("{name}.pqbox"), "opened".to_owned()])
                .output()?;
            let opened = fs::read(place.join("opened"))?;
            if opened != plain {
                bail!(
                    "{len} bytes sealed with ML-KEM-{kem} came out as {} others",
                    opened.len()
                );
            }
            println!("ML-KEM-{kem}, {len} bytes: opened");
        }
    }
    Ok(())
}
