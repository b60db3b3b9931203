//! A real terminal: binary data on the screen, passphrases asked for, and interrupted while asked.

use crate::harness::{Lab, send};
use crate::passphrase;
use rustix::process::Signal;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};

/// A process with a terminal of its own.
struct Terminal {
    /// Our end: the screen and the keyboard.
    screen: File,
    /// The program's end. Open, so that its modes can be asked for.
    line: File,
    child: Child,
    shown: String,
}

impl Terminal {
    /// A terminal's two ends.
    fn open() -> (OwnedFd, File) {
        let screen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&screen).unwrap();
        unlockpt(&screen).unwrap();
        let name = ptsname(&screen, Vec::new()).unwrap().into_string().unwrap();
        let line = File::options().read(true).write(true).open(name).unwrap();
        (screen, line)
    }

    fn run(lab: &Lab, script: &str) -> Self {
        let (screen, line) = Self::open();
        let mut command = lab.shell_command(&format!(
            r#"exec setsid -w -c sh -c 'exec "$@" {script}' sh "$@""#
        ));
        command
            .stdin(line.try_clone().unwrap())
            .stdout(line.try_clone().unwrap())
            .stderr(line.try_clone().unwrap());
        Self {
            child: command.spawn().unwrap(),
            screen: screen.into(),
            line,
            shown: String::new(),
        }
    }

    /// Without the modes no program can turn off the echo. (QEMU 7.2 has no TCGETS2.)
    fn has_modes() -> bool {
        let (_screen, line) = Self::open();
        let modes = tcgetattr(&line);
        if let Err(error) = &modes {
            eprintln!("SKIPPED, this kernel does not tell the modes of a terminal: {error}");
        }
        modes.is_ok()
    }

    /// None where the kernel does not tell.
    fn echoes(&self) -> Option<bool> {
        let modes = tcgetattr(&self.line).ok()?.local_modes;
        Some(modes.contains(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG))
    }

    /// Reads the screen until `words` are on it.
    fn wait_for(&mut self, words: &str) {
        while !self.shown.contains(words) {
            let mut bytes = [0; 1024];
            let count = self.screen.read(&mut bytes).unwrap();
            let text = std::str::from_utf8(&bytes[..count]).expect("no binary on the screen");
            self.shown.push_str(text);
        }
    }

    fn type_in(&mut self, text: &str) {
        self.screen.write_all(text.as_bytes()).unwrap();
    }

    /// The exit status and all that was ever on the screen.
    fn end(mut self) -> (ExitStatus, String) {
        let status = self.child.wait().unwrap();
        assert_ne!(self.echoes(), Some(false), "left without echo");
        self.line.write_all(b"<end>").unwrap();
        self.wait_for("<end>");
        (status, self.shown)
    }
}

#[track_caller]
fn is_refused(lab: &Lab, script: &str, status: i32, words: &str) {
    let (ended, screen) = Terminal::run(lab, script).end();
    assert_eq!(ended.code(), Some(status), "{screen:?}");
    assert!(screen.contains(words), "{screen:?}");
    assert!(screen.contains("hint: "), "{screen:?}");
    let control = |c: char| c.is_control() && !"\r\n".contains(c);
    assert!(!screen.contains(control), "{screen:?}");
}

#[test]
fn binary_is_not_written_to_a_terminal() {
    let lab = Lab::with_keys();
    lab.run(["keygen", "-o", "key"]).succeeds();
    lab.write("data", b"\x1b[31mred\xff\0");
    lab.run(["seal", "data"]).succeeds();
    let words = "binary data is not written to a terminal";
    for script in [
        "seal data -o -",
        "seal < data",
        "seal data -o /dev/tty",
        "open data.pqbox -o -",
        "open data.pqbox -o /dev/stdout",
        "encapsulate -r key.pub --ciphertext ct --secret -",
    ] {
        is_refused(&lab, script, 2, words);
    }
}

#[test]
fn armor_is_written_to_a_terminal() {
    let lab = Lab::with_keys();
    lab.write("data", "data");
    is_refused(&lab, "seal data -o -", 2, "--armor makes it text");
    let (status, screen) = Terminal::run(&lab, "seal data --armor -o -").end();
    assert!(status.success());
    assert!(screen.contains("-----END PQBOX FILE-----"), "{screen}");
}

#[test]
fn text_is_written_to_a_terminal() {
    let lab = Lab::with_keys();
    lab.sealed("sealed", "naïve text\n\tof 2 lines\n".as_bytes());
    let (status, screen) = Terminal::run(&lab, "open sealed -o -").end();
    assert!(status.success());
    assert!(screen.starts_with("naïve text\r\n"), "{screen:?}");
    // Not if it steers the terminal, in whichever way that is encoded.
    for text in ["\u{9b}31mred", "\x1b[31mred", "a\x07"] {
        lab.write("steers", text);
        lab.run(["seal", "-f", "steers"]).succeeds();
        is_refused(&lab, "open steers.pqbox -o -", 2, "binary data");
    }
}

