//! Calls that the hub gives up, in a real Chromium: no more input is made for them, except to release what they have
//! pressed. The test takes the place of the hub.

use crate::hub::Stage;

/// Reports by `paused` what happens in it.
const PAGE: &str = "data:text/html,<button>Press</button><p>there</p><script>
    const button = document.querySelector('button');
    button.onclick = ({ isTrusted }) => isTrusted && eye.pause('pressed');
    const p = document.querySelector('p');
    p.onmousedown = () => eye.pause('down');
    onmouseup = ({ target }) => target !== button && eye.pause('up');
    onload = () => eye.pause('loaded');
</script>";

/// Not a call: no agent waits for it.
const PAGES_OWN: &str = r#"[":eye.click('button').catch(({ message }) => eye.pause(message))"]"#;

fn cancel(id: &str) -> String {
    format!(r#"[{{"jsonrpc":"2.0","method":"call/cancel","params":{{"id":"{id}"}}}}]"#)
}

#[tokio::test]
async fn a_page_presses_its_own_buttons_only_until_the_call_is_given_up() {
    let Some(mut stage) = Stage::begin(PAGE).await else { return };
    let (_, page) = stage.until(r#""paused":"loaded""#).await;
    let send = |message: &str| page.send(message.to_owned()).expect("the tab is there");
    send(r#"["5:new Promise(() => {})"]"#);
    send(PAGES_OWN);
    assert!(stage.until(r#""paused":"#).await.0.contains("pressed"));
    send(&cancel("5"));
    send(PAGES_OWN);
    let (message, _) = stage.until(r#""paused":"#).await;
    assert!(message.contains("only while an agent waits"), "{message}");
    stage.end().await;
}

#[tokio::test]
async fn a_drag_that_is_given_up_lets_go() {
    let Some(mut stage) = Stage::begin(PAGE).await else { return };
    let (_, page) = stage.until(r#""paused":"loaded""#).await;
    let send = |message: &str| page.send(message.to_owned()).expect("the tab is there");
    send(r#"[{"jsonrpc":"2.0","id":"6","method":"page/drag","params":{"from":"css=p","to":[300,300]}}]"#);
    stage.until(r#""paused":"down""#).await;
    send(&cancel("6"));
    stage.until(r#""paused":"up""#).await;
    stage.end().await;
}

/// A page with two earlier history entries. It has no origin.
const PAGE_WITH_A_PAST: &str = "data:text/html,<p>there</p><script>
    const next = (state, then) => setTimeout(() => { history.pushState(state, ''); then() });
    onload = () => next('one', () => next('two', () => setTimeout(() => eye.pause('loaded'))));
</script>";

fn back(id: &str) -> String {
    format!(r#"[{{"jsonrpc":"2.0","id":"{id}","method":"page/back","params":{{}}}}]"#)
}

#[tokio::test]
async fn a_way_back_that_is_given_up_while_it_is_looked_up_is_not_gone() {
    let Some(mut stage) = Stage::begin(PAGE_WITH_A_PAST).await else { return };
    let (_, page) = stage.until(r#""paused":"loaded""#).await;
    let send = |message: &str| page.send(message.to_owned()).expect("the tab is there");
    send(&back("7"));
    send(&cancel("7"));
    send(&back("8"));
    stage.until(r#""8:there""#).await;
    send(r#"["9:history.state"]"#);
    let (message, _) = stage.until(r#"["9"#).await;
    assert_eq!(message, r#"["9:one"]"#);
    stage.end().await;
}
