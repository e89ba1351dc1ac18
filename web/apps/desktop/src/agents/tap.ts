// Stands between the page client and its socket: tells what agents ask and how it ended, and turns calls away while the
// person has paused them. The client has no such events of its own; were it to get them, this file could go.

import type { Activity } from "./activity.js";
import { asked, cancelled, denial, ended, framesOf } from "./frames.js";

export interface Gate {
  readonly closed: boolean;
  readonly message: string;
  readonly hint: string;
}

/** From now on every socket to a hub is watched. It must run before eye.js does. */
export function tapSockets(activity: Activity, gate: Gate): void {
  const Plain = window.WebSocket;
  window.WebSocket = class extends Plain {
    readonly #tapped: boolean;
    /** A message that has been through here already. */
    #passed: Event | undefined;

    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      this.#tapped = new URL(url, location.href).pathname.endsWith("/ws");
      if (!this.#tapped) return;
      // Added before any of the client's own, so it hears first.
      this.addEventListener("message", (event: MessageEvent<unknown>) => this.#heard(event));
      this.addEventListener("open", () => activity.link());
      this.addEventListener("close", () => activity.unlink());
    }

    override send(data: string | ArrayBufferLike | Blob | ArrayBufferView<ArrayBuffer>): void {
      if (this.#tapped && typeof data === "string") {
        for (const frame of framesOf(data)) {
          const ending = ended(frame);
          if (ending !== undefined) activity.end(ending);
        }
      } else if (this.#tapped && data instanceof Blob) {
        void binaryId(data).then((id) => activity.end({ id, failed: false, text: `${String(data.size)} bytes` }));
      }
      super.send(data as string);
    }

    #heard(event: MessageEvent<unknown>): void {
      if (event === this.#passed || typeof event.data !== "string") return;
      const frames = framesOf(event.data);
      const admitted = frames.filter((frame) => this.#admits(frame));
      if (admitted.length === frames.length) return;
      event.stopImmediatePropagation();
      if (admitted.length === 0) return;
      this.#passed = new MessageEvent("message", { data: JSON.stringify(admitted) });
      this.dispatchEvent(this.#passed);
    }

    #admits(frame: unknown): boolean {
      const call = asked(frame);
      if (call === undefined) {
        const gone = cancelled(frame);
        if (gone !== undefined) activity.cancel(gone);
        return true;
      }
      activity.begin(call, gate.closed ? "refused" : "running");
      if (!gate.closed) return true;
      const answer = denial(call, gate.message, gate.hint);
      if (answer !== undefined) super.send(JSON.stringify([answer]));
      return false;
    }
  };
}

/** A binary result begins with the id of its call and a space. */
async function binaryId(data: Blob): Promise<string> {
  return (await data.slice(0, 64).text()).split(" ")[0] ?? "";
}
