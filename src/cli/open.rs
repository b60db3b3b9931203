//! `pqbox open`.

use super::args::Open;
use super::batch;
use super::extract::{extract, is_there};
use super::files::Input;
use super::keys::Dir;
use super::output::{Access, Durability, Form, Output};
use super::part;
use super::seal::SUFFIX;
use super::selection::{Item, Selection, is_sealed};
use super::ui::{self, Problem};
use super::unlock::Means;
use anyhow::Context;
use pqbox::Error;
use pqbox::hybrid::{ArmorReader, Header, Opener};
use serde_json::json;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use tempfile::SpooledTempFile;

/// Bytes of a sealed file for which no temporary file is made.
const SPOOL: usize = 1 << 20;

const TEMPORARY: &str = "cannot write a temporary file";

pub(crate) fn run(args: &Open, key_dir: &Dir<'_>) -> anyhow::Result<()> {
    let means = Means::new(&args.means, key_dir);
    let output_dir = args.output_dir.as_deref();
    match Selection::of(&args.files, &args.selection, output_dir, is_sealed)? {
        Selection::One(file) => {
            let path = file.as_ref().map(|file| &*file.path);
            match args.range {
                Some(range) => part::range(args, path, range, &means),
                None if args.salvage => part::salvage(args, path, &means),
                None => Sealed::prepare(args, file.as_ref())?.open(&means),
            }
        }
        Selection::Many(_) if args.range.is_some() || args.salvage => {
            Err(Problem::usage("--range and --salvage are for one file at a time").into())
        }
        Selection::Many(files) => {
            batch::check(&files, args.output.as_deref())?;
            batch::each(&files, "opened", |file| {
                Sealed::prepare(args, Some(file))?.open(&means)
            })
        }
    }
}

/// A sealed file of which the header is read, and the place for what is in it.
struct Sealed {
    name: String,
    /// The same for programs.
    path: String,
    input: Box<dyn Read>,
    output: Output,
    header: Header,
    access: Access,
    durability: Durability,
}

impl Sealed {
    fn prepare(args: &Open, file: Option<&Item>) -> anyhow::Result<Self> {
        let input = Input::open(file.map(|file| &*file.path))?.with_progress();
        let path = match (&args.output, file, input.named_file()) {
            (Some(path), _, _) => path.clone(),
            (None, Some(file), Some(path)) => file.place(opened_name(path)?)?,
            _ => "-".into(),
        };
        if path.is_dir() {
            let name = ui::name(&path);
            return Err(
                Problem::usage(format!("{name} is a directory, and there already"))
                    .code("exists")
                    .hint("-o OUT names another output")
                    .into(),
            );
        }
        let output = Output::new(&path, args.access(), args.force)?
            .durability((&args.durability).into())
            .form(Form::Opened);
        output.is_not(input.identity().as_ref(), "the input")?;
        let (name, sealed) = (input.name.clone(), ui::path(input.path()));
        let opening = || format!("cannot open {name}");
        let input = ArmorReader::new(input).with_context(opening)?;
        let mut input: Box<dyn Read> = match input.is_armored() && !output.is_new_file() {
            true => Box::new(without_armor(input).with_context(opening)?),
            false => Box::new(input),
        };
        let header = Header::read(&mut input).with_context(opening)?;
        Ok(Self {
            name,
            path: sealed,
            input,
            output,
            header,
            access: args.access(),
            durability: (&args.durability).into(),
        })
    }

    fn open(self, means: &Means<'_>) -> anyhow::Result<()> {
        let Self {
            name,
            path,
            input,
            mut output,
            header,
            access,
            durability,
        } = self;
        let opening = || format!("cannot open {name}");
        let file_key = means.unlock(&header, &name, Some(&output))?;
        let mut opener = Opener::new(file_key, input).with_context(opening)?;
        let (written, new) = (output.name.clone(), output.file().map(ui::path));
        match output.file() {
            Some(directory) if header.content().archive => {
                // Known before anything is extracted, where it can be.
                if directory.exists() {
                    return Err(is_there(&written));
                }
                extract(opener, directory, access, durability).with_context(opening)?;
            }
            _ => {
                while let Some(piece) = opener.next_chunk().with_context(opening)? {
                    output.write(piece)?;
                }
                output.commit()?;
            }
        }
        ui::done(
            || format!("opened {name}: {written}"),
            || json!({ "opened": path, "output": new }),
            new.is_none(),
        )
    }
}

/// All that is in the armor, which is then known to be good: armor is damaged by accident more than
/// other files are, and what goes to a stream cannot be taken back.
pub(crate) fn without_armor(mut armor: ArmorReader<Input>) -> anyhow::Result<SpooledTempFile> {
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
pub(crate) fn opened_name(path: &Path) -> anyhow::Result<PathBuf> {
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
