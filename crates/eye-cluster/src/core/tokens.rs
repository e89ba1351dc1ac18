//! Named tokens of the whole cluster. Every hub has all of them in its own file. A bucket keeps them for hubs that are
//! offline. A revoked token stays revoked, in whatever order the hubs learn of it.

use super::event::{Action, TokensAction, TokensEvent};
use eye_protocol::shared_token::{OwnTokens, SharedToken};
use rustc_hash::{FxHashMap, FxHashSet};

/// Identifies a token.
type Hash = Box<str>;

/// The tokens that this hub and the bucket know.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    own: FxHashMap<Hash, SharedToken>,
    stored: FxHashMap<Hash, Stored>,
    /// Entries that have not been seen since reading of the bucket restarted.
    unread: FxHashSet<Hash>,
    is_read: bool,
    writing: FxHashSet<Hash>,
}

/// An entry of the bucket.
#[derive(Debug)]
struct Stored {
    token: SharedToken,
    revision: u64,
}

impl Tokens {
    pub fn link_is_down(&mut self) {
        self.is_read = false;
        self.writing.clear();
    }

    pub fn on(&mut self, event: TokensEvent, out: &mut Vec<Action>) {
        match event {
            TokensEvent::Own(OwnTokens { now_ms, tokens }) => {
                self.own = tokens.into_iter().map(|token| (token.hash.clone(), token)).collect();
                self.remove_expired(now_ms, out);
                self.settle(out);
            }
            TokensEvent::Reading => {
                self.is_read = false;
                self.unread = self.stored.keys().cloned().collect();
            }
            TokensEvent::Read => {
                for hash in std::mem::take(&mut self.unread) {
                    self.stored.remove(&hash);
                }
                self.is_read = true;
                self.settle(out);
            }
            TokensEvent::Entry { hash, token, revision } => {
                self.unread.remove(&hash);
                self.writing.remove(&hash);
                // Rejects a token that is stored under the hash of another one.
                match token.filter(|token| token.hash == hash) {
                    Some(token) => self.stored.insert(hash, Stored { token, revision }),
                    None => self.stored.remove(&hash),
                };
                if self.is_read {
                    self.settle(out);
                }
            }
            // Only its entry proves that a write was stored. An acknowledgement may come from a server that has lost
            // its files since.
            TokensEvent::Refused { hash } => {
                self.writing.remove(&hash);
                self.settle(out);
            }
        }
    }

    /// Writes tokens that the bucket lacks, and takes over tokens that this hub lacks.
    fn settle(&mut self, out: &mut Vec<Action>) {
        if !self.is_read {
            return;
        }
        for (hash, token) in &self.own {
            let stored = self.stored.get(hash);
            let is_new = stored.is_none_or(|stored| token.is_revoked() && !stored.token.is_revoked());
            if is_new && self.writing.insert(hash.clone()) {
                let replaces = stored.map_or(0, |stored| stored.revision);
                let put = TokensAction::Put { token: token.clone(), replaces };
                out.push(Action::Tokens(put));
            }
        }
        let is_news = |token: &&SharedToken| {
            let own = self.own.get(&token.hash);
            own.is_none_or(|own| token.is_revoked() && !own.is_revoked())
        };
        let news: Vec<SharedToken> =
            self.stored.values().map(|stored| &stored.token).filter(is_news).cloned().collect();
        if !news.is_empty() {
            out.push(Action::Tokens(TokensAction::Take(news)));
        }
    }

