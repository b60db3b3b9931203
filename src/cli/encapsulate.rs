//! `pqbox encapsulate`: ML-KEM by itself.

use super::args::Encapsulate;
use super::keys::{self, Dir, PUBLIC};
use super::output::{Access, Output};
use anyhow::Context;
use rand::rngs::SysRng;

pub(crate) fn run(args: &Encapsulate, key_dir: &Dir<'_>) -> anyhow::Result<()> {
    let mut ciphertext_out = Output::new(&args.ciphertext, Access::Shared, args.force)?;
    let mut secret_out = Output::new(&args.secret, Access::Private, args.force)?;
    ciphertext_out.differs_from(&secret_out)?;
    let recipient = keys::load_public(&key_dir.find(&args.recipient, PUBLIC)?)?;
    for output in [&ciphertext_out, &secret_out] {
        output.is_not(recipient.identity.as_ref(), "the public key")?;
    }
    let (secret, ciphertext) = recipient
        .key
        .encapsulate(&mut SysRng)
        .context("cannot encapsulate")?;
    secret_out.write(secret.as_bytes())?;
    ciphertext_out.write(&ciphertext)?;
    // The ciphertext is of use to others only once the secret is safe.
    secret_out.commit()?;
    ciphertext_out.commit()
}
