//! Names: what the key directory has, what gets into it and out of it, groups and lists.

use crate::harness::{Lab, Run, chmod, mode};
use serde_json::Value;
use std::fs;

/// The default key, and keys of Alice, Bob and Carol in files.
fn lab() -> Lab {
    let lab = Lab::with_keys();
    for (name, set) in [("alice", "512"), ("bob", "768"), ("carol", "1024")] {
        lab.run(["keygen", "--kem", set, "-o", name]).succeeds();
    }
    lab
}

fn id(lab: &Lab, public: &str) -> String {
    lab.write("for id", "");
    lab.run(["seal", "for id", "-r", public, "--force"])
        .succeeds();
    recipients(lab, "for id.pqbox").remove(0)
}

/// The key ids in a sealed file.
fn recipients(lab: &Lab, file: &str) -> Vec<String> {
    let report = lab.run(["inspect", "--json", file]).objects().remove(0);
    let ids = report["recipients"].as_array().unwrap().iter();
    ids.map(|r| r["key_id"].as_str().unwrap().to_owned())
        .collect()
}

fn seal(lab: &Lab, args: &[&str]) -> Run {
    lab.write("data", "data");
    lab.run([&["seal", "data", "--force"], args].concat())
}

#[test]
fn names_are_recipients_and_identities() {
    let lab = lab();
    lab.run(["import", "bob.pub"]).succeeds();
    let made = lab.run(["import", "alice", "--name", "ally"]).succeeds();
    assert!(
        made.text().ends_with("  ally  ML-KEM-512  secret\n"),
        "{made:?}"
    );
    assert_eq!(mode(lab.key("ally.key")), 0o600);
    fs::create_dir(lab.path("elsewhere")).unwrap();
    for file in ["alice", "alice.pub", "bob.pub"] {
        fs::rename(lab.path(file), lab.path("elsewhere").join(file)).unwrap();
    }
    fs::remove_file(lab.path("bob")).unwrap();

    seal(&lab, &["-r", "bob", "-r", "ally"]).succeeds();
    assert_eq!(recipients(&lab, "data.pqbox").len(), 2);
    lab.run(["open", "data.pqbox", "-o", "-", "-i", "ally"])
        .succeeds();
    lab.run(["rekey", "data.pqbox", "--set", "ally", "-i", "ally"])
        .warns(&["still can"]);
    lab.run(["open", "data.pqbox", "-o", "-", "-i", "ally"])
        .succeeds();
    lab.run(["pub", "ally"]).succeeds();
    let ct = ["--ciphertext", "ct", "--secret"];
    lab.run([&["encapsulate", "-r", "ally"], &ct[..], &["one"]].concat())
        .succeeds();
    lab.run([&["decapsulate", "-i", "ally"], &ct[..], &["two"]].concat())
        .succeeds();
    assert_eq!(lab.read("one"), lab.read("two"));

    seal(&lab, &["-r", "nobody"]).fails(1, &["\"nobody\"", "pqbox keys"]);
    // A path is one, whatever has that name.
    seal(&lab, &["-r", "./ally"]).fails(1, &["cannot open \"./ally\""]);
}

/// Whoever can put a file where the program runs does not become a recipient by that.
#[test]
fn a_file_with_the_name_of_a_key_is_refused() {
    let lab = lab();
    lab.run(["import", "bob.pub"]).succeeds();
    seal(&lab, &["-r", "bob"]).fails(2, &["a file here, and a name", "./bob"]);
    fs::rename(lab.path("carol.pub"), lab.path("bob")).unwrap();
    seal(&lab, &["-r", "bob"]).fails(2, &["\"bob\" is a file here, and a name"]);
    seal(&lab, &["-r", "./bob"]).succeeds();
    let path = lab.key("bob.pub");
    seal(&lab, &["-r", path.to_str().unwrap()]).succeeds();
}

#[test]
fn the_default_key_can_be_added() {
    let lab = lab();
    seal(&lab, &["-r", "carol.pub", "--to-self"]).succeeds();
    assert_eq!(recipients(&lab, "data.pqbox").len(), 2);
    lab.run(["open", "data.pqbox", "-o", "-"]).succeeds();
    seal(&lab, &["--to-self"]).succeeds();
    assert_eq!(recipients(&lab, "data.pqbox").len(), 1);
    seal(&lab, &["--to-self", "-p"]).fails(2, &["cannot be used with"]);
}

