//! A page that has broken the client in its own world, in a real Chromium: the driver says for it that it is alive. The
//! test stands for the hub, which asks idle pages only, every 20 s.

use crate::hub::Stage;

/// Its client hears nothing any more, and can still say that it has come so far.
const BROKEN: &str =
    "data:text/html,<p>there</p><script>JSON.parse = () => { throw 0 }; onload = () => eye.pause('broken')</script>";

#[tokio::test]
async fn the_driver_answers_a_ping_for_a_page_whose_own_half_is_broken() {
    let Some(mut stage) = Stage::begin(BROKEN).await else { return };
    let (_, page) = stage.until(r#""paused":"broken""#).await;
    // What looks is beside it, and by its answer nothing of the page loads any more.
    page.send(r#"[{"jsonrpc":"2.0","id":"1","method":"page/look","params":{}}]"#.into()).expect("the tab is there");
    assert!(stage.until(r#"["1"#).await.0.contains("there"));
    page.send(r#"[{"jsonrpc":"2.0","id":"ping","method":"ping"}]"#.into()).expect("the tab is there");
    let (pong, _) = stage.until(r#""id":"ping""#).await;
    assert_eq!(pong, r#"[{"jsonrpc":"2.0","id":"ping","result":{"pong":true}}]"#);
    stage.end().await;
}
