//! `pqbox export`.

use super::args::Export;
use super::files::Input;
use super::keys::{self, Dir, LIMIT, PUBLIC, SECRET};
use super::output::{Access, Form, Output};
use super::passphrase::Source;
use super::ui::Problem;
use anyhow::Context;
use pqbox::hybrid::PublicKey;
use pqbox::hybrid::keyfile::{self, Kind};
use rand::rngs::SysRng;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

pub(crate) fn run(args: &Export, key_dir: &Dir<'_>) -> anyhow::Result<()> {
    let mut input = Input::open(Some(&path(args, key_dir)?))?;
    let file = input.read_all(LIMIT)?;
    let name = &input.name;
    let using = || format!("cannot use the key {name}");
    let kind = keyfile::kind(&file).with_context(using)?;
    let is_secret = kind != Kind::Public && !args.public;

    let access = if is_secret {
        Access::Private
    } else {
        Access::Shared
    };
    let path = match &args.output {
        Some(path) => path,
        None if is_secret => {
            return Err(Problem::usage("a secret key is not shown without need")
                .hint("-o OUT writes it to a file; `-o -` to standard output")
                .into());
        }
        None => Path::new("-"),
    };
    let mut output = Output::new(path, access, args.force)?.form(match args.der {
        true => Form::Binary,
        false => Form::Opened,
    });
    output.is_not(input.identity().as_ref(), "the key")?;
    if is_secret {
        output.is_private()?;
    }
    if kind != Kind::Public {
        keys::warn_if_exposed(&input, "secret key");
    }
    let bytes = if kind == Kind::Public {
        public(&PublicKey::from_file(&file).with_context(using)?, args.der)
    } else {
        let source = Source::new(&args.unlock.source);
        let (key, words) = keys::read_secret(&file, name, &args.unlock, &source)?;
        let form = args.form.map_or(key.form(), Into::into);
        if is_secret {
            let words = words.filter(|_| !args.no_passphrase);
            let words = words.as_ref().map(|words| &words[..]);
            let exported = key.export(form, words, &mut SysRng);
            let exported = exported.with_context(|| format!("cannot export {name}"))?;
            Zeroizing::new(match args.der {
                true => exported.as_der().to_vec(),
                false => exported.to_pem().as_bytes().to_vec(),
            })
        } else {
            public(&key.public_key(), args.der)
        }
    };
    output.write(&bytes)?;
    output.commit()
}

fn public(key: &PublicKey, der: bool) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(match der {
        true => key.to_der(),
        false => key.to_pem().into_bytes(),
    })
}

/// The key's file. Of a name that has a pair, it is the secret key, which has all of it.
fn path(args: &Export, key_dir: &Dir<'_>) -> anyhow::Result<PathBuf> {
    match &args.key {
        None if args.public => key_dir.public(),
        None => key_dir.secret(),
        Some(given) => {
            let kinds = match args.public {
                true => [PUBLIC, SECRET],
                false => [SECRET, PUBLIC],
            };
            key_dir.find(given, &kinds.concat())
        }
    }
}
