//! `pqbox open`.

use super::args::Open;
use super::files::Input;
use super::keys::{self, Dir};
use super::output::{Access, Output};
use super::seal::SUFFIX;
use super::ui::{self, Problem};
use anyhow::Context;
use pqbox::hybrid::{Header, Opener};
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &Open, key_dir: &Dir<'_>) -> anyhow::Result<()> {
    let mut input = Input::open(args.file.as_deref())?;
    let path = match (&args.output, input.named_file()) {
        (Some(path), _) => path.clone(),
        (None, Some(path)) => opened_name(path)?,
        (None, None) => "-".into(),
    };
    let mut output = Output::new(&path, Access::Private, args.force)?.maybe_text();
    output.is_not(input.identity().as_ref(), "the input")?;

    let name = input.name.clone();
    let opening = || format!("cannot open {name}");
    // Before the keys: who opens the wrong file should not have to type a passphrase to learn it.
    let header = Header::read(&mut input).with_context(opening)?;

    let mut keys = Vec::new();
    for loaded in keys::secret(&args.identities, key_dir, args.passphrase_file.as_deref())? {
        output.is_not(loaded.identity.as_ref(), "a secret key")?;
        keys.push(loaded.key);
    }
    let file_key = header.unlock(&keys).with_context(opening)?;

    let mut opener = Opener::new(file_key, input).with_context(opening)?;
    while let Some(piece) = opener.next_chunk().with_context(opening)? {
        output.write(piece)?;
    }
    output.commit()
}

/// `report.pdf.pqbox` to `report.pdf`.
fn opened_name(path: &Path) -> anyhow::Result<PathBuf> {
    match path.extension() {
        Some(extension) if extension == SUFFIX => Ok(path.with_extension("")),
        _ => Err(Problem::usage(format!(
            "the name {} does not end in .{SUFFIX}, so there is none for the output",
            ui::name(path)
        ))
        .hint("-o OUT names the output; `-o -` is standard output")
        .into()),
    }
}
