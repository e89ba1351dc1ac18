//! What the link takes besides messages of other hubs and effects of its own hub. All of it is rare, so it comes as one
//! stream: a call polls that instead of each source.

use super::alone::Alone;
use crate::core::{BEAT_MS, Event};
use async_nats::{Message, Subscriber};
use futures_util::StreamExt;
use futures_util::stream::{BoxStream, SelectAll, once, poll_fn, select_all};
use std::future::ready;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{MissedTickBehavior, interval};

/// The most events that are handled at once. Messages of other hubs are read in between.
const MANY: usize = 256;

/// One event of a rare source.
pub enum Rare {
    /// The time for a heartbeat.
    Tick,
    /// A heartbeat of a hub, or this hub's own.
    Beat(Message),
    /// The server reports that a message had no receiver.
    Unread(Message),
    /// A message was written apart.
    Alone(Alone),
    /// The last message that is written apart was written: the hub ends.
    AllWritten,
    /// The results of operations on a bucket or the stream of letters: all that are ready, because the directory may
    /// have many entries.
    Stored(Vec<Event>),
    /// The connection to NATS has changed.
    Link(async_nats::Event),
    /// The hub ends.
    Stop,
}

/// The sources, apart from the clock.
pub struct Sources<'a> {
    pub beats: Subscriber,
    pub unread: Subscriber,
    pub alone: UnboundedReceiver<Alone>,
    pub stored: UnboundedReceiver<Event>,
    pub link: UnboundedReceiver<async_nats::Event>,
    pub stop: &'a Notify,
}

impl<'a> Sources<'a> {
    /// All sources as one stream, which never ends.
    pub fn stream(self) -> SelectAll<BoxStream<'a, Rare>> {
        let Self { beats, unread, alone, stored, link, stop } = self;
        let mut ticks = interval(Duration::from_millis(BEAT_MS));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        select_all([
            poll_fn(move |context| ticks.poll_tick(context).map(|_| Some(Rare::Tick))).boxed(),
            beats.map(Rare::Beat).boxed(),
            unread.map(Rare::Unread).boxed(),
            received(alone).map(Rare::Alone).chain(once(ready(Rare::AllWritten))).boxed(),
            received_many(stored).map(Rare::Stored).boxed(),
            received(link).map(Rare::Link).boxed(),
            once(stop.notified()).map(|()| Rare::Stop).boxed(),
        ])
    }
}

/// A channel as a stream.
fn received<T>(mut channel: UnboundedReceiver<T>) -> impl futures_util::Stream<Item = T> {
    poll_fn(move |context| channel.poll_recv(context))
}

/// A channel as a stream of what is ready, at most [`MANY`] at once.
fn received_many<T>(mut channel: UnboundedReceiver<T>) -> impl futures_util::Stream<Item = Vec<T>> {
    let mut many = Vec::new();
    poll_fn(move |context| {
        let count = channel.poll_recv_many(context, &mut many, MANY);
        count.map(|count| (count > 0).then(|| std::mem::take(&mut many)))
    })
}
