//! `cargo xtask test`: every test that this machine can run.
//!
//! That is the suite on this CPU; the suite again for AArch64 under qemu, and `pqbox selftest`
//! there; and the Python opener, which reads sealed files with none of our code. What the
//! machine lacks for the last two is named at the end, and is a failure where `CI` is set.

use crate::command::{self, Command};
use crate::cross::Cross;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::Path;
use std::time::Instant;

/// The tests of the library. Those of the program start hundreds of processes, and the emulator's
/// fork hangs now and then: they stay outside of it and start the program in it. Of the operations
/// that are hashed together, a hundred run there: ten thousand take minutes on each CPU.
const LIBRARY: [&str; 21] = [
    "test",
    "--no-fail-fast",
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
    "--",
    "--skip",
    "ten_thousand_operations",
];
/// QEMU 7.2 has no TCGETS2, without which no program can turn off a terminal's echo.
const PROGRAM: [&str; 12] = [
    "test",
    "--test",
    "cli",
    "--test",
    "readme",
    "--",
    "--skip",
    "passphrase_is_asked_for_without_echo",
    "--skip",
    "interrupted_prompt_restores_the_terminal",
    "--skip",
    "a_new_passphrase_is_typed_twice",
];

/// CPUs of AArch64, as qemu names them: with the SHA-3 instructions, and without.
const CPUS: [&str; 2] = ["max", "cortex-a72"];

pub(crate) fn run(root: &Path) -> Result<()> {
    let mut missing = Vec::new();
    step("the test suite", || {
        Command::cargo(root)
            .arguments(&["test", "--workspace"])
            .run()
    })?;
    match Cross::find() {
        Ok(cross) => {
            for cpu in CPUS {
                step(
                    &format!("the library on AArch64, {cpu}, under qemu"),
                    || cross.cargo(root, &format!("-cpu {cpu}"), &LIBRARY).run(),
                )?;
                step(
                    &format!("the program on AArch64, {cpu}, under qemu"),
                    || test_program(&cross, root, cpu, None),
                )?;
            }
            step("the program on AArch64, portable, under qemu", || {
                test_program(&cross, root, CPUS[0], Some("portable"))
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

/// `pqbox selftest`, and the tests of the program as processes of this machine.
fn test_program(cross: &Cross, root: &Path, cpu: &str, backend: Option<&str>) -> Result<()> {
    let qemu = format!("-cpu {cpu}");
    let chosen = |command: Command| match backend {
        Some(backend) => command.variable("PQBOX_BACKEND", backend),
        None => command,
    };
    let selftest = ["run", "--quiet", "--bin", "pqbox", "--", "selftest"];
    chosen(cross.cargo(root, &qemu, &selftest)).run()?;
    let ours = std::env::current_exe()?;
    let [profile, target] = [1, 2].map(|up| ours.ancestors().nth(up));
    let profile = profile.and_then(Path::file_name).context("no profile")?;
    let target = target.context("no target directory")?.join(Cross::TARGET);
    let program = target.join(profile).join("pqbox");
    let words = format!("{} {}", Cross::runner(&qemu), program.display());
    chosen(Command::cargo(root).arguments(&PROGRAM))
        .variable("PQBOX_TEST_PROGRAM", words)
        .run()
}

/// Whether the Python here has what the opener needs.
fn python() -> Result<()> {
    Command::new("python3", Path::new("."))
        .arguments(&["-c", "import cryptography.hazmat.primitives.hpke"])
        .output()
        .map(drop)
}

/// For the opener in Python.
const PASSPHRASE: &str = "correct horse";

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
                .variable("PQBOX_PASSPHRASE", PASSPHRASE)
                .arguments(arguments)
                .output()
        };
        pqbox(&["keygen", "--kem", kem])?;
        for len in [0, 1, 16_383, 16_384, 16_385, 1_000_000] {
            let plain: Vec<u8> = (0..len).map(|i: u32| (i ^ i >> 8) as u8).collect();
            let name = format!("{kem}-{len}");
            fs::write(place.join(&name), &plain)?;
            // In every form that leaves the content as it is.
            match len {
                1 => pqbox(&["seal", "--hide-recipients", &name])?,
                16_383 => pqbox(&["seal", "--pad", &name])?,
                16_384 => pqbox(&["seal", "-p", &name])?,
                16_385 => pqbox(&["seal", "--armor", &name])?,
                _ => pqbox(&["seal", &name])?,
            };
            Command::new("python3", place)
                .variable("PQBOX_PASSPHRASE", PASSPHRASE)
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
