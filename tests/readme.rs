//! The README is true: its example runs, and the commands that it names are there.
#![cfg(feature = "cli")]

use assert_cmd::Command;
use std::fs;

const README: &str = include_str!("../README.md");

/// The program under test, as in `tests/cli/harness.rs`.
fn pqbox() -> Command {
    let Ok(words) = std::env::var("PQBOX_TEST_PROGRAM") else {
        return Command::cargo_bin("pqbox").expect("cargo builds it for this test");
    };
    let mut words = words.split(' ');
    let mut command = Command::new(words.next().expect("a word at least"));
    command.args(words);
    command
}

/// The example's lines, as they stand, in one shell that stops at the first failure.
#[test]
#[cfg(unix)]
fn the_example_runs() {
    let (_, rest) = README.split_once("<!-- example -->\n```sh\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let program = pqbox();
    let words: Vec<String> = std::iter::once(program.get_program())
        .chain(program.get_args())
        .map(|word| format!("'{}'", word.to_str().unwrap()))
        .collect();
    let script = format!(
        "set -eu\npqbox() {{ {} \"$@\"; }}\n{example}",
        words.join(" ")
    );
    let place = tempfile::tempdir().unwrap();
    Command::new("sh")
        .args(["-c", &script])
        .current_dir(&place)
        .env("PQBOX_HOME", place.path().join("keys"))
        .assert()
        .success();
    let sealed = fs::read(place.path().join("report.txt.pqbox")).unwrap();
    assert!(sealed.starts_with(&pqbox::hybrid::MAGIC));
}

/// What stands in a block of code or between backquotes, and begins with `pqbox`: its words.
fn named_commands(text: &str) -> Vec<Vec<&str>> {
    let (mut commands, mut in_block) = (Vec::new(), false);
    for line in text.lines() {
        match line.starts_with("```") {
            true => in_block = !in_block,
            false if in_block => commands.push(line),
            false => commands.extend(line.split('`').skip(1).step_by(2)),
        }
    }
    commands.retain(|command| command.starts_with("pqbox "));
    commands
        .iter()
        .map(|command| command.split('#').next().unwrap_or_default())
        .map(|command| command.split_whitespace().skip(1).collect())
        .collect()
}

#[test]
fn every_command_named_is_one_and_takes_the_options_named() {
    let mut options = 0;
    for command in named_commands(README) {
        let output = pqbox().args([command[0], "--help"]).assert().success();
        let help = String::from_utf8(output.get_output().stdout.clone()).unwrap();
        for option in command.iter().filter(|word| word.starts_with('-')) {
            options += 1;
            let known = help
                .split([' ', ',', '\n', '='])
                .any(|word| word == *option);
            assert!(known, "{}: no {option} in its help", command.join(" "));
        }
    }
    assert!(options > 0);
}

/// The table of commands: each row's options belong to the row's command.
#[test]
fn the_table_of_commands_names_options_that_exist() {
    let rows = README.lines().filter(|line| line.starts_with("| `pqbox "));
    let mut options = 0;
    for row in rows {
        let spans: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
        let command = spans[0].split(' ').nth(1).unwrap();
        let output = pqbox().args([command, "--help"]).assert().success();
        let help = String::from_utf8(output.get_output().stdout.clone()).unwrap();
        for option in spans.iter().filter(|span| span.starts_with('-')) {
            options += 1;
            let option = option.split(' ').next().unwrap();
            assert!(help.contains(option), "{command}: no {option} in its help");
        }
    }
    assert!(options >= 4, "{options}");
}
