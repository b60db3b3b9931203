//! `pqbox selftest`: known answers on every backend, as a table or as JSON.

use super::files::Input;
use super::ui::{self, Problem, Status};
use anyhow::Context;
use clap::ValueHint;
use pqbox::Backend;
use pqbox::selftest::{self, NotRun, Row, VectorSets};
use serde_json::{Value, json};
use std::fmt::Write;
use std::io::Read;
use std::path::PathBuf;

/// Runs NIST's vectors for ML-KEM and known answers of AES-256-GCM and Keccak on every
/// implementation that the CPU has. Exits with 5 if any answer is wrong.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pqbox selftest
  pqbox selftest --acvp prompt.json expectedResults.json")]
pub(crate) struct Args {
    /// Run the cases of NIST's ACVP files in place of those built in:
    /// internalProjection.json, or prompt.json with expectedResults.json, plain
    /// or in gzip
    #[arg(long, value_name = "FILE", num_args = 1.., value_hint = ValueHint::FilePath)]
    acvp: Vec<PathBuf>,
}

/// Runs on all backends that the CPU has; on the one that was `chosen` and no other, since a test that
/// silently ran on a different one would be worth nothing. Fails if any answer is wrong, and if there was nothing to run.
pub(crate) fn run(args: &Args, chosen: Option<Backend>) -> anyhow::Result<()> {
    let backends = &match chosen {
        Some(backend) => vec![backend],
        None => Backend::available().collect(),
    };
    let report = match &args.acvp[..] {
        [] => Report::new(backends, selftest::run, Vec::new()),
        files => {
            let sets = read(files)?;
            Report::new(backends, |backend| sets.run(backend), sets.not_run())
        }
    };
    ui::result(&report.table(), &report.json())?;
    report.verdict()
}

fn read(files: &[PathBuf]) -> anyhow::Result<VectorSets> {
    let mut contents = Vec::new();
    for file in files {
        let mut input = Input::open(Some(file))?;
        let mut bytes = Vec::new();
        input
            .read_to_end(&mut bytes)
            .with_context(|| format!("cannot read {}", input.name))?;
        contents.push((input.name, bytes));
    }
    VectorSets::read(&contents).map_err(|error| Problem::usage(error.to_string()).into())
}

/// How everything went.
struct Report {
    rows: Vec<Row>,
    not_run: Vec<NotRun>,
}

