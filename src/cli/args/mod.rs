//! What was typed: [`Args`] with any command, and the [`Command`] with what is its own.

mod commands;
mod files;
mod keys;
mod tools;

pub(crate) use commands::{Command, parse, program};
pub(crate) use files::{ByteRange, Check, Inspect, Open, Rekey, Seal};
pub(crate) use keys::{Export, Import, Keygen, Keys, Passwd, Pub};
pub(crate) use tools::{Completions, Decapsulate, Encapsulate, Man, Speed};

use super::output::Durability;
use clap::{Args as ClapArgs, Parser, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

/// Behind what a command takes, its help has what all of them do.
const LAST: usize = 500;

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
    /// Where the default keys are [default: $PQBOX_HOME, or pqbox in the
    /// user's configuration directory]
    #[arg(long, global = true, display_order = LAST, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) key_dir: Option<PathBuf>,

    /// Which implementation to use [default: $PQBOX_BACKEND, or the fastest
    /// that the CPU has]
    #[arg(long, global = true, display_order = LAST, value_name = "NAME")]
    pub(crate) backend: Option<OsString>,

    /// Print results as JSON, one object a line, and errors and warnings so too
    #[arg(long, global = true, display_order = LAST)]
    pub(crate) json: bool,

    /// No warnings, and no progress
    #[arg(short, long, global = true, display_order = LAST, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Say what is done with each file
    #[arg(short, long, global = true, display_order = LAST)]
    pub(crate) verbose: bool,
}

/// What a passphrase is taken from. Without any: the variable PQBOX_PASSPHRASE, or a terminal.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Passphrase")]
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

/// Whom files are sealed to.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Recipients")]
pub(crate) struct RecipientsArgs {
    /// A recipient: a public key file, or the name of a key or of a group in the
    /// key directory; can be repeated [default: public.pem in the key directory]
    #[arg(short, long = "recipient", value_name = "PUB", value_hint = ValueHint::FilePath)]
    pub(crate) recipients: Vec<PathBuf>,

    /// Everybody in LIST: names and files, one a line, or public keys in PEM; `-`
    /// is standard input
    #[arg(
        short = 'R',
        long = "recipients-file",
        value_name = "LIST",
        value_hint = ValueHint::FilePath
    )]
    pub(crate) lists: Vec<PathBuf>,

    /// Also seal to the default public key
    #[arg(long)]
    pub(crate) to_self: bool,

    /// Do not name the recipients in the sealed file
    #[arg(long)]
    pub(crate) hide_recipients: bool,
}

impl RecipientsArgs {
    /// Whether anything was said about recipients.
    pub(crate) fn has_any(&self) -> bool {
        let named = self.recipients.iter().chain(&self.lists).next().is_some();
        named || self.to_self || self.hide_recipients
    }
}

/// What opens sealed files.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Keys")]
pub(crate) struct MeansArgs {
    /// Secret key file, or a name in the key directory; can be repeated [default:
    /// secret.pem in the key directory]
    #[arg(short, long = "identity", value_name = "KEY", value_hint = ValueHint::FilePath)]
    pub(crate) identities: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) unlock: UnlockArgs,
}

/// What unlocks an encrypted key, or a file that was sealed by a passphrase.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Passphrase")]
pub(crate) struct UnlockArgs {
    #[command(flatten)]
    pub(crate) source: PassphraseArgs,

    /// Let a passphrase cost N times the memory and the work that a file or a
    /// key may ask for otherwise
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) kdf_limit: u32,
}

/// Which files, besides those that are named.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Many files")]
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
#[command(next_help_heading = "Durability")]
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
