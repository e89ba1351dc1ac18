//! The two directions of a connection, as text.

use tokio::sync::mpsc;

/// Text messages from a peer. The channel closes when the peer is gone.
pub type Incoming = mpsc::Receiver<String>;
/// Text messages to a peer. Dropping the sender closes the connection.
pub type Outgoing = mpsc::Sender<String>;
