//! Commands against a real Chromium: each ends, whatever its page does, and no page blocks another.

use crate::stage;
use crate::stage::{Stage, evaluate, launch_in};
use eye_browser::cdp::Session;
use eye_browser::{BrowserError, CommandError};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Far longer than any of these steps takes, far shorter than a hang.
const SOON_MS: u64 = 20_000;

async fn dialog_shows(page: &mut stage::Page) {
    while let Some(event) = page.events.next().await {
        if &*event.method == "Page.javascriptDialogOpening" {
            return;
        }
    }
    panic!("the session ended");
}

#[tokio::test(flavor = "current_thread")]
async fn a_dialog_ends_the_evaluate_that_opened_it_and_what_follows_until_it_is_answered() {
    let Some(mut stage) = Stage::begin().await else { return };
    let page = stage.page("data:text/html,<title>one</title>").await;
    let asked = page.session.send("Runtime.evaluate", &json!({ "expression": "confirm('Sure?')" })).unwrap();
    let Err(CommandError::Dialog(dialog)) = asked.within(SOON_MS).await else { panic!("no dialog") };
    assert_eq!((dialog.kind.as_str(), dialog.message.as_str()), ("confirm", "Sure?"));
    assert_eq!(evaluate(&page.session, "1").await.unwrap_err(), CommandError::Dialog(dialog));
    page.session.command("Page.handleJavaScriptDialog", &json!({ "accept": true })).await.unwrap();
    assert_eq!(closed(&page.session).await, json!(2));
    stage.end().await;
}

/// Evaluates `1 + 1` once the dialog has closed: the closing event comes after the answer to the command that closed
/// it.
async fn closed(session: &Session) -> Value {
    loop {
        match evaluate(session, "1 + 1").await {
            Err(CommandError::Dialog(_)) => tokio::task::yield_now().await,
            other => return other.expect("the page answers"),
        }
    }
}

#[tokio::test(flavor = "current_thread")]
async fn an_endless_loop_blocks_neither_another_page_nor_closing() {
    let Some(mut stage) = Stage::begin().await else { return };
    let (stuck, free) = (stage.page("data:text/html,blank").await, stage.page("data:text/html,free").await);
    let endless = stuck.session.send("Runtime.evaluate", &json!({ "expression": "for(;;);" })).unwrap();
    assert_eq!(evaluate(&free.session, "6 * 7").await.unwrap(), json!(42));
    let late = stuck.session.send("Runtime.evaluate", &json!({ "expression": "1" })).unwrap().within(200).await;
    assert_eq!(late.unwrap_err(), CommandError::Late { method: "Runtime.evaluate".into(), ms: 200 });
    stage.browser().command("Target.closeTarget", &json!({ "targetId": stuck.target })).await.unwrap();
    assert_eq!(endless.within(SOON_MS).await.unwrap_err(), CommandError::Detached);
    assert_eq!(evaluate(&free.session, "6 * 7").await.unwrap(), json!(42));
    stage.end().await;
}

#[tokio::test(flavor = "current_thread")]
async fn an_endless_loop_is_ended_by_terminating_its_script() {
    let Some(mut stage) = Stage::begin().await else { return };
    let mut page = stage.page("data:text/html,blank").await;
    page.session.command("Runtime.enable", &json!({})).await.unwrap();
    let code = json!({ "expression": "console.log('begun'); for(;;);" });
    let endless = page.session.send("Runtime.evaluate", &code).unwrap();
    // Only a script that has begun can be terminated.
    while page.events.next().await.is_some_and(|event| &*event.method != "Runtime.consoleAPICalled") {}
    page.session.command("Runtime.terminateExecution", &json!({})).await.unwrap();
    assert!(matches!(endless.within(SOON_MS).await, Err(CommandError::Refused { .. }) | Ok(_)));
    assert_eq!(evaluate(&page.session, "6 * 7").await.unwrap(), json!(42));
    stage.end().await;
}

