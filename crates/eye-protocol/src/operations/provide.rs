//! The methods that pages send to the hub. All of them are about a page's own session, so all need `join`.

use super::class::Class;
use super::operation::{Effect, Operation};
use super::param::{Kind, Param};

const REVISION: Param = Param::new("revision", Kind::Integer, "The page's own count").required();
const CALL: Param = Param::new("id", Kind::Text, "The call, by the hub's id").required();

const fn notification(method: &'static str, about: &'static str) -> Operation {
    Operation::method(method, Class::Join, about).effect(Effect::Acts).result("nothing: a notification")
}

pub const OPERATIONS: &[Operation] = &[
    notification("session/create", "Join as a page")
        .params(&[Param::new("sessionId", Kind::Text, "Under which id")])
        .result("`{sessionId, expiresAt: null}`"),
    notification(
        "tools/register",
        "Offer tools; a name that is there is replaced, the first after a reconnect replaces all",
    )
    .params(&[Param::new("tools", Kind::Objects, "The definitions").required()])
    .result("`{success: true, registered: n}`"),
    notification("tools/unregister", "Take tools back")
        .params(&[Param::new("names", Kind::Texts, "Which").required()])
        .result("`{success: true, unregistered: n}`"),
    notification("state/update", "Publish the whole state")
        .params(&[Param::new("state", Kind::Any, "The document").required(), REVISION]),
    notification("state/patch", "Publish a change of the state, from the revision before")
        .params(&[Param::new("patch", Kind::Objects, "RFC 6902").required(), REVISION]),
    notification("mailbox/put", "Leave a message for the next agent that reads").params(&[Param::new(
        "message",
        Kind::Any,
        "Any JSON",
    )
    .required()]),
    notification("call/navigating", "Say that a call started a navigation: its ending is where the page arrives")
        .params(&[CALL, Param::new("url", Kind::Text, "Where it goes").required()]),
    notification("call/progress", "Say how far a call is").params(&[
        CALL,
        Param::new("progress", Kind::Integer, "How much is done"),
        Param::new("total", Kind::Integer, "Of how much"),
        Param::new("message", Kind::Text, "In words"),
    ]),
    notification("page/info", "Say what changed of the page").params(&[
        Param::new("title", Kind::Text, "Its title"),
        Param::new("url", Kind::Text, "Its address"),
        Param::new("visible", Kind::Flag, "Whether a person can see it"),
        Param::new("eval", Kind::Flag, "Whether it evaluates code"),
        Param::new("evalBlocked", Kind::Text, "Why it does not"),
        Param::new("paused", Kind::Text, "What agents get instead of answers; empty when they may go on"),
        Param::new("loading", Kind::Flag, "Whether its document is still loading"),
        Param::new("leaving", Kind::Text, "Where it is about to go; empty once it stays after all"),
        Param::new("dialog", Kind::Text, "The browser's own dialog that stops it; empty once it is answered"),
        Param::new("lastRef", Kind::Integer, "The highest ref that its outlines have given"),
    ]),
    notification("page/leaving", "Say that the document goes away now"),
];
