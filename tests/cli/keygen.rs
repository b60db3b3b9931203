//! `keygen`: never over an existing key without `--force`, never a secret on a redirect, and where
//! the default place is.

use crate::harness::{Lab, chmod, mode};
use std::fs;
use std::os::unix::fs::symlink;

#[test]
fn reports_the_key_id_and_where_the_keys_are() {
    let lab = Lab::new();
    let made = lab.run(["keygen"]).succeeds();
    let lines: Vec<_> = made.text().lines().collect();
    assert!(lines[0].starts_with("key id      ") && lines[0].ends_with(" (ML-KEM-768)"));
    assert_eq!(
        lines[1],
        format!("secret key  {}", lab.key("secret.pem").display())
    );
    assert_eq!(
        lines[2],
        format!("public key  {}", lab.key("public.pem").display())
    );
    // Nothing of the secret.
    assert!(!made.text().contains("PRIVATE"));
}

#[test]
fn existing_keys_are_refused() {
    let lab = Lab::with_keys();
    let keys = || ["secret.pem", "public.pem"].map(|name| fs::read(lab.key(name)).unwrap());
    let before = keys();
    lab.run(["keygen"])
        .fails(2, &["secret.pem\" exists already", "--force"]);
    assert_eq!(keys(), before);

    // Either of the two is enough to refuse both.
    fs::remove_file(lab.key("secret.pem")).unwrap();
    lab.run(["keygen"])
        .fails(2, &["public.pem\" exists already"]);
    assert!(!lab.key("secret.pem").exists());
    lab.write("k.pub", "precious");
    lab.run(["keygen", "-o", "k"])
        .fails(2, &["\"k.pub\" exists already"]);
    assert_eq!(lab.names(), ["k.pub"]);
}

#[test]
fn force_replaces_both() {
    let lab = Lab::with_keys();
    let keys = || ["secret.pem", "public.pem"].map(|name| fs::read(lab.key(name)).unwrap());
    let before = keys();
    // Even if others could read the old one.
    chmod(lab.key("secret.pem"), 0o644);
    lab.run(["keygen", "--force"]).succeeds();
    let after = keys();
    assert!(before[0] != after[0] && before[1] != after[1]);
    assert_eq!(mode(lab.key("secret.pem")), 0o600);
    assert_eq!(fs::read_dir(lab.key("")).unwrap().count(), 2);
    let sealed = lab.run_with(["seal"], b"data").succeeds();
    lab.run_with(["open"], &sealed.stdout).succeeds();
}

