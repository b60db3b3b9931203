//! `pqbox completions` and `pqbox man`: what is made from the description of the command line.

use super::args::{Args, Completions, Man};
use super::ui::{self, Problem};
use anyhow::Context;
use clap::{Command, CommandFactory};
use std::fs;

pub(crate) fn completions(args: &Completions) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "pqbox", &mut script);
    ui::print(&String::from_utf8_lossy(&script))
}

pub(crate) fn man(args: &Man) -> anyhow::Result<()> {
    let pages = pages();
    let Some(dir) = &args.output_dir else {
        let name = match &args.command {
            None => "pqbox".to_owned(),
            Some(command) => format!("pqbox-{command}"),
        };
        let page = pages.iter().find(|page| page.get_name() == name);
        let page = page.ok_or_else(|| {
            let known: Vec<_> = pages.iter().skip(1).map(|p| &p.get_name()[6..]).collect();
            Problem::usage(format!("there is no command of that name: {name:?}"))
                .hint(known.join(", "))
        })?;
        return ui::print(&String::from_utf8_lossy(&render(page.clone())?));
    };
    let writing = || format!("cannot write to {}", ui::name(dir));
    fs::create_dir_all(dir).with_context(writing)?;
    for page in pages {
        let path = dir.join(format!("{}.1", page.get_name()));
        let writing = || format!("cannot write {}", ui::name(&path));
        fs::write(&path, render(page)?).with_context(writing)?;
    }
    Ok(())
}

/// The program as a whole, and each of its commands.
fn pages() -> Vec<Command> {
    let mut all = Args::command();
    // Options that every command has get to it.
    all.build();
    let page = |command: &Command| {
        let name = format!("pqbox-{}", command.get_name());
        let version = all.get_version().unwrap_or_default().to_owned();
        command.clone().name(name).version(version)
    };
    let commands = all.get_subcommands().map(page).collect::<Vec<_>>();
    std::iter::once(all.clone()).chain(commands).collect()
}

fn render(page: Command) -> anyhow::Result<Vec<u8>> {
    let mut text = Vec::new();
    clap_mangen::Man::new(page)
        .manual("pqbox")
        .render(&mut text)
        .context("cannot make the page")?;
    Ok(text)
}
