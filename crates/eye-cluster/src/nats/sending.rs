//! Sends to other hubs: all frames that are ready for a hub in one message, or in parts if that is too large.

use super::alone::Alone;
use super::{NatsLink, PART_BYTES_MAX};
use crate::core::{Event, Life};
use crate::parts::PARTS_BYTES_MAX;
use crate::wire::Frame;
use async_nats::Subject;

/// The number of messages whose requests are remembered, to find the requests of a message that had no receiver.
const SENT_LEN_MAX: usize = 4096;

impl NatsLink {
    /// Sends the frames that are ready: one message for each hub.
    pub(super) async fn flush(&mut self) {
        if self.outgoing.is_empty() {
            return;
        }
        let outgoing = std::mem::take(&mut self.outgoing);
        if !self.can_send() {
            // The requests end with the link, whose loss is about to be noticed.
            return;
        }
        for (to, frames) in outgoing {
            self.send(to, frames).await;
        }
    }

    fn can_send(&self) -> bool {
        self.core.is_up() && self.is_connected()
    }

    /// Encodes a message of one frame. A worker does it if it takes long.
    pub(super) fn write_alone(&mut self, to: Life, frame: Frame) {
        let (writer, alone) = (self.writer.clone(), self.alone.clone());
        let is_heavy = matches!(&frame, Frame::HandOver(handover) if handover.is_heavy());
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

    /// Sends a message that was written apart. Without a link, a handover stays here.
    pub(super) async fn send_alone(&mut self, one: Alone) {
        let Alone { to, frame, message } = one;
        if self.can_send() {
            self.send_one(&to, std::slice::from_ref(&frame), message).await;
        } else if let Frame::HandOver(handover) = frame {
            self.event(Event::Unsent(Box::new((*handover).into())));
        }
    }

    async fn send(&mut self, to: Life, frames: Vec<Frame>) {
        let mut rest = vec![frames];
        while let Some(mut frames) = rest.pop() {
            match self.writer.frames(&frames) {
                // One message with all frames would be larger than what the other hub keeps of one message.
                Ok(message) if message.len() > PARTS_BYTES_MAX / 2 && frames.len() > 1 => {
                    rest.push(frames.split_off(frames.len() / 2));
                    rest.push(frames);
                }
                Ok(message) => self.send_one(&to, &frames, message).await,
                Err(error) => tracing::error!(%error, "a message cannot be written"),
            }
        }
    }

    async fn send_one(&mut self, to: &Life, frames: &[Frame], message: Vec<u8>) {
        self.last_message += 1;
        let id = self.last_message;
        let calls = frames.iter().filter_map(|frame| match frame {
            Frame::Request(request) => Some(request.call),
            _ => None,
        });
        let reply = Subject::from(self.subjects.unread(&self.life, &id.to_string()));
        if self.sent.len() >= SENT_LEN_MAX {
            self.sent.pop_front();
        }
        self.sent.push_back((id, to.clone(), calls.collect()));
        if message.len() <= PART_BYTES_MAX {
            return self.publish(to, reply, message).await;
        }
        for part in self.writer.parts(id, &message, PART_BYTES_MAX).collect::<Vec<_>>() {
            match part {
                Ok(part) => self.publish(to, reply.clone(), part).await,
                Err(error) => tracing::error!(%error, "a message cannot be written"),
            }
        }
    }

    async fn publish(&mut self, to: &Life, reply: Subject, payload: Vec<u8>) {
        if let Err(error) = self.client.publish_with_reply(self.subjects.of(to), reply, payload.into()).await {
            tracing::warn!(%error, "a message to another hub was not sent");
            self.is_down();
        }
    }
}
