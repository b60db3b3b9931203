//! `pqbox import`.

use super::args::Import;
use super::files::{Input, is_dash};
use super::keygen;
use super::keys::{self, Dir, LIMIT, PUBLIC, SECRET};
use super::output::{Access, Output};
use super::passphrase::Source;
use super::ui::{self, Problem};
use anyhow::Context;
use pqbox::hybrid::PublicKey;
use pqbox::hybrid::keyfile::{self, Kind};
use rand::rngs::SysRng;
use serde_json::json;
use std::ffi::OsString;
use std::path::Path;

pub(crate) fn run(args: &Import, key_dir: &Dir<'_>) -> anyhow::Result<()> {
    let name = match (&args.name, args.default) {
        (_, true) => None,
        (Some(name), false) => Some(checked(name.clone())?),
        (None, false) => Some(name_of(&args.key)?),
    };
    let mut input = Input::open(Some(&args.key))?;
    let file = input.read_all(LIMIT)?;
    let using = || format!("cannot use the key {}", input.name);
    let kind = keyfile::kind(&file).with_context(using)?;
    let (public_path, secret_path) = match &name {
        None => (key_dir.public()?, key_dir.secret()?),
        Some(name) => (
            key_dir.named(name, PUBLIC[0])?,
            key_dir.named(name, SECRET[0])?,
        ),
    };
    keygen::make_private(&key_dir.path()?)?;

    let (public, secret) = match kind {
        Kind::Public if args.default => {
            return Err(
                Problem::usage("a public key by itself cannot be the default")
                    .hint("--name NAME imports it under a name")
                    .into(),
            );
        }
        Kind::Public => (PublicKey::from_file(&file).with_context(using)?, None),
        Kind::Secret | Kind::Encrypted => {
            let source = Source::new(&args.unlock.source);
            let (key, words) = keys::read_secret(&file, &input.name, &args.unlock, &source)?;
            keys::warn_if_exposed(&input, "secret key");
            let pem = match words {
                None => key.to_pem(),
                Some(words) => key.to_encrypted_pem(&words, &mut SysRng)?,
            };
            (key.public_key(), Some(pem))
        }
    };
    let mut outputs = Vec::new();
    if let Some(pem) = &secret {
        outputs.push((&secret_path, Access::Private, pem.as_bytes()));
    }
    let pem = public.to_pem();
    outputs.push((&public_path, Access::Shared, pem.as_bytes()));
    let written = outputs.into_iter().map(|(path, access, bytes)| {
        let mut output = Output::new(path, access, args.force)?;
        output.write(bytes)?;
        Ok(output)
    });
    // Of a pair, both or none.
    let written: Vec<Output> = written.collect::<anyhow::Result<_>>()?;
    written.into_iter().try_for_each(Output::commit)?;

    let shown = name.as_ref().map_or("(default)".into(), ui::bare_name);
    let kind = if secret.is_some() { "secret" } else { "public" };
    let (id, set) = (public.id(), public.set().name());
    ui::result(
        &format!("{id}  {shown}  {set}  {kind}\n"),
        &json!({
            "name": name.map(|name| name.to_string_lossy().into_owned()),
            "key_id": id.to_string(),
            "algorithm": set,
            "kind": kind,
        }),
    )
}

/// `alice.key.pub` to `alice`.
fn name_of(path: &Path) -> anyhow::Result<OsString> {
    if is_dash(path) {
        return Err(Problem::usage("what comes from standard input has no name")
            .hint("--name NAME gives it one")
            .into());
    }
    checked(path.file_prefix().unwrap_or_default().to_owned())
}

/// A name that can be written wherever a name is taken, and is a file's in the key directory.
fn checked(name: OsString) -> anyhow::Result<OsString> {
    let bytes = name.as_encoded_bytes();
    let is_good = Path::new(&name).file_name() == Some(&name)
        && !bytes.starts_with(b"-")
        && !bytes.starts_with(b".")
        && !bytes.iter().any(u8::is_ascii_control);
    match is_good {
        true => Ok(name),
        false => Err(
            Problem::usage(format!("{} is no name for a key", ui::name(&name)))
                .hint(
                    "--name NAME gives another one, without slashes and not beginning with - or .",
                )
                .into(),
        ),
    }
}
