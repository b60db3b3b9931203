//! `pqbox completions` and `pqbox man`: what is made from the description of the command line.

use super::args::{self, Completions, Man};
use super::ui::{self, Problem};
use anyhow::Context;
use clap::Command;
use std::fs;

pub(crate) fn completions(args: &Completions) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::program(), "pqbox", &mut script);
    ui::print(&String::from_utf8_lossy(&script))
}

pub(crate) fn man(args: &Man) -> anyhow::Result<()> {
    let pages = pages();
    let Some(dir) = &args.output_dir else {
        let name = match &args.command {
            None => "pqbox".to_owned(),
            Some(command) => format!("pqbox-{command}"),
        };
        let page = pages.iter().find(|page| self::name(page) == name);
        let page = page.ok_or_else(|| {
            let known: Vec<_> = pages.iter().skip(1).map(Command::get_name).collect();
            Problem::usage(format!("there is no command of that name: {name:?}"))
                .hint(known.join(", "))
        })?;
        return ui::print(&String::from_utf8_lossy(&render(page.clone())?));
    };
    let writing = || format!("cannot write to {}", ui::name(dir));
    fs::create_dir_all(dir).with_context(writing)?;
    for page in pages {
        let path = dir.join(format!("{}.1", name(&page)));
        let writing = || format!("cannot write {}", ui::name(&path));
        fs::write(&path, render(page)?).with_context(writing)?;
    }
    Ok(())
}

/// The program as a whole, and each of its commands.
fn pages() -> Vec<Command> {
    let mut all = args::program();
    // Names in full, and the options that every command has.
    all.build();
    let commands: Vec<_> = all.get_subcommands().cloned().collect();
    std::iter::once(all).chain(commands).collect()
}

fn name(page: &Command) -> &str {
    page.get_display_name().unwrap_or_else(|| page.get_name())
}

fn render(page: Command) -> anyhow::Result<Vec<u8>> {
    let mut text = Vec::new();
    clap_mangen::Man::new(page)
        .manual("pqbox")
        .render(&mut text)
        .context("cannot make the page")?;
    Ok(text)
}
