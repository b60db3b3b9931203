//! `docs/benchmarks.md`: each command rewrites the part between its own markers.

use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

const END: &str = "<!-- end -->";

/// Prints the text, and makes it the part of `command`.
pub(crate) fn publish(root: &Path, command: &str, text: &str) -> Result<()> {
    println!("{text}");
    let path = root.join("docs/benchmarks.md");
    let page = fs::read_to_string(&path)?;
    fs::write(path, insert(&page, command, text)?)?;
    Ok(())
}

fn insert(page: &str, command: &str, text: &str) -> Result<String> {
    let begin = format!("<!-- begin: printed by cargo xtask {command} -->\n");
    let parts = page.split_once(&begin).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(END)?;
        Some((before, after))
    });
    let (before, after) =
        parts.with_context(|| format!("docs/benchmarks.md has no part of {command}"))?;
    Ok(format!("{before}{begin}\n{text}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::insert;

    #[test]
    fn a_part_is_replaced_and_the_others_stay() {
        let part = |command: &str, text: &str| {
            format!("<!-- begin: printed by cargo xtask {command} -->\n\n{text}\n<!-- end -->\n")
        };
        let page = [part("one", "1\n"), part("two", "2\n"), part("three", "3\n")].concat();
        let changed = [
            part("one", "1\n"),
            part("two", "II\n"),
            part("three", "3\n"),
        ]
        .concat();
        assert_eq!(insert(&page, "two", "II\n").unwrap(), changed);
        assert!(insert(&page, "four", "").is_err());
    }
}
