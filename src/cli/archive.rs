//! A directory as a tar archive, which is made while it is read.

use super::files::Identity;
use super::progress;
use super::ui::{self, Problem};
use anyhow::Context;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;
use tar::{Builder, EntryType, Header};

/// Bytes of tar's blocks.
const BLOCK: u64 = 512;

/// What is in a directory, found fit for an archive.
pub(crate) struct Tree {
    root: PathBuf,
    /// Names within the directory, each directory before what it has.
    entries: Vec<(PathBuf, Metadata)>,
}

impl Tree {
    /// Reads the directories, in the order of their names, and no file.
    pub(crate) fn of(root: &Path) -> anyhow::Result<Self> {
        let mut entries = Vec::new();
        let mut directories = vec![PathBuf::new()];
        while let Some(directory) = directories.pop() {
            let path = root.join(&directory);
            let reading = || format!("cannot read the directory {}", ui::name(&path));
            let mut names = Vec::new();
            for entry in fs::read_dir(&path).with_context(reading)? {
                names.push(directory.join(entry.with_context(reading)?.file_name()));
            }
            names.sort_unstable();
            let mut inner = Vec::new();
            for name in names {
                let path = root.join(&name);
                let metadata = fs::symlink_metadata(&path)
                    .with_context(|| format!("cannot read {}", ui::name(&path)))?;
                if metadata.is_dir() {
                    inner.push(name.clone());
                } else if !metadata.is_file() {
                    let what = match metadata.is_symlink() {
                        true => "a symbolic link",
                        false => "no regular file",
                    };
                    return Err(Problem::usage(format!(
                        "{} is {what}, which an archive cannot hold",
                        ui::name(&path)
                    ))
                    .hint("--recursive leaves it out; `tar c DIR | pqbox seal` keeps everything")
                    .into());
                }
                entries.push((name, metadata));
            }
            directories.extend(inner.into_iter().rev());
        }
        Ok(Self {
            root: root.to_owned(),
            entries,
        })
    }

    /// Bytes of the files in it.
    pub(crate) fn size(&self) -> u64 {
        let files = self.entries.iter().filter(|(_, data)| data.is_file());
        files.map(|(_, data)| data.len()).sum()
    }

    /// Which files are in it.
    pub(crate) fn identities(&self) -> impl Iterator<Item = Option<Identity>> {
        let entries = self.entries.iter();
        entries.map(|(name, data)| Identity::of(data, &self.root.join(name)))
    }

    /// Removes what was found, and nothing that has come since.
    pub(crate) fn remove(&self) -> anyhow::Result<()> {
        let root = (PathBuf::new(), true);
        let entries = self.entries.iter();
        let entries = entries.map(|(name, data)| (name.clone(), data.is_dir()));
        let all: Vec<_> = std::iter::once(root).chain(entries).collect();
        // What is in a directory goes before it.
        for (name, is_dir) in all.iter().rev() {
            let path = self.root.join(name);
            match is_dir {
                true => fs::remove_dir(&path),
                false => fs::remove_file(&path),
            }
            .with_context(|| format!("cannot remove {}", ui::name(&path)))?;
        }
        Ok(())
    }
}

/// The archive of a directory, to be read.
pub(crate) struct Archive {
    tree: Arc<Tree>,
    /// How many entries were begun.
    begun: usize,
    /// What comes before the next file, and how much of it was read: headers, and what fills up a block.
    builder: Builder<Vec<u8>>,
    given: usize,
    /// The file that is being read, and what is left of it.
    file: Option<(File, u64)>,
    ended: bool,
    counted: bool,
}

impl Archive {
    pub(crate) fn new(tree: Arc<Tree>) -> Self {
        Self {
            tree,
            begun: 0,
            builder: Builder::new(Vec::new()),
            given: 0,
            file: None,
            ended: false,
            counted: false,
        }
    }

    /// Shows how far reading it has come.
    pub(crate) fn with_progress(self) -> Self {
        progress::begin();
        progress::expect(self.tree.size());
        Self {
            counted: true,
            ..self
        }
    }

    /// Begins with the next entry, or with the end.
    fn begin(&mut self) -> io::Result<()> {
        let Some((name, data)) = self.tree.entries.get(self.begun) else {
            self.ended = true;
            return self.builder.finish();
        };
        self.begun += 1;
        let mut header = Header::new_gnu();
        header.set_mode(mode(data));
        let modified = data.modified().ok();
        let age = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        header.set_mtime(age.map_or(0, |age| age.as_secs()));
        if data.is_dir() {
            header.set_entry_type(EntryType::Directory);
            header.set_size(0);
        } else {
            let path = self.tree.root.join(name);
            let file = File::open(&path).map_err(|error| of(&path, error))?;
            if file.metadata()?.len() != data.len() {
                return Err(changed(&path));
            }
            header.set_entry_type(EntryType::Regular);
            header.set_size(data.len());
            self.file = Some((file, data.len()));
        }
        // The bytes of a file follow when they are asked for.
        self.builder.append_data(&mut header, name, io::empty())
    }

    /// How many bytes of the file that is being read.
    fn read_file(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some((file, left)) = &mut self.file else {
            return Ok(0);
        };
        let path = || self.tree.root.join(&self.tree.entries[self.begun - 1].0);
        let count = file
            .take(*left)
            .read(buffer)
            .map_err(|error| of(&path(), error))?;
        if count == 0 && *left > 0 {
            return Err(changed(&path()));
        }
        *left -= count as u64;
        if *left == 0 {
            let size = self.tree.entries[self.begun - 1].1.len();
            let fill = size.next_multiple_of(BLOCK) - size;
            self.builder.get_mut().resize(fill as usize, 0);
            self.file = None;
        }
        if self.counted {
            progress::add(count as u64);
        }
        Ok(count)
    }
}

impl Read for Archive {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut rest = &self.builder.get_ref()[self.given..];
            if !rest.is_empty() || buffer.is_empty() {
                let count = rest.read(buffer)?;
                self.given += count;
                return Ok(count);
            }
            self.builder.get_mut().clear();
            self.given = 0;
            match self.file {
                // An empty one has an end, too.
                Some((_, left)) => {
                    let count = self.read_file(buffer)?;
                    if left > 0 {
                        return Ok(count);
                    }
                }
                None if self.ended => return Ok(0),
                None => self.begin()?,
            }
        }
    }
}

/// Which of many files it was.
fn of(path: &Path, error: io::Error) -> io::Error {
    let kind = error.kind();
    let text = ui::plain(&error);
    io::Error::new(kind, format!("{}: {text}", ui::name(path)))
}

fn changed(path: &Path) -> io::Error {
    io::Error::other(format!("{} changes while it is read", ui::name(path)))
}

fn mode(data: &Metadata) -> u32 {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::mode(data) & 0o777;
    #[cfg(not(unix))]
    return if data.is_dir() { 0o755 } else { 0o644 };
}
