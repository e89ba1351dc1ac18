// The connection between a client and the driver of its browser: a binding to the driver, and a function with a secret
// name back.

import type { Socket } from "../core/link.js";
import type { Input } from "../core/part.js";

/** Constants that the browser's driver puts before the scripts of a driven page. */
export interface Names {
  readonly session: string;
  /** The name of the function that sends a message to the driver. */
  readonly binding: string;
  /** The name of the function with which the driver delivers messages. */
  readonly receive: string;
  /** The name of the events by which the two halves of a client call each other. */
  readonly channel: string;
  /** Whether the driver can give files to the page. */
  readonly files: boolean;
  /** Whether the driver makes real input; otherwise events are synthetic. */
  readonly hands: boolean;
}

/** What the driver reports besides the hub's messages. */
export interface Handlers {
  /** A navigation that had begun did not happen. */
  stays(): void;
  /** The number of the frame that the document is in. */
  frame(number: string): void;
  /** The number of the frame that an element of the document shows. */
  shows(element: Element, number: string): void;
}

export interface Driver {
  say(message: string): void;
  /** Opens a connection that replaces a WebSocket to the hub. */
  open(): Socket;
  readonly input: Input;
}

const CONNECTING = 0;
const OPEN = 1;
const CLOSED = 3;
/** Driver's message: the hub closed the connection, `!CODE REASON`. */
const CLOSES = "!";
/** Driver's message: a navigation that had begun did not happen. */
const STAYS = "=";
/** Driver's message: it requests the field of a file request, `@NUMBER`. */
const FIELD = "@";
/** Driver's message: the frame of its tab that the document is in, `%f2`. The document's refs begin with that. */
const FRAME = "%";
/** Driver's message: the frame that an element of the document shows, `&f2`, with the element. */
const SHOWS = "&";

/**
 * How long answers are collected to be returned as the value of their message, in ms; code that runs longer may need to
 * send messages while it runs.
 */
const HELD_MS = 5;

/** Ends each of the messages that are returned together. They are JSON or base64, which do not hold it. */
const END = "\n";

/** Messages that are collected while a driver's message is handled. */
interface Held {
  readonly since: number;
  readonly messages: string[];
}

/** Takes the driver's function, and removes it so that later code cannot find it. */
export function taken(binding: string): ((message: string) => void) | undefined {
  const global = globalThis as unknown as Record<string, unknown>;
  const post = global[binding];
  delete global[binding];
  return typeof post === "function" ? (post as (message: string) => void) : undefined;
}

export function driverBehind(call: (message: string) => void, { receive, files }: Names, handlers: Handlers): Driver {
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
    // The browser's function throws unless it gets exactly one string.
    for (const message of messages ?? []) call(message);
  };
  let socket: (Socket & { readyState: number }) | undefined;
  const waiting = new Map<number, { done(): void; failed(error: Error): void; field?: Element | undefined }>();
  let lastInput = 0;

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
      if (element !== undefined) handlers.shows(element, message.slice(1));
      return undefined;
    }
    if (message.startsWith(FIELD)) return waiting.get(Number(message.slice(1)))?.field;
    if (message.startsWith("{")) {
      const { input, error } = JSON.parse(message) as { input: number; error?: string };
      const one = waiting.get(input);
      waiting.delete(input);
      if (error === undefined) one?.done();
      else one?.failed(new Error(error));
    } else if (message === STAYS) handlers.stays();
    else if (message.startsWith(FRAME)) handlers.frame(message.slice(1));
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
   * The value of every message of the driver: what was sent while it was handled, which is faster for the driver than
   * separate messages. The browser reads it when the code and its microtasks have run, and delivers it before anything
   * that is sent later. One text takes the browser less time than a list, and one object less than one per message.
   */
  const answered = {
    get said(): string {
      const messages = held?.messages.splice(0) ?? [];
      held = undefined;
      return messages.map((message) => message + END).join("");
    },
  };
  const answer = (message: string): typeof answered => {
    // Sends what is left of a message whose code was stopped.
    release();
    held = { since: Date.now(), messages: [] };
    take(message);
    return answered;
  };
  // Configurable: the first document of a popup is replaced in the same window by another one, with its own client.
  Object.defineProperty(globalThis, receive, {
    value: (message: string, answered?: 1, element?: Element) =>
      answered === undefined ? take(message, element) : answer(message),
    configurable: true,
  });

  const ask = (what: object, field?: Element): Promise<void> =>
    new Promise((done, failed) => {
      waiting.set(++lastInput, { done, failed, field });
      // At once, so that the browser makes the input while this task goes on; what was sent before goes before it.
      release();
      // A tab in the background has no frames, and so no input, until it is brought to the front.
      call(JSON.stringify({ input: lastInput, ...(document.hidden ? { front: true } : {}), ...what }));
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
