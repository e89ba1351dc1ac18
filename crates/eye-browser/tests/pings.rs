//! A page that has broken the client in its own world, in a real Chromium: the driver answers its pings. The test takes
//! the place of the hub, which pings only idle pages, every 20 s.

use crate::hub::Stage;

/// Its client can no longer read messages, but can still report how far it has come.
const BROKEN: &str =
    "data:text/html,<p>there</p><script>JSON.parse = () => { throw 0 }; onload = () => eye.pause('broken')</script>";

#[tokio::test]
async fn the_driver_answers_a_ping_for_a_page_whose_own_half_is_broken() {
    let Some(mut stage) = Stage::begin(BROKEN).await else { return };
    let (_, page) = stage.until(r#""paused":"broken""#).await;
    // The half that looks is beside the page. Its answer shows that the page has loaded.
    page.send(r#"[{"jsonrpc":"2.0","id":"1","method":"page/look","params":{}}]"#.into()).expect("the tab is there");
    assert!(stage.until(r#"["1"#).await.0.contains("there"));
    page.send(r#"[{"jsonrpc":"2.0","id":"ping","method":"ping"}]"#.into()).expect("the tab is there");
    let (pong, _) = stage.until(r#""id":"ping""#).await;
    assert_eq!(pong, r#"[{"jsonrpc":"2.0","id":"ping","result":{"pong":true}}]"#);
    stage.end().await;
}
