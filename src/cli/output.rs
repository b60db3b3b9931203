//! Where bytes go: a new file or a stream, found fit before any work is done for it.

use super::files::{self, Identity};
use super::new_file::{NewFile, check_close, directory};
use super::ui::{self, Problem};
use anyhow::Context;
use pqbox::hybrid::ArmorWriter;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// The owner: secrets, and what was sealed.
    Private,
    /// Whoever the umask lets: sealed files, public keys.
    Shared,
    /// Whoever could read the file that it replaces, and none whom the umask does not let.
    Same(u32),
}

impl Access {
    /// What to create the file with. The kernel applies the umask.
    pub(crate) fn mode(self) -> u32 {
        match self {
            Self::Private => 0o600,
            Self::Shared => 0o666,
            Self::Same(mode) => mode,
        }
    }

    /// The same for a directory: whoever may read may enter.
    pub(crate) fn directory_mode(self) -> u32 {
        let mode = self.mode();
        mode | (mode & 0o444) >> 2
    }
}

/// Whether what was written has to be on the disk before success is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// Where it takes the place of a file that was there: else as `cp` does.
    WhereReplacing,
    Always,
    Never,
}

/// An output that was found fit before any work is done for it. Nothing exists yet under its
/// name, or what exists is as it was, until [`Self::commit`]; a stream is opened by the first
/// [`Self::write`].
pub(crate) struct Output {
    /// Its name in messages.
    pub(crate) name: String,
    place: Place,
    /// What is there already, and must not be what is being read.
    existing: Option<Identity>,
    writer: Option<Writer>,
    durability: Durability,
    form: Form,
}

/// What is written, for a terminal's sake and for that of armor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Binary,
    /// A sealed file, which is binary unless it is armored.
    Sealed,
    Armored,
    /// What was sealed. It may be text.
    Opened,
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

enum Writer {
    Plain(Sink),
    Armored(Box<ArmorWriter<Sink>>),
}

enum Sink {
    /// `screen`: a person is looking at it.
    Stream {
        file: File,
        screen: bool,
    },
    File(NewFile),
}

impl Output {
    /// The output at `path`; `-` is standard output.
    pub(crate) fn new(path: &Path, access: Access, force: bool) -> anyhow::Result<Self> {
        let (name, place, metadata) = if files::is_dash(path) {
            let metadata = files::duplicate_stdout().and_then(|file| file.metadata());
            ("standard output".to_owned(), Place::Stdout, metadata.ok())
        } else {
            let name = ui::name(path);
            let (place, metadata) = Place::of(path, &name, access, force)?;
            (name, place, metadata)
        };
        Ok(Self {
            name,
            place,
            existing: metadata.and_then(|metadata| Identity::of(&metadata, path)),
            writer: None,
            durability: Durability::WhereReplacing,
            form: Form::Binary,
        })
    }

    pub(crate) fn form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    pub(crate) fn durability(self, durability: Durability) -> Self {
        Self { durability, ..self }
    }

    /// Whether it is a file with a name, made anew.
    pub(crate) fn is_new_file(&self) -> bool {
        self.file().is_some()
    }

    /// Refuses to write over what is being read.
    pub(crate) fn is_not(&self, identity: Option<&Identity>, what: &str) -> anyhow::Result<()> {
        if self.existing.is_none() || self.existing.as_ref() != identity {
            return Ok(());
        }
        Err(Problem::usage(format!("{} is {what} itself", self.name))
            .hint("-o OUT names another output")
            .into())
    }

    /// Refuses a redirect to a file that others can read, as a place for a secret.
    pub(crate) fn is_private(&self) -> anyhow::Result<()> {
        #[cfg(unix)]
        if let Place::Stdout = self.place {
            use std::os::unix::fs::MetadataExt;
            let metadata = files::duplicate_stdout().and_then(|file| file.metadata());
            if metadata.is_ok_and(|file| file.is_file() && file.mode() & 0o077 != 0) {
                return Err(
                    Problem::usage("standard output is a file that others can read")
                        .hint("-o OUT makes one that only you can read")
                        .into(),
                );
            }
        }
        Ok(())
    }

