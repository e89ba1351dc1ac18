//! Consent: which entries of project configs the user agreed to run. Stored beside the user's own config, so that a
//! repository cannot bring its own consent along.

use super::error::ConfigError;
use super::model::ServerConfig;
use super::private;
use crate::limits::{CONSENT_BYTES_MAX, CONSENTS_MAX};
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The file's name, in the folder of the user's config.
const FILE: &str = "trusted.json";
/// Bytes of SHA-256 that are kept: at 128 bits, finding another entry with the same hash is infeasible.
const HASH_BYTES: usize = 16;

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Consents {
    #[serde(default)]
    servers: Vec<Consent>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
struct Consent {
    /// The project's folder, symbolic links resolved: the same entry in another checkout may start another program.
    folder: PathBuf,
    name: String,
    hash: String,
}

/// The consent file that belongs to this user config.
pub fn consent_file(user_config: &Path) -> PathBuf {
    user_config.with_file_name(FILE)
}

/// The hash that consent is bound to: over the entry's name and all its keys.
pub fn fingerprint(name: &str, entry: &ServerConfig) -> String {
    let mut entry = serde_json::to_value(entry).unwrap_or_default();
    // The order of keys in the file does not matter.
    entry.sort_all_objects();
    let text = serde_json::json!(["eye server entry 1", name, entry]).to_string();
    let hash = digest(&SHA256, text.as_bytes());
    hash.as_ref()[..HASH_BYTES].iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Consents {
    /// Reads the file. A missing file is an empty list of consents.
    pub fn read(file: &Path) -> Result<Self, ConfigError> {
        let refused = |why: String| ConfigError::new(file, why).hint("remove it, and trust the servers again");
        let text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Self::default());
            }
            Err(error) => return Err(refused(format!("cannot be read: {error}"))),
        };
        if text.len() > CONSENT_BYTES_MAX {
            return Err(refused(format!("more than {} MiB", CONSENT_BYTES_MAX >> 20)));
        }
        serde_json::from_str(&text).map_err(|error| refused(format!("not JSON: {error}")))
    }

    /// Whether exactly this entry of this project was agreed to.
    pub fn hold(&self, folder: &Path, name: &str, hash: &str) -> bool {
        self.servers.iter().any(|given| given.folder == folder && given.name == name && given.hash == hash)
    }

    /// Records consent, replacing an earlier one for the same name. Above the limit, the oldest consents are dropped.
    pub fn give(&mut self, folder: &Path, name: &str, hash: &str) {
        self.withdraw(folder, name);
        self.servers.push(Consent { folder: folder.to_owned(), name: name.to_owned(), hash: hash.to_owned() });
        let over = self.servers.len().saturating_sub(CONSENTS_MAX);
        self.servers.drain(..over);
    }

    /// Removes consent; returns whether there was any.
    pub fn withdraw(&mut self, folder: &Path, name: &str) -> bool {
        let before = self.servers.len();
        self.servers.retain(|given| given.folder != folder || given.name != name);
        self.servers.len() < before
    }

    /// Writes the file with permissions for its owner only.
    pub fn write(&self, file: &Path) -> std::io::Result<()> {
        private::write(file, &format!("{:#}\n", serde_json::to_value(self)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse;
    use std::os::unix::fs::PermissionsExt;

    fn entry(text: &str) -> ServerConfig {
        parse(&format!("servers:\n  a: {text}\n"), Path::new("c.yaml")).unwrap().servers["a"].clone()
    }

    #[test]
    fn every_key_of_an_entry_counts_and_its_order_does_not() {
        let keys = [
            "command: x",
            "args: [x]",
            "env: { A: x }",
            "url: 'http://x'",
            "headers: { A: x }",
            "name: x",
            "description: x",
            "enabled: true",
            "cwd: x",
            "timeout: 1",
            "startup: with_hub",
            "allow: [x]",
            "deny: [x]",
            "cache: { ttl: 1 }",
            "era: modern",
            "inherit_env: true",
        ];
        let mut hashes: Vec<String> = keys.map(|key| fingerprint("a", &entry(&format!("{{ {key} }}")))).to_vec();
        hashes.extend([fingerprint("a", &ServerConfig::default()), fingerprint("b", &ServerConfig::default())]);
        let count = hashes.len();
        hashes.sort();
        hashes.dedup();
        assert_eq!(hashes.len(), count);
        assert!(hashes.iter().all(|hash| hash.len() == 2 * HASH_BYTES));
        let (one, other) =
            (entry("{ command: x, env: { A: '1', B: '2' } }"), entry("{ env: { B: '2', A: '1' }, command: x }"));
        assert_eq!(fingerprint("a", &one), fingerprint("a", &other));
    }

    #[test]
    fn consent_is_for_one_entry_of_one_folder_and_there_is_an_end_of_them() {
        let (here, there) = (Path::new("/here"), Path::new("/there"));
        let mut consents = Consents::default();
        consents.give(here, "a", "1");
        assert!(consents.hold(here, "a", "1"));
        assert!(!consents.hold(here, "a", "2") && !consents.hold(here, "b", "1") && !consents.hold(there, "a", "1"));
        consents.give(here, "a", "2");
        assert!(consents.hold(here, "a", "2") && !consents.hold(here, "a", "1"));
        assert!(consents.withdraw(here, "a") && !consents.withdraw(here, "a"));
        for n in 0..=CONSENTS_MAX {
            consents.give(here, &n.to_string(), "1");
        }
        assert!(!consents.hold(here, "0", "1") && consents.hold(here, "1", "1"));
        assert_eq!(consents.servers.len(), CONSENTS_MAX);
    }

    #[test]
    fn the_file_is_its_owners_alone_and_nonsense_in_it_is_no_consent() {
        let home = tempfile::tempdir().unwrap();
        let file = consent_file(&home.path().join("eye/config.yaml"));
        assert_eq!(Consents::read(&file), Ok(Consents::default()));
        let mut consents = Consents::default();
        consents.give(Path::new("/here"), "a", "1");
        consents.write(&file).unwrap();
        assert_eq!(Consents::read(&file).unwrap(), consents);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        fs::write(&file, "nonsense").unwrap();
        assert!(Consents::read(&file).is_err());
        let text = |bytes: usize| format!("{{\"servers\":[]{}}}", " ".repeat(bytes - 14));
        fs::write(&file, text(CONSENT_BYTES_MAX)).unwrap();
        assert!(Consents::read(&file).is_ok());
        fs::write(&file, text(CONSENT_BYTES_MAX + 1)).unwrap();
        assert!(Consents::read(&file).is_err());
    }
}
