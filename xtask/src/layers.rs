//! `cargo xtask layers`: who may know whom, read from the sources.
//!
//! Every file of `src` is parsed; every path in it, in `use`, in code, in attributes and in the
//! arguments of macros, is resolved to what it names (through `crate`, `self`, `super`, imports,
//! globs and re-exports) and held against the rules:
//!
//! 1. a room names the rooms that [`ROOMS`] gives it, and no others;
//! 2. [`PROGRAM_ONLY`] is named in `cli` and `main.rs` alone;
//! 3. `unsafe` stands in `src/asm` alone, in test code too;
//! 4. no `#[path]` and no `include!`, which would move code out of this check's sight;
//! 5. no file is longer than [`MAX_LINES`], but for those in [`LONG_FILES`].
//!
//! Test code (`#[cfg(test)]`, `#[test]`) is free of rules 1 and 2: a kernel's test looks up to the
//! oracle, and a test may read files. What a macro of this crate expands to is checked where the
//! macro is written, not where it is used.

mod names;
mod read;
#[cfg(test)]
mod tests;

use anyhow::{Context, Result, bail};
use names::Names;
use read::{Import, ItemPath, read};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Each room under `src`, and what it may name besides itself and [`LEAVES`]. An entry that is a
/// longer path opens that item alone.
const ROOMS: &[(&str, &[&str])] = &[
    ("error", &["key_id"]),
    ("key_id", &["error"]),
    ("secret", &[]),
    ("asm", &[]),
    ("kem", &["asm"]),
    ("dsa", &["asm"]),
    ("hybrid", &["kem", "dsa", BACKEND, AEAD]),
    ("selftest", &["kem", "dsa", BACKEND, AEAD]),
    ("cli", &["hybrid", "selftest", "kem", "dsa", BACKEND]),
    (
        "main",
        &["cli", "hybrid", "selftest", "kem", "dsa", BACKEND],
    ),
    ("lib", &["asm", "kem", "dsa", "hybrid", "selftest"]),
];

/// What everybody may name, and what names nobody but as [`ROOMS`] has it.
const LEAVES: &[&str] = &["error", "key_id", "secret"];

/// Which kernels run is a question that the layers above may ask; how they run is not.
const BACKEND: &str = "asm::dispatch::Backend";

/// The kernels that no layer between has a use for.
const AEAD: &str = "asm::aes_gcm";

/// Files, environment, processes, terminal: the program's affair, never the library's.
const PROGRAM_ONLY: &[&str] = &[
    "std::env",
    "std::fs",
    "std::net",
    "std::process",
    "std::io::stdin",
    "std::io::stdout",
    "std::io::stderr",
    "anyhow",
    "clap",
    "etcetera",
    "rpassword",
    "rustix",
    "signal_hook",
    "tempfile",
    "print!",
    "println!",
    "eprint!",
    "eprintln!",
    "dbg!",
];

const MAX_LINES: usize = 500;

/// Files that may be longer, each with its reason.
const LONG_FILES: &[(&str, &str)] = &[];

/// Checks the tree under `root`, prints the arrows that it found.
pub(crate) fn run(root: &Path) -> Result<()> {
    let mut sources = Vec::new();
    for dir in ["src", "tests", "benches", "fuzz", "xtask"] {
        collect(root, &root.join(dir), &mut sources)?;
    }
    let report = check(&sources)?;
    for (room, named) in &report.arrows {
        let named: Vec<_> = named.iter().map(String::as_str).collect();
        println!("{room:>8} -> {}", named.join(", "));
    }
    if !report.violations.is_empty() {
        bail!("layers:\n{}", report.violations.join("\n"));
    }
    println!("layers hold in {} files", sources.len());
    Ok(())
}

/// Adds the Rust files under `dir`, if it exists, with their paths relative to `root`.
fn collect(root: &Path, dir: &Path, sources: &mut Vec<(String, String)>) -> Result<()> {
    if !dir.is_dir() || dir.ends_with("target") {
        return Ok(());
    }
    let mut entries: Vec<PathBuf> = fs::read_dir(dir)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(root, &path, sources)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            let name = path.strip_prefix(root)?.iter();
            let name: Vec<_> = name.map(|part| part.to_string_lossy()).collect();
            sources.push((name.join("/"), text));
        }
    }
    Ok(())
}

