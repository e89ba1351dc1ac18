//! A page that goes to another hub keeps its name there.

use super::{Hub, ORIGIN, full, listed};
use crate::elsewhere;
use eye_core::elsewhere::{Listed, PageElsewhere};
use eye_core::{Conn, Input, Newcomer, Policy};
use eye_protocol::SessionId;
use eye_protocol::messages::PageInfo;
use serde_json::json;
use std::sync::Arc;

#[test]
fn a_name_is_found_at_every_hub_and_comes_with_the_page() {
    let mut b = Hub::new();
    b.on(listed(Some("till")));
    // A name given at another hub means that page, and cannot be given to another page.
    let reply = b.reply();
    let found = b.result_of(Input::Use { reply, page: "till".into(), name: None }).expect("a row");
    assert_eq!((&found["id"], &found["name"]), (&json!("s1"), &json!("till")));
    b.join();
    assert_eq!(b.board.rows(b.now, None)[0].name.as_deref(), Some("till"), "before anything else has come");
    let answer: Vec<_> = b.board.take_changed_rows(b.now).into_iter().filter_map(|(_, here)| here?.row.name).collect();
    assert_eq!(answer, ["till"]);

    let other = SessionId::parse("other").expect("an id");
    let row = PageElsewhere { name: Some("door".into()), ..elsewhere::page(other, ORIGIN) };
    b.on(Input::Listed(vec![Listed::There(Arc::new(row.clone()))]));
    let refused = b.name("s1", "door").expect("an answer");
    assert!(refused["error"].as_str().is_some_and(|text| text.contains("the hub `b` has it")), "{refused}");
    let twice = SessionId::parse("twice").expect("an id");
    b.on(Input::Listed(vec![Listed::There(Arc::new(PageElsewhere { id: twice, ..row }))]));
    let reply = b.reply();
    let several = b.result_of(Input::Use { reply, page: "door".into(), name: None }).expect("an answer");
    assert!(several["error"].as_str().is_some_and(|text| text.contains("at several hubs")), "{several}");
}

#[test]
fn a_name_that_means_another_page_here_stays_with_it() {
    let mut b = Hub::new();
    b.join();
    let info = PageInfo { title: Some("Other".into()), ..PageInfo::default() };
    let who = Newcomer { origin: ORIGIN.into(), info, policy: Policy::default(), ask_first: false, driven: false };
    let session = SessionId::parse("other").expect("an id");
    b.on(Input::PageJoined { page: Conn(3), session, who: Box::new(who) });
    b.name("other", "till");
    let handover = full().release(4, ORIGIN).expect("a handover");
    b.on(Input::HandedOver(Box::new(handover)));
    let names: Vec<_> = b.board.rows(b.now, None).into_iter().map(|row| (row.id, row.name)).collect();
    assert!(names.contains(&("other".into(), Some("till".into()))), "{names:?}");
    assert!(names.contains(&("s1".into(), None)), "{names:?}");
}
