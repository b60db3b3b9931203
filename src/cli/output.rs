//! Where bytes go: a new file that gets its name when it is complete, or a stream.

use super::files::{self, Identity};
use super::ui::{self, Problem};
use super::undo::Undo;
use anyhow::Context;
use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use tempfile::{NamedTempFile, TempPath};

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// The owner: secrets, and what was sealed.
    Private,
    /// Whoever the umask lets: sealed files, public keys.
    Shared,
}

impl Access {
    /// What to create the file with. The kernel applies the umask.
    fn mode(self) -> u32 {
        match self {
            Self::Private => 0o600,
            Self::Shared => 0o666,
        }
    }
}

/// An output that was found fit before any work is done for it. Nothing exists yet under its
/// name, or what exists is as it was, until [`Self::commit`]; a stream is opened by the first
/// [`Self::write`].
pub(crate) struct Output {
    /// Its name in messages.
    pub(crate) name: String,
    place: Place,
    sink: Option<Sink>,
    /// Whether it may be text, which a terminal can show.
    maybe_text: bool,
}

enum Place {
    Stdout,
    /// A device, a FIFO, a descriptor under `/dev/fd`: written through, never replaced.
    Stream(PathBuf, Stream),
    File {
        path: PathBuf,
        access: Access,
        force: bool,
    },
}

#[derive(Clone, Copy)]
enum Stream {
    Special,
    /// May turn out to be a file that a shell opened for appending.
    Descriptor,
}

enum Sink {
    /// `screen`: a person is looking at it.
    Stream {
        file: File,
        screen: bool,
    },
    /// A file that has no name yet. Where the kernel has them, nothing that kills this process
    /// can leave one behind.
    #[cfg(target_os = "linux")]
    Unnamed(File),
    Named {
        file: NamedTempFile,
        undo: Undo,
    },
}

impl Output {
    /// The output at `path`; `-` is standard output.
    pub(crate) fn new(path: &Path, access: Access, force: bool) -> anyhow::Result<Self> {
        let (name, place) = if files::is_dash(path) {
            ("standard output".to_owned(), Place::Stdout)
        } else {
            (ui::name(path), Place::of(path, access, force)?)
        };
        Ok(Self {
            name,
            place,
            sink: None,
            maybe_text: false,
        })
    }

    /// Lets a terminal have what turns out to be text. Else it gets nothing at all.
    pub(crate) fn maybe_text(self) -> Self {
        Self {
            maybe_text: true,
            ..self
        }
    }

    /// Whether it is a file with a name, made anew.
    pub(crate) fn is_new_file(&self) -> bool {
        matches!(self.place, Place::File { .. })
    }

    /// Refuses to write over what is being read.
    pub(crate) fn is_not(&self, identity: Option<&Identity>, what: &str) -> anyhow::Result<()> {
        let here = match &self.place {
            Place::Stdout => files::duplicate_stdout()
                .and_then(|file| file.metadata())
                .ok()
                .and_then(|metadata| Identity::of(&metadata, Path::new("-"))),
            Place::Stream(path, _) | Place::File { path, .. } => fs::metadata(path)
                .ok()
                .and_then(|metadata| Identity::of(&metadata, path)),
        };
        if here.is_none() || here.as_ref() != identity {
            return Ok(());
        }
        Err(Problem::usage(format!("{} is {what} itself", self.name))
            .hint("-o OUT names another output")
            .into())
    }

