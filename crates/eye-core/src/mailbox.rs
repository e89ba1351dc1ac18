//! Letters of a page to an agent that was not there: kept in order, delivered once.

use crate::effect::Effect;
use crate::ids::{Conn, Millis};
use crate::lasting::LastingLetter;
use crate::session_event::Outcome;
use crate::state::When;
use crate::task::Reply;
use eye_protocol::limits::{CALL_TIMEOUT_MAX_MS, MAILBOX_BYTES_MAX, MAILBOX_LEN_MAX};
use eye_protocol::rpc::json;
use eye_protocol::{Code, Error};
use rustc_hash::FxBuildHasher;
use std::collections::VecDeque;
use std::hash::BuildHasher;

/// The mailbox of one session. It outlives its page's reloads.
#[derive(Debug, Default)]
pub struct Mailbox {
    /// Each as the text of a JSON object.
    letters: VecDeque<Box<str>>,
    bytes: usize,
    /// When the newest letter came.
    newest_at: Millis,
    /// How many letters were dropped since the last read.
    dropped: u64,
    /// Agents that wait for the next letter, and until when. Empty while there are letters.
    readers: VecDeque<(Reply, Millis)>,
    lasts: Lasts,
}

/// What is known of letters that are written where they outlive the hub. With a single hub none is written.
#[derive(Debug, Default)]
struct Lasts {
    /// The newest letter is not written yet.
    new: bool,
    /// Letters that no agent has received may be written.
    written: bool,
    /// Letters were written from here, or came from there or from another hub.
    ever: bool,
    /// Hashes of recalled letters. If the hub before was only hung, it hands over the same letters, which must not be
    /// kept twice.
    recalled: Vec<u64>,
}

impl Lasts {
    fn are_written(&mut self) {
        self.written = true;
        self.ever = true;
    }
}

impl Mailbox {
    /// Bytes of the letters.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// When the newest letter came, if there are any.
    pub fn newest_at(&self) -> Option<Millis> {
        (!self.letters.is_empty()).then_some(self.newest_at)
    }

    /// Frees memory: drops all letters.
    pub fn drop_all(&mut self) {
        self.dropped += self.letters.len() as u64;
        self.letters.clear();
        self.bytes = 0;
    }

