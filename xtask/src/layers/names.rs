//! What names mean: imports, globs and re-exports, of all modules together.

use super::ROOMS;
use super::read::{Import, ItemPath, Mention};
use std::collections::BTreeMap;

/// What the imports of all modules bind.
#[derive(Default)]
pub(super) struct Names {
    bound: BTreeMap<(ItemPath, String), ItemPath>,
    globs: BTreeMap<ItemPath, Vec<ItemPath>>,
}

/// Longer chains of imports than this are circles.
const MAX_DEPTH: usize = 16;

impl Names {
    pub(super) fn of<'a>(mentions: impl Iterator<Item = &'a Mention>) -> Self {
        let mut names = Self::default();
        for mention in mentions {
            let (module, path) = (mention.module.clone(), mention.path.clone());
            match &mention.import {
                Some(Import::Named(name)) => {
                    names.bound.insert((module, name.clone()), path);
                }
                Some(Import::Glob) => names.globs.entry(module).or_default().push(path),
                None => {}
            }
        }
        names
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

    /// What `name` is in `module`, if it is imported there, by itself or by a glob, or is a room
    /// at the root.
    fn find(&self, module: &[String], name: &str, depth: usize) -> Option<ItemPath> {
        if depth > MAX_DEPTH || !["lib", "bin"].contains(&module[0].as_str()) {
            return None;
        }
        if let Some(path) = self.bound.get(&(module.to_vec(), name.to_owned())) {
            // `use hpke::Aead` beside `mod hpke`, `use clap;`: the name is its own meaning.
            let own = path.first().is_some_and(|first| first == name);
            return (!own).then(|| self.resolve(module, path, depth + 1));
        }
        let root = module.len() == 1 && ROOMS.iter().any(|(room, _)| *room == name);
        if root {
            return Some(vec![module[0].clone(), name.to_owned()]);
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
