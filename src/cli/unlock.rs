//! What opens sealed files: secret keys and passphrases, got when the first file needs them.

use super::args::MeansArgs;
use super::files::Identity;
use super::keys::{self, Dir};
use super::output::Output;
use super::passphrase::{self, Source};
use super::ui::Problem;
use anyhow::Context;
use pqbox::hybrid::{FileKey, Header, Passphrase, SecretKey};
use std::sync::{Arc, Mutex};

/// What opens files. It is asked for when the first file turns out to need it: who opens the wrong
/// file should not have to type a passphrase to learn it.
pub(crate) struct Means<'a> {
    args: &'a MeansArgs,
    key_dir: &'a Dir<'a>,
    source: Source<'a>,
    keys: Mutex<Once<Keys>>,
    passphrase: Mutex<Once<passphrase::Secret>>,
}

/// What is made once for all files, or fails once.
enum Once<T> {
    Untried,
    Made(Arc<T>),
    Failed,
}

/// The secret keys, and the files that they came from.
struct Keys {
    keys: Vec<SecretKey>,
    identities: Vec<Option<Identity>>,
}

impl<'a> Means<'a> {
    pub(crate) fn new(args: &'a MeansArgs, key_dir: &'a Dir<'a>) -> Self {
        Self {
            args,
            key_dir,
            source: Source::new(&args.unlock.source),
            keys: Mutex::new(Once::Untried),
            passphrase: Mutex::new(Once::Untried),
        }
    }

    /// The key of the file with this header and name. The `output` must not be one of the secret keys.
    pub(crate) fn unlock(
        &self,
        header: &Header,
        name: &str,
        output: Option<&Output>,
    ) -> anyhow::Result<FileKey> {
        let file_key = if header.passphrase_cost().is_some() {
            let words = self.passphrase(name)?;
            let passphrase = Passphrase::new(&words).allow(self.args.unlock.kdf_limit);
            header.unlock_by_passphrase(passphrase)
        } else {
            let keys = self.keys()?;
            if let Some(output) = output {
                let mut identities = keys.identities.iter();
                identities.try_for_each(|id| output.is_not(id.as_ref(), "a secret key"))?;
            }
            header.unlock(&keys.keys)
        };
        file_key.with_context(|| format!("cannot open {name}"))
    }

    fn keys(&self) -> anyhow::Result<Arc<Keys>> {
        Once::get(&self.keys, || {
            let MeansArgs { identities, unlock } = self.args;
            let loaded = keys::secret(identities, self.key_dir, unlock, &self.source)?;
            let loaded = loaded.into_iter();
            let (keys, identities) = loaded.map(|loaded| (loaded.key, loaded.identity)).unzip();
            Ok(Keys { keys, identities })
        })
    }

    /// The passphrase of `file`, and of all others that have one.
    fn passphrase(&self, file: &str) -> anyhow::Result<Arc<passphrase::Secret>> {
        Once::get(&self.passphrase, || self.source.get(file))
    }
}

impl<T> Once<T> {
    fn get(this: &Mutex<Self>, make: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<Arc<T>> {
        let mut this = this.lock().expect("a panic ends the process");
        if let Self::Untried = *this {
            *this = Self::Failed;
            *this = Self::Made(Arc::new(make()?));
        }
        match &*this {
            Self::Made(value) => Ok(value.clone()),
            _ => Err(Problem::usage("there is nothing to open it with").into()),
        }
    }
}
