// The client that eye's own browser puts into every document before its scripts. It carries all its parts and talks
// over a binding of the browser instead of a socket, so that it works under any policy and changes nothing that the
// page can see.

import { connectWith, type Driven, type Eye } from "./core/connect.js";
import type { Socket } from "./core/link.js";
import type { Input, LoadPart, Offer, Parts } from "./core/part.js";
import { prefixRefs } from "./look/refs.js";
import { frameNumbers } from "./look/titles.js";
import { hands, state, tools, verbs } from "./parts.js";
import { webmcp } from "./webmcp/part.js";

/** What the browser's driver writes around this script. */
declare const eyeDriven: {
  readonly session: string;
  /** The name of the function that takes a message for the driver. */
  readonly binding: string;
  /** The name under which the driver finds the function that takes its messages. */
  readonly receive: string;
  /** Whether the driver can give files to the page. */
  readonly files: boolean;
  /** Whether the driver makes input; otherwise events are the page's own. */
  readonly hands: boolean;
};

/** Where the client of a driven document is. */
const DRIVEN = Symbol.for("eye.driven");

const CONNECTING = 0;
const OPEN = 1;
const CLOSED = 3;
/** How the driver says that the hub closed the connection: `!CODE REASON`. */
const CLOSES = "!";
/** How the driver says that what the document was leaving for did not come. */
const STAYS = "=";
/** How the driver asks for the field of a request: `@NUMBER`. */
const FIELD = "@";
/** How the driver says which frame of its tab the document is in: `%f2`. Its refs begin with that. */
const FRAME = "%";
/** How the driver says which frame an element of the document shows: `&f2`, with the element. */
const SHOWS = "&";

/**
 * How long an answer may take to go back as the value of its message; code that runs longer may say something while it
 * runs.
 */
const HELD_MS = 5;

/** What is said while a message is taken. */
interface Held {
  readonly since: number;
  readonly messages: string[];
}

const { session, binding, receive, files: takesFiles, hands: hasHands } = eyeDriven;
const global = globalThis as unknown as Record<string, unknown>;
const post = global[binding] as ((message: string) => void) | undefined;
// Nothing that runs after this finds it.
delete global[binding];

// The document around one of its own origin looks into it; one of another origin has a client of its own.
if (frameElement === null && typeof post === "function") drive(post);

function drive(call: (message: string) => void): void {
  let held: Held | undefined;

  const say = (message: string): void => {
    if (held !== undefined && Date.now() - held.since <= HELD_MS) held.messages.push(message);
    else {
      release();
      call(message);
    }
  };
  const release = (): void => {
    const messages = held?.messages.splice(0);
    held = undefined;
    // The browser's function throws unless it is given one argument, a text.
    for (const message of messages ?? []) call(message);
  };
  let socket: (Socket & { readyState: number }) | undefined;
  const waiting = new Map<number, { done(): void; failed(error: Error): void; field?: Element | undefined }>();
  let asked = 0;

  const opened = (): Socket => {
    const mine: Socket & { readyState: number } = {
      onopen: null,
      onmessage: null,
      onclose: null,
      readyState: CONNECTING,
      send: (message) => {
        if (typeof message === "string") say(message);
        else void base64(message).then((text) => say(`#${text}`));
      },
      close: () => {
        mine.readyState = CLOSED;
        if (socket !== mine) return;
        socket = undefined;
        say("");
      },
    };
    socket = mine;
    queueMicrotask(() => {
      if (socket !== mine) return;
      mine.readyState = OPEN;
      mine.onopen?.();
    });
    return mine;
  };

  const take = (message: string, element?: Element): Element | undefined => {
    if (message.startsWith(SHOWS)) {
      if (element !== undefined) frameNumbers.set(element, message.slice(1));
      return undefined;
    }
    if (message.startsWith(FIELD)) return waiting.get(Number(message.slice(1)))?.field;
    if (message.startsWith("{")) {
      const { input, error } = JSON.parse(message) as { input: number; error?: string };
      const one = waiting.get(input);
      waiting.delete(input);
      if (error === undefined) one?.done();
      else one?.failed(new Error(error));
    } else if (message === STAYS) driven.stays?.();
    else if (message.startsWith(FRAME)) prefixRefs(message.slice(1));
    else if (message.startsWith(CLOSES)) {
      const [code = "", ...reason] = message.slice(1).split(" ");
      const closed = socket;
      socket = undefined;
      if (closed === undefined) return undefined;
      closed.readyState = CLOSED;
      closed.onclose?.({ code: Number(code), reason: reason.join(" ") });
    } else socket?.onmessage?.({ data: message });
    return undefined;
  };
  /**
   * What is said to this message at once is its value: faster for the driver than a message of its own. The browser
   * reads it when the code and its microtasks have run, and sends it before anything that is said after that.
   */
  const answer = (message: string): { readonly said: readonly string[] } => {
    // Of a message whose code was stopped.
    release();
    const mine: Held = (held = { since: Date.now(), messages: [] });
    take(message);
    return {
      get said() {
        if (held === mine) held = undefined;
        return mine.messages.splice(0);
      },
    };
  };
  // The first document of a popup leaves its window to the one that the popup is opened for, with another client.
  Object.defineProperty(globalThis, receive, {
    value: (message: string, answered?: 1, element?: Element) =>
      answered === undefined ? take(message, element) : answer(message),
    configurable: true,
  });

  const ask = (what: object, field?: Element): Promise<void> =>
    new Promise((done, failed) => {
      waiting.set(++asked, { done, failed, field });
      // A tab behind another gets no frames, and so no input, before it is brought to the front.
      say(JSON.stringify({ input: asked, ...(document.hidden ? { front: true } : {}), ...what }));
    });
  const input: Input = Object.assign((commands: Parameters<Input>[0]) => ask({ commands }), {
    files: takesFiles,
    give: ((files, to) => {
      const isField = "nodeType" in to;
      return ask({ files, to: isField ? { by: "field" } : to }, isField ? to : undefined);
    }) satisfies Input["give"],
  });
  const driven: Driven = { session, open: opened, input: hasHands ? input : undefined };
  // A driver that was here before and left put a client into this document, which hears nothing any more.
  const before = (globalThis as { [DRIVEN]?: Eye })[DRIVEN];
  before?.close();
  const parts: { readonly [Name in keyof Parts]: Offer<Parts[Name]> } = { hands, state, tools, verbs, webmcp };
  const load: LoadPart = async (name) => parts[name];
  const eye = connectWith(load, {}, driven);
  Object.defineProperty(globalThis, DRIVEN, { value: eye, configurable: true });
}

function base64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error ?? new Error("the bytes cannot be read"));
    reader.readAsDataURL(blob);
  });
}
