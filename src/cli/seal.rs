//! `pqbox seal`.

use super::args::Seal;
use super::batch;
use super::files::{Identity, Input};
use super::keys::{self, Dir};
use super::output::{Access, Form, Output};
use super::ui;
use anyhow::Context;
use pqbox::hybrid::{PublicKey, Sealer, is_sealed};
use rand::rngs::SysRng;
use std::path::{Path, PathBuf};

/// What the name of a sealed file ends with.
pub(crate) const SUFFIX: &str = "pqbox";

pub(crate) fn run(args: &Seal, key_dir: &Dir<'_>) -> anyhow::Result<()> {
    if let [] | [_] = &args.files[..] {
        let (input, output) = prepare(args, args.files.first())?;
        let recipients = Recipients::load(args, key_dir)?;
        return seal(input, output, &recipients);
    }
    batch::check(&args.files, args.output.as_deref())?;
    let recipients = Recipients::load(args, key_dir)?;
    batch::each(&args.files, "sealed", |file| {
        let (input, output) = prepare(args, Some(file))?;
        seal(input, output, &recipients)
    })
}

/// The recipients, and the files that their keys came from.
struct Recipients {
    keys: Vec<PublicKey>,
    identities: Vec<Option<Identity>>,
}

impl Recipients {
    fn load(args: &Seal, key_dir: &Dir<'_>) -> anyhow::Result<Self> {
        let loaded = keys::public(&args.recipients, key_dir)?.into_iter();
        let (keys, identities) = loaded.map(|loaded| (loaded.key, loaded.identity)).unzip();
        Ok(Self { keys, identities })
    }
}

/// Where the bytes of a file come from and go.
fn prepare(args: &Seal, file: Option<impl AsRef<Path>>) -> anyhow::Result<(Input, Output)> {
    let input = Input::open(file.as_ref().map(AsRef::as_ref))?;
    let path = match &args.output {
        Some(path) => path.clone(),
        None => input.named_file().map_or_else(|| "-".into(), sealed_name),
    };
    let output = Output::new(&path, Access::Shared, args.force)?
        .durability((&args.durability).into())
        .form(match args.armor {
            true => Form::Armored,
            false => Form::Sealed,
        });
    output.is_not(input.identity().as_ref(), "the input")?;
    Ok((input, output))
}

fn seal(mut input: Input, mut output: Output, recipients: &Recipients) -> anyhow::Result<()> {
    for identity in &recipients.identities {
        output.is_not(identity.as_ref(), "a recipient's key")?;
    }
    let name = input.name.clone();
    let start = input
        .peek()
        .with_context(|| format!("cannot read {name}"))?;
    if is_sealed(start) {
        ui::warn(
            &format!("{name} is sealed already"),
            "it takes two runs of `pqbox open` to get back what is in it",
        );
    }

    let sealing = || format!("cannot seal {name}");
    let mut sealer = Sealer::new(&recipients.keys, input, &mut SysRng).with_context(sealing)?;
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
