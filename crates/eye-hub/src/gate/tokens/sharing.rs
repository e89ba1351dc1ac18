//! Tokens that the hubs of a cluster share: those sent to the others, and those received. Each hub stores all of them
//! in its own file, so that they stay valid while the other hubs are unreachable.

use super::{FileVersion, Row, TOKEN_PAGES_LEN_MAX, TOKENS_LEN_MAX, Tokens, TokensError, is_name, is_origin, token};
use eye_platform::files;
use eye_protocol::extension::EXTENSION_ORIGIN;
use eye_protocol::operations::Class;
use eye_protocol::shared_token::SharedToken;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::PathBuf;

/// Most revoked tokens that are remembered; the newest are kept. Expired ones need not be remembered.
pub const REVOKED_LEN_MAX: usize = 1024;

impl Row {
    pub(super) fn shared(&self, revoked_at: Option<u64>) -> SharedToken {
        SharedToken {
            hash: self.hash.as_str().into(),
            name: self.name.clone(),
            may: self.may.clone(),
            pages: self.pages.clone(),
            created_at: self.created_at,
            expires_at: self.expires_at,
            revoked_at,
        }
    }

    /// The row of a token that another hub made; `None`: this version could not have made it.
    fn of(token: SharedToken) -> Option<Self> {
        let SharedToken { hash, name, may, pages, created_at, expires_at, revoked_at: _ } = token;
        let is_hash = hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        let is_known = may.iter().all(|word| Class::parse(word).is_some()) && pages.iter().all(|page| is_origin(page));
        let is_page = may.iter().any(|word| word == Class::Join.word());
        let fits = pages.len() <= TOKEN_PAGES_LEN_MAX && (!is_page || (may.len() == 1 && pages.len() == 1));
        (is_hash && is_known && fits && is_name(&name)).then(|| Self {
            name,
            hash: hash.into(),
            may,
            pages,
            created_at,
            expires_at,
        })
    }

    /// The extension proves that it knows the hash of its token, so this hash never leaves the machine.
    pub(super) fn stays_here(&self) -> bool {
        self.pages.iter().any(|page| page == EXTENSION_ORIGIN)
    }
}

impl Tokens {
    /// The tokens for other hubs: valid ones, and revoked ones.
    pub fn shared(&self, now_ms: u64) -> Result<Vec<SharedToken>, TokensError> {
        let rows = self.list()?;
        let made = rows.iter().filter(|row| !row.stays_here()).map(|row| row.shared(None));
        let all = made.chain(self.revoked()?);
        Ok(all.filter(|token| !token.is_expired(now_ms)).collect())
    }

    /// Applies what other hubs made or revoked.
    pub fn take(&self, tokens: Vec<SharedToken>, now_ms: u64) -> Result<(), TokensError> {
        let _alone = self.lock()?;
        let mut rows = self.list()?;
        let before = rows.len();
        let (gone, made): (Vec<_>, Vec<_>) = tokens.into_iter().partition(SharedToken::is_revoked);
        rows.retain(|row| gone.iter().all(|token| *token.hash != *row.hash));
        let mut has_changed = rows.len() != before;
        if !gone.is_empty() {
            self.note_revoked(gone.into_iter(), now_ms)?;
        }
        let revoked = self.revoked()?;
        for token in made {
            let is_known = rows.iter().any(|row| *row.hash == *token.hash);
            let is_over = token.is_expired(now_ms) || revoked.iter().any(|gone| gone.hash == token.hash);
            if is_known || is_over {
                continue;
            }
            let name = token.name.clone();
            match Row::of(token) {
                Some(row) if rows.len() < TOKENS_LEN_MAX => rows.push(row),
                Some(_) => {
                    tracing::warn!(
                        name,
                        "a token of another hub is not valid here: there are {TOKENS_LEN_MAX} already"
                    );
                    continue;
                }
                None => {
                    tracing::warn!("a token of another hub is not valid here: this version cannot read it");
                    continue;
                }
            }
            has_changed = true;
        }
        if has_changed { self.write(&rows) } else { Ok(()) }
    }

    /// Changes with every change of the shared tokens.
    pub fn shared_version(&self) -> (Option<FileVersion>, Option<FileVersion>) {
        (self.version(), FileVersion::of(&self.revoked_file()))
    }

    /// Records revoked tokens.
    pub(super) fn note_revoked(
        &self,
        tokens: impl Iterator<Item = SharedToken>,
        now_ms: u64,
    ) -> Result<(), TokensError> {
        let before = self.revoked()?;
        let mut all = before.clone();
        for token in tokens {
            if all.iter().all(|known| known.hash != token.hash) {
                all.push(token);
            }
        }
        all.retain(|token| !token.is_expired(now_ms));
        all.sort_by_key(|token| token.revoked_at);
        let extra = all.len().saturating_sub(REVOKED_LEN_MAX);
        all.drain(..extra);
        if all == before {
            return Ok(());
        }
        let text = serde_json::to_string_pretty(&all).unwrap_or_default();
        let path = self.revoked_file();
        token::write_private(&path, &text).map_err(|source| TokensError::Io { path, source })
    }

