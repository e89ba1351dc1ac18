//! Files and folders of one user alone, and what tells that a file is another one than before.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::MetadataExt;
use std::path::Path;

/// Makes a folder, and those above it. It inherits who may use it.
pub fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// A file that is made inherits who may use it.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// A file that is made inherits who may use it.
pub fn own(options: &mut OpenOptions, _readable: bool) -> &mut OpenOptions {
    options
}

/// Modes do not say it here.
pub fn is_open(_: &Metadata) -> bool {
    false
}

/// Modes do not say it here.
pub fn is_writable_by_others(_: &Metadata) -> bool {
    false
}

/// Nothing is to be done: no file of ours is opened to others.
pub fn close(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Nothing is to be done: no file of ours is opened to others.
pub fn close_open(_: &File) -> io::Result<()> {
    Ok(())
}

/// Nothing is to be done: no folder of ours is opened to others.
pub fn close_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether a file can be run.
pub fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("exe")) && path.is_file()
}

/// Whether it is what a hub that was killed leaves at its place: the file that says where it listened.
pub fn is_leftover(about: &Metadata) -> bool {
    about.is_file()
}

/// What is another number for most other files of the same name: when it was made. The system gives a file that takes
/// the place of another within seconds the same time, so ask for length and time of change, too.
pub fn number(about: &Metadata) -> u64 {
    about.creation_time()
}

/// There are no bits that say who may do what.
pub fn mode(_: &Metadata) -> u32 {
    0
}
