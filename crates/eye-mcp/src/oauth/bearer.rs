//! The token of one upstream in use: read from its file, and renewed when it expires or is refused, by one process at a
//! time.

use super::error::OAuthError;
use super::fetch::Fetch;
use super::grant::{Grant, GrantFile, Stamp, now_s};
use super::metadata::is_private;
use super::tokens::{self, Renewed};
use oauth2::AccessToken;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use url::Url;

/// How often the file is checked: a login or logout is noticed after this time.
const LOOK: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
struct Kept {
    grant: Option<Grant>,
    stamp: Option<Stamp>,
    looked: Option<Instant>,
}

/// Whether the upstream was ever tried, and the file at that time.
#[derive(Clone, Copy, Debug, Default)]
struct Tried {
    ever: bool,
    stamp: Option<Stamp>,
}

/// The token of one upstream.
#[derive(Debug)]
pub struct Bearer {
    file: GrantFile,
    kept: Mutex<Kept>,
    /// The state of the file at the last attempt to reach the upstream.
    tried: Mutex<Tried>,
    /// Allows one renewal at a time; the file's lock excludes other processes.
    renewing: tokio::sync::Mutex<()>,
    fetch: Fetch,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Bearer {
    /// The token for this URL. `None` for a URL over which a token would be sent unencrypted.
    pub fn new(folder: &Path, url: &str) -> Option<Self> {
        let safe = Url::parse(url).is_ok_and(|url| is_private(&url));
        safe.then(|| Self {
            file: GrantFile::new(folder, url),
            kept: Mutex::default(),
            tried: Mutex::default(),
            renewing: tokio::sync::Mutex::default(),
            fetch: Fetch::default(),
        })
    }

    pub fn url(&self) -> &str {
        self.file.url()
    }

    /// The token to send now, renewed if it has expired. `None` if there is no login.
    pub async fn token(self: &Arc<Self>) -> Result<Option<AccessToken>, OAuthError> {
        let Some(grant) = self.grant().await else { return Ok(None) };
        if grant.is_over(now_s()) { self.renew(grant.access_token).await } else { Ok(Some(grant.access_token)) }
    }

    /// Replaces a token that was refused. `None` if the user has to log in again.
    pub async fn renew(self: &Arc<Self>, refused: AccessToken) -> Result<Option<AccessToken>, OAuthError> {
        // Runs in a task of its own: a caller that gives up must not lose a refresh token that was already exchanged.
        let bearer = Arc::clone(self);
        let renewing = tokio::spawn(async move { bearer.renew_alone(&refused).await });
        renewing.await.unwrap_or(Ok(None))
    }

    async fn renew_alone(&self, refused: &AccessToken) -> Result<Option<AccessToken>, OAuthError> {
        let _one = self.renewing.lock().await;
        let file = self.file.clone();
        let opened = tokio::task::spawn_blocking(move || file.lock().map(|lock| (lock, file.read()))).await;
        let (_lock, grant) = opened.map_err(std::io::Error::other).map_err(OAuthError::io("read the login"))??;
        let Some(mut grant) = grant else {
            self.keep(None);
            return Ok(None);
        };
        if grant.access_token.secret() != refused.secret() && !grant.is_over(now_s()) {
            // Another call or another process has renewed it.
            let token = grant.access_token.clone();
            self.keep(Some(grant));
            return Ok(Some(token));
        }
        let renewed = match tokens::renew(&self.fetch, &grant).await? {
            Renewed::Token(response) => {
                tokens::take(&mut grant, &response)?;
                Some(grant.access_token.clone())
            }
            Renewed::Over => {
                grant.refresh_token = None;
                grant.expires_at_s = Some(0);
                None
            }
        };
        self.file.write(&grant)?;
        self.keep(Some(grant));
        Ok(renewed)
    }

    /// Records the state of the file for an attempt to reach the upstream.
    pub fn note_attempt(&self) {
        *lock(&self.tried) = Tried { ever: true, stamp: self.file.stamp() };
    }

    /// Whether the user has logged in since the last attempt.
    pub fn has_new_login(&self) -> bool {
        let Tried { ever, stamp } = *lock(&self.tried);
        let now = self.file.stamp();
        ever && now.is_some() && now != stamp
    }

    async fn grant(self: &Arc<Self>) -> Option<Grant> {
        let kept = {
            let kept = lock(&self.kept);
            // A missing login is not cached: the next call may come right after one.
            kept.grant.clone().filter(|_| kept.looked.is_some_and(|looked| looked.elapsed() < LOOK))
        };
        if kept.is_some() {
            return kept;
        }
        let bearer = Arc::clone(self);
        let look = move || {
            let stamp = bearer.file.stamp();
            if lock(&bearer.kept).stamp != stamp || stamp.is_none() {
                bearer.keep(bearer.file.read());
            }
            let mut kept = lock(&bearer.kept);
            kept.looked = Some(Instant::now());
            kept.grant.clone()
        };
        tokio::task::spawn_blocking(look).await.unwrap_or_default()
    }

    fn keep(&self, grant: Option<Grant>) {
        *lock(&self.kept) = Kept { grant, stamp: self.file.stamp(), looked: Some(Instant::now()) };
    }
}

#[cfg(test)]
mod tests {
    use super::super::grant::tests::grant;
    use super::*;

