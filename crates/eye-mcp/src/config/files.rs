//! The files a config comes from, who stands above whom, and whether they changed.

use super::{Config, ConfigError, parse};
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Where a project's file is, below the project.
const PROJECT_FILE: &str = ".eye/config.yaml";

/// A file as it was when it was read: enough to see that it is another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp(Option<(SystemTime, u64)>);

/// Defaults, the user's file, the project's file and the command line, merged.
#[derive(Clone, Debug)]
pub struct Layers {
    /// All of it.
    pub config: Config,
    /// The folder that relative paths are relative to.
    pub base: PathBuf,
    /// Why a file could not be used; the others stand.
    pub errors: Vec<ConfigError>,
    files: Vec<(PathBuf, Stamp)>,
}

impl Layers {
    /// Reads what there is for a folder.
    pub fn read(user: Option<&Path>, cwd: &Path, overrides: &Config) -> Self {
        Self::read_as(rustix::process::getuid().as_raw(), user, cwd, overrides)
    }

    /// Reads it as the user with this id.
    pub(super) fn read_as(uid: u32, user: Option<&Path>, cwd: &Path, overrides: &Config) -> Self {
        let project = project_file(cwd);
        let base = match &project {
            Some(file) => file.ancestors().nth(2).unwrap_or(cwd).to_owned(),
            None => cwd.to_owned(),
        };
        // A project's file that is yet to come is watched for too.
        let watched = project.unwrap_or_else(|| cwd.join(PROJECT_FILE));
        let mut layers = Self { config: Config::default(), base, errors: Vec::new(), files: Vec::new() };
        for file in user.map(Path::to_owned).into_iter().chain([watched]) {
            layers.add(file, uid);
        }
        layers.config = std::mem::take(&mut layers.config).under(overrides.clone());
        layers
    }

    fn add(&mut self, file: PathBuf, uid: u32) {
        // The stamp is older than what is read, so a change in between is seen the next time.
        let stamp = Stamp::of(&file);
        if let Some(owner) = stranger(&file, uid) {
            let why = format!("it belongs to another user ({owner}), and would start programs as you");
            self.errors.push(ConfigError::new(&file, why).hint("make it yours, or work in another folder"));
            self.files.push((file, stamp));
            return;
        }
        match fs::read_to_string(&file) {
            Ok(text) => match parse(&text, &file) {
                Ok(layer) => self.config = std::mem::take(&mut self.config).under(layer),
                Err(error) => self.errors.push(error),
            },
            Err(error) if error.kind() == ErrorKind::NotFound || error.kind() == ErrorKind::NotADirectory => {}
            Err(error) => self.errors.push(ConfigError::new(&file, format!("cannot be read: {error}"))),
        }
        self.files.push((file, stamp));
    }

    /// Whether a file is not what it was.
    pub fn changed(&self) -> bool {
        self.files.iter().any(|(file, stamp)| Stamp::of(file) != *stamp)
    }
}

/// The owner of a file, when that is neither this user nor the system: in a shared folder anybody may put one above us.
fn stranger(file: &Path, uid: u32) -> Option<u32> {
    let owner = fs::metadata(file).ok()?.uid();
    (owner != 0 && owner != uid).then_some(owner)
}

impl Stamp {
    /// The file as it is now.
    pub fn of(file: &Path) -> Self {
        Self(fs::metadata(file).ok().and_then(|data| Some((data.modified().ok()?, data.len()))))
    }
}

/// The project's file: the nearest one, upwards.
pub fn project_file(cwd: &Path) -> Option<PathBuf> {
    cwd.ancestors().map(|folder| folder.join(PROJECT_FILE)).find(|file| file.is_file())
}
