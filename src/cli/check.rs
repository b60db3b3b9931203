//! `pqbox check`.

use super::args::Check;
use super::batch;
use super::files::Input;
use super::keys::Dir;
use super::selection::{Item, Selection, is_sealed};
use super::ui;
use super::unlock::Means;
use anyhow::Context;
use pqbox::hybrid::{ArmorReader, Header, Opener};
use serde_json::json;

pub(crate) fn run(args: &Check, key_dir: &Dir<'_>) -> anyhow::Result<()> {
    let means = Means::new(&args.means, key_dir);
    match Selection::of(&args.files, &args.selection, None, is_sealed)? {
        Selection::One(file) => check(file.as_ref(), &means),
        Selection::Many(files) => {
            batch::check(&files, None)?;
            batch::each(&files, "found good", |file| check(Some(file), &means))
        }
    }
}

/// Opens all of a file, and says how much is in it.
fn check(file: Option<&Item>, means: &Means<'_>) -> anyhow::Result<()> {
    let input = Input::open(file.map(|file| &*file.path))?.with_progress();
    let (name, path) = (input.name.clone(), ui::path(input.path()));
    let shown = file.map_or_else(|| name.clone(), |file| ui::bare_name(&file.path));
    let checking = || format!("cannot open {name}");
    let mut input = ArmorReader::new(input).with_context(checking)?;
    let header = Header::read(&mut input).with_context(checking)?;
    let file_key = means.unlock(&header, &name, None)?;
    let mut opener = Opener::new(file_key, input).with_context(checking)?;
    let mut len = 0;
    while let Some(piece) = opener.next_chunk().with_context(checking)? {
        len += piece.len();
    }
    ui::result(
        &format!("good  {shown}: {len} bytes\n"),
        &json!({ "good": path, "bytes": len }),
    )
}
