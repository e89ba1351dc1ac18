//! All operations, and the lookup of an operation by its name or method.

use super::class::Class;
use super::operation::{Faces, Operation, PAGE_METHODS, World};
use super::{command, hub, page, provide};

/// Every operation, by the file it stands in.
pub const TABLES: [&[Operation]; 4] = [page::OPERATIONS, hub::OPERATIONS, provide::OPERATIONS, command::OPERATIONS];

/// Every operation.
pub fn all() -> impl Iterator<Item = &'static Operation> {
    TABLES.into_iter().flatten()
}

/// The operations that a face shows, in the order of the table.
pub fn shown_by(face: Faces) -> impl Iterator<Item = &'static Operation> {
    all().filter(move |operation| operation.faces.has(face))
}

/// The operation of this verb on the command line, by its name or another word for it.
pub fn command_named(word: &str) -> Option<&'static Operation> {
    shown_by(Faces::CLI).find(|operation| operation.name == word || operation.aliases.contains(&word))
}

/// The operation of a JSON-RPC method.
pub fn of_method(method: &str) -> Option<&'static Operation> {
    all().find(|operation| operation.method == method && !method.is_empty())
}

/// The class of a method. A page method that is not in the table may be anything that a page understands, so it counts
/// as code; any other method counts as `admin`.
pub fn class_of(method: &str) -> Class {
    match of_method(method) {
        Some(operation) => operation.class,
        None if method.starts_with(PAGE_METHODS) => Class::Eval,
        None => Class::Admin,
    }
}

/// What runs a method in a driven page. A method that is not a verb of the table is the page's own, as code is.
pub fn world_of(method: &str) -> World {
    of_method(method).filter(|operation| operation.in_page()).map_or(World::Page, |operation| operation.world)
}
