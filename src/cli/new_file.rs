//! A file that gets its name when it is complete.
//!
//! Linux has files without a name: whatever ends the process, the kernel takes them away. Where
//! there are none, a temporary file with a name of its own does the same with the help of [`Undo`].

use super::output::{Access, Durability};
use super::undo::Undo;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::{NamedTempFile, TempPath};

/// What the names of temporary files begin with.
pub(crate) const TEMPORARY: &str = ".pqbox-";

/// A file that nobody sees yet, in the directory where it is to appear.
pub(crate) struct NewFile {
    temporary: Temporary,
    path: PathBuf,
    force: bool,
}

enum Temporary {
    #[cfg(target_os = "linux")]
    Unnamed(File),
    Named(NamedTempFile<(File, Undo)>),
}

impl NewFile {
    /// Makes the file that is to appear at `path`: in place of another one only with `force`.
    pub(crate) fn create(path: &Path, access: Access, force: bool) -> io::Result<Self> {
        let directory = directory(path);
        #[cfg(target_os = "linux")]
        let unnamed = linux::unnamed(directory, access)?.map(Temporary::Unnamed);
        #[cfg(not(target_os = "linux"))]
        let unnamed = None;
        let temporary = match unnamed {
            Some(unnamed) => unnamed,
            None => Temporary::Named(named(directory, |name| create_new(name, access))?),
        };
        Ok(Self {
            temporary,
            path: path.to_owned(),
            force,
        })
    }

    /// Writes some of `bytes`; how many.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.temporary {
            #[cfg(target_os = "linux")]
            Temporary::Unnamed(file) => file.write(bytes),
            Temporary::Named(named) => named.as_file_mut().0.write(bytes),
        }
    }

    /// Makes sure that all of it has arrived, and gives the file its name.
    pub(crate) fn commit(self, durability: Durability) -> io::Result<()> {
        match self.temporary {
            #[cfg(target_os = "linux")]
            Temporary::Unnamed(file) => {
                check_close(&file)?;
                linux::link(&file, &self.path, self.force, durability)
            }
            Temporary::Named(named) => {
                // Where there are no unnamed files, the file system may well be a network's, which
                // reports some failures only now.
                let sync = durability != Durability::Never;
                if sync {
                    named.as_file().0.sync_all()?;
                }
                let ((_file, undo), temporary) = named.into_parts();
                undo.finish(|| rename(temporary, &self.path, self.force))?;
                if sync {
                    sync_directory(&self.path)?;
                }
                Ok(())
            }
        }
    }
}

fn create_new(path: &Path, access: Access) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, access.mode());
    options.open(path)
}

/// Something with a random name in `directory`, made by `make`, that neither a failure nor a signal
/// leaves behind.
fn named<F>(
    directory: &Path,
    mut make: impl FnMut(&Path) -> io::Result<F>,
) -> io::Result<NamedTempFile<(F, Undo)>> {
    tempfile::Builder::new()
        .prefix(TEMPORARY)
        .make_in(directory, |name| {
            let doomed = name.to_owned();
            // First, so that there is no moment in between.
            let undo = Undo::on_signal(move || drop(fs::remove_file(doomed)))?;
            Ok((make(name)?, undo))
        })
}

fn rename(temporary: TempPath, path: &Path, force: bool) -> io::Result<()> {
    let renamed = match force {
        true => temporary.persist(path),
        false => temporary.persist_noclobber(path),
    };
    renamed.map_err(|error| error.error)
}

/// Makes the name of a new file at `path` outlive a power failure.
pub(crate) fn sync_directory(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(directory(path))?.sync_all()?;
    Ok(())
}

/// What closing the file would report: a network file system may have kept a failed write for that.
/// The standard library drops that report, so a duplicate is closed while the file is still open.
pub(crate) fn check_close(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    nix::unistd::close(file.try_clone()?)?;
    Ok(())
}

/// The directory that holds `path`.
pub(crate) fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != "" => parent,
        _ => Path::new("."),
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{Access, Durability, directory, named, rename, sync_directory};
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
    use rustix::io::Errno;
    use std::fs::{self, File};
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::Path;

    /// A file without a name; `None` where the file system has none, or where `/proc` is missing,
    /// by which it would get its name.
    pub(super) fn unnamed(directory: &Path, access: Access) -> io::Result<Option<File>> {
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        match open(directory, flags, Mode::from_raw_mode(access.mode())) {
            Ok(fd) => {
                let file = File::from(fd);
                Ok(fs::exists(magic_link(&file))?.then_some(file))
            }
            // A kernel or a file system without O_TMPFILE sees an attempt to write a directory.
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives the file its name; in place of another one only with `force`.
    pub(super) fn link(
        file: &File,
        path: &Path,
        force: bool,
        durability: Durability,
    ) -> io::Result<()> {
        let source = magic_link(file);
        let link = |to: &Path| -> io::Result<()> {
            Ok(linkat(CWD, &source, CWD, to, AtFlags::SYMLINK_FOLLOW)?)
        };
        if durability == Durability::Always {
            file.sync_all()?;
        }
        match link(path) {
            Err(error) if force && error.kind() == io::ErrorKind::AlreadyExists => {}
            Ok(()) if durability == Durability::Always => return sync_directory(path),
            done => return done,
        }
        // No call puts an unnamed file in place of another one: it takes a name for a moment. The
        // data goes to the disk before, lest a power failure leave less than the old file had.
        if durability == Durability::WhereReplacing {
            file.sync_all()?;
        }
        let (((), undo), temporary) = named(directory(path), link)?.into_parts();
        undo.finish(|| rename(temporary, path, force))?;
        match durability {
            Durability::Never => Ok(()),
            _ => sync_directory(path),
        }
    }

    fn magic_link(file: &File) -> String {
        format!("/proc/self/fd/{}", file.as_raw_fd())
    }
}
