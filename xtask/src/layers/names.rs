//! What names mean: imports, globs and re-exports, of all modules together.

use super::read::{Findings, Import, ItemPath, Mention};
use std::collections::{BTreeMap, BTreeSet};

/// What the modules define and import.
#[derive(Default)]
pub(super) struct Names {
    defined: BTreeSet<ItemPath>,
    bound: BTreeMap<(ItemPath, String), ItemPath>,
    globs: BTreeMap<ItemPath, Vec<ItemPath>>,
}

/// Longer chains of imports than this are circles.
const MAX_DEPTH: usize = 16;

impl Names {
    pub(super) fn of<'a>(files: impl Iterator<Item = &'a Findings>) -> Self {
        let mut names = Self::default();
        for file in files {
            names.defined.extend(file.defined.iter().cloned());
            for mention in &file.mentions {
                names.bind(mention);
            }
        }
        names
    }

    fn bind(&mut self, mention: &Mention) {
        let (module, path) = (mention.module.clone(), mention.path.clone());
        match &mention.import {
            Some(Import::Named(name)) => {
                self.bound.insert((module, name.clone()), path);
            }
            Some(Import::Glob) => self.globs.entry(module).or_default().push(path),
            None => {}
        }
    }

    /// What `path` means in `module`.
    pub(super) fn resolve(&self, module: &[String], path: &[String], depth: usize) -> ItemPath {
        let Some((head, rest)) = path.split_first() else {
            return module.to_vec();
        };
        let start = match head.as_str() {
            "crate" => module[..1].to_vec(),
            "self" => module.to_vec(),
            "super" => parent(module),
            "pqbox" if module[0] == "bin" => vec!["lib".to_owned()],
            _ => self
                .find(module, head, depth)
                .unwrap_or_else(|| vec![head.clone()]),
        };
        rest.iter().fold(start, |place, name| match name.as_str() {
            "self" => place,
            "super" => parent(&place),
            _ => self
                .find(&place, name, depth)
                .unwrap_or_else(|| [&place[..], std::slice::from_ref(name)].concat()),
        })
    }

    /// What `name` is in `module`, if it is defined there, or imported, by itself or by a glob.
    fn find(&self, module: &[String], name: &str, depth: usize) -> Option<ItemPath> {
        if depth > MAX_DEPTH || !["lib", "bin"].contains(&module[0].as_str()) {
            return None;
        }
        if let Some(path) = self.bound.get(&(module.to_vec(), name.to_owned())) {
            // `use clap;`: the name is its own meaning.
            let own = path.first().is_some_and(|first| first == name);
            return (!own).then(|| self.resolve(module, path, depth + 1));
        }
        let item = [module, &[name.to_owned()]].concat();
        if self.defined.contains(&item) {
            return Some(item);
        }
        self.globs.get(module)?.iter().find_map(|glob| {
            let from = self.resolve(module, glob, depth + 1);
            self.find(&from, name, depth + 1)
        })
    }
}

fn parent(module: &[String]) -> ItemPath {
    module[..module.len().max(2) - 1].to_vec()
}
