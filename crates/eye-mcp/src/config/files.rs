//! Reads the files of a config, merges them in order, and notices when one changes. A project's entries are merged only
//! where the user agreed to them.

use super::consent::{Consents, consent_file, fingerprint};
use super::error::ConfigError;
use super::import::import;
use super::model::{Config, ServerConfig};
use super::read::parse;
use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The path of a project's file, below the project.
const PROJECT_FILE: &str = ".eye/config.yaml";

/// The path of MCP Browser's config, for projects that have only that.
const MCP_BROWSER_FILE: &str = ".mcp-browser/config.yaml";

/// Modification time and size of a file when it was read, to notice that it changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp(Option<(SystemTime, u64)>);

/// Defaults, the user's file, the project's file and the command line, merged.
#[derive(Clone, Debug)]
pub struct Layers {
    /// The merged config, without entries that the user did not agree to.
    pub config: Config,
    /// The base of relative paths.
    pub base: PathBuf,
    /// Every entry of the project's file, agreed to or not.
    pub project: Vec<ProjectEntry>,
    /// Files that could not be used; the other files still count.
    pub errors: Vec<ConfigError>,
    files: Vec<(PathBuf, Stamp)>,
    /// The user id whose files are accepted.
    uid: Option<u32>,
    /// Servers whose `cwd` comes from the user's own file.
    own_cwd: HashSet<String>,
    /// The folder of the user's own file.
    user_folder: PathBuf,
}

/// A server from a project's file.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectEntry {
    pub name: String,
    /// The entry that would run: the project's laid over the user's own, if there is one.
    pub entry: ServerConfig,
    /// The project's part of it.
    pub layer: ServerConfig,
    /// The hash that consent is bound to.
    pub hash: String,
    /// Whether the user agreed to the entry as it is now.
    pub trusted: bool,
    /// Whether the user has an entry of this name, which counts until then.
    pub over_own: bool,
}

impl Layers {
    /// Reads the config for a folder. Consent is read only from the file beside the user's config.
    pub fn read(user: Option<&Path>, cwd: &Path, overrides: &Config) -> Self {
        Self::read_as(eye_platform::user::id(), user, cwd, overrides)
    }

    /// Like [`Layers::read`], as the user with this id.
    pub(super) fn read_as(uid: Option<u32>, user: Option<&Path>, cwd: &Path, overrides: &Config) -> Self {
        let project = project_file(cwd);
        let base = match &project {
            Some(file) => file.ancestors().nth(2).unwrap_or(cwd).to_owned(),
            None => cwd.to_owned(),
        };
        let (config, project_entries) = (Config::default(), Vec::new());
        let user_folder = user.and_then(Path::parent).unwrap_or(&base).to_owned();
        let mut layers = Self {
            config,
            base,
            project: project_entries,
            errors: Vec::new(),
            files: Vec::new(),
            uid,
            own_cwd: HashSet::new(),
            user_folder,
        };
        if let Some(layer) = user.and_then(|file| layers.layer(file)) {
            let with_cwd = layer.servers.iter().filter(|(_, entry)| entry.cwd.is_some());
            layers.own_cwd = with_cwd.map(|(name, _)| name.clone()).collect();
            layers.config = layer;
        }
        // Without a project file, the path where one would be is watched.
        let file = project.unwrap_or_else(|| cwd.join(PROJECT_FILE));
        if let Some(layer) = layers.layer(&file) {
            let consents = user.map(|user| layers.consents(&consent_file(user))).unwrap_or_default();
            match user_only(&layer) {
                None => layers.add_project(layer, &consents),
                Some(why) => layers.errors.push(ConfigError::new(&file, why).hint(
                    "name its variables under `env`, as in `env: { KEY: \"${KEY}\" }`, or set it in your own config",
                )),
            }
        }
        layers.overlay(overrides);
        layers.config = std::mem::take(&mut layers.config).under(overrides.clone());
        layers
    }

    /// The project's folder, as consents name it.
    pub fn project_folder(&self) -> PathBuf {
        fs::canonicalize(&self.base).unwrap_or_else(|_| self.base.clone())
    }

    /// The base of a server's relative `cwd`: the project for an entry of the project's file or the command line, the
    /// user's home for one of the user's own file, which must not mean another folder in every project.
    pub fn base_of<'a>(&'a self, server: &str, home: Option<&'a Path>) -> &'a Path {
        if self.own_cwd.contains(server) { home.unwrap_or(&self.user_folder) } else { &self.base }
    }

