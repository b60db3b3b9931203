//! `pqbox rekey`.

use super::args::Rekey;
use super::batch;
use super::files::Input;
use super::keys::Dir;
use super::output::{Form, Output};
use super::recipients;
use super::seal::naming;
use super::selection::{Selection, is_sealed};
use super::ui::{self, Problem};
use super::unlock::Means;
use anyhow::Context;
use pqbox::Error;
use pqbox::hybrid::{
    ArmorReader, FileKey, Header, KeyId, Naming, Opener, PublicKey, Sealing, Stanza,
};
use rand::rngs::SysRng;
use serde_json::json;
use std::io::Read;
use std::path::Path;

/// Bytes of payload that are copied together.
const BLOCK: usize = 1 << 20;

pub(crate) fn run(args: &Rekey, key_dir: &Dir<'_>) -> anyhow::Result<()> {
    let change = Change::load(args, key_dir)?;
    let means = Means::new(&args.means, key_dir);
    match Selection::of(&args.files, &args.selection, None, is_sealed)? {
        Selection::One(None) => {
            return Err(Problem::usage("no file given")
                .hint("name the sealed files")
                .into());
        }
        Selection::One(Some(file)) => change.apply(&file.path, &means)?,
        Selection::Many(files) => {
            batch::each(&files, "rekeyed", |file| change.apply(&file.path, &means))?;
        }
    }
    if !args.rotate && (!args.remove.is_empty() || !args.set.is_empty()) {
        ui::warn(
            "whoever could open this before still can, with an old copy or the file's own key",
            "--rotate --set PUB seals it under a new one",
        );
    }
    Ok(())
}

/// What is to happen to each file.
struct Change<'a> {
    args: &'a Rekey,
    remove: Vec<KeyId>,
    add: Vec<PublicKey>,
    naming: Naming,
}

impl<'a> Change<'a> {
    fn load(args: &'a Rekey, key_dir: &Dir<'_>) -> anyhow::Result<Self> {
        // One of the two is empty.
        let add = [&args.add[..], &args.set].concat();
        if add.is_empty() && args.remove.is_empty() {
            return Err(Problem::usage("nothing to change")
                .hint("--add PUB, --remove KEYID or --set PUB says who is to open it")
                .into());
        }
        let add = match add.is_empty() {
            true => Vec::new(),
            false => recipients::of(&add, key_dir)?,
        };
        let remove = args.remove.iter().map(|id| {
            let id: Result<KeyId, Error> = id.parse();
            id.with_context(|| Problem::usage("--remove takes a key id"))
        });
        Ok(Self {
            args,
            remove: remove.collect::<Result<_, _>>()?,
            add,
            naming: naming(args.hide_recipients),
        })
    }

    fn apply(&self, path: &Path, means: &Means<'_>) -> anyhow::Result<()> {
        let input = Input::open(Some(path))?.with_progress();
        let name = input.name.clone();
        if input.named_file().is_none() {
            return Err(Problem::usage(format!("{name} is no file that could be replaced")).into());
        }
        let access = input.access();
        let rekeying = || format!("cannot rekey {name}");
        let mut input = ArmorReader::new(input).with_context(rekeying)?;
        let mut output = Output::new(path, access, true)?
            .durability((&self.args.durability).into())
            .form(match input.is_armored() {
                true => Form::Armored,
                false => Form::Sealed,
            });
        let header = Header::read(&mut input).with_context(rekeying)?;
        let file_key = means.unlock(&header, &name, Some(&output))?;
        if self.args.rotate {
            let opener = Opener::new(file_key, input).with_context(rekeying)?;
            let sealing = Sealing::to(&self.add)
                .naming(self.naming)
                .content(header.content());
            let sealer = sealing.begin(opener, &mut SysRng);
            let mut sealer = sealer.with_context(rekeying)?;
            while let Some(piece) = sealer.next_chunk().with_context(rekeying)? {
                output.write(piece)?;
            }
            output.commit()?;
            return self.done(path, &name);
        }
        output.write(&self.header(&header, &file_key, &name)?)?;
        let mut block = vec![0; BLOCK];
        loop {
            let read = input.read(&mut block).map_err(Error::reading);
            match read.with_context(rekeying)? {
                0 => break,
                len => output.write(&block[..len])?,
            }
        }
        output.commit()?;
        self.done(path, &name)
    }

    fn done(&self, path: &Path, name: &str) -> anyhow::Result<()> {
        let json = || json!({ "rekeyed": ui::path(path), "rotated": self.args.rotate });
        ui::done(|| format!("rekeyed {name}"), json, false)
    }

    fn header(&self, old: &Header, file_key: &FileKey, name: &str) -> anyhow::Result<Vec<u8>> {
        let is = |stanza: &Stanza, id: &KeyId| stanza.key_id() == Some(*id);
        for id in &self.remove {
            if !old.stanzas().iter().any(|stanza| is(stanza, id)) {
                return Err(Problem::usage(format!("{name} is not sealed to {id}"))
                    .hint("`pqbox inspect` lists whom it is sealed to, unless they are hidden")
                    .into());
            }
        }
        let sets = !self.args.set.is_empty();
        if old.passphrase_cost().is_some() && !sets {
            return Err(
                Problem::usage(format!("{name} is sealed by a passphrase, not to keys"))
                    .hint("--set PUB seals it to keys instead")
                    .into(),
            );
        }
        let keep = |stanza: &Stanza| !sets && !self.remove.iter().any(|id| is(stanza, id));
        old.rekeyed(file_key, keep, &self.add, self.naming, &mut SysRng)
            .with_context(|| format!("cannot rekey {name}"))
    }
}
