// The hub from the dev server's side: whether it answers, how to start it, and a log line whenever that changes.

import { spawn } from "node:child_process";
import { connect, type Socket } from "node:net";

const KNOCK_MS = 1000;
const KNOCK_AGAIN_MS = 500;

export interface Voice {
  info(text: string): void;
  warn(text: string): void;
}

export class HubProbe {
  #seen: boolean | undefined;

  constructor(
    readonly url: URL,
    /** The console, until Vite's logger is available. */
    public voice: Voice,
  ) {}

  get advice(): { readonly reason: string; readonly hint: string } {
    return { reason: `no hub answers at ${this.url.origin}`, hint: "start one with `eye up`" };
  }

  /** Whether something listens there. Logs only a change, since pages try again every other second. */
  async there(): Promise<boolean> {
    const there = await listens(this.url);
    if (there !== this.#seen) {
      const { reason, hint } = this.advice;
      if (there) this.voice.info(`eye: pages of this server join the hub at ${this.url.origin}`);
      else this.voice.warn(`eye: ${reason}; ${hint}`);
    }
    this.#seen = there;
    return there;
  }

  /** Waits until something listens there; `false` if the requester has disconnected meanwhile. */
  async awaited(asker: Socket): Promise<boolean> {
    while (!asker.destroyed) {
      if (await this.there()) return true;
      await new Promise((resolve) => setTimeout(resolve, KNOCK_AGAIN_MS));
    }
    return false;
  }

  /** Starts a hub if none answers and `eye` is installed. */
  async start(): Promise<void> {
    if (!(await listens(this.url))) await run("eye", "up");
  }
}

function listens({ hostname, port, protocol }: URL): Promise<boolean> {
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || (protocol === "https:" ? 443 : 80)),
    timeout: KNOCK_MS,
  });
  return new Promise((resolve) => {
    const answer = (there: boolean) => () => {
      socket.destroy();
      resolve(there);
    };
    socket.once("connect", answer(true)).once("error", answer(false)).once("timeout", answer(false));
  });
}

function run(program: string, ...args: string[]): Promise<void> {
  const child = spawn(program, args, { stdio: "ignore" });
  return new Promise((resolve) => {
    // If the program is missing, nothing is started; the next request reports that no hub answers.
    child.once("error", () => resolve()).once("exit", () => resolve());
  });
}