    fn remove_expired(&mut self, now_ms: u64, out: &mut Vec<Action>) {
        self.stored.retain(|hash, stored| {
            let is_expired = stored.token.is_expired(now_ms);
            if is_expired {
                let remove = TokensAction::Remove { hash: hash.clone(), revision: stored.revision };
                out.push(Action::Tokens(remove));
            }
            !is_expired
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// A hub with its file, and how much of the bucket's history it has read.
    #[derive(Default)]
    struct Hub {
        tokens: Tokens,
        file: FxHashMap<Hash, SharedToken>,
        writes: Vec<(SharedToken, u64)>,
        read: usize,
        is_up: bool,
    }

    /// Hubs and a bucket.
    #[derive(Default)]
    struct World {
        hubs: [Hub; 3],
        history: Vec<SharedToken>,
    }

    fn token(number: u8, revoked: bool) -> SharedToken {
        SharedToken {
            hash: number.to_string().into(),
            name: "t".into(),
            may: vec!["read".into()],
            pages: Vec::new(),
            created_at: 0,
            expires_at: None,
            revoked_at: revoked.then_some(1),
        }
    }

    impl Hub {
        fn on(&mut self, event: TokensEvent) {
            let mut out = Vec::new();
            self.tokens.on(event, &mut out);
            for action in out {
                match action {
                    Action::Tokens(TokensAction::Put { token, replaces }) => self.writes.push((token, replaces)),
                    Action::Tokens(TokensAction::Take(tokens)) => {
                        for token in tokens {
                            self.keep(token);
                        }
                        self.own();
                    }
                    other => panic!("{other:?}"),
                }
            }
        }

        fn keep(&mut self, token: SharedToken) {
            let known = self.file.entry(token.hash.clone()).or_insert_with(|| token.clone());
            if token.is_revoked() {
                *known = token;
            }
        }

        fn own(&mut self) {
            let tokens = self.file.values().cloned().collect();
            self.on(TokensEvent::Own(OwnTokens { now_ms: 0, tokens }));
        }
    }

    impl World {
        /// One step of a hub.
        fn step(&mut self, hub: usize, what: u8, number: u8) {
            let one = &mut self.hubs[hub];
            match what {
                0 => {
                    one.file.entry(number.to_string().into()).or_insert_with(|| token(number, false));
                    one.own();
                }
                1 if one.file.contains_key(&*number.to_string()) => {
                    one.keep(token(number, true));
                    one.own();
                }
                2 => self.read(hub),
                3 => self.write(hub),
                4 => {
                    one.is_up = false;
                    one.read = 0;
                    // The writes in progress may be stored or not.
                    if number == 0 {
                        one.writes.clear();
                    }
                    one.tokens.link_is_down();
                }
                5 if number == 0 => {
                    // The server lost its files.
                    self.history.clear();
                    for hub in &mut self.hubs {
                        hub.is_up = false;
                        hub.read = 0;
                        hub.writes.clear();
                        hub.tokens.link_is_down();
                    }
                }
                _ => {}
            }
        }

        fn read(&mut self, hub: usize) {
            let one = &mut self.hubs[hub];
            if !one.is_up {
                one.is_up = true;
                one.on(TokensEvent::Reading);
            }
            let is_first = !one.tokens.is_read;
            while let Some(token) = self.history.get(one.read).cloned() {
                one.read += 1;
                let revision = one.read as u64;
                one.on(TokensEvent::Entry { hash: token.hash.clone(), token: Some(token), revision });
                if !is_first {
                    return;
                }
            }
            if is_first {
                one.on(TokensEvent::Read);
            }
        }

        fn write(&mut self, hub: usize) {
            if self.hubs[hub].writes.is_empty() {
                return;
            }
            let (token, replaces) = self.hubs[hub].writes.remove(0);
            let newest = self.history.iter().rposition(|known| known.hash == token.hash).map_or(0, |at| at as u64 + 1);
            if newest == replaces {
                self.history.push(token);
            } else {
                self.hubs[hub].on(TokensEvent::Refused { hash: token.hash });
            }
        }
    }

    proptest! {
        #[test]
        fn every_hub_knows_every_token_and_none_that_was_taken_back(
            steps in vec((0_usize..3, 0_u8..6, 0_u8..3), 0..60),
        ) {
            let mut world = World::default();
            let mut revoked = FxHashSet::default();
            let mut made = FxHashSet::default();
            for (hub, what, number) in steps {
                world.step(hub, what, number);
                for one in &world.hubs {
                    made.extend(one.file.keys().cloned());
                    revoked.extend(one.file.values().filter(|one| one.is_revoked()).map(|one| one.hash.clone()));
                }
            }
            for _ in 0..40 {
                for hub in 0..3 {
                    world.read(hub);
                    world.write(hub);
                    world.read(hub);
                }
            }
            for one in &world.hubs {
                let known: FxHashSet<Hash> = one.file.keys().cloned().collect();
                let gone = one.file.values().filter(|one| one.is_revoked()).map(|one| one.hash.clone());
                prop_assert_eq!(&known, &made);
                prop_assert_eq!(&gone.collect::<FxHashSet<_>>(), &revoked);
            }
        }
    }

    #[test]
    fn what_has_expired_is_removed_and_not_written() {
        let mut tokens = Tokens::default();
        let mut out = Vec::new();
        tokens.on(TokensEvent::Reading, &mut out);
        let soon = SharedToken { expires_at: Some(10), ..token(1, false) };
        tokens.on(TokensEvent::Entry { hash: soon.hash.clone(), token: Some(soon.clone()), revision: 7 }, &mut out);
        tokens.on(TokensEvent::Own(OwnTokens { now_ms: 9, tokens: vec![soon] }), &mut out);
        tokens.on(TokensEvent::Read, &mut out);
        assert!(out.is_empty(), "{out:?}");
        tokens.on(TokensEvent::Own(OwnTokens { now_ms: 10, tokens: Vec::new() }), &mut out);
        assert!(matches!(&out[0], Action::Tokens(TokensAction::Remove { revision: 7, .. })), "{out:?}");
    }

    #[test]
    fn a_token_under_another_hash_is_not_taken() {
        let mut tokens = Tokens::default();
        let mut out = Vec::new();
        tokens.on(TokensEvent::Reading, &mut out);
        tokens.on(TokensEvent::Entry { hash: "2".into(), token: Some(token(1, true)), revision: 1 }, &mut out);
        tokens.on(TokensEvent::Read, &mut out);
        assert!(out.is_empty(), "{out:?}");
    }
}