#[test]
fn a_recipients_file_is_read_as_people_write_it() {
    let lab = lab();
    let all: Vec<_> = ["alice.pub", "bob.pub", "carol.pub"]
        .map(|k| id(&lab, k))
        .into();
    let pem = String::from_utf8(lab.read("carol.pub")).unwrap();
    fs::create_dir(lab.path("team")).unwrap();
    fs::rename(lab.path("alice.pub"), lab.path("team/alice.pub")).unwrap();
    lab.run(["import", "bob.pub"]).succeeds();
    fs::remove_file(lab.path("bob")).unwrap();
    let text = format!("# the team\r\n\n  alice.pub \t\r\nbob\nbob\n\n{pem}\n   # the end");
    let utf16: Vec<u8> = std::iter::once(0xfeff)
        .chain(text.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    for bytes in [
        text.clone().into_bytes(),
        text.replace('\n', "\r\n").into_bytes(),
        format!("\u{feff}{text}").into_bytes(),
        utf16,
    ] {
        lab.write("team/list", bytes);
        seal(&lab, &["-R", "team/list"]).succeeds();
        assert_eq!(recipients(&lab, "data.pqbox"), all);
    }
    // Beside others, and from standard input, where paths begin here.
    seal(
        &lab,
        &["-R", "team/list", "-r", "team/alice.pub", "--to-self"],
    )
    .succeeds();
    assert_eq!(recipients(&lab, "data.pqbox").len(), 4);
    lab.write("data", "data");
    let args = ["seal", "data", "--force", "-R", "-"];
    lab.run_with(args, b"team/alice.pub\n").succeeds();
    assert_eq!(recipients(&lab, "data.pqbox"), all[..1]);
}

#[test]
fn an_error_names_the_list_and_the_line() {
    let lab = lab();
    let list = |text: &str| lab.write("list", text);
    let secret = String::from_utf8(lab.read("bob")).unwrap();
    let before = lab.names().len();
    for (text, status, words) in [
        (
            "bob.pub\n\nmissing.pub\n",
            1,
            "\"list\", line 3: cannot open",
        ),
        (
            "# one\nbob\n",
            2,
            "\"list\", line 2: cannot use the public key",
        ),
        (
            &format!("bob.pub\n{secret}"),
            2,
            "\"list\", line 2: a secret key",
        ),
        (
            "-----BEGIN PUBLIC KEY-----\nAAAA\n",
            4,
            "\"list\", line 1: damaged key",
        ),
        ("# nobody\n\n", 2, "\"list\" lists nobody"),
        ("", 2, "\"list\" lists nobody"),
    ] {
        list(text);
        let run = lab.run(["seal", "bob.pub", "-R", "list"]);
        run.fails(status, &[words]);
    }
    assert_eq!(lab.names().len(), before + 1);
    lab.run(["seal", "bob.pub", "-R", "nothing"])
        .fails(1, &["cannot open \"nothing\""]);
    lab.run(["seal", "bob.pub", "-R", "."])
        .fails(2, &["is a directory"]);
}

#[test]
fn groups_are_names_for_several() {
    let lab = lab();
    for key in ["alice", "bob"] {
        lab.run(["import", &format!("{key}.pub")]).succeeds();
        fs::remove_file(lab.path(key)).unwrap();
    }
    fs::write(lab.key("pair.group"), "alice\nbob\n").unwrap();
    let carol = lab.path("carol.pub");
    fs::write(
        lab.key("all.group"),
        format!("pair\n{}\nalice\n", carol.display()),
    )
    .unwrap();
    seal(&lab, &["-r", "all"]).succeeds();
    assert_eq!(recipients(&lab, "data.pqbox").len(), 3);
    lab.run(["rekey", "data.pqbox", "--add", "pair", "-i", "carol"])
        .succeeds();
    let path = lab.key("pair.group");
    seal(&lab, &["-r", path.to_str().unwrap()]).succeeds();
    assert_eq!(recipients(&lab, "data.pqbox").len(), 2);
    fs::write(lab.key("loop.group"), "bob\nloop\n").unwrap();
    seal(&lab, &["-r", "loop"]).fails(2, &["within 8 other groups"]);
    let keys = lab.run(["keys"]).succeeds();
    assert!(
        keys.text()
            .lines()
            .any(|line| line.trim() == "all                     group"),
        "{keys:?}"
    );
}

#[test]
fn keys_are_listed() {
    let lab = Lab::new();
    let none = lab.run(["keys"]).succeeds();
    assert!(none.text().starts_with("no keys in "), "{none:?}");
    assert!(lab.run(["keys", "--json"]).objects().is_empty());
    lab.run(["keygen"]).succeeds();
    lab.run(["keygen", "-o", "bob"]).succeeds();
    lab.write("pass", "words");
    chmod(lab.path("pass"), 0o600);
    lab.run(["keygen", "-o", "carol", "--passphrase-file", "pass"])
        .succeeds();
    lab.run(["import", "bob.pub"]).succeeds();
    lab.run([
        "import",
        "carol",
        "--name",
        "my own",
        "--passphrase-file",
        "pass",
    ])
    .succeeds();
    let keys = lab.run(["keys"]).succeeds();
    let rows: Vec<_> = keys.text().lines().map(|line| &line[19..]).collect();
    assert_eq!(
        rows,
        [
            "  name       algorithm    kind",
            "  (default)  ML-KEM-768   secret, no passphrase",
            "  bob        ML-KEM-768   public",
            "  my own     ML-KEM-768   secret, passphrase",
        ]
    );
    let objects = lab.run(["keys", "--json"]).objects();
    assert_eq!(objects[2]["name"], "my own");
    assert_eq!(
        (&objects[2]["passphrase"], &objects[0]["default"]),
        (&true.into(), &true.into())
    );
    assert_eq!(objects[1]["key_id"], id(&lab, "bob.pub"));
    // Without its public half, a key with a passphrase has no id that anybody could tell.
    fs::remove_file(lab.key("my own.pub")).unwrap();
    let objects = lab.run(["keys", "--json"]).objects();
    assert_eq!(
        (&objects[2]["key_id"], &objects[2]["kind"]),
        (&Value::Null, &"secret".into())
    );
    // One bad file is reported, and the others are listed.
    fs::write(lab.key("bad.pub"), "no key").unwrap();
    let run = lab.run(["keys"]);
    assert!(run.stderr.contains("bad.pub"), "{run:?}");
    assert_eq!(run.text().lines().count(), 4);
}

#[test]
fn sealed_files_show_names() {
    let lab = lab();
    lab.run(["import", "bob.pub"]).succeeds();
    seal(&lab, &["-r", "bob.pub", "-r", "carol.pub", "--to-self"]).succeeds();
    let report = lab.run(["inspect", "data.pqbox"]).succeeds();
    assert!(report.text().contains("ML-KEM-768 (bob)\n"));
    assert!(report.text().contains("ML-KEM-768 (your key)\n"));
    assert!(report.text().contains("ML-KEM-1024\n"));
    let report = lab
        .run(["inspect", "data.pqbox", "--json"])
        .objects()
        .remove(0);
    assert_eq!(report["recipients"][0]["name"], "bob");
    assert_eq!(report["recipients"][1]["name"], Value::Null);
}

/// Whatever is wrong with secret keys is none of its business: it does not read them.
#[test]
fn inspecting_reads_no_secret_key() {
    let lab = lab();
    lab.run(["import", "bob", "--name", "mine"]).succeeds();
    seal(&lab, &["-r", "./bob.pub"]).succeeds();
    chmod(lab.key("mine.key"), 0o644);
    lab.run(["keys"]).warns(&["chmod 600"]);
    let report = lab.run(["inspect", "data.pqbox"]).succeeds();
    assert!(report.text().contains("(mine)"));
}

/// Public and secret keys as OpenSSL, Node and Python write them.
#[test]
fn keys_of_other_software_are_used_as_they_are() {
    let lab = Lab::with_keys();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/interop/");
    for name in [
        "openssl-512",
        "openssl-768",
        "openssl-1024",
        "node-768",
        "pyca-1024",
    ] {
        for (kind, file) in [("pub", "theirs.pub"), ("priv", "theirs")] {
            let pem = fs::read(format!("{data}{name}-{kind}.pem")).unwrap();
            lab.write(file, pem);
        }
        chmod(lab.path("theirs"), 0o600);
        seal(&lab, &["-r", "theirs.pub"]).succeeds();
        let opened = lab
            .run(["open", "data.pqbox", "-i", "theirs", "-o", "-"])
            .succeeds();
        assert_eq!(opened.stdout, b"data", "{name}");
    }
}

#[test]
fn hidden_recipients_are_not_named() {
    let lab = lab();
    seal(
        &lab,
        &["-r", "bob.pub", "-r", "carol.pub", "--hide-recipients"],
    )
    .succeeds();
    let report = lab.run(["inspect", "data.pqbox"]).succeeds();
    assert!(
        report
            .text()
            .contains("sealed to   hidden               ML-KEM-768\n")
    );
    lab.run(["open", "data.pqbox", "-o", "-", "-i", "carol"])
        .succeeds();
    lab.run(["open", "data.pqbox", "-o", "-"])
        .fails(3, &["2 hidden recipients", "tried"]);
    lab.run([
        "rekey",
        "data.pqbox",
        "-i",
        "bob",
        "--add",
        "alice.pub",
        "--hide-recipients",
    ])
    .succeeds();
    lab.run(["open", "data.pqbox", "-o", "-", "-i", "alice"])
        .succeeds();
    let report = lab
        .run(["inspect", "data.pqbox", "--json"])
        .objects()
        .remove(0);
    let ids: Vec<_> = report["recipients"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| &r["key_id"])
        .collect();
    assert_eq!(ids, [&Value::Null; 3]);
}

#[test]
fn padding_is_taken_off() {
    let lab = lab();
    let sizes = [10_000, 10_200].map(|len| {
        lab.write("data", vec![b'x'; len]);
        lab.run(["seal", "data", "--pad", "--force"]).succeeds();
        assert_eq!(
            lab.run(["open", "data.pqbox", "-o", "-"])
                .succeeds()
                .stdout
                .len(),
            len
        );
        fs::metadata(lab.path("data.pqbox")).unwrap().len()
    });
    assert_eq!(sizes[0], sizes[1]);
    let report = lab.run(["inspect", "data.pqbox"]).succeeds();
    assert!(report.text().contains("plain bytes, padded\n"));
    assert!(report.text().contains("plaintext   at most 10240 bytes\n"));
}

#[test]
fn what_cannot_be_imported() {
    let lab = lab();
    let before = fs::read_dir(lab.key("")).unwrap().count();
    lab.write("text", "text");
    lab.run(["import", "text"])
        .fails(4, &["cannot use the key \"text\"", "no key"]);
    lab.run_with(["import", "-"], &lab.read("bob.pub"))
        .fails(2, &["has no name", "--name"]);
    for name in ["a/b", "..", "", ".x", "-x", "a\nb"] {
        lab.run(["import", "bob.pub", &format!("--name={name}")])
            .fails(2, &["no name for a key"]);
    }
    lab.run(["import", "bob.pub", "--default"])
        .fails(2, &["cannot be the default"]);
    lab.run(["import", "bob", "--default"])
        .fails(2, &["exists already"]);
    assert_eq!(fs::read_dir(lab.key("")).unwrap().count(), before);
    lab.run(["import", "bob.pub"]).succeeds();
    lab.run(["import", "carol.pub", "--name", "bob"])
        .fails(2, &["exists already", "--force"]);
    lab.run(["import", "carol.pub", "--name", "bob", "--force"])
        .succeeds();
    assert_eq!(fs::read(lab.key("bob.pub")).unwrap(), lab.read("carol.pub"));
    lab.run(["import", "bob", "--default", "--force"])
        .succeeds();
    assert_eq!(fs::read(lab.key("secret.pem")).unwrap(), lab.read("bob"));
}

/// Every form goes out and comes in again, and is the same key.
#[test]
fn every_form_of_rfc_9935_is_exported_and_imported() {
    let lab = lab();
    let key = lab.read("bob");
    for form in ["seed", "expanded", "both"] {
        for der in [&[][..], &["--der"]] {
            let args = ["export", "bob", "--form", form, "-o", "out", "--force"];
            lab.run([&args, der].concat()).succeeds();
            assert_eq!(mode(lab.path("out")), 0o600);
            let is_pem = lab
                .read("out")
                .starts_with(b"-----BEGIN PRIVATE KEY-----\n");
            assert_eq!(is_pem, der.is_empty());
            lab.run(["import", "out", "--name", "again", "--force"])
                .succeeds();
            let again = fs::read(lab.key("again.key")).unwrap();
            assert_eq!(again == key, form != "expanded", "{form}");
            assert_eq!(fs::read(lab.key("again.pub")).unwrap(), lab.read("bob.pub"));
            // It is used as it is, too.
            assert_eq!(
                lab.run(["pub", "out"]).succeeds().stdout,
                lab.read("bob.pub")
            );
        }
    }
    // What was expanded has no seed any more.
    lab.run(["export", "bob", "--form", "expanded", "-o", "dk"])
        .succeeds();
    lab.run(["export", "dk", "--form", "both", "-o", "x"])
        .fails(2, &["has no seed"]);
    lab.run(["export", "dk", "-o", "x"]).succeeds();
    assert_eq!(lab.read("x"), lab.read("dk"));

    lab.run(["export", "bob.pub", "--der", "-o", "bob.der"])
        .succeeds();
    assert_eq!(
        lab.run(["export", "bob", "--public"]).succeeds().stdout,
        lab.read("bob.pub")
    );
    seal(&lab, &["-r", "bob.der"]).succeeds();
    lab.run(["import", "bob.der"]).succeeds();
    assert_eq!(fs::read(lab.key("bob.pub")).unwrap(), lab.read("bob.pub"));
    let run = lab.run(["export", "--public"]).succeeds();
    assert_eq!(run.stdout, fs::read(lab.key("public.pem")).unwrap());
    seal(&lab, &["-r", "x"]).fails(2, &["a secret key, where a public key belongs"]);
}

#[test]
fn a_passphrase_stays_on_an_exported_key() {
    let lab = lab();
    lab.write("pass", "words");
    chmod(lab.path("pass"), 0o600);
    let pass = ["--passphrase-file", "pass"];
    lab.run([&["keygen", "-o", "locked"], &pass[..]].concat())
        .succeeds();
    lab.run([&["import", "locked", "--name", "mine"], &pass[..]].concat())
        .succeeds();
    let export = ["export", "mine", "--form", "expanded", "-o", "out", "--der"];
    lab.run([&export, &pass[..]].concat()).succeeds();
    lab.run(["pub", "out"]).fails(2, &["passphrase"]);
    assert_eq!(
        lab.run([&["pub", "out"], &pass[..]].concat())
            .succeeds()
            .stdout,
        lab.read("locked.pub")
    );
    lab.run([&export, &pass[..], &["--no-passphrase", "--force"]].concat())
        .succeeds();
    lab.run(["pub", "out"]).succeeds();
}

#[test]
fn a_secret_key_is_not_exported_to_where_others_can_read_it() {
    let lab = lab();
    lab.run(["export"])
        .fails(2, &["not shown without need", "-o OUT"]);
    lab.shell(r#"umask 022; exec "$@" export -o - > out"#)
        .fails(2, &["standard output is a file that others can read"]);
    assert_eq!(lab.read("out"), b"");
    lab.shell(r#"umask 077; exec "$@" export -o - > private"#)
        .succeeds();
    let piped = lab.run(["export", "-o", "-"]).succeeds().stdout;
    assert_eq!(piped, lab.read("private"));
    assert_eq!(piped, fs::read(lab.key("secret.pem")).unwrap());
    lab.run(["export", "bob", "-o", "bob", "--force"])
        .fails(2, &["is the key itself"]);
}
