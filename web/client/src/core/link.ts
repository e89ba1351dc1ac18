// The connection loop: connects, sends hello, passes messages to a page, and reconnects. It knows nothing of calls.

import { RETRY_FIRST_MS, RETRY_HIDDEN_MS_MAX, RETRY_VISIBLE_MS_MAX } from "./limits.js";
import { outboxTo } from "./outbox.js";
import { HELLO_ID, pageWith, type Page, type Surroundings } from "./page.js";

export const CLOSED_BAD_QUERY = 4000;
export const CLOSED_TAKEN = 4003;
export const CLOSED_FOREIGN = 4004;

/** The part of `WebSocket` that is used, for replacements of it. */
export interface Socket {
  onopen: (() => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null;
  readonly readyState: number;
  send(message: string | Blob): void;
  close(code?: number): void;
}

export interface HubLinkEvents {
  /** Opens a replacement for a WebSocket; `undefined` to use a WebSocket. */
  readonly open?: (() => Socket) | undefined;
  /** The token that lets this page join as its origin, if the hub requires one. */
  readonly token: string | undefined;
  /** The params of `hello`; called at the moment it is sent. */
  hello(): object;
  opened(): void;
  /** Returns whether to reconnect. `opened`: whether this connection ever worked. */
  closed(code: number, reason: string, opened: boolean): boolean;
}

export interface HubLink {
  /** The page of the current connection; `undefined` while disconnected. */
  readonly page: Page | undefined;
  /** The session to request with the next connection. */
  session: string;
  start(session: string): void;
  stop(): void;
  /** Retries now: something changed that may make a connection possible. */
  hurry(): void;
}

export function linkTo(hub: URL, around: Surroundings, events: HubLinkEvents): HubLink {
  const { token, hello, opened, closed } = events;
  /** The token goes into the subprotocol: browsers send no headers with a WebSocket, and URLs end up in logs. */
  const protocols = token ? ["eye", `bearer.${token}`] : ["eye"];
  let socket: WebSocket | Socket | undefined;
  let page: Page | undefined;
  let failures = 0;
  /** Incremented with every attempt and every stop, so that a late timer can tell that it is outdated. */
  let generation = 0;
  let wanted = false;

  const open = (): void => {
    generation++;
    // Session ids need no escaping.
    const url = new URL(`ws?clientType=browser&sessionId=${link.session}`, hub);
    url.protocol = url.protocol.replace("http", "ws");
    let mine: WebSocket | Socket;
    try {
      mine = events.open?.() ?? new WebSocket(url, protocols);
    } catch {
      again(closed(0, "", false));
      return;
    }
    socket = mine;
    mine.onopen = () => {
      failures = 0;
      mine.send(JSON.stringify({ jsonrpc: "2.0", id: HELLO_ID, method: "hello", params: hello() }));
      const send = (message: string | Blob): void => {
        if (mine.readyState === WebSocket.OPEN) mine.send(message);
      };
      // `Date.now` is precise enough for the outbox, and costs a fifth of `performance.now`.
      const here = (page = pageWith(outboxTo(send, Date.now), around));
      mine.onmessage = ({ data }: { readonly data: unknown }) => {
        if (typeof data === "string") here.receive(data);
      };
      opened();
    };
    mine.onclose = ({ code, reason }: { readonly code: number; readonly reason: string }) => {
      if (mine !== socket) return;
      const worked = page !== undefined;
      forget();
      again(closed(code, reason, worked));
    };
  };

  const forget = (): void => {
    page?.drop();
    page = socket = undefined;
  };

  const again = (wish: boolean): void => {
    wanted &&= wish;
    if (!wanted) return;
    const mine = generation;
    const cap = document.hidden ? RETRY_HIDDEN_MS_MAX : RETRY_VISIBLE_MS_MAX;
    const wait = Math.min(cap, RETRY_FIRST_MS * 2 ** failures++);
    // A random factor, so that pages that lost the same hub do not all reconnect at once.
    around.after(wait * (0.5 + Math.random() / 2), () => {
      if (mine === generation && wanted) open();
    });
  };

  const link: HubLink = {
    get page() {
      return page;
    },
    session: "",
    start(id) {
      link.session = id;
      wanted = true;
      failures = 0;
      open();
    },
    stop() {
      wanted = false;
      generation++;
      const before = socket;
      forget();
      before?.close(1000);
    },
    hurry() {
      if (!wanted || socket !== undefined) return;
      failures = 0;
      open();
    },
  };
  return link;
}
