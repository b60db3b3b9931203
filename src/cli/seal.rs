//! `pqbox seal`.

use super::args::Seal;
use super::batch;
use super::files::{self, Identity, Input};
use super::keys::{self, Dir};
use super::output::{Access, Durability, Form, Output};
use super::passphrase::{self, Source};
use super::selection::{self, Item, Selection};
use super::ui::{self, Problem};
use anyhow::Context;
use pqbox::Error;
use pqbox::hybrid::{ArmorReader, FileKey, Header, Opener, PublicKey, Sealer, Sealing, is_sealed};
use rand::rngs::SysRng;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// What the name of a sealed file ends with.
pub(crate) const SUFFIX: &str = "pqbox";

pub(crate) fn run(args: &Seal, key_dir: &Dir<'_>) -> anyhow::Result<()> {
    // What is sealed already is what an earlier run over the same directory made.
    let unsealed = |file: &Path| !selection::is_sealed(file);
    let output_dir = args.output_dir.as_deref();
    match Selection::of(&args.files, &args.selection, output_dir, unsealed)? {
        Selection::One(file) => {
            let plan = Plan::new(args, file.as_ref())?;
            plan.carry_out(&Recipients::load(args, key_dir, file.as_slice())?)
        }
        Selection::Many(files) => {
            batch::check(&files, args.output.as_deref())?;
            let recipients = Recipients::load(args, key_dir, &files)?;
            batch::each(&files, "sealed", |file| {
                Plan::new(args, Some(file))?.carry_out(&recipients)
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

    fn sealer(&self, file_key: &FileKey, input: Input) -> Result<Sealer<Input>, Error> {
        let rng = &mut SysRng;
        match self {
            Self::Keys(keys, _) => Sealing::to(keys).under(file_key).begin(input, rng),
            Self::Passphrase(words) => Sealing::by_passphrase(words)
                .under(file_key)
                .begin(input, rng),
        }
    }
}

/// Where the bytes of a file come from and go.
struct Plan {
    input: Input,
    output: Output,
    /// The files, where the first is to be removed when the second is known to hold it.
    remove: Option<(PathBuf, PathBuf)>,
}

impl Plan {
    fn new(args: &Seal, file: Option<&Item>) -> anyhow::Result<Self> {
        let input = Input::open(file.map(|file| &*file.path))?;
        let path = match (&args.output, file, input.named_file()) {
            (Some(path), _, _) => path.clone(),
            (None, Some(file), Some(path)) => file.place(sealed_name(path))?,
            _ => "-".into(),
        };
        let durability = match args.rm {
            true => Durability::Always,
            false => (&args.durability).into(),
        };
        let output = Output::new(&path, Access::Shared, args.force)?
            .durability(durability)
            .form(match args.armor {
                true => Form::Armored,
                false => Form::Sealed,
            });
        output.is_not(input.identity().as_ref(), "the input")?;
        let remove = match (args.rm, input.named_file(), output.file()) {
            (false, _, _) => None,
            (true, Some(from), Some(to)) if !from.is_symlink() => {
                Some((from.to_owned(), to.to_owned()))
            }
            (true, _, _) => {
                let name = &input.name;
                return Err(Problem::usage(format!("--rm cannot remove {name}"))
                    .hint("it is for files that are no links, and that are sealed to files")
                    .into());
            }
        };
        Ok(Self {
            input,
            output,
            remove,
        })
    }

    fn carry_out(self, recipients: &Recipients) -> anyhow::Result<()> {
        let Self {
            mut input,
            mut output,
            remove,
        } = self;
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
        let file_key = FileKey::generate(&mut SysRng).with_context(sealing)?;
        let sealer = recipients.sealer(&file_key, input);
        let mut sealer = sealer.with_context(sealing)?;
        while let Some(piece) = sealer.next_chunk().with_context(sealing)? {
            output.write(piece)?;
        }
        output.commit()?;
        if let Some((from, to)) = remove {
            let removing = || format!("sealed, but not removed: {name}");
            holds(&to, file_key, &from).with_context(removing)?;
            fs::remove_file(&from).with_context(removing)?;
        }
        Ok(())
    }
}

/// Makes sure that the file that was sealed opens, and holds what the other one has.
fn holds(sealed: &Path, file_key: FileKey, plain: &Path) -> anyhow::Result<()> {
    let mut sealed = ArmorReader::new(Input::open(Some(sealed))?)?;
    let file_key = Header::read(&mut sealed)?.authenticate(file_key)?;
    let mut opener = Opener::new(file_key, sealed)?;
    let mut plain = Input::open(Some(plain))?;
    let mut room = Zeroizing::new(Vec::new());
    let mut same = true;
    while let Some(piece) = opener.next_chunk()? {
        room.resize(piece.len(), 0);
        same &= plain.read_exact(&mut room).is_ok() && *room == piece;
    }
    match same && plain.read(&mut [0])? == 0 {
        true => Ok(()),
        false => Err(Problem::new("it has changed since it was sealed").into()),
    }
}

/// `report.pdf` to `report.pdf.pqbox`.
fn sealed_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(SUFFIX);
    name.into()
}
