//! Turns on the hub's thread: a peer whose turn is over lets others go first, however many frames or requests it still
//! has. Over several turns a peer gets its `Share`.

use super::share::Share;
use crate::hub::clock::{self, Still};
use crate::hub::gathering::Gathering;
use std::cell::Cell;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::task::yield_now;
use tokio::time::sleep;

/// The length of a turn; the frame at its end is still handled. Work that takes longer for one frame is not done on the
/// hub's thread.
const TURN: Duration = Duration::from_micros(50);
/// The turns of a peer whose frames may share a message.
const TURNS_TOGETHER: u32 = 8;
/// A peer that had a turn within this time counts as present.
const COMPANY: Duration = Duration::from_secs(10);
/// A peer that had a turn in the current or the last span of this length, in µs, is active.
const SPAN_US: u64 = 16_384;

thread_local! {
    /// The peer that had the last turn on this thread, and when the turn of the peer before it ended.
    static LAST: Cell<(u64, Option<u64>)> = const { Cell::new((0, None)) };
    static ACTIVE: Cell<Active> = const { Cell::new(Active { span: 0, now: 0, before: 0 }) };
}

/// How many peers had a turn on this thread in one span, and in the one before it.
#[derive(Clone, Copy, Debug)]
struct Active {
    span: u64,
    now: u32,
    before: u32,
}

impl Active {
    /// The same counts as of this span.
    fn at(self, span: u64) -> Self {
        match span.saturating_sub(self.span) {
            0 => self,
            1 => Self { span, now: 0, before: self.now },
            _ => Self { span, now: 0, before: 0 },
        }
    }

    fn count(self) -> u32 {
        self.now.max(self.before)
    }
}

#[derive(Debug)]
pub struct Turn {
    /// A number of the peer, unique in this process.
    peer: u64,
    /// When the current turn began, in µs of the hub's clock.
    begun_us: AtomicU64,
    /// From when on the peer's time is counted.
    since_us: AtomicU64,
    /// The span in which the peer was last counted as active, plus 1; 0: never.
    span: AtomicU64,
    /// Whether a frame is being handled: waiting then counts as the peer's time.
    in_frame: AtomicBool,
    /// Whether others go first before the next frame.
    over: AtomicBool,
    /// How often others went first.
    passes: AtomicU32,
    /// Whether what this peer has caused waits for its next turn.
    goes_on: AtomicBool,
    gathering: Gathering,
    share: Mutex<Share>,
}

impl Turn {
    /// A peer that had no turn yet.
    pub fn new() -> Self {
        static PEERS: AtomicU64 = AtomicU64::new(1);
        Self {
            peer: PEERS.fetch_add(1, Ordering::Relaxed),
            begun_us: AtomicU64::new(0),
            since_us: AtomicU64::new(0),
            span: AtomicU64::new(0),
            in_frame: AtomicBool::new(false),
            over: AtomicBool::new(false),
            passes: AtomicU32::new(0),
            goes_on: AtomicBool::new(false),
            gathering: Gathering::default(),
            share: Mutex::new(Share::new(clock::now_us())),
        }
    }

    /// Does a peer's work, whose turn begins whenever the thread comes to it. The clock stands still at that time until
    /// a frame is done. The work is pinned by the caller: moved into another future, it would take its memory twice.
    pub fn take<F: Future>(&self, mut work: Pin<&mut F>) -> impl Future<Output = F::Output> {
        poll_fn(move |context| {
            let _still = Still::begin();
            let now_us = clock::now_us();
            self.begun_us.store(now_us, Ordering::Relaxed);
            self.over.store(false, Ordering::Relaxed);
            if !self.in_frame.load(Ordering::Relaxed) {
                self.since_us.store(now_us, Ordering::Relaxed);
            }
            self.is_last(now_us);
            let mut gathering = self.gathering.begin();
            let done = work.as_mut().poll(context);
            gathering.goes_on = self.goes_on.load(Ordering::Relaxed);
            done
        })
    }

    /// Called before each frame: lets others go first if the turn is over. From here until [`Self::framed`] all time
    /// counts as the peer's, including that of a worker.
    pub async fn frame(&self) {
        self.let_others().await;
        self.in_frame.store(true, Ordering::Relaxed);
    }