    /// Keeps a message, or delivers it to the agent that has waited longest.
    pub(crate) fn put(&mut self, when: When, from: &str, message: &str, out: &mut Vec<Outcome>) {
        let wall_ms = when.wall_ms;
        let letter = format!(r#"{{"from":{},"msg":{message},"timestamp":{wall_ms}}}"#, json(from));
        self.newest_at = when.now;
        self.bytes += letter.len();
        self.letters.push_back(letter.into());
        self.lasts.new = true;
        self.cut();
        if let Some((reader, _)) = self.readers.pop_front() {
            self.give(reader, out);
        }
    }

    /// Takes all letters, and how many were dropped, for another hub.
    pub(crate) fn hand_over(&mut self) -> (Vec<Box<str>>, u64) {
        self.bytes = 0;
        self.lasts = Lasts::default();
        (self.letters.drain(..).collect(), std::mem::take(&mut self.dropped))
    }

    /// The newest letter with its number, if it is to be written where it outlives the hub.
    pub(crate) fn letter_to_write(&mut self) -> Option<(u64, &str)> {
        let newest = self.letters.back().filter(|_| std::mem::take(&mut self.lasts.new))?;
        self.lasts.are_written();
        Some((self.dropped + self.letters.len() as u64, newest))
    }

    /// All letters with their numbers, to be written again: what was written may be lost, or may have been delivered
    /// since. `None`: no letter is here, and none was written.
    pub(crate) fn letters_to_write(&mut self) -> Option<impl Iterator<Item = (u64, &str)>> {
        if !self.lasts.ever && self.letters.is_empty() {
            return None;
        }
        self.lasts.new = false;
        self.lasts.are_written();
        let first = self.dropped + 1;
        Some(self.letters.iter().enumerate().map(move |(at, letter)| (first + at as u64, &**letter)))
    }

    /// Takes letters that outlived an earlier hub. The newest of them may be letters that this mailbox has written.
    pub(crate) fn recall(&mut self, now: Millis, found: Vec<LastingLetter>, out: &mut Vec<Outcome>) {
        let Some(first) = found.first() else { return };
        let mut own: Vec<u64> = self.letters.iter().map(|letter| hash(letter)).collect();
        let mut dropped = first.number.saturating_sub(1);
        let mut letters = Vec::new();
        for letter in found {
            match letter.text {
                Some(text) if take_one(&mut own, hash(&text)) => {}
                Some(text) => letters.push(text),
                None => dropped += 1,
            }
        }
        self.lasts.recalled = letters.iter().map(|letter| hash(letter)).collect();
        self.put_before(now, letters, dropped, out);
    }

    /// Takes the letters of another hub, which are older than those here. Some of them may be here already: they were
    /// recalled, or that hub has recalled them while they were here.
    pub(crate) fn take_over(&mut self, now: Millis, mut letters: Vec<Box<str>>, dropped: u64, out: &mut Vec<Outcome>) {
        let mut known = std::mem::take(&mut self.lasts.recalled);
        if !letters.is_empty() && self.lasts.written {
            known.extend(self.letters.iter().map(|letter| hash(letter)));
        }
        letters.retain(|letter| !take_one(&mut known, hash(letter)));
        self.put_before(now, letters, dropped, out);
    }

    fn put_before(&mut self, now: Millis, letters: Vec<Box<str>>, dropped: u64, out: &mut Vec<Outcome>) {
        if !letters.is_empty() {
            self.lasts.are_written();
        }
        if self.letters.is_empty() {
            self.newest_at = now;
        }
        self.bytes += letters.iter().map(|letter| letter.len()).sum::<usize>();
        self.dropped += dropped;
        let own = std::mem::replace(&mut self.letters, letters.into());
        self.letters.extend(own);
        self.cut();
        if !self.letters.is_empty()
            && let Some((reader, _)) = self.readers.pop_front()
        {
            self.give(reader, out);
        }
    }

    /// Drops the oldest letters beyond the limits.
    fn cut(&mut self) {
        while self.letters.len() > MAILBOX_LEN_MAX || self.bytes > MAILBOX_BYTES_MAX {
            let Some(oldest) = self.letters.pop_front() else { break };
            self.bytes -= oldest.len();
            self.dropped += 1;
        }
    }

    /// Delivers the letters, or lets the reader wait for the first.
    pub(crate) fn read(&mut self, now: Millis, reader: Reply, timeout_ms: Option<u64>, out: &mut Vec<Outcome>) {
        match timeout_ms.filter(|ms| *ms > 0) {
            Some(ms) if self.letters.is_empty() => {
                self.readers.push_back((reader, now.saturating_add(ms.min(CALL_TIMEOUT_MAX_MS))));
            }
            Some(_) | None => self.give(reader, out),
        }
    }

    /// The earliest time at which a reader's wait ends.
    pub fn next_wake(&self) -> Option<Millis> {
        self.readers.iter().map(|(_, until)| *until).min()
    }

    /// Answers the readers whose wait has ended.
    pub(crate) fn tick(&mut self, now: Millis, out: &mut Vec<Outcome>) {
        let readers = std::mem::take(&mut self.readers);
        let (due, waiting): (Vec<_>, Vec<_>) = readers.into_iter().partition(|(_, until)| *until <= now);
        self.readers = waiting.into();
        for (reader, _) in due {
            self.give(reader, out);
        }
    }

    /// Takes the agents that wait for the next letter, and until when: they wait at another hub from now on.
    pub(crate) fn take_readers(&mut self) -> impl Iterator<Item = (Reply, Millis)> + use<> {
        std::mem::take(&mut self.readers).into_iter()
    }

    /// Cancels the wait of a reader. `false`: it did not wait.
    pub(crate) fn cancel(&mut self, reader: &Reply, out: &mut Vec<Outcome>) -> bool {
        let Some(at) = self.readers.iter().position(|(waiting, _)| waiting == reader) else { return false };
        if let Some((reply, _)) = self.readers.remove(at) {
            out.push(outcome_of(reply, Err(Error::new(Code::CANCELLED, "cancelled"))));
        }
        true
    }

    /// Removes the waits of an agent that left. With an error it is still connected, and receives the error.
    pub(crate) fn agent_left(&mut self, agent: Conn, error: Option<&Error>, out: &mut Vec<Outcome>) {
        self.readers.retain(|(reader, _)| {
            if let Some(error) = error.filter(|_| reader.agent == agent) {
                out.push(outcome_of(reader.clone(), Err(error.clone())));
            }
            reader.agent != agent
        });
    }

    /// The tab shows another origin: the letters are dropped, and agents whose tokens do not cover the origin stop
    /// waiting.
    pub(crate) fn change_origin(&mut self, seen_by: &[Conn], why: &str, out: &mut Vec<Outcome>) {
        let (stay, end) = std::mem::take(self).readers.into_iter().partition(|(to, _)| seen_by.contains(&to.agent));
        self.readers = stay;
        out.extend(VecDeque::into_iter(end).map(|(to, _)| outcome_of(to, Err(Error::new(Code::DENIED, why)))));
    }

    /// The hub is ending: all waits end.
    pub(crate) fn shut_down(&mut self, out: &mut Vec<Outcome>) {
        for (reader, _) in std::mem::take(&mut self.readers) {
            out.push(outcome_of(reader, Err(Error::new(Code::CONNECTION, "the hub shut down"))));
        }
    }

    fn give(&mut self, reader: Reply, out: &mut Vec<Outcome>) {
        let letters: Vec<Box<str>> = self.letters.drain(..).collect();
        let result = format!(r#"{{"messages":[{}],"dropped":{}}}"#, letters.join(","), self.dropped);
        self.bytes = 0;
        self.dropped = 0;
        self.lasts.new = false;
        if std::mem::take(&mut self.lasts.written) {
            out.push(Outcome::MailGiven { reply: reader, result });
        } else {
            out.push(outcome_of(reader, Ok(result)));
        }
    }
}

fn hash(letter: &str) -> u64 {
    FxBuildHasher.hash_one(letter)
}

fn take_one(hashes: &mut Vec<u64>, hash: u64) -> bool {
    let at = hashes.iter().position(|one| *one == hash);
    at.map(|at| hashes.swap_remove(at)).is_some()
}

fn outcome_of(reply: Reply, result: Result<String, Error>) -> Outcome {
    Outcome::Effect(Effect::Result { reply, result })
}
