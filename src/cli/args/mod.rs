//! What was typed.

mod keys;

pub(crate) use keys::{Keygen, Passwd, Pub};

use super::output::Durability;
use super::selftest;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

/// Seals files to post-quantum public keys (ML-KEM and AES-256-GCM).
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 80,
    subcommand_required = true,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "\
First steps:
  pqbox keygen                                make a key pair
  pqbox seal report.pdf                       seal to it: report.pdf.pqbox
  pqbox open report.pdf.pqbox -o copy.pdf     and open again

Exit status:
  0 success, 1 input or output failed, 2 usage, 3 wrong key or passphrase,
  4 corrupted, truncated or not a pqbox file, 5 self-test failed"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Where the default keys are [default: $PQBOX_HOME, or pqbox in the
    /// user's configuration directory]
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) key_dir: Option<PathBuf>,

    /// Which implementation to use [default: $PQBOX_BACKEND, or the fastest
    /// that the CPU has]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) backend: Option<OsString>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Keygen(Keygen),
    Seal(Seal),
    Open(Open),
    Check(Check),
    Inspect(Inspect),
    Passwd(Passwd),
    Pub(Pub),
    Rekey(Rekey),
    Selftest(selftest::Args),
    Encapsulate(Encapsulate),
    Decapsulate(Decapsulate),
}

/// Seal files to one or more public keys, or by a passphrase
///
/// Any one of the matching secret keys opens them. Of several files, each is
/// sealed by itself; one that cannot be is reported, and the others go on.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pqbox seal report.pdf                       to the default public key
  pqbox seal -r alice.pub -r bob.pub report.pdf -o for-both.pqbox
  pqbox seal *.jpg                            each to its own .jpg.pqbox
  pqbox seal -p report.pdf                    by a passphrase, without keys
  pqbox seal --recursive photos --output-dir sealed
  find . -name '*.key' -print0 | pqbox seal --files-from - -0
  tar c photos | pqbox seal > photos.tar.pqbox")]
pub(crate) struct Seal {
    /// Files to seal; `-` or none is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) selection: FilesArgs,

    /// Public key file of a recipient; can be repeated [default: public.pem in
    /// the key directory]
    #[arg(short, long = "recipient", value_name = "PUB", value_hint = ValueHint::FilePath)]
    pub(crate) recipients: Vec<PathBuf>,

    /// Seal by a passphrase, in place of keys: that which one of the next two
    /// options names, else $PQBOX_PASSPHRASE, else one that you type
    #[arg(short, long, conflicts_with = "recipients")]
    pub(crate) passphrase: bool,

    #[command(flatten)]
    pub(crate) source: PassphraseArgs,

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

    /// Write text, for mail and the like, a third longer; `open` sees it by
    /// itself
    #[arg(short, long)]
    pub(crate) armor: bool,

    /// Replace the output if it exists, once the whole file is sealed
    #[arg(short, long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) durability: DurabilityArgs,
}

/// Open sealed files
///
/// A file that was changed or cut off is not opened: there is an output file
/// only if all of it is authentic. To standard output, authentic pieces are
/// written as they come, so check the exit status. Of several files, one that
/// cannot be opened is reported, and the others go on.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pqbox open report.pdf.pqbox                 to report.pdf
  pqbox open -i alice.key report.pdf.pqbox -o copy.pdf
  pqbox open < photos.tar.pqbox | tar x")]
pub(crate) struct Open {
    /// Files to open; `-` or none is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) selection: FilesArgs,

    /// Write to OUT; `-` is standard output [default: FILE without .pqbox]
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

    /// Replace the output if it exists, once the whole file is opened
    #[arg(short, long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) durability: DurabilityArgs,

    #[command(flatten)]
    pub(crate) means: MeansArgs,
}

/// What a passphrase is taken from. Without any: the variable PQBOX_PASSPHRASE, or a terminal.
#[derive(Debug, ClapArgs)]
pub(crate) struct PassphraseArgs {
    /// Take the passphrase from the first line of FILE
    #[arg(
        id = "passphrase_file",
        long = "passphrase-file",
        value_name = "FILE",
        value_hint = ValueHint::FilePath,
        conflicts_with = "passphrase_fd"
    )]
    pub(crate) file: Option<PathBuf>,

    /// Take the passphrase from the first line of the descriptor N
    #[arg(id = "passphrase_fd", long = "passphrase-fd", value_name = "N")]
    pub(crate) fd: Option<u32>,
}

/// What opens sealed files.
#[derive(Debug, ClapArgs)]
pub(crate) struct MeansArgs {
    /// Secret key file; can be repeated [default: secret.pem in the key
    /// directory]
    #[arg(short, long = "identity", value_name = "KEY", value_hint = ValueHint::FilePath)]
    pub(crate) identities: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) unlock: UnlockArgs,
}

