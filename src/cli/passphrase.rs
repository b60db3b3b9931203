//! What unlocks a secret key, or a file: the first line of another file, a variable, or what a person
//! types.

use super::args::PassphraseArgs;
use super::files::Input;
use super::keys;
use super::ui::Problem;
#[cfg(unix)]
use super::undo::Undo;
use std::path::Path;
use std::sync::Mutex;
use zeroize::Zeroizing;

/// A passphrase is typed by a person or made by a password manager; a longer "line" is a mistaken
/// file.
const LIMIT: u64 = 4096;

/// Where passphrases come from: what the command line names, a variable, or else a person.
pub(crate) struct Source<'a> {
    args: &'a PassphraseArgs,
    variable: &'static str,
    /// What was named or in the variable, once it has been read: a pipe gives it only once.
    given: Mutex<Option<Secret>>,
}

pub(crate) type Secret = Zeroizing<Vec<u8>>;

impl<'a> Source<'a> {
    /// Of the passphrase that something has.
    pub(crate) fn new(args: &'a PassphraseArgs) -> Self {
        Self {
            args,
            variable: "PQBOX_PASSPHRASE",
            given: Mutex::new(None),
        }
    }

    /// Of the one that it is to have in its place.
    pub(crate) fn of_new(args: &'a PassphraseArgs) -> Self {
        Self {
            variable: "PQBOX_NEW_PASSPHRASE",
            ..Self::new(args)
        }
    }

    /// Whether an option names it.
    pub(crate) fn is_named(&self) -> bool {
        self.args.file.is_some() || self.args.fd.is_some()
    }

    /// The passphrase that `what` has.
    pub(crate) fn get(&self, what: &str) -> anyhow::Result<Secret> {
        match self.given()? {
            Some(given) => Ok(given),
            None => self.ask(&format!("Passphrase for {what}: ")),
        }
    }

    /// A passphrase that `what` is to have. A person has to type it twice.
    pub(crate) fn choose(&self, what: &str) -> anyhow::Result<Secret> {
        if let Some(given) = self.given()? {
            return Ok(given);
        }
        let chosen = self.ask(&format!("New passphrase for {what}: "))?;
        let again = self.ask("The same again: ")?;
        match chosen == again {
            true => Ok(chosen),
            false => Err(Problem::usage("the two passphrases differ").into()),
        }
    }

    fn given(&self) -> anyhow::Result<Option<Secret>> {
        let mut given = self.given.lock().expect("a panic ends the process");
        if given.is_none() {
            *given = self.read()?;
        }
        Ok(given.clone())
    }

    fn read(&self) -> anyhow::Result<Option<Secret>> {
        match (&self.args.file, self.args.fd) {
            (Some(file), _) => from_file(file).map(Some),
            (None, Some(0)) => from_file(Path::new("-")).map(Some),
            (None, Some(fd)) => from_file(Path::new(&format!("/dev/fd/{fd}"))).map(Some),
            (None, None) => {
                let value = std::env::var_os(self.variable).filter(|value| !value.is_empty());
                Ok(value.map(|value| Zeroizing::new(value.into_encoded_bytes())))
            }
        }
    }

    /// Asks on the terminal, without echo.
    fn ask(&self, prompt: &str) -> anyhow::Result<Secret> {
        let line = terminal::ask(prompt).map_err(|error| {
            let new = if self.variable.contains("NEW") { "new-" } else { "" };
            anyhow::Error::new(error).context(
                Problem::usage("a passphrase is needed, and there is no terminal to ask for it").hint(
                    format!(
                        "--{new}passphrase-file FILE or --{new}passphrase-fd N names it, or the variable {} has it",
                        self.variable
                    ),
                ),
            )
        })?;
        if line.is_empty() {
            return Err(Problem::usage("no passphrase was typed").into());
        }
        Ok(line)
    }
}

/// The first line of the file, without its end.
fn from_file(path: &Path) -> anyhow::Result<Secret> {
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
