//! `pqbox decapsulate`: ML-KEM by itself.

use super::args::Decapsulate;
use super::files::Input;
use super::keys::{self, Dir, SECRET};
use super::output::{Access, Output};
use super::passphrase::Source;
use anyhow::Context;

/// Far more than the longest ciphertext, so that a wrong length can still be named.
const LIMIT: u64 = 64 * 1024;

pub(crate) fn run(args: &Decapsulate, key_dir: &Dir<'_>) -> anyhow::Result<()> {
    let mut input = Input::open(Some(&args.ciphertext))?;
    let mut output = Output::new(&args.secret, Access::Private, args.force)?;
    output.is_not(input.identity().as_ref(), "the ciphertext")?;
    let identity = keys::load_secret(
        &key_dir.find(&args.identity, SECRET)?,
        &args.unlock,
        &Source::new(&args.unlock.source),
    )?;
    output.is_not(identity.identity.as_ref(), "the secret key")?;
    let ciphertext = input.read_all(LIMIT)?;
    let secret = identity
        .key
        .decapsulate(&ciphertext)
        .with_context(|| format!("cannot decapsulate {}", input.name))?;
    output.write(secret.as_bytes())?;
    output.commit()
}
