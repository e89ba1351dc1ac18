//! Files and folders of one user alone, and how to detect that a file was replaced.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Creates a folder and its parents, accessible to this user alone.
pub fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Files are created accessible to this user alone.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600)
}

/// Files are created writable by this user alone; others may read them if `readable`.
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

/// Makes a file accessible to this user alone.
pub fn close(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(0o600))
}

/// Makes an open file accessible to this user alone.
pub fn close_open(file: &File) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(0o600))
}

/// Makes a folder accessible to this user alone.
pub fn close_folder(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(0o700))
}

/// Whether a file is executable.
pub fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| about.is_file() && about.mode() & 0o111 != 0)
}

/// Whether it is what a killed hub leaves in place of its socket.
pub fn is_leftover(about: &Metadata) -> bool {
    about.file_type().is_socket()
}

/// The inode number, which differs for another file of the same name.
pub fn number(about: &Metadata) -> u64 {
    about.ino()
}

/// The permission bits.
pub fn mode(about: &Metadata) -> u32 {
    about.mode()
}
