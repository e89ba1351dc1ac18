// The connection to the hub: exchanges the code of the console's link once for a key, which stays in this tab, and
// carries requests, responses and the feed on one WebSocket. Knows nothing of the views.

const KEY = "eye.key";

export interface Failure {
  readonly code: number;
  readonly message: string;
  readonly data?: { readonly hint?: string };
}

export class Refused extends Error {
  readonly hint: string;
  constructor(failure: Failure) {
    super(failure.message);
    this.hint = failure.data?.hint ?? "";
  }
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Frame {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: Failure;
}

/** The key of this tab: from the code in the address if there is one, else the stored key. */
export async function key(): Promise<string | undefined> {
  const code = location.hash.slice(1);
  if (/^[0-9a-f]{64}$/.test(code)) {
    // The exchange uses up the code; it must not stay in the address or the history.
    history.replaceState(null, "", "/");
    const answer = await fetch("/key", { method: "POST", body: code });
    if (answer.ok) {
      const { key } = (await answer.json()) as { key: string };
      sessionStorage.setItem(KEY, key);
    }
  }
  return sessionStorage.getItem(KEY) ?? undefined;
}

export class ConsoleConnection {
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  private constructor(
    readonly socket: WebSocket,
    heard: (method: string, params: unknown) => void,
    ended: () => void,
  ) {
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      const frame = JSON.parse(data) as Frame;
      if (frame.method !== undefined) return heard(frame.method, frame.params);
      const waiting = frame.id === undefined ? undefined : this.#waiting.get(frame.id);
      if (waiting === undefined || frame.id === undefined) return;
      this.#waiting.delete(frame.id);
      if (frame.error === undefined) waiting.resolve(frame.result);
      else waiting.reject(new Refused(frame.error));
    };
    socket.onclose = () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("the hub went away"));
      this.#waiting.clear();
      ended();
    };
  }

  /** Connects. `undefined`: the hub refuses this tab, or does not run. */
  static open(
    secret: string,
    heard: (method: string, params: unknown) => void,
    ended: () => void,
  ): Promise<ConsoleConnection | undefined> {
    return new Promise((resolve) => {
      const socket = new WebSocket(`ws://${location.host}/ws`, ["eye.console", `key.${secret}`]);
      socket.onclose = () => resolve(undefined);
      socket.onopen = () => resolve(new ConsoleConnection(socket, heard, ended));
    });
  }

  ask<Answer>(method: string, params: object = {}): Promise<Answer> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise<Answer>((resolve, reject) => {
      this.#waiting.set(id, { resolve: (value) => resolve(value as Answer), reject });
      this.socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }
}
