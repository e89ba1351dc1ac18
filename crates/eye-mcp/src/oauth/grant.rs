//! The result of a login, in one file per server URL, readable by its owner only.

use super::client::Client;
use super::error::OAuthError;
use crate::config::private;
use eye_platform::files;
use oauth2::{AccessToken, RefreshToken};
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A token that expires within this time is renewed before it is sent.
const RENEWED_BEFORE_S: u64 = 30;
/// The longest file that is read.
const GRANT_BYTES_MAX: u64 = 256 << 10;

/// A token with everything that its renewal needs.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Grant {
    /// The server's URL. The token is never sent elsewhere.
    pub url: String,
    /// The resource indicator that the token was requested for.
    pub resource: String,
    pub issuer: String,
    pub token_endpoint: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revocation_endpoint: Option<String>,
    pub client: Client,
    pub access_token: AccessToken,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<RefreshToken>,
    /// Unix time in seconds; a token without it is used until it is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at_s: Option<u64>,
    #[serde(default)]
    pub scopes: Vec<String>,
}

impl Grant {
    /// Whether the token has expired or is about to.
    pub fn is_over(&self, now_s: u64) -> bool {
        self.expires_at_s.is_some_and(|end| end <= now_s + RENEWED_BEFORE_S)
    }
}

/// Unix time in seconds.
pub fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs()
}

/// Modification time and size of a file, to notice that it changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp(SystemTime, u64);

/// The file of one server URL.
#[derive(Clone, Debug)]
pub struct GrantFile {
    url: String,
    path: PathBuf,
}

impl GrantFile {
    /// The file for this URL; it need not exist.
    pub fn new(folder: &Path, url: &str) -> Self {
        let hash = digest(&SHA256, url.as_bytes());
        let name = hash.as_ref()[..16].iter().fold(String::new(), |mut name, byte| {
            let _ = write!(name, "{byte:02x}");
            name
        });
        Self { url: url.to_owned(), path: folder.join(format!("{name}.json")) }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn stamp(&self) -> Option<Stamp> {
        let found = fs::metadata(&self.path).ok()?;
        Some(Stamp(found.modified().ok()?, found.len()))
    }

    /// The file's content. A grant for another URL is ignored, whatever the file's name.
    pub fn read(&self) -> Option<Grant> {
        let found = fs::metadata(&self.path).ok()?;
        let text = (found.len() <= GRANT_BYTES_MAX).then(|| fs::read_to_string(&self.path).ok())??;
        serde_json::from_str::<Grant>(&text).ok().filter(|grant| grant.url == self.url)
    }

    pub fn write(&self, grant: &Grant) -> Result<(), OAuthError> {
        let doing = || format!("write {}", self.path.display());
        let text =
            serde_json::to_string_pretty(grant).map_err(std::io::Error::other).map_err(OAuthError::io(doing()))?;
        private::write(&self.path, &(text + "\n")).map_err(OAuthError::io(doing()))
    }

    /// Removes the file; returns whether it existed.
    pub fn remove(&self) -> Result<bool, OAuthError> {
        match fs::remove_file(&self.path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(OAuthError::io(format!("remove {}", self.path.display()))(error)),
        }
    }

    /// Waits until no other process changes the file, and locks it until the result is dropped. Blocks.
    pub fn lock(&self) -> Result<File, OAuthError> {
        let file = self.open("lock")?;
        file.lock().map_err(OAuthError::io(format!("lock {}", self.path.display())))?;
        Ok(file)
    }

    /// Locks the login of this URL, so that only one runs at a time, until the result is dropped.
    pub fn lock_login(&self) -> Result<File, OAuthError> {
        let file = self.open("login")?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(fs::TryLockError::WouldBlock) => Err(OAuthError::Busy),
            Err(fs::TryLockError::Error(error)) => Err(OAuthError::io(format!("lock {}", self.path.display()))(error)),
        }
    }

    fn open(&self, extension: &str) -> Result<File, OAuthError> {
        let path = self.path.with_extension(extension);
        let folder = path.parent().unwrap_or(Path::new("."));
        let doing = format!("open {}", path.display());
        let made = files::make_folder(folder);
        let mut how = OpenOptions::new();
        let opened = made.and_then(|()| files::private(how.write(true).create(true).truncate(false)).open(&path));
        opened.map_err(OAuthError::io(doing))
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    pub fn grant(url: &str) -> Grant {
        serde_json::from_value(serde_json::json!({
            "url": url, "resource": url, "issuer": "https://auth.example", "token_endpoint": "https://auth.example/token",
            "client": { "id": "eye" }, "access_token": "at-secret", "refresh_token": "rt-secret",
        }))
        .unwrap()
    }

    #[test]
    fn a_login_is_its_owners_alone_and_for_one_address() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("logins");
        let file = GrantFile::new(&folder, "https://a.example/mcp");
        assert!(file.read().is_none() && file.stamp().is_none());
        file.write(&grant("https://a.example/mcp")).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&file.path), mode(&folder)), (0o600, 0o700));
        assert_eq!(file.read().unwrap().access_token.secret(), "at-secret");
        // Another URL has another file, and a file copied there is not accepted.
        let other = GrantFile::new(&folder, "https://a.example/other");
        assert!(other.read().is_none());
        fs::copy(&file.path, &other.path).unwrap();
        assert!(other.read().is_none());
        assert!(file.remove().unwrap() && !file.remove().unwrap());
    }

    #[test]
    fn no_secret_is_printed() {
        let shown = format!("{:?}", grant("https://a.example/mcp"));
        assert!(!shown.contains("at-secret") && !shown.contains("rt-secret"), "{shown}");
    }

    #[test]
    fn there_is_one_login_at_a_time() {
        let home = tempfile::tempdir().unwrap();
        let file = GrantFile::new(home.path(), "https://a.example/mcp");
        let held = file.lock_login().unwrap();
        assert!(matches!(file.lock_login(), Err(OAuthError::Busy)));
        assert!(GrantFile::new(home.path(), "https://b.example/mcp").lock_login().is_ok());
        drop(held);
        assert!(file.lock_login().is_ok());
    }

    #[test]
    fn a_token_is_renewed_shortly_before_its_end() {
        let ends = |end| Grant { expires_at_s: end, ..grant("https://a.example/mcp") };
        assert!(!ends(None).is_over(u64::MAX - RENEWED_BEFORE_S));
        assert!(!ends(Some(1_000)).is_over(1_000 - RENEWED_BEFORE_S - 1));
        assert!(ends(Some(1_000)).is_over(1_000 - RENEWED_BEFORE_S));
    }

    #[test]
    fn a_file_over_the_limit_is_not_read() {
        let home = tempfile::tempdir().unwrap();
        let file = GrantFile::new(home.path(), "https://a.example/mcp");
        let text = serde_json::to_string(&grant("https://a.example/mcp")).unwrap();
        let padded = |bytes: usize| format!("{text}{}", " ".repeat(bytes - text.len()));
        let max = usize::try_from(GRANT_BYTES_MAX).unwrap();
        fs::write(&file.path, padded(max)).unwrap();
        assert!(file.read().is_some());
        fs::write(&file.path, padded(max + 1)).unwrap();
        assert!(file.read().is_none());
    }
}