    /// Called after each frame: pauses if the share is used up. If no frame follows, others need not be let first: they
    /// run when this peer waits.
    pub async fn framed(&self) {
        let now_us = clock::look();
        self.in_frame.store(false, Ordering::Relaxed);
        let used_us = now_us.saturating_sub(self.since_us.swap(now_us, Ordering::Relaxed));
        if let Some(pause_us) = self.use_up(now_us, used_us) {
            sleep(Duration::from_micros(pause_us)).await;
        } else {
            self.over.store(self.is_over(now_us), Ordering::Relaxed);
        }
    }

    /// Called between two parts of one task: pauses if the share is used up, and lets others go first if the turn is
    /// over.
    pub async fn pass(&self) {
        self.framed().await;
        self.let_others().await;
    }

    async fn let_others(&self) {
        if self.over.swap(false, Ordering::Relaxed) {
            // The next frame is at hand already.
            let passes = self.passes.fetch_add(1, Ordering::Relaxed);
            self.goes_on.store(!passes.is_multiple_of(TURNS_TOGETHER), Ordering::Relaxed);
            // Other threads on the same processor go first too: the programs of other peers.
            std::thread::yield_now();
            // The first yield is for peers that have received something by now, the second for those that they woke: a
            // call that has arrived is then sent on before this peer continues.
            yield_now().await;
            yield_now().await;
            self.goes_on.store(false, Ordering::Relaxed);
        }
    }

    fn use_up(&self, now_us: u64, used_us: u64) -> Option<u64> {
        let mut share = self.share.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_alone(now_us) {
            share.forget(now_us);
            return None;
        }
        share.use_up(now_us, used_us, ACTIVE.get().at(now_us / SPAN_US).count())
    }

    /// Notes that this peer had the last turn.
    fn is_last(&self, now_us: u64) {
        let (peer, _) = LAST.get();
        if peer != self.peer {
            LAST.set((self.peer, (peer != 0).then_some(now_us)));
        }
        let span = now_us / SPAN_US;
        if self.span.swap(span + 1, Ordering::Relaxed) != span + 1 {
            let active = ACTIVE.get().at(span);
            ACTIVE.set(Active { now: active.now + 1, ..active });
        }
    }

    /// Whether no other peer has had a turn lately.
    fn is_alone(&self, now_us: u64) -> bool {
        let (peer, other_us) = LAST.get();
        let company_us = u64::try_from(COMPANY.as_micros()).unwrap_or(u64::MAX);
        peer == self.peer && other_us.is_none_or(|other_us| now_us.saturating_sub(other_us) > company_us)
    }

