//! `pqbox passwd`.

use super::args::{PassphraseArgs, Passwd};
use super::keys::{self, Dir, SECRET};
use super::output::{Access, Output};
use super::passphrase::Source;
use super::ui::{self, Problem};
use rand::rngs::SysRng;

pub(crate) fn run(args: &Passwd, key_dir: &Dir<'_>) -> anyhow::Result<()> {
    let path = match &args.key {
        Some(path) => key_dir.find(path, SECRET)?,
        None => key_dir.secret()?,
    };
    let name = ui::name(&path);
    let mut output = Output::new(&path, Access::Private, true)?;
    if !output.is_new_file() {
        return Err(Problem::usage(format!("{name} is no file that could be replaced")).into());
    }
    let source = Source::new(&args.unlock.source);
    let loaded = keys::secret_or_default(args.key.as_deref(), key_dir, &args.unlock, &source)?;
    let key = loaded.key;
    let pem = match args.remove {
        true => key.to_pem(),
        false => {
            let new = PassphraseArgs {
                file: args.new_passphrase_file.clone(),
                fd: args.new_passphrase_fd,
            };
            let new = Source::of_new(&new).choose(&name)?;
            key.to_encrypted_pem(&new, &mut SysRng)?
        }
    };
    output.write(pem.as_bytes())?;
    output.commit()
}
