// What a page does with the hub's frames: frames in, frames out. It holds no socket and no timer of its own.
// One of these lives as long as one connection; what it owes when that ends is dropped, for the hub has ended it.

import { failure } from "./answer.js";
import { CODE_DENIED, CODE_PARAMS, CODE_THREW, CODE_TOOL } from "./generated/protocol.js";
import { NAVIGATION_MS, TOOL_LOOK_MS, TOOL_LOOKS_MAX } from "./limits.js";
import type { Outbox } from "./outbox.js";
import type { Part, Rpc } from "./part.js";
import { program, type Program } from "./program.js";
import type { Realm } from "./realm.js";
import { render } from "./render.js";
import type { Doing } from "./verb.js";

export interface Surroundings {
  /** `undefined` where code cannot run; `refusal` is then the answer. */
  readonly realm: Realm | undefined;
  readonly refusal: string;
  /** The realm of a frame, or the answer that says why there is none. */
  frame(name: string): Promise<Realm | string>;
  /** The answer to a request that is not the core's: typed, or a whole response. */
  answer(frame: Rpc, doing: Doing): Promise<string | object>;
  /** What this code threw, as an answer. */
  thrown(error: unknown, code: string, made: Program | undefined): Promise<string>;
  /** Whether this code will make the browser travel its history. */
  travels(code: string): boolean;
  after(ms: number, then: () => void): void;
  /** Runs in a task of its own, without a timer. */
  soon(then: () => void): void;
  /** The parts that were loaded, which see every JSON-RPC frame first. */
  parts(): Iterable<Part>;
  /** Tells them that a call has run. Its answer is pushed in the same task, and leaves with it; the state before it, if it asked for its delta. */
  called(delta: boolean): void;
}

interface Call {
  readonly id: string;
  readonly delta?: boolean;
  aborter?: AbortController;
  cancelled?: boolean;
  /** The call seems to have started a navigation: its answer waits for that to turn out wrong. */
  held?: boolean;
  navigating?: boolean;
  answer?: string | object | undefined;
}

