//! Scripts of a hub that lists two pages of others.

use super::*;
use crate::core::claiming::cast_row::{ORIGIN, page};
use crate::core::{BEAT_MS, Event, FORGET_AFTER_MS};
use eye_core::elsewhere::RowHere;
use eye_protocol::limits::PAGES_LOOKED_UP_MAX;
use eye_protocol::messages::Presence;

fn id(word: &str) -> SessionId {
    SessionId::parse(word).unwrap()
}

/// A row of the hub `b`.
fn row(session: &str, life: &str) -> Row {
    let life: Life = life.into();
    Row { epoch: 1, ..Row::of(page(session, Presence::Connected), None, &life, &life) }
}

fn entry(session: &str, revision: u64) -> Event {
    Event::Entry { session: id(session), row: Some(row(session, "b")), revision }
}

fn removed(session: &str, revision: u64) -> Event {
    Event::Entry { session: id(session), row: None, revision }
}

fn look_up(word: &str) -> Event {
    Event::LookUp { word: word.into() }
}

fn found(look_up: u64, session: &str, revision: u64) -> Event {
    Event::LookedUp { look_up, session: id(session), found: Looked::There { row: row(session, "b"), revision } }
}

fn nothing(look_up: u64, session: &str) -> Event {
    Event::LookedUp { look_up, session: id(session), found: Looked::Nothing }
}

fn sought(seek: u64, session: Option<&str>) -> Event {
    let one = |session: &str| WireEntry { session: id(session), row: row(session, "b"), revision: 3 };
    let pages = session.map(one).into_iter().collect();
    Event::Frame { from: "b".into(), frame: Frame::Sought { seek, pages } }
}

/// Hub `a`, which lists two pages of hub `b` and omits a third.
struct Played(Core, Vec<Action>);

impl Played {
    fn new() -> Self {
        let mut played = Self(Core::new("a".into(), "a".into()).listing(2), Vec::new());
        let beat = Event::Beat { name: "b".into(), life: "b".into() };
        let read = [Event::Up, beat, Event::Reading, entry("s1", 1), entry("s2", 2), entry("s3", 3), Event::Read];
        played.on(read);
        played
    }

    fn at(&mut self, now: Millis, events: impl IntoIterator<Item = Event>) -> Vec<String> {
        for event in events {
            self.0.on(now, event, &mut self.1);
        }
        self.1.drain(..).filter_map(|action| described(&action)).collect()
    }

    fn on(&mut self, events: impl IntoIterator<Item = Event>) -> Vec<String> {
        self.at(1, events)
    }
}

fn described(action: &Action) -> Option<String> {
    Some(match action {
        Action::LookUp { look_up, session } => format!("get {session} as {look_up}"),
        Action::ReadDirectory => "read".into(),
        Action::Put { session, row, replaces } => format!("put {session} epoch {} over {replaces}", row.epoch),
        Action::Remove { session, revision } => format!("remove {session} at {revision}"),
        Action::Send { to, frame: Frame::Seek { seek, word } } => format!("ask {to} for {word} as {seek}"),
        Action::Feed(Input::LookedUp { word, known }) => format!("{word} known: {known}"),
        Action::Feed(Input::Listed(listed)) => {
            let one = |listed: &Listed| match listed {
                Listed::There(page) => format!("list {}", page.id),
                Listed::Gone(id) => format!("{id} is gone"),
                Listed::LeftOut(id) => format!("leave out {id}"),
                Listed::All(all) => format!("all: {all}"),
                Listed::Unwatched(hub) => format!("unwatched: {hub}"),
            };
            let mut lines: Vec<String> = listed.iter().map(one).collect();
            lines.sort();
            lines.join(", ")
        }
        Action::Feed(Input::CameOver(session)) => format!("{session} came over"),
        Action::Feed(Input::Released { session, heir }) => format!("release {session} to {}", heir.is_some()),
        Action::Send { .. } | Action::Feed(_) | Action::Leave { .. } => return None,
        other => format!("{other:?}"),
    })
}

