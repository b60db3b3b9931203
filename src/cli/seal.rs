//! `pqbox seal`.

use super::args::Seal;
use super::batch;
use super::files::{self, Identity, Input};
use super::keys::{self, Dir};
use super::output::{Access, Form, Output};
use super::passphrase::{self, Source};
use super::selection::{self, Item, Selection};
use super::ui::{self, Problem};
use anyhow::Context;
use pqbox::hybrid::{PublicKey, Sealer, is_sealed};
use rand::rngs::SysRng;
use std::path::{Path, PathBuf};

/// What the name of a sealed file ends with.
pub(crate) const SUFFIX: &str = "pqbox";

pub(crate) fn run(args: &Seal, key_dir: &Dir<'_>) -> anyhow::Result<()> {
    // What is sealed already is what an earlier run over the same directory made.
    let unsealed = |file: &Path| !selection::is_sealed(file);
    let output_dir = args.output_dir.as_deref();
    match Selection::of(&args.files, &args.selection, output_dir, unsealed)? {
        Selection::One(file) => {
            let (input, output) = prepare(args, file.as_ref())?;
            let recipients = Recipients::load(args, key_dir, file.as_slice())?;
            seal(input, output, &recipients)
        }
        Selection::Many(files) => {
            batch::check(&files, args.output.as_deref())?;
            let recipients = Recipients::load(args, key_dir, &files)?;
            batch::each(&files, "sealed", |file| {
                let (input, output) = prepare(args, Some(file))?;
                seal(input, output, &recipients)
            })
        }
    }
}

/// Who can open it.
enum Recipients {
    /// The owners of keys, and the files that the keys came from.
    Keys(Vec<PublicKey>, Vec<Option<Identity>>),
    /// Whoever knows it.
    Passphrase(passphrase::Secret),
}

impl Recipients {
    fn load(args: &Seal, key_dir: &Dir<'_>, files: &[Item]) -> anyhow::Result<Self> {
        let source = Source::new(&args.source);
        if args.passphrase || source.is_named() {
            if !args.recipients.is_empty() {
                let message = "a file is sealed by a passphrase or to keys, not both";
                return Err(Problem::usage(message)
                    .hint("seal it twice, with -o, for both kinds of readers")
                    .into());
            }
            let what = match files {
                [file] if !files::is_dash(&file.path) => ui::name(sealed_name(&file.path)),
                [] | [_] => "what is sealed".to_owned(),
                files => format!("{} files", files.len()),
            };
            return Ok(Self::Passphrase(source.choose(&what)?));
        }
        let loaded = keys::public(&args.recipients, key_dir)?.into_iter();
        let (keys, identities) = loaded.map(|loaded| (loaded.key, loaded.identity)).unzip();
        Ok(Self::Keys(keys, identities))
    }

    fn sealer(&self, input: Input) -> Result<Sealer<Input>, pqbox::Error> {
        match self {
            Self::Keys(keys, _) => Sealer::new(keys, input, &mut SysRng),
            Self::Passphrase(words) => Sealer::by_passphrase(words, input, &mut SysRng),
        }
    }
}

/// Where the bytes of a file come from and go.
fn prepare(args: &Seal, file: Option<&Item>) -> anyhow::Result<(Input, Output)> {
    let input = Input::open(file.map(|file| &*file.path))?;
    let path = match (&args.output, file, input.named_file()) {
        (Some(path), _, _) => path.clone(),
        (None, Some(file), Some(path)) => file.place(sealed_name(path))?,
        _ => "-".into(),
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
    if let Recipients::Keys(_, identities) = recipients {
        for identity in identities {
            output.is_not(identity.as_ref(), "a recipient's key")?;
        }
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
    let mut sealer = recipients.sealer(input).with_context(sealing)?;
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