impl Report {
    fn new(backends: &[Backend], run: impl Fn(Backend) -> Vec<Row>, not_run: Vec<NotRun>) -> Self {
        let mut rows = Vec::new();
        for row in backends.iter().flat_map(|&backend| run(backend)) {
            // What does not depend on the backend gives the same row with each of them.
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        Self { rows, not_run }
    }

    /// The rows, a line for what was not run, and a line for each kind of vectors on each backend.
    fn table(&self) -> String {
        let mut text = format!(
            "{:24} {:11} {:9} passed\n",
            "function", "algorithm", "backend"
        );
        for row in &self.rows {
            let verdict = if row.is_good() { "" } else { "   FAILED" };
            let Row {
                function,
                set,
                backend,
                passed,
                total,
                ..
            } = row;
            put(
                &mut text,
                format_args!("{function:24} {set:11} {backend:9} {passed:>3}/{total}{verdict}"),
            );
        }
        text.push('\n');
        for NotRun { what, cases } in &self.not_run {
            put(&mut text, format_args!("not run: {what} ({cases} cases)"));
        }
        for (vectors, backend, passed, total) in self.sums() {
            put(
                &mut text,
                format_args!("{passed} of {total} {vectors} cases passed on {backend}"),
            );
        }
        text
    }

    fn json(&self) -> Value {
        let rows = self.rows.iter().map(|row| {
            json!({
                "vectors": row.vectors,
                "function": row.function,
                "algorithm": row.set,
                "backend": row.backend,
                "passed": row.passed,
                "total": row.total,
            })
        });
        let not_run = self
            .not_run
            .iter()
            .map(|NotRun { what, cases }| json!({ "what": what, "cases": cases }));
        let (passed, total) = self.total();
        json!({
            "ok": self.verdict().is_ok(),
            "passed": passed,
            "total": total,
            "rows": rows.collect::<Vec<_>>(),
            "not_run": not_run.collect::<Vec<_>>(),
        })
    }

    /// (vectors, backend, passed, total), in the order of the rows.
    fn sums(&self) -> Vec<(&'static str, &'static str, usize, usize)> {
        let mut sums: Vec<(&str, &str, usize, usize)> = Vec::new();
        for row in &self.rows {
            let of = (row.vectors, row.backend);
            match sums.iter_mut().find(|sum| (sum.0, sum.1) == of) {
                Some(sum) => {
                    sum.2 += row.passed;
                    sum.3 += row.total;
                }
                None => sums.push((of.0, of.1, row.passed, row.total)),
            }
        }
        sums
    }

    /// (passed, total) of all rows.
    fn total(&self) -> (usize, usize) {
        let rows = self.rows.iter();
        rows.fold((0, 0), |sum, row| (sum.0 + row.passed, sum.1 + row.total))
    }

    fn verdict(&self) -> anyhow::Result<()> {
        let problem = match self.total() {
            (_, 0) => Problem::new("the self-test failed: there was no case that can be run"),
            (passed, total) if passed == total => return Ok(()),
            (passed, total) => Problem::new(format!(
                "the self-test failed: wrong answers in {} of {total} cases",
                total - passed
            ))
            .hint("trust nothing that this program makes on this machine, and report the table"),
        };
        Err(problem.status(Status::SelfTest).into())
    }
}

/// Adds a line.
fn put(text: &mut String, line: std::fmt::Arguments<'_>) {
    text.write_fmt(line).expect("a String takes all");
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(function: &'static str, passed: usize, backend: &'static str) -> Row {
        Row {
            vectors: "ACVP",
            function,
            set: "ML-KEM-1024",
            backend,
            passed,
            total: 25,
        }
    }

    #[test]
    fn every_wrong_answer_is_counted() {
        let not_run = vec![NotRun {
            what: "LMS keyGen 1.0".into(),
            cases: 4,
        }];
        let mut report = Report {
            rows: vec![
                row("decapsulation key check", 25, "portable"),
                row("encapsulation", 24, "portable"),
                row("encapsulation", 25, "avx512"),
            ],
            not_run,
        };
        assert_eq!(
            report.table(),
            "\
function                 algorithm   backend   passed
decapsulation key check  ML-KEM-1024 portable   25/25
encapsulation            ML-KEM-1024 portable   24/25   FAILED
encapsulation            ML-KEM-1024 avx512     25/25

not run: LMS keyGen 1.0 (4 cases)
49 of 50 ACVP cases passed on portable
25 of 25 ACVP cases passed on avx512
"
        );
        assert!(report.table().lines().all(|line| line.len() <= 80));
        assert_eq!(
            report.verdict().map_err(|error| error.to_string()),
            Err("the self-test failed: wrong answers in 1 of 75 cases".to_owned())
        );
        let json = report.json();
        assert_eq!((&json["ok"], &json["passed"]), (&json!(false), &json!(74)));
        assert_eq!(json["not_run"][0]["cases"], 4);

        report.rows[1].passed = 25;
        assert!(report.verdict().is_ok());
        let json = report.json();
        assert_eq!(json["ok"], true);
    }

    #[test]
    fn nothing_run_is_no_success() {
        let nothing = Report {
            rows: Vec::new(),
            not_run: Vec::new(),
        };
        assert!(nothing.verdict().is_err());
    }

    #[test]
    fn what_does_not_depend_on_the_backend_is_told_once() {
        let report = Report::new(
            &[Backend::selected(); 2],
            |_| vec![row("a", 25, "b")],
            Vec::new(),
        );
        assert_eq!(report.rows.len(), 1);
    }
}
