//! `pqbox keys`: what the key directory has.

use super::files::Input;
use super::keys::{self, Dir, GROUP, LIMIT, PUBLIC, SECRET};
use super::ui;
use anyhow::Context;
use pqbox::Error;
use pqbox::hybrid::keyfile::{self, Kind};
use pqbox::hybrid::{KeyId, PublicKey, SecretKey};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) fn run(key_dir: &Dir<'_>) -> anyhow::Result<()> {
    let keyring = Keyring::read(key_dir)?;
    for error in &keyring.failures {
        ui::report(error);
    }
    if ui::is_json() {
        return keyring
            .rows
            .iter()
            .try_for_each(|row| ui::object(&row.json()));
    }
    if keyring.rows.is_empty() {
        let dir = ui::bare_name(key_dir.path()?);
        return ui::print(&format!("no keys in {dir}\n"));
    }
    ui::print(&keyring.table())
}

/// The names of known public keys. No secret key is read, and a file that is no key has no name.
pub(crate) fn names(key_dir: &Dir<'_>) -> BTreeMap<KeyId, String> {
    let files = Files::list(key_dir).unwrap_or_default();
    let named = files.keys.into_iter().filter_map(|name| {
        let path = key_dir.named(&name, PUBLIC[0]).ok()?;
        let id = keys::load_public(&path).ok()?.key.id();
        Some((id, ui::bare_name(name)))
    });
    named.collect()
}

/// The names in the key directory.
#[derive(Default)]
struct Files {
    keys: BTreeSet<OsString>,
    groups: BTreeSet<OsString>,
}

impl Files {
    fn list(key_dir: &Dir<'_>) -> anyhow::Result<Self> {
        let dir = key_dir.path()?;
        let reading = || format!("cannot read the key directory {}", ui::name(&dir));
        let entries = match fs::read_dir(&dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            entries => entries.with_context(reading)?,
        };
        let mut this = Self::default();
        for entry in entries {
            let path = PathBuf::from(entry.with_context(reading)?.file_name());
            let (Some(name), Some(suffix)) = (path.file_stem(), path.extension()) else {
                continue;
            };
            if suffix == GROUP {
                this.groups.insert(name.to_owned());
            } else if suffix == PUBLIC[0] || suffix == SECRET[0] {
                this.keys.insert(name.to_owned());
            }
        }
        Ok(this)
    }
}

#[derive(Default)]
struct Keyring {
    rows: Vec<Row>,
    /// What is wrong with files that should be keys.
    failures: Vec<anyhow::Error>,
}

/// A name, and what has it.
struct Row {
    /// The default pair if there is none.
    name: Option<OsString>,
    id: Option<KeyId>,
    /// ML-KEM's parameter set, or none of a group.
    algorithm: Option<&'static str>,
    /// `secret`, `public` or `group`.
    kind: &'static str,
    /// Whether a secret key has a passphrase.
    protected: Option<bool>,
}

impl Keyring {
    fn read(key_dir: &Dir<'_>) -> anyhow::Result<Self> {
        let Files { keys, groups } = Files::list(key_dir)?;
        let mut this = Self::default();
        this.add(None, &key_dir.secret()?, &key_dir.public()?);
        for name in keys {
            let [secret, public] = [SECRET[0], PUBLIC[0]].map(|s| key_dir.named(&name, s));
            this.add(Some(&name), &secret?, &public?);
        }
        this.rows.extend(groups.into_iter().map(|name| Row {
            name: Some(name),
            id: None,
            algorithm: None,
            kind: GROUP,
            protected: None,
        }));
        Ok(this)
    }

    /// Adds the pair of files that belongs to a name, of which either can be missing.
    fn add(&mut self, name: Option<&OsStr>, secret: &Path, public: &Path) {
        let known = public
            .exists()
            .then(|| keys::load_public(public).map(|loaded| loaded.key));
        let found = match (known.transpose(), secret.exists()) {
            (Ok(None), false) => return,
            (Ok(known), false) => Ok((known, None)),
            (Ok(known), true) => protection(secret, known).map(|(key, has)| (key, Some(has))),
            (Err(error), _) => Err(error),
        };
        let (key, protected) = match found {
            Ok(found) => found,
            Err(error) => return self.failures.push(error),
        };
        self.rows.push(Row {
            name: name.map(OsStr::to_owned),
            id: key.as_ref().map(PublicKey::id),
            algorithm: key.as_ref().map(|key| key.set().name()),
            kind: match protected {
                Some(_) => "secret",
                None => "public",
            },
            protected,
        });
    }

    fn table(&self) -> String {
        let shown = |row: &Row| row.name.as_ref().map_or("(default)".into(), ui::bare_name);
        let names: Vec<String> = self.rows.iter().map(shown).collect();
        let width = names.iter().map(|name| name.chars().count()).max();
        let width = width.unwrap_or(0).max(4);
        let mut text = format!(
            "{:19}  {:width$}  {:11}  kind\n",
            "key id", "name", "algorithm"
        );
        for (row, name) in self.rows.iter().zip(&names) {
            let id = match (row.id, row.kind) {
                (Some(id), _) => id.to_string(),
                (None, GROUP) => String::new(),
                (None, _) => "unknown".to_owned(),
            };
            let protection = match row.protected {
                Some(true) => ", passphrase",
                Some(false) => ", no passphrase",
                None => "",
            };
            let algorithm = row.algorithm.unwrap_or("");
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "{id:19}  {name:width$}  {algorithm:11}  {}{protection}",
                row.kind
            );
        }
        text
    }
}

impl Row {
    fn json(&self) -> Value {
        json!({
            "name": self.name.as_ref().map(|name| name.to_string_lossy()),
            "default": self.name.is_none(),
            "key_id": self.id.map(|id| id.to_string()),
            "algorithm": self.algorithm,
            "kind": self.kind,
            "passphrase": self.protected,
        })
    }
}

/// Whether a secret key has a passphrase; and its other half, which is in it where it is not `known`
/// already, unless it is encrypted.
fn protection(path: &Path, known: Option<PublicKey>) -> anyhow::Result<(Option<PublicKey>, bool)> {
    let mut input = Input::open(Some(path))?;
    let file = input.read_all(LIMIT)?;
    let using = || format!("cannot use the secret key {}", input.name);
    keys::warn_if_exposed(&input, "secret key");
    let kind = keyfile::kind(&file).with_context(using)?;
    match (known, kind) {
        (_, Kind::Public) => Err(Error::KeyIsPublic).with_context(using),
        (known, Kind::Encrypted) => Ok((known, true)),
        (Some(known), Kind::Secret) => Ok((Some(known), false)),
        (None, Kind::Secret) => {
            let key = SecretKey::from_file(&file, None).with_context(using)?;
            Ok((Some(key.public_key()), false))
        }
    }
}
