//! Runs a benchmark for AArch64 under qemu, with the plugin in `benches/counter` that sees the
//! instructions between markers.

use crate::command::Command;
use crate::cross::Cross;
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};

/// What the plugin tells of a section.
#[derive(Clone, Copy)]
pub(crate) enum Report {
    /// How many instructions ran.
    Count,
    /// Which: the encoding of each, in hexadecimal.
    Trace,
}

/// A benchmark, built, and the plugin.
pub(crate) struct Counter {
    cross: Cross,
    plugin: PathBuf,
    package: PathBuf,
    target: PathBuf,
}

impl Counter {
    /// Builds the package in `benches` that has the name.
    pub(crate) fn build(root: &Path, package: &str) -> Result<Self> {
        let cross = Cross::find()?;
        let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
        let target = root.join(target);
        let plugin = target.join("counter");
        Command::cargo(&root.join("benches/counter"))
            .arguments(&["build", "--release", "--locked", "--target-dir"])
            .arguments(&[&plugin])
            .run()?;
        let this = Self {
            cross,
            plugin: plugin.join("release/libcounter.so"),
            package: root.join("benches").join(package),
            target: target.join(package),
        };
        this.cargo("", &["build"]).run()?;
        Ok(this)
    }

    fn cargo(&self, qemu: &str, arguments: &[&str]) -> Command {
        self.cross
            .cargo(&self.package, qemu, arguments)
            .arguments(&["--release", "--locked", "--target-dir"])
            .arguments(&[&self.target])
    }

    /// Runs the benchmark on that CPU: the name of each section, and what the plugin says of it.
    pub(crate) fn sections(
        &self,
        cpu: &str,
        report: Report,
        filter: &[&str],
    ) -> Result<Vec<(String, String)>> {
        let trace = match report {
            Report::Count => "",
            Report::Trace => ",trace=on",
        };
        let output = self
            .cargo(&format!("-cpu {cpu}"), &["run", "--quiet"])
            .arguments(&["--", "--count"])
            .arguments(filter)
            .variable("QEMU_PLUGIN", format!("{}{trace}", self.plugin.display()))
            .output()?;
        let output = String::from_utf8(output)?;
        let lines: Vec<_> = output.lines().map(str::to_owned).collect();
        let (sections, rest) = lines.as_chunks();
        ensure!(rest.is_empty(), "a section without a figure: {rest:?}");
        Ok(sections
            .iter()
            .map(|[name, figure]| (name.clone(), figure.clone()))
            .collect())
    }
}
