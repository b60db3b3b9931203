//! What unlocks a secret key: the first line of a file, or what a person types.

use super::files::Input;
use super::keys;
use super::ui::Problem;
#[cfg(unix)]
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
    let line = terminal::ask(prompt).map_err(|error| {
        anyhow::Error::new(error).context(
            Problem::usage("a passphrase is needed, and there is no terminal to ask for it")
                .hint("--passphrase-file FILE takes it from the first line of FILE"),
        )
    })?;
    if line.is_empty() {
        return Err(Problem::usage("no passphrase was typed").into());
    }
    Ok(line)
}

#[cfg(unix)]
mod terminal {
    use super::{LIMIT, Undo, Zeroizing};
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    use std::fs::File;
    use std::io::{self, Read, Write};

    /// One line from the terminal. The echo is off before the prompt is there to be answered, and
    /// on again after it, if a signal ends the process too.
    pub(super) fn ask(prompt: &str) -> io::Result<Zeroizing<Vec<u8>>> {
        let mut terminal = File::options().read(true).write(true).open("/dev/tty")?;
        let modes = tcgetattr(&terminal)?;
        let mut silent = modes.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        // The end of the line still shows.
        let wanted = LocalModes::ECHONL | LocalModes::ICANON | LocalModes::ISIG;
        silent.local_modes.insert(wanted);

        let (line, saved) = (terminal.try_clone()?, modes.clone());
        let undo = Undo::on_signal(move || {
            let _ = tcsetattr(&line, OptionalActions::Now, &saved);
        })?;
        tcsetattr(&terminal, OptionalActions::Flush, &silent)?;
        let typed = terminal
            .write_all(prompt.as_bytes())
            .and_then(|()| read_line(&terminal));
        undo.finish(|| tcsetattr(&terminal, OptionalActions::Now, &modes))?;
        typed
    }

    /// What is typed, without the end of the line.
    fn read_line(mut terminal: &File) -> io::Result<Zeroizing<Vec<u8>>> {
        // The terminal hands over a whole line at a time, and none is longer than this.
        let mut line = Zeroizing::new(vec![0; LIMIT as usize]);
        let count = terminal.read(&mut line)?;
        line.truncate(count);
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        Ok(line)
    }
}

#[cfg(not(unix))]
mod terminal {
    use super::Zeroizing;
    use std::io;

    pub(super) fn ask(prompt: &str) -> io::Result<Zeroizing<Vec<u8>>> {
        rpassword::prompt_password(prompt).map(|line| Zeroizing::new(line.into_bytes()))
    }
}
