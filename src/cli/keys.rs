//! Which keys: the default place, and key files.

use super::args::UnlockArgs;
use super::files::{Identity, Input, is_dash};
use super::passphrase::{self, Source};
use super::ui::{self, Problem};
use anyhow::Context;
use etcetera::BaseStrategy;
use pqbox::hybrid::keyfile::{self, Kind};
use pqbox::hybrid::{Passphrase, PublicKey, SecretKey};
use pqbox::{Backend, Error, selftest};
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// More than any key file, with all the explanatory text that OpenSSL can put beside a key.
pub(crate) const LIMIT: u64 = 64 * 1024;

/// What the names of files in the key directory end with.
pub(crate) const PUBLIC: &[&str] = &["pub"];
pub(crate) const SECRET: &[&str] = &["key"];
pub(crate) const GROUP: &str = "group";

/// The directory of the default keys, and of those that have names. It is looked for only when a command needs it.
pub(crate) struct Dir<'a> {
    given: Option<&'a Path>,
    /// What is in it, if it can be listed: a thousand recipients are not a thousand looks.
    files: OnceLock<Option<HashSet<OsString>>>,
}

impl<'a> Dir<'a> {
    /// `given` is what the command line says, if it does.
    pub(crate) fn new(given: Option<&'a Path>) -> Self {
        Self {
            given,
            files: OnceLock::new(),
        }
    }

    /// What was given, else `$PQBOX_HOME`, else the platform's place for configuration.
    pub(crate) fn path(&self) -> anyhow::Result<PathBuf> {
        if let Some(given) = self.given {
            return Ok(given.to_owned());
        }
        if let Some(home) = std::env::var_os("PQBOX_HOME").filter(|home| !home.is_empty()) {
            return Ok(home.into());
        }
        etcetera::base_strategy::choose_native_strategy()
            .ok()
            .map(|strategy| strategy.config_dir().join("pqbox"))
            // A relative $HOME would put the keys wherever the command happens to run.
            .filter(|path| path.is_absolute())
            .ok_or_else(|| {
                Problem::usage("there is no home directory to keep keys in")
                    .hint("--key-dir DIR or the variable PQBOX_HOME names another place")
                    .into()
            })
    }

    pub(crate) fn secret(&self) -> anyhow::Result<PathBuf> {
        Ok(self.path()?.join("secret.pem"))
    }

    pub(crate) fn public(&self) -> anyhow::Result<PathBuf> {
        Ok(self.path()?.join("public.pem"))
    }

    /// The file of what has this name, of the kind that the suffix means.
    pub(crate) fn named(&self, name: &OsStr, suffix: &str) -> anyhow::Result<PathBuf> {
        let mut file = name.to_owned();
        file.push(".");
        file.push(suffix);
        Ok(self.path()?.join(file))
    }

    /// The same, if it is there.
    fn existing(&self, name: &OsStr, suffix: &str) -> Option<PathBuf> {
        let path = self.named(name, suffix).ok()?;
        let files = self.files.get_or_init(|| list(path.parent()?).ok());
        let is_there = match files {
            Some(files) => files.contains(path.file_name()?),
            None => path.is_file(),
        };
        is_there.then_some(path)
    }

    /// The file that is meant by `given`: it, or, if it is a name, what has that name here.
    pub(crate) fn find(&self, given: &Path, suffixes: &[&str]) -> anyhow::Result<PathBuf> {
        self.find_from(Path::new(""), given, suffixes)
    }

    /// The same where relative paths begin at `base`.
    pub(crate) fn find_from(
        &self,
        base: &Path,
        given: &Path,
        suffixes: &[&str],
    ) -> anyhow::Result<PathBuf> {
        let path = base.join(given);
        if is_dash(given) {
            return Ok(given.to_owned());
        }
        if given.file_name() != Some(given.as_os_str()) {
            return Ok(path);
        }
        let named = suffixes
            .iter()
            .find_map(|suffix| self.existing(given.as_os_str(), suffix));
        let name = ui::name(given);
        match (path.exists(), named) {
            (true, None) => Ok(path),
            (false, Some(named)) => Ok(named),
            (false, None) => Err(Problem::new(format!(
                "cannot open {name}: no such file, and no such name in the key directory"
            ))
            .code("not-found")
            .hint("`pqbox keys` lists the names")
            .into()),
            // Whoever can put a file into this directory must not take the place of a name.
            (true, Some(named)) => Err(Problem::usage(format!(
                "{name} is a file here, and a name in the key directory"
            ))
            .hint(format!(
                "write {} or {}",
                ui::name(Path::new(".").join(given)),
                ui::name(named)
            ))
            .into()),
        }
    }
}