    /// Writes all of `bytes`.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let name = &self.name;
        let sink = match &mut self.sink {
            Some(sink) => sink,
            none => none.insert(self.place.open(name)?),
        };
        let written = match sink {
            Sink::Stream { screen: true, .. } if !(self.maybe_text && is_text(bytes)) => {
                return Err(Problem::usage("binary data is not written to a terminal")
                    .hint("-o OUT writes it to a file; or redirect standard output")
                    .into());
            }
            Sink::Stream { file, .. } => file.write_all(bytes),
            #[cfg(target_os = "linux")]
            Sink::Unnamed(file) => file.write_all(bytes),
            Sink::Named { file, .. } => file.as_file_mut().write_all(bytes),
        };
        written.with_context(|| format!("cannot write {name}"))
    }

    /// Makes sure that all of it has arrived, and gives a new file its name.
    pub(crate) fn commit(mut self) -> anyhow::Result<()> {
        self.write(&[])?;
        let Self {
            name, place, sink, ..
        } = self;
        let done = match (sink.expect("opened by write"), place) {
            (Sink::Stream { file, .. }, _) => check_close(&file),
            #[cfg(target_os = "linux")]
            (Sink::Unnamed(file), Place::File { path, force, .. }) => {
                check_close(&file).and_then(|()| linux::link(&file, &path, force))
            }
            (Sink::Named { file, undo }, Place::File { path, force, .. }) => {
                // Where there are no unnamed files, the file system may well be a network's, which
                // reports some failures only now.
                file.as_file().sync_all().and_then(|()| {
                    let temporary = file.into_temp_path();
                    undo.finish(|| rename(temporary, &path, force))?;
                    sync_directory(&path)
                })
            }
            _ => unreachable!("`Place::open` opens a temporary file for `Place::File` alone"),
        };
        done.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => already_exists(&name),
            _ => anyhow::Error::new(error).context(format!("cannot write {name}")),
        })
    }
}

impl Place {
    fn of(path: &Path, access: Access, force: bool) -> anyhow::Result<Self> {
        let name = ui::name(path);
        if path.as_os_str().is_empty() {
            return Err(Problem::usage("the output has an empty name").into());
        }
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => Err(files::is_a_directory(&name)),
            Ok(_) if is_descriptor(path) => Ok(Self::Stream(path.to_owned(), Stream::Descriptor)),
            Ok(metadata) if !metadata.is_file() => {
                Ok(Self::Stream(path.to_owned(), Stream::Special))
            }
            Ok(_) if !force => Err(already_exists(&name)),
            Ok(_) => Ok(Self::File {
                // As with a shell's `>`, a symbolic link stays one.
                path: path
                    .canonicalize()
                    .with_context(|| format!("cannot write {name}"))?,
                access,
                force,
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Self::free(path, &name, access, force)
            }
            Err(error) => Err(anyhow::Error::new(error).context(format!("cannot write {name}"))),
        }
    }

    /// A name that nothing has yet, in a directory that is there.
    fn free(path: &Path, name: &str, access: Access, force: bool) -> anyhow::Result<Self> {
        if fs::symlink_metadata(path).is_ok() {
            return Err(
                Problem::usage(format!("{name} is a symbolic link to nothing"))
                    .hint("remove it, or choose another output with -o OUT")
                    .into(),
            );
        }
        let parent = directory(path);
        if !parent.is_dir() {
            let parent = ui::name(parent);
            return Err(Problem::new(format!(
                "cannot write {name}: there is no directory {parent}"
            ))
            .hint(format!("mkdir -p {parent}"))
            .into());
        }
        if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Err(files::is_a_directory(name));
        }
        Ok(Self::File {
            path: path.to_owned(),
            access,
            force,
        })
    }

    fn open(&self, name: &str) -> anyhow::Result<Sink> {
        let stream = |file: File| Sink::Stream {
            screen: file.is_terminal(),
            file,
        };
        match self {
            Self::Stdout => files::duplicate_stdout().map(stream),
            Self::Stream(path, kind) => OpenOptions::new()
                .append(matches!(kind, Stream::Descriptor))
                .write(true)
                .open(path)
                .map(stream),
            Self::File { path, access, .. } => create(directory(path), *access),
        }
        .with_context(|| format!("cannot write {name}"))
    }
}

/// A file that nobody sees yet, in the directory where it is to appear.
fn create(directory: &Path, access: Access) -> io::Result<Sink> {
    #[cfg(target_os = "linux")]
    if let Some(file) = linux::unnamed(directory, access)? {
        return Ok(Sink::Unnamed(file));
    }
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(access.mode()));
    let file = builder.prefix(TEMPORARY).tempfile_in(directory)?;
    let path = file.path().to_owned();
    let undo = Undo::on_signal(move || drop(fs::remove_file(path)))?;
    Ok(Sink::Named { file, undo })
}