#[tokio::test(flavor = "current_thread")]
async fn a_crash_ends_the_pages_commands_and_a_reload_revives_it() {
    let Some(mut stage) = Stage::begin().await else { return };
    let (page, other) = (stage.page("data:text/html,alive").await, stage.page("data:text/html,blank").await);
    let waiting = json!({ "expression": "new Promise(() => 0)", "awaitPromise": true });
    let pending = page.session.send("Runtime.evaluate", &waiting).unwrap();
    let crashing = page.session.send("Page.crash", &json!({})).unwrap();
    assert_eq!(pending.within(SOON_MS).await.unwrap_err(), CommandError::Crashed);
    drop(crashing);
    assert_eq!(evaluate(&page.session, "1").await.unwrap_err(), CommandError::Crashed);
    assert_eq!(evaluate(&other.session, "6 * 7").await.unwrap(), json!(42));
    page.session.command("Page.reload", &json!({})).await.unwrap();
    let ends = Instant::now() + Duration::from_millis(SOON_MS);
    loop {
        match evaluate(&page.session, "document.body?.textContent").await {
            Ok(text) if text == "alive" => break,
            other => assert!(Instant::now() < ends, "{other:?}"),
        }
        tokio::task::yield_now().await;
    }
    stage.end().await;
}

#[tokio::test(flavor = "current_thread")]
async fn a_killed_browser_ends_every_command_and_says_so() {
    let Some(mut stage) = Stage::begin().await else { return };
    let page = stage.page("data:text/html,blank").await;
    let waiting = json!({ "expression": "new Promise(() => 0)", "awaitPromise": true });
    let pending = page.session.send("Runtime.evaluate", &waiting).unwrap();
    let pid = i32::try_from(stage.launched().pid.unwrap()).unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    let Err(CommandError::Ended(why)) = pending.within(SOON_MS).await else { panic!("it did not end") };
    assert!(why.contains("signal: 9"), "{why}");
    assert!(matches!(page.session.send("Page.reload", &json!({})).unwrap_err(), CommandError::Ended(_)));
    stage.launched().ended().await;
}

#[tokio::test(flavor = "current_thread")]
async fn a_browser_ends_with_its_pipe() {
    let Some(mut stage) = Stage::begin().await else { return };
    let page = stage.page("data:text/html,blank").await;
    let pid = i32::try_from(stage.launched().pid.unwrap()).unwrap();
    drop(page);
    let folder = stage.leave();
    let ends = Instant::now() + Duration::from_millis(SOON_MS);
    // Signal 0 checks whether the process exists. Its own task reaps it.
    while rustix::process::test_kill_process(Pid::from_raw(pid).unwrap()).is_ok() {
        assert!(Instant::now() < ends, "the browser lives on");
        tokio::task::yield_now().await;
    }
    drop(folder);
}

#[tokio::test(flavor = "current_thread")]
async fn a_profile_in_use_is_reported_with_the_process_that_has_it() {
    let Some(stage) = Stage::begin().await else { return };
    let Err(BrowserError::InUse { pid, .. }) = launch_in(&stage.profile()).await else { panic!("it started twice") };
    assert!(pid.is_some());
    stage.end().await;
}

#[tokio::test(flavor = "current_thread")]
async fn popups_wait_until_they_are_let_go() {
    let Some(mut stage) = Stage::begin().await else { return };
    let first = stage.file("first.html", "");
    let second = stage.file("second.html", "<script>window.ran = window.first</script>");
    let page = stage.page(&first).await;
    let open = json!({ "expression": format!("void open('{second}')"), "userGesture": true });
    let opening = page.session.send("Runtime.evaluate", &open).unwrap();
    let popup = stage.next_page().await;
    assert_eq!(popup.opener.as_deref(), Some(page.target.as_str()));
    let first = json!({ "source": "window.first = true" });
    popup.session.command("Page.addScriptToEvaluateOnNewDocument", &first).await.unwrap();
    popup.session.command("Runtime.runIfWaitingForDebugger", &json!({})).await.unwrap();
    opening.within(SOON_MS).await.unwrap();
    let ends = Instant::now() + Duration::from_millis(SOON_MS);
    while evaluate(&popup.session, "window.ran === true").await != Ok(json!(true)) {
        assert!(Instant::now() < ends, "the script did not run first");
    }
    stage.end().await;
}

#[tokio::test(flavor = "current_thread")]
async fn a_dialog_of_one_page_leaves_its_events_to_be_read() {
    let Some(mut stage) = Stage::begin().await else { return };
    let mut page = stage.page("data:text/html,blank").await;
    let later = json!({ "expression": "void setTimeout(() => alert('late'), 0)" });
    page.session.command("Runtime.evaluate", &later).await.unwrap();
    dialog_shows(&mut page).await;
    assert_eq!(page.session.dialog().unwrap().message, "late");
    stage.end().await;
}
