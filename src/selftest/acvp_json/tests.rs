//! The reading of NIST's files, on small ones made here from the vectors built in.

use super::*;
use crate::selftest::acvp::{VECTORS, groups};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use std::io::Write;

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// A whole vector set in the three files, each (prompt, expected results, projection) from the
/// same `groups`: group fields, and for each case its inputs and its answers.
struct Files {
    prompt: Value,
    expected: Value,
    projection: Value,
}

fn merge(into: &mut Value, from: &Value) {
    for (name, value) in from.as_object().expect("an object") {
        into[name] = value.clone();
    }
}

fn files(mode: &str, revision: &str, of: &[(Value, Vec<(Value, Value)>)]) -> Files {
    let document = |inputs: bool, answers: bool| {
        let groups: Vec<Value> = (1..)
            .zip(of)
            .map(|(id, (group, cases))| {
                let tests: Vec<Value> = (10..)
                    .zip(cases)
                    .map(|(id, case)| {
                        let mut test = json!({ "tcId": id });
                        if inputs {
                            merge(&mut test, &case.0);
                        }
                        if answers {
                            merge(&mut test, &case.1);
                        }
                        test
                    })
                    .collect();
                let mut group_of = json!({ "tgId": id, "tests": tests });
                if inputs {
                    merge(&mut group_of, group);
                }
                group_of
            })
            .collect();
        json!({ "vsId": 42, "algorithm": "ML-KEM", "mode": mode, "revision": revision,
                "isSample": true, "testGroups": groups })
    };
    Files {
        prompt: document(true, false),
        expected: document(false, true),
        projection: document(true, true),
    }
}

/// Two cases of every function of ML-KEM-512, from the vectors built in.
fn encap_decap() -> Files {
    let mut of = Vec::new();
    for group in groups(VECTORS).filter(|group| group.set == SetId::MlKem512) {
        let (function, test_type) = match group.function {
            Function::KeyGen => continue,
            Function::Encapsulation => ("encapsulation", "AFT"),
            Function::Decapsulation => ("decapsulation", "VAL"),
            Function::EncapsulationKeyCheck => ("encapsulationKeyCheck", "VAL"),
            Function::DecapsulationKeyCheck => ("decapsulationKeyCheck", "VAL"),
        };
        let cases = group.cases().take(2).map(|(_, case)| match case {
            Case::Encapsulation { ek, m, c, k } => (
                json!({ "ek": digits(ek), "m": digits(m) }),
                json!({ "c": digits(c), "k": digits(k) }),
            ),
            Case::Decapsulation {
                dk: Key::Expanded(dk),
                c,
                k,
            } => (
                json!({ "dk": digits(dk), "c": digits(c) }),
                json!({ "k": digits(k) }),
            ),
            Case::EncapsulationKeyCheck { ek, accepted } => (
                json!({ "ek": digits(ek) }),
                json!({ "testPassed": accepted }),
            ),
            Case::DecapsulationKeyCheck {
                dk: Key::Expanded(dk),
                accepted,
            } => (
                json!({ "dk": digits(dk) }),
                json!({ "testPassed": accepted }),
            ),
            _ => unreachable!("no other cases in these groups"),
        });
        of.push((
            json!({ "testType": test_type, "parameterSet": "ML-KEM-512", "function": function }),
            cases.collect(),
        ));
    }
    files("encapDecap", "FIPS203", &of)
}

fn key_gen() -> Files {
    let mut of = Vec::new();
    for group in groups(VECTORS).filter(|group| group.function == Function::KeyGen) {
        let cases = group.cases().take(1).map(|(_, case)| match case {
            Case::KeyGen { d, z, ek, dk } => (
                json!({ "d": digits(d), "z": digits(z) }),
                json!({ "ek": digits(ek), "dk": digits(dk) }),
            ),
            _ => unreachable!("no other cases in these groups"),
        });
        of.push((
            json!({ "testType": "AFT", "parameterSet": group.set.name() }),
            cases.collect(),
        ));
    }
    files("keyGen", "FIPS203", &of)
}

