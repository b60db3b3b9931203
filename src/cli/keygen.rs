//! `pqbox keygen`.

use super::args::Keygen;
use super::keys::{self, Dir};
use super::output::{Access, Output};
use super::passphrase::Source;
use super::ui::{self, Problem};
use anyhow::Context;
use pqbox::hybrid::SecretKey;
use rand::rngs::SysRng;
use serde_json::json;
use std::fs::DirBuilder;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &Keygen, key_dir: &Dir<'_>) -> anyhow::Result<()> {
    let (secret_path, public_path) = match &args.output {
        Some(path) => (path.clone(), public_name(path)),
        None => {
            make_private(&key_dir.path()?)?;
            (key_dir.secret()?, key_dir.public()?)
        }
    };
    let mut secret = new_file(&secret_path, Access::Private, args.force)?;
    let mut public = new_file(&public_path, Access::Shared, args.force)?;
    public.differs_from(&secret)?;
    let source = Source::new(&args.source);
    let passphrase = (args.passphrase || source.is_named())
        .then(|| source.choose(&ui::name(&secret_path)))
        .transpose()?;

    let set = args.kem.into();
    keys::self_test(set)?;
    let key = SecretKey::generate(set, &mut SysRng)?;
    let pem = match passphrase {
        Some(passphrase) => key.to_encrypted_pem(&passphrase, &mut SysRng)?,
        None => key.to_pem(),
    };
    secret.write(pem.as_bytes())?;
    public.write(key.public_key().to_pem().as_bytes())?;
    // In this order: a public key without its secret one would swallow what is sealed to it.
    secret.commit()?;
    public.commit().with_context(|| {
        let secret = ui::name(&secret_path);
        Problem::new(format!(
            "the secret key is in {secret}, but its public key is missing"
        ))
        .hint("remove the secret key and start again")
    })?;

    ui::result(
        &format!(
            "key id      {} ({})\nsecret key  {}\npublic key  {}\n",
            key.id(),
            key.set().name(),
            ui::bare_name(&secret_path),
            ui::bare_name(&public_path),
        ),
        &json!({
            "key_id": key.id().to_string(),
            "algorithm": key.set().name(),
            "secret_key": secret_path.to_string_lossy(),
            "public_key": public_path.to_string_lossy(),
        }),
    )
}

/// `alice.key` to `alice.key.pub`.
fn public_name(secret: &Path) -> PathBuf {
    let mut name = secret.as_os_str().to_owned();
    name.push(".pub");
    name.into()
}

/// Only a file that is made here is sure to have the right permissions: not standard output, which a
/// shell redirects to a file that all can read.
fn new_file(path: &Path, access: Access, force: bool) -> anyhow::Result<Output> {
    let name = ui::name(path);
    // As if forced, to tell what cannot be a key file at all from what is one already.
    if !Output::new(path, access, true)?.is_new_file() {
        return Err(Problem::usage(format!(
            "a key pair is written to files of its own, not to {name}"
        ))
        .hint("-o FILE makes FILE, for your eyes only, and FILE.pub")
        .into());
    }
    if !force && path.exists() {
        return Err(Problem::usage(format!("{name} exists already"))
            .hint("-o FILE makes another pair; --force replaces this one, which then opens nothing")
            .into());
    }
    Output::new(path, access, force)
}

/// Makes the directory, and those above it, for the owner alone. One that exists stays as it is.
pub(crate) fn make_private(path: &Path) -> anyhow::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(path)
        .with_context(|| format!("cannot make the directory {}", ui::name(path)))
}