/// What unlocks an encrypted key, or a file that was sealed by a passphrase.
#[derive(Debug, ClapArgs)]
pub(crate) struct UnlockArgs {
    #[command(flatten)]
    pub(crate) source: PassphraseArgs,

    /// Let a passphrase cost N times the memory and the work that a file or a
    /// key may ask for otherwise
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) kdf_limit: u32,
}

/// Check that sealed files open, and write nothing
///
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
    pub(crate) selection: FilesArgs,

    #[command(flatten)]
    pub(crate) means: MeansArgs,
}

/// Change who can open sealed files
///
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

    #[command(flatten)]
    pub(crate) selection: FilesArgs,

    /// Public key file of another recipient; can be repeated
    #[arg(long, value_name = "PUB", value_hint = ValueHint::FilePath)]
    pub(crate) add: Vec<PathBuf>,

    /// Key id of a recipient who is to be one no longer; can be repeated
    #[arg(long, value_name = "KEYID")]
    pub(crate) remove: Vec<String>,

    /// Public key file of a recipient, in place of all who are there; can be
    /// repeated
    #[arg(
        long,
        value_name = "PUB",
        value_hint = ValueHint::FilePath,
        conflicts_with_all = ["add", "remove"]
    )]
    pub(crate) set: Vec<PathBuf>,

    /// Seal the content anew, under a key that nobody has yet
    #[arg(long, requires = "set")]
    pub(crate) rotate: bool,

    #[command(flatten)]
    pub(crate) means: MeansArgs,

    #[command(flatten)]
    pub(crate) durability: DurabilityArgs,
}

/// Which files, besides those that are named.
#[derive(Debug, ClapArgs)]
pub(crate) struct FilesArgs {
    /// Also take the files that LIST names, one a line; `-` is standard input
    #[arg(long, value_name = "LIST", value_hint = ValueHint::FilePath)]
    pub(crate) files_from: Option<PathBuf>,

    /// Names in LIST end with a zero byte, as `find -print0` writes them
    #[arg(short = '0', long, requires = "files_from")]
    pub(crate) null: bool,

    /// Take the files below a directory, one by one
    #[arg(long)]
    pub(crate) recursive: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DurabilityArgs {
    /// Report success when the output is on the disk [default: where a file is
    /// replaced]
    #[arg(long, overrides_with = "no_sync")]
    sync: bool,

    /// Leave it to the system when the output gets to the disk
    #[arg(long, overrides_with = "sync")]
    no_sync: bool,
}

impl From<&DurabilityArgs> for Durability {
    fn from(args: &DurabilityArgs) -> Self {
        match (args.sync, args.no_sync) {
            (true, _) => Self::Always,
            (_, true) => Self::Never,
            _ => Self::WhereReplacing,
        }
    }
}

/// Show what a sealed file says about itself, without any key
///
/// Nothing of it is authenticated: only `open` does that.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Example:
  pqbox inspect report.pdf.pqbox")]
pub(crate) struct Inspect {
    /// Sealed file; `-` is standard input
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Make a shared secret for a public key: ML-KEM alone, raw bytes
///
/// FIPS 203's Encaps. The ciphertext goes to the owner of the key, who gets
/// the same 32 bytes of secret with `pqbox decapsulate`.
#[derive(Debug, ClapArgs)]
#[command(
    override_usage = "pqbox encapsulate [OPTIONS] -r PUB --ciphertext FILE --secret FILE",
    after_help = "\
Example:
  pqbox encapsulate -r alice.pub --ciphertext for-alice.ct --secret mine.bin"
)]
pub(crate) struct Encapsulate {
    /// Public key file
    #[arg(short, long, value_name = "PUB", value_hint = ValueHint::FilePath)]
    pub(crate) recipient: PathBuf,

    /// Write the ciphertext to FILE; `-` is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) ciphertext: PathBuf,

    /// Write the shared secret to FILE; `-` is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) secret: PathBuf,

    /// Replace the outputs if they exist
    #[arg(short, long)]
    pub(crate) force: bool,
}

/// Get the shared secret out of a ciphertext: ML-KEM alone, raw bytes
///
/// FIPS 203's Decaps. A ciphertext that was changed gives a secret that nobody
/// else has, and no error: that is the standard's implicit rejection.
#[derive(Debug, ClapArgs)]
#[command(
    override_usage = "pqbox decapsulate [OPTIONS] -i KEY --ciphertext FILE --secret FILE",
    after_help = "\
Example:
  pqbox decapsulate -i alice.key --ciphertext for-alice.ct --secret hers.bin"
)]
pub(crate) struct Decapsulate {
    /// Secret key file
    #[arg(short, long, value_name = "KEY", value_hint = ValueHint::FilePath)]
    pub(crate) identity: PathBuf,

    /// Read the ciphertext from FILE; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) ciphertext: PathBuf,

    /// Write the shared secret to FILE; `-` is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) secret: PathBuf,

    /// Replace the output if it exists
    #[arg(short, long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) unlock: UnlockArgs,
}
