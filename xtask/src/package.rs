//! `cargo xtask package`: what a package of pqbox has in it, as it lies below `/usr`.

use crate::command::Command;
use anyhow::{Context, Result, ensure};
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::Path;

/// Where each shell looks for what completes commands.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/pqbox"),
    ("zsh", "share/zsh/site-functions/_pqbox"),
    ("fish", "share/fish/vendor_completions.d/pqbox.fish"),
];

/// Texts for people, from the root.
const TEXTS: [&str; 7] = [
    "README.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
    "docs/cli.md",
    "docs/format.md",
];

pub(crate) fn run(root: &Path, place: &Path) -> Result<()> {
    ensure!(!place.exists(), "{} is there already", place.display());
    fs::create_dir_all(place)?;
    let place = &place.canonicalize()?;
    Command::cargo(root)
        .arguments(&["install", "--path", ".", "--locked", "--no-track", "--root"])
        .arguments(&[place])
        .run()?;
    let program = place.join(format!("bin/pqbox{EXE_SUFFIX}"));
    let pqbox = |arguments: &[&str]| Command::new(&program, place).arguments(arguments).output();
    pqbox(&["man", "--output-dir", "share/man/man1"])?;
    for (shell, name) in COMPLETIONS {
        write(&place.join(name), &pqbox(&["completions", shell])?)?;
    }
    for name in TEXTS {
        let text = fs::read(root.join(name)).with_context(|| name.to_owned())?;
        write(&place.join("share/doc/pqbox").join(name), &text)?;
    }
    println!("packaged in {}", place.display());
    Ok(())
}

/// Writes a file, and the directories that it takes.
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    fs::write(path, bytes).with_context(|| path.display().to_string())
}
