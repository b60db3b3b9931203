//! The texts about the code are true of the code, as far as a program can tell.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const TEXTS: &[&str] = &[
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "docs/backends.md",
    "docs/design.md",
    "docs/cli.md",
    "docs/constant-time.md",
    "docs/format.md",
    "docs/proofs.md",
    "docs/situations.md",
];

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn exists(name: &str) -> bool {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name).exists()
}

/// The part of `text` under the heading, up to the next one.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let (_, rest) = text
        .split_once(&format!("\n## {heading}\n"))
        .unwrap_or_else(|| panic!("no section {heading}"));
    rest.split("\n## ").next().unwrap_or(rest)
}

/// What stands between backquotes, outside blocks of code.
fn code_spans(text: &str) -> Vec<&str> {
    let outside = text.split("```").step_by(2);
    outside
        .flat_map(|part| part.split('`').skip(1).step_by(2))
        .collect()
}

/// The cells of the rows of the tables in `text`.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect()
}

/// Whether `source` defines a function, a method, a type or a macro of that name.
fn defines(source: &str, name: &str) -> bool {
    let name = name.rsplit("::").next().unwrap_or(name);
    [
        "fn",
        "struct",
        "enum",
        "trait",
        "type",
        "const",
        "macro_rules!",
    ]
    .iter()
    .any(|kind| {
        let definition = format!("{kind} {name}");
        source.match_indices(&definition).any(|(at, _)| {
            let next = source[at + definition.len()..].chars().next();
            next.is_none_or(|c| c != '_' && !c.is_alphanumeric())
        })
    })
}

#[test]
fn the_walk_in_contributing_leads_through_code_that_exists() {
    let contributing = read("CONTRIBUTING.md");
    let steps = rows(section(&contributing, "A call, walked"));
    assert!(steps.len() >= 10, "the walk has {} steps", steps.len());
    for step in steps {
        let file = step[0].trim_matches('`');
        let source = read(file);
        let names = code_spans(step[1]);
        assert!(!names.is_empty(), "{file}: the walk names nothing in it");
        for name in names {
            assert!(defines(&source, name), "{file} has no {name}");
        }
    }
}

#[test]
fn every_file_that_a_text_names_exists() {
    for text in TEXTS {
        let content = read(text);
        let here = Path::new(text).parent().unwrap();
        let rooms = ["src/", "docs/", "tests/", "xtask/", "benches/", ".ci/"];
        for span in code_spans(&content) {
            // Braces and stars stand for several files.
            let plain = !span.contains(['*', '{', ' ', '<']);
            if plain && rooms.iter().any(|room| span.starts_with(room)) {
                assert!(exists(span), "{text} names {span}");
            }
        }
        for link in content.split("](").skip(1) {
            let target = link.split([')', '#']).next().unwrap();
            if !target.is_empty() && !target.contains("://") {
                let target = here.join(target);
                assert!(
                    exists(target.to_str().unwrap()),
                    "{text} links to {target:?}"
                );
            }
        }
    }
}

#[test]
fn every_situation_has_its_tests() {
    let situations = read("docs/situations.md");
    let rows: Vec<_> = situations
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| ---"))
        .filter(|line| !line.starts_with("| situation "))
        .collect();
    assert!(rows.len() >= 40, "{} situations", rows.len());
    for row in rows {
        let tests = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        let tests = code_spans(tests);
        assert!(!tests.is_empty(), "no test: {row}");
        for test in tests {
            let (module, name) = test.split_once("::").unwrap();
            let source = read(&format!("tests/cli/{module}.rs"));
            let found = source.contains(&format!("#[test]\nfn {name}() {{"));
            assert!(found, "tests/cli has no {test}");
        }
    }
}

/// The names under the headings of `Cargo.toml` that hold dependencies.
fn dependencies(manifest: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    let mut inside = false;
    for line in manifest.lines() {
        if let Some(heading) = line.strip_prefix('[') {
            inside = heading.trim_end_matches(']').ends_with("dependencies");
        } else if let (true, Some((name, _))) = (inside, line.split_once(" = ")) {
            names.insert(name);
        }
    }
    names
}

#[test]
fn every_dependency_has_its_reason_in_the_design() {
    let design = read("docs/design.md");
    let explained = section(&design, "Dependencies");
    let explained: Vec<_> = rows(explained);
    let explained: BTreeSet<_> = explained
        .iter()
        .flat_map(|row| code_spans(row[0]))
        .collect();
    let manifests = [read("Cargo.toml"), read("xtask/Cargo.toml")];
    let used: BTreeSet<_> = manifests.iter().flat_map(|m| dependencies(m)).collect();
    assert!(used.contains("clap"));
    assert_eq!(used, explained, "Cargo.toml beside docs/design.md");
}

/// A room that the design does not know, or knows and is not there, is a design that is not kept.
#[test]
fn the_design_names_every_room() {
    let design = read("docs/design.md");
    let drawn = section(&design, "The rooms");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in fs::read_dir(source).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(drawn.contains(&name), "docs/design.md draws no {name}");
    }
}
