//! The figures as Markdown and as JSON.

use crate::case::Op;
use crate::peers::{PEERS, SETS, version};
use std::fmt::Write;
use std::process::Command;

/// The figures of one case, nanoseconds a call.
#[derive(Clone)]
pub struct Row {
    pub op: Op,
    pub set: usize,
    pub peer: String,
    pub min: f64,
    pub median: f64,
}

impl Row {
    pub fn is_ours(&self) -> bool {
        self.peer.starts_with("pqbox/")
    }
}

/// For each set, the ratio.
type Ratios = [f64; 3];

const LIBOQS: &str = "liboqs 0.16 (estimate)";
const NATIVE: &str = "mlkem-native (estimate)";
const YARDSTICK: &str = "pqcrypto-mlkem";

/// Libraries that no registry of crates has, as multiples of `YARDSTICK`, measured once beside it.
const ESTIMATES: [(&str, Op, Ratios); 6] = [
    (LIBOQS, Op::Keygen, [0.68, 0.71, 0.68]),
    (LIBOQS, Op::EncapsRaw, [0.76, 0.78, 0.74]),
    (LIBOQS, Op::DecapsRaw, [0.91, 0.95, 0.86]),
    (NATIVE, Op::Keygen, [0.91, 0.95, 0.92]),
    (NATIVE, Op::EncapsRaw, [1.00, 1.03, 0.99]),
    (NATIVE, Op::DecapsRaw, [1.17, 1.20, 1.14]),
];

/// What is aimed at: pqbox/avx512 over the fastest peer.
const TARGETS: [(Op, Ratios); 5] = [
    (Op::Keygen, [0.70, 0.65, 0.60]),
    (Op::EncapsRaw, [0.60, 0.55, 0.50]),
    (Op::DecapsRaw, [0.45, 0.40, 0.40]),
    (Op::EncapsParsed, [0.42, 0.40, 0.40]),
    (Op::DecapsParsed, [0.40, 0.70, 0.40]),
];

/// The rows, with those of the estimated libraries after the measured ones of the same case.
pub fn with_estimates(measured: Vec<Row>) -> Vec<Row> {
    let mut rows = measured.clone();
    for (peer, op, factors) in ESTIMATES {
        for (&set, factor) in SETS.iter().zip(factors) {
            // Not there on AArch64.
            let Some(yardstick) = find(&measured, op, set, YARDSTICK) else {
                continue;
            };
            rows.push(Row {
                op,
                set,
                peer: peer.to_owned(),
                min: yardstick.min * factor,
                median: yardstick.median * factor,
            });
        }
    }
    rows
}

fn find<'a>(rows: &'a [Row], op: Op, set: usize, peer: &str) -> Option<&'a Row> {
    rows.iter()
        .find(|row| (row.op, row.set, &*row.peer) == (op, set, peer))
}

/// Names of all peers, in the order of the rows.
pub fn names(rows: &[Row]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for row in rows {
        if !names.contains(&&*row.peer) {
            names.push(&row.peer);
        }
    }
    names
}

/// The fastest row of others, by one of the two figures.
fn fastest(rows: &[Row], op: Op, set: usize, figure: fn(&Row) -> f64) -> &Row {
    rows.iter()
        .filter(|row| (row.op, row.set) == (op, set) && !row.is_ours())
        .min_by(|a, b| figure(a).total_cmp(&figure(b)))
        .expect("every case has a peer")
}

pub fn markdown(rows: &[Row], rounds: usize) -> String {
    let mut out = format!(
        "{} on {}, one core, {rounds} rounds. Nanoseconds a call: minimum, median.\n",
        today(),
        cpu()
    );
    for op in Op::ALL {
        figures(&mut out, rows, op);
    }
    targets(&mut out, rows);
    without_avx512(&mut out, rows);
    about(&mut out);
    out
}

macro_rules! line {
    ($out:expr, $($format:tt)*) => {
        writeln!($out, $($format)*).expect("a string takes all")
    };
}

fn figures(out: &mut String, rows: &[Row], op: Op) {
    line!(
        out,
        "\n### {}{}\n",
        op.title()[..1].to_uppercase(),
        &op.title()[1..]
    );
    line!(
        out,
        "| | ML-KEM-512 | ML-KEM-768 | ML-KEM-1024 |\n| --- | ---: | ---: | ---: |"
    );
    for name in names(rows) {
        let cells = SETS.iter().map(|&set| find(rows, op, set, name));
        if cells.clone().any(|row| row.is_some()) {
            let cells: Vec<String> = cells
                .map(|row| {
                    row.map_or("-".into(), |row| {
                        format!("{:.0}, {:.0}", row.min, row.median)
                    })
                })
                .collect();
            line!(out, "| {name} | {} |", cells.join(" | "));
        }
    }
}

