//! Whom files are sealed to: key files, names, groups and lists.

use super::args::RecipientsArgs;
use super::batch;
use super::files::{Input, is_dash};
use super::keys::{self, Dir, GROUP, Loaded, PUBLIC};
use super::new_file::directory;
use super::selection::path_of;
use super::ui::{self, Problem};
use anyhow::Context;
use pqbox::Error;
use pqbox::hybrid::PublicKey;
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Public keys for which a thread is worth starting: a key takes 20 us.
const KEYS_A_THREAD: usize = 32;

/// More than the keys of all to whom one file can be sealed, in PEM.
const LIST_LIMIT: u64 = 64 << 20;

/// How deep groups can stand within groups. No honest one needs more, and one that names itself ends.
const DEPTH: usize = 8;

/// The keys of everybody who is meant, or the default one.
pub(crate) fn load(args: &RecipientsArgs, dir: &Dir<'_>) -> anyhow::Result<Vec<Loaded<PublicKey>>> {
    let mut all = Everybody {
        dir,
        entries: Vec::new(),
    };
    for given in &args.recipients {
        all.add(given, Path::new(""), None, 0)?;
    }
    for list in &args.lists {
        all.add_list(list, 0)?;
    }
    if args.to_self || (args.recipients.is_empty() && args.lists.is_empty()) {
        all.add_default()?;
    }
    let loaded = batch::map(&all.entries, KEYS_A_THREAD, Entry::load);
    loaded.into_iter().collect()
}

/// The keys that are `given` as `-r` takes them.
pub(crate) fn of(given: &[PathBuf], dir: &Dir<'_>) -> anyhow::Result<Vec<PublicKey>> {
    let args = RecipientsArgs {
        recipients: given.to_vec(),
        lists: Vec::new(),
        to_self: false,
        hide_recipients: false,
    };
    let loaded = load(&args, dir)?;
    Ok(loaded.into_iter().map(|loaded| loaded.key).collect())
}

/// Whoever has been met so far.
struct Everybody<'a> {
    dir: &'a Dir<'a>,
    entries: Vec<Entry>,
}

/// One public key, and the line of a list that has it, if one does.
struct Entry {
    key: Key,
    line: Option<Line>,
}

enum Key {
    File(PathBuf),
    Default(PathBuf),
    Pem(Vec<u8>),
}

/// A line of a list, for messages.
#[derive(Clone)]
struct Line {
    list: String,
    number: usize,
}

impl Line {
    fn context(&self) -> String {
        format!("{}, line {}", self.list, self.number)
    }
}

impl Entry {
    fn load(&self) -> anyhow::Result<Loaded<PublicKey>> {
        let loaded = match &self.key {
            Key::File(path) => keys::load_public(path),
            Key::Default(path) => {
                let hint = "-r PUB names a recipient's public key; `pqbox keygen` makes your own";
                keys::load_public(path).map_err(keys::missing_default(path, hint))
            }
            Key::Pem(text) => PublicKey::from_pem(text)
                .map(|key| Loaded {
                    key,
                    identity: None,
                })
                .map_err(Into::into),
        };
        match &self.line {
            None => loaded,
            Some(line) => loaded.with_context(|| line.context()),
        }
    }
}

impl Everybody<'_> {
    fn add_default(&mut self) -> anyhow::Result<()> {
        let key = Key::Default(self.dir.public()?);
        self.entries.push(Entry { key, line: None });
        Ok(())
    }

    /// Adds whom `given` means; a relative path begins at `base`.
    fn add(
        &mut self,
        given: &Path,
        base: &Path,
        line: Option<&Line>,
        depth: usize,
    ) -> anyhow::Result<()> {
        let path = self.dir.find_from(base, given, &[PUBLIC[0], GROUP])?;
        if path.extension() == Some(OsStr::new(GROUP)) {
            return self.add_list(&path, depth + 1);
        }
        self.entries.push(Entry {
            key: Key::File(path),
            line: line.cloned(),
        });
        Ok(())
    }

    /// Adds everybody in a list.
    fn add_list(&mut self, list: &Path, depth: usize) -> anyhow::Result<()> {
        let name = ui::name(list);
        if depth > DEPTH {
            return Err(
                Problem::usage(format!("{name} is within {DEPTH} other groups"))
                    .hint("a group cannot be one of its own members")
                    .into(),
            );
        }
        let mut input = Input::open(Some(list))?;
        let mut text = Vec::new();
        input
            .by_ref()
            .take(LIST_LIMIT + 1)
            .read_to_end(&mut text)
            .with_context(|| format!("cannot read {}", input.name))?;
        if text.len() as u64 > LIST_LIMIT {
            let name = &input.name;
            return Err(
                Problem::usage(format!("{name} is too long for a list of recipients"))
                    .hint("a file can be sealed to 4096 recipients")
                    .into(),
            );
        }
        let base = match is_dash(list) {
            true => Path::new(""),
            false => directory(list),
        };
        let before = self.entries.len();
        let text = utf8(text);
        let mut lines = text.split(|byte| *byte == b'\n').zip(1..);
        while let Some((text, number)) = lines.next() {
            let entry = text.trim_ascii();
            let line = Line {
                list: input.name.clone(),
                number,
            };
            if entry.is_empty() || entry.starts_with(b"#") {
                continue;
            }
            if !entry.starts_with(b"-----BEGIN ") {
                let given = path_of(entry).context("a name that is not UTF-8");
                let added = given.and_then(|given| self.add(&given, base, Some(&line), depth));
                added.with_context(|| line.context())?;
                continue;
            }
            let mut block = text.to_vec();
            for (text, _) in lines.by_ref() {
                block.push(b'\n');
                block.extend_from_slice(text);
                if text.trim_ascii().starts_with(b"-----END ") {
                    break;
                }
            }
            self.entries.push(Entry {
                key: Key::Pem(block),
                line: Some(line),
            });
        }
        match self.entries.len() > before {
            true => Ok(()),
            false => Err(Error::NoRecipient).context(
                Problem::usage(format!("{} lists nobody", input.name))
                    .hint("a list has a name, a file or a public key in PEM on each line"),
            ),
        }
    }
}

/// The text in UTF-8 or what it is in, without a byte-order mark; from UTF-16, as PowerShell writes it.
fn utf8(text: Vec<u8>) -> Vec<u8> {
    let decode = |units: &[u8], unit: fn([u8; 2]) -> u16| {
        let (pairs, _) = units.as_chunks();
        let units = pairs.iter().map(|pair| unit(*pair));
        let chars = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
        chars.collect::<String>().into_bytes()
    };
    match &text[..] {
        [0xff, 0xfe, units @ ..] => decode(units, u16::from_le_bytes),
        [0xfe, 0xff, units @ ..] => decode(units, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => rest.to_vec(),
        _ => text,
    }
}
