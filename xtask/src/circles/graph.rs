//! Parses the modules of a crate and collects which module names which.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemFn, ItemImpl, ItemMod, ItemUse, Macro, UseTree};

/// A module's path from the crate's root; the root is empty.
type Module = Vec<String>;

/// An edge from each module to the modules that it names.
#[derive(Debug, Default)]
pub struct Graph {
    edges: BTreeMap<Module, BTreeSet<Module>>,
}

impl Graph {
    /// Reads a crate from its root file.
    pub fn read(root: &Path) -> Self {
        let mut files = Vec::new();
        let folder = root.parent().expect("a root file lies in a folder");
        load(root, &Vec::new(), folder, &mut files);
        let modules: BTreeSet<Module> = files.iter().map(|(module, _)| module.clone()).collect();
        let mut edges: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
        for (module, items) in &files {
            let mut names = Names { module, modules: &modules, found: BTreeSet::new() };
            for item in items {
                names.visit_item(item);
            }
            names.found.remove(module);
            edges.insert(module.clone(), names.found);
        }
        Self { edges }
    }

    /// The graph with each top-level module and everything below it merged; the root is left out.
    pub fn rooms(&self) -> Self {
        let mut edges: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
        let room = |module: &Module| module.iter().take(1).cloned().collect::<Module>();
        for (from, targets) in self.edges.iter().filter(|(from, _)| !from.is_empty()) {
            let all = edges.entry(room(from)).or_default();
            all.extend(targets.iter().map(room).filter(|target| !target.is_empty() && *target != room(from)));
        }
        Self { edges }
    }

    /// The modules that name the module `target`.
    pub fn that_name(&self, target: &str) -> Vec<String> {
        let target = vec![target.to_owned()];
        self.edges.iter().filter(|(_, targets)| targets.contains(&target)).map(|(from, _)| name(from)).collect()
    }

    /// Groups of modules that reach each other, each sorted.
    pub fn circles(&self) -> Vec<Vec<String>> {
        let reach: BTreeMap<&Module, BTreeSet<&Module>> =
            self.edges.keys().map(|from| (from, self.reached(from))).collect();
        let mut circles = BTreeSet::new();
        for (from, targets) in &reach {
            let with: Vec<String> = targets
                .iter()
                .filter(|target| reach.get(*target).is_some_and(|back| back.contains(*from)))
                .map(|m| name(m))
                .collect();
            if with.len() > 1 {
                circles.insert(with);
            }
        }
        circles.into_iter().collect()
    }

    fn reached<'a>(&'a self, from: &'a Module) -> BTreeSet<&'a Module> {
        let mut reached = BTreeSet::new();
        let mut todo: Vec<&Module> = vec![from];
        while let Some(next) = todo.pop() {
            for target in self.edges.get(next).into_iter().flatten() {
                if reached.insert(target) {
                    todo.push(target);
                }
            }
        }
        reached
    }
}

fn name(module: &Module) -> String {
    if module.is_empty() { "crate".to_owned() } else { module.join("::") }
}

/// Reads a file and the files of its modules. `folder` contains the latter.
fn load(file: &Path, module: &Module, folder: &Path, files: &mut Vec<(Module, Vec<Item>)>) {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    take(parsed.items, module, folder, files);
}

fn take(items: Vec<Item>, module: &Module, folder: &Path, files: &mut Vec<(Module, Vec<Item>)>) {
    let mut own = Vec::new();
    for item in items {
        let Item::Mod(child) = item else {
            own.push(item);
            continue;
        };
        if is_test(&child.attrs) {
            continue;
        }
        let name = child.ident.to_string().trim_start_matches("r#").to_owned();
        let path: Module = module.iter().cloned().chain([name.clone()]).collect();
        let below = folder.join(&name);
        if let Some((_, items)) = child.content {
            take(items, &path, &below, files);
        } else {
            let beside = folder.join(format!("{name}.rs"));
            let file = if beside.exists() { beside } else { below.join("mod.rs") };
            load(&file, &path, &below, files);
        }
    }
    files.push((module.clone(), own));
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let cfg =
            attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Path>().is_ok_and(|p| p.is_ident("test"));
        cfg || attribute.path().is_ident("test")
    })
}

/// Collects the modules that the code of one module names.
struct Names<'a> {
    module: &'a Module,
    modules: &'a BTreeSet<Module>,
    found: BTreeSet<Module>,
}

impl Names<'_> {
    /// Adds the module that a path leads to: the longest prefix of the path that is a module.
    fn take(&mut self, segments: &[String]) {
        let mut at = match segments.first().map(String::as_str) {
            Some("crate") => Vec::new(),
            Some("self" | "super") => self.module.clone(),
            Some(child) => {
                let path: Module =
                    self.module.iter().cloned().chain([child.trim_start_matches("r#").to_owned()]).collect();
                if !self.modules.contains(&path) {
                    return;
                }
                self.module.clone()
            }
            None => return,
        };
        for segment in segments {
            match segment.as_str() {
                "crate" | "self" => {}
                "super" => {
                    at.pop();
                }
                name => {
                    at.push(name.trim_start_matches("r#").to_owned());
                    if !self.modules.contains(&at) {
                        at.pop();
                        break;
                    }
                }
            }
        }
        self.found.insert(at);
    }

    fn take_tree(&mut self, before: &[String], tree: &UseTree) {
        let with = |name: String| before.iter().cloned().chain([name]).collect::<Vec<_>>();
        match tree {
            UseTree::Path(path) => self.take_tree(&with(path.ident.to_string()), &path.tree),
            UseTree::Name(name) if name.ident == "self" => self.take(before),
            UseTree::Name(name) => self.take(&with(name.ident.to_string())),
            UseTree::Rename(rename) => self.take(&with(rename.ident.to_string())),
            UseTree::Glob(_) => self.take(before),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.take_tree(before, tree)),
        }
    }
}

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !is_test(&item.attrs) {
            self.take_tree(&[], &item.tree);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        if !is_test(&item.attrs) {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_item_mod(&mut self, _: &'ast ItemMod) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        // A single name is an item or a local, never another module.
        if segments.len() > 1 {
            self.take(&segments);
        }
        visit::visit_path(self, path);
    }

    /// A macro's tokens are not parsed; words around `::` count as its paths.
    fn visit_macro(&mut self, item: &'ast Macro) {
        let text = item.tokens.to_string().replace("::", " :: ");
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut at = 0;
        while at < words.len() {
            let mut segments =
                vec![words[at].trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_').to_owned()];
            while words.get(at + 1) == Some(&"::") && at + 2 < words.len() {
                let end = words[at + 2].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(words[at + 2].len());
                segments.push(words[at + 2][..end].to_owned());
                at += 2;
            }
            if segments.len() > 1 {
                self.take(&segments);
            }
            at += 1;
        }
        visit::visit_macro(self, item);
    }
}
