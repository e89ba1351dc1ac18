//! Named tokens: what each may do, whose pages it sees, until when. The file holds hashes, never secrets.

mod sharing;

use super::token::{self, Token};
use eye_platform::files;
use eye_protocol::extension::EXTENSION_ORIGIN;
use eye_protocol::operations::Class;
use eye_protocol::scope::{Bearer, Limits, Scope};
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use subtle::ConstantTimeEq;

pub const TOKENS_LEN_MAX: usize = 256;
pub const TOKEN_NAME_BYTES_MAX: usize = 64;
/// Most origins in one token.
pub const TOKEN_PAGES_LEN_MAX: usize = 64;

/// One token as stored in the file and printed by `eye token list`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Row {
    /// 1 to 64 of `[A-Za-z0-9_.-]`.
    pub name: String,
    /// SHA-256 of the secret, in hex. The secret has 256 random bits, so a plain hash cannot be reversed.
    hash: String,
    /// The words of `--may`.
    pub may: Vec<String>,
    /// The origins whose pages the token sees; for `join`, the page's own origin. Empty: all.
    #[serde(default)]
    pub pages: Vec<String>,
    /// Unix time in ms.
    pub created_at: u64,
    /// Unix time in ms; `None`: never.
    #[serde(default)]
    pub expires_at: Option<u64>,
}

/// The properties of a new token.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    pub name: String,
    pub may: Vec<Class>,
    /// The origins whose pages the token sees; for `join`, the page's own origin.
    pub pages: Vec<String>,
    /// Unix time in ms; `None`: never.
    pub expires_at: Option<u64>,
}

/// Why a token cannot be made or used.
#[derive(Debug, thiserror::Error)]
pub enum TokensError {
    #[error("`{0}` is not a token's name: 1 to {TOKEN_NAME_BYTES_MAX} letters, digits, `_`, `.` or `-`")]
    Name(String),
    /// The name is taken.
    #[error("there is a token `{0}` already")]
    Known(String),
    /// No token has this name.
    #[error("there is no token `{0}`")]
    Unknown(String),
    /// Not an origin.
    #[error("`{0}` is not an origin: scheme, host and port, such as https://shop.example")]
    Origin(String),
    /// A token for joining must name exactly one origin.
    #[error("a token with `join` names exactly one origin and allows nothing else")]
    Join,
    /// Too many tokens, or too many origins in one.
    #[error("there are {TOKENS_LEN_MAX} tokens already, or more than {TOKEN_PAGES_LEN_MAX} origins in one")]
    Full,
    /// The content of the file is not as this hub writes it.
    #[error("{path} cannot be used: {why}")]
    File { path: PathBuf, why: String },
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
}

/// The result of looking up a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    Agent(Scope),
    /// A token for pages of this origin.
    Page(Box<str>, Bearer),
    /// The name of an expired token.
    Expired(String),
    /// Not a token of this hub.
    Unknown,
}

/// One state of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileVersion {
    number: u64,
    len: u64,
    modified: Option<SystemTime>,
    mode: u32,
}

/// Which tokens are valid at one time, by [`Bearer::id`].
#[derive(Clone, Debug, Default)]
pub struct Valid {
    ids: HashSet<Box<str>>,
    expired: HashSet<Box<str>>,
    unreadable: bool,
    /// When the next token expires, Unix time in ms.
    pub next_expiry_ms: Option<u64>,
}

impl Valid {
    /// Why a token is not valid; `None`: it is.
    pub fn fault(&self, bearer: &Bearer) -> Option<String> {
        let name = &bearer.name;
        if self.ids.contains(&bearer.id) {
            None
        } else if self.unreadable {
            Some(format!("the token `{name}` is not valid: the hub cannot read its file of tokens"))
        } else if self.expired.contains(&bearer.id) {
            Some(format!("the token `{name}` has expired"))
        } else {
            Some(format!("the token `{name}` was revoked"))
        }
    }
}

impl Row {
    fn bearer(&self) -> Bearer {
        // Enough of the hash to distinguish tokens, too little to look one up.
        Bearer { name: self.name.as_str().into(), id: self.hash.chars().take(TOKEN_ID_LEN).collect::<String>().into() }
    }
}

/// A token's id: the start of its hash.
pub fn id_of(secret: &str) -> String {
    hash(secret).chars().take(TOKEN_ID_LEN).collect()
}

/// Hex digits of the hash in a token's id.
const TOKEN_ID_LEN: usize = 16;

/// The tokens of the file at one time; `None`: it could not be read.
#[derive(Debug)]
pub struct Rows(Option<Vec<Row>>);

