//! `pqbox open`.

use super::args::Open;
use super::batch;
use super::files::{Identity, Input};
use super::keys::{self, Dir};
use super::output::{Access, Form, Output};
use super::passphrase::{self, Source};
use super::seal::SUFFIX;
use super::ui::{self, Problem};
use anyhow::Context;
use pqbox::Error;
use pqbox::hybrid::{ArmorReader, Header, Opener, Passphrase, SecretKey};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tempfile::SpooledTempFile;

/// Bytes of a sealed file for which no temporary file is made.
const SPOOL: usize = 1 << 20;

const TEMPORARY: &str = "cannot write a temporary file";

pub(crate) fn run(args: &Open, key_dir: &Dir<'_>) -> anyhow::Result<()> {
    let means = Means::new(args, key_dir);
    if let [] | [_] = &args.files[..] {
        return Sealed::prepare(args, args.files.first())?.open(&means);
    }
    batch::check(&args.files, args.output.as_deref())?;
    batch::each(&args.files, "opened", |file| {
        Sealed::prepare(args, Some(file))?.open(&means)
    })
}

/// What opens files. It is asked for when the first file turns out to need it: who opens the wrong
/// file should not have to type a passphrase to learn it.
struct Means<'a> {
    args: &'a Open,
    key_dir: &'a Dir<'a>,
    source: Source<'a>,
    keys: Mutex<Once<Keys>>,
    passphrase: Mutex<Once<passphrase::Secret>>,
}

/// What is made once for all files, or fails once.
enum Once<T> {
    Untried,
    Made(Arc<T>),
    Failed,
}

/// The secret keys, and the files that they came from.
struct Keys {
    keys: Vec<SecretKey>,
    identities: Vec<Option<Identity>>,
}

impl<'a> Means<'a> {
    fn new(args: &'a Open, key_dir: &'a Dir<'a>) -> Self {
        Self {
            args,
            key_dir,
            source: Source::new(&args.unlock.source),
            keys: Mutex::new(Once::Untried),
            passphrase: Mutex::new(Once::Untried),
        }
    }

    fn keys(&self) -> anyhow::Result<Arc<Keys>> {
        Once::get(&self.keys, || {
            let args = self.args;
            let loaded = keys::secret(&args.identities, self.key_dir, &args.unlock, &self.source)?;
            let loaded = loaded.into_iter();
            let (keys, identities) = loaded.map(|loaded| (loaded.key, loaded.identity)).unzip();
            Ok(Keys { keys, identities })
        })
    }

    /// The passphrase of `file`, and of all others that have one.
    fn passphrase(&self, file: &str) -> anyhow::Result<Arc<passphrase::Secret>> {
        Once::get(&self.passphrase, || self.source.get(file))
    }
}

impl<T> Once<T> {
    fn get(this: &Mutex<Self>, make: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<Arc<T>> {
        let mut this = this.lock().expect("a panic ends the process");
        if let Self::Untried = *this {
            *this = Self::Failed;
            *this = Self::Made(Arc::new(make()?));
        }
        match &*this {
            Self::Made(value) => Ok(value.clone()),
            _ => Err(Problem::usage("there is nothing to open it with").into()),
        }
    }
}

/// A sealed file of which the header is read, and the place for what is in it.
struct Sealed {
    name: String,
    input: Box<dyn Read>,
    output: Output,
    header: Header,
}

impl Sealed {
    fn prepare(args: &Open, file: Option<impl AsRef<Path>>) -> anyhow::Result<Self> {
        let input = Input::open(file.as_ref().map(AsRef::as_ref))?;
        let path = match (&args.output, input.named_file()) {
            (Some(path), _) => path.clone(),
            (None, Some(path)) => opened_name(path)?,
            (None, None) => "-".into(),
        };
        let output = Output::new(&path, Access::Private, args.force)?
            .durability((&args.durability).into())
            .form(Form::Opened);
        output.is_not(input.identity().as_ref(), "the input")?;
        let name = input.name.clone();
        let opening = || format!("cannot open {name}");
        let input = ArmorReader::new(input).with_context(opening)?;
        let mut input: Box<dyn Read> = match input.is_armored() && !output.is_new_file() {
            true => Box::new(without_armor(input).with_context(opening)?),
            false => Box::new(input),
        };
        let header = Header::read(&mut input).with_context(opening)?;
        Ok(Self {
            name,
            input,
            output,
            header,
        })
    }

    fn open(self, means: &Means<'_>) -> anyhow::Result<()> {
        let Self {
            name,
            input,
            mut output,
            header,
        } = self;
        let opening = || format!("cannot open {name}");
        let file_key = if header.passphrase_cost().is_some() {
            let words = means.passphrase(&name)?;
            let passphrase = Passphrase::new(&words).allow(means.args.unlock.kdf_limit);
            header.unlock_by_passphrase(passphrase)
        } else {
            let keys = means.keys()?;
            for identity in &keys.identities {
                output.is_not(identity.as_ref(), "a secret key")?;
            }
            header.unlock(&keys.keys)
        }
        .with_context(opening)?;
        let mut opener = Opener::new(file_key, input).with_context(opening)?;
        while let Some(piece) = opener.next_chunk().with_context(opening)? {
            output.write(piece)?;
        }
        output.commit()
    }
}

/// All that is in the armor, which is then known to be good: armor is damaged by accident more than
/// other files are, and what goes to a stream cannot be taken back.
fn without_armor(mut armor: ArmorReader<Input>) -> anyhow::Result<impl Read> {
    let mut bytes = SpooledTempFile::new(SPOOL);
    let mut block = vec![0; 128 << 10];
    loop {
        match armor.read(&mut block).map_err(Error::reading)? {
            0 => break,
            len => bytes.write_all(&block[..len]).context(TEMPORARY)?,
        }
    }
    bytes.rewind().context(TEMPORARY)?;
    Ok(bytes)
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
