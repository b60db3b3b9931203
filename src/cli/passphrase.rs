//! What unlocks a secret key: the first line of a file, or what a person types.

use super::files::Input;
use super::keys;
use super::ui::Problem;
use super::undo::Undo;
use std::path::Path;
use zeroize::Zeroizing;

/// A passphrase is typed by a person or made by a password manager; a longer "line" is a mistaken
/// file.
const LIMIT: u64 = 4096;

/// The passphrase: from `file` if there is one, or asked for by `prompt`.
pub(crate) fn get(file: Option<&Path>, prompt: &str) -> anyhow::Result<Zeroizing<Vec<u8>>> {
    match file {
        Some(file) => from_file(file),
        None => ask(prompt),
    }
}

/// The first line of the file, without its end.
pub(crate) fn from_file(path: &Path) -> anyhow::Result<Zeroizing<Vec<u8>>> {
    let mut input = Input::open(Some(path))?;
    keys::warn_if_exposed(&input, "passphrase file");
    let text = input.read_all(LIMIT)?;
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or(&[]);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.is_empty() {
        let name = &input.name;
        return Err(Problem::usage(format!("the first line of {name} is empty"))
            .hint("it is to hold the passphrase")
            .into());
    }
    Ok(Zeroizing::new(line.to_vec()))
}

/// Asks on the terminal, without echo.
fn ask(prompt: &str) -> anyhow::Result<Zeroizing<Vec<u8>>> {
    let _undo = restore_terminal()?;
    match rpassword::prompt_password(prompt) {
        Ok(passphrase) => Ok(Zeroizing::new(passphrase.into_bytes())),
        Err(error) => Err(no_terminal(error)),
    }
}

/// A signal that arrives while the echo is off brings it back.
#[cfg(unix)]
fn restore_terminal() -> anyhow::Result<Undo> {
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    let terminal = std::fs::File::open("/dev/tty").map_err(no_terminal)?;
    let modes = tcgetattr(&terminal).map_err(|error| no_terminal(error.into()))?;
    Ok(Undo::on_signal(move || {
        let _ = tcsetattr(&terminal, OptionalActions::Now, &modes);
    })?)
}

#[cfg(not(unix))]
fn restore_terminal() -> anyhow::Result<Undo> {
    Ok(Undo::on_signal(|| ())?)
}

fn no_terminal(error: std::io::Error) -> anyhow::Error {
    anyhow::Error::new(error).context(
        Problem::usage("a passphrase is needed, and there is no terminal to ask for it")
            .hint("--passphrase-file FILE takes it from the first line of FILE"),
    )
}
