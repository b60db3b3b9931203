//! `pqbox pub`.

use super::args::Pub;
use super::keys::{self, Dir};
use super::output::{Access, Form, Output};
use super::passphrase::Source;
use std::path::Path;

pub(crate) fn run(args: &Pub, key_dir: &Dir<'_>) -> anyhow::Result<()> {
    let path = args.output.as_deref().unwrap_or(Path::new("-"));
    // PEM is text, which a terminal shows.
    let mut output = Output::new(path, Access::Shared, args.force)?.form(Form::Opened);
    let source = Source::new(&args.unlock.source);
    let loaded = keys::secret_or_default(args.key.as_deref(), key_dir, &args.unlock, &source)?;
    output.is_not(loaded.identity.as_ref(), "the secret key")?;
    output.write(loaded.key.public_key().to_pem().as_bytes())?;
    output.commit()
}