/// After a second, and not before; and nothing of it stays on the screen.
#[test]
fn progress_shows_on_a_terminal_when_it_takes_long() {
    let lab = Lab::with_keys();
    lab.shell("mkfifo in").succeeds();
    let feed = |script: &str, pause: u64| {
        let terminal = Terminal::run(&lab, script);
        let mut pipe = File::options().write(true).open(lab.path("in")).unwrap();
        pipe.write_all(&[1; 2 << 20]).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(pause));
        pipe.write_all(&[1; 2 << 20]).unwrap();
        drop(pipe);
        let (status, screen) = terminal.end();
        assert!(status.success(), "{screen:?}");
        screen
    };
    let screen = feed("seal in -o out", 1200);
    assert!(screen.contains("MiB in 1s"), "{screen:?}");
    assert!(
        screen.ends_with("\u{1b}[2K<end>") || screen.ends_with("\r<end>"),
        "{screen:?}"
    );
    for (script, pause) in [
        ("seal in -f -o out", 0),
        ("seal in -f -o out --quiet", 1200),
        ("seal in -f -o out 2> /dev/null", 1200),
    ] {
        assert_eq!(feed(script, pause), "<end>", "{script}");
    }
}

#[test]
fn no_file_and_nothing_piped_in() {
    let lab = Lab::with_keys();
    for command in ["seal", "open"] {
        is_refused(&lab, command, 2, "standard input is a terminal");
    }
}

#[test]
fn passphrase_is_asked_for_without_echo() {
    if !Terminal::has_modes() {
        return;
    }
    let lab = passphrase::lab();
    let mut terminal = Terminal::run(&lab, "open data.pqbox -o - -i key");
    terminal.wait_for("Passphrase for \"key\": ");
    assert_eq!(terminal.echoes(), Some(false));
    terminal.type_in("correct horse\n");
    let (status, screen) = terminal.end();
    assert!(status.success(), "{screen:?}");
    assert!(
        screen.contains("data") && !screen.contains("horse"),
        "{screen:?}"
    );

    let mut terminal = Terminal::run(&lab, "open data.pqbox -o - -i key");
    terminal.wait_for("Passphrase for \"key\": ");
    terminal.type_in("wrong\n");
    let (status, screen) = terminal.end();
    assert_eq!(status.code(), Some(3));
    assert!(screen.contains("wrong passphrase"), "{screen:?}");
}

#[test]
fn interrupted_prompt_restores_the_terminal() {
    if !Terminal::has_modes() {
        return;
    }
    let lab = passphrase::lab();
    let mut terminal = Terminal::run(&lab, "open data.pqbox -o out -i key");
    terminal.wait_for("Passphrase");
    terminal.type_in("corr\x03");
    let (status, _) = terminal.end();
    assert_eq!(status.signal(), Some(Signal::INT.as_raw()));

    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let mut terminal = Terminal::run(&lab, "open data.pqbox -o out -i key");
        terminal.wait_for("Passphrase");
        send(&terminal.child, signal);
        let (status, _) = terminal.end();
        assert_eq!(status.signal(), Some(signal.as_raw()));
    }
    assert!(!lab.exists("out"));
    // An empty answer is none.
    let mut terminal = Terminal::run(&lab, "open data.pqbox -o out -i key");
    terminal.wait_for("Passphrase");
    terminal.type_in("\x04");
    let (status, screen) = terminal.end();
    assert_eq!(status.code(), Some(2));
    assert!(screen.contains("no passphrase was typed"), "{screen:?}");
}

#[test]
fn a_new_passphrase_is_typed_twice() {
    let lab = Lab::new();
    lab.write("data", "data");
    if !Terminal::has_modes() {
        return;
    }
    let mut terminal = Terminal::run(&lab, "seal -p data");
    terminal.wait_for("New passphrase for \"data.pqbox\": ");
    assert_eq!(terminal.echoes(), Some(false));
    terminal.type_in("correct horse\n");
    terminal.wait_for("The same again: ");
    terminal.type_in("correct house\n");
    let (status, screen) = terminal.end();
    assert_eq!(status.code(), Some(2));
    assert!(
        screen.contains("differ") && !screen.contains("horse"),
        "{screen}"
    );
    assert!(!lab.exists("data.pqbox"));

    let mut terminal = Terminal::run(&lab, "seal -p data");
    for prompt in ["New passphrase", "The same again"] {
        terminal.wait_for(prompt);
        terminal.type_in("correct horse\n");
    }
    assert!(terminal.end().0.success());
    let mut terminal = Terminal::run(&lab, "open data.pqbox -o -");
    terminal.wait_for("Passphrase for \"data.pqbox\": ");
    terminal.type_in("correct horse\n");
    let (status, screen) = terminal.end();
    assert!(status.success() && screen.contains("\ndata"), "{screen}");
}
