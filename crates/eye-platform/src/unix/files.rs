//! Files and folders of one user alone, and what tells that a file is another one than before.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Makes a folder, and those above it, for this user alone.
pub fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// A file that is made is this user's alone.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600)
}

/// A file that is made is this user's to write; others may read it if `readable`.
pub fn own(options: &mut OpenOptions, readable: bool) -> &mut OpenOptions {
    options.mode(if readable { 0o644 } else { 0o600 })
}

/// Whether others may read or change it.
pub fn is_open(about: &Metadata) -> bool {
    about.mode() & 0o077 != 0
}

/// Whether others may change it.
pub fn is_writable_by_others(about: &Metadata) -> bool {
    about.mode() & 0o022 != 0
}

/// Closes a file to others.
pub fn close(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(0o600))
}

/// Closes a file that is open to others.
pub fn close_open(file: &File) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(0o600))
}

/// Closes a folder to others.
pub fn close_folder(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(0o700))
}

/// Whether a file can be run.
pub fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| about.is_file() && about.mode() & 0o111 != 0)
}

/// Whether it is what a hub that was killed leaves at the place of its socket.
pub fn is_leftover(about: &Metadata) -> bool {
    about.file_type().is_socket()
}

/// What is another number for another file of the same name.
pub fn number(about: &Metadata) -> u64 {
    about.ino()
}

/// The bits that say who may do what.
pub fn mode(about: &Metadata) -> u32 {
    about.mode()
}
