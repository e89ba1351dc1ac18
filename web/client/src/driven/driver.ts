// The way between a client and the driver of its browser: a binding there, a function of a name that no page guesses
// back.

import type { Socket } from "../core/link.js";
import type { Input } from "../core/part.js";

/** What the browser's driver writes around a script of a driven page. */
export interface Names {
  readonly session: string;
  /** The name of the function that takes a message for the driver. */
  readonly binding: string;
  /** The name under which the driver finds the function that takes its messages. */
  readonly receive: string;
  /** The name of the events by which the two halves of a client call each other. */
  readonly channel: string;
  /** Whether the driver can give files to the page. */
  readonly files: boolean;
  /** Whether the driver makes input; otherwise events are the page's own. */
  readonly hands: boolean;
}

/** What the driver tells beside the hub's messages. */
export interface Hears {
  /** What the document was leaving for did not come. */
  stays(): void;
  /** The number of the frame that the document is in. */
  frame(number: string): void;
  /** The number of the frame that an element of the document shows. */
  shows(element: Element, number: string): void;
}

export interface Driver {
  say(message: string): void;
  /** In place of a socket to the hub. */
  open(): Socket;
  readonly input: Input;
}

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

/** The driver's function; nothing that runs after this finds it. */
export function taken(binding: string): ((message: string) => void) | undefined {
  const global = globalThis as unknown as Record<string, unknown>;
  const post = global[binding];
  delete global[binding];
  return typeof post === "function" ? (post as (message: string) => void) : undefined;
}

export function driverBehind(call: (message: string) => void, { receive, files }: Names, hears: Hears): Driver {
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

  const open = (): Socket => {
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
      if (element !== undefined) hears.shows(element, message.slice(1));
      return undefined;
    }
    if (message.startsWith(FIELD)) return waiting.get(Number(message.slice(1)))?.field;
    if (message.startsWith("{")) {
      const { input, error } = JSON.parse(message) as { input: number; error?: string };
      const one = waiting.get(input);
      waiting.delete(input);
      if (error === undefined) one?.done();
      else one?.failed(new Error(error));
    } else if (message === STAYS) hears.stays();
    else if (message.startsWith(FRAME)) hears.frame(message.slice(1));
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
    files,
    give: ((given, to) => {
      const isField = "nodeType" in to;
      return ask({ files: given, to: isField ? { by: "field" } : to }, isField ? to : undefined);
    }) satisfies Input["give"],
  });
  return { say, open, input };
}

function base64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error ?? new Error("the bytes cannot be read"));
    reader.readAsDataURL(blob);
  });
}
