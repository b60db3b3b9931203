//! Everything that only the program knows: the command line, files, the terminal, exit statuses.
//!
//! A command is one file with one `run`. What commands share: [`args`] what was typed, [`files`]
//! where bytes come from, [`output`] and [`new_file`] where they go, [`archive`] and [`extract`]
//! directories, [`keys`] which keys, [`recipients`] whose, [`passphrase`] what unlocks them, [`unlock`]
//! what opens files, [`selection`] which files, [`batch`] many of them at a time, [`undo`] what a
//! signal must not leave behind, [`ui`] the voice, [`progress`] how far it is.

mod archive;
mod args;
mod batch;
mod check;
mod decapsulate;
mod encapsulate;
mod export;
mod extract;
mod files;
mod generate;
mod import;
mod inspect;
mod keygen;
mod keyring;
mod keys;
mod new_file;
mod open;
mod output;
mod part;
mod passphrase;
mod passwd;
mod progress;
mod public;
mod recipients;
mod rekey;
mod seal;
mod selection;
mod selftest;
mod speed;
mod ui;
mod undo;
mod unlock;

use args::{Args, Command};
use pqbox::Backend;
use std::process::ExitCode;
use ui::{Problem, Status, Voice};

/// Parses the command line, runs it, and says how it went.
pub(crate) fn main() -> ExitCode {
    let (args, command) = match args::parse() {
        Ok(parsed) => parsed,
        Err(error) => return ui::explain_usage(&error).into(),
    };
    let Args {
        json,
        quiet,
        verbose,
        ..
    } = args;
    ui::speak(Voice {
        json,
        quiet,
        verbose,
    });
    let done = run(&args, &command);
    progress::end();
    match done {
        Ok(()) => Status::Success.into(),
        Err(error) if ui::is_closed_pipe(&error) => undo::die_of_closed_pipe(),
        Err(error) => ui::report(&error).into(),
    }
}

fn run(args: &Args, command: &Command) -> anyhow::Result<()> {
    let chosen = choose_backend(args)?;
    let key_dir = keys::Dir::new(args.key_dir.as_deref());
    match command {
        Command::Keygen(args) => keygen::run(args, &key_dir),
        Command::Seal(args) => seal::run(args, &key_dir),
        Command::Open(args) => open::run(args, &key_dir),
        Command::Check(args) => check::run(args, &key_dir),
        Command::Inspect(args) => inspect::run(args, &key_dir),
        Command::Rekey(args) => rekey::run(args, &key_dir),
        Command::Keys(_) => keyring::run(&key_dir),
        Command::Pub(args) => public::run(args, &key_dir),
        Command::Passwd(args) => passwd::run(args, &key_dir),
        Command::Import(args) => import::run(args, &key_dir),
        Command::Export(args) => export::run(args, &key_dir),
        Command::Selftest(args) => selftest::run(args, chosen),
        Command::Speed(args) => speed::run(args, chosen),
        Command::Encapsulate(args) => encapsulate::run(args, &key_dir),
        Command::Decapsulate(args) => decapsulate::run(args, &key_dir),
        Command::Completions(args) => generate::completions(args),
        Command::Man(args) => generate::man(args),
    }
}

/// Selects the backend that was asked for, if one was.
fn choose_backend(args: &Args) -> anyhow::Result<Option<Backend>> {
    let asked = args.backend.clone();
    let Some(name) = asked.or_else(|| std::env::var_os("PQBOX_BACKEND")) else {
        return Ok(None);
    };
    let backend = name.to_str().and_then(|name| Backend::named(name).ok());
    let backend = backend.ok_or_else(|| {
        let known: Vec<_> = Backend::available().map(Backend::name).collect();
        Problem::usage(format!("no backend {name:?} runs on this CPU"))
            .hint(format!("these do: {}", known.join(", ")))
    })?;
    backend.select();
    Ok(Some(backend))
}