/// The names of what is in a directory and is no directory itself.
fn list(dir: &Path) -> io::Result<HashSet<OsString>> {
    let mut names = HashSet::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if !entry.file_type()?.is_dir() {
            names.insert(entry.file_name());
        }
    }
    Ok(names)
}

/// A key, and the file that it came from.
pub(crate) struct Loaded<K> {
    pub(crate) key: K,
    pub(crate) identity: Option<Identity>,
}

/// The secret keys in `paths`, or the default one.
pub(crate) fn secret(
    paths: &[PathBuf],
    dir: &Dir<'_>,
    unlock: &UnlockArgs,
    source: &Source<'_>,
) -> anyhow::Result<Vec<Loaded<SecretKey>>> {
    if paths.is_empty() {
        let hint = "-i KEY names a secret key; `pqbox keygen` makes one";
        return Ok(vec![default_secret(dir, unlock, source, hint)?]);
    }
    let load = |path: &PathBuf| load_secret(&dir.find(path, SECRET)?, unlock, source);
    paths.iter().map(load).collect()
}

/// The secret key in the file at `path`, or the default one.
pub(crate) fn secret_or_default(
    path: Option<&Path>,
    dir: &Dir<'_>,
    unlock: &UnlockArgs,
    source: &Source<'_>,
) -> anyhow::Result<Loaded<SecretKey>> {
    match path {
        Some(path) => load_secret(&dir.find(path, SECRET)?, unlock, source),
        None => {
            let hint = "name a key file; `pqbox keygen` makes the default one";
            default_secret(dir, unlock, source, hint)
        }
    }
}

fn default_secret(
    dir: &Dir<'_>,
    unlock: &UnlockArgs,
    source: &Source<'_>,
    hint: &'static str,
) -> anyhow::Result<Loaded<SecretKey>> {
    let path = dir.secret()?;
    load_secret(&path, unlock, source).map_err(missing_default(&path, hint))
}

/// Explains a default key that is not there; leaves every other failure as it is.
pub(crate) fn missing_default(
    path: &Path,
    hint: &'static str,
) -> impl FnOnce(anyhow::Error) -> anyhow::Error {
    move |error| match error.downcast_ref::<io::Error>() {
        Some(cause) if cause.kind() == io::ErrorKind::NotFound => {
            Problem::usage(format!("there is no default key {}", ui::name(path)))
                .hint(hint)
                .into()
        }
        _ => error,
    }
}

/// The public key in the file at `path`.
pub(crate) fn load_public(path: &Path) -> anyhow::Result<Loaded<PublicKey>> {
    let mut input = Input::open(Some(path))?;
    let text = input.read_all(LIMIT)?;
    let key = PublicKey::from_file(&text)
        .with_context(|| format!("cannot use the public key {}", input.name))?;
    let identity = input.identity();
    Ok(Loaded { key, identity })
}

/// The secret key in the file at `path`, after the self-test that comes before any use of one.
pub(crate) fn load_secret(
    path: &Path,
    unlock: &UnlockArgs,
    source: &Source<'_>,
) -> anyhow::Result<Loaded<SecretKey>> {
    let mut input = Input::open(Some(path))?;
    let text = input.read_all(LIMIT)?;
    let identity = input.identity();
    let (key, _) = read_secret(&text, &input.name, unlock, source)?;
    warn_if_exposed(&input, "secret key");
    Ok(Loaded { key, identity })
}

/// The secret key in what the file `name` holds, and the passphrase that it has.
pub(crate) fn read_secret(
    file: &[u8],
    name: &str,
    unlock: &UnlockArgs,
    source: &Source<'_>,
) -> anyhow::Result<(SecretKey, Option<passphrase::Secret>)> {
    let words = keyfile::kind(file)
        .is_ok_and(|kind| kind == Kind::Encrypted)
        .then(|| source.get(name))
        .transpose()?;
    let passphrase = words.as_ref();
    let passphrase = passphrase.map(|words| Passphrase::new(words).allow(unlock.kdf_limit));
    let key = SecretKey::from_file(file, passphrase)
        .with_context(|| format!("cannot use the secret key {name}"))?;
    self_test(key.set())?;
    Ok((key, words))
}

/// Refuses to work with secrets on a machine, or with a build, that computes wrongly.
pub(crate) fn self_test(set: pqbox::kem::SetId) -> Result<(), Error> {
    selftest::before_use(set, Backend::selected())
}

/// Warns if others than the owner can read a file that holds a secret.
pub(crate) fn warn_if_exposed(input: &Input, what: &str) {
    #[cfg(unix)]
    if input.named_file().is_some()
        && std::os::unix::fs::MetadataExt::mode(input.metadata()) & 0o077 != 0
    {
        let name = &input.name;
        ui::warn(
            &format!("others than its owner can use the {what} {name}"),
            &format!("chmod 600 {name}"),
        );
    }
}