    fn is_over(&self, now_us: u64) -> bool {
        let begun = self.begun_us.load(Ordering::Relaxed);
        u128::from(now_us.saturating_sub(begun)) >= TURN.as_micros()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::gathering;
    use crate::hub::peer::Signals;
    use std::pin::pin;
    use std::sync::Arc;
    use std::task::{Context, Poll, Waker};
    use std::time::Instant;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    #[tokio::test]
    async fn a_peer_with_much_to_say_lets_others_go_first() {
        let frames = Cell::new(0_u32);
        let turn = Turn::new();
        let work = pin!(async {
            while frames.get() < 1_000 {
                let begun = Instant::now();
                while begun.elapsed() < TURN {}
                frames.set(frames.get() + 1);
                turn.pass().await;
            }
        });
        let peer = turn.take(work);
        let other = async {
            for turns in 1..=10 {
                tokio::task::yield_now().await;
                assert!(frames.get() <= turns + 1, "{} frames before turn {turns}", frames.get());
            }
        };
        tokio::join!(peer, other);
    }

    #[tokio::test]
    async fn what_others_were_sent_meanwhile_leaves_before_the_peer_goes_on() {
        let frames = Arc::new(AtomicU32::new(0));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut agent = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (mut socket, _) = listener.accept().await.unwrap();
        let (outbox, mut parcels) = tokio::sync::mpsc::unbounded_channel();
        let known = frames.clone();
        let reader = tokio::spawn(async move {
            while socket.read_u8().await.is_ok() {
                outbox.send(known.load(Ordering::Relaxed)).unwrap();
            }
        });
        let sent = frames.clone();
        let writer = tokio::spawn(async move {
            let mut between = Vec::new();
            while let Some(known) = parcels.recv().await {
                between.push(sent.load(Ordering::Relaxed) - known);
            }
            between
        });
        let peer = tokio::spawn(async move {
            let turn = Turn::new();
            let work = async {
                for _ in 0..10 {
                    let begun = Instant::now();
                    while begun.elapsed() < TURN {}
                    frames.fetch_add(1, Ordering::Relaxed);
                    agent.write_u8(0).await.unwrap();
                    turn.pass().await;
                }
            };
            turn.take(pin!(work)).await;
        });
        peer.await.unwrap();
        reader.await.unwrap();
        assert_eq!(writer.await.unwrap(), [0; 10]);
    }

    #[tokio::test]
    async fn others_go_first_before_the_next_frame_and_not_behind_the_last() {
        let turn = Turn::new();
        let work = pin!(async {
            turn.frame().await;
            let begun = Instant::now();
            while begun.elapsed() < TURN {}
            turn.framed().await;
        });
        let mut peer = pin!(turn.take(work));
        assert!(poll_fn(|context| Poll::Ready(peer.as_mut().poll(context).is_ready())).await, "it says no more");
        turn.over.store(true, Ordering::Relaxed);
        let mut next = pin!(turn.frame());
        assert!(poll_fn(|context| Poll::Ready(next.as_mut().poll(context).is_pending())).await);
        next.await;
    }

    #[tokio::test]
    async fn frames_of_some_turns_share_a_message_and_the_last_ones_are_not_kept() {
        const FRAMES: u32 = 3 * TURNS_TOGETHER;
        let (turn, page, frames) = (Turn::new(), Arc::<Signals>::default(), Cell::new(0));
        let work = pin!(async {
            while frames.get() < FRAMES {
                turn.frame().await;
                let begun = Instant::now();
                while begun.elapsed() < TURN {}
                gathering::wake(&page, 1);
                frames.set(frames.get() + 1);
                turn.framed().await;
            }
            std::future::pending::<()>().await;
        });
        let mut peer = pin!(turn.take(work));
        let mut messages = 0;
        while frames.get() < FRAMES {
            poll_fn(|context| Poll::Ready(peer.as_mut().poll(context).is_ready())).await;
            let written = pin!(page.wake.notified()).poll(&mut Context::from_waker(Waker::noop()));
            messages += u32::from(written.is_ready());
        }
        assert_eq!(messages, FRAMES / TURNS_TOGETHER + 1);
    }

    #[test]
    fn a_turn_that_is_not_over_goes_on() {
        let turn = Turn::new();
        turn.begun_us.store(7_000, Ordering::Relaxed);
        assert!(!turn.is_over(7_049));
        assert!(turn.is_over(7_050));
    }

    #[test]
    fn a_peer_without_company_uses_all_of_the_time() {
        let (first, second) = (Turn::new(), Turn::new());
        first.is_last(0);
        assert_eq!(first.use_up(50_000, 50_000), None);
        second.is_last(50_000);
        first.is_last(60_000);
        assert!(first.use_up(110_000, 50_000).is_some());
        assert_eq!(first.use_up(20_000_000, 50_000), None, "the other has been silent for long");
    }

    #[test]
    fn a_peer_gets_the_less_the_more_are_active() {
        let turns = [Turn::new(), Turn::new(), Turn::new()];
        // Each has a turn in every span; the first uses up its burst.
        let pause = |peers: usize, from: u64| {
            let mut share = Share::new(from);
            let spans = from / SPAN_US..from / SPAN_US + 3;
            for turn in spans.flat_map(|span| turns[..peers].iter().map(move |turn| (span, turn))) {
                turn.1.is_last(turn.0 * SPAN_US);
            }
            let now = from + 3 * SPAN_US - 1;
            share.use_up(now, 40_000, ACTIVE.get().at(now / SPAN_US).count())
        };
        let (two, three) = (pause(2, SPAN_US), pause(3, 100 * SPAN_US));
        assert!(two.is_some() && two < three, "{two:?} {three:?}");
        assert_eq!(ACTIVE.get().at(500).count(), 0, "activity is forgotten");
    }

    #[tokio::test]
    async fn what_a_worker_does_for_a_frame_is_used_by_its_peer() {
        let turn = Turn::new();
        turn.take(pin!(async {
            turn.frame().await;
            let since = turn.since_us.load(Ordering::Relaxed);
            sleep(Duration::from_millis(2)).await;
            assert_eq!(turn.since_us.load(Ordering::Relaxed), since);
            turn.pass().await;
            assert!(turn.since_us.load(Ordering::Relaxed) >= since + 2_000);
        }))
        .await;
    }
}
