// Chat: the topic `chat`, shared by the person, other pages and every agent that listens.

import type { App, Desk } from "../desk.js";
import { el } from "../el.js";
import { icon } from "../icons.js";
import type { Line } from "./chat-log.js";
import { clock } from "./words.js";

export const chat: App = {
  id: "chat",
  name: "Chat",
  icon: "💬",
  about: "Talk with agents on the topic “chat”",
  size: { width: 400, height: 480 },
  glyph: () => icon("chat"),
  open(desk) {
    const list = el("ol", { class: "chat-lines", role: "log", "aria-label": "Messages" });
    const field = el("input", {
      class: "field",
      name: "message",
      placeholder: "Message",
      "aria-label": "Message",
      autocomplete: "off",
    });
    const form = el(
      "form",
      { class: "chat-form", on: { submit: (event) => send(event, field, desk) } },
      field,
      el("button", { class: "round-button", type: "submit", "aria-label": "Send" }, icon("send")),
    );
    const draw = (): void => {
      list.replaceChildren(...(desk.chat.lines.length > 0 ? desk.chat.lines.map(bubble) : [nothingYet()]));
      list.scrollTop = list.scrollHeight;
      if (desk.stack.active?.app.id === "chat") queueMicrotask(() => desk.chat.read());
    };
    const ends = [
      desk.chat.onChange(draw),
      desk.stack.onChange(() => desk.stack.active?.app.id === "chat" && desk.chat.read()),
    ];
    queueMicrotask(draw);
    return {
      content: el("div", { class: "chat" }, list, form),
      first: field,
      closed: () => ends.forEach((end) => end()),
    };
  },
  message(desk, message, from) {
    desk.pubsub.publish("chat", message, {}, from);
    return "shown in the chat";
  },
};

function send(event: Event, field: HTMLInputElement, desk: Desk): void {
  event.preventDefault();
  const text = field.value.trim();
  if (text === "") return;
  field.value = "";
  desk.chat.say(text);
}

function bubble({ from, text, at, mine }: Line): HTMLElement {
  const about = el("span", { class: "chat-about" }, mine ? "" : el("b", {}, from), el("time", {}, clock(at)));
  return el("li", { class: mine ? "chat-line is-mine" : "chat-line" }, about, el("p", {}, text));
}

function nothingYet(): HTMLElement {
  return el(
    "li",
    { class: "empty" },
    el("b", {}, "Nothing said yet"),
    el("p", {}, "An agent speaks here with"),
    el("code", {}, 'eye pub chat "hello"'),
    el("p", {}, "and hears you with"),
    el("code", {}, "eye sub chat"),
  );
}
