// The socket loop: connects, says hello, hands messages to a page, and connects again. It decides nothing about calls.

import { RETRY_FIRST_MS, RETRY_HIDDEN_MS_MAX, RETRY_VISIBLE_MS_MAX } from "./limits.js";
import { outboxTo } from "./outbox.js";
import { HELLO_ID, pageWith, type Page, type Surroundings } from "./page.js";

export const CLOSED_BAD_QUERY = 4000;
export const CLOSED_TAKEN = 4003;
export const CLOSED_FOREIGN = 4004;

/** What is used of a WebSocket, where something else takes its place. */
export interface Socket {
  onopen: (() => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null;
  readonly readyState: number;
  send(message: string | Blob): void;
  close(code?: number): void;
}

export interface LinkEvents {
  /** Opens what takes the place of a WebSocket; missing where that itself is used. */
  readonly open?: (() => Socket) | undefined;
  /** What makes it a page of its origin, where the hub asks for that. */
  readonly token: string | undefined;
  /** The parameters of `hello`, asked for at the moment it is sent. */
  hello(): object;
  opened(): void;
  /** Whether to connect again. `opened` says whether this connection ever worked. */
  closed(code: number, reason: string, opened: boolean): boolean;
}

export interface Link {
  /** The page of the connection that works at this moment. */
  readonly page: Page | undefined;
  /** The one to ask for when it connects again. */
  session: string;
  start(session: string): void;
  stop(): void;
  /** Something changed that may make a connection possible. */
  hurry(): void;
}

export function linkTo(hub: URL, around: Surroundings, events: LinkEvents): Link {
  const { token, hello, opened, closed } = events;
  /** A browser sends no headers with a socket, and a secret in a URL ends up in logs. */
  const protocols = token ? ["eye", `bearer.${token}`] : ["eye"];
  let socket: WebSocket | Socket | undefined;
  let page: Page | undefined;
  let failures = 0;
  /** Grows with every attempt and every stop, so that a late timer finds itself out of date. */
  let generation = 0;
  let wanted = false;

  const open = (): void => {
    generation++;
    // A session id needs no escapes.
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
      // A tick of this clock is all the outbox needs, at a fifth of the cost of `performance.now`.
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
    // Pages that lost the same hub do not all come back at the same moment.
    around.after(wait * (0.5 + Math.random() / 2), () => {
      if (mine === generation && wanted) open();
    });
  };

  const link: Link = {
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
