//! `cargo xtask bench-peers`: ML-KEM beside that of other libraries; rewrites the figures and the
//! chart in docs.

use crate::command::Command;
use anyhow::Result;
use std::path::{Path, PathBuf, absolute};

/// The options are those of the program in `benches/peers`, which prints its usage.
pub(crate) fn run(root: &Path, options: &[&str]) -> Result<()> {
    let mut options: Vec<PathBuf> = options.iter().map(PathBuf::from).collect();
    // A path of the caller's, while the program runs from its own directory: cargo's settings there
    // are for it alone.
    if let Some(json) = options
        .iter()
        .position(|option| option.as_os_str() == "--json")
        && let Some(file) = options.get_mut(json + 1)
    {
        *file = absolute(&file)?;
    }
    Command::cargo(&root.join("benches/peers"))
        .arguments(&["run", "--release", "--locked", "--", "--docs"])
        .arguments(&[root.join("docs")])
        .arguments(&options)
        .run()
}
