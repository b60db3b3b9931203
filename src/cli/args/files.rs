//! What was typed of commands for files.

use super::{DurabilityArgs, FilesArgs, MeansArgs, PassphraseArgs, RecipientsArgs};
use crate::cli::output::Access;
use clap::{Args as ClapArgs, ValueHint};
use std::path::PathBuf;

/// Any one of the matching secret keys opens them. Of several files, each is
/// sealed by itself; one that cannot be is reported, and the others go on. A
/// directory becomes one sealed archive, unless --recursive is given.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pqbox seal report.pdf                       to the default public key
  pqbox seal -r alice.pub -r bob report.pdf   to a key file and a name
  pqbox seal photos                           a directory: photos.pqbox
  pqbox seal *.jpg                            each to its own .jpg.pqbox
  pqbox seal -p report.pdf                    by a passphrase, without keys
  pqbox seal --recursive photos --output-dir sealed
  find . -name '*.key' -print0 | pqbox seal --files-from - -0
  tar c photos | pqbox seal > photos.tar.pqbox")]
pub(crate) struct Seal {
    /// Files and directories to seal; `-` or none is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// Seal by a passphrase, in place of keys: that which an option names, else
    /// $PQBOX_PASSPHRASE, else one that you type
    #[arg(
        short,
        long,
        conflicts_with_all = ["recipients", "lists", "to_self", "hide_recipients"]
    )]
    pub(crate) passphrase: bool,

    /// Write to OUT; `-` is standard output [default: FILE.pqbox]
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Put outputs into DIR, which is made if need be
    #[arg(
        long,
        value_name = "DIR",
        value_hint = ValueHint::DirPath,
        conflicts_with = "output"
    )]
    pub(crate) output_dir: Option<PathBuf>,

    /// Remove each file when its sealed one is on the disk and was found to
    /// hold the same
    #[arg(long, conflicts_with = "no_sync")]
    pub(crate) rm: bool,

    /// Pad the content, so that the size of the sealed file tells less of its
    /// own: up to 12 % larger
    #[arg(long)]
    pub(crate) pad: bool,

    /// Write text, for mail and the like, a third longer; `open` sees it by
    /// itself
    #[arg(short, long)]
    pub(crate) armor: bool,

    /// Replace the output if it exists, once the whole file is sealed
    #[arg(short, long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) recipients: RecipientsArgs,

    #[command(flatten)]
    pub(crate) source: PassphraseArgs,

    #[command(flatten)]
    pub(crate) selection: FilesArgs,

    #[command(flatten)]
    pub(crate) durability: DurabilityArgs,
}

/// A file that was changed or cut off is not opened: there is an output file
/// only if all of it is authentic. To standard output, authentic pieces are
/// written as they come, so check the exit status. Of several files, one that
/// cannot be opened is reported, and the others go on. A sealed directory is
/// extracted into a new one.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pqbox open report.pdf.pqbox                 to report.pdf
  pqbox open -i alice.key report.pdf.pqbox -o copy.pdf
  pqbox open photos.pqbox                     to a new directory photos
  pqbox open --range 1000..2000 disk.img.pqbox
  pqbox open --salvage damaged.pqbox")]
pub(crate) struct Open {
    /// Files to open; `-` or none is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// Write to OUT; `-` is standard output, to which a sealed directory goes as
    /// a tar archive [default: FILE without .pqbox]
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Write only the bytes from START up to, and without, END, of which one
    /// can be left out [default output: standard output]
    #[arg(
        long,
        value_name = "START..END",
        conflicts_with_all = ["files_from", "recursive", "output_dir", "salvage"]
    )]
    pub(crate) range: Option<ByteRange>,

    /// Of a damaged file, write what is authentic and zeros for the rest, list
    /// what is lost, and exit with 4 [default output: FILE without .pqbox, and
    /// .salvaged]
    #[arg(long, conflicts_with_all = ["files_from", "recursive", "output_dir"])]
    pub(crate) salvage: bool,

    /// Put outputs into DIR, which is made if need be
    #[arg(
        long,
        value_name = "DIR",
        value_hint = ValueHint::DirPath,
        conflicts_with = "output"
    )]
    pub(crate) output_dir: Option<PathBuf>,

    /// Let outputs have the permissions that the umask leaves, in place of your
    /// own alone
    #[arg(long)]
    pub(crate) umask: bool,

    /// Replace the output if it exists, once the whole file is opened
    #[arg(short, long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) means: MeansArgs,

    #[command(flatten)]
    pub(crate) selection: FilesArgs,

    #[command(flatten)]
    pub(crate) durability: DurabilityArgs,
}

/// Reads and authenticates all of each file, as `open` would.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Example:
  pqbox check --recursive /backup")]
pub(crate) struct Check {
    /// Sealed files; `-` or none is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) means: MeansArgs,

    #[command(flatten)]
    pub(crate) selection: FilesArgs,
}

/// Rewrites the header and leaves the rest as it is, so that it is quick on any
/// size. It takes a key that opens the file. Whoever could open the file before
/// may have kept a copy, or the file's own key, which stays the same unless
/// --rotate is given.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pqbox rekey --add bob.pub *.pqbox
  pqbox rekey --remove 2c9d-71de-19b4-b3ae report.pdf.pqbox
  pqbox rekey --rotate --set alice.pub report.pdf.pqbox")]
pub(crate) struct Rekey {
    /// Sealed files
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    /// Another recipient, as `pqbox seal -r` takes them; can be repeated
    #[arg(long, value_name = "PUB", value_hint = ValueHint::FilePath)]
    pub(crate) add: Vec<PathBuf>,

    /// Key id of a recipient who is to be one no longer; can be repeated
    #[arg(long, value_name = "KEYID")]
    pub(crate) remove: Vec<String>,

    /// A recipient in place of all who are there; can be repeated
    #[arg(
        long,
        value_name = "PUB",
        value_hint = ValueHint::FilePath,
        conflicts_with_all = ["add", "remove"]
    )]
    pub(crate) set: Vec<PathBuf>,

    /// Do not name new recipients in the header
    #[arg(long)]
    pub(crate) hide_recipients: bool,

    /// Seal the content anew, under a key that nobody has yet
    #[arg(long, requires = "set")]
    pub(crate) rotate: bool,

    #[command(flatten)]
    pub(crate) means: MeansArgs,

    #[command(flatten)]
    pub(crate) selection: FilesArgs,

    #[command(flatten)]
    pub(crate) durability: DurabilityArgs,
}

/// Nothing of it is authenticated: only `open` does that.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Example:
  pqbox inspect report.pdf.pqbox")]
pub(crate) struct Inspect {
    /// Sealed file; `-` is standard input
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
}

impl Open {
    /// Who may read what is opened.
    pub(crate) fn access(&self) -> Access {
        match self.umask {
            true => Access::Shared,
            false => Access::Private,
        }
    }
}

/// `START..END`: bytes of the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ByteRange {
    pub(crate) start: u64,
    /// The end of the content if there is none.
    pub(crate) end: Option<u64>,
}

impl std::str::FromStr for ByteRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (start, end) = text
            .split_once("..")
            .ok_or("two numbers with .. between them are a range")?;
        let number = |text: &str| match text {
            "" => Ok(None),
            text => match text.parse() {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(format!("{text:?} is no number of bytes")),
            },
        };
        let (start, end) = (number(start)?.unwrap_or(0), number(end)?);
        match end {
            Some(end) if end < start => Err("it ends before it begins".to_owned()),
            end => Ok(Self { start, end }),
        }
    }
}
