//! Takes back changes of a document.

use super::items::{find_mut, insert, remove};
use super::paced;
use super::size::Meter;
use json_patch::jsonptr::PointerBuf;
use serde_json::Value;

/// One change to take back. Changes are taken back latest first, so the document is as it was right after this one, and
/// the paths are valid.
pub(super) enum Undo {
    Replaced { path: PointerBuf, value: Value },
    AddedMember { path: PointerBuf, name: String },
    AddedItem { path: PointerBuf, at: usize },
    RemovedMember { path: PointerBuf, at: usize, name: String, value: Value },
    RemovedItem { path: PointerBuf, at: usize, value: Value },
}

impl Undo {
    pub(super) fn take_back(self, root: &mut Value, meter: &mut Meter) {
        let freed = match self {
            Self::Replaced { path, value } => {
                find_mut(root, &path, meter).ok().map(|target| std::mem::replace(target, value))
            }
            Self::AddedMember { path, name } => match parent(root, &path, meter) {
                Some(Value::Object(members)) => members.shift_remove(&name),
                _ => None,
            },
            Self::AddedItem { path, at } => match parent(root, &path, meter) {
                Some(Value::Array(items)) => remove(items, at, meter),
                _ => None,
            },
            Self::RemovedMember { path, at, name, value } => match parent(root, &path, meter) {
                Some(Value::Object(members)) => members.shift_insert(at, name, value),
                _ => None,
            },
            Self::RemovedItem { path, at, value } => {
                if let Some(Value::Array(items)) = parent(root, &path, meter) {
                    insert(items, at, value, meter);
                }
                None
            }
        };
        if let Some(value) = freed {
            paced::free(value, meter.pauses());
        }
    }

    /// Frees what was kept to take the change back.
    pub(super) fn forget(self, meter: &Meter) {
        match self {
            Self::Replaced { value, .. } | Self::RemovedMember { value, .. } | Self::RemovedItem { value, .. } => {
                paced::free(value, meter.pauses());
            }
            Self::AddedMember { .. } | Self::AddedItem { .. } => {}
        }
    }
}

fn parent<'v>(root: &'v mut Value, path: &PointerBuf, meter: &mut Meter) -> Option<&'v mut Value> {
    let (parent, _) = path.split_back()?;
    find_mut(root, parent, meter).ok()
}