#[derive(Default)]
struct Report {
    /// Room to the rooms that it names, leaves included.
    arrows: BTreeMap<String, BTreeSet<String>>,
    violations: Vec<String>,
}

fn check(sources: &[(String, String)]) -> Result<Report> {
    let mut report = Report::default();
    let mut files = Vec::new();
    for (name, text) in sources {
        let lines = text.lines().count();
        if lines > MAX_LINES && !LONG_FILES.iter().any(|(long, _)| long == name) {
            let problem = format!("{name}: {lines} lines, {MAX_LINES} are the most");
            report.violations.push(problem);
        }
        if let Some(module) = name.strip_prefix("src/").map(module_of) {
            files.push((name, read(module, text).with_context(|| name.clone())?));
        }
    }
    let names = Names::of(files.iter().map(|(_, file)| file));
    let test_modules: Vec<_> = files.iter().flat_map(|(_, f)| &f.test_modules).collect();
    for (name, file) in &files {
        let room = room_of(&file.module);
        let mut problems = file.violations.clone();
        if !ROOMS.iter().any(|(known, _)| *known == room) {
            problems.push((1, format!("the design has no room `{room}`")));
        }
        for mention in &file.mentions {
            if mention.test || test_modules.iter().any(|t| mention.module.starts_with(t)) {
                continue;
            }
            let target = names.resolve(&mention.module, &mention.path, 0);
            if let Some(problem) = violation(&room, &target, mention.import.as_ref()) {
                problems.push((mention.line, problem));
            }
            if let Some(other) = internal(&target).filter(|other| **other != room) {
                let backend = within(&target[1..].join("::"), BACKEND);
                let other = if backend { BACKEND } else { other };
                let arrows = report.arrows.entry(room.clone()).or_default();
                arrows.insert(other.to_owned());
            }
        }
        problems.sort();
        problems.dedup();
        for (line, problem) in problems {
            report.violations.push(format!("{name}:{line}: {problem}"));
        }
    }
    Ok(report)
}

/// The module of a file, its path given relative to `src`.
fn module_of(path: &str) -> ItemPath {
    let path = path.trim_end_matches(".rs");
    let program = path == "main" || path == "cli" || path.starts_with("cli/");
    let mut module = vec![if program { "bin" } else { "lib" }.to_owned()];
    if path != "main" && path != "lib" {
        let path = path.trim_end_matches("/mod");
        module.extend(path.split('/').map(str::to_owned));
    }
    module
}

fn room_of(module: &[String]) -> String {
    match module {
        [_, room, ..] => room.clone(),
        [root] if root == "bin" => "main".to_owned(),
        _ => "lib".to_owned(),
    }
}

/// The room of an item of this package, if it is one and not of a crate's root.
fn internal(target: &[String]) -> Option<&String> {
    match target {
        [root, room, ..] if root == "lib" || root == "bin" => Some(room),
        _ => None,
    }
}

/// What is wrong with naming `target` in `room`, if anything is.
fn violation(room: &str, target: &[String], import: Option<&Import>) -> Option<String> {
    let full = target.join("::");
    let program = room == "cli" || room == "main";
    let glob = import == Some(&Import::Glob);
    let reserved = |only: &&&str| within(&full, only) || glob && within(only, &full);
    if let (false, Some(only)) = (program, PROGRAM_ONLY.iter().find(reserved)) {
        return Some(format!("{only} is for cli and main.rs alone"));
    }
    let other = internal(target).filter(|other| *other != room)?;
    if ROOMS.iter().all(|(known, _)| known != other) {
        return None; // an item that the root itself defines
    }
    let (_, may_know) = ROOMS.iter().find(|(known, _)| *known == room)?;
    let leaf = LEAVES.contains(&other.as_str()) && !LEAVES.contains(&room);
    let path = target[1..].join("::");
    if leaf || may_know.iter().any(|known| within(&path, known)) {
        return None;
    }
    Some(format!("{room} may not know {other} ({path})"))
}

/// Whether `path` is `prefix` or something in it.
fn within(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}