    /// The new file's name.
    pub(crate) fn file(&self) -> Option<&Path> {
        match &self.place {
            Place::File { path, .. } => Some(path),
            _ => None,
        }
    }

    /// Refuses to write to one place twice.
    pub(crate) fn differs_from(&self, other: &Self) -> anyhow::Result<()> {
        match (self.place.target(), other.place.target()) {
            (Some(here), Some(there)) if here == there => Err(Problem::usage(format!(
                "{} and {} are one output, where two belong",
                self.name, other.name
            ))
            .into()),
            _ => Ok(()),
        }
    }

    /// Writes all of `bytes`.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let name = &self.name;
        let writer = match &mut self.writer {
            Some(writer) => writer,
            none => none.insert(Writer::new(self.place.open(name)?, self.form)),
        };
        let written = match writer {
            Writer::Plain(Sink::Stream { screen: true, .. })
                if !(self.form == Form::Opened && is_text(bytes)) =>
            {
                return Err(Problem::usage("binary data is not written to a terminal")
                    .hint(match self.form {
                        Form::Sealed => "-o OUT writes it to a file; --armor makes it text",
                        _ => "-o OUT writes it to a file; or redirect standard output",
                    })
                    .into());
            }
            Writer::Plain(sink) => sink.write_all(bytes),
            Writer::Armored(armor) => armor.write_all(bytes),
        };
        written.with_context(|| format!("cannot write {name}"))
    }

    /// Makes sure that all of it has arrived, and gives a new file its name.
    pub(crate) fn commit(mut self) -> anyhow::Result<()> {
        self.write(&[])?;
        let name = self.name;
        let done = match self.writer.expect("made by write") {
            Writer::Plain(sink) => sink.commit(self.durability),
            Writer::Armored(armor) => armor.finish().and_then(|sink| sink.commit(self.durability)),
        };
        done.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => already_exists(&name),
            _ => anyhow::Error::new(error).context(format!("cannot write {name}")),
        })
    }
}

impl Writer {
    fn new(sink: Sink, form: Form) -> Self {
        match form {
            Form::Armored => Self::Armored(Box::new(ArmorWriter::new(sink))),
            _ => Self::Plain(sink),
        }
    }
}

impl Sink {
    fn commit(self, durability: Durability) -> io::Result<()> {
        match self {
            Self::Stream { file, .. } => check_close(&file),
            Self::File(file) => file.commit(durability),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stream { file, .. } => file.write(bytes),
            Self::File(file) => file.write(bytes),
        }
    }

    /// Nothing is kept back.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Place {
    /// The place that `path` names, and what is there.
    fn of(
        path: &Path,
        name: &str,
        access: Access,
        force: bool,
    ) -> anyhow::Result<(Self, Option<Metadata>)> {
        let context = || format!("cannot write {name}");
        let metadata = match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok((Self::free(path, name, access, force)?, None));
            }
            metadata => metadata.with_context(context)?,
        };
        let place = if metadata.is_dir() {
            return Err(files::is_a_directory(name));
        } else if is_descriptor(path) {
            Self::Stream(path.to_owned(), Stream::Descriptor)
        } else if !metadata.is_file() {
            Self::Stream(path.to_owned(), Stream::Special)
        } else if !force {
            return Err(already_exists(name));
        } else {
            // As with a shell's `>`, a symbolic link stays one.
            let path = path.canonicalize().with_context(context)?;
            Self::File {
                path,
                access,
                force,
            }
        };
        Ok((place, Some(metadata)))
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

    /// Where it will be: the same for every way to say it. None for what can take several outputs.
    fn target(&self) -> Option<PathBuf> {
        match self {
            Self::Stdout => Some("-".into()),
            Self::Stream(..) => None,
            Self::File { path, .. } => {
                let directory = directory(path).canonicalize().ok()?;
                Some(directory.join(path.file_name()?))
            }
        }
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
            Self::File {
                path,
                access,
                force,
            } => NewFile::create(path, *access, *force).map(Sink::File),
        }
        .with_context(|| format!("cannot write {name}"))
    }
}

fn already_exists(name: &str) -> anyhow::Error {
    Problem::usage(format!("{name} exists already"))
        .code("exists")
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
