//! Tools as event scripts: offered, called, checked, and gone with their page.

use crate::script::play;
use insta::assert_snapshot;

#[test]
fn a_page_offers_tools_and_an_agent_calls_them() {
    assert_snapshot!(play(
        r#"0 page 1 joins shop
           0 page 1 offers {"name":"add","inputSchema":{"required":["a"]}},{"name":"greet","description":"Says hello"}
           1 agent 2 joins
           1 agent 2 tools
           1 agent 2 tools hello
           1 agent 2 tool add
           1 agent 2 tool ad
           2 agent 2 calls add {"a":1}
           3 page 1 answers 1 =3
           4 agent 2 calls greet
           5 page 1 answers 2 ={"content":[{"type":"text","text":"hi"}]}
           6 agent 2 calls greet
           7 page 1 answers 3 !-32003 kaboom"#
    ), @r#"
    0 page 1 joins shop
    0 page 1 offers {"name":"add","inputSchema":{"required":["a"]}},{"name":"greet","description":"Says hello"}
        → page 1 {"success":true,"registered":2}
    1 agent 2 joins
    1 agent 2 tools
        ← agent 2 {"tools":[{"name":"add","inputSchema":{"required":["a"]}},{"name":"greet","description":"Says hello"}]}
    1 agent 2 tools hello
        ← agent 2 {"tools":[{"name":"greet","description":"Says hello"}]}
    1 agent 2 tool add
        ← agent 2 {"name":"add","inputSchema":{"required":["a"]}}
    1 agent 2 tool ad
        ← agent 2 !-32004 Tool not found: ad; did you mean add?
    2 agent 2 calls add {"a":1}
        → page 1 calls 1: add {"a":1}
    3 page 1 answers 1 =3
        ← agent 2 7={"content":[{"type":"text","text":"3"}],"isError":false,"_meta":{"eye/untrusted":true,"eye/origin":"http://localhost"}}
    4 agent 2 calls greet
        → page 1 calls 2: greet {}
    5 page 1 answers 2 ={"content":[{"type":"text","text":"hi"}]}
        ← agent 2 7={"content":[{"type":"text","text":"hi"}],"isError":false,"_meta":{"eye/untrusted":true,"eye/origin":"http://localhost"}}
    6 agent 2 calls greet
        → page 1 calls 3: greet {}
    7 page 1 answers 3 !-32003 kaboom
        ← agent 2 7!-32003 kaboom |  |  | page
    "#);
}

#[test]
fn what_does_not_fit_never_reaches_the_page() {
    assert_snapshot!(play(
        r#"0 page 1 joins shop careful
           0 page 1 offers {"name":"add","inputSchema":{"required":["a"]}},{"name":"look","capabilities":["dom:read"]},{"name":"pay","annotations":{"consequentialHint":true}}
           1 agent 2 joins
           2 agent 2 calls add {}
           2 agent 2 calls add nonsense
           2 agent 2 calls sub {}
           3 agent 2 calls look
           4 page 1 can dom:interact
           5 agent 2 calls look
           6 agent 2 calls pay
           7 agent 2 confirms pay"#
    ), @r#"
    0 page 1 joins shop careful
    0 page 1 offers {"name":"add","inputSchema":{"required":["a"]}},{"name":"look","capabilities":["dom:read"]},{"name":"pay","annotations":{"consequentialHint":true}}
        → page 1 {"success":true,"registered":3}
    1 agent 2 joins
    2 agent 2 calls add {}
        ← agent 2 7!-32005 the arguments do not fit add: the arguments: "a" is a required property | `eye tools add --schema` shows what it takes
    2 agent 2 calls add nonsense
        ← agent 2 7!-32602 the arguments are no JSON: expected ident at line 1 column 2
    2 agent 2 calls sub {}
        ← agent 2 7!-32004 Tool not found: sub | `eye tools` lists what there is
    3 agent 2 calls look
        → page 1 calls 1: look {}
    4 page 1 can dom:interact
    5 agent 2 calls look
        ← agent 2 7!-32006 look needs the capability dom:read, which its page has not | let the page declare it in its hello
    6 agent 2 calls pay
        ← agent 2 7!-32006 `pay` cannot be undone, and pages of http://localhost ask for confirmation | ask the person, then call again with `confirm: true` |  | unconfirmed
    7 agent 2 confirms pay
        → page 1 calls 2: pay {}
    "#);
}

#[test]
fn agents_that_joined_get_news_of_tools_and_of_the_page() {
    assert_snapshot!(play(
        r#"0 page 1 joins shop
           0 agent 2 joins
           0 agent 3 joins
           1 agent 2 enters nowhere
           1 agent 2 enters shop
           2 page 1 offers {"name":"a"}
           103 page 1 withdraws a
           104 page 1 leaves
           105 page 4 joins shop
           206 page 4 offers {"name":"b"}
           207 agent 2 informs
           208 agent 2 exits
           209 page 4 leaves"#
    ), @r#"
    0 page 1 joins shop
    0 agent 2 joins
    0 agent 3 joins
    1 agent 2 enters nowhere
        ← agent 2 !-32002 Session not found: nowhere; there are: shop
    1 agent 2 enters shop
        ← agent 2 {"success":true,"sessionId":"shop","tools":[]}
    2 page 1 offers {"name":"a"}
        → page 1 {"success":true,"registered":1}
        ← agent 2 hears of shop: tools [{"name":"a"}]
    103 page 1 withdraws a
        ← agent 2 hears of shop: tools []
    104 page 1 leaves
        ← agent 2 hears of shop: page gone
    105 page 4 joins shop
        ← agent 2 hears of shop: page back
    206 page 4 offers {"name":"b"}
        → page 4 {"success":true,"registered":1}
        ← agent 2 hears of shop: tools [{"name":"b"}]
    207 agent 2 informs
        ← agent 2 {"id":"shop","title":"Shop","url":"http://localhost/","origin":"http://localhost","state":"connected","visible":true,"frame":false,"eval":true,"tools":1,"pending":0,"idleMs":102,"current":true,"createdMs":207,"agents":1}
    208 agent 2 exits
        ← agent 2 {"success":true}
    209 page 4 leaves
    "#);
}

#[test]
fn changes_of_tools_that_follow_each_other_are_reported_together() {
    assert_snapshot!(play(
        r#"0 page 1 joins shop
           0 agent 2 joins
           1 agent 2 enters shop
           2 page 1 offers {"name":"a"}
           3 page 1 offers {"name":"b"}
           4 page 1 offers {"name":"c"}
           101 tick
           102 tick
           300 tick"#
    ), @r#"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 enters shop
        ← agent 2 {"success":true,"sessionId":"shop","tools":[]}
    2 page 1 offers {"name":"a"}
        → page 1 {"success":true,"registered":1}
        ← agent 2 hears of shop: tools [{"name":"a"}]
    3 page 1 offers {"name":"b"}
        → page 1 {"success":true,"registered":1}
    4 page 1 offers {"name":"c"}
        → page 1 {"success":true,"registered":1}
    101 tick
    102 tick
        ← agent 2 hears of shop: tools [{"name":"a"},{"name":"b"},{"name":"c"}]
    300 tick
    "#);
}

#[test]
fn a_call_waits_for_a_page_that_reloads_and_its_tools_are_known_meanwhile() {
    assert_snapshot!(play(
        r#"0 page 1 joins shop
           0 page 1 offers {"name":"a"},{"name":"b"}
           0 agent 2 joins
           1 page 1 leaves
           2 agent 2 calls a
           3 page 4 joins shop
           4 page 4 offers {"name":"a"}
           5 page 4 answers 1 :done
           6 agent 2 calls b"#
    ), @r#"
    0 page 1 joins shop
    0 page 1 offers {"name":"a"},{"name":"b"}
        → page 1 {"success":true,"registered":2}
    0 agent 2 joins
    1 page 1 leaves
    2 agent 2 calls a
    3 page 4 joins shop
        → page 4 calls 1: a {}
    4 page 4 offers {"name":"a"}
        → page 4 {"success":true,"registered":1}
    5 page 4 answers 1 :done
        ← agent 2 7={"content":[{"type":"text","text":"done"}],"isError":false,"_meta":{"eye/untrusted":true,"eye/origin":"http://localhost"}}
    6 agent 2 calls b
        ← agent 2 7!-32004 Tool not found: b | `eye tools` lists what there is
    "#);
}

#[test]
fn several_calls_of_one_request_end_together() {
    assert_snapshot!(play(
        r#"0 page 1 joins shop
           0 page 1 offers {"name":"a"},{"name":"b"}
           0 agent 2 joins
           1 agent 2 calls-many a, nope, b
           2 page 1 answers 2 =2
           3 page 1 answers 1 :one"#
    ), @r#"
    0 page 1 joins shop
    0 page 1 offers {"name":"a"},{"name":"b"}
        → page 1 {"success":true,"registered":2}
    0 agent 2 joins
    1 agent 2 calls-many a, nope, b
        → page 1 calls 1: a {}
        → page 1 calls 2: b {}
    2 page 1 answers 2 =2
    3 page 1 answers 1 :one
        ← agent 2 {"results":[{"result":{"content":[{"type":"text","text":"one"}],"isError":false,"_meta":{"eye/untrusted":true,"eye/origin":"http://localhost"}}},{"error":{"code":-32004,"message":"Tool not found: nope","data":{"hint":"`eye tools` lists what there is"}}},{"result":{"content":[{"type":"text","text":"2"}],"isError":false,"_meta":{"eye/untrusted":true,"eye/origin":"http://localhost"}}}]}
    "#);
}

#[test]
fn progress_reaches_the_caller() {
    assert_snapshot!(play(
        r#"0 page 1 joins shop
           0 page 1 offers {"name":"slow"}
           0 agent 2 joins
           1 agent 2 calls slow
           2 page 1 progresses 1 {"progress":0.5}
           3 page 1 answers 1 =1
           4 page 1 progresses 1 {"progress":0.9}"#
    ), @r#"
    0 page 1 joins shop
    0 page 1 offers {"name":"slow"}
        → page 1 {"success":true,"registered":1}
    0 agent 2 joins
    1 agent 2 calls slow
        → page 1 calls 1: slow {}
    2 page 1 progresses 1 {"progress":0.5}
        ← agent 2 progress {"progress":0.5}
    3 page 1 answers 1 =1
        ← agent 2 7={"content":[{"type":"text","text":"1"}],"isError":false,"_meta":{"eye/untrusted":true,"eye/origin":"http://localhost"}}
    4 page 1 progresses 1 {"progress":0.9}
    "#);
}

#[test]
fn a_tools_own_timeout_is_its_calls_default() {
    assert_snapshot!(play(
        r#"0 page 1 joins shop
           0 page 1 offers {"name":"quick","timeout":50}
           0 agent 2 joins
           1 agent 2 calls quick
           51 tick"#
    ), @r#"
    0 page 1 joins shop
    0 page 1 offers {"name":"quick","timeout":50}
        → page 1 {"success":true,"registered":1}
    0 agent 2 joins
    1 agent 2 calls quick
        → page 1 calls 1: quick {}
    51 tick
        → page 1 aborts 1
        ← agent 2 7!-32001 no answer within the timeout | the page may be busy, frozen or waiting for something; raise --timeout, or look at the page
    "#);
}

#[test]
fn what_the_user_allows_holds_from_then_on_for_a_page_that_is_there() {
    assert_snapshot!(play(
        r#"0 page 1 joins shop from http://a.test
           0 page 1 offers {"name":"pay","annotations":{"consequentialHint":true}}
           0 page 2 joins other from http://b.test
           0 agent 3 joins
           0 agent 3 uses shop
           1 agent 3 asks a 1
           2 page 1 allowed denied careful sharing chat
           3 agent 3 asks b 2
           4 agent 3 calls pay
           5 page 1 hears chat
           6 page 2 says chat "hi"
           7 page 1 allowed anything
           8 agent 3 asks c 3
           9 page 2 says chat "ho" !"#
    ), @r#"
    0 page 1 joins shop from http://a.test
    0 page 1 offers {"name":"pay","annotations":{"consequentialHint":true}}
        → page 1 {"success":true,"registered":1}
    0 page 2 joins other from http://b.test
    0 agent 3 joins
    0 agent 3 uses shop
        ← agent 3 {"id":"shop","title":"Shop","url":"http://localhost/","origin":"http://a.test","state":"connected","visible":true,"frame":false,"eval":true,"tools":1,"pending":0,"idleMs":0,"current":true}
    1 agent 3 asks a 1
        → page 1 evaluates 1: 1
    2 page 1 allowed denied careful sharing chat
    3 agent 3 asks b 2
        ← agent 3 b!-32006 code may not be evaluated in pages of http://a.test | allow it with `eye allow http://a.test`
    4 agent 3 calls pay
        ← agent 3 7!-32006 `pay` cannot be undone, and pages of http://a.test ask for confirmation | ask the person, then call again with `confirm: true` |  | unconfirmed
    5 page 1 hears chat
        → page 1 {}
    6 page 2 says chat "hi"
        → 1 hears {"topic":"chat","message":"hi","from":"other","origin":"http://b.test","time":7}
        → page 2 {"status":"delivered","count":1}
    7 page 1 allowed anything
    8 agent 3 asks c 3
        → page 1 evaluates 2: 3
    9 page 2 says chat "ho" !
        → page 2 {"status":"dropped","reason":"no subscribers"}
    "#);
}

#[test]
fn a_call_that_waited_is_not_sent_to_a_page_where_it_is_forbidden_by_then() {
    assert_snapshot!(play(
        r#"0 page 1 joins shop
           0 page 1 offers {"name":"pay","annotations":{"consequentialHint":true}},{"name":"look"}
           0 agent 2 joins
           1 page 1 leaves
           2 agent 2 asks a code()
           2 agent 2 fires code()
           2 agent 2 calls pay
           2 agent 2 calls look
           3 page 3 joins shop denied careful"#
    ), @r#"
    0 page 1 joins shop
    0 page 1 offers {"name":"pay","annotations":{"consequentialHint":true}},{"name":"look"}
        → page 1 {"success":true,"registered":2}
    0 agent 2 joins
    1 page 1 leaves
    2 agent 2 asks a code()
    2 agent 2 fires code()
    2 agent 2 calls pay
    2 agent 2 calls look
    3 page 3 joins shop denied careful
        ← agent 2 a!-32006 code may not be evaluated in pages of http://localhost | allow it with `eye allow http://localhost`
        ← agent 2 7!-32006 `pay` cannot be undone, and pages of http://localhost ask for confirmation | ask the person, then call again with `confirm: true` |  | unconfirmed
        → page 3 calls 4: look {}
    "#);
}
