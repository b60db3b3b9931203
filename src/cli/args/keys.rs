//! What was typed of commands for keys.

use super::{PassphraseArgs, UnlockArgs};
use clap::{Args as ClapArgs, ValueEnum, ValueHint};
use pqbox::hybrid::keyfile::SecretForm;
use pqbox::kem::SetId;
use std::ffi::OsString;
use std::path::PathBuf;

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

    /// Encrypt the secret key with a passphrase: that which an option names, else
    /// $PQBOX_PASSPHRASE, else one that you type
    #[arg(short, long)]
    pub(crate) passphrase: bool,

    /// Replace keys that exist: what was sealed to them is lost
    #[arg(short, long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) source: PassphraseArgs,
}

/// For whoever has lost it, or wants to give it away again.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pqbox pub                          of the default key
  pqbox pub alice.key -o alice.key.pub")]
pub(crate) struct Pub {
    /// Secret key file, or a name in the key directory; `-` is standard input
    /// [default: secret.pem in the key directory]
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

/// The key stays the same, and so does everything that was sealed to it. Copies
/// of the file keep the passphrase that they have.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pqbox passwd                       of the default key
  pqbox passwd --remove alice.key    from now on without one")]
pub(crate) struct Passwd {
    /// Secret key file, or a name in the key directory [default: secret.pem there]
    #[arg(value_name = "KEY", value_hint = ValueHint::FilePath)]
    pub(crate) key: Option<PathBuf>,

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

    #[command(flatten)]
    pub(crate) unlock: UnlockArgs,
}

/// Names are what -r and -i take: of NAME.pub, NAME.key and NAME.group in the
/// key directory. The default pair is secret.pem and public.pem.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Example:
  pqbox keys")]
pub(crate) struct Keys {}

/// Public and secret keys of other software too: PEM or DER, and all forms of
/// RFC 9935. A key with a passphrase keeps it.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pqbox import bob.pub                     then: pqbox seal -r bob FILE
  pqbox import --name work openssl.pem     then: pqbox open -i work FILE
  pqbox import --default backup.pem        a secret key, as the default one")]
pub(crate) struct Import {
    /// Key file; `-` is standard input
    #[arg(value_name = "KEY", value_hint = ValueHint::FilePath)]
    pub(crate) key: PathBuf,

    /// The name [default: that of the file, up to its first dot]
    #[arg(long, conflicts_with = "default")]
    pub(crate) name: Option<OsString>,

    /// As the default key pair, in place of a name
    #[arg(long)]
    pub(crate) default: bool,

    /// Replace a key that has the name
    #[arg(short, long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) unlock: UnlockArgs,
}

/// A secret key is written to a file that only you can read, or to a pipe. A
/// passphrase stays on it, unless --no-passphrase is given.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pqbox export --form expanded -o expanded.pem
  pqbox export --public --der bob -o bob.der")]
pub(crate) struct Export {
    /// Key file, or a name in the key directory [default: the default key]
    #[arg(value_name = "KEY", value_hint = ValueHint::FilePath)]
    pub(crate) key: Option<PathBuf>,

    /// What of a secret key is written [default: seed, or expanded if no seed is
    /// known]
    #[arg(long, value_name = "FORM", conflicts_with = "public")]
    pub(crate) form: Option<Form>,

    /// Write the public key
    #[arg(long)]
    pub(crate) public: bool,

    /// Write DER in place of PEM
    #[arg(long)]
    pub(crate) der: bool,

    /// Write a secret key without the passphrase that it has
    #[arg(long)]
    pub(crate) no_passphrase: bool,

    /// Write to OUT; `-` is standard output [default for a public key]
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Replace the output if it exists
    #[arg(short, long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) unlock: UnlockArgs,
}

/// The forms of RFC 9935.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Form {
    /// The 64 bytes that the key is made from
    Seed,
    /// The key itself
    Expanded,
    /// One and the other
    Both,
}

impl From<Form> for SecretForm {
    fn from(form: Form) -> Self {
        match form {
            Form::Seed => Self::Seed,
            Form::Expanded => Self::Expanded,
            Form::Both => Self::Both,
        }
    }
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
