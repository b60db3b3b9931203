//! The voice: messages, hints, exit statuses.

use super::progress;
use pqbox::Error;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;

/// What the exit status tells a script. `docs/cli.md` documents it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Success = 0,
    /// A file or the operating system failed.
    Io = 1,
    /// The command line, or what it names, cannot be meant.
    Usage = 2,
    /// The key or the passphrase is not one that opens the file.
    WrongKey = 3,
    /// The file is corrupted, truncated, or none of ours.
    Damaged = 4,
    /// The self-test failed: this program must not be used.
    SelfTest = 5,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status as u8)
    }
}

/// A failure of the program's own, or what it adds to one of the library's: what it means for the
/// user, and what to do next. Either the root of an [`anyhow::Error`] or a context within it.
#[derive(Debug)]
pub(crate) struct Problem {
    message: String,
    hint: Option<String>,
    status: Option<Status>,
    code: Option<&'static str>,
}

impl Problem {
    /// Leaves the exit status to the cause, [`Status::Io`] if there is none.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
            status: None,
            code: None,
        }
    }

    /// Exits with [`Status::Usage`].
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(message).status(Status::Usage)
    }

    pub(crate) fn status(self, status: Status) -> Self {
        Self {
            status: Some(status),
            ..self
        }
    }

    /// What programs call it, where the exit status alone would say little.
    pub(crate) fn code(self, code: &'static str) -> Self {
        Self {
            code: Some(code),
            ..self
        }
    }

    /// What to do next: a line of its own.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: Some(hint.into()),
            ..self
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

/// A file name in a message: in quotes, with control characters and what is not UTF-8 escaped, so
/// that a name cannot move the cursor or pass for part of the sentence.
pub(crate) fn name(name: impl AsRef<OsStr>) -> String {
    format!("{:?}", name.as_ref())
}

/// A file name in a report that people copy from: bare unless it needs the quotes.
pub(crate) fn bare_name(bare: impl AsRef<OsStr>) -> String {
    let bare = bare.as_ref();
    let quoted = name(bare);
    match bare.to_str() {
        Some(bare) if quoted.len() == bare.len() + 2 => bare.to_owned(),
        _ => quoted,
    }
}

/// A file name in JSON, which has no way to say what is not Unicode.
pub(crate) fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Writes to standard output what a command has to report.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
        .map_err(|error| anyhow::Error::new(error).context("cannot write to standard output"))
}

/// How much is said, and to whom.
#[derive(Debug, Default)]
pub(crate) struct Voice {
    /// To a program.
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
}

static VOICE: OnceLock<Voice> = OnceLock::new();

fn voice() -> &'static Voice {
    VOICE.get_or_init(Voice::default)
}

/// To be called once, before anything is said.
pub(crate) fn speak(voice: Voice) {
    VOICE.set(voice).expect("it is called once");
}

pub(crate) fn is_json() -> bool {
    voice().json
}

pub(crate) fn is_quiet() -> bool {
    voice().quiet
}

/// Writes one JSON object to standard output, on a line.
pub(crate) fn object(object: &Value) -> anyhow::Result<()> {
    print(&format!("{object}\n"))
}

/// Writes to standard output what a command has to report, as text or as JSON.
pub(crate) fn result(text: &str, json: &Value) -> anyhow::Result<()> {
    match is_json() {
        true => object(json),
        false => print(text),
    }
}

/// Says that something is done with a file, to whoever wants to hear it: a person by `text` on standard
/// error, a program by `json` on standard output, unless that is where the bytes went.
pub(crate) fn done(
    text: impl FnOnce() -> String,
    json: impl FnOnce() -> Value,
    stdout_is_taken: bool,
) -> anyhow::Result<()> {
    let voice = voice();
    if voice.verbose {
        say(&format!("pqbox: {}\n", text()));
    }
    match voice.json && !stdout_is_taken {
        true => object(&json()),
        false => Ok(()),
    }
}

/// Says on standard error what does not stop the command.
pub(crate) fn warn(message: &str, hint: &str) {
    let voice = voice();
    if voice.quiet {
        return;
    }
    say(&match voice.json {
        true => format!(
            "{}\n",
            json!({ "warning": { "message": message, "hint": hint } })
        ),
        false => format!("pqbox: warning: {message}\n         hint: {hint}\n"),
    });
}

/// Says on standard error why the command failed, and what to do next.
pub(crate) fn report(error: &anyhow::Error) -> Status {
    let (status, message, hint) = (status(error), sentence(error), hint(error));
    say(&match (voice().json, hint) {
        (true, hint) => explain(code(error, status), status, &message, hint.as_deref()),
        (false, None) => format!("pqbox: error: {message}\n"),
        (false, Some(hint)) => format!("pqbox: error: {message}\n       hint: {hint}\n"),
    });
    status
}

/// An error for programs.
fn explain(code: &str, status: Status, message: &str, hint: Option<&str>) -> String {
    let error = json!({
        "code": code,
        "status": status as u8,
        "message": message,
        "hint": hint,
    });
    format!("{}\n", json!({ "error": error }))
}

/// Writes to standard error. If nobody can hear it, so be it.
pub(crate) fn say(text: &str) {
    progress::suspend(|| {
        let _ = io::stderr().write_all(text.as_bytes());
    });
}

