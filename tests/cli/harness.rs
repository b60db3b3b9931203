//! A directory of its own for each test, and the program run in it as a user would.

use assert_cmd::cargo::CommandCargoExt;
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use tempfile::TempDir;

pub(crate) const CHUNK: usize = 16 * 1024;

/// Names another program to test than cargo's, such as an emulator and what it is to run.
const PROGRAM: &str = "PQBOX_TEST_PROGRAM";

pub(crate) fn is_emulated() -> bool {
    std::env::var_os(PROGRAM).is_some()
}

fn program() -> Command {
    let Ok(words) = std::env::var(PROGRAM) else {
        return Command::cargo_bin("pqbox").unwrap();
    };
    let mut words = words.split(' ');
    let mut command = Command::new(words.next().unwrap());
    command.args(words);
    command
}

/// `files/` is where the program runs, `keys/` is its PQBOX_HOME.
pub(crate) struct Lab {
    root: TempDir,
}

impl Lab {
    /// No keys, no files.
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("files")).unwrap();
        Self { root }
    }

    /// With a default key pair.
    pub(crate) fn with_keys() -> Self {
        let lab = Self::new();
        lab.run(["keygen"]).succeeds();
        lab
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.path().join("files").join(name)
    }

    pub(crate) fn key(&self, name: &str) -> PathBuf {
        self.root.path().join("keys").join(name)
    }

    pub(crate) fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn read(&self, name: impl AsRef<Path>) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn exists(&self, name: impl AsRef<Path>) -> bool {
        fs::symlink_metadata(self.path(name)).is_ok()
    }

    /// The names in `files/`, sorted: what a failure must not add to.
    pub(crate) fn names(&self) -> Vec<OsString> {
        let entries = fs::read_dir(self.path("")).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    }

    /// A sealed file of the default key's that holds `bytes`.
    pub(crate) fn sealed(&self, name: &str, bytes: &[u8]) -> PathBuf {
        self.run_with(["seal", "-o", name], bytes).succeeds();
        self.path(name)
    }

    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = program();
        command.args(args);
        self.prepare(&mut command);
        command
    }

    /// `sh` with a script in which `"$@"` is the program.
    pub(crate) fn shell_command(&self, script: &str) -> Command {
        let program = program();
        let mut command = Command::new("sh");
        command
            .args(["-c", script, "sh"])
            .arg(program.get_program())
            .args(program.get_args());
        self.prepare(&mut command);
        command
    }

    fn prepare(&self, command: &mut Command) {
        command
            .current_dir(self.path(""))
            .env("PQBOX_HOME", self.root.path().join("keys"))
            .env_remove("XDG_CONFIG_HOME")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    }

    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Run {
        Run::of(self.command(args), b"")
    }

    pub(crate) fn run_with<S: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
        stdin: &[u8],
    ) -> Run {
        Run::of(self.command(args), stdin)
    }

    pub(crate) fn shell(&self, script: &str) -> Run {
        Run::of(self.shell_command(script), b"")
    }
}

/// A finished run.
#[derive(Debug)]
pub(crate) struct Run {
    status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Run {
    /// Runs the command with `stdin` fed to it.
    pub(crate) fn of(mut command: Command, stdin: &[u8]) -> Self {
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        std::thread::scope(|scope| {
            // A program that fails early does not read it all.
            scope.spawn(move || drop(pipe.write_all(stdin)));
            Self::from(child.wait_with_output().unwrap())
        })
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    /// Exit status 0 and nothing to complain about.
    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        assert!(self.status.success(), "{self:?}");
        assert_eq!(self.stderr, "");
        self
    }

    /// Exit status 0 and a warning that says all of `words`.
    #[track_caller]
    pub(crate) fn warns(self, words: &[&str]) -> Self {
        assert!(self.status.success(), "{self:?}");
        assert!(self.stderr.starts_with("pqbox: warning: "), "{self:?}");
        self.says(words)
    }

    /// That exit status, an empty standard output, and a message that says all of `words`.
    #[track_caller]
    pub(crate) fn fails(self, status: i32, words: &[&str]) -> Self {
        assert_eq!(self.stdout, b"", "{self:?}");
        self.fails_after_output(status, words)
    }

    /// The same after something was written to standard output.
    #[track_caller]
    pub(crate) fn fails_after_output(self, status: i32, words: &[&str]) -> Self {
        assert_eq!(self.status.code(), Some(status), "{self:?}");
        assert!(self.stderr.contains("error: "), "{self:?}");
        self.says(words)
    }

    /// That exit status, and on standard error one JSON object: the error.
    #[track_caller]
    pub(crate) fn errs(self, status: i32) -> Value {
        assert_eq!(self.status.code(), Some(status), "{self:?}");
        let object: Value = serde_json::from_str(&self.stderr).expect("one JSON object");
        assert_eq!(object["error"]["status"], status, "{self:?}");
        object["error"].clone()
    }

    /// Exit status 0, and on standard output JSON objects, one a line.
    #[track_caller]
    pub(crate) fn objects(self) -> Vec<Value> {
        let run = self.succeeds();
        let lines = run.text().lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    #[track_caller]
    fn says(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.stderr.contains(word), "no {word:?} in {self:?}");
        }
        // What a message must never have: Rust's own words, a secret, or bytes that steer a terminal.
        for word in [
            "panicked",
            "RUST_BACKTRACE",
            "(os error",
            "Some(",
            "Err(",
            " { ",
            "PRIVATE KEY-----",
        ] {
            assert!(!self.stderr.contains(word), "{word:?} in {self:?}");
        }
        let control = |c: char| c.is_control() && c != '\n';
        assert!(!self.stderr.contains(control), "{self:?}");
        self
    }

    #[track_caller]
    pub(crate) fn dies_of(self, signal: rustix::process::Signal) -> Self {
        assert_eq!(self.status.signal(), Some(signal.as_raw()), "{self:?}");
        assert_eq!(self.stderr, "");
        self
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            status: output.status,
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).expect("messages are UTF-8"),
        }
    }
}

/// Sends a signal to a child that is still there.
pub(crate) fn send(child: &Child, signal: rustix::process::Signal) {
    rustix::process::kill_process(rustix::process::Pid::from_child(child), signal).unwrap();
}

pub(crate) fn mode(path: impl AsRef<Path>) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

pub(crate) fn chmod(path: impl AsRef<Path>, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

pub(crate) fn inode(path: impl AsRef<Path>) -> u64 {
    fs::metadata(path).unwrap().ino()
}

/// Bytes without a pattern that a mistake in chunking could hide in.
pub(crate) fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(next).take(len).collect()
}