#[test]
fn so_many_pages_are_listed_and_the_hub_is_told_that_there_are_more() {
    let mut hub = Played(Core::new("a".into(), "a".into()).listing(2), Vec::new());
    let read = || [Event::Up, Event::Reading, entry("s1", 1), entry("s2", 2), entry("s3", 3), entry("s4", 4)];
    assert_eq!(hub.on(read()), ["list s1", "list s2", "all: false"]);
    assert_eq!(hub.on([Event::Read, entry("s1", 5), entry("s3", 6)]), ["list s1"], "what is listed stays up to date");
    assert!(hub.0.is_partial());
    // A removed entry makes room for the next one. With less than half of the limit left, the directory is read again.
    assert_eq!(hub.on([removed("s1", 7), entry("s3", 8), removed("s3", 9)]), ["s1 is gone", "list s3", "s3 is gone"]);
    assert_eq!(hub.on([removed("s2", 10)]), ["s2 is gone"]);
    let beat = || Event::Beat { name: "a".into(), life: "a".into() };
    assert_eq!(hub.on([beat(), Event::Tick, Event::Tick]), ["read"]);
    assert_eq!(hub.on([Event::Reading, entry("s4", 4), Event::Read]), ["list s4", "all: true"]);
}

#[test]
fn an_id_is_looked_up_in_the_directory_and_any_other_word_asked_of_the_hubs() {
    let mut hub = Played::new();
    assert_eq!(hub.on([look_up("s3")]), ["get s3 as 2"]);
    assert_eq!(hub.on([found(2, "s3", 3)]), ["list s3", "s3 known: true"]);
    assert_eq!(hub.on([look_up("a b")]), ["ask b for a b as 3"]);
    assert_eq!(hub.on([sought(3, Some("s4"))]), ["list s4", "a b known: true"]);
    assert_eq!(hub.on([sought(3, Some("s5"))]), [""; 0], "it has answered");
    // A word that could be an id, but is not one, may be another word for a page.
    assert_eq!(hub.on([look_up("cart")]), ["get cart as 5"]);
    assert_eq!(hub.on([nothing(5, "cart")]), ["ask b for cart as 4"]);
    assert_eq!(hub.on([sought(4, None)]), ["cart known: true"]);
}

#[test]
fn what_is_looked_up_before_the_directory_was_read_waits_for_it() {
    let words = || [look_up("s3"), look_up("a b"), look_up("")];
    let beat = || Event::Beat { name: "b".into(), life: "b".into() };
    let read =
        |entries: Vec<Event>| [Event::Up, beat(), Event::Reading].into_iter().chain(entries).chain([Event::Read]);
    let starting = || {
        let mut hub = Played(Core::new("a".into(), "a".into()).listing(2), Vec::new());
        assert_eq!(hub.on([Event::Starts]), ["all: false"]);
        assert_eq!(hub.on(words()), [""; 0], "the link is not even up");
        hub
    };
    let known = ["s3 known: true", "a b known: true", " known: true"];
    let all = [&["list s1", "list s3", "all: true"], &known[..]].concat();
    assert_eq!(starting().on(read(vec![entry("s1", 1), entry("s3", 2)])), all);
    let mut hub = starting();
    let more = ["list s1", "list s2", "all: false", "all: false", "get s3 as 4", "ask b for a b as 2", " known: true"];
    assert_eq!(hub.on(read(vec![entry("s1", 1), entry("s2", 2), entry("s3", 3)])), more);
    assert_eq!(hub.on([look_up("")]), [" known: true"], "the pages here are known");
    // Without a link the hub is alone. With one, other hubs may hold the page.
    let late = 1 + RECALL_MS;
    assert_eq!(starting().at(late, [Event::Tick]), [&["all: true"], &known[..]].concat());
    let mut hub = starting();
    hub.on([Event::Up]);
    let unknown = ["all: true", "s3 known: false", "a b known: false", " known: false"];
    assert_eq!(hub.at(late, [Event::Tick]), unknown);
    assert_eq!(hub.at(late, [Event::Reading, entry("s1", 1), Event::Read]), ["list s1"]);
}

#[test]
fn nothing_is_known_without_a_link_and_what_comes_late_has_no_effect() {
    let mut hub = Played::new();
    hub.on([look_up("s3"), look_up("a b")]);
    let mut down = hub.on([Event::Down]);
    down.sort();
    assert_eq!(down, ["a b known: false", "s3 known: false"]);
    assert_eq!(hub.on([look_up("s4")]), ["s4 known: false"]);
    assert_eq!(hub.on([found(2, "s3", 3), sought(3, Some("s4"))]), [""; 0]);
    hub.on([Event::Up, Event::Reading, entry("s1", 1), entry("s2", 2), entry("s3", 3), Event::Read]);
    assert_eq!(hub.on([look_up("s3"), found(2, "s3", 3)]), ["get s3 as 5"], "an answer of before");
    assert_eq!(hub.at(1 + RECALL_MS, [Event::Tick]), ["s3 known: false"]);
    let unknown = Event::LookedUp { look_up: 5, session: id("s3"), found: Looked::Unknown };
    assert_eq!(hub.on([unknown]), [""; 0]);
}