fn targets(out: &mut String, rows: &[Row]) {
    line!(out, "\n### pqbox over the fastest peer\n");
    line!(
        out,
        "By minimum, in brackets by median. The target is for `pqbox/avx512`.\n"
    );
    let ours: Vec<&str> = names(rows)
        .into_iter()
        .filter(|name| name.starts_with("pqbox/"))
        .collect();
    line!(out, "| | fastest peer | {} | target |", ours.join(" | "));
    line!(out, "| --- | --- |{} ---: |", " ---: |".repeat(ours.len()));
    for (op, goals) in TARGETS {
        for (&set, goal) in SETS.iter().zip(goals) {
            let by_min = fastest(rows, op, set, |row| row.min);
            let by_median = fastest(rows, op, set, |row| row.median);
            let ratios: Vec<String> = ours
                .iter()
                .filter_map(|name| find(rows, op, set, name))
                .map(|row| {
                    let ratio = row.min / by_min.min;
                    format!("{ratio:.2} ({:.2})", row.median / by_median.median)
                })
                .collect();
            line!(
                out,
                "| {}, {set} | {} | {} | {goal:.2} |",
                op.title(),
                by_min.peer,
                ratios.join(" | ")
            );
        }
    }
}

/// What a CPU without AVX-512 shows: `pqbox/avx2` beside the AVX2 library that sets the mark.
fn without_avx512(out: &mut String, rows: &[Row]) {
    let ours: Vec<&Row> = rows.iter().filter(|row| row.peer == "pqbox/avx2").collect();
    if ours.is_empty() {
        return;
    }
    line!(out, "\n### AVX2 beside AVX2\n");
    line!(
        out,
        "`pqbox/avx2` over {NATIVE}, by minimum, in brackets by median; aim: at most 1.\n"
    );
    line!(
        out,
        "| | ML-KEM-512 | ML-KEM-768 | ML-KEM-1024 |\n| --- | ---: | ---: | ---: |"
    );
    for op in [Op::Keygen, Op::EncapsRaw, Op::DecapsRaw] {
        let cells: Vec<String> = ours
            .iter()
            .filter(|row| row.op == op)
            .filter_map(|row| Some((row, find(rows, op, row.set, NATIVE)?)))
            .map(|(row, native)| {
                let ratio = row.min / native.min;
                format!("{ratio:.2} ({:.2})", row.median / native.median)
            })
            .collect();
        line!(out, "| {} | {} |", op.title(), cells.join(" | "));
    }
}

fn about(out: &mut String) {
    line!(out, "\n### The peers\n");
    line!(
        out,
        "| crate | version | what it is, checks and keeps |\n| --- | --- | --- |"
    );
    for &(name, what, ..) in PEERS {
        line!(out, "| {name} | {} | {what} |", version(name));
    }
    line!(
        out,
        "\nA peer whose keys are bytes has no figures for parsed keys: a call takes it what it takes \
         with a key in bytes. The estimates are {YARDSTICK}'s figures times fixed factors, measured \
         once side by side on a Zen 5 core: liboqs 0.16 (DIST build: mlkem-native's AVX2 arithmetic, \
         AVX-512VL Keccak) and mlkem-native (AVX2) are not in the Cargo registry."
    );
}

/// The rows, one object each.
pub fn json(rows: &[Row]) -> String {
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            serde_json::json!({
                "op": row.op.name(),
                "set": row.set,
                "peer": row.peer,
                "min_ns": row.min,
                "median_ns": row.median,
            })
        })
        .collect();
    format!("{:#}\n", serde_json::Value::from(rows))
}

const BEGIN: &str = "<!-- begin: printed by cargo xtask bench-peers -->\n";
const END: &str = "<!-- end -->";

/// The page with the report between its markers.
///
/// # Panics
/// If the page lacks one.
pub fn insert(page: &str, report: &str) -> String {
    let (before, rest) = page
        .split_once(BEGIN)
        .expect("a marker where the figures begin");
    let (_, after) = rest.split_once(END).expect("a marker where they end");
    format!("{before}{BEGIN}\n{report}\n{END}{after}")
}

fn today() -> String {
    let date = Command::new("date").arg("-uI").output();
    date.ok().map_or_else(String::new, |date| {
        String::from_utf8_lossy(&date.stdout).trim().to_owned()
    })
}

/// The CPU's name, with the numbers that tell its generation where a hypervisor hides it.
fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        info.lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(key, _)| key.trim() == name)
            .map_or("?", |(_, value)| value.trim())
    };
    format!(
        "{} (family {}, model {})",
        field("model name"),
        field("cpu family"),
        field("model")
    )
}
