// Requests that wait for their responses. Each ends once: with the response, a timeout, or the end of the connection.

import { CODE_TIMEOUT } from "../generated/protocol.js";
import { EyeError } from "./error.js";
import type { RpcId, RpcResponse } from "./rpc.js";

interface Waiting {
  resolve(response: RpcResponse): void;
  reject(error: EyeError): void;
  readonly timer: ReturnType<typeof setTimeout> | undefined;
}

export class Pending {
  readonly #waiting = new Map<RpcId, Waiting>();

  /** Without `timeoutMs`, only the response or the end of the connection ends it. */
  wait(id: RpcId, what: string, timeoutMs: number | undefined): Promise<RpcResponse> {
    return new Promise((resolve, reject) => {
      const late = (): void => this.fail(id, new EyeError(CODE_TIMEOUT, `Request timeout: ${what}`));
      this.#waiting.set(id, {
        resolve,
        reject,
        timer: timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs),
      });
    });
  }

  /** Returns whether a request was waiting for the response. */
  settle(response: RpcResponse): boolean {
    const waiting = this.#take(response.id);
    waiting?.resolve(response);
    return waiting !== undefined;
  }

  fail(id: RpcId, error: EyeError): void {
    this.#take(id)?.reject(error);
  }

  failAll(error: EyeError): void {
    for (const id of [...this.#waiting.keys()]) this.fail(id, error);
  }

  #take(id: RpcId | null): Waiting | undefined {
    if (id === null) return undefined;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    clearTimeout(waiting?.timer);
    return waiting;
  }
}