    fn revoked(&self) -> Result<Vec<SharedToken>, TokensError> {
        let path = self.revoked_file();
        match fs::read_to_string(&path) {
            // An unreadable record must not prevent a revocation; the other hubs still have its content.
            Ok(text) => Ok(serde_json::from_str(&text).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(source) => Err(TokensError::Io { path, source }),
        }
    }

    fn revoked_file(&self) -> PathBuf {
        self.path.with_file_name("tokens-revoked.json")
    }

    /// Waits until no other process changes the files: commands and the hub both do. The lock lasts as long as the
    /// returned file.
    pub(super) fn lock(&self) -> Result<File, TokensError> {
        let path = self.path.with_file_name("tokens.lock");
        let open = || {
            if let Some(folder) = path.parent() {
                files::make_folder(folder)?;
            }
            let file = files::private(OpenOptions::new().write(true).create(true).truncate(false)).open(&path)?;
            file.lock()?;
            Ok(file)
        };
        open().map_err(|source| TokensError::Io { path: path.clone(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Found, Wish};
    use super::*;

    fn hubs() -> (Tokens, Tokens, tempfile::TempDir) {
        let home = tempfile::tempdir().unwrap();
        let of = |name: &str| Tokens::new(home.path().join(name).join("tokens.json"));
        (of("a"), of("b"), home)
    }

    fn wish(name: &str) -> Wish {
        Wish { name: name.into(), may: vec![Class::Read], pages: vec!["http://a".into()], expires_at: None }
    }

    #[test]
    fn a_token_of_another_hub_has_its_scope_here_until_one_of_both_takes_it_back() {
        let (a, b, _home) = hubs();
        let secret = a.create(wish("ci"), 1).unwrap();
        b.take(a.shared(2).unwrap(), 2).unwrap();
        assert_eq!(b.rows().find(secret.reveal(), 2), a.rows().find(secret.reveal(), 2));
        assert!(matches!(b.rows().find(secret.reveal(), 2), Found::Agent(_)));
        b.revoke("ci", 3).unwrap();
        // Data that was shared earlier does not bring it back.
        b.take(a.shared(4).unwrap(), 4).unwrap();
        assert_eq!(b.rows().find(secret.reveal(), 4), Found::Unknown);
        a.take(b.shared(4).unwrap(), 4).unwrap();
        assert_eq!(a.rows().find(secret.reveal(), 4), Found::Unknown);
        assert_eq!(a.shared(5).unwrap(), b.shared(5).unwrap());
    }

    #[test]
    fn two_tokens_of_one_name_are_valid_and_are_taken_back_together() {
        let (a, b, _home) = hubs();
        let secrets = [a.create(wish("ci"), 1).unwrap(), b.create(wish("ci"), 1).unwrap()];
        a.take(b.shared(2).unwrap(), 2).unwrap();
        assert!(secrets.iter().all(|secret| matches!(a.rows().find(secret.reveal(), 2), Found::Agent(_))));
        a.revoke("ci", 3).unwrap();
        assert!(secrets.iter().all(|secret| a.rows().find(secret.reveal(), 3) == Found::Unknown));
    }

    #[test]
    fn what_cannot_be_a_token_is_not_taken_and_the_extensions_is_not_passed_on() {
        let (a, b, _home) = hubs();
        a.create(wish("ci"), 1).unwrap();
        let right = a.shared(1).unwrap().remove(0);
        let mut wrong = vec![right; 6];
        wrong[0].may = vec!["everything".into()];
        wrong[1].pages = vec!["*".into()];
        wrong[2].name = "a b".into();
        wrong[3].hash = "abc".into();
        wrong[4].may = vec!["join".into(), "read".into()];
        wrong[5].pages = vec![EXTENSION_ORIGIN.into()];
        b.take(wrong, 1).unwrap();
        assert_eq!(b.list().unwrap(), []);
        b.create(Wish { may: vec![Class::Join], pages: vec![EXTENSION_ORIGIN.into()], ..wish("browser") }, 1).unwrap();
        assert_eq!(b.shared(1).unwrap(), []);
    }

    #[test]
    fn what_is_remembered_of_tokens_is_bounded_and_ends_with_their_time() {
        let (a, b, _home) = hubs();
        a.create(Wish { expires_at: Some(10), ..wish("soon") }, 1).unwrap();
        a.revoke("soon", 2).unwrap();
        assert_eq!((a.shared(9).unwrap().len(), a.shared(10).unwrap().len()), (1, 0));
        a.create(wish("ci"), 1).unwrap();
        let one = a.shared(20).unwrap().remove(0);
        let many = |revoked_at: Option<u64>| {
            (0..REVOKED_LEN_MAX + 9).map(move |n| (n, revoked_at)).map(|(n, revoked_at)| SharedToken {
                hash: format!("{n:064x}").into(),
                revoked_at,
                ..one.clone()
            })
        };
        b.take(many(None).collect(), 1).unwrap();
        assert_eq!(b.list().unwrap().len(), TOKENS_LEN_MAX);
        b.take(many(Some(5)).collect(), 1).unwrap();
        assert_eq!((b.list().unwrap().len(), b.shared(1).unwrap().len()), (0, REVOKED_LEN_MAX));
    }
}
