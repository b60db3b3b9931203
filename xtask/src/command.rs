//! Running other programs: visibly, with their failure as an error.

use anyhow::{Context, Result, bail};
use std::env::consts::EXE_SUFFIX;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process;

/// A command that is about to run in a directory.
pub(crate) struct Command {
    name: String,
    inner: process::Command,
}

impl Command {
    /// Without standard input: nothing here may wait for an answer.
    pub(crate) fn new(program: impl AsRef<OsStr>, directory: &Path) -> Self {
        let mut inner = process::Command::new(&program);
        inner.current_dir(directory).stdin(process::Stdio::null());
        Self {
            name: program.as_ref().to_string_lossy().into_owned(),
            inner,
        }
    }

    /// The cargo that runs this, or the one on the path.
    pub(crate) fn cargo(directory: &Path) -> Self {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Self::new(cargo, directory)
    }

    pub(crate) fn arguments<A: AsRef<OsStr>>(mut self, arguments: &[A]) -> Self {
        self.inner.args(arguments);
        self
    }

    pub(crate) fn variable(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.inner.env(name, value);
        self
    }

    pub(crate) fn without_variable(mut self, name: &str) -> Self {
        self.inner.env_remove(name);
        self
    }

    /// Runs it with its output where ours goes.
    pub(crate) fn run(mut self) -> Result<()> {
        let status = self.inner.status().with_context(|| self.name.clone())?;
        if !status.success() {
            bail!("{}: {status}", self.name);
        }
        Ok(())
    }

    /// Runs it quietly: its standard output, if it succeeds.
    pub(crate) fn output(mut self) -> Result<Vec<u8>> {
        let output = self.inner.output().with_context(|| self.name.clone())?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("{}: {}: {}", self.name, output.status, said.trim());
        }
        Ok(output.stdout)
    }
}

/// Builds pqbox as cargo built this xtask, and says where it is.
pub(crate) fn build_program(root: &Path) -> Result<PathBuf> {
    Command::cargo(root)
        .arguments(&["build", "--bin", "pqbox"])
        .run()?;
    let program = std::env::current_exe()?.with_file_name(format!("pqbox{EXE_SUFFIX}"));
    if !program.is_file() {
        bail!("cargo did not build {}", program.display());
    }
    Ok(program)
}