#[test]
fn an_entry_that_changes_while_it_is_looked_up_is_not_taken_for_what_it_was() {
    let mut hub = Played::new();
    assert_eq!(hub.on([look_up("s3"), removed("s3", 9)]), ["get s3 as 2", "s3 is gone"]);
    assert_eq!(hub.on([found(2, "s3", 3)]), ["get s3 as 3"], "the answer is older than what has passed by");
    assert_eq!(hub.on([nothing(3, "s3")]), ["ask b for s3 as 1"]);
    assert_eq!(hub.on([sought(1, Some("s3"))]), ["s3 known: true"], "this one is older too");
    // An entry that went by earlier is not remembered: its look-up was already answered.
    assert_eq!(hub.on([look_up("s3"), found(5, "s3", 10)]), ["get s3 as 5", "list s3", "s3 known: true"]);
    // The session had no entry when it was looked up, and got one since.
    assert_eq!(hub.on([look_up("s4"), entry("s4", 11), nothing(7, "s4")]), ["get s4 as 7", "get s4 as 8"]);
    assert_eq!(hub.on([found(8, "s4", 11)]), ["list s4", "s4 known: true"]);
}

#[test]
fn a_session_whose_entry_changes_while_it_is_looked_up_is_claimed_over_the_newer_one() {
    let mut hub = Played::new();
    assert_eq!(hub.on([look_up("s3"), entry("s3", 4), joins("s3")]), ["get s3 as 2"]);
    assert_eq!(hub.on([found(2, "s3", 3)]), ["get s3 as 3"]);
    let claimed = ["list s3", "list s3", "s3 came over", "put s3 epoch 2 over 4", "s3 known: true"];
    assert_eq!(hub.on([found(3, "s3", 4)]), claimed);
}

#[test]
fn a_session_that_was_claimed_over_an_old_entry_is_looked_up_again() {
    let mut hub = Played::new();
    // A replica of the directory that had not yet received the last change answered.
    hub.on([joins("s3"), found(1, "s3", 2)]);
    assert_eq!(hub.on([refused("s3")]), ["get s3 as 2"]);
    assert_eq!(hub.on([found(2, "s3", 2)]), ["put s3 epoch 2 over 2"], "still old");
    assert_eq!(hub.on([refused("s3"), found(3, "s3", 3)]), ["get s3 as 3", "list s3", "put s3 epoch 2 over 3"]);
    assert_eq!(hub.on([refused("s3"), nothing(4, "s3")]), ["get s3 as 4", "put s3 epoch 2 over 0"]);
}

/// The hub wrote the row of a page that it holds, and the write was refused.
fn refused(session: &str) -> Event {
    Event::Stored { session: id(session), row: Some(Row { epoch: 2, ..row(session, "a") }), revision: None }
}

#[test]
fn what_is_looked_up_makes_room_for_what_is_looked_up_later() {
    let mut hub = Played::new();
    let many = u64::try_from(PAGES_LOOKED_UP_MAX).unwrap();
    for number in 0..many {
        hub.on([look_up(&format!("p{number}"))]);
        let listed = hub.on([found(2 * number + 2, &format!("p{number}"), 3)]);
        assert_eq!(listed.len(), 2, "{listed:?}");
    }
    hub.on([look_up("last")]);
    assert_eq!(hub.on([found(2 * many + 2, "last", 3)]), ["list last", "leave out p0", "last known: true"]);
    assert_eq!(hub.0.directory.entries.elsewhere("a"), 2 + PAGES_LOOKED_UP_MAX);
}

#[test]
fn hubs_are_asked_for_few_words_at_once_and_one_that_ends_is_not_waited_for() {
    let mut hub = Played::new();
    let actions: Vec<String> = (0..6).flat_map(|number| hub.on([look_up(&format!("word {number}"))])).collect();
    assert_eq!(
        actions,
        ["ask b for word 0 as 1", "ask b for word 1 as 2", "ask b for word 2 as 3", "ask b for word 3 as 4"]
    );
    assert_eq!(hub.on([sought(1, None)]), ["word 0 known: true", "ask b for word 4 as 5"]);
    let ended = hub.on([Event::Bye { life: "b".into() }]);
    assert_eq!((&*ended[0], ended.len()), ("s1 is gone, s2 is gone", 6), "{ended:?}");
    assert!(ended[1..].iter().all(|line| line.ends_with("known: true")), "{ended:?}");
}

