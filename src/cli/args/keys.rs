//! What was typed of commands for keys.

use super::{PassphraseArgs, UnlockArgs};
use clap::{Args as ClapArgs, ValueEnum, ValueHint};
use pqbox::kem::SetId;
use std::path::PathBuf;

/// Make a key pair
///
/// The secret key is readable by its owner alone. Neither key is ever
/// overwritten without --force.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pqbox keygen                       the default pair
  pqbox keygen -p                    with a passphrase
  pqbox keygen -o alice.key          alice.key and alice.key.pub")]
pub(crate) struct Keygen {
    /// Parameter set of ML-KEM
    #[arg(long, value_name = "SET", default_value = "768")]
    pub(crate) kem: Kem,

    /// Write the secret key to FILE and the public key to FILE.pub [default:
    /// secret.pem and public.pem in the key directory]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Encrypt the secret key with a passphrase: that which one of the next two
    /// options names, else $PQBOX_PASSPHRASE, else one that you type
    #[arg(short, long)]
    pub(crate) passphrase: bool,

    #[command(flatten)]
    pub(crate) source: PassphraseArgs,

    /// Replace keys that exist: what was sealed to them is lost
    #[arg(short, long)]
    pub(crate) force: bool,
}

/// Print the public key of a secret key
///
/// For whoever has lost it, or wants to give it away again.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pqbox pub                          of the default key
  pqbox pub alice.key -o alice.key.pub")]
pub(crate) struct Pub {
    /// Secret key file; `-` is standard input [default: secret.pem in the key
    /// directory]
    #[arg(value_name = "KEY", value_hint = ValueHint::FilePath)]
    pub(crate) key: Option<PathBuf>,

    /// Write to OUT [default: standard output]
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Replace the output if it exists
    #[arg(short, long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) unlock: UnlockArgs,
}

/// Change, add or remove the passphrase of a secret key
///
/// The key stays the same, and so does everything that was sealed to it. Copies
/// of the file keep the passphrase that they have.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pqbox passwd                       of the default key
  pqbox passwd --remove alice.key    from now on without one")]
pub(crate) struct Passwd {
    /// Secret key file [default: secret.pem in the key directory]
    #[arg(value_name = "KEY", value_hint = ValueHint::FilePath)]
    pub(crate) key: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) unlock: UnlockArgs,

    /// Take the new passphrase from the first line of FILE [default:
    /// $PQBOX_NEW_PASSPHRASE, or one that you type]
    #[arg(
        long,
        value_name = "FILE",
        value_hint = ValueHint::FilePath,
        conflicts_with_all = ["new_passphrase_fd", "remove"]
    )]
    pub(crate) new_passphrase_file: Option<PathBuf>,

    /// Take the new passphrase from the first line of the descriptor N
    #[arg(long, value_name = "N", conflicts_with = "remove")]
    pub(crate) new_passphrase_fd: Option<u32>,

    /// Leave the key without a passphrase
    #[arg(long)]
    pub(crate) remove: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Kem {
    #[value(name = "512")]
    MlKem512,
    #[value(name = "768")]
    MlKem768,
    #[value(name = "1024")]
    MlKem1024,
}

impl From<Kem> for SetId {
    fn from(kem: Kem) -> Self {
        match kem {
            Kem::MlKem512 => Self::MlKem512,
            Kem::MlKem768 => Self::MlKem768,
            Kem::MlKem1024 => Self::MlKem1024,
        }
    }
}
