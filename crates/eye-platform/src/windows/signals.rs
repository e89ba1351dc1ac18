//! The signals that tell this process to stop.

use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_shutdown};

/// Waits for Ctrl-C, Ctrl-Break, or the end of the console or the system.
pub async fn stop_signal() {
    let (Ok(mut interrupt), Ok(mut broken), Ok(mut closed), Ok(mut shut_down)) =
        (ctrl_c(), ctrl_break(), ctrl_close(), ctrl_shutdown())
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = broken.recv() => {}
        _ = closed.recv() => {}
        _ = shut_down.recv() => {}
    }
}
