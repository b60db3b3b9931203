//! Recipients: none, the same twice, one of several unusable; the wrong key.

use crate::harness::{Lab, chmod};
use serde_json::Value;

fn recipients(lab: &Lab, name: &str) -> usize {
    let report = lab.run(["inspect", "--json", name]).succeeds();
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    report["recipients"].as_array().unwrap().len()
}

fn key_id(made: &str) -> &str {
    let line = made
        .lines()
        .find(|line| line.starts_with("key id"))
        .unwrap();
    line.split_whitespace().nth(2).unwrap()
}

#[test]
fn any_of_several_opens() {
    let lab = Lab::with_keys();
    for (name, set) in [("a", "512"), ("b", "768"), ("c", "1024")] {
        lab.run(["keygen", "--kem", set, "-o", name]).succeeds();
    }
    lab.write("data", "data");
    lab.run(["seal", "data", "-r", "a.pub", "-r", "b.pub", "-r", "c.pub"])
        .succeeds();
    for keys in [&["-i", "a"][..], &["-i", "b"], &["-i", "c"]] {
        let args = [&["open", "data.pqbox", "-o", "-"], keys].concat();
        assert_eq!(lab.run(args).succeeds().stdout, b"data");
    }
    // The default key was not asked for.
    lab.run(["open", "data.pqbox", "-o", "-"])
        .fails(3, &["no key for this file"]);
    let several = ["open", "data.pqbox", "-o", "-", "-i", "a", "-i", "b"];
    assert_eq!(lab.run(several).succeeds().stdout, b"data");
}

#[test]
fn the_same_recipient_twice() {
    let lab = Lab::new();
    lab.run(["keygen", "-o", "a"]).succeeds();
    lab.write("data", "data");
    std::fs::copy(lab.path("a.pub"), lab.path("copy.pub")).unwrap();
    lab.run([
        "seal", "data", "-r", "a.pub", "-r", "./a.pub", "-r", "copy.pub",
    ])
    .succeeds();
    assert_eq!(recipients(&lab, "data.pqbox"), 1);
    lab.run(["open", "data.pqbox", "-i", "a", "-o", "copy"])
        .succeeds();
}

#[test]
fn a_thousand_recipients() {
    let lab = Lab::with_keys();
    let mut list = String::new();
    for _ in 0..1000 {
        let key = pqbox::hybrid::SecretKey::generate(
            pqbox::kem::SetId::MlKem512,
            &mut rand::rngs::SysRng,
        );
        list.push_str(&key.unwrap().public_key().to_pem());
    }
    lab.write("list", list);
    lab.write("data", "data");
    lab.run(["seal", "data", "-R", "list", "--to-self"])
        .succeeds();
    assert_eq!(recipients(&lab, "data.pqbox"), 1001);
    lab.run(["open", "data.pqbox", "-o", "copy"]).succeeds();
}

#[test]
fn one_unusable_recipient_fails_the_whole() {
    let lab = Lab::with_keys();
    lab.run(["keygen", "-o", "a"]).succeeds();
    lab.write("data", "data");
    lab.write("bad.pub", "not a key");
    for (bad, status) in [("bad.pub", 4), ("missing.pub", 1), ("a", 2), (".", 2)] {
        let args = ["seal", "data", "-r", "a.pub", "-r", bad];
        lab.run(args).fails(status, &[&format!("{bad:?}")]);
    }
    assert!(!lab.exists("data.pqbox"));
}

#[test]
fn no_recipient() {
    let lab = Lab::new();
    lab.write("data", "data");
    lab.run(["seal", "data"]).fails(
        2,
        &[
            "there is no default key",
            "public.pem",
            "-r PUB",
            "pqbox keygen",
        ],
    );
    assert_eq!(lab.names(), ["data"]);
}

#[test]
fn no_secret_key() {
    let lab = Lab::new();
    lab.run(["keygen", "-o", "a"]).succeeds();
    let sealed = lab.run_with(["seal", "-r", "a.pub"], b"data").succeeds();
    lab.run_with(["open"], &sealed.stdout)
        .fails(2, &["there is no default key", "secret.pem", "-i KEY"]);
}

#[test]
fn wrong_key_says_which_are_wanted_and_which_were_tried() {
    let lab = Lab::with_keys();
    let made = ["a", "b", "c"].map(|name| lab.run(["keygen", "-o", name]).succeeds());
    let [a, b, c] = made.each_ref().map(|made| key_id(made.text()));
    lab.write("data", "data");
    lab.run(["seal", "data", "-r", "a.pub", "-r", "b.pub"])
        .succeeds();
    lab.write("out", "old");
    lab.run(["open", "data.pqbox", "-i", "c", "-o", "out", "-f"])
        .fails(3, &[a, b, &format!("tried {c}"), "hint: -i KEY"]);
    assert_eq!(lab.read("out"), b"old");
}

/// Names are there too where the key directory can be entered and not listed; a directory is no key.
#[test]
fn names_in_unusual_key_directories() {
    let lab = Lab::with_keys();
    lab.run(["keygen", "-o", "b"]).succeeds();
    lab.run(["import", "b.pub", "--name", "bob"]).succeeds();
    std::fs::create_dir(lab.key("eve.pub")).unwrap();
    lab.write("data", "data");
    for mode in [0o311, 0o700] {
        chmod(lab.key(""), mode);
        lab.run(["seal", "-f", "data", "-r", "bob"]).succeeds();
        lab.run(["seal", "-f", "data", "-r", "eve"])
            .fails(1, &["\"eve\"", "no such name in the key directory"]);
    }
}
