// Watches the page client's socket and reports calls and endings to the activity light. Needed only because the client
// has no such events.

import type { Activity } from "./activity.js";
import { asked, cancelled, ended, framesOf } from "./frames.js";

/** From now on every socket to a hub is watched. Must run before eye.js. */
export function tapSockets(activity: Activity): void {
  const Plain = window.WebSocket;
  window.WebSocket = class extends Plain {
    readonly #tapped: boolean;

    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      this.#tapped = new URL(url, location.href).pathname.endsWith("/ws");
      if (!this.#tapped) return;
      this.addEventListener("message", ({ data }: MessageEvent<unknown>) => heard(activity, data));
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
  };
}

function heard(activity: Activity, data: unknown): void {
  if (typeof data !== "string") return;
  for (const frame of framesOf(data)) {
    const call = asked(frame);
    const gone = call === undefined ? cancelled(frame) : undefined;
    if (call !== undefined) activity.begin(call);
    if (gone !== undefined) activity.cancel(gone);
  }
}

/** A binary result begins with the id of its call and a space. */
async function binaryId(data: Blob): Promise<string> {
  return (await data.slice(0, 64).text()).split(" ")[0] ?? "";
}
