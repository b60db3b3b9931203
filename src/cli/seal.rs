//! `pqbox seal`.

use super::archive::{Archive, Tree};
use super::args::Seal;
use super::batch;
use super::files::{self, Identity, Input};
use super::keys::Dir;
use super::output::{Access, Durability, Form, Output};
use super::passphrase;
use super::recipients;
use super::selection::{self, Item, Selection};
use super::ui::{self, Problem};
use anyhow::Context;
use pqbox::hybrid::{
    ArmorReader, Content, FileKey, Header, Naming, Opener, PublicKey, Sealing, is_sealed,
};
use rand::rngs::SysRng;
use serde_json::json;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
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
            plan.carry_out(args, &Recipients::load(args, key_dir, file.as_slice())?)
        }
        Selection::Many(files) => {
            batch::check(&files, args.output.as_deref())?;
            let recipients = Recipients::load(args, key_dir, &files)?;
            batch::each(&files, "sealed", |file| {
                Plan::new(args, Some(file))?.carry_out(args, &recipients)
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
        let source = passphrase::Source::new(&args.source);
        if args.passphrase || source.is_named() {
            if args.recipients.has_any() {
                let message = "a file is sealed by a passphrase or to keys, not both";
                return Err(Problem::usage(message)
                    .hint("seal it twice, with -o, for both kinds of readers")
                    .into());
            }
            let what = match files {
                [file] if !files::is_dash(&file.path) => {
                    ui::name(sealed_name(&file.path.components().collect::<PathBuf>()))
                }
                [] | [_] => "what is sealed".to_owned(),
                files => format!("{} files", files.len()),
            };
            return Ok(Self::Passphrase(source.choose(&what)?));
        }
        let loaded = recipients::load(&args.recipients, key_dir)?.into_iter();
        let (keys, identities) = loaded.map(|loaded| (loaded.key, loaded.identity)).unzip();
        Ok(Self::Keys(keys, identities))
    }

    fn sealing(&self) -> Sealing<'_> {
        match self {
            Self::Keys(keys, _) => Sealing::to(keys),
            Self::Passphrase(words) => Sealing::by_passphrase(words),
        }
    }

    /// Who it is for, in words.
    fn shown(&self) -> String {
        match self {
            Self::Keys(keys, _) => {
                let mut ids: Vec<_> = keys.iter().map(|key| key.id().to_string()).collect();
                ids.dedup();
                format!("to {}", ids.join(", "))
            }
            Self::Passphrase(_) => "by a passphrase".to_owned(),
        }
    }
}

/// What is sealed.
enum Source {
    File(Box<Input>),
    Directory(PathBuf, Arc<Tree>),
}

impl Source {
    fn open(file: Option<&Item>) -> anyhow::Result<Self> {
        match file {
            Some(file) if file.path.is_dir() => {
                // Without the slash that a shell puts behind the name of a directory.
                let path: PathBuf = file.path.components().collect();
                let tree = Arc::new(Tree::of(&path)?);
                Ok(Self::Directory(path, tree))
            }
            file => {
                let input = Input::open(file.map(|file| &*file.path))?;
                Ok(Self::File(Box::new(input.with_progress())))
            }
        }
    }

    fn name(&self) -> String {
        match self {
            Self::File(input) => input.name.clone(),
            Self::Directory(path, _) => ui::name(path),
        }
    }

    /// Its name for programs.
    fn shown_path(&self) -> String {
        match self {
            Self::File(input) => ui::path(input.path()),
            Self::Directory(path, _) => ui::path(path),
        }
    }

    /// The path that the output is named after.
    fn path(&self) -> Option<&Path> {
        match self {
            Self::File(input) => input.named_file(),
            Self::Directory(path, _) => Some(path),
        }
    }
}

/// Where the bytes of a file come from and go.
struct Plan {
    source: Source,
    output: Output,
    /// The new file, where what is sealed is to be removed when that is known to hold it.
    remove: Option<PathBuf>,
}

