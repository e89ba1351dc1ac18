//! Topics and mailboxes as event scripts: received once and in order, waited for, expired, dropped.

use crate::script::play;
use insta::assert_snapshot;

#[test]
fn a_message_reaches_everyone_who_listens_but_not_its_publisher() {
    assert_snapshot!(play(
        r#"0 page 1 joins shop called shop
           0 agent 2 joins
           0 agent 2 named claude
           0 agent 3 joins
           1 page 1 hears chat
           1 agent 2 subscribes chat
           1 agent 3 subscribes ch*
           1 agent 3 subscribes chat
           2 page 1 says chat "hello"
           3 agent 2 publishes chat {"n":1}
           4 agent 3 unsubscribes ch*
           4 agent 3 unsubscribes chat
           5 agent 2 publishes chat 2
           6 page 1 leaves
           7 agent 2 publishes chat 3 !"#
    ), @r#"
    0 page 1 joins shop called shop
    0 agent 2 joins
    0 agent 2 named claude
    0 agent 3 joins
    1 page 1 hears chat
        → page 1 {}
    1 agent 2 subscribes chat
        ← agent 2 {}
    1 agent 3 subscribes ch*
        ← agent 3 {}
    1 agent 3 subscribes chat
        ← agent 3 {}
    2 page 1 says chat "hello"
        → 2 hears {"topic":"chat","message":"hello","from":"shop","origin":"http://localhost","time":7}
        → 3 hears {"topic":"chat","message":"hello","from":"shop","origin":"http://localhost","time":7}
        → page 1 {"status":"delivered","count":2}
    3 agent 2 publishes chat {"n":1}
        → 1 hears {"topic":"chat","message":{"n":1},"from":"claude","time":7}
        → 3 hears {"topic":"chat","message":{"n":1},"from":"claude","time":7}
        ← agent 2 {"status":"delivered","count":2}
    4 agent 3 unsubscribes ch*
        ← agent 3 {}
    4 agent 3 unsubscribes chat
        ← agent 3 {}
    5 agent 2 publishes chat 2
        → 1 hears {"topic":"chat","message":2,"from":"claude","time":7}
        ← agent 2 {"status":"delivered","count":1}
    6 page 1 leaves
    7 agent 2 publishes chat 3 !
        ← agent 2 {"status":"dropped","reason":"no subscribers"}
    "#);
}

#[test]
fn a_message_without_listeners_waits_for_the_first_one_and_then_expires() {
    assert_snapshot!(play(
        "0 agent 2 joins
           0 agent 3 joins
           1 agent 2 publishes chat 1
           2 agent 2 publishes chat 2
           3 agent 2 publishes other 3 !100
           4 agent 2 subscribes chat
           5 agent 3 subscribes chat
           103 tick
           104 agent 3 subscribes other
           105 agent 2 publishes nobody 4 !
           106 agent 3 publishes chat 5 !50
           107 agent 3 leaves"
    ), @r#"
    0 agent 2 joins
    0 agent 3 joins
    1 agent 2 publishes chat 1
        ← agent 2 {"status":"queued","reason":"no subscribers"}
    2 agent 2 publishes chat 2
        ← agent 2 {"status":"queued","reason":"no subscribers"}
    3 agent 2 publishes other 3 !100
        ← agent 2 {"status":"queued","reason":"no subscribers"}
    4 agent 2 subscribes chat
        ← agent 2 {}
    5 agent 3 subscribes chat
        ← agent 3 {}
        → 3 hears {"topic":"chat","message":1,"from":"","time":7}
        → 3 hears {"topic":"chat","message":2,"from":"","time":7}
    103 tick
    104 agent 3 subscribes other
        ← agent 3 {}
    105 agent 2 publishes nobody 4 !
        ← agent 2 {"status":"dropped","reason":"no subscribers"}
    106 agent 3 publishes chat 5 !50
        → 2 hears {"topic":"chat","message":5,"from":"","time":7}
        ← agent 3 {"status":"delivered","count":1}
    107 agent 3 leaves
    "#);
}

#[test]
fn topics_without_a_name_are_refused() {
    assert_snapshot!(play(
        "0 agent 2 joins
         1 agent 2 subscribes ",
    ), @"
    0 agent 2 joins
    1 agent 2 subscribes
        ← agent 2 !-32602 a topic is 1 to 256 bytes without control characters
    ");
}

#[test]
fn a_pages_messages_wait_in_order_and_are_given_once() {
    assert_snapshot!(play(
        r#"0 page 1 joins shop called shop
           0 agent 2 joins
           1 page 1 puts "one"
           2 page 1 puts {"two":2}
           3 page 1 hides
           4 page 3 joins shop called shop
           5 agent 2 mail
           6 agent 2 mail
           7 agent 2 mail 1000
           8 page 3 puts 3
           9 agent 2 mail 1000
           1009 tick
           1010 agent 2 mail 1000
           1011 agent 2 cancels 1
           1012 agent 2 mail 1000
           1013 agent 2 leaves
           1014 page 3 puts 4"#
    ), @r#"
    0 page 1 joins shop called shop
    0 agent 2 joins
    1 page 1 puts "one"
    2 page 1 puts {"two":2}
    3 page 1 hides
    4 page 3 joins shop called shop
    5 agent 2 mail
        ← agent 2 {"messages":[{"from":"shop","msg":"one","timestamp":7},{"from":"shop","msg":{"two":2},"timestamp":7}],"dropped":0}
    6 agent 2 mail
        ← agent 2 {"messages":[],"dropped":0}
    7 agent 2 mail 1000
    8 page 3 puts 3
        ← agent 2 {"messages":[{"from":"shop","msg":3,"timestamp":7}],"dropped":0}
    9 agent 2 mail 1000
    1009 tick
        ← agent 2 {"messages":[],"dropped":0}
    1010 agent 2 mail 1000
    1011 agent 2 cancels 1
        ← agent 2 !-32800 cancelled
    1012 agent 2 mail 1000
    1013 agent 2 leaves
    1014 page 3 puts 4
    "#);
}

#[test]
fn pages_receive_from_their_own_origin_only_and_agents_receive_all() {
    assert_snapshot!(play(
        r#"0 page 1 joins shop from http://a.test
           0 page 2 joins spy from http://b.test
           0 page 3 joins till from http://a.test
           0 agent 4 joins
           1 page 2 hears *
           1 page 3 hears *
           1 agent 4 subscribes *
           2 page 1 says chat "secret"
           3 page 1 puts "mail"
           4 agent 4 uses shop
           5 agent 4 publishes chat "for a.test"
           6 agent 4 publishes _log 1"#
    ), @r#"
    0 page 1 joins shop from http://a.test
    0 page 2 joins spy from http://b.test
    0 page 3 joins till from http://a.test
    0 agent 4 joins
    1 page 2 hears *
        → page 2 {}
    1 page 3 hears *
        → page 3 {}
    1 agent 4 subscribes *
        ← agent 4 {}
    2 page 1 says chat "secret"
        → 3 hears {"topic":"chat","message":"secret","from":"shop","origin":"http://a.test","time":7}
        → 4 hears {"topic":"chat","message":"secret","from":"shop","origin":"http://a.test","time":7}
        → page 1 {"status":"delivered","count":2}
    3 page 1 puts "mail"
        → 4 hears {"topic":"_mailbox","message":"mail","from":"shop","origin":"http://a.test","time":7}
    4 agent 4 uses shop
        ← agent 4 {"id":"shop","title":"Shop","url":"http://localhost/","origin":"http://a.test","state":"connected","visible":true,"frame":false,"eval":true,"tools":0,"pending":0,"idleMs":4,"current":true}
    5 agent 4 publishes chat "for a.test"
        → 3 hears {"topic":"chat","message":"for a.test","from":"","time":7}
        ← agent 4 {"status":"delivered","count":1}
    6 agent 4 publishes _log 1
        ← agent 4 {"status":"queued","reason":"no subscribers"}
    "#);
}

#[test]
fn the_hub_writes_who_says_something_and_the_senders_word_travels_beside_it() {
    assert_snapshot!(play(
        "0 agent 9 joins
           0 agent 9 subscribes chat
           0 agent 8 joins
           0 agent 8 named claude
           0 page 1 joins one called desktop from http://a.test
           1 page 1 says chat 1 as claude-eyes
           2 page 2 joins two called claude from http://b.test
           2 page 2 says chat 2
           3 page 3 joins three called desktop from http://b.test
           3 page 3 says chat 3
           3 page 1 says chat 4
           4 page 4 joins four called one from http://b.test
           4 page 4 says chat 5 as one
           5 agent 8 uses one
           5 agent 8 publishes chat 6 as person
           6 page 5 joins five called a/b from http://b.test
           6 page 5 says chat 7
           7 agent 8 names two till
           7 page 2 says chat 8"
    ), @r#"
    0 agent 9 joins
    0 agent 9 subscribes chat
        ← agent 9 {}
    0 agent 8 joins
    0 agent 8 named claude
    0 page 1 joins one called desktop from http://a.test
    1 page 1 says chat 1 as claude-eyes
        → 9 hears {"topic":"chat","message":1,"from":"desktop","as":"claude-eyes","origin":"http://a.test","time":7}
        → page 1 {"status":"delivered","count":1}
    2 page 2 joins two called claude from http://b.test
    2 page 2 says chat 2
        → 9 hears {"topic":"chat","message":2,"from":"two","origin":"http://b.test","time":7}
        → page 2 {"status":"delivered","count":1}
    3 page 3 joins three called desktop from http://b.test
    3 page 3 says chat 3
        → 9 hears {"topic":"chat","message":3,"from":"three","origin":"http://b.test","time":7}
        → page 3 {"status":"delivered","count":1}
    3 page 1 says chat 4
        → 9 hears {"topic":"chat","message":4,"from":"one","origin":"http://a.test","time":7}
        → page 1 {"status":"delivered","count":1}
    4 page 4 joins four called one from http://b.test
    4 page 4 says chat 5 as one
        → 9 hears {"topic":"chat","message":5,"from":"four","as":"one","origin":"http://b.test","time":7}
        → page 4 {"status":"delivered","count":1}
    5 agent 8 uses one
        ← agent 8 !-32002 `one` fits pages of several origins: desktop (Shop http://localhost/), one (Shop http://localhost/); choose one: --page http://a.test or --page four, or `eye use ID`
    5 agent 8 publishes chat 6 as person
        → 9 hears {"topic":"chat","message":6,"from":"claude","as":"person","time":7}
        ← agent 8 {"status":"delivered","count":1}
    6 page 5 joins five called a/b from http://b.test
    6 page 5 says chat 7
        → 9 hears {"topic":"chat","message":7,"from":"five","origin":"http://b.test","time":7}
        → page 5 {"status":"delivered","count":1}
    7 agent 8 names two till
        ← agent 8 {"id":"two","name":"till","alias":"claude","title":"Shop","url":"http://localhost/","origin":"http://b.test","state":"connected","visible":true,"frame":false,"eval":true,"tools":0,"pending":0,"idleMs":5,"current":true}
    7 page 2 says chat 8
        → 9 hears {"topic":"chat","message":8,"from":"till","origin":"http://b.test","time":7}
        → page 2 {"status":"delivered","count":1}
    "#);
}

#[test]
fn a_shared_topic_crosses_origins_and_topics_of_our_own_never_do() {
    assert_snapshot!(play(
        "0 page 1 joins shop from http://a.test sharing orders.*
           0 page 2 joins spy from http://b.test
           0 page 3 joins mate from http://c.test
           1 page 1 hears *
           1 page 2 hears *
           1 page 3 hears *
           2 page 2 says orders.new 1
           3 page 1 says orders.new 2
           4 page 2 says chat 3 !
           5 page 1 says _orders 4 !
           6 page 1 says _response_7 5 !
           7 agent 4 joins
           7 agent 4 uses spy
           8 agent 4 publishes chat 6
           9 agent 4 publishes orders.x 7
           10 agent 4 publishes chat 8 !all
           11 agent 4 publishes _response_7 9 !all
           12 page 2 leaves
           13 agent 4 publishes chat 10 !"
    ), @r#"
    0 page 1 joins shop from http://a.test sharing orders.*
    0 page 2 joins spy from http://b.test
    0 page 3 joins mate from http://c.test
    1 page 1 hears *
        → page 1 {}
    1 page 2 hears *
        → page 2 {}
    1 page 3 hears *
        → page 3 {}
    2 page 2 says orders.new 1
        → 1 hears {"topic":"orders.new","message":1,"from":"spy","origin":"http://b.test","time":7}
        → page 2 {"status":"delivered","count":1}
    3 page 1 says orders.new 2
        → 2 hears {"topic":"orders.new","message":2,"from":"shop","origin":"http://a.test","time":7}
        → 3 hears {"topic":"orders.new","message":2,"from":"shop","origin":"http://a.test","time":7}
        → page 1 {"status":"delivered","count":2}
    4 page 2 says chat 3 !
        → page 2 {"status":"dropped","reason":"no subscribers"}
    5 page 1 says _orders 4 !
        → page 1 {"status":"dropped","reason":"no subscribers"}
    6 page 1 says _response_7 5 !
        → page 1 {"status":"dropped","reason":"no subscribers"}
    7 agent 4 joins
    7 agent 4 uses spy
        ← agent 4 {"id":"spy","title":"Shop","url":"http://localhost/","origin":"http://b.test","state":"connected","visible":true,"frame":false,"eval":true,"tools":0,"pending":0,"idleMs":7,"current":true}
    8 agent 4 publishes chat 6
        → 2 hears {"topic":"chat","message":6,"from":"","time":7}
        ← agent 4 {"status":"delivered","count":1}
    9 agent 4 publishes orders.x 7
        → 1 hears {"topic":"orders.x","message":7,"from":"","time":7}
        → 2 hears {"topic":"orders.x","message":7,"from":"","time":7}
        ← agent 4 {"status":"delivered","count":2}
    10 agent 4 publishes chat 8 !all
        → 1 hears {"topic":"chat","message":8,"from":"","time":7}
        → 2 hears {"topic":"chat","message":8,"from":"","time":7}
        → 3 hears {"topic":"chat","message":8,"from":"","time":7}
        ← agent 4 {"status":"delivered","count":3}
    11 agent 4 publishes _response_7 9 !all
        ← agent 4 {"status":"queued","reason":"no subscribers"}
    12 page 2 leaves
    13 agent 4 publishes chat 10 !
        ← agent 4 {"status":"dropped","reason":"no subscribers"}
    "#);
}

#[test]
fn what_an_agent_left_waiting_keeps_the_limits_of_its_token() {
    assert_snapshot!(play(
        "0 page 1 joins shop from http://a.test
           0 agent 4 joins
           0 agent 4 limited http://a.test
           1 agent 4 publishes chat 1 !all
           2 agent 4 leaves
           3 page 2 joins spy from http://b.test
           3 page 2 hears chat
           3 agent 5 joins
           3 agent 5 subscribes chat
           4 page 1 hears chat"
    ), @r#"
    0 page 1 joins shop from http://a.test
    0 agent 4 joins
    0 agent 4 limited http://a.test
    1 agent 4 publishes chat 1 !all
        ← agent 4 {"status":"queued","reason":"no subscribers"}
    2 agent 4 leaves
    3 page 2 joins spy from http://b.test
    3 page 2 hears chat
        → page 2 {}
    3 agent 5 joins
    3 agent 5 subscribes chat
        ← agent 5 {}
    4 page 1 hears chat
        → page 1 {}
        → 1 hears {"topic":"chat","message":1,"from":"","time":7}
    "#);
}
