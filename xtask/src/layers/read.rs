//! What one file names, and where.

use super::room_of;
use anyhow::Result;
use proc_macro2::{Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// A module, or an item of one: `lib` or `bin`, the crate, and then the names on the way. Whatever
/// is outside the package begins with the name of its crate.
pub(super) type ItemPath = Vec<String>;

/// A path that a file names.
pub(super) struct Mention {
    pub(super) module: ItemPath,
    pub(super) path: ItemPath,
    pub(super) line: usize,
    pub(super) test: bool,
    pub(super) import: Option<Import>,
}

/// What a `use` does with its path.
#[derive(Clone, PartialEq)]
pub(super) enum Import {
    Named(String),
    Glob,
}

/// What one file says.
pub(super) struct Findings {
    /// The module in which the visitor stands; at the end the file's own.
    pub(super) module: ItemPath,
    /// Whether the visitor stands in test code.
    test: bool,
    pub(super) mentions: Vec<Mention>,
    /// What is defined here, modules included.
    pub(super) defined: Vec<ItemPath>,
    /// Modules whose every line is test code.
    pub(super) test_modules: Vec<ItemPath>,
    pub(super) violations: Vec<(usize, String)>,
}

/// Reads one file.
pub(super) fn read(module: ItemPath, text: &str) -> Result<Findings> {
    let file = syn::parse_file(text)?;
    let mut findings = Findings {
        module: module.clone(),
        test: false,
        mentions: Vec::new(),
        defined: Vec::new(),
        test_modules: Vec::new(),
        violations: Vec::new(),
    };
    if is_test(&file.attrs) {
        findings.test_modules.push(module.clone());
    }
    findings.visit_file(&file);
    let tokens = text.parse().map_err(|e| anyhow::anyhow!("{e}"))?;
    look_for_unsafe(&room_of(&module), tokens, &mut findings.violations);
    findings.module = module;
    Ok(findings)
}

fn look_for_unsafe(room: &str, tokens: TokenStream, violations: &mut Vec<(usize, String)>) {
    for tree in tokens {
        match tree {
            TokenTree::Group(group) => look_for_unsafe(room, group.stream(), violations),
            TokenTree::Ident(ident) if ident == "unsafe" && room != "asm" => {
                let problem = "`unsafe` outside src/asm".to_owned();
                violations.push((ident.span().start().line, problem));
            }
            _ => {}
        }
    }
}

fn is_test(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|attr| match &attr.meta {
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::List(list) if list.path.is_ident("cfg") => {
            let condition = list.tokens.to_string();
            condition == "test" || condition.starts_with("all (test ,")
        }
        _ => false,
    })
}

/// The name that an item defines.
fn name(item: &syn::Item) -> Option<&syn::Ident> {
    use syn::Item;
    match item {
        Item::Const(syn::ItemConst { ident, .. })
        | Item::Enum(syn::ItemEnum { ident, .. })
        | Item::Mod(syn::ItemMod { ident, .. })
        | Item::Static(syn::ItemStatic { ident, .. })
        | Item::Struct(syn::ItemStruct { ident, .. })
        | Item::Trait(syn::ItemTrait { ident, .. })
        | Item::Type(syn::ItemType { ident, .. })
        | Item::Union(syn::ItemUnion { ident, .. }) => Some(ident),
        Item::Fn(item) => Some(&item.sig.ident),
        Item::Macro(item) => item.ident.as_ref(),
        _ => None,
    }
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    use syn::Item;
    match item {
        Item::Const(syn::ItemConst { attrs, .. })
        | Item::Enum(syn::ItemEnum { attrs, .. })
        | Item::Fn(syn::ItemFn { attrs, .. })
        | Item::Impl(syn::ItemImpl { attrs, .. })
        | Item::Macro(syn::ItemMacro { attrs, .. })
        | Item::Mod(syn::ItemMod { attrs, .. })
        | Item::Static(syn::ItemStatic { attrs, .. })
        | Item::Struct(syn::ItemStruct { attrs, .. })
        | Item::Trait(syn::ItemTrait { attrs, .. })
        | Item::Type(syn::ItemType { attrs, .. })
        | Item::Use(syn::ItemUse { attrs, .. }) => attrs,
        _ => &[],
    }
}

impl Findings {
    fn mention(&mut self, path: ItemPath, at: Span, import: Option<Import>) {
        self.mentions.push(Mention {
            module: self.module.clone(),
            path,
            line: at.start().line,
            test: self.test,
            import,
        });
    }

