//! The commands by name.
//!
//! Only the command that is called is described to clap: all 17 take longer than sealing a small file
//! does.

use super::*;
use crate::cli::selftest;
use clap::error::ErrorKind;
use clap::{ArgMatches, Args as _, Command as Description, CommandFactory, Error, FromArgMatches};
use std::env;

macro_rules! commands {
    ($($variant:ident($args:ty): $name:literal, $about:literal;)*) => {
        #[derive(Debug)]
        pub(crate) enum Command {
            $($variant($args),)*
        }

        impl Command {
            const NAMES: &[&str] = &[$($name),*];

            /// The program with those of the commands whose names are wanted.
            fn describe(mut program: Description, wanted: impl Fn(&str) -> bool) -> Description {
                $(if wanted($name) {
                    let command = Description::new($name).about($about);
                    program = program.subcommand(described(command, <$args>::augment_args));
                })*
                program
            }

            fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
                match matches.subcommand() {
                    $(Some(($name, matches)) => {
                        <$args>::from_arg_matches(matches).map(Self::$variant)
                    })*
                    _ => Err(Error::raw(ErrorKind::MissingSubcommand, "no command")),
                }
            }
        }
    };
}

commands! {
    Keygen(Keygen): "keygen", "Make a key pair";
    Seal(Seal): "seal", "Seal files to one or more public keys, or by a passphrase";
    Open(Open): "open", "Open sealed files";
    Check(Check): "check", "Check that sealed files open, and write nothing";
    Inspect(Inspect): "inspect", "Show what a sealed file says about itself, without any key";
    Rekey(Rekey): "rekey", "Change who can open sealed files";
    Keys(Keys): "keys", "List the keys that have names";
    Pub(Pub): "pub", "Print the public key of a secret key";
    Passwd(Passwd): "passwd", "Change, add or remove the passphrase of a secret key";
    Import(Import): "import", "Take a key into the key directory, under a name";
    Export(Export): "export", "Write a key in a form that other software wants";
    Selftest(selftest::Args): "selftest", "Check the cryptography of this program against known answers";
    Speed(Speed): "speed", "Measure how fast this machine is";
    Encapsulate(Encapsulate): "encapsulate", "Make a shared secret for a public key: ML-KEM alone, raw bytes";
    Decapsulate(Decapsulate): "decapsulate", "Get the shared secret out of a ciphertext: ML-KEM alone, raw bytes";
    Completions(Completions): "completions", "Print what completes commands in a shell";
    Man(Man): "man", "Print a manual page, or write all of them";
}

/// A command with what it takes. In its help, what it does comes before what stands over its arguments.
fn described(command: Description, augment: fn(Description) -> Description) -> Description {
    let short = command.get_about().cloned().unwrap_or_default();
    let command = augment(command);
    let more = command.get_about().cloned().unwrap_or_default();
    match more == short {
        true => command,
        false => command
            .long_about(format!("{short}\n\n{more}."))
            .about(short),
    }
}

/// The program with all of its commands.
pub(crate) fn program() -> Description {
    Command::describe(Args::command(), |_| true)
}

/// Parses the command line.
pub(crate) fn parse() -> Result<(Args, Command), Error> {
    let first = env::args_os().nth(1).unwrap_or_default();
    let called = Command::NAMES.iter().find(|name| first == **name);
    let mut program = match called {
        Some(called) => Command::describe(Args::command(), |name| name == *called),
        // An option comes first, or nothing that is known.
        None => program(),
    };
    let matches = program.try_get_matches_from_mut(env::args_os())?;
    let args = Args::from_arg_matches(&matches);
    args.and_then(|args| Ok((args, Command::from_arg_matches(&matches)?)))
        .map_err(|error| error.format(&mut program))
}
