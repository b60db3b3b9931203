//! Armor: sealed files as text, also as mail programs leave it.

use crate::harness::{Lab, noise};
use serde_json::Value;

const BEGIN: &str = "-----BEGIN PQBOX FILE-----\n";
const END: &str = "-----END PQBOX FILE-----\n";

fn armored(lab: &Lab, bytes: &[u8]) -> String {
    let run = lab.run_with(["seal", "--armor"], bytes).succeeds();
    run.text().to_owned()
}

#[test]
fn armor_is_written_strictly_and_recognised_by_itself() {
    let lab = Lab::with_keys();
    let bytes = noise(300_000);
    lab.write("data", &bytes);
    lab.run(["seal", "-a", "data"]).succeeds();
    let text = String::from_utf8(lab.read("data.pqbox")).unwrap();
    let body = text
        .strip_prefix(BEGIN)
        .and_then(|text| text.strip_suffix(END));
    let lines: Vec<_> = body.unwrap().split_terminator('\n').collect();
    let (last, lines) = lines.split_last().unwrap();
    assert!(lines.iter().all(|line| line.len() == 64));
    assert!(last.len() <= 64 && last.len() % 4 == 0);

    lab.run(["open", "data.pqbox", "-o", "opened"]).succeeds();
    assert!(lab.read("opened") == bytes);
    let opened = lab.run_with(["open"], text.as_bytes()).succeeds();
    assert!(opened.stdout == bytes);
}

#[test]
fn armor_as_mail_leaves_it_is_read() {
    let lab = Lab::with_keys();
    let bytes = noise(100_000);
    let text = armored(&lab, &bytes);
    let body = text
        .strip_prefix(BEGIN)
        .and_then(|text| text.strip_suffix(END))
        .unwrap();
    let lines = |change: &dyn Fn(&str) -> String| text.lines().map(change).collect::<String>();
    for (situation, text) in [
        ("CRLF", text.replace('\n', "\r\n")),
        ("blank lines", text.replace('\n', "\n\n")),
        ("indentation", lines(&|line| format!("    {line}\n"))),
        ("trailing blanks", lines(&|line| format!("{line} \t\n"))),
        (
            "text before and after",
            format!("Bob,\n\nhere it is:\n{text}\n-- \nAlice\n"),
        ),
        (
            "one long line",
            format!("{BEGIN}{}\n{END}", body.replace('\n', "")),
        ),
        ("all in one line", text.replace('\n', "")),
        ("a byte-order mark", format!("\u{feff}{text}")),
        ("no final newline", text.trim_end().to_owned()),
    ] {
        lab.write("mail.pqbox", &text);
        lab.run(["open", "mail.pqbox", "--force"]).succeeds();
        assert!(lab.read("mail") == bytes, "{situation}");
        let opened = lab.run_with(["open"], text.as_bytes()).succeeds();
        assert!(opened.stdout == bytes, "{situation}, a pipe");
    }
}

#[test]
fn damaged_armor_writes_nothing_even_to_a_pipe() {
    let lab = Lab::with_keys();
    // More than what is held in memory before a temporary file is made.
    let text = armored(&lab, &noise(3_000_000));
    let count = text.lines().count();
    let near_the_end = text.len() - 200;
    let mut with_star = text.clone();
    with_star.replace_range(near_the_end..=near_the_end, "*");
    let line = text[..near_the_end].lines().count();
    for (text, causes) in [
        (
            with_star,
            [
                "damaged armor: a character that is not base64".to_owned(),
                format!("line {line}"),
            ],
        ),
        (
            text.replace(END, ""),
            ["truncated: the armor has no END line".into(), "hint".into()],
        ),
        (
            text.repeat(2),
            [
                "another sealed file begins".into(),
                format!("line {}", count + 1),
            ],
        ),
    ] {
        let causes = causes.each_ref().map(|cause| &**cause);
        lab.write("mail.pqbox", &text);
        let before = lab.names();
        lab.run(["open", "mail.pqbox"]).fails(4, &causes);
        for run in [
            lab.run(["open", "mail.pqbox", "-o", "-"]),
            lab.run_with(["open"], text.as_bytes()),
            lab.run_with(["open", "-o", "/dev/stdout"], text.as_bytes()),
        ] {
            assert_eq!(run.stdout, b"");
            run.fails(4, &causes);
        }
        assert_eq!(lab.names(), before);
    }
}

#[test]
fn what_is_in_the_armor_is_checked_as_ever() {
    let lab = Lab::with_keys();
    let text = armored(&lab, b"data");
    let mut lines: Vec<_> = text.lines().collect();
    lines.swap(2, 3);
    lab.run_with(["open"], lines.join("\n").as_bytes())
        .fails(4, &["standard input", "corrupted"]);
    lab.run_with(["open"], format!("{BEGIN}{END}").as_bytes())
        .fails(4, &["not a pqbox file", "empty"]);
}

#[test]
fn inspect_looks_into_armor() {
    let lab = Lab::with_keys();
    lab.write("data", noise(100_000));
    lab.run(["seal", "data", "-a"]).succeeds();
    let report = lab.run(["inspect", "data.pqbox"]).succeeds();
    assert!(
        report
            .text()
            .starts_with("format      pqbox, version 1, armored\n")
    );
    let report = lab.run(["inspect", "data.pqbox", "--json"]).succeeds();
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    assert_eq!(report["armored"], true);
    assert_eq!(report["plaintext_bytes"], 100_000);
}

#[test]
fn sealing_armor_again_warns() {
    let lab = Lab::with_keys();
    lab.write("mail", armored(&lab, b"data"));
    lab.run(["seal", "mail"])
        .warns(&["\"mail\" is sealed already"]);
}
