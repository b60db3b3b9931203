//! `cargo xtask count-aarch64`: how many instructions ML-KEM takes on AArch64, beside that of other
//! libraries; rewrites the tables in docs.

use crate::counter::{Counter, Report};
use crate::page;
use anyhow::{Context, Result, bail, ensure};
use std::fmt::Write;
use std::fs;
use std::path::Path;

const USAGE: &str = "usage: cargo xtask count-aarch64 [--json FILE]";

const OURS: &str = "pqbox";

/// The peers that set the mark: the least of theirs counts.
const MARKS: [&str; 3] = ["aws-lc-sys", "libcrux-ml-kem", "libcrux-ml-kem, unchecked"];

/// What is aimed at: for each CPU, ours over the mark.
const TARGETS: [(&str, [(&str, f64); 3]); 2] = [
    (
        "max",
        [("keygen", 0.80), ("encaps_raw", 0.75), ("decaps_raw", 0.65)],
    ),
    (
        "cortex-a72",
        [("keygen", 0.85), ("encaps_raw", 0.80), ("decaps_raw", 0.75)],
    ),
];

/// One figure.
struct Row {
    op: String,
    set: u32,
    peer: String,
    instructions: u64,
}

pub(crate) fn run(root: &Path, options: &[&str]) -> Result<()> {
    let json_file = match options {
        [] => None,
        ["--json", file] => Some(file),
        _ => bail!(USAGE),
    };
    let counter = Counter::build(root, "peers")?;
    let mut text = String::new();
    let mut json = Vec::new();
    for (cpu, targets) in TARGETS {
        let sections = counter.sections(cpu, Report::Count, &[])?;
        let again = counter.sections(cpu, Report::Count, &[])?;
        ensure!(
            sections == again,
            "{cpu}: two runs, and not the same counts"
        );
        let mut rows = sections
            .iter()
            .map(|(name, count)| row(name, count).with_context(|| format!("{name}: {count}")))
            .collect::<Result<Vec<_>>>()?;
        let backend = only_the_chosen(&mut rows)?;
        table(&mut text, cpu, &backend, &rows, &targets)?;
        json.extend(rows.iter().map(|row| {
            serde_json::json!({
                "cpu": cpu,
                "op": row.op,
                "set": row.set,
                "peer": row.peer,
                "instructions": row.instructions,
            })
        }));
    }
    if let Some(file) = json_file {
        let json = serde_json::Value::from(json);
        fs::write(file, format!("{json:#}\n")).with_context(|| (*file).to_owned())?;
    }
    page::publish(root, "count-aarch64", &text)
}

/// Of `keygen 768 aws-lc-sys`.
fn row(name: &str, count: &str) -> Result<Row> {
    let mut parts = name.splitn(3, ' ');
    let mut part = || parts.next().context("op, set and peer are wanted");
    Ok(Row {
        op: part()?.to_owned(),
        set: part()?.parse()?,
        peer: part()?.to_owned(),
        instructions: count.parse()?,
    })
}

/// Leaves of our backends the one that a program gets that asks for none, which comes first, and
/// returns its name.
fn only_the_chosen(rows: &mut Vec<Row>) -> Result<String> {
    let first = rows.iter().find(|row| row.peer.starts_with("pqbox/"));
    let chosen = first.context("pqbox was not counted")?.peer.clone();
    rows.retain(|row| row.peer == chosen || !row.peer.starts_with("pqbox/"));
    for row in rows.iter_mut().filter(|row| row.peer == chosen) {
        OURS.clone_into(&mut row.peer);
    }
    Ok(chosen)
}

fn table(
    text: &mut String,
    cpu: &str,
    backend: &str,
    rows: &[Row],
    targets: &[(&str, f64)],
) -> Result<()> {
    let mut peers: Vec<&str> = Vec::new();
    for row in rows {
        if !peers.contains(&&*row.peer) {
            peers.push(&row.peer);
        }
    }
    let names = peers.join(" | ").replacen(OURS, backend, 1);
    writeln!(
        text,
        "### `-cpu {cpu}`\n\n| | {names} | ours over the mark | target |"
    )?;
    writeln!(text, "| --- |{}", " ---: |".repeat(peers.len() + 2))?;
    let mut sets: Vec<u32> = rows.iter().map(|row| row.set).collect();
    sets.dedup();
    for (op, target) in targets {
        for set in &sets {
            let of = |peer: &str| {
                rows.iter()
                    .find(|row| (&*row.op, row.set, &*row.peer) == (*op, *set, peer))
                    .map(|row| row.instructions)
            };
            let counts: Vec<_> = peers
                .iter()
                .map(|peer| of(peer).map_or("-".into(), |count| count.to_string()))
                .collect();
            let mark = MARKS.into_iter().filter_map(of).min().context("no mark")?;
            let ratio = of(OURS).context("none of ours")? as f64 / mark as f64;
            writeln!(
                text,
                "| {op} {set} | {} | {ratio:.2} | {target:.2} |",
                counts.join(" | ")
            )?;
        }
    }
    writeln!(text)?;
    Ok(())
}