fn file(name: &str, body: &Value) -> (String, Vec<u8>) {
    (name.to_owned(), body.to_string().into_bytes())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("a Vec takes all");
    encoder.finish().expect("a Vec takes all")
}

/// (passed, total) of all rows, and the cases not run.
fn run(files: &[(String, Vec<u8>)]) -> Result<(usize, usize, Vec<NotRun>), String> {
    let sets = VectorSets::read(files).map_err(|problem| problem.to_string())?;
    let rows = sets.run(Backend::selected());
    let sum = |count: fn(&Row) -> usize| rows.iter().map(count).sum();
    Ok((sum(|row| row.passed), sum(|row| row.total), sets.not_run()))
}

fn problem(files: &[(String, Vec<u8>)]) -> String {
    run(files).expect_err("files that cannot be used")
}

#[test]
fn a_projection_stands_alone() {
    assert_eq!(
        run(&[file("e", &encap_decap().projection)]),
        Ok((8, 8, vec![]))
    );
    assert_eq!(run(&[file("k", &key_gen().projection)]), Ok((3, 3, vec![])));
}

#[test]
fn prompts_find_their_results_in_any_order_and_gzip() {
    let (e, k) = (encap_decap(), key_gen());
    let packed = |name, body| (String::from(name), gzip(&file(name, body).1));
    let files = [
        file("k expected", &k.expected),
        packed("e prompt", &e.prompt),
        packed("k prompt", &k.prompt),
        file("e expected", &e.expected),
    ];
    assert_eq!(run(&files), Ok((11, 11, vec![])));
}

#[test]
fn the_form_in_which_servers_send_it() {
    let body = json!([{ "acvVersion": "1.0" }, key_gen().projection]);
    assert_eq!(run(&[file("k", &body)]), Ok((3, 3, vec![])));
}

#[test]
fn wrong_answers_fail() {
    let mut e = encap_decap();
    let groups = e.expected["testGroups"].as_array_mut().expect("groups");
    for group in groups {
        let test = &mut group["tests"][0];
        if let Value::Bool(verdict) = &mut test["testPassed"] {
            *verdict = !*verdict;
        } else {
            test["k"] = json!("00".repeat(32));
        }
    }
    let files = [file("p", &e.prompt), file("e", &e.expected)];
    assert_eq!(run(&files), Ok((4, 8, vec![])));
}

/// A key of another length is rejected by the key checks, and fails elsewhere.
#[test]
fn wrong_lengths() {
    let mut e = encap_decap().projection;
    for group in e["testGroups"].as_array_mut().expect("groups") {
        for test in group["tests"].as_array_mut().expect("tests") {
            for key in ["ek", "dk"] {
                if let Value::String(digits) = &mut test[key] {
                    digits.push_str("00");
                }
            }
            if test.get("testPassed").is_some() {
                test["testPassed"] = json!(false);
            }
        }
    }
    assert_eq!(run(&[file("e", &e)]), Ok((4, 8, vec![])));
}