impl Rows {
    /// Looks up a secret. If the file could not be read, every secret is unknown.
    pub fn find(&self, secret: &str, now_ms: u64) -> Found {
        let Some(rows) = &self.0 else { return Found::Unknown };
        let wanted = hash(secret);
        // Compares with every row, so that timing does not reveal a partial match.
        let mut found = None;
        for row in rows {
            if bool::from(row.hash.as_bytes().ct_eq(wanted.as_bytes())) {
                found = Some(row);
            }
        }
        let Some(row) = found else { return Found::Unknown };
        if row.expires_at.is_some_and(|at| at <= now_ms) {
            return Found::Expired(row.name.clone());
        }
        let may: Vec<Class> = row.may.iter().filter_map(|word| Class::parse(word)).collect();
        if let ([Class::Join], [origin]) = (&may[..], &row.pages[..]) {
            return Found::Page(origin.as_str().into(), row.bearer());
        }
        let pages = row.pages.iter().map(|page| page.as_str().into()).collect();
        let Bearer { name, id } = row.bearer();
        Found::Agent(Scope::limited(Limits { name, id, may, pages, void: None }))
    }

    /// The token with this id for pages of this origin, with its hash. Both sides of a pairing proof know the hash; it
    /// is never sent.
    pub fn paired(&self, id: &str, origin: &str, now_ms: u64) -> Option<(Bearer, Box<str>)> {
        let is_it = |row: &&Row| {
            let valid = row.expires_at.is_none_or(|at| at > now_ms);
            valid && *row.bearer().id == *id && row.may == [Class::Join.word()] && row.pages == [origin]
        };
        self.0.as_ref()?.iter().find(is_it).map(|row| (row.bearer(), row.hash.as_str().into()))
    }

    pub fn valid(&self, now_ms: u64) -> Valid {
        let Some(rows) = &self.0 else { return Valid { unreadable: true, ..Valid::default() } };
        let mut valid = Valid::default();
        for row in rows {
            match row.expires_at {
                Some(at) if at <= now_ms => valid.expired.insert(row.bearer().id),
                expires_at => {
                    valid.next_expiry_ms = valid.next_expiry_ms.into_iter().chain(expires_at).min();
                    valid.ids.insert(row.bearer().id)
                }
            };
        }
        valid
    }
}

impl FileVersion {
    /// The file's current version; `None`: there is no file.
    pub fn of(path: &Path) -> Option<Self> {
        let meta = fs::metadata(path).ok()?;
        let (number, mode) = (files::number(&meta), files::mode(&meta));
        Some(Self { number, len: meta.len(), modified: meta.modified().ok(), mode })
    }

    /// Whether the file was last written at least `age_ms` before `now_ms`.
    pub fn is_older_than(&self, age_ms: u64, now_ms: u64) -> bool {
        let since = self.modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        let written_ms = since.as_secs().saturating_mul(1_000).saturating_add(999);
        now_ms.saturating_sub(written_ms) >= age_ms
    }
}

/// The named tokens of one hub, in their file.
#[derive(Clone, Debug)]
pub struct Tokens {
    path: PathBuf,
}

