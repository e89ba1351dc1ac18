//! Files and folders of one user alone, and how to detect that a file was replaced.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::MetadataExt;
use std::path::Path;

/// Creates a folder and its parents. Access rights are inherited.
pub fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Files are created with inherited access rights.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Files are created with inherited access rights.
pub fn own(options: &mut OpenOptions, _readable: bool) -> &mut OpenOptions {
    options
}

/// Always false: Windows has no mode bits to read this from.
pub fn is_open(_: &Metadata) -> bool {
    false
}

/// Always false: Windows has no mode bits to read this from.
pub fn is_writable_by_others(_: &Metadata) -> bool {
    false
}

/// Does nothing: eye opens no file to others.
pub fn close(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Does nothing: eye opens no file to others.
pub fn close_open(_: &File) -> io::Result<()> {
    Ok(())
}

/// Does nothing: eye opens no folder to others.
pub fn close_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether a file is a program.
pub fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("exe")) && path.is_file()
}

/// Whether it is what a killed hub leaves in place of its socket: the file with its port.
pub fn is_leftover(about: &Metadata) -> bool {
    about.is_file()
}

/// The creation time, which differs for most other files of the same name. A file that replaces another within seconds
/// gets the same time, so also compare length and modification time.
pub fn number(about: &Metadata) -> u64 {
    about.creation_time()
}

/// Always 0: there are no mode bits.
pub fn mode(_: &Metadata) -> u32 {
    0
}