#[test]
fn never_on_a_redirect() {
    let lab = Lab::new();
    for script in [
        r#"umask 022; exec "$@" keygen -o - > leak"#,
        r#"umask 022; exec "$@" keygen -o /dev/stdout > leak"#,
        r#"umask 022; exec "$@" keygen -o /dev/fd/3 3> leak"#,
        r#"umask 022; mkfifo pipe; exec "$@" keygen -o pipe"#,
    ] {
        lab.shell(script)
            .fails(2, &["a key pair is written to files of its own", "-o FILE"]);
    }
    assert_eq!(lab.read("leak"), b"");
    // Without -o a redirect gets the report, and the secret goes where it belongs.
    lab.shell(r#"umask 022; exec "$@" keygen > report"#)
        .succeeds();
    let report = String::from_utf8(lab.read("report")).unwrap();
    assert!(report.starts_with("key id") && !report.contains("PRIVATE"));
    assert_eq!(mode(lab.key("secret.pem")), 0o600);
}

/// Else the public key would overwrite the secret one.
#[test]
fn both_keys_in_one_file() {
    let lab = Lab::new();
    lab.write("k", "old");
    symlink("k", lab.path("k.pub")).unwrap();
    lab.run(["keygen", "-f", "-o", "k"])
        .fails(2, &["\"k.pub\" and \"k\" are one output"]);
    assert_eq!(lab.read("k"), b"old");
}

#[test]
fn private_directory() {
    let lab = Lab::new();
    let deep = lab.path("a/b/keys");
    let dir = deep.to_str().unwrap();
    lab.shell(&format!(r#"umask 0; exec "$@" keygen --key-dir {dir}"#))
        .succeeds();
    for made in ["a", "a/b", "a/b/keys"] {
        assert_eq!(mode(lab.path(made)), 0o700);
    }
    // One that is there already belongs to the user.
    fs::create_dir(lab.path("mine")).unwrap();
    chmod(lab.path("mine"), 0o755);
    lab.run(["keygen", "--key-dir", "mine"]).succeeds();
    assert_eq!(mode(lab.path("mine")), 0o755);
}

#[test]
fn default_place() {
    let lab = Lab::new();
    let keygen = |env: &str| lab.shell(&format!(r#"exec env -u PQBOX_HOME {env} "$@" keygen"#));
    let home = lab.path("home");
    let home = home.to_str().unwrap();
    keygen(&format!("HOME={home}")).succeeds();
    keygen(&format!("HOME={home} XDG_CONFIG_HOME={home}/xdg")).succeeds();
    keygen(&format!("HOME={home} PQBOX_HOME={home}/box")).succeeds();
    let option = format!("HOME={home} PQBOX_HOME={home}/box");
    lab.shell(&format!(
        r#"exec env {option} "$@" keygen --key-dir {home}/given"#
    ))
    .succeeds();
    let places = if cfg!(target_vendor = "apple") {
        ["Library/Preferences/pqbox", "box", "given"].as_slice()
    } else {
        &[".config/pqbox", "xdg/pqbox", "box", "given"]
    };
    for place in places {
        let secret = lab.path("home").join(place).join("secret.pem");
        assert_eq!(mode(&secret), 0o600, "{place}");
    }
}

/// Without a HOME the user database has one (which a test had better leave alone). One that is not
/// absolute is none: the keys would be wherever the command happens to run.
#[test]
fn no_home() {
    let lab = Lab::new();
    for command in ["keygen", "seal", "open"] {
        let script = format!(r#"exec env -u PQBOX_HOME HOME=here "$@" {command} < /dev/null"#);
        let run = lab.shell(&script);
        // `open` looks at its input before it looks for a key.
        if command != "open" {
            run.fails(
                2,
                &["there is no home directory", "--key-dir", "PQBOX_HOME"],
            );
        }
    }
    assert_eq!(lab.names().len(), 0);
}

#[test]
fn key_directory_that_is_a_file() {
    let lab = Lab::new();
    lab.write("file", "");
    lab.run(["keygen", "--key-dir", "file"])
        .fails(1, &["cannot make the directory \"file\""]);
}

#[test]
fn key_directory_behind_a_link() {
    let lab = Lab::new();
    fs::create_dir(lab.path("real")).unwrap();
    symlink("real", lab.path("link")).unwrap();
    lab.run(["keygen", "--key-dir", "link"]).succeeds();
    assert!(lab.exists("real/secret.pem"));
}

#[test]
fn the_public_key_can_be_had_again() {
    let lab = Lab::with_keys();
    let public = std::fs::read(lab.key("public.pem")).unwrap();
    assert_eq!(lab.run(["pub"]).succeeds().stdout, public);
    let secret = lab.key("secret.pem");
    let secret = secret.to_str().unwrap();
    lab.run(["pub", secret, "-o", "again"]).succeeds();
    assert_eq!(lab.read("again"), public);
    lab.run(["pub", secret, "-o", "again"])
        .fails(2, &["exists already"]);
    lab.run(["pub", secret, "-o", secret, "--force"])
        .fails(2, &["is the secret key itself"]);
    lab.run(["pub", "again"])
        .fails(2, &["a public key, where a secret key"]);
    chmod(lab.write("pass", "words"), 0o600);
    lab.run(["keygen", "-o", "key", "--passphrase-file", "pass"])
        .succeeds();
    let run = lab.run(["pub", "key", "--passphrase-file", "pass"]);
    assert_eq!(run.succeeds().stdout, lab.read("key.pub"));
}