impl Tokens {
    /// The file need not exist.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// All tokens, including expired ones.
    pub fn list(&self) -> Result<Vec<Row>, TokensError> {
        let io = |source| TokensError::Io { path: self.path.clone(), source };
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(io(error)),
        };
        let wrong = |why: String| TokensError::File { path: self.path.clone(), why };
        if files::is_open(&fs::metadata(&self.path).map_err(io)?) {
            return Err(wrong("others can read it; run `chmod 600` on it".into()));
        }
        let rows: Vec<Row> = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let known = |row: &Row| row.may.iter().all(|word| Class::parse(word).is_some());
        if rows.len() > TOKENS_LEN_MAX || !rows.iter().all(known) {
            return Err(wrong("it was written by another version of eye".into()));
        }
        Ok(rows)
    }

    /// Makes a token and returns its secret, which is stored nowhere.
    pub fn create(&self, wish: Wish, now_ms: u64) -> Result<Token, TokensError> {
        let _alone = self.lock()?;
        let mut rows = self.list()?;
        if !is_name(&wish.name) {
            return Err(TokensError::Name(wish.name));
        }
        if rows.iter().any(|row| row.name == wish.name) {
            return Err(TokensError::Known(wish.name));
        }
        if rows.len() >= TOKENS_LEN_MAX || wish.pages.len() > TOKEN_PAGES_LEN_MAX {
            return Err(TokensError::Full);
        }
        if let Some(page) = wish.pages.iter().find(|page| !is_origin(page) && *page != EXTENSION_ORIGIN) {
            return Err(TokensError::Origin(page.clone()));
        }
        if wish.may.contains(&Class::Join) && (wish.may.len() > 1 || wish.pages.len() != 1) {
            return Err(TokensError::Join);
        }
        let secret = token::fresh().map_err(|source| TokensError::Io { path: self.path.clone(), source })?;
        rows.push(Row {
            name: wish.name,
            hash: hash(secret.reveal()),
            may: wish.may.iter().map(|class| class.word().to_owned()).collect(),
            pages: wish.pages,
            created_at: now_ms,
            expires_at: wish.expires_at,
        });
        self.write(&rows)?;
        Ok(secret)
    }

    /// Revokes every token of this name: disconnected hubs of a cluster may have made several.
    pub fn revoke(&self, name: &str, now_ms: u64) -> Result<(), TokensError> {
        let _alone = self.lock()?;
        let mut rows = self.list()?;
        let gone: Vec<Row> = rows.extract_if(.., |row| row.name == name).collect();
        if gone.is_empty() {
            return Err(TokensError::Unknown(name.to_owned()));
        }
        // The revocation is noted first: a noted token that is still in the file is revoked again, but a token in
        // neither file would come back from another hub.
        let shared = gone.iter().filter(|row| !row.stays_here());
        self.note_revoked(shared.map(|row| row.shared(Some(now_ms))), now_ms)?;
        self.write(&rows)
    }

    /// The current tokens, for lookups.
    pub fn rows(&self) -> Rows {
        Rows(self.list().ok())
    }

    /// Changes with every change of the file.
    pub fn version(&self) -> Option<FileVersion> {
        FileVersion::of(&self.path)
    }

    fn write(&self, rows: &[Row]) -> Result<(), TokensError> {
        let text = serde_json::to_string_pretty(rows).unwrap_or_default();
        token::write_private(&self.path, &text).map_err(|source| TokensError::Io { path: self.path.clone(), source })
    }
}

/// The file of named tokens beside the file of the hub's own token.
pub fn beside(token_file: &Path) -> PathBuf {
    token_file.with_file_name("tokens.json")
}