impl Plan {
    fn new(args: &Seal, file: Option<&Item>) -> anyhow::Result<Self> {
        if let (None, Some(file)) = (&args.output, file)
            && file.path.file_name().is_none()
        {
            let message = format!("{} has no name of its own", ui::name(&file.path));
            return Err(Problem::usage(message)
                .hint("-o OUT names the output")
                .into());
        }
        let source = Source::open(file)?;
        let path = match (&args.output, file, source.path()) {
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
        match &source {
            Source::File(input) => output.is_not(input.identity().as_ref(), "the input")?,
            Source::Directory(_, tree) => tree
                .identities()
                .try_for_each(|identity| output.is_not(identity.as_ref(), "to be sealed"))?,
        }
        let remove = match (args.rm, source.path(), output.file()) {
            (false, _, _) => None,
            (true, Some(from), Some(to)) if !from.is_symlink() => Some(to.to_owned()),
            (true, _, _) => {
                let name = source.name();
                return Err(Problem::usage(format!("--rm cannot remove {name}"))
                    .hint("it is for files that are no links, and that are sealed to files")
                    .into());
            }
        };
        Ok(Self {
            source,
            output,
            remove,
        })
    }

    fn carry_out(self, args: &Seal, recipients: &Recipients) -> anyhow::Result<()> {
        let Self {
            mut source,
            output,
            remove,
        } = self;
        if let Recipients::Keys(_, identities) = recipients {
            for identity in identities {
                output.is_not(identity.as_ref(), "a recipient's key")?;
            }
        }
        let name = source.name();
        if let Source::File(input) = &mut source {
            let start = input
                .peek()
                .with_context(|| format!("cannot read {name}"))?;
            if is_sealed(start) {
                ui::warn(
                    &format!("{name} is sealed already"),
                    "it takes two runs of `pqbox open` to get back what is in it",
                );
            }
        }

        let sealing = || format!("cannot seal {name}");
        let file_key = FileKey::generate(&mut SysRng).with_context(sealing)?;
        let how = recipients
            .sealing()
            .under(&file_key)
            .naming(naming(args.recipients.hide_recipients))
            .content(Content {
                archive: matches!(source, Source::Directory(..)),
                padded: args.pad,
            });
        let (path, written) = (source.shown_path(), output.name.clone());
        let new = output.file().map(ui::path);
        let kept = match source {
            Source::File(input) => {
                let path = input.named_file().map(Path::to_owned);
                write(how, input, output, sealing)?;
                path.map(Kept::File)
            }
            Source::Directory(_, tree) => {
                let archive = Archive::new(tree.clone()).with_progress();
                write(how, archive, output, sealing)?;
                Some(Kept::Directory(tree))
            }
        };
        if let (Some(to), Some(kept)) = (remove, kept) {
            let removing = || format!("sealed, but not removed: {name}");
            kept.is_in(&to, file_key).with_context(removing)?;
            kept.remove().with_context(removing)?;
        }
        ui::done(
            || format!("sealed {name} {}: {written}", recipients.shown()),
            || json!({ "sealed": path, "output": new }),
            new.is_none(),
        )
    }
}

/// Seals all of `input`.
fn write(
    how: Sealing<'_>,
    input: impl Read,
    mut output: Output,
    sealing: impl Fn() -> String,
) -> anyhow::Result<()> {
    let mut sealer = how.begin(input, &mut SysRng).with_context(&sealing)?;
    while let Some(piece) = sealer.next_chunk().with_context(&sealing)? {
        output.write(piece)?;
    }
    output.commit()
}

pub(crate) fn naming(hide_recipients: bool) -> Naming {
    match hide_recipients {
        true => Naming::Hidden,
        false => Naming::Named,
    }
}

/// What was sealed, and is still there.
enum Kept {
    File(PathBuf),
    Directory(Arc<Tree>),
}

impl Kept {
    /// Makes sure that the file that was sealed opens, and holds the same.
    fn is_in(&self, sealed: &Path, file_key: FileKey) -> anyhow::Result<()> {
        let mut sealed = ArmorReader::new(Input::open(Some(sealed))?)?;
        let file_key = Header::read(&mut sealed)?.authenticate(file_key)?;
        let mut opener = Opener::new(file_key, sealed)?;
        let mut plain: Box<dyn Read> = match self {
            Self::File(path) => Box::new(Input::open(Some(path))?),
            Self::Directory(tree) => Box::new(Archive::new(tree.clone())),
        };
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

    fn remove(&self) -> anyhow::Result<()> {
        match self {
            Self::File(path) => Ok(fs::remove_file(path)?),
            Self::Directory(tree) => tree.remove(),
        }
    }
}

/// `report.pdf` to `report.pdf.pqbox`.
fn sealed_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(SUFFIX);
    name.into()
}