#[test]
fn a_hub_tells_the_best_of_its_own_pages_and_few_of_one_origin() {
    let (mut core, mut out) = (Core::new("b".into(), "b".into()), Vec::new());
    for event in [Event::Up, Event::Reading, Event::Read] {
        core.on(1, event, &mut out);
    }
    let mut hold = |session: &str, alias: Option<&str>, origin: &str| {
        let row = eye_protocol::messages::SessionRow {
            alias: alias.map(Into::into),
            title: "Shop".into(),
            origin: origin.into(),
            url: String::new(),
            ..page(session, Presence::Connected)
        };
        core.on(1, Event::Rows(vec![(id(session), Some(RowHere { row, last_ref: None, page: None }))]), &mut out);
        let Some(Action::Put { session, row, .. }) = out.pop() else { panic!("{out:?}") };
        core.on(1, Event::Stored { session, row: Some(row), revision: Some(9) }, &mut out);
        out.clear();
    };
    for number in 0..6 {
        hold(&format!("p{number}"), None, ORIGIN);
    }
    hold("z1", Some("shop"), ORIGIN);
    hold("z2", None, "http://localhost:9");
    let mut lists = |word: &str| {
        core.on(1, Event::Frame { from: "a".into(), frame: Frame::Seek { seek: 7, word: word.into() } }, &mut out);
        let Some(Action::Send { frame: Frame::Sought { seek: 7, pages }, .. }) = out.pop() else { panic!("{out:?}") };
        pages.iter().map(|page| page.session.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(lists("shop"), "z1 p0 p1 p2 z2");
    assert_eq!(lists("http://localhost:9/"), "z2");
    assert_eq!(lists("p5"), "p5");
    assert_eq!(lists("elsewhere"), "");
}

fn joins(session: &str) -> Event {
    let row = page(session, Presence::Connected);
    Event::Rows(vec![(id(session), Some(RowHere { row, last_ref: None, page: None }))])
}

#[test]
fn a_session_that_is_not_listed_is_claimed_when_it_was_looked_up() {
    let mut hub = Played::new();
    assert_eq!(hub.on([joins("s3")]), ["get s3 as 1"]);
    assert_eq!(hub.on([look_up("s3")]), [""; 0], "it is looked up already");
    let claimed = ["list s3", "list s3", "s3 came over", "put s3 epoch 2 over 3", "s3 known: true"];
    assert_eq!(hub.on([found(1, "s3", 3)]), claimed);
    assert_eq!(hub.on([joins("new")]), ["get new as 3"]);
    assert_eq!(hub.on([nothing(3, "new")]), ["put new epoch 1 over 0"]);
    let unknown = |look_up| Event::LookedUp { look_up, session: id("s4"), found: Looked::Unknown };
    assert_eq!(hub.on([joins("s4"), unknown(4)]), ["get s4 as 4", "get s4 as 5"], "until it is known");
    assert_eq!(hub.on([Event::Down, unknown(5)]), [""; 0]);
    let read = [Event::Up, Event::Reading, entry("s1", 1), entry("s2", 2), entry("s5", 5), Event::Read];
    let again = hub.on(read);
    assert!(again.contains(&"get s4 as 6".to_owned()), "{again:?}");
}

#[test]
fn what_a_dead_hub_has_listed_is_removed_also_where_it_is_not_listed_here() {
    let mut hub = Played::new();
    let mut lines = Vec::new();
    let mut now = 0;
    while now <= FORGET_AFTER_MS + 10 * BEAT_MS {
        now += BEAT_MS;
        lines.extend(hub.at(now, [Event::Beat { name: "a".into(), life: "a".into() }, Event::Tick]));
    }
    lines.sort();
    assert_eq!(lines, ["read", "remove s1 at 1", "remove s2 at 2", "s1 is gone, s2 is gone"].map(str::to_owned));
    let again = [Event::Reading, entry("s1", 1), entry("s2", 2), entry("s3", 3)];
    assert_eq!(hub.at(now, again), ["remove s3 at 3"]);
    let gone = [removed("s1", 4), removed("s2", 5), Event::Read];
    assert_eq!(hub.at(now, gone).last().map(String::as_str), Some("s2 is gone"));
    hub.at(now, [Event::Tick]);
    assert!(!hub.0.hubs.0.contains_key("b"), "nothing is kept of that life");
}
