//! The tools that a session's page offers and withdraws.

use super::Session;
use super::replies::answer_page;
use crate::effect::Effect;
use crate::ids::{Conn, Millis};
use crate::session_event::Outcome;
use crate::then::Then;
use crate::toolbox::{self, Prepared};
use crate::work::Work;
use eye_protocol::rpc::{RpcId, json};

impl Session {
    pub(super) fn offer(
        &mut self,
        page: Conn,
        id: Option<RpcId>,
        tools: Vec<Box<str>>,
        room_bytes: usize,
        out: &mut Vec<Outcome>,
    ) {
        if toolbox::is_light(&tools) {
            self.take_tools(page, id, toolbox::prepare(tools, || {}), room_bytes, out);
        } else {
            self.begin(Work::Compile(tools), Then::Offer { page, id }, out);
        }
    }

    pub(crate) fn take_tools(
        &mut self,
        page: Conn,
        id: Option<RpcId>,
        prepared: Prepared,
        room_bytes: usize,
        out: &mut Vec<Outcome>,
    ) {
        let (result, replaced) = self.toolbox.register(prepared, room_bytes);
        answer_page(page, id, result.map(|registered| json(&registered)), out);
        if !replaced.is_light() {
            out.push(Outcome::Effect(Effect::Free(Box::new(replaced))));
        }
        out.push(Outcome::Tools);
        self.offered(out);
    }

    pub(super) fn withdraws(
        &mut self,
        now: Millis,
        page: Conn,
        id: Option<RpcId>,
        names: &[String],
        out: &mut Vec<Outcome>,
    ) {
        if self.note_alive(now, page) {
            let count = self.toolbox.unregister(names);
            let result = Ok(format!(r#"{{"success":true,"unregistered":{count}}}"#));
            answer_page(page, id, result, out);
            out.push(Outcome::Tools);
        }
    }
}