/// Prints the help or the version that was asked for, or what is wrong with the command line.
pub(crate) fn explain_usage(error: &clap::Error) -> Status {
    if error.use_stderr() && std::env::args_os().any(|arg| arg == "--json") {
        let text = error.to_string();
        let (message, hint) = text.split_once("\n\n").unwrap_or((&text, ""));
        let message = message.trim_start_matches("error: ");
        let hint = Some(hint.trim()).filter(|hint| !hint.is_empty());
        say(&explain("usage", Status::Usage, message, hint));
        return Status::Usage;
    }
    let printed = error.print();
    if error.use_stderr() {
        Status::Usage
    } else if printed.is_err() {
        Status::Io
    } else {
        Status::Success
    }
}

/// Whether the reader of what we write went away: no failure of ours, and nobody to tell.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    find(error).is_some_and(|error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// The whole chain of causes as one sentence.
fn sentence(error: &anyhow::Error) -> String {
    let causes = error.chain().map(|cause| {
        if let Some(error) = cause.downcast_ref::<io::Error>() {
            plain(error)
        } else if let Some(Error::Read(_)) = cause.downcast_ref() {
            // What the system said is the next cause.
            "cannot read".to_owned()
        } else {
            cause.to_string()
        }
    });
    causes.collect::<Vec<_>>().join(": ")
}

/// What the system said, in the style of the rest: no capital, no number.
pub(crate) fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}

fn find<E: std::error::Error + 'static>(error: &anyhow::Error) -> Option<&E> {
    error.chain().find_map(|cause| cause.downcast_ref())
}

fn hint(error: &anyhow::Error) -> Option<String> {
    let given = error.downcast_ref::<Problem>().and_then(|p| p.hint.clone());
    given.or_else(|| Some(library_hint(find(error)?)?.to_owned()))
}

/// What to do about a failure of the library's.
fn library_hint(error: &Error) -> Option<&'static str> {
    Some(match error {
        Error::NotPqbox(_) => "`pqbox open` takes what `pqbox seal` made",
        Error::Version(_) | Error::Content(_) => "a newer pqbox may know it",
        Error::NoMatchingKey { .. } => "-i KEY names another secret key; it can be repeated",
        Error::ArmorDamaged { .. }
        | Error::ArmorTruncated
        | Error::HeaderTruncated
        | Error::StanzaAuthentication(_)
        | Error::HeaderAuthentication
        | Error::Commitment => "nothing was written; get an undamaged copy of the file",
        Error::Padding => "it was sealed wrongly; ask for it again",
        Error::SeedUnknown => "--form expanded writes all that there is",
        Error::TrailingData {
            another_file: true, ..
        } => "sealed files cannot be concatenated; open each one by itself",
        Error::ChunkCorrupted { .. }
        | Error::Truncated { .. }
        | Error::LastChunk { .. }
        | Error::TrailingData { .. } => {
            "get an undamaged copy of the file; `pqbox open --salvage` saves what is intact"
        }
        Error::KeyIsPublic => "the secret key is the other file that `pqbox keygen` made",
        Error::KeyIsSecret => "the public key is the other file that `pqbox keygen` made",
        Error::SelfTest(_) => "`pqbox selftest` shows all of it; do not use this program here",
        Error::WrongPassphrase => "check it, and whether it is for this file",
        Error::PassphraseCost { .. } => {
            "--kdf-limit N allows N times as much, to who trusts the file"
        }
        _ => return None,
    })
}

/// The name of the kind of error.
fn code(error: &anyhow::Error, status: Status) -> &'static str {
    if let Some(code) = error.downcast_ref::<Problem>().and_then(|p| p.code) {
        return code;
    }
    let system = find(error).map(io::Error::kind);
    match (find(error), system) {
        (None | Some(Error::Read(_) | Error::Write(_)), Some(kind)) => match kind {
            io::ErrorKind::NotFound => "not-found",
            io::ErrorKind::PermissionDenied => "permission-denied",
            io::ErrorKind::StorageFull => "storage-full",
            _ => "io",
        },
        (Some(error), _) => error.code(),
        (None, None) => match status {
            Status::Success => "success",
            Status::Io => "io",
            Status::Usage => "usage",
            Status::WrongKey => "wrong-key",
            Status::Damaged => "damaged",
            Status::SelfTest => "self-test",
        },
    }
}

fn status(error: &anyhow::Error) -> Status {
    if let Some(status) = error.downcast_ref::<Problem>().and_then(|p| p.status) {
        return status;
    }
    match find(error) {
        None | Some(Error::Read(_) | Error::Write(_) | Error::Rng | Error::Memory(_)) => Status::Io,
        Some(Error::SelfTest(_)) => Status::SelfTest,
        Some(
            Error::NoRecipient
            | Error::KeyIdCollision(_)
            | Error::KeyIsPublic
            | Error::KeyIsSecret
            | Error::KeyAlgorithm(_)
            | Error::KeySeveral
            | Error::SeedUnknown
            | Error::PassphraseNeeded
            | Error::UnknownBackend,
        ) => Status::Usage,
        Some(Error::NoMatchingKey { .. } | Error::WrongPassphrase) => Status::WrongKey,
        Some(_) => Status::Damaged,
    }
}
