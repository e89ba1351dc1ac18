//! Sends to other hubs: all frames that are ready for a hub in one message, or in parts if that is too large.

use super::alone::Alone;
use super::{NatsLink, PART_BYTES_MAX};
use crate::core::{Event, Life};
use crate::parts::PARTS_BYTES_MAX;
use crate::wire::Frame;
use async_nats::Subject;
use async_nats::message::OutboundMessage;
use eye_protocol::limits::LIGHT_BYTES_MAX;
use futures_util::SinkExt;
use std::task::{Context, Poll, ready};

/// The number of messages whose requests are remembered, to find the requests of a message that had no receiver.
const SENT_LEN_MAX: usize = 4096;

impl NatsLink {
    /// Sends the frames that are ready: one message for each hub. Pending: the connection takes no more for now.
    pub(super) fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.outgoing.is_empty() && self.unsent.is_empty() {
            return Poll::Ready(());
        }
        if !self.can_send() {
            // The requests end with the link, whose loss is about to be noticed.
            self.outgoing.clear();
            self.unsent.clear();
            return Poll::Ready(());
        }
        let mut outgoing = std::mem::take(&mut self.outgoing);
        outgoing.drain(|to, waiting| self.write(to, &waiting.subject, &waiting.frames));
        self.outgoing = outgoing;
        while !self.unsent.is_empty() {
            let room = ready!(self.client.poll_ready_unpin(context));
            let Some(message) = self.unsent.pop_front() else { break };
            if let Err(error) = room.and_then(|()| self.client.start_send_unpin(message)) {
                tracing::warn!(%error, "a message to another hub was not sent");
                self.is_down();
            }
        }
        Poll::Ready(())
    }

    fn can_send(&self) -> bool {
        self.core.is_up() && self.is_connected()
    }

    /// Encodes a message of one frame. A worker does it if it takes long.
    pub(super) fn write_alone(&mut self, to: Life, frame: Frame) {
        let (writer, alone) = (self.writer.clone(), self.alone.clone());
        let is_heavy = matches!(&frame, Frame::HandOver(handover) if handover.len_bytes() > LIGHT_BYTES_MAX);
        let write = move || {
            match writer.frames(std::slice::from_ref(&frame)) {
                // Fails only when the hub ends: the receiver ends with it.
                Ok(message) => alone.send(Alone { to, frame, message }).unwrap_or_default(),
                Err(error) => tracing::error!(%error, "a message cannot be written"),
            }
        };
        if is_heavy {
            tokio::task::spawn_blocking(write);
        } else {
            write();
        }
    }

    /// Takes a message that was written apart, to be sent with the next ones. Without a link, a handover stays here.
    pub(super) fn send_alone(&mut self, one: Alone) {
        let Alone { to, frame, message } = one;
        if self.can_send() {
            let subject = self.subjects.of(&to).into();
            self.send(&to, &subject, std::slice::from_ref(&frame), message);
        } else if let Frame::HandOver(handover) = frame {
            self.event(Event::Unsent(handover));
        }
    }

    /// Encodes the frames for a hub.
    fn write(&mut self, to: &Life, subject: &Subject, frames: &[Frame]) {
        let (mut rest, mut count) = (frames, frames.len());
        while !rest.is_empty() {
            let (first, others) = rest.split_at(count.min(rest.len()));
            match self.writer.frames(first) {
                // One message with all of them would be larger than what the other hub keeps of one message.
                Ok(message) if message.len() > PARTS_BYTES_MAX / 2 && first.len() > 1 => {
                    count = first.len() / 2;
                    continue;
                }
                Ok(message) => self.send(to, subject, first, message),
                Err(error) => tracing::error!(%error, "a message cannot be written"),
            }
            rest = others;
        }
    }

    /// Queues a message of these frames.
    fn send(&mut self, to: &Life, subject: &Subject, frames: &[Frame], message: Vec<u8>) {
        self.last_message += 1;
        let id = self.last_message;
        let calls = frames.iter().filter_map(|frame| match frame {
            Frame::Request(request) => Some(request.call),
            _ => None,
        });
        if self.sent.len() >= SENT_LEN_MAX {
            self.sent.pop_front();
        }
        self.sent.push_back((id, to.clone(), calls.collect()));
        let reply = self.subjects.unread(id);
        if message.len() <= PART_BYTES_MAX {
            return self.unsent.push_back(outbound(subject.clone(), reply, message));
        }
        for part in self.writer.parts(id, &message, PART_BYTES_MAX) {
            match part {
                Ok(part) => self.unsent.push_back(outbound(subject.clone(), reply.clone(), part)),
                Err(error) => tracing::error!(%error, "a message cannot be written"),
            }
        }
    }
}

fn outbound(subject: Subject, reply: Subject, payload: Vec<u8>) -> OutboundMessage {
    OutboundMessage { subject, reply: Some(reply), payload: payload.into(), headers: None }
}