    #[tokio::test]
    async fn a_token_is_for_its_address_and_never_in_the_clear() {
        let home = tempfile::tempdir().unwrap();
        let url = "https://a.example/mcp";
        GrantFile::new(home.path(), url).write(&grant(url)).unwrap();
        let token = Arc::new(Bearer::new(home.path(), url).unwrap()).token().await.unwrap();
        assert_eq!(token.unwrap().secret(), "at-secret");
        let other = Arc::new(Bearer::new(home.path(), "https://a.example/other").unwrap());
        assert!(other.token().await.unwrap().is_none());
        assert!(Bearer::new(home.path(), "http://a.example/mcp").is_none());
        assert!(Bearer::new(home.path(), "http://127.0.0.1:9/mcp").is_some());
    }

    #[tokio::test]
    async fn a_login_right_after_a_look_that_found_none_is_used() {
        let home = tempfile::tempdir().unwrap();
        let url = "https://a.example/mcp";
        let bearer = Arc::new(Bearer::new(home.path(), url).unwrap());
        assert!(bearer.token().await.unwrap().is_none());
        GrantFile::new(home.path(), url).write(&grant(url)).unwrap();
        assert_eq!(bearer.token().await.unwrap().unwrap().secret(), "at-secret");
    }

    #[tokio::test]
    async fn a_login_after_a_refusal_is_noticed() {
        let home = tempfile::tempdir().unwrap();
        let url = "https://a.example/mcp";
        let bearer = Arc::new(Bearer::new(home.path(), url).unwrap());
        assert!(!bearer.has_new_login());
        bearer.note_attempt();
        assert!(!bearer.has_new_login());
        GrantFile::new(home.path(), url).write(&grant(url)).unwrap();
        assert!(bearer.has_new_login());
        bearer.note_attempt();
        assert!(!bearer.has_new_login());
    }

    #[tokio::test]
    async fn a_refused_token_without_a_refresh_token_ends_the_login() {
        let home = tempfile::tempdir().unwrap();
        let url = "https://a.example/mcp";
        let file = GrantFile::new(home.path(), url);
        file.write(&Grant { refresh_token: None, ..grant(url) }).unwrap();
        let bearer = Arc::new(Bearer::new(home.path(), url).unwrap());
        let token = bearer.token().await.unwrap().unwrap();
        assert!(bearer.renew(token).await.unwrap().is_none());
        assert!(bearer.token().await.unwrap().is_none());
    }
}