/// Revision FIPS203-tr1, and the older one whose decapsulation key is the group's.
#[test]
fn keys_as_seeds_and_keys_of_groups() {
    let key = |case| match case {
        (_, Case::KeyGen { d, z, ek, dk }) => (d, z, ek, dk),
        _ => unreachable!("the first group is of key generations"),
    };
    let group = groups(VECTORS).next().expect("a group");
    let (d, z, ek, dk) = key(group.cases().next().expect("a case"));
    let set = SetId::MlKem512.name();
    let ek: [u8; 800] = ek.try_into().expect("its length");
    let (k, c) = crate::kem::hazmat::encaps_internal::<crate::kem::MlKem512>(
        Backend::selected(),
        &ek,
        &[7; 32],
    );
    let (c, k) = (
        json!({ "c": digits(c.as_bytes()) }),
        json!({ "k": digits(k.as_bytes()) }),
    );
    let with = |mut fields: Value, more: &Value| {
        merge(&mut fields, more);
        fields
    };
    let seed = json!({ "d": digits(d), "z": digits(z) });
    let group_of = |function: &str, key_format: &str| json!({ "testType": "VAL", "parameterSet": set, "function": function, "keyFormat": key_format });
    let tr1 = [
        (
            group_of("decapsulation", "seed"),
            vec![
                (with(seed.clone(), &c), k.clone()),
                // The seed counts, whatever stands beside it.
                (
                    with(json!({ "d": digits(d), "z": digits(z), "dk": "00" }), &c),
                    k.clone(),
                ),
            ],
        ),
        (
            group_of("decapsulation", "expanded"),
            vec![(with(json!({ "dk": digits(dk) }), &c), k.clone())],
        ),
        (
            group_of("decapsulationKeyCheck", "seed"),
            vec![(seed, json!({ "testPassed": true }))],
        ),
        (
            group_of("decapsulationKeyCheck", "none"),
            vec![(json!({}), json!({}))],
        ),
        (
            group_of("decapsulation", "wrapped"),
            vec![(json!({}), json!({}))],
        ),
    ];
    let tr1 = files("encapDecap", "FIPS203-tr1", &tr1);
    let not_run = |what: &str| NotRun {
        what: what.to_owned(),
        cases: 1,
    };
    assert_eq!(
        run(&[file("p", &tr1.prompt), file("e", &tr1.expected)]),
        Ok((
            4,
            4,
            vec![
                not_run("ML-KEM encapDecap FIPS203-tr1: decapsulation key check, without a key"),
                not_run("ML-KEM encapDecap FIPS203-tr1: decapsulation, key format wrapped"),
            ]
        ))
    );

    let old = json!({ "testType": "VAL", "parameterSet": set, "function": "decapsulation", "dk": digits(dk) });
    let old = files("encapDecap", "FIPS203", &[(old, vec![(c, k)])]);
    assert_eq!(run(&[file("o", &old.projection)]), Ok((1, 1, vec![])));
}

#[test]
fn what_is_unknown_is_named_and_not_run() {
    let group = |test_type: &str, set: &str, function: &str| {
        let group = json!({ "testType": test_type, "parameterSet": set, "function": function });
        (
            group,
            vec![
                (json!({}), json!({ "testPassed": true })),
                (json!({}), json!({})),
            ],
        )
    };
    let odd = [
        group("MCT", "ML-KEM-512", "decapsulation"),
        group("AFT", "ML-KEM-2048", "encapsulation"),
        group("AFT", "ML-KEM-512", "exchange"),
    ];
    let names = |prefix: &str, of: &[&str]| -> Vec<NotRun> {
        let of = of.iter().map(|what| NotRun {
            what: format!("{prefix}{what}"),
            cases: 2,
        });
        of.collect()
    };
    assert_eq!(
        run(&[file("o", &files("encapDecap", "FIPS203", &odd).projection)]),
        Ok((
            0,
            0,
            names(
                "ML-KEM encapDecap FIPS203: ",
                &[
                    "decapsulation, test type MCT",
                    "encapsulation, parameter set ML-KEM-2048",
                    "function exchange"
                ]
            )
        ))
    );
    // A revision to come; a prompt alone is no error where it would not be run anyway.
    let next = files("encapDecap", "FIPS203-tr2", &odd[..1]);
    let next_named = names("ML-KEM encapDecap FIPS203-tr2", &[""]);
    assert_eq!(
        run(&[file("n", &next.prompt)]),
        Ok((0, 0, next_named.clone()))
    );
    let pair = [file("n", &next.prompt), file("e", &next.expected)];
    assert_eq!(run(&pair), Ok((0, 0, next_named)));
}

#[test]
fn a_file_cannot_steer_the_terminal() {
    let mut prompt = encap_decap().prompt;
    prompt["revision"] = json!("\u{1b}[2J");
    let (.., not_run) = run(&[file("p", &prompt)]).expect("unknown, and no error");
    assert_eq!(not_run[0].what, r"ML-KEM encapDecap \u{1b}[2J");
    let mut projection = encap_decap().projection;
    projection["testGroups"][0]["function"] = json!("\n");
    let (.., not_run) = run(&[file("p", &projection)]).expect("unknown, and no error");
    assert_eq!(not_run[0].what, r"ML-KEM encapDecap FIPS203: function \n");
}

