//! Building for AArch64 on another machine, and running the result under qemu.

use crate::command::Command;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// How to build for AArch64 Linux here, and how to run the result.
pub(crate) struct Cross {
    /// A rustc that has the target's standard library, and the rustdoc beside it.
    rustc: PathBuf,
    rustdoc: PathBuf,
}

impl Cross {
    pub(crate) const TARGET: &str = "aarch64-unknown-linux-gnu";
    /// The C compiler, which links too.
    const LINKER: &str = "aarch64-linux-gnu-gcc";
    const RUNNER: &str = "qemu-aarch64";
    const PACKAGES: &str = "gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user";
    /// There where the target's C library is installed beside this machine's own.
    const LOADER: &str = "/lib/ld-linux-aarch64.so.1";
    /// Where Debian's cross-compiler has its C library.
    const LIBRARIES: &str = "/usr/aarch64-linux-gnu";

    pub(crate) fn find() -> Result<Self> {
        let here = Path::new(".");
        for tool in [Self::LINKER, Self::RUNNER] {
            Command::new(tool, here)
                .arguments(&["--version"])
                .output()
                .with_context(|| format!("Debian has {tool} in {}", Self::PACKAGES))?;
        }
        // The one that cargo uses, and Debian's, which may have other targets.
        let compilers = ["rustc", "/usr/bin/rustc"].map(PathBuf::from);
        let rustc = compilers
            .into_iter()
            .find(|rustc| Self::has_target(rustc).unwrap_or(false))
            .with_context(|| {
                format!(
                    "no rustc here has the standard library of {0}: rustup target add {0}, or \
                     Debian's rustc-web and libstd-rust-web-dev:arm64",
                    Self::TARGET
                )
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

    /// What runs a program: its words, to be followed by the program's.
    pub(crate) fn runner(qemu: &str) -> String {
        // One C library or the other, and never the loader of one with the rest of the other:
        // programs hang as soon as they start a thread.
        match Path::new(Self::LOADER).exists() {
            true => format!("{} {qemu}", Self::RUNNER),
            false => format!("{} {qemu} -L {}", Self::RUNNER, Self::LIBRARIES),
        }
    }

    /// Cargo in the directory, for AArch64: what it runs, it runs with these options of qemu's.
    pub(crate) fn cargo(&self, directory: &Path, qemu: &str, arguments: &[&str]) -> Command {
        let (subcommand, rest) = arguments.split_at(1);
        Command::cargo(directory)
            .arguments(subcommand)
            .arguments(&["--target", Self::TARGET])
            .arguments(rest)
            .variable("RUSTC", &self.rustc)
            .variable("RUSTDOC", &self.rustdoc)
            .variable("CC_aarch64_unknown_linux_gnu", Self::LINKER)
            .variable(
                "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER",
                Self::LINKER,
            )
            .variable(
                "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER",
                Self::runner(qemu),
            )
            // A process that has threads and starts another one may hang in the emulator's fork.
            .variable("RUST_TEST_THREADS", "1")
            // Cargo points it at its own compiler's libraries.
            .without_variable("LD_LIBRARY_PATH")
    }
}