    /// Forgets servers of the user's own file whose `cwd`, command or URL this layer replaces.
    fn overlay(&mut self, layer: &Config) {
        for (name, entry) in &layer.servers {
            if entry.cwd.is_some() || entry.command.is_some() || entry.url.is_some() {
                self.own_cwd.remove(name);
            }
        }
    }

    fn add_project(&mut self, mut layer: Config, consents: &Consents) {
        let folder = self.project_folder();
        for (name, entry) in &layer.servers {
            let own = self.config.servers.get(name);
            let merged = own.cloned().unwrap_or_default().under(entry.clone());
            let hash = fingerprint(name, &merged);
            let trusted = consents.hold(&folder, name, &hash);
            let (name, layer, over_own) = (name.clone(), entry.clone(), own.is_some());
            self.project.push(ProjectEntry { name, entry: merged, layer, hash, trusted, over_own });
        }
        // Consent is given for entries, not for `onboarding`, so it counts in the user's own file only.
        layer.onboarding = None;
        layer.servers.retain(|name, _| self.project.iter().any(|entry| entry.trusted && entry.name == *name));
        self.overlay(&layer);
        self.config = std::mem::take(&mut self.config).under(layer);
    }

    fn layer(&mut self, file: &Path) -> Option<Config> {
        let text = self.text(file)?;
        let read = if file.ends_with(MCP_BROWSER_FILE) {
            // MCP Browser's file has other keys beside the servers.
            let folder = file.ancestors().nth(2).unwrap_or(file);
            import(&text, file, folder).map(|found| Config { servers: found.servers, ..Config::default() })
        } else {
            parse(&text, file)
        };
        read.map_err(|error| self.errors.push(error)).ok()
    }

    fn consents(&mut self, file: &Path) -> Consents {
        self.files.push((file.to_owned(), Stamp::of(file)));
        if let Some(error) = stranger(file, self.uid) {
            self.errors.push(error);
            return Consents::default();
        }
        Consents::read(file).map_err(|error| self.errors.push(error)).unwrap_or_default()
    }

    fn text(&mut self, file: &Path) -> Option<String> {
        // The stamp is taken before reading, so that a change in between is noticed the next time.
        self.files.push((file.to_owned(), Stamp::of(file)));
        if let Some(error) = stranger(file, self.uid) {
            self.errors.push(error);
            return None;
        }
        match fs::read_to_string(file) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == ErrorKind::NotFound || error.kind() == ErrorKind::NotADirectory => None,
            Err(error) => {
                self.errors.push(ConfigError::new(file, format!("cannot be read: {error}")));
                None
            }
        }
    }

    /// Whether a file changed since it was read.
    pub fn changed(&self) -> bool {
        self.files.iter().any(|(file, stamp)| Stamp::of(file) != *stamp)
    }
}

/// Refuses keys that count in the user's own file only: a repository must not choose which secrets its programs get.
fn user_only(layer: &Config) -> Option<String> {
    if layer.rate.is_some() {
        return Some("`rate` is not taken from a project's config".into());
    }
    let (name, _) = layer.servers.iter().find(|(_, entry)| entry.inherit_env.is_some())?;
    Some(format!("`inherit_env` of the server `{name}` is not taken from a project's config"))
}

/// Refuses a file that belongs neither to this user nor to root: in a shared folder, any user could put a config above
/// ours.
fn stranger(file: &Path, uid: Option<u32>) -> Option<ConfigError> {
    let owner = eye_platform::user::owner(&fs::metadata(file).ok()?)?;
    let foreign = owner != 0 && Some(owner) != uid;
    foreign.then(|| {
        let why = format!("it belongs to another user ({owner}), and would start programs as you");
        ConfigError::new(file, why).hint("make it yours, or work in another folder")
    })
}

impl Stamp {
    pub fn of(file: &Path) -> Self {
        Self(fs::metadata(file).ok().and_then(|data| Some((data.modified().ok()?, data.len()))))
    }
}

/// The nearest project file, upwards from `cwd`. In a folder that has both, eye's own file wins.
pub fn project_file(cwd: &Path) -> Option<PathBuf> {
    let files = cwd.ancestors().flat_map(|folder| [PROJECT_FILE, MCP_BROWSER_FILE].map(|file| folder.join(file)));
    files.into_iter().find(|file| file.is_file())
}
