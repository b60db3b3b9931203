//! An archive as a new directory.
//!
//! It is made under another name and gets its own when it is complete. Whoever made the archive must not
//! be able to write outside it, nor two things under one name.

use super::new_file::{TEMPORARY, directory, sync_directory};
use super::output::{Access, Durability};
use super::selection::path_of;
use super::ui::{self, Problem, Status};
use super::undo::Undo;
use anyhow::Context;
use pqbox::Error;
use std::cell::Cell;
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tar::EntryType;

/// The most bytes for what tar says about an entry, its name above all.
const ENTRY_LIMIT: u64 = 1 << 20;

/// Extracts the archive into a new directory, `target`.
pub(crate) fn extract(
    input: impl Read,
    target: &Path,
    access: Access,
    durability: Durability,
) -> anyhow::Result<()> {
    let writing = || format!("cannot write {}", ui::name(target));
    let place = NewDirectory::create(directory(target), access).with_context(writing)?;
    let names = unpack(input, &place.path, access, durability == Durability::Always)?;
    if durability == Durability::Always {
        for name in names.directories() {
            sync_directory(&place.path.join(name).join("x")).with_context(writing)?;
        }
    }
    place.commit(target).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => is_there(&ui::name(target)),
        _ => anyhow::Error::new(error).context(writing()),
    })?;
    if durability == Durability::Always {
        sync_directory(target).with_context(writing)?;
    }
    Ok(())
}

/// A directory takes no other thing's place.
pub(crate) fn is_there(name: &str) -> anyhow::Error {
    Problem::usage(format!("{name} exists already"))
        .code("exists")
        .hint("a directory replaces nothing; -o OUT names another output")
        .into()
}

/// Writes what is in the archive below `root`.
fn unpack(input: impl Read, root: &Path, access: Access, sync: bool) -> anyhow::Result<Names> {
    let limit = Cell::new(u64::MAX);
    let mut archive = tar::Archive::new(Limited {
        inner: input,
        left: &limit,
    });
    let mut names = Names::default();
    let mut times = Vec::new();
    let mut entries = archive.entries().map_err(reading)?;
    loop {
        limit.set(ENTRY_LIMIT);
        let Some(entry) = entries.next() else { break };
        let mut entry = entry.map_err(reading)?;
        limit.set(u64::MAX);
        let kind = entry.header().entry_type();
        let name = names.add(&entry.path_bytes(), kind)?;
        let path = root.join(&name);
        let writing = || format!("cannot write {}", ui::name(&name));
        let modified = entry.header().mtime().map_err(reading)?;
        let modified = UNIX_EPOCH.checked_add(Duration::from_secs(modified));
        if kind == EntryType::Directory {
            make(&path, access).with_context(writing)?;
            times.push((path, modified));
            continue;
        }
        make(directory(&path), access).with_context(writing)?;
        let mode = entry.header().mode().map_err(reading)?;
        let mut file = create(&path, access, mode).with_context(writing)?;
        copy(&mut entry, &mut file).with_context(|| ui::name(&name))?;
        set_modified(&file, modified);
        if sync {
            file.sync_all().with_context(writing)?;
        }
    }
    limit.set(u64::MAX);
    // All that is sealed has to prove authentic, also what tar has no use for.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(reading)?;
    // What was made in a directory has changed its time.
    for (path, modified) in times.into_iter().rev() {
        if let Ok(directory) = File::open(path) {
            set_modified(&directory, modified);
        }
    }
    Ok(names)
}

/// The bytes of a file.
fn copy(entry: &mut impl Read, file: &mut File) -> anyhow::Result<()> {
    let mut block = zeroize::Zeroizing::new(vec![0; 128 << 10]);
    loop {
        match entry.read(&mut block).map_err(reading)? {
            0 => return Ok(()),
            len => io::Write::write_all(file, &block[..len]).context("cannot write")?,
        }
    }
}

/// Times are a courtesy.
fn set_modified(file: &File, time: Option<SystemTime>) {
    if let Some(time) = time {
        let _ = file.set_modified(time);
    }
}

/// Makes a directory and those above it.
fn make(path: &Path, access: Access) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, access.directory_mode());
    #[cfg(not(unix))]
    let _ = access;
    builder.create(path)
}

/// Makes a file, to be run if it could be.
fn create(path: &Path, access: Access, mode: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(
        &mut options,
        access.mode() | mode & access.directory_mode() & 0o111,
    );
    #[cfg(not(unix))]
    let _ = (access, mode);
    options.open(path)
}

