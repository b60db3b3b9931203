//! What was typed of commands for ML-KEM by itself, and about the program.

use super::UnlockArgs;
use clap::{Args as ClapArgs, ValueHint};
use clap_complete::Shell;
use std::path::PathBuf;

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
    /// Public key file, or a name in the key directory
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
    /// Secret key file, or a name in the key directory
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

/// Runs each operation for a while on every implementation that the CPU has, on
/// one core.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Example:
  pqbox speed --backend portable")]
pub(crate) struct Speed {
    /// Milliseconds for each figure
    #[arg(long, value_name = "MS", default_value_t = 200)]
    pub(crate) time: u64,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pqbox completions bash > ~/.local/share/bash-completion/completions/pqbox
  pqbox completions zsh > ~/.zfunc/_pqbox
  pqbox completions fish > ~/.config/fish/completions/pqbox.fish")]
pub(crate) struct Completions {
    /// Which shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  pqbox man seal | man -l -
  pqbox man --output-dir ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// Of which command [default: of pqbox as a whole]
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,

    /// Write all pages into DIR, which is made if need be
    #[arg(
        long,
        value_name = "DIR",
        value_hint = ValueHint::DirPath,
        conflicts_with = "command"
    )]
    pub(crate) output_dir: Option<PathBuf>,
}
