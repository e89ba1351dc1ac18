//! Pictures of a part: the page client is asked where that is, and its answer is kept from the hub.

use super::{Doing, Done, Tab};
use crate::drive::frames::{self, Own};
use crate::drive::verbs::{self, Rect, Shot};
use eye_protocol::rpc::{self, json};
use eye_protocol::{Code, Error};
use serde::Deserialize;
use serde_json::json;

/// How ids of the driver's own questions to the page client begin; the hub's are numbers.
const ASKED: &str = "d";

impl Tab {
    /// Takes answers to the driver's own questions out of a message; the rest is the hub's.
    pub(super) fn own_answers(&mut self, message: &str) -> Option<String> {
        let answered: Vec<String> = frames::answered(message);
        let mut mine = Vec::new();
        for id in answered.iter().filter(|id| id.starts_with(ASKED)) {
            if let Some(waiting) = self.asked.remove(id) {
                mine.push(id.clone());
                self.located(waiting, message, id);
            }
        }
        if mine.is_empty() {
            return Some(message.to_owned());
        }
        let elements: Vec<serde_json::Value> = serde_json::from_str(message).unwrap_or_default();
        let is_mine = |element: &serde_json::Value| mine.iter().any(|id| frames::is_of(element, id));
        let rest: Vec<&serde_json::Value> = elements.iter().filter(|element| !is_mine(element)).collect();
        (!rest.is_empty()).then(|| json(&rest))
    }

    /// The page client has said where a picture's target is, or why it has none.
    fn located(&mut self, (own, shot): (Own, Shot), message: &str, id: &str) {
        #[derive(Deserialize)]
        struct Found {
            rect: Rect,
        }
        let elements: Vec<serde_json::Value> = serde_json::from_str(message).unwrap_or_default();
        let ending = elements.iter().find(|element| frames::is_of(element, id)).map(|element| match element.as_str() {
            Some(line) => eye_protocol::answer::parse_typed(line).map_or_else(|| Err(unclear()), |(_, ending)| ending),
            None => Err(Error::from_raw(&json(&element["error"]))),
        });
        let session = self.session.clone();
        let doing: Doing = match ending {
            Some(Ok(value)) => match serde_json::from_str::<Found>(value.as_text()) {
                Ok(Found { rect }) => {
                    Box::pin(async move { Done::Answer(own.id, verbs::shot(&session, &shot, Some(rect)).await) })
                }
                Err(_) => Box::pin(std::future::ready(Done::Answer(own.id, Err(unclear())))),
            },
            Some(Err(error)) => Box::pin(std::future::ready(Done::Answer(own.id, Err(error)))),
            None => return,
        };
        self.doing.push(doing);
    }

    /// Asks the page client where a target is.
    pub(super) fn ask_where(&mut self, own: Own, shot: Shot) {
        self.last_asked += 1;
        let id = format!("{ASKED}{}", self.last_asked);
        let asked = rpc::request(&json(&id), "page/query", &json!({ "target": shot.target }));
        match self.tell(&format!("[{asked}]")) {
            Ok(()) => drop(self.asked.insert(id, (own, shot))),
            Err(error) => self.done(Done::Answer(own.id, Err(verbs::refusal(&error)))),
        }
    }
}

fn unclear() -> Error {
    Error::new(Code::INTERNAL, "the page did not say where the target is")
}
