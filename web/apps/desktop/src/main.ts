// Assembles the desktop. The order matters in one case: sockets are watched before the page client opens one.

import { Activity } from "./agents/activity.js";
import { Pause } from "./agents/pause.js";
import { tapSockets } from "./agents/tap.js";
import { Chat } from "./apps/chat-log.js";
import { apps } from "./apps/index.js";
import { bridge } from "./bridge.js";
import { appNamed, type Desk } from "./desk.js";
import { el } from "./el.js";
import { loadEye } from "./eye.js";
import { serveFiles } from "./files/api.js";
import { SEED } from "./files/seed.js";
import { FileStore } from "./files/store.js";
import { defineGlobals } from "./globals.js";
import { offer } from "./offer.js";
import { Pubsub } from "./pubsub.js";
import type { Frame } from "./shell/frame.js";
import { glance } from "./shell/glance.js";
import { keys } from "./shell/keys.js";
import { remember } from "./shell/memory.js";
import { shelf } from "./shell/shelf.js";
import { Stack } from "./shell/stack.js";
import { taskbar } from "./shell/taskbar.js";
import { Toasts } from "./shell/toast.js";
import { wallpaper } from "./shell/wallpaper.js";
import { storage } from "./storage.js";
import "./style/index.css";

const USER = "root";

const toasts = new Toasts();
const stack = new Stack();
const pubsub = new Pubsub();
const desk: Desk = {
  user: USER,
  apps,
  stack,
  pubsub,
  files: new FileStore(SEED, storage("localStorage")),
  activity: new Activity(),
  chat: new Chat(pubsub, USER),
  pause: new Pause(storage("localStorage")),
  open: openApp,
  toast: (title, text) => toasts.show(title, text),
};

function openApp(name: string, argument?: string): Frame | undefined {
  const app = appNamed(apps, name);
  if (app === undefined) return undefined;
  const key = app.key?.(argument) ?? app.id;
  const there = stack.find(key);
  const frame = there ?? stack.open(app, key, argument);
  if (there === undefined) {
    const pane = { title: (text: string) => (frame.title = text), unsaved: (is: boolean) => (frame.unsaved = is) };
    frame.fill(app.open(desk, pane, argument));
  }
  stack.focus(frame);
  return frame;
}

tapSockets(desk.activity);
serveFiles(desk.files);
for (const app of apps) {
  pubsub.register(app.id, { openFn: () => void openApp(app.id) });
  const { message } = app;
  // The chat already listens to its topic.
  if (message !== undefined && app.id !== "chat")
    pubsub.subscribe(app.id, (sent, { from }) => void message(desk, sent, from));
}
desk.activity.onCall(({ number, text, outcome, answer, at }) => {
  if (outcome === "running") return;
  pubsub.publish(
    "eye-activity",
    { id: number, expression: text.slice(0, 100), [outcome === "done" ? "result" : "error"]: answer, timestamp: at },
    { queue: false },
  );
});

desk.chat.onChange(() => {
  const last = desk.chat.lines.at(-1);
  if (desk.chat.unread > 0 && last !== undefined && stack.active?.app.id !== "chat") desk.toast(last.from, last.text);
});

const algo = bridge(desk);
defineGlobals(desk, algo);
const ground = el(
  "div",
  { class: "ground", on: { pointerdown: () => stack.blur() } },
  wallpaper(),
  glance(),
  shelf(desk),
);
document.body.append(ground, stack.element, ...taskbar(desk), toasts.element);
keys(stack);
remember(desk, storage("sessionStorage"));

const eye = await loadEye();
desk.pause.tellClient();
if (eye !== undefined) await offer(eye, desk, algo);
// For programs that must not start too early, such as tests.
document.documentElement.dataset.ready = "";
