//! Which files a command is to take, and where what it makes of each goes.

use super::args::FilesArgs;
use super::files::{Input, is_dash};
use super::new_file::directory;
use super::seal::SUFFIX;
use super::ui::{self, Problem};
use anyhow::Context;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

pub(crate) enum Selection {
    /// What was typed means one file, or standard input.
    One(Option<Item>),
    /// It may mean many, and happen to be any number.
    Many(Vec<Item>),
}

/// A file.
pub(crate) struct Item {
    pub(crate) path: PathBuf,
    /// The directory for what is made of it, which need not exist yet; its own if there is none.
    place: Option<PathBuf>,
}

/// Whether a file below a directory is one that was sealed, by its name.
pub(crate) fn is_sealed(path: &Path) -> bool {
    path.extension() == Some(OsStr::new(SUFFIX))
}

impl Item {
    /// Where `made`, which is named after this file, belongs.
    pub(crate) fn place(&self, made: PathBuf) -> anyhow::Result<PathBuf> {
        let (Some(place), Some(name)) = (&self.place, made.file_name()) else {
            return Ok(made);
        };
        fs::create_dir_all(place)
            .with_context(|| format!("cannot make the directory {}", ui::name(place)))?;
        Ok(place.join(name))
    }
}

impl Selection {
    /// The `files`, those of a list, and those below directories that are `wanted`.
    pub(crate) fn of(
        files: &[PathBuf],
        args: &FilesArgs,
        output_dir: Option<&Path>,
        wanted: fn(&Path) -> bool,
    ) -> anyhow::Result<Self> {
        if let ([] | [_], None) = (files, &args.files_from)
            && !(args.recursive && files.iter().any(|file| file.is_dir()))
        {
            let stream = files.first().is_none_or(|file| is_dash(file));
            if stream && output_dir.is_some() {
                let message = "what comes from standard input has no name in a directory";
                return Err(Problem::usage(message).hint("-o OUT gives it one").into());
            }
            return Ok(Self::One(files.first().map(|file| Item {
                path: file.clone(),
                place: output_dir.map(Path::to_owned),
            })));
        }
        let mut items = Vec::new();
        let listed = args
            .files_from
            .as_deref()
            .map(|list| names(list, args.null));
        for path in files
            .iter()
            .cloned()
            .chain(listed.transpose()?.unwrap_or_default())
        {
            if args.recursive && path.is_dir() {
                walk(&path, output_dir, wanted, &mut items)?;
            } else {
                let place = output_dir.map(Path::to_owned);
                items.push(Item { path, place });
            }
        }
        different(&items)?;
        Ok(Self::Many(items))
    }
}

/// The names in a list: one a line, or each up to a zero byte.
fn names(list: &Path, null: bool) -> anyhow::Result<Vec<PathBuf>> {
    let mut input = Input::open(Some(list))?;
    let mut text = Vec::new();
    input
        .read_to_end(&mut text)
        .with_context(|| format!("cannot read {}", input.name))?;
    let end = if null { 0 } else { b'\n' };
    let names = text
        .split(|byte| *byte == end)
        .filter(|name| !name.is_empty());
    names
        .map(|name| {
            path_of(name).ok_or_else(|| {
                Problem::usage(format!("{} has a name that is not UTF-8", input.name)).into()
            })
        })
        .collect()
}

#[cfg(unix)]
pub(crate) fn path_of(name: &[u8]) -> Option<PathBuf> {
    let name: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(name);
    Some(name.into())
}

#[cfg(not(unix))]
pub(crate) fn path_of(name: &[u8]) -> Option<PathBuf> {
    str::from_utf8(name).ok().map(PathBuf::from)
}

/// Adds the `wanted` files below `root`, in the order of their names. Symbolic links are not
/// followed, so that nothing is taken twice or from elsewhere.
fn walk(
    root: &Path,
    output_dir: Option<&Path>,
    wanted: fn(&Path) -> bool,
    items: &mut Vec<Item>,
) -> anyhow::Result<()> {
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        let reading = || format!("cannot read the directory {}", ui::name(&directory));
        let mut paths = Vec::new();
        for entry in fs::read_dir(&directory).with_context(reading)? {
            paths.push(entry.with_context(reading)?.path());
        }
        paths.sort_unstable();
        let below = directory.strip_prefix(root).unwrap_or(Path::new(""));
        let mut inner = Vec::new();
        for path in paths {
            let kind = fs::symlink_metadata(&path)
                .with_context(reading)?
                .file_type();
            if kind.is_dir() {
                inner.push(path);
            } else if kind.is_file() && wanted(&path) {
                let place = output_dir.map(|place| place.join(below));
                items.push(Item { path, place });
            }
        }
        directories.extend(inner.into_iter().rev());
    }
    Ok(())
}

/// Refuses two files of which one output would be made: with `--force`, one would be lost.
fn different(items: &[Item]) -> anyhow::Result<()> {
    let mut seen = HashMap::new();
    for item in items {
        let place = item
            .place
            .as_deref()
            .unwrap_or_else(|| directory(&item.path));
        if let Some(name) = item.path.file_name()
            && let Some(other) = seen.insert((place, name), &item.path)
        {
            let (this, other) = (ui::name(&item.path), ui::name(other));
            return Err(
                Problem::usage(format!("{other} and {this} would have one output"))
                    .hint("seal or open them in runs of their own")
                    .into(),
            );
        }
    }
    Ok(())
}
