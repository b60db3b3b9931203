//! `cargo xtask demo`: the README's example, run in a directory of its own and shown as it goes.

use crate::command::{self, Command};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;

/// What stands before the example in the README.
const MARKER: &str = "<!-- example -->\n```sh\n";

pub(crate) fn run(root: &Path) -> Result<()> {
    let program = command::build_program(root)?;
    let programs = program.parent().context("the program has no directory")?;
    let place = tempfile::tempdir()?;
    let search_path = match std::env::var_os("PATH") {
        Some(path) => std::env::join_paths(
            std::iter::once(programs.to_owned()).chain(std::env::split_paths(&path)),
        )?,
        None => programs.into(),
    };

    let readme = fs::read_to_string(root.join("README.md"))?;
    for line in example(&readme)?.lines() {
        println!("$ {line}");
        Command::new("sh", place.path())
            .arguments(&["-c", line])
            .variable("PATH", &search_path)
            .variable("HOME", place.path())
            .variable("PQBOX_HOME", place.path().join("keys"))
            .run()?;
    }

    let read = |name: &str| fs::read(place.path().join(name)).with_context(|| name.to_owned());
    let (plain, sealed, copy) = (
        read("report.txt")?,
        read("report.txt.pqbox")?,
        read("copy.txt")?,
    );
    let readable = sealed.windows(plain.len()).any(|window| window == plain);
    ensure!(copy == plain, "copy.txt is not report.txt");
    ensure!(!readable, "report.txt can be read in report.txt.pqbox");
    println!(
        "\n{} bytes sealed into {} and opened again, the same; all of it was in {}, now removed",
        plain.len(),
        sealed.len(),
        place.path().display()
    );
    Ok(())
}

/// The lines of the README's example.
fn example(readme: &str) -> Result<&str> {
    let (_, rest) = readme
        .split_once(MARKER)
        .context("README.md has no example")?;
    let (lines, _) = rest.split_once("```").context("the example has no end")?;
    Ok(lines)
}
