//! `cargo xtask test`: every test that this machine can run.
//!
//! That is the suite on this CPU; the suite again for AArch64 under qemu, and `pqbox selftest`
//! there; and the Python opener, which reads sealed files with none of our code. What the
//! machine lacks for the last two is named at the end, and is a failure where `CI` is set.

use crate::command::{self, Command};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The tests of the library. Those of the program start hundreds of processes, and the emulator's
/// fork hangs now and then: they stay outside of it and start the program in it.
const LIBRARY: [&str; 18] = [
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
];
/// QEMU 7.2 has no TCGETS2, without which no program can turn off a terminal's echo.
const PROGRAM: [&str; 10] = [
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
            step("the library on AArch64, under qemu", || {
                cross.cargo(root, &LIBRARY).run()
            })?;
            step("the program on AArch64, under qemu", || {
                cross.test_program(root)
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

/// How to build for AArch64 Linux here, and how to run the result.
struct Cross {
    /// A rustc that has the target's standard library, and the rustdoc beside it.
    rustc: PathBuf,
    rustdoc: PathBuf,
}

impl Cross {
    const TARGET: &str = "aarch64-unknown-linux-gnu";
    const LINKER: &str = "aarch64-linux-gnu-gcc";
    const RUNNER: &str = "qemu-aarch64";
    /// There where the target's C library is installed beside this machine's own.
    const LOADER: &str = "/lib/ld-linux-aarch64.so.1";
    /// Where Debian's cross-compiler has its C library.
    const LIBRARIES: &str = "/usr/aarch64-linux-gnu";

    fn find() -> Result<Self> {
        let here = Path::new(".");
        for tool in [Self::LINKER, Self::RUNNER] {
            Command::new(tool, here)
                .arguments(&["--version"])
                .output()?;
        }
        // The one that cargo uses, and Debian's, which may have other targets.
        let compilers = ["rustc", "/usr/bin/rustc"].map(PathBuf::from);
        let rustc = compilers
            .into_iter()
            .find(|rustc| Self::has_target(rustc).unwrap_or(false))
            .with_context(|| {
                format!("no rustc here has the standard library of {}", Self::TARGET)
            })?;
        let rustdoc = rustc.with_file_name("rustdoc");
        Ok(Self { rustc, rustdoc })
    }

    fn has_target(rustc: &Path) -> Result<bool> {
        let rustc = Command::new(rustc, Path::new(".")).without_variable("LD_LIBRARY_PATH");
        let arguments = ["--print", "target-libdir", "--target", Self::TARGET];
        let directory = String::from_utf8(rustc.arguments(&arguments).output()?)?;
        let mut files = fs::read_dir(directory.trim())?.flatten();
        Ok(files.any(|file| file.file_name().to_string_lossy().starts_with("libstd-")))
    }

    /// `pqbox selftest`, and the tests of the program as processes of this machine.
    fn test_program(&self, root: &Path) -> Result<()> {
        let selftest = ["run", "--quiet", "--bin", "pqbox", "--", "selftest"];
        self.cargo(root, &selftest).run()?;
        let ours = std::env::current_exe()?;
        let [profile, target] = [1, 2].map(|up| ours.ancestors().nth(up));
        let profile = profile.and_then(Path::file_name).context("no profile")?;
        let program = target.context("no target directory")?.join(Self::TARGET);
        let program = program.join(profile).join("pqbox");
        let words = format!("{} {}", Self::runner(), program.display());
        Command::cargo(root)
            .arguments(&PROGRAM)
            .variable("PQBOX_TEST_PROGRAM", words)
            .run()
    }

    fn runner() -> String {
        // One C library or the other, and never the loader of one with the rest of the other:
        // programs hang as soon as they start a thread.
        match Path::new(Self::LOADER).exists() {
            true => format!("{} -cpu max", Self::RUNNER),
            false => format!("{} -cpu max -L {}", Self::RUNNER, Self::LIBRARIES),
        }
    }

    fn cargo(&self, root: &Path, arguments: &[&str]) -> Command {
        let (subcommand, rest) = arguments.split_at(1);
        Command::cargo(root)
            .arguments(subcommand)
            .arguments(&["--target", Self::TARGET])
            .arguments(rest)
            .variable("RUSTC", &self.rustc)
            .variable("RUSTDOC", &self.rustdoc)
            .variable(
                "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER",
                Self::LINKER,
            )
            .variable(
                "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER",
                Self::runner(),
            )
            // A process that has threads and starts another one may hang in the emulator's fork.
            .variable("RUST_TEST_THREADS", "1")
            // Cargo points it at its own compiler's libraries.
            .without_variable("LD_LIBRARY_PATH")
    }
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
