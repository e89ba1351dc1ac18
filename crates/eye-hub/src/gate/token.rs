//! The bearer token: 256 random bits in a file that only its owner can read.

use eye_platform::files;
use std::fmt::{self, Write as _};
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use subtle::ConstantTimeEq;

const TOKEN_BYTES: usize = 32;

/// The secret that makes a TCP client an agent. Never printed by `Debug`.
#[derive(Clone)]
pub struct Token(Box<str>);

impl Token {
    /// Takes a token from another source, such as `EYE_TOKEN`.
    pub fn new(text: &str) -> Self {
        Self(text.trim().into())
    }

    /// Reads the file, or creates it with a new token.
    pub fn load_or_create(path: &Path) -> io::Result<Self> {
        match fs::read_to_string(path) {
            Ok(text) if text.trim().len() >= TOKEN_BYTES => {
                if files::is_open(&fs::metadata(path)?) {
                    let why = format!("{} can be read by others; run `chmod 600` on it", path.display());
                    return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
                }
                Ok(Self::new(&text))
            }
            Ok(_) => Self::rotate(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::create(path),
            Err(error) => Err(error),
        }
    }

    /// Makes a new token and replaces the file atomically.
    pub fn rotate(path: &Path) -> io::Result<Self> {
        let (token, fresh) = Self::write_beside(path)?;
        fs::rename(&fresh, path)?;
        Ok(token)
    }

    /// Makes the first token. If several processes do so at once, one wins and all use its token.
    fn create(path: &Path) -> io::Result<Self> {
        let (token, fresh) = Self::write_beside(path)?;
        let linked = fs::hard_link(&fresh, path);
        let _ = fs::remove_file(&fresh);
        match linked {
            Ok(()) => Ok(token),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Self::load_or_create(path),
            Err(error) => Err(error),
        }
    }

    fn write_beside(path: &Path) -> io::Result<(Self, PathBuf)> {
        let token = fresh()?;
        let beside = private_beside(path, token.reveal())?;
        Ok((token, beside))
    }

    /// Compares in constant time, so that timing does not reveal a partial match.
    pub fn matches(&self, candidate: &str) -> bool {
        !self.0.is_empty() && bool::from(self.0.as_bytes().ct_eq(candidate.as_bytes()))
    }

    /// The secret itself, for `eye token show`.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

/// A new secret, stored nowhere.
pub fn fresh() -> io::Result<Token> {
    let mut random = [0_u8; TOKEN_BYTES];
    getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
    let mut text = String::with_capacity(2 * TOKEN_BYTES);
    for byte in random {
        let _ = write!(text, "{byte:02x}");
    }
    Ok(Token(text.into()))
}

/// Atomically replaces a file by one that only its owner can read.
pub fn write_private(path: &Path, text: &str) -> io::Result<()> {
    fs::rename(private_beside(path, text)?, path)
}

fn private_beside(path: &Path, text: &str) -> io::Result<PathBuf> {
    if let Some(folder) = path.parent() {
        files::make_folder(folder)?;
    }
    let fresh = path.with_extension(format!("{}.new", std::process::id()));
    let _ = fs::remove_file(&fresh);
    let mut file = files::private(OpenOptions::new().write(true).create_new(true)).open(&fresh)?;
    writeln!(file, "{text}")?;
    file.sync_all()?;
    Ok(fresh)
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// How agents authenticate over TCP.
#[derive(Clone, Debug)]
pub enum Auth {
    /// With this token.
    Token(Token),
    /// Without a token: every program of this machine, and pages of loopback and allowed origins. For trying things on
    /// loopback.
    None,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_token_is_made_once_and_only_its_owner_reads_it() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("eye/token");
        let first = Token::load_or_create(&path).unwrap();
        assert_eq!(first.reveal().len(), 2 * TOKEN_BYTES);
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert!(first.matches(Token::load_or_create(&path).unwrap().reveal()));
        let second = Token::rotate(&path).unwrap();
        assert!(!second.matches(first.reveal()));
        assert!(!second.matches(""));
        assert_eq!(format!("{second:?}"), "Token(…)");
    }

    #[test]
    fn a_token_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("token");
        Token::rotate(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(Token::load_or_create(&path).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
    }
}
