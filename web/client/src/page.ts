// What a page does with the hub's frames: frames in, frames out. It holds no socket and no timer of its own.
// One of these lives as long as one connection; what it owes when that ends is dropped, for the hub has ended it.

import { failure } from "./answer.js";
import { CODE_TOOL } from "./generated/protocol.js";
import type { Position } from "./edits.js";
import { CODE_DENIED, CODE_METHOD, CODE_PARAMS } from "./generated/protocol.js";
import { NAVIGATION_MS, TOOL_LOOK_MS, TOOL_LOOKS_MAX } from "./limits.js";
import type { Outbox } from "./outbox.js";
import type { Part, Rpc } from "./part.js";
import { program, type Program } from "./program.js";
import type { Realm } from "./realm.js";
import { render } from "./render.js";
import { isUncompiled, thrown } from "./thrown.js";

export interface Surroundings {
  /** `undefined` where code cannot run; `refusal` is then the answer. */
  readonly realm: Realm | undefined;
  readonly refusal: string;
  /** The realm of a frame, or the answer that says why there is none. */
  frame(name: string): Realm | string;
  /** Where code does not compile, as far as that can be found out. Never rejects. */
  misplaced(code: string, async: boolean): Promise<Position | undefined>;
  /** Whether this code will make the browser travel its history. */
  travels(code: string): boolean;
  after(ms: number, then: () => void): void;
  /** Runs in a task of its own, without a timer. */
  soon(then: () => void): void;
  /** The parts that were loaded, which see every JSON-RPC frame first. */
  parts(): Iterable<Part>;
  /** Tells them that a call has run. Its answer is pushed in the same task, and leaves with it. */
  called(): void;
}

interface Call {
  readonly id: string;
  aborter?: AbortController;
  cancelled?: boolean;
  /** The call seems to have started a navigation: its answer waits for that to turn out wrong. */
  held?: boolean;
  navigating?: boolean;
  answer?: string | undefined;
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
    if (this.#current === undefined) return undefined;
    this.#current.aborter ??= new AbortController();
    return this.#current.aborter.signal;
  }

  /** The connection is gone, and with it everyone who waited. */
  drop(): void {
    for (const call of this.#pending.values()) cancel(call);
    this.#pending.clear();
    for (const part of this.#around.parts()) part.left();
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
    for (const part of this.#around.parts()) if (part.take(frame)) return;
    if (method === "tools/call" && id !== undefined) this.#awaitTool(frame, String(id), looks);
    else if (method === "eval") this.#evalInFrame(id === undefined ? FIRE : String(id), params ?? {});
    else if (method === "ping" && id !== undefined) this.send({ id, result: { pong: true } });
    else if (method === "call/cancel") this.#cancel(String(params?.id));
    else if (method !== undefined) {
      if (id !== undefined) this.send({ id, error: { code: CODE_METHOD, message: `no method ${method}` } });
    } else if (frame.error !== undefined) this.onTaken(frame.error.message);
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

  #evalInFrame(id: string, params: NonNullable<Rpc["params"]>): void {
    if (typeof params.code !== "string") {
      this.#outbox.answer(id, failure(CODE_PARAMS, "eval needs code"));
      return;
    }
    const named = params.frame === undefined || params.frame === null || this.#around.realm === undefined;
    const realm = named ? this.#around.realm : this.#around.frame(String(params.frame));
    if (typeof realm === "string") this.#outbox.answer(id, realm);
    else this.#eval(id, params.code, realm);
  }

  #eval(id: string, code: string, realm: Realm | undefined): void {
    if (realm === undefined) {
      this.#outbox.answer(id, this.#around.refusal);
      return;
    }
    const call: Call = { id };
    let made: Program | undefined;
    this.#current = call;
    this.#submitted = false;
    try {
      made = program(realm, code);
      const value = made === undefined ? realm.run(code) : made.run();
      if (isThenable(value)) this.#await(call, value, made);
      else {
        if (this.#submitted || MAY_NAVIGATE.test(code)) this.#linger(call, code);
        this.#finish(call, render(value));
      }
    } catch (error) {
      if (isUncompiled(error)) this.#explain(call, code, error, made);
      else this.#finish(call, thrown(error, made));
    } finally {
      this.#current = undefined;
    }
  }

  #await(call: Call, value: PromiseLike<unknown>, made: Program | undefined): void {
    if (call.id !== FIRE) this.#pending.set(call.id, call);
    Promise.resolve(value)
      .then((result) => this.#finish(call, render(result)))
      .catch((error: unknown) => this.#finish(call, thrown(error, made)));
  }

  #explain(call: Call, code: string, error: unknown, made: Program | undefined): void {
    if (call.id === FIRE) return;
    this.#pending.set(call.id, call);
    void this.#around.misplaced(code, made?.async === true).then((place) => this.#finish(call, thrown(error, made, place)));
  }

  #finish(call: Call, answer: string): void {
    this.#around.called();
    if (call.id === FIRE || call.cancelled === true) return;
    if (this.#pending.size > 0) this.#pending.delete(call.id);
    if (call.held === true) call.answer = answer;
    else this.#outbox.answer(call.id, answer);
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
    if (answer !== undefined && cancelled !== true) this.#outbox.answer(id, answer);
  }
}

export function refusal(reason: string): string {
  if (reason === "the page refuses") return failure(CODE_DENIED, "this page refuses eval", "use verbs and tools");
  const what = reason === "CSP" ? "Content-Security-Policy forbids" : "Trusted Types forbid";
  return failure(CODE_DENIED, `this page's ${what} eval`, "allow 'unsafe-eval' in script-src for development, or use verbs and tools");
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