#[test]
fn halves_that_do_not_pair_are_named() {
    let Files {
        prompt, expected, ..
    } = encap_decap();
    let lone = problem(&[file("p.json", &prompt)]);
    assert!(
        lone.starts_with("p.json: a prompt, without the expected results"),
        "{lone}"
    );
    let lone = problem(&[file("e.json", &expected)]);
    assert!(
        lone.starts_with("e.json: expected results, without a prompt"),
        "{lone}"
    );
    let twice = problem(&[file("e.json", &expected), file("f.json", &expected)]);
    assert!(
        twice.starts_with("f.json: expected results of a vector set"),
        "{twice}"
    );
    // key generation's results have the same vector set number, as NIST's have
    let other = problem(&[file("p.json", &prompt), file("k.json", &key_gen().expected)]);
    assert!(other.starts_with("p.json: a prompt, without"), "{other}");

    let mut short = expected.clone();
    short["testGroups"][1]["tests"]
        .as_array_mut()
        .expect("tests")
        .pop();
    let missing = problem(&[file("p.json", &prompt), file("e.json", &short)]);
    assert_eq!(
        missing,
        "p.json: case 11 of group 2 is not among the expected results"
    );
    let mut short = prompt.clone();
    short["testGroups"][1]["tests"]
        .as_array_mut()
        .expect("tests")
        .pop();
    let missing = problem(&[file("p.json", &short), file("e.json", &expected)]);
    assert_eq!(
        missing,
        "p.json: case 11 of group 2 is among the expected results alone"
    );
    let mut doubled = expected.clone();
    doubled["testGroups"][0]["tests"][1]["tcId"] = json!(10);
    let twice = problem(&[file("p.json", &prompt), file("e.json", &doubled)]);
    assert!(
        twice.contains("case 10 of group 1 of ML-KEM encapDecap FIPS203"),
        "{twice}"
    );
}

#[test]
fn malformed_files_are_errors_that_name_them() {
    let good = encap_decap().projection;
    let with = |field: &str, value: Value| {
        let mut bad = good.clone();
        bad["testGroups"][0]["tests"][0][field] = value;
        problem(&[file("bad.json", &bad)])
    };
    for (field, value, wanted) in [
        ("m", json!("0"), "m is not hexadecimal"),
        ("m", json!("zz"), "m is not hexadecimal"),
        ("m", json!("\u{e9}"), "m is not hexadecimal"),
        ("m", json!(5), "m is not text"),
        ("m", json!(null), "no m"),
        ("k", json!(null), "no expected k"),
    ] {
        assert_eq!(
            with(field, value),
            format!("bad.json: case 10 of group 1: {wanted}")
        );
    }

    let mut truncated = gzip(good.to_string().as_bytes());
    truncated.truncate(truncated.len() / 2);
    for (bytes, wanted) in [
        (&b""[..], "bad.json: not JSON"),
        (b"{", "bad.json: not JSON"),
        (b"\xff\xfe{}", "bad.json: not JSON"),
        (b"null", "bad.json: not a vector set of ACVP"),
        (b"7", "bad.json: not a vector set of ACVP"),
        (b"{}", "bad.json: not a vector set of ACVP"),
        (b"[]", "bad.json: 0 vector sets"),
        (
            br#"{"algorithm":"ML-KEM","testGroups":[]}"#,
            "bad.json: not a vector set of ACVP",
        ),
        (
            br#"{"algorithm":7,"testGroups":[{}]}"#,
            "bad.json: not a vector set of ACVP",
        ),
        (&truncated, "bad.json: damaged gzip"),
        (b"\x1f\x8b", "bad.json: damaged gzip"),
    ] {
        let problem = problem(&[("bad.json".to_owned(), bytes.to_vec())]);
        assert!(problem.starts_with(wanted), "{problem}");
    }
    let deep = [b'['; 1 << 20].to_vec();
    assert!(problem(&[("deep.json".to_owned(), deep)]).starts_with("deep.json: not JSON"));
}