fn hash(secret: &str) -> String {
    let mut text = String::with_capacity(64);
    for byte in digest(&SHA256, secret.as_bytes()).as_ref() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn is_name(text: &str) -> bool {
    let clean = |b: u8| b.is_ascii_alphanumeric() || b"_.-".contains(&b);
    (1..=TOKEN_NAME_BYTES_MAX).contains(&text.len()) && text.bytes().all(clean)
}

/// `scheme://host[:port]`, as a browser sends it: lower case, no path.
fn is_origin(text: &str) -> bool {
    let Some(host) = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://")) else { return false };
    let clean = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b".-:[]_".contains(&b);
    !host.is_empty() && host.bytes().all(clean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    fn tokens() -> (Tokens, tempfile::TempDir) {
        let home = tempfile::tempdir().unwrap();
        (Tokens::new(home.path().join("eye/tokens.json")), home)
    }

    fn wish(name: &str, may: &[Class], pages: &[&str]) -> Wish {
        let pages = pages.iter().map(|page| (*page).to_owned()).collect();
        Wish { name: name.into(), may: may.to_vec(), pages, expires_at: None }
    }

    #[test]
    fn a_token_is_known_by_its_secret_until_it_expires_or_is_revoked() {
        let (tokens, _home) = tokens();
        let forever = tokens.create(wish("ci", &[Class::Read], &["http://a"]), 5).unwrap();
        let soon = tokens.create(Wish { expires_at: Some(10), ..wish("soon", &[Class::Act], &[]) }, 5).unwrap();
        assert_eq!(forever.reveal().len(), 64);
        let Found::Agent(scope) = tokens.rows().find(forever.reveal(), 9) else { panic!("known") };
        assert!(scope.may(Class::Read) && !scope.may(Class::Act) && scope.sees("http://a") && !scope.sees("http://b"));
        assert!(matches!(tokens.rows().find(soon.reveal(), 9), Found::Agent(_)));
        assert_eq!(tokens.rows().find(soon.reveal(), 10), Found::Expired("soon".into()));
        assert_eq!(tokens.rows().find("", 9), Found::Unknown);
        let file = fs::read_to_string(&tokens.path).unwrap();
        assert!(!file.contains(forever.reveal()), "the file holds no secret");
        assert_eq!(fs::metadata(&tokens.path).unwrap().mode() & 0o777, 0o600);
        tokens.revoke("ci", 9).unwrap();
        assert_eq!(tokens.rows().find(forever.reveal(), 9), Found::Unknown);
        assert!(matches!(tokens.revoke("ci", 9), Err(TokensError::Unknown(_))));
    }

    #[test]
    fn a_connection_learns_why_its_token_is_no_longer_valid() {
        let (tokens, _home) = tokens();
        let bearer = |secret: &Token| match tokens.rows().find(secret.reveal(), 0) {
            Found::Agent(scope) => scope.bearer().unwrap(),
            other => panic!("{other:?}"),
        };
        let ci = bearer(&tokens.create(wish("ci", &[Class::Read], &[]), 0).unwrap());
        let soon = Wish { expires_at: Some(10), ..wish("soon", &[Class::Act], &[]) };
        let soon = bearer(&tokens.create(soon, 0).unwrap());
        let before = tokens.version();
        assert_eq!(tokens.rows().valid(9).next_expiry_ms, Some(10));
        assert_eq!((tokens.rows().valid(9).fault(&ci), tokens.rows().valid(9).fault(&soon)), (None, None));
        assert_eq!(tokens.rows().valid(10).fault(&soon).unwrap(), "the token `soon` has expired");
        assert_eq!(tokens.rows().valid(10).next_expiry_ms, None);
        tokens.revoke("ci", 9).unwrap();
        assert_ne!(tokens.version(), before);
        tokens.create(wish("ci", &[Class::Read], &[]), 0).unwrap();
        assert_eq!(
            tokens.rows().valid(9).fault(&ci).unwrap(),
            "the token `ci` was revoked",
            "another one has its name now"
        );
        fs::write(&tokens.path, "[{").unwrap();
        assert!(tokens.rows().valid(9).fault(&soon).unwrap().contains("cannot read"));
    }

    #[test]
    fn a_join_token_is_a_page_of_one_origin() {
        let (tokens, _home) = tokens();
        let secret = tokens.create(wish("shop", &[Class::Join], &["https://shop.test"]), 0).unwrap();
        assert!(matches!(tokens.rows().find(secret.reveal(), 0), Found::Page(origin, bearer)
            if *origin == *"https://shop.test" && *bearer.name == *"shop"));
        for (may, pages) in [
            (&[Class::Join][..], &[][..]),
            (&[Class::Join], &["http://a", "http://b"]),
            (&[Class::Join, Class::Read], &["http://a"]),
        ] {
            assert!(matches!(tokens.create(wish("x", may, pages), 0), Err(TokensError::Join)));
        }
    }

    #[test]
    fn names_origins_and_numbers_have_limits() {
        let (tokens, _home) = tokens();
        let long = "a".repeat(TOKEN_NAME_BYTES_MAX);
        assert!(tokens.create(wish(&long, &[], &[]), 0).is_ok());
        assert!(matches!(tokens.create(wish(&long, &[], &[]), 0), Err(TokensError::Known(_))));
        for name in ["", "a b", "ä", &"a".repeat(TOKEN_NAME_BYTES_MAX + 1)] {
            assert!(matches!(tokens.create(wish(name, &[], &[]), 0), Err(TokensError::Name(_))), "{name}");
        }
        for page in ["a", "http://", "http://A", "http://a/", "ftp://a", "*", "http://*"] {
            assert!(matches!(tokens.create(wish("x", &[], &[page]), 0), Err(TokensError::Origin(_))), "{page}");
        }
        let many = vec!["http://a"; TOKEN_PAGES_LEN_MAX + 1];
        assert!(matches!(tokens.create(wish("x", &[], &many), 0), Err(TokensError::Full)));
        for n in 1..TOKENS_LEN_MAX {
            tokens.create(wish(&format!("t{n}"), &[], &[]), 0).unwrap();
        }
        assert!(matches!(tokens.create(wish("one-more", &[], &[]), 0), Err(TokensError::Full)));
    }

    #[test]
    fn a_file_that_others_can_read_or_that_is_broken_knows_no_token() {
        use std::os::unix::fs::PermissionsExt;
        let (tokens, _home) = tokens();
        let secret = tokens.create(wish("ci", &[Class::Read], &[]), 0).unwrap();
        fs::set_permissions(&tokens.path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(tokens.rows().find(secret.reveal(), 0), Found::Unknown);
        assert!(matches!(tokens.list(), Err(TokensError::File { .. })));
        fs::set_permissions(&tokens.path, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&tokens.path, "[{").unwrap();
        assert_eq!(tokens.rows().find(secret.reveal(), 0), Found::Unknown);
    }
}
