// One WebSocket to a backend; `requestId` assigns replies to requests. Every request ends once: with its reply, its
// timeout, its cancellation, or the end of the connection, which is noticed at once. Timers end with their request.

import { failed, isErrorCode, unavailable, type Failure, Failure as Failed } from "../failure.js";
import { CONNECT_MS_MAX } from "./limits.js";

/** A browser does not reveal why the connection was refused, so the hint names possible reasons. */
const HINT =
  "start the hub with `eye up` and open the app at http://localhost:PORT/apps/geometry/, or try it with ?mock_backends=true";

export type Message = Readonly<Record<string, unknown>>;

export interface Question {
  /** The timeout of the reply, and the message after it. */
  readonly msMax: number;
  readonly late: string;
  readonly signal?: AbortSignal | undefined;
  /** Sent when the caller cancels. */
  readonly cancel?: Message;
  /** Called with each message of this request other than its reply. */
  readonly progress?: (message: Message) => void;
}

/** Callbacks for the connection itself. */
export interface Ears {
  /** Gets messages that belong to no request. */
  readonly heard?: (message: Message) => void;
  readonly closed?: () => void;
}

interface Pending {
  readonly question: Question;
  end(outcome: Message | Failure): void;
}

export class Line {
  readonly #pending = new Map<string, Pending>();
  #closed = false;

  private constructor(
    readonly socket: WebSocket,
    /** The name of the backend in error messages. */
    readonly who: string,
    readonly ears: Ears,
  ) {
    socket.addEventListener("message", ({ data }) => this.#hear(data));
    socket.addEventListener("close", ({ code, reason }) => {
      this.#closed = true;
      ears.closed?.();
      this.#endAll(
        unavailable(
          `${who} closed the connection before it answered (${String(code)}${reason === "" ? "" : ` ${reason}`})`,
        ),
      );
    });
  }

  /** Connects, within 5 s. Rejects with `Failure`. */
  static open(url: string, who: string, ears: Ears = {}): Promise<Line> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url);
      const { origin } = new URL(url);
      const over = new AbortController();
      const timer = setTimeout(
        () =>
          end(() =>
            reject(unavailable(`${who} connection timeout: ${origin} did not answer within 5s`, { hint: HINT })),
          ),
        CONNECT_MS_MAX,
      );
      const end = (then: () => void): void => {
        clearTimeout(timer);
        over.abort();
        then();
        // A connection that was given up must not open later.
        if (socket.readyState === WebSocket.CONNECTING) socket.close();
      };
      socket.addEventListener("open", () => end(() => resolve(new Line(socket, who, ears))), { signal: over.signal });
      socket.addEventListener(
        "error",
        () => end(() => reject(unavailable(`${who} not running at ${origin}`, { hint: HINT }))),
        { signal: over.signal },
      );
    });
  }

  get isOpen(): boolean {
    return !this.#closed && this.socket.readyState === WebSocket.OPEN;
  }

  ask(message: Message & { readonly requestId: string }, question: Question): Promise<Message> {
    const { requestId } = message;
    const { signal } = question;
    return new Promise((resolve, reject) => {
      if (!this.isOpen) {
        reject(unavailable(`${this.who} closed the connection before it was asked`));
        return;
      }
      const end = (outcome: Message | Failure): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", cancelled);
        this.#pending.delete(requestId);
        if (outcome instanceof Failed) reject(outcome);
        else resolve(outcome);
      };
      const takeBack = (): void => {
        if (question.cancel !== undefined && this.isOpen) this.#send(question.cancel);
      };
      const cancelled = (): void => {
        takeBack();
        end(failed("cancelled by the caller"));
      };
      const timer = setTimeout(() => {
        takeBack();
        end(failed(question.late));
      }, question.msMax);
      if (signal?.aborted === true) {
        end(failed("cancelled by the caller"));
        return;
      }
      signal?.addEventListener("abort", cancelled);
      this.#pending.set(requestId, { question, end });
      this.#send(message);
    });
  }

  close(): void {
    this.socket.close();
  }

  #send(message: Message): void {
    this.socket.send(JSON.stringify(message));
  }

  #hear(data: unknown): void {
    const message = parsed(data);
    if (message === undefined) {
      // It is unknown which request this was the reply to.
      this.#endAll(failed(`${this.who} sent what is no JSON object: ${String(data).slice(0, 80)}`));
      return;
    }
    const { requestId } = message;
    const pending = typeof requestId === "string" ? this.#pending.get(requestId) : undefined;
    if (pending === undefined) this.ears.heard?.(message);
    else if (typeof message.success !== "boolean") pending.question.progress?.(message);
    else pending.end(message.success ? message : refusal(this.who, message));
  }

  #endAll(failure: Failure): void {
    for (const pending of [...this.#pending.values()]) pending.end(failure);
  }
}

export function requestId(kind: string): string {
  return `${kind}_${String(Date.now())}_${Math.random().toString(36).slice(2, 8)}`;
}

/** The backend's reason for its refusal, with the position in a shader if it names one. */
function refusal(who: string, { error, error_code, line, column }: Message): Failure {
  const place = { ...(typeof line === "number" && { line }), ...(typeof column === "number" && { column }) };
  return new Failed(
    isErrorCode(error_code) ? error_code : "EXECUTION_FAILED",
    typeof error === "string" && error !== "" ? error : `${who} refused without a reason`,
    place,
  );
}

function parsed(data: unknown): Message | undefined {
  try {
    const value: unknown = typeof data === "string" ? JSON.parse(data) : undefined;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}
