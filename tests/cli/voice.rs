//! What the program says, to whom, and how much of it: JSON, errors by code, quiet, verbose; and what is
//! made from the description of its command line.

use crate::harness::{CHUNK, Lab, chmod};
use serde_json::{Value, json};
use std::fs;

#[test]
fn results_are_json_on_demand() {
    let lab = Lab::new();
    let made = lab.run(["keygen", "--json"]).objects().remove(0);
    assert_eq!(made["algorithm"], "ML-KEM-768");
    assert_eq!(made["secret_key"], lab.key("secret.pem").to_str().unwrap());
    let id = &made["key_id"];
    lab.write("a", "a");
    lab.write("b", "bb");
    let mut sealed = lab.run(["seal", "a", "b", "--json"]).objects();
    sealed.sort_by_key(|object| object["sealed"].as_str().unwrap().to_owned());
    assert_eq!(sealed[1], json!({ "sealed": "b", "output": "b.pqbox" }));
    let inspected = lab
        .run(["--json", "inspect", "a.pqbox"])
        .objects()
        .remove(0);
    assert_eq!(inspected["recipients"][0]["key_id"], *id);
    let checked = lab.run(["check", "b.pqbox", "--json"]).objects().remove(0);
    assert_eq!(checked, json!({ "good": "b.pqbox", "bytes": 2 }));
    let rekeyed = lab.run(["rekey", "a.pqbox", "--json", "--add", "../keys/public.pem"]);
    assert_eq!(
        rekeyed.objects(),
        [json!({ "rekeyed": "a.pqbox", "rotated": false })]
    );
    fs::remove_file(lab.path("a")).unwrap();
    let opened = lab.run(["open", "a.pqbox", "--json"]).objects();
    assert_eq!(opened, [json!({ "opened": "a.pqbox", "output": "a" })]);
    // Where the content itself goes to standard output, nothing is mixed with it.
    let run = lab.run(["open", "b.pqbox", "--json", "-o", "-"]).succeeds();
    assert_eq!(run.stdout, b"bb");
}

#[test]
fn errors_have_stable_codes() {
    let lab = Lab::with_keys();
    lab.run(["keygen", "-o", "other"]).succeeds();
    lab.write("data", vec![7; 2 * CHUNK]);
    lab.run(["seal", "data"]).succeeds();
    let sealed = lab.read("data.pqbox");
    let mut flipped = sealed.clone();
    flipped[2000] ^= 1;
    lab.write("flipped.pqbox", flipped);
    lab.write("cut.pqbox", &sealed[..sealed.len() - 16]);
    lab.write("long.pqbox", [&sealed[..], b"more"].concat());
    lab.write("foreign.pqbox", "age-encryption.org/v1\n");
    for (args, status, code) in [
        (&["seal", "missing"][..], 1, "not-found"),
        (&["seal", "data", "-o", "missing/x"], 1, "io"),
        (&["seal", "data"], 2, "exists"),
        (
            &["seal", "data", "-r", "other", "-o", "x"],
            2,
            "key-is-secret",
        ),
        (
            &["open", "data.pqbox", "-i", "other.pub", "-o", "x"],
            2,
            "key-is-public",
        ),
        (
            &["open", "data.pqbox", "-i", "other", "-o", "x"],
            3,
            "no-matching-key",
        ),
        (&["open", "flipped.pqbox"], 4, "chunk-corrupted"),
        (&["open", "cut.pqbox"], 4, "truncated"),
        (&["open", "long.pqbox"], 4, "trailing-data"),
        (&["open", "foreign.pqbox"], 4, "not-pqbox"),
        (&["open"], 4, "not-pqbox"),
        (&["sael"], 2, "usage"),
        (&["seal", "--no-such-option"], 2, "usage"),
        (&["--backend", "none", "keys"], 2, "usage"),
        (&["rekey", "data.pqbox"], 2, "usage"),
    ] {
        let run = lab.run([args, &["--json"]].concat());
        assert_eq!(run.stdout, b"");
        let error = run.errs(status);
        assert_eq!(error["code"], code, "{error}");
        assert!(!error["message"].as_str().unwrap().is_empty());
    }
    // One for each file, and one for all.
    let run = lab.run(["open", "flipped.pqbox", "cut.pqbox", "--json"]);
    let errors: Vec<Value> = run
        .stderr
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(errors.len(), 3);
}