/// What the names of temporary files begin with.
const TEMPORARY: &str = ".pqbox-";

/// Moves a complete file to its name; over an existing one only with `force`.
fn rename(temporary: TempPath, path: &Path, force: bool) -> io::Result<()> {
    let renamed = match force {
        true => temporary.persist(path),
        false => temporary.persist_noclobber(path),
    };
    renamed.map_err(|error| error.error)
}

/// Makes the new name itself outlive a power failure.
fn sync_directory(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(directory(path))?.sync_all()?;
    Ok(())
}

/// What closing the file would report: a network file system may have kept a failed write for that.
/// The standard library drops that report, so a duplicate is closed while the file is still open.
fn check_close(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    nix::unistd::close(file.try_clone()?)?;
    Ok(())
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{Access, TEMPORARY, Undo, directory, rename, sync_directory};
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
    use rustix::io::Errno;
    use std::fs::{self, File};
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::Path;

    /// A file without a name; `None` where the file system has none, or `/proc` is missing, by which it
    /// would get its name.
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

    /// Gives the file its name; over an existing one only with `force`.
    pub(super) fn link(file: &File, path: &Path, force: bool) -> io::Result<()> {
        let source = magic_link(file);
        let link = |to: &Path| -> io::Result<()> {
            Ok(linkat(CWD, &source, CWD, to, AtFlags::SYMLINK_FOLLOW)?)
        };
        match link(path) {
            Err(error) if force && error.kind() == io::ErrorKind::AlreadyExists => {}
            done => return done,
        }
        // No call replaces a name by an unnamed file: it takes a temporary one, for a moment. The data
        // goes to the disk before, lest a power failure leave an empty file in place of the old.
        file.sync_all()?;
        let (undo, temporary) = tempfile::Builder::new()
            .prefix(TEMPORARY)
            .make_in(directory(path), |name| {
                let doomed = name.to_owned();
                let undo = Undo::on_signal(move || drop(fs::remove_file(doomed)))?;
                link(name).map(|()| undo)
            })?
            .into_parts();
        undo.finish(|| rename(temporary, path, force))?;
        sync_directory(path)
    }

    fn magic_link(file: &File) -> String {
        format!("/proc/self/fd/{}", file.as_raw_fd())
    }
}

/// The directory that holds `path`.
fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != "" => parent,
        _ => Path::new("."),
    }
}

fn already_exists(name: &str) -> anyhow::Error {
    Problem::usage(format!("{name} exists already"))
        .hint("--force replaces it; -o OUT names another output")
        .into()
}

/// Whether `path` leads to a descriptor that this process was started with: `/dev/stdout`,
/// `/dev/fd/3`, or a shell's `>(command)`. Such a path may lead on to an ordinary file, which the
/// user wants filled and not replaced.
fn is_descriptor(path: &Path) -> bool {
    let mut path = path.to_owned();
    // As many links as the kernel would follow.
    for _ in 0..40 {
        let Ok(directory) = directory(&path).canonicalize() else {
            return false;
        };
        let in_proc = directory.starts_with("/proc") && directory.ends_with("fd");
        if in_proc || directory == Path::new("/dev/fd") {
            return true;
        }
        match path.read_link() {
            Ok(target) => path = directory.join(target),
            Err(_) => return false,
        }
    }
    false
}

/// Whether a terminal only shows these bytes: no control character, in ASCII or in UTF-8's second
/// set, other than tab and line ends. (A chunk may begin or end inside a character, so this is no
/// check for UTF-8.)
fn is_text(bytes: &[u8]) -> bool {
    let control = |byte: &u8| byte.is_ascii_control() && !b"\t\n\r".contains(byte);
    let c1_control = |pair: &[u8]| pair[0] == 0xc2 && (0x80..0xa0).contains(&pair[1]);
    !bytes.iter().any(control) && !bytes.windows(2).any(c1_control)
}
