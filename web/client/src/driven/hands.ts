// The half of a driven page's client that looks and acts, with its refs. It runs in a world of its own beside the
// page's: it shares the document but no objects with the page, so that the page can neither find nor change it. Agents'
// code does not run here.

import { failure } from "../core/answer.js";
import { clip } from "../core/clip.js";
import { LOG_ENTRIES_MAX, LOG_TEXT_CHARS_MAX } from "../core/limits.js";
import { watchNavigation } from "../core/navigation.js";
import { outboxTo } from "../core/outbox.js";
import { pageWith, type Page, type Surroundings } from "../core/page.js";
import type { Core, PageWorld, Part, Parts, Rpc, Witnessed } from "../core/part.js";
import { render } from "../core/render.js";
import { soon, timers } from "../core/side.js";
import { prefixRefs } from "../look/refs.js";
import { frameNumbers } from "../look/titles.js";
import { offer as handsOf } from "../page/hands.js";
import type { Asking, Params } from "../page/verb.js";
import { offer as verbsOf } from "../page/verbs.js";
import { waitedFor } from "../page/wait.js";
import { channelAs, type Channel } from "./channel.js";
import { driverBehind, taken, type Names } from "./driver.js";
import { failing, type Ending } from "./ending.js";

declare const eyeDriven: Names;

/** The prefix of messages that the driver passes on to the other half. */
const FOR_PAGE = ">";

/** The key of this half's document, in its own world. */
const HERE = Symbol.for("eye.hands");
type Marked = typeof globalThis & { [HERE]?: Document };

const post = taken(eyeDriven.binding);
// A document that joins again keeps its refs.
if ((globalThis as Marked)[HERE] !== document && post !== undefined) {
  (globalThis as Marked)[HERE] = document;
  begin(post);
}

function begin(call: (message: string) => void): void {
  const { after } = timers;
  const { say, open, input } = driverBehind(call, eyeDriven, {
    stays: () => leaves(""),
    frame: prefixRefs,
    shows: () => undefined,
  });

  const aborters = new Map<number, AbortController>();
  /** Runs a verb for the page's own code. */
  const verb = (id: unknown, name: unknown, params: unknown): true => {
    const aborter = new AbortController();
    aborters.set(Number(id), aborter);
    const asking: Asking = { signal: aborter.signal, own: (act) => act(), agent: "", progress: () => undefined };
    const run = async (): Promise<unknown> => {
      const wanted = String(name);
      if (!Object.hasOwn(hands.verbs, wanted)) throw new Error(`no verb ${wanted}`);
      return hands.verbs[wanted]?.(params as Params, asking);
    };
    void run()
      .then((value): Ending => ({ value }), failing)
      .then((ending) => {
        aborters.delete(Number(id));
        channel.call("done", id, ending);
      });
    return true;
  };
  const channel = channelAs("hands", eyeDriven.channel, {
    here: () => true,
    verb,
    cancel: (id) => aborters.get(Number(id))?.abort(),
    seen: (target, frame): Ending => {
      try {
        return { value: hands.seen(target, frame ?? undefined) };
      } catch (error) {
        return failing(error);
      }
    },
    shows: (element, number) => void frameNumbers.set(element as Element, String(number)),
  });

  const leaves = (leaving: string): void => {
    core.leaving = leaving;
  };
  const beside: Part = {
    isAt: (revision) => channel.call("isAt", revision) === true,
    take(frame: Rpc) {
      // A condition given as code is waited for in the other half.
      const isCode = frame.method === "page/wait" && waitedFor(frame.params ?? {}) === undefined;
      if (isCode) say(FOR_PAGE + JSON.stringify([frame]));
      return isCode;
    },
  };
  const core: Core = {
    send: (frame) => page.send(frame),
    render,
    failure,
    after,
    called: (delta = false) => around.called(delta),
    load: async (name) => (parts as Partial<Parts>)[name] ?? Promise.reject(new Error(`no part ${name} here`)),
    blocked: "",
    run: undefined,
    journal: { entries: [], heard: new Set(), open: 0 },
    overheard: [],
    lastRef: 0,
    leaving: "",
    departs: (url) => {
      page.navigates(url, () => false);
      leaves(url);
      page.notify("page/info", { leaving: url });
    },
    input,
    pageWorld: worldBehind(channel),
  };
  const hands = handsOf(core);
  const verbs = verbsOf(core);
  const parts: Partial<Parts> = { hands, verbs };
  const around: Surroundings = {
    realm: undefined,
    frame: async () => "",
    answer: (...what) => verbs.reply(...what),
    thrown: async () => "",
    travels: () => false,
    after,
    soon,
    parts: () => [beside],
    onTaken: () => undefined,
    onWelcome: (welcome) => {
      // A document from the back/forward cache joins again: it is not leaving, and its old calls have no waiter.
      page.drop();
      leaves("");
      core.lastRef = Math.max(core.lastRef, Number((welcome as { lastRef?: unknown } | null)?.lastRef) || 0);
      hands.welcomed?.();
    },
    called: (delta) => void channel.call("called", delta),
  };
  const send = (message: string | Blob): void => {
    if (typeof message === "string") say(message);
  };
  const page: Page = pageWith(outboxTo(send, Date.now), around);
  const listen = (): void => {
    const socket = open();
    socket.onmessage = ({ data }) => page.receive(String(data));
    socket.onclose = () => {
      page.drop();
      listen();
    };
  };
  listen();
  watchNavigation(() => page, leaves);
  channel.call("begun");
}

/** The page controls what the other half returns, so only as much is taken as a page may log. */
function worldBehind({ call }: Channel): PageWorld {
  const texts = (value: unknown): string[] =>
    Array.isArray(value)
      ? value.slice(0, LOG_ENTRIES_MAX).map((text: unknown) => clip(String(text), LOG_TEXT_CHARS_MAX))
      : [];
  return {
    witness({ accept, dismiss }, isReal) {
      const id = call("witness", { accept, dismiss }, isReal);
      let witnessed: Witnessed | undefined;
      const ended = (): Witnessed => {
        const { asked, blocked, errors } = (call("end", id) ?? {}) as Partial<Record<keyof Witnessed, unknown>>;
        return { asked: texts(asked), blocked: texts(blocked), errors: texts(errors) };
      };
      return { open: () => Number(call("open", id)) || 0, end: () => (witnessed ??= ended()) };
    },
    capture(within) {
      const id = call("capture", within);
      return {
        element: () => call("captured", id) as Element | undefined,
        end: () => void call("release", id),
      };
    },
  };
}
