//! `pqbox inspect`.

use super::args::Inspect;
use super::files::Input;
use super::keyring;
use super::keys::{self, Dir};
use super::ui;
use anyhow::Context;
use pqbox::Error;
use pqbox::hybrid::{ArmorReader, Header, KeyId, Stanza, plaintext_len};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::{self, Read};

pub(crate) fn run(args: &Inspect, key_dir: &Dir<'_>) -> anyhow::Result<()> {
    let input = Input::open(Some(&args.file))?;
    let inspecting = || format!("cannot inspect {}", ui::name(&args.file));
    let size = input.size();
    let mut input = ArmorReader::new(input).with_context(inspecting)?;
    let header = Header::read(&mut input).with_context(inspecting)?;
    let armored = input.is_armored();
    let payload = match armored {
        // No other way tells it, since white space may be anywhere.
        true => Some(rest_of(&mut input).with_context(inspecting)?),
        false => size.map(|size| size.saturating_sub(header.len())),
    };
    let report = Report {
        name: args.file.to_string_lossy().into_owned(),
        own: key_dir
            .public()
            .and_then(|path| keys::load_public(&path))
            .ok()
            .map(|own| own.key.id()),
        names: keyring::names(key_dir),
        plaintext: payload.map(plaintext_len),
        payload,
        armored,
        header,
    };
    ui::result(&report.text(), &report.json())
}

/// How much is left of the input.
fn rest_of(input: &mut impl Read) -> Result<u64, Error> {
    io::copy(input, &mut io::sink()).map_err(Error::reading)
}

struct Report {
    name: String,
    armored: bool,
    header: Header,
    /// The default key's id, and the names of others. Whatever is wrong with keys is none of the
    /// business of a command that needs none.
    own: Option<KeyId>,
    names: BTreeMap<KeyId, String>,
    /// Bytes after the header; `None` if the input is a pipe.
    payload: Option<u64>,
    /// Bytes when opened; the inner `None` if no sealed file has a payload of that length.
    plaintext: Option<Option<u64>>,
}

impl Report {
    fn is_own(&self, stanza: &Stanza) -> bool {
        self.own.is_some() && stanza.key_id() == self.own
    }

    fn name(&self, stanza: &Stanza) -> Option<&String> {
        self.names.get(&stanza.key_id()?)
    }

    fn content(&self) -> &'static str {
        let content = self.header.content();
        match (content.archive, content.padded) {
            (false, false) => "plain bytes",
            (false, true) => "plain bytes, padded",
            (true, false) => "a directory",
            (true, true) => "a directory, padded",
        }
    }

    fn text(&self) -> String {
        let header = &self.header;
        let mut text = format!(
            "format      pqbox, version {}{}\ncontent     {}\n",
            header.version(),
            if self.armored { ", armored" } else { "" },
            self.content(),
        );
        for (index, stanza) in header.stanzas().iter().enumerate() {
            let label = if index == 0 { "sealed to" } else { "" };
            let who = match self.name(stanza) {
                _ if self.is_own(stanza) => " (your key)".to_owned(),
                Some(name) => format!(" ({name})"),
                None => String::new(),
            };
            // Writing to a String cannot fail.
            let _ = match (stanza.set(), stanza.key_id()) {
                (Some(set), Some(id)) => writeln!(text, "{label:12}{id}  {}{who}", set.name()),
                _ if let Some((memory, passes, lanes)) = header.passphrase_cost() => writeln!(
                    text,
                    "{label:12}a passphrase (Argon2id: {memory} KiB, {passes} passes, {lanes} lanes)"
                ),
                (Some(set), None) => writeln!(text, "{label:12}{:19}  {}", "hidden", set.name()),
                _ => writeln!(text, "{label:12}unknown kind 0x{:04x}", stanza.kind()),
            };
        }
        let bytes = |bytes: Option<u64>| match bytes {
            Some(bytes) => format!("{bytes} bytes"),
            None => "unknown, the input is a pipe".to_owned(),
        };
        let plaintext = match self.plaintext {
            Some(None) => "none: the file is truncated or has something added".to_owned(),
            other if header.content().padded => format!("at most {}", bytes(other.flatten())),
            other => bytes(other.flatten()),
        };
        let _ = write!(
            text,
            "header      {} bytes\npayload     {}\nplaintext   {plaintext}\n",
            header.len(),
            bytes(self.payload),
        );
        text
    }

    fn json(&self) -> Value {
        let recipient = |stanza: &Stanza| {
            json!({
                "type": stanza.kind(),
                "kem": stanza.set().map(|set| set.name()),
                "key_id": stanza.key_id().map(|id| id.to_string()),
                "own": self.is_own(stanza),
                "name": self.name(stanza),
            })
        };
        json!({
            "file": self.name,
            "version": self.header.version(),
            "armored": self.armored,
            "content": self.header.content().byte(),
            "recipients": self.header.stanzas().iter().map(recipient).collect::<Vec<_>>(),
            "header_bytes": self.header.len(),
            "payload_bytes": self.payload,
            "plaintext_bytes": self.plaintext.flatten(),
        })
    }
}
