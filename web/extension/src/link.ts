// The one WebSocket to the hub: pairing, the proof on both sides, a message every 20 s, and reconnecting. Independent
// of tabs.

export interface Pairing {
  readonly id: string;
  readonly secret: string;
  readonly name: string;
  readonly port: number;
}

/** The state of the connection, as the person sees it. */
export interface State {
  readonly paired: boolean;
  readonly connected: boolean;
  /** Why it is not connected. */
  readonly why: string;
}

interface Message {
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

const PROTOCOL = "eye.extension";
const PAIRING = "pairing";
const PORT_DEFAULT = 8765;
/** The browser stops a worker whose socket is idle for 30 s. */
const ALIVE_MS = 20_000;
const ALIVE = JSON.stringify({ method: "Eye.alive", params: {} });
const RETRY_MS_MIN = 250;
const RETRY_MS_MAX = 10_000;
/** Close codes after which the pairing is invalid: revoked, or unknown. */
const UNPAIRED: readonly number[] = [4007, 4008];
const NONCE_BYTES = 26;
const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** `8765-ABCD-EFGH-JKMN`; the port may be omitted if it is the default. Case, spaces and hyphens are ignored. */
export function readCode(text: string): { code: string; port: number } | undefined {
  const [, port, rest = ""] = /^\s*(?:(\d{2,5})[-\s]+)?([0-9A-Za-z\s-]+)$/.exec(text) ?? [];
  const code = rest.toUpperCase().replace(/[^0-9A-Z]/g, "");
  const number = port === undefined ? PORT_DEFAULT : Number(port);
  return code.length === 12 && number <= 65_535 ? { code, port: number } : undefined;
}

export class PairedConnection {
  #socket: WebSocket | undefined;
  #proven = false;
  #why = "";
  #pairing: Pairing | undefined;
  #retryMs = RETRY_MS_MIN;
  #loaded: Promise<void> | undefined;

  constructor(
    /** Receives the hub's messages. */
    private readonly receive: (message: object) => void,
    private readonly changed: (connected: boolean) => void,
  ) {
    setInterval(() => this.#proven && this.#socket?.send(ALIVE), ALIVE_MS);
  }

  async state(): Promise<State> {
    await this.#load();
    return { paired: this.#pairing !== undefined, connected: this.#proven, why: this.#why };
  }

  send(message: object): void {
    if (this.#proven) this.#socket?.send(JSON.stringify(message));
  }

  /** Connects if paired and not connected yet. */
  async connect(): Promise<void> {
    await this.#load();
    const pairing = this.#pairing;
    if (pairing === undefined || this.#socket !== undefined) return;
    this.#open(pairing.port, pairing.secret, pairing.id);
  }

  /** Pairs with the hub that printed this code. Rejects with the reason for a failure. */
  async pair(text: string): Promise<void> {
    const read = readCode(text);
    if (read === undefined) throw new Error("this is not a code of `eye extension`");
    await this.unpair();
    await new Promise<void>((resolve, reject) => this.#open(read.port, read.code, undefined, resolve, reject));
  }

  async unpair(): Promise<void> {
    await this.#load();
    this.#pairing = undefined;
    this.#why = "";
    await chrome.storage.local.remove(PAIRING);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
    this.#left();
  }

  #load(): Promise<void> {
    this.#loaded ??= chrome.storage.local.get(PAIRING).then(({ [PAIRING]: kept }) => {
      this.#pairing ??= kept as Pairing | undefined;
    });
    return this.#loaded;
  }

  #open(
    port: number,
    secret: string,
    id: string | undefined,
    paired?: () => void,
    failed?: (error: Error) => void,
  ): void {
    const nonce = Array.from(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)), (byte) => LETTERS[byte % 32]).join(
      "",
    );
    const offers = [PROTOCOL, `nonce.${nonce}`, ...(id === undefined ? [] : [`id.${id}`])];
    const socket = new WebSocket(`ws://localhost:${String(port)}/extension`, offers);
    this.#socket = socket;
    let proving: "nothing" | "checking" | "proven" | "done" = "nothing";
    const fail = (why: string): void => {
      this.#why = why;
      failed?.(new Error(why));
    };
    const enter = (): void => {
      proving = "done";
      this.#proven = true;
      this.#why = "";
      this.#retryMs = RETRY_MS_MIN;
      this.changed(true);
    };
    socket.onmessage = async ({ data }) => {
      if (this.#socket !== socket) return;
      const message = JSON.parse(String(data)) as Message;
      if (proving === "done") return this.receive(message);
      if (proving === "nothing") {
        // Messages before the proof is verified are ignored.
        proving = "checking";
        const { nonce: theirs, proofs } = message.params as { nonce: string; proofs: readonly string[] };
        // The program at this port may not be this person's hub: it must prove that it knows the secret.
        if (message.method !== "Eye.prove" || !proofs.includes(await proof(secret, `hub ${nonce} ${theirs}`))) {
          fail(
            id === undefined
              ? "this code is wrong, was used already, or is too old"
              : "what listens there is not your hub",
          );
          return socket.close();
        }
        const answer = { method: "Eye.prove", params: { proof: await proof(secret, `extension ${theirs} ${nonce}`) } };
        socket.send(JSON.stringify(answer));
        if (id !== undefined) enter();
        else proving = "proven";
        return;
      }
      if (proving !== "proven" || message.method !== "Eye.paired") return;
      const { id: given, secret: kept, name } = message.params as Record<"id" | "secret" | "name", string>;
      this.#pairing = { id: given, secret: kept, name, port };
      enter();
      await chrome.storage.local.set({ [PAIRING]: this.#pairing });
      paired?.();
    };
    socket.onclose = ({ code, reason }) => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      if (UNPAIRED.includes(code)) {
        this.#pairing = undefined;
        void chrome.storage.local.remove(PAIRING);
      }
      fail(this.#why !== "" && !this.#proven ? this.#why : reason || `no hub listens at port ${String(port)}`);
      this.#left();
      if (this.#pairing === undefined) return;
      setTimeout(() => void this.connect(), this.#retryMs);
      this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS_MAX);
    };
  }

  #left(): void {
    const was = this.#proven;
    this.#proven = false;
    if (was) this.changed(false);
  }
}

/** HMAC-SHA-256 in hex. */
async function proof(secret: string, text: string): Promise<string> {
  const bytes = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes.encode(secret), algorithm, false, ["sign"]);
  const tag = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes.encode(text)));
  return Array.from(tag, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
