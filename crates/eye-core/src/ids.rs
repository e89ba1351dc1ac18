//! Time, connections and calls, as every module names them.

/// Monotonic milliseconds. They come in with every event.
pub type Millis = u64;

/// The earlier of two optional times.
pub fn earlier(one: Option<Millis>, other: Option<Millis>) -> Option<Millis> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// The hub's id of a call, unique in its session. Below 2^53, because pages may read it as a JavaScript number.
pub type CallId = u64;

/// One connection. Never used twice while a hub runs, so a replaced page's late frame has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Conn(pub u64);
