//! Times ML-KEM of pqbox and of other libraries, side by side in one process on one core, after
//! checking that all compute the same. `cargo xtask bench-peers` builds and runs it.
//!
//! With `--count` it times nothing: it runs each case once between markers, for the instructions
//! there to be counted. `cargo xtask count-aarch64` builds and runs that.

mod case;
mod chart;
#[path = "../../counter/src/marker.rs"]
mod marker;
mod peers;
mod report;

use report::Row;
use rustix::thread::{CpuSet, sched_getcpu, sched_setaffinity};
use std::path::PathBuf;
use std::time::Duration;
use std::{env, fs, iter};

const USAGE: &str = "\
usage: pqbox-bench-peers [--rounds N] [--json FILE] [--docs DIRECTORY]
       pqbox-bench-peers --count
  N is 60 or more";

/// What a sample takes, about.
const SAMPLE: Duration = Duration::from_micros(50);

struct Arguments {
    /// Samples of each case.
    rounds: usize,
    json: Option<PathBuf>,
    /// Where benchmarks.md and benchmarks.svg are.
    docs: Option<PathBuf>,
}

impl Arguments {
    fn parse() -> Option<Self> {
        let mut parsed = Self {
            rounds: 1000,
            json: None,
            docs: None,
        };
        let mut arguments = env::args_os().skip(1);
        while let Some(option) = arguments.next() {
            let value = arguments.next()?;
            match option.to_str()? {
                "--rounds" => parsed.rounds = value.to_str()?.parse().ok()?,
                "--json" => parsed.json = Some(value.into()),
                "--docs" => parsed.docs = Some(value.into()),
                _ => return None,
            }
        }
        (parsed.rounds >= 60).then_some(parsed)
    }
}

fn main() -> std::io::Result<()> {
    if env::args_os().skip(1).eq(["--count"]) {
        count();
        return Ok(());
    }
    let Some(arguments) = Arguments::parse() else {
        eprintln!("{USAGE}");
        std::process::exit(2);
    };
    let mut this_core = CpuSet::new();
    this_core.set(sched_getcpu());
    sched_setaffinity(None, &this_core)?;

    let rows = measure(arguments.rounds);
    let rows = report::with_estimates(rows);
    let report = report::markdown(&rows, arguments.rounds);
    print!("{report}");
    if let Some(file) = arguments.json {
        fs::write(file, report::json(&rows))?;
    }
    if let Some(docs) = arguments.docs {
        fs::write(docs.join("benchmarks.svg"), chart::svg(&rows))?;
        let page = docs.join("benchmarks.md");
        fs::write(&page, report::insert(&fs::read_to_string(&page)?, &report))?;
    }
    Ok(())
}

/// Runs every case between the markers, after its name. Each ran before, when it was compared, so
/// what a library does at its first call is done.
fn count() {
    let cases = peers::SETS.iter().flat_map(|&set| peers::cases(set));
    for case in cases.filter(|case| case.op.takes_bytes()) {
        println!("{} {} {}", case.op.name(), case.set, case.peer);
        case.count();
    }
}

/// Every case once a round, so that whatever disturbs the machine disturbs all.
fn measure(rounds: usize) -> Vec<Row> {
    let mut cases: Vec<_> = peers::SETS
        .iter()
        .flat_map(|&set| peers::cases(set))
        .collect();
    cases.iter_mut().for_each(|case| case.calibrate(SAMPLE));
    let mut samples: Vec<Vec<f64>> = iter::repeat_with(|| Vec::with_capacity(rounds))
        .take(cases.len())
        .collect();
    for _ in 0..rounds {
        for (case, samples) in cases.iter().zip(&mut samples) {
            samples.push(case.sample());
        }
    }
    let rows = cases.into_iter().zip(samples);
    rows.map(|(case, mut samples)| {
        samples.sort_by(f64::total_cmp);
        Row {
            op: case.op,
            set: case.set,
            peer: case.peer,
            min: samples[0],
            median: samples[rounds / 2],
        }
    })
    .collect()
}