/// What a failed read of the archive means: the sealed file is damaged, or what is in it.
fn reading(error: io::Error) -> anyhow::Error {
    match Error::reading(error) {
        // What tar has to say may be what it found.
        Error::Read(_) => Problem::new("the archive in it is malformed")
            .status(Status::Damaged)
            .code("archive")
            .hint("`-o -` writes the archive itself, to look at with `tar tv`")
            .into(),
        error => error.into(),
    }
}

/// The names in an archive so far.
#[derive(Default)]
struct Names {
    /// By what they are where upper and lower case are the same.
    seen: HashMap<String, (PathBuf, bool)>,
}

impl Names {
    /// The name of the next entry, if it is one that can be extracted.
    fn add(&mut self, bytes: &[u8], kind: EntryType) -> anyhow::Result<PathBuf> {
        let shown = ui::name(String::from_utf8_lossy(bytes).as_ref());
        let refuse = |why: String| {
            Problem::new(format!("the archive in it cannot be extracted: {why}"))
                .status(Status::Damaged)
                .code("archive")
                .hint("`-o -` writes the archive itself, to look at with `tar tv`")
        };
        let is_dir = match kind {
            EntryType::Directory => true,
            EntryType::Regular => false,
            _ => Err(refuse(format!("{shown} is neither a file nor a directory")))?,
        };
        let path = path_of(bytes).ok_or_else(|| refuse(format!("{shown} is no name here")))?;
        let mut name = PathBuf::new();
        for part in path.components() {
            match part {
                Component::Normal(part) if !bytes.contains(&0) => name.push(part),
                Component::CurDir => {}
                _ => Err(refuse(format!("{shown} leads out of it")))?,
            }
        }
        if name.as_os_str().is_empty() {
            // The directory itself, as `tar c .` has it.
            return match is_dir && !bytes.is_empty() {
                true => Ok(name),
                false => Err(refuse(format!("{shown} is no name for a file")).into()),
            };
        }
        let mut ancestors: Vec<&Path> = name.ancestors().collect();
        // The last is empty.
        ancestors.pop();
        for ancestor in ancestors.into_iter().rev() {
            let is_dir = is_dir || ancestor != name;
            let folded = ancestor.to_string_lossy().to_lowercase();
            let entry = (ancestor.to_owned(), is_dir);
            match self.seen.get(&folded) {
                None => drop(self.seen.insert(folded, entry)),
                Some(seen) if *seen == entry && is_dir => {}
                Some((other, _)) => Err(refuse(format!(
                    "{shown} and {} would be one",
                    ui::name(other)
                )))?,
            }
        }
        Ok(name)
    }

    fn directories(&self) -> impl Iterator<Item = &Path> {
        let root = std::iter::once(Path::new(""));
        let all = self.seen.values().filter(|(_, is_dir)| *is_dir);
        root.chain(all.map(|(name, _)| name.as_path()))
    }
}

/// A reader that gives no more than is left.
struct Limited<'a, R> {
    inner: R,
    left: &'a Cell<u64>,
}

impl<R: Read> Read for Limited<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.left.get();
        if left == 0 {
            return Err(io::Error::other("an entry with too much about it"));
        }
        let len = buffer
            .len()
            .min(usize::try_from(left).unwrap_or(usize::MAX));
        let count = self.inner.read(&mut buffer[..len])?;
        self.left.set(left - count as u64);
        Ok(count)
    }
}

/// A directory under a name of its own, that neither a failure nor a signal leaves behind.
struct NewDirectory {
    path: PathBuf,
    undo: Undo,
}

impl NewDirectory {
    fn create(parent: &Path, access: Access) -> io::Result<Self> {
        // Made under the lock, so that a signal finds either nothing or all of it.
        let made: Arc<Mutex<Option<PathBuf>>> = Arc::default();
        let doomed = Arc::clone(&made);
        let undo = Undo::on_signal(move || {
            let made = doomed.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(path) = &*made {
                remove(path);
            }
        })?;
        let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(
            access.directory_mode(),
        ));
        #[cfg(not(unix))]
        let _ = access;
        let path = builder.prefix(TEMPORARY).tempdir_in(parent)?.keep();
        *made = Some(path.clone());
        drop(made);
        Ok(Self { path, undo })
    }

    fn commit(self, target: &Path) -> io::Result<()> {
        self.undo.finish(|| match fs::symlink_metadata(target) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(&self.path, target),
        })
    }
}

impl Drop for NewDirectory {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Removes a directory that somebody may still write to: once it is gone, nothing can be added.
fn remove(path: &Path) {
    for _ in 0..100 {
        match fs::remove_dir_all(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {}
            _ => return,
        }
    }
}