const ID = /^\w{0,19}:/;
const FIRE = "";
const MAY_NAVIGATE = /submit|history|navigation/;
const SUBMITS = /submit\s*\(/;

export class Page {
  readonly #outbox: Outbox;
  readonly #around: Surroundings;
  readonly #pending = new Map<string, Call>();
  #current: Call | undefined;
  #submitted = false;
  #expected: Call | undefined;

  /** The hub refused `hello` or took the session away. */
  onTaken: (message: string) => void = () => undefined;

  constructor(outbox: Outbox, around: Surroundings) {
    this.#outbox = outbox;
    this.#around = around;
  }

  receive(message: string): void {
    for (const frame of ([JSON.parse(message)] as (string | Rpc | null)[]).flat()) {
      if (typeof frame === "string") this.#line(frame);
      else if (frame !== null) this.#rpc(frame);
    }
  }

  notify(method: string, params: object): void {
    this.send({ method, params });
  }

  /** A JSON-RPC frame, or bytes as they are. */
  send(frame: object): void {
    if (frame instanceof Blob) this.#outbox.blob(frame);
    else this.#outbox.push({ jsonrpc: "2.0", ...frame });
  }

  /** For the last words of a document, which has no microtask left. */
  notifyNow(method: string, params: object): void {
    this.notify(method, params);
    this.#outbox.flush();
  }

  /** The signal of the call whose code runs at this moment. */
  get signal(): AbortSignal | undefined {
    return this.#current && signalOf(this.#current);
  }

  /** The connection is gone, and with it everyone who waited. */
  drop(): void {
    for (const call of this.#pending.values()) cancel(call);
    this.#pending.clear();
    for (const part of this.#around.parts()) part.left?.();
  }

  /** The page submits a form; the navigation follows in a later task. */
  submits(): void {
    this.#submitted = true;
  }

  /** The page is about to leave for `url`. Whether it stays after all is known when the event is over. */
  navigates(url: string, stays: () => boolean): void {
    const call = this.#culprit();
    if (call === undefined) return;
    call.held = true;
    call.navigating = true;
    queueMicrotask(() => {
      if (stays()) {
        this.#release(call);
      } else {
        this.notify("call/navigating", { id: call.id, url });
        this.#around.after(NAVIGATION_MS, () => this.#release(call));
      }
    });
  }

  #line(frame: string): void {
    const colon = idLength(frame);
    const code = colon < 0 ? frame : frame.slice(colon + 1);
    if (code !== "" || colon > 0) this.#eval(colon < 0 ? FIRE : frame.slice(0, colon), code, this.#around.realm);
  }

  #rpc(frame: Rpc, looks = TOOL_LOOKS_MAX): void {
    const { id, method, params } = frame;
    for (const part of this.#around.parts()) if (part.take?.(frame) === true) return;
    if (method === "tools/call" && id !== undefined) this.#awaitTool(frame, String(id), looks);
    else if (method === "eval") void this.#evalRpc(id === undefined ? FIRE : String(id), params ?? {});
    else if (method === "ping" && id !== undefined) this.send({ id, result: { pong: true } });
    else if (method === "call/cancel") this.#cancel(String(params?.id));
    else if (method !== undefined) {
      if (id !== undefined) this.#verb(frame, String(id));
    } else if (frame.error !== undefined) this.onTaken(frame.error.message);
  }

  #verb(frame: Rpc, id: string): void {
    const call: Call = { id, delta: frame.params?.delta === true };
    const own = <T>(act: () => T): T => {
      const before = this.#current;
      this.#current = call;
      this.#submitted = false;
      try {
        return act();
      } finally {
        this.#current = before;
        if (this.#submitted) this.#expect(call, this.#around.soon);
      }
    };
    this.#pending.set(id, call);
    this.#around.answer(frame, { signal: signalOf(call), own }).then(
      (answer) => this.#finish(call, answer),
      (error: unknown) => this.#finish(call, unloaded(error)),
    );
  }

  /** Agents know the tools of a page that was reloaded before it has offered them again. */
  #awaitTool(frame: Rpc, id: string, looks: number): void {
    if (looks === 0) {
      this.send({ id, error: { code: CODE_TOOL, message: `Tool not found: ${frame.params?.name}` } });
      return;
    }
    const call: Call = { id };
    this.#pending.set(id, call);
    this.#around.after(TOOL_LOOK_MS, () => {
      // It may be cancelled, or dropped with its connection.
      if (this.#pending.get(id) !== call) return;
      this.#pending.delete(id);
      this.#rpc(frame, looks - 1);
    });
  }

  async #evalRpc(id: string, { code, frame, delta }: NonNullable<Rpc["params"]>): Promise<void> {
    let { realm }: { realm: Realm | string | undefined } = this.#around;
    if (realm !== undefined && frame !== undefined && frame !== null) {
      // It may be cancelled, or dropped with its connection, while the frame is looked for.
      const call: Call = { id };
      if (id !== FIRE) this.#pending.set(id, call);
      realm = await this.#around.frame(String(frame)).catch(unloaded);
      if (call.cancelled === true) return;
      this.#pending.delete(id);
    }
    if (typeof code !== "string") realm = failure(CODE_PARAMS, "eval needs code");
    if (typeof realm === "string") this.#outbox.answer(id, realm);
    else this.#eval(id, String(code), realm, delta === true);
  }

  #eval(id: string, code: string, realm: Realm | undefined, delta = false): void {
    if (realm === undefined) {
      this.#outbox.answer(id, this.#around.refusal);
      return;
    }
    const call: Call = { id, delta };
    let made: Program | undefined;
    this.#current = call;
    this.#submitted = false;
    try {
      made = program(realm, code);
      const value = made === undefined ? realm.run(code) : made.run();
      if (isThenable(value)) this.#await(call, value, code, made);
      else {
        if (this.#submitted || MAY_NAVIGATE.test(code)) this.#linger(call, code);
        this.#finish(call, render(value));
      }
    } catch (error) {
      this.#explain(call, error, code, made);
    } finally {
      this.#current = undefined;
    }
  }

  #await(call: Call, value: PromiseLike<unknown>, code: string, made: Program | undefined): void {
    if (call.id !== FIRE) this.#pending.set(call.id, call);
    Promise.resolve(value)
      .then((result) => this.#finish(call, render(result)))
      .catch((error: unknown) => this.#explain(call, error, code, made));
  }

  #explain(call: Call, error: unknown, code: string, made: Program | undefined): void {
    if (call.id === FIRE) {
      this.#finish(call, "");
      return;
    }
    this.#pending.set(call.id, call);
    void this.#around
      .thrown(error, code, made)
      .catch(() => unloaded(error))
      .then((answer) => this.#finish(call, answer));
  }

  #finish(call: Call, answer: string | object): void {
    this.#around.called(call.delta === true);
    if (call.id === FIRE || call.cancelled === true) return;
    if (this.#pending.size > 0) this.#pending.delete(call.id);
    call.answer = answer;
    if (call.held !== true) this.#release(call);
  }

  #cancel(id: string): void {
    const call = this.#pending.get(id);
    if (call === undefined) return;
    this.#pending.delete(id);
    cancel(call);
  }

  #linger(call: Call, code: string): void {
    if (this.#submitted || SUBMITS.test(code)) this.#expect(call, this.#around.soon);
    else if (this.#around.travels(code)) this.#expect(call, (then) => this.#around.after(NAVIGATION_MS, then));
  }

  /** A navigation may follow this call: its answer waits for one more turn. */
  #expect(call: Call, turn: (then: () => void) => void): void {
    call.held = true;
    this.#expected = call;
    turn(() => {
      if (this.#expected === call) this.#expected = undefined;
      if (call.navigating !== true) this.#release(call);
    });
  }

  #culprit(): Call | undefined {
    if (this.#current !== undefined) return this.#current.id === FIRE ? undefined : this.#current;
    if (this.#expected !== undefined) return this.#expected;
    const unsent = this.#outbox.takeLast();
    if (unsent !== undefined) {
      const at = unsent.search(/\W/);
      const answer = unsent.slice(at);
      return { id: unsent.slice(0, at), answer };
    }
    if (this.#pending.size !== 1) return undefined;
    for (const call of this.#pending.values()) return call;
    return undefined;
  }

  #release(call: Call): void {
    const { id, answer, cancelled } = call;
    call.held = call.navigating = false;
    call.answer = undefined;
    if (answer === undefined || cancelled === true) return;
    if (typeof answer === "string") this.#outbox.answer(id, answer);
    else this.send(answer);
  }
}

export function refusal(reason: string): string {
  if (reason === "the page refuses") return failure(CODE_DENIED, "this page refuses eval", "use verbs and tools");
  const what = reason === "CSP" ? "Content-Security-Policy forbids" : "Trusted Types forbid";
  return failure(CODE_DENIED, `this page's ${what} eval`, "allow 'unsafe-eval' in script-src for development, or use verbs and tools");
}

/** For want of the part that would say it better. */
function unloaded(error: unknown): string {
  return failure(CODE_THREW, String(error));
}

function signalOf(call: Call): AbortSignal {
  return (call.aborter ??= new AbortController()).signal;
}

function cancel(call: Call): void {
  call.cancelled = true;
  call.aborter?.abort();
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/** Where the `:` after an id stands, 0 for fire and forget with a leading `:`, negative for code without one. */
function idLength(frame: string): number {
  return ID.test(frame) ? frame.indexOf(":") : -1;
}