#[test]
fn warnings_are_json_too_or_not_said() {
    let lab = Lab::with_keys();
    lab.write("data", "data");
    lab.run(["seal", "data"]).succeeds();
    chmod(lab.key("secret.pem"), 0o644);
    let open = ["open", "data.pqbox", "-o", "-"];
    let run = lab.run([&open[..], &["--json"]].concat());
    let object: Value = serde_json::from_str(&run.stderr).unwrap();
    assert!(
        object["warning"]["hint"]
            .as_str()
            .unwrap()
            .starts_with("chmod 600 ")
    );
    lab.run(open).warns(&["chmod 600"]);
    for quiet in ["-q", "--quiet"] {
        lab.run([&open[..], &[quiet]].concat()).succeeds();
    }
    // Errors are said.
    lab.run(["open", "missing", "--quiet"])
        .fails(1, &["cannot open \"missing\""]);
    lab.run(["keys", "-q", "-v"])
        .fails(2, &["cannot be used with"]);
}

#[test]
fn verbose_says_what_is_done() {
    let lab = Lab::with_keys();
    lab.write("data", "data");
    let id = lab.run(["keys", "--json"]).objects()[0]["key_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let run = lab.run(["seal", "data", "-v"]);
    assert_eq!(
        run.stderr,
        format!("pqbox: sealed \"data\" to {id}: \"data.pqbox\"\n")
    );
    let run = lab.run(["open", "data.pqbox", "-o", "-", "--verbose"]);
    assert_eq!(
        run.stderr,
        "pqbox: opened \"data.pqbox\": standard output\n"
    );
    assert_eq!(run.stdout, b"data");
}

/// No escape sequence gets into a file or a pipe, nor to a terminal that is not to have colours.
#[test]
fn no_color() {
    let lab = Lab::new();
    for script in [r#"exec "$@" --help"#, r#"NO_COLOR=1 exec "$@" seal --help"#] {
        assert!(!lab.shell(script).succeeds().stdout.contains(&0x1b));
    }
}

#[test]
fn completions_for_every_shell() {
    let lab = Lab::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = lab.run(["completions", shell]).succeeds();
        for word in ["decapsulate", "hide-recipients", "salvage"] {
            assert!(script.text().contains(word), "{shell}: {word}");
        }
    }
    lab.run(["completions", "csh"]).fails(2, &["csh", "bash"]);
    // One that can be asked: what bash makes of it.
    let script = r#""$@" completions bash > pqbox.bash || exit
        command -v bash > /dev/null || { echo seal; exit; }
        bash -c '. ./pqbox.bash
            COMP_WORDS=(pqbox se); COMP_CWORD=1
            _pqbox pqbox se pqbox; echo "${COMPREPLY[@]}"'"#;
    assert!(lab.shell(script).succeeds().text().contains("seal"));
}

#[test]
fn manual_pages_for_every_command() {
    let lab = Lab::new();
    lab.run(["man", "--output-dir", "share/man1"]).succeeds();
    let help = lab.run(["--help"]).succeeds();
    let commands = help.text().split("Commands:\n").nth(1).unwrap();
    let commands = commands.lines().take_while(|line| !line.is_empty());
    let commands = commands.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let commands: Vec<_> = commands.filter(|name| !name.is_empty()).collect();
    assert!(commands.len() >= 17, "{commands:?}");
    for command in &commands {
        let page = lab.run(["man", command]).succeeds().stdout;
        assert_eq!(page, lab.read(format!("share/man1/pqbox-{command}.1")));
        let page = String::from_utf8(page).unwrap();
        assert!(page.contains(&format!("pqbox\\-{command}")), "{command}");
        assert!(page.contains("xample"), "{command}");
    }
    assert_eq!(
        lab.run(["man"]).succeeds().stdout,
        lab.read("share/man1/pqbox.1")
    );
    lab.run(["man", "sael"]).fails(2, &["no command", "seal"]);
}

#[test]
fn speed_is_a_table() {
    let lab = Lab::new();
    let args = ["speed", "--time", "1", "--backend", "portable"];
    let table = lab.run(args).succeeds();
    let lines: Vec<_> = table.text().lines().collect();
    assert!(lines[0].ends_with(" portable"));
    assert_eq!(lines.len(), 1 + 3 * 3 + 2);
    assert!(lines[1].starts_with("ML-KEM-512 keygen ") && lines[1].ends_with(" op/s"));
    assert!(lines[11].starts_with("open ") && lines[11].ends_with("B/s"));
    let objects = lab.run([&args[..], &["--json"]].concat()).objects();
    assert_eq!(objects.len(), 11);
    assert!(objects[10]["per_second"].as_f64().unwrap() > 1e6);
}
