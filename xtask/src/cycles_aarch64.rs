//! `cargo xtask cycles-aarch64`: each kernel's instructions on AArch64, and the cycles that LLVM's
//! models of two CPUs give them, beside the same kernel of AWS-LC; rewrites the table in docs.
//!
//! What ran between the markers is written down in a row, without its branches: it holds no loop.
//! The model gets it once, as kernels are called.

use crate::command::Command;
use crate::counter::{Counter, Report};
use crate::page;
use anyhow::{Context, Result, bail};
use std::fmt::Write;
use std::fs;
use std::path::Path;

const USAGE: &str = "usage: cargo xtask cycles-aarch64";

/// Debian's `llvm-22` has them.
const DISASSEMBLER: &str = "llvm-mc-22";
const MODEL: &str = "llvm-mca-22";
const CPUS: [&str; 2] = ["neoverse-n2", "apple-m1"];

/// One kernel in one code: how many instructions, and cycles on each CPU.
struct Row {
    kernel: String,
    code: String,
    instructions: usize,
    cycles: [u64; 2],
}

pub(crate) fn run(root: &Path, options: &[&str]) -> Result<()> {
    if !options.is_empty() {
        bail!(USAGE);
    }
    for tool in [DISASSEMBLER, MODEL] {
        let version = Command::new(tool, root).arguments(&["--version"]);
        version.output().context("Debian has it in llvm-22")?;
    }
    let counter = Counter::build(root, "kernels")?;
    let sections = counter.sections("max", Report::Trace, &[])?;
    let place = tempfile::tempdir()?;
    let rows = sections
        .iter()
        .filter_map(|(name, trace)| {
            let (kernel, code) = name.split_once('/')?;
            (code != "portable").then_some((kernel, code, trace))
        })
        .map(|(kernel, code, trace)| row(place.path(), kernel, code, trace))
        .collect::<Result<Vec<_>>>()?;
    page::publish(root, "cycles-aarch64", &table(&rows)?)
}

fn row(place: &Path, kernel: &str, code: &str, trace: &str) -> Result<Row> {
    let codes = trace.split(' ').map(|word| u32::from_str_radix(word, 16));
    let codes = codes.collect::<Result<Vec<_>, _>>().context("a trace")?;
    let mut bytes = String::new();
    for code in &codes {
        let [a, b, c, d] = code.to_le_bytes();
        writeln!(bytes, "{a:#04x} {b:#04x} {c:#04x} {d:#04x}")?;
    }
    let (encoded, text) = (place.join("encoded"), place.join("text"));
    fs::write(&encoded, bytes)?;
    let disassembled = Command::new(DISASSEMBLER, place)
        .arguments(&["--disassemble", "--triple=aarch64", "--mattr=+all"])
        .arguments(&[&encoded])
        .output()?;
    fs::write(&text, without_branches(&String::from_utf8(disassembled)?))?;
    let cycles = CPUS.map(|cpu| -> Result<u64> {
        let report = Command::new(MODEL, place)
            .arguments(&[
                "--iterations=1",
                "--mtriple=aarch64",
                "--mattr=+all",
                "--skip-unsupported-instructions=lack-sched",
            ])
            .arguments(&[format!("--mcpu={cpu}")])
            .arguments(&[&text])
            .output()?;
        let report = String::from_utf8(report)?;
        let field = |name| report.lines().find_map(|line| line.strip_prefix(name));
        let cycles = field("Total Cycles:").context("no cycles")?;
        Ok(cycles.trim().parse()?)
    });
    let [first, second] = cycles;
    Ok(Row {
        kernel: kernel.to_owned(),
        code: code.to_owned(),
        instructions: codes.len(),
        cycles: [first?, second?],
    })
}

/// All branches are foreseen, so none takes part; the models give a call a hundred cycles.
fn without_branches(text: &str) -> String {
    const BRANCHES: [&str; 8] = ["b", "bl", "blr", "br", "cbz", "cbnz", "tbz", "tbnz"];
    let is_branch = |line: &str| {
        let name = line.split_whitespace().next().unwrap_or_default();
        BRANCHES.contains(&name) || name.starts_with("b.") || name.starts_with("ret")
    };
    let lines = text.lines().filter(|line| !is_branch(line));
    lines.flat_map(|line| [line, "\n"]).collect()
}

fn table(rows: &[Row]) -> Result<String> {
    let mut text = String::new();
    let [first, second] = CPUS;
    writeln!(
        text,
        "| kernel | code | instructions | {first} | {second} |"
    )?;
    writeln!(text, "| --- | --- | ---: | ---: | ---: |")?;
    let mut kernels: Vec<&str> = Vec::new();
    for row in rows {
        if !kernels.contains(&&*row.kernel) {
            kernels.push(&row.kernel);
        }
    }
    for kernel in kernels {
        for row in rows.iter().filter(|row| row.kernel == kernel) {
            let [first, second] = row.cycles;
            let (code, instructions) = (&row.code, row.instructions);
            writeln!(
                text,
                "| {kernel} | {code} | {instructions} | {first} | {second} |"
            )?;
        }
    }
    Ok(text)
}
