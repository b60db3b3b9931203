//! `pqbox seal`.

use super::args::Seal;
use super::files::Input;
use super::keys::{self, Dir};
use super::output::{Access, Output};
use super::ui;
use anyhow::Context;
use pqbox::hybrid::{MAGIC, Sealer};
use rand::rngs::SysRng;
use std::path::{Path, PathBuf};

/// What the name of a sealed file ends with.
pub(crate) const SUFFIX: &str = "pqbox";

pub(crate) fn run(args: &Seal, key_dir: &Dir<'_>) -> anyhow::Result<()> {
    let mut input = Input::open(args.file.as_deref())?;
    let path = match &args.output {
        Some(path) => path.clone(),
        None => input.named_file().map_or_else(|| "-".into(), sealed_name),
    };
    let mut output = Output::new(&path, Access::Shared, args.force)?;
    output.is_not(input.identity().as_ref(), "the input")?;

    let mut recipients = Vec::new();
    for loaded in keys::public(&args.recipients, key_dir)? {
        output.is_not(loaded.identity.as_ref(), "a recipient's key")?;
        recipients.push(loaded.key);
    }

    let name = input.name.clone();
    if input
        .starts_with(&MAGIC)
        .with_context(|| format!("cannot read {name}"))?
    {
        ui::warn(
            &format!("{name} is sealed already"),
            "it takes two runs of `pqbox open` to get back what is in it",
        );
    }

    let sealing = || format!("cannot seal {name}");
    let mut sealer = Sealer::new(&recipients, input, &mut SysRng).with_context(sealing)?;
    while let Some(piece) = sealer.next_chunk().with_context(sealing)? {
        output.write(piece)?;
    }
    output.commit()
}

/// `report.pdf` to `report.pdf.pqbox`.
fn sealed_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(SUFFIX);
    name.into()
}
