//! Writes effects through each peer's dialect into its outbox.

use super::outbox::{Kind, Outbox};
use super::peer::{Peer, Voice};
use crate::dialect::call_id::call_id;
use crate::dialect::{events, eye, original, scene, tools, topics};
use eye_core::{Effect, ReplyForm, Task};
use eye_protocol::close::Close;
use eye_protocol::{Value, rpc};

/// Writes an effect into a peer's outbox. `text` is a reusable buffer.
pub fn speak(peer: &mut Peer, effect: &Effect, text: &mut String) {
    match effect {
        Effect::Send { page, call, task } => match (peer.voice, task) {
            (Voice::Original, Task::Eval { code, .. }) => {
                original::to_page(*call, code, text);
                peer.outbox.line(text);
            }
            // Nothing else is sent to an original page: the hub has answered for it. `Hub::tell_scene` has already
            // written to a 3D page.
            (Voice::Original | Voice::Scene, _) => {}
            (Voice::Events(_), task) if matches!(task, Task::Tool { .. }) => {
                if let Some(frame) = events::to_page(*page, *call, task) {
                    peer.rpc(Kind::Request, &frame);
                }
            }
            (_, task) if eye::to_page(*call, task, text) => peer.rpc(Kind::Request, text),
            (_, _) => peer.outbox.line(text),
        },
        Effect::Abort { call, .. } if peer.voice == Voice::Scene => scene::abort(*call, &mut peer.scene),
        // Two tabs of an original 3D page may share a session: the older one stays open and gets no requests.
        Effect::Close { close, .. } if peer.voice == Voice::Scene && *close == Close::taken_over() => {}
        // Original pages do not know these messages; such a page is simply closed, or sends pings of its own.
        Effect::Abort { .. } | Effect::Ping { .. } | Effect::Replaced { .. } | Effect::Message { .. }
            if matches!(peer.voice, Voice::Original | Voice::Scene) => {}
        // A peer on an event stream is alive as long as its stream is open.
        Effect::Ping { .. } if matches!(peer.voice, Voice::Events(_)) => {}
        Effect::Abort { page, call } if matches!(peer.voice, Voice::Events(_)) => {
            peer.rpc(Kind::Message, &eye::abort(&call_id(*page, *call)));
        }
        Effect::Abort { call, .. } => peer.rpc(Kind::Message, &eye::abort(&call.to_string())),
        Effect::Ping { .. } => peer.rpc(Kind::Request, eye::ping()),
        Effect::Replaced { .. } => peer.rpc(Kind::Message, &eye::replaced()),
        Effect::PageResult { id, result, .. } => peer.rpc(Kind::Response, &rpc::response(id, result.as_deref())),
        Effect::Progress { reply, progress } => {
            if let Some(frame) = tools::progress_to_agent(&reply.form, progress) {
                peer.rpc(Kind::Message, &frame);
            }
        }
        Effect::News { session, news, .. } => {
            let frame = match peer.voice {
                Voice::Events(posts) => events::news(posts, session, news),
                Voice::Eye { .. } | Voice::Original | Voice::Scene => eye::news(session, news),
            };
            peer.rpc(Kind::Message, &frame);
        }
        Effect::Message { params, .. } => peer.rpc(Kind::Message, &topics::message(params)),
        Effect::Close { close, .. } => peer.close_after(close.clone()),
        // Not for peers.
        Effect::Work { .. }
        | Effect::Free(_)
        | Effect::PassOn(_)
        | Effect::CancelElsewhere { .. }
        | Effect::LeftElsewhere { .. }
        | Effect::PublishElsewhere { .. }
        | Effect::HandOver(_)
        | Effect::LookUp { .. }
        | Effect::Lasting(_) => {}
        Effect::Ended { reply, ending, delta } => match peer.voice {
            Voice::Original => {
                original::to_agent(&reply.form, ending, text);
                peer.outbox.line(text);
            }
            Voice::Events(posts) if let (ReplyForm::Tool(id), Err(error)) = (&reply.form, ending) => {
                peer.rpc(Kind::Response, &events::failed_call(posts, id, error));
            }
            voice => {
                if let (Outbox::Inside(letterbox), ReplyForm::Rpc(id), None) = (&peer.outbox, &reply.form, delta)
                    && letterbox.put_ending(id, ending)
                {
                    return;
                }
                if let Ok(Value::Bytes(bytes)) = ending
                    && peer.binary
                    && let Some(message) = eye::to_agent_binary(&reply.form, bytes)
                {
                    peer.outbox.binary(&message);
                    return;
                }
                let typed = voice == Voice::Eye { typed: true };
                if eye::to_agent(&reply.form, ending, delta.as_deref(), typed, text) {
                    peer.rpc(Kind::Response, text);
                } else {
                    peer.outbox.line(text);
                }
            }
        },
        Effect::Result { reply, result } => {
            if let ReplyForm::Rpc(id) = &reply.form {
                if let (Voice::Events(posts), Err(error)) = (peer.voice, result) {
                    return peer.rpc(Kind::Response, &events::failed(posts, id, error));
                }
                peer.rpc(Kind::Response, &rpc::response(id, result.as_deref()));
            }
        }
    }
}