    /// Visits something that `attrs` may make test code.
    fn within_attributes(&mut self, attrs: &[syn::Attribute], visit: impl FnOnce(&mut Self)) {
        let outside = self.test;
        self.test |= is_test(attrs);
        visit(self);
        self.test = outside;
    }

    fn walk_use(&mut self, prefix: &[String], tree: &syn::UseTree) {
        let join = |ident: &syn::Ident| match ident == "self" && !prefix.is_empty() {
            true => prefix.to_vec(),
            false => [prefix, &[ident.to_string()]].concat(),
        };
        match tree {
            syn::UseTree::Path(path) => self.walk_use(&join(&path.ident), &path.tree),
            syn::UseTree::Name(name) => {
                let path = join(&name.ident);
                let bound = path.last().cloned().map(Import::Named);
                self.mention(path, name.ident.span(), bound);
            }
            syn::UseTree::Rename(rename) => {
                let bound = Import::Named(rename.rename.to_string());
                self.mention(join(&rename.ident), rename.ident.span(), Some(bound));
            }
            syn::UseTree::Glob(glob) => {
                self.mention(
                    prefix.to_vec(),
                    glob.star_token.spans[0],
                    Some(Import::Glob),
                );
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.walk_use(prefix, tree);
                }
            }
        }
    }

    /// The paths in tokens that syn does not parse: what macros and attributes are given. `prefix`
    /// is the path whose braces hold the tokens, in `use crate::{..}`.
    fn walk_tokens(&mut self, prefix: &[String], tokens: TokenStream) {
        let trees: Vec<_> = tokens.into_iter().collect();
        let is =
            |i: usize, c| matches!(trees.get(i), Some(TokenTree::Punct(p)) if p.as_char() == c);
        let mut i = 0;
        while i < trees.len() {
            match &trees[i] {
                TokenTree::Group(group) => self.walk_tokens(&[], group.stream()),
                TokenTree::Ident(ident) => {
                    let mut path = [prefix, &[ident.to_string()]].concat();
                    while is(i + 1, ':') && is(i + 2, ':') {
                        match trees.get(i + 3) {
                            Some(TokenTree::Ident(next)) => path.push(next.to_string()),
                            Some(TokenTree::Group(group)) => {
                                self.walk_tokens(&path, group.stream());
                            }
                            _ => {}
                        }
                        i += 3;
                    }
                    if is(i + 1, '!')
                        && let Some(name) = path.last_mut()
                    {
                        name.push('!');
                    }
                    self.mention(path, ident.span(), None);
                }
                _ => {}
            }
            i += 1;
        }
    }
}

impl<'ast> Visit<'ast> for Findings {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if let Some(name) = name(item) {
            let item = [&self.module[..], &[name.to_string()]].concat();
            self.defined.push(item);
        }
        self.within_attributes(attributes(item), |this| visit::visit_item(this, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.within_attributes(&item.attrs, |this| visit::visit_impl_item_fn(this, item));
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.module.push(item.ident.to_string());
        if self.test {
            self.test_modules.push(self.module.clone());
        }
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.walk_use(&[], &item.tree);
    }

    fn visit_item_extern_crate(&mut self, item: &'ast syn::ItemExternCrate) {
        let path = match item.ident == "self" {
            true => "crate".to_owned(),
            false => item.ident.to_string(),
        };
        let bound = item
            .rename
            .as_ref()
            .map(|(_, name)| Import::Named(name.to_string()));
        self.mention(vec![path], item.ident.span(), bound);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string());
        let names = names.collect();
        if let Some(first) = path.segments.first() {
            self.mention(names, first.ident.span(), None);
        }
        visit::visit_path(self, path);
    }

    /// `pub(in path)` opens a module to one above it; it names nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        if let Some(name) = mac.path.segments.last() {
            let at = name.ident.span();
            self.mention(vec![format!("{}!", name.ident)], at, None);
            if name.ident == "include" {
                let problem = "include! hides code from this check".to_owned();
                self.violations.push((at.start().line, problem));
            }
        }
        self.walk_tokens(&[], mac.tokens.clone());
        visit::visit_macro(self, mac);
    }

    fn visit_attribute(&mut self, attr: &'ast syn::Attribute) {
        if attr.path().is_ident("path") {
            let line = attr.pound_token.span.start().line;
            let problem = "#[path] hides code from this check".to_owned();
            self.violations.push((line, problem));
        }
        if let syn::Meta::List(list) = &attr.meta {
            self.walk_tokens(&[], list.tokens.clone());
        }
        visit::visit_attribute(self, attr);
    }
}
