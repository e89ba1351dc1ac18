//! The two ends of a connection, as text.

use tokio::sync::mpsc;

/// What a peer says, one text message each. It ends when the peer is gone.
pub type Heard = mpsc::Receiver<String>;
/// What is said to a peer. Letting go of it closes the connection.
pub type Say = mpsc::Sender<String>;
