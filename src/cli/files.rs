//! Where bytes come from: a file, standard input, a pipe; and which file is which.

use super::output::Access;
use super::progress;
use super::ui::{self, Problem};
use anyhow::Context;
use std::fs::{File, Metadata};
use std::io::{self, IoSliceMut, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Which file it is, whatever name it goes by: hard links and symbolic links to it are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity(#[cfg(unix)] (u64, u64), #[cfg(not(unix))] PathBuf);

impl Identity {
    /// None for what reading and writing at once does not harm: a terminal or another character
    /// device.
    #[cfg(unix)]
    pub(crate) fn of(metadata: &Metadata, _path: &Path) -> Option<Self> {
        use std::os::unix::fs::{FileTypeExt, MetadataExt};
        let harmless = metadata.file_type().is_char_device();
        (!harmless).then(|| Self((metadata.dev(), metadata.ino())))
    }

    /// By name, since a stable Rust knows no file numbers elsewhere: hard links go unnoticed.
    #[cfg(not(unix))]
    pub(crate) fn of(metadata: &Metadata, path: &Path) -> Option<Self> {
        let canonical = metadata.is_file().then(|| path.canonicalize().ok());
        canonical.flatten().map(Self)
    }
}

/// `-` stands for standard input or output.
pub(crate) fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// An input that is open, of which nothing has been read.
#[derive(Debug)]
pub(crate) struct Input {
    /// Its name in messages.
    pub(crate) name: String,
    path: PathBuf,
    file: File,
    metadata: Metadata,
    /// What [`Self::peek`] has read and `read` has still to give.
    head: Vec<u8>,
    /// Whether what is read of it is progress.
    counted: bool,
}

impl Input {
    /// Opens `path`. `-` is standard input, and so is `None` unless a person would have to type
    /// it.
    pub(crate) fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        match path {
            None if io::stdin().is_terminal() => Err(Problem::usage(
                "no file given, and standard input is a terminal",
            )
            .hint("name a file; `-` reads what you type")
            .into()),
            None => Self::stdin(),
            Some(path) if is_dash(path) => Self::stdin(),
            Some(path) => Self::file(path),
        }
    }

    fn stdin() -> anyhow::Result<Self> {
        static TAKEN: AtomicBool = AtomicBool::new(false);
        if TAKEN.swap(true, Ordering::Relaxed) {
            return Err(
                Problem::usage("standard input cannot be two inputs at once")
                    .hint("`-` and a missing file name both mean standard input; name files")
                    .into(),
            );
        }
        let name = "standard input".to_owned();
        let file = duplicate_stdin().context("cannot read standard input")?;
        Self::new(name, PathBuf::from("-"), file)
    }

    fn file(path: &Path) -> anyhow::Result<Self> {
        let name = ui::name(path);
        let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
        Self::new(name, path.to_owned(), file)
    }

    fn new(name: String, path: PathBuf, file: File) -> anyhow::Result<Self> {
        let metadata = file
            .metadata()
            .with_context(|| format!("cannot read {name}"))?;
        if metadata.is_dir() {
            return Err(is_a_directory(&name));
        }
        Ok(Self {
            name,
            path,
            file,
            metadata,
            head: Vec::new(),
            counted: false,
        })
    }

    /// Shows how far reading it has come.
    pub(crate) fn with_progress(self) -> Self {
        progress::begin();
        progress::expect(self.size().unwrap_or(0));
        Self {
            counted: true,
            ..self
        }
    }

    pub(crate) fn identity(&self) -> Option<Identity> {
        Identity::of(&self.metadata, &self.path)
    }

    /// What it was opened as; `-` is standard input.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The path, if an output can be named after it: not standard input, a pipe or a device.
    pub(crate) fn named_file(&self) -> Option<&Path> {
        (self.metadata.is_file() && !is_dash(&self.path)).then_some(&self.path)
    }

    /// The size in bytes, where there is one before all has been read.
    pub(crate) fn size(&self) -> Option<u64> {
        self.metadata.is_file().then_some(self.metadata.len())
    }

    /// The file itself, to be read at any place.
    pub(crate) fn into_file(self) -> File {
        self.file
    }

    /// What is known of the file besides its bytes.
    pub(crate) fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// For a file that is to replace this one.
    pub(crate) fn access(&self) -> Access {
        #[cfg(unix)]
        return Access::Same(std::os::unix::fs::MetadataExt::mode(&self.metadata) & 0o777);
        #[cfg(not(unix))]
        return Access::Shared;
    }

    /// What the input begins with: some bytes of it. To be asked before anything is read.
    pub(crate) fn peek(&mut self) -> io::Result<&[u8]> {
        let mut head = Vec::with_capacity(64);
        (&self.file)
            .take(head.capacity() as u64)
            .read_to_end(&mut head)?;
        self.head = head;
        Ok(&self.head)
    }

    /// All of it, if it is not longer than `limit` bytes.
    pub(crate) fn read_all(&mut self, limit: u64) -> anyhow::Result<zeroize::Zeroizing<Vec<u8>>> {
        // Room for all of it from the start: a secret leaves no copies behind in outgrown buffers.
        // And not for much more, since all of it is wiped. Some files, as in /proc, do not know.
        let room = self.size().filter(|size| (1..limit).contains(size));
        let room = room.unwrap_or(limit) as usize + 1;
        let mut bytes = zeroize::Zeroizing::new(Vec::with_capacity(room));
        (&self.file)
            .take(limit + 1)
            .read_to_end(&mut bytes)
            .with_context(|| format!("cannot read {}", self.name))?;
        if bytes.len() as u64 > limit {
            return Err(Problem::usage(format!(
                "{} is longer than the {limit} bytes that can be right here",
                self.name
            ))
            .into());
        }
        Ok(bytes)
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.read_vectored(&mut [IoSliceMut::new(buffer)])
    }

    fn read_vectored(&mut self, buffers: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let count = if self.head.is_empty() {
            self.file.read_vectored(buffers)?
        } else {
            let count = self.head.as_slice().read_vectored(buffers)?;
            self.head.drain(..count);
            count
        };
        if self.counted {
            progress::add(count as u64);
        }
        Ok(count)
    }
}

pub(crate) fn is_a_directory(name: &str) -> anyhow::Error {
    Problem::usage(format!("{name} is a directory, where a file belongs")).into()
}

/// Standard input without the buffer and the lock of `io::stdin`.
fn duplicate_stdin() -> io::Result<File> {
    #[cfg(unix)]
    let handle = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?;
    #[cfg(windows)]
    let handle = std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned()?;
    Ok(handle.into())
}

/// Standard output likewise.
pub(crate) fn duplicate_stdout() -> io::Result<File> {
    #[cfg(unix)]
    let handle = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned()?;
    #[cfg(windows)]
    let handle = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned()?;
    Ok(handle.into())
}
