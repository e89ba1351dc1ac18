// Handles the hub's frames for a page: frames in, frames out. It has no socket and no timer of its own. One instance
// per connection; open calls are dropped with it, since the hub has ended them.

import { failure } from "./answer.js";
import { CODE_CONFLICT, CODE_PARAMS, CODE_THREW, CODE_TOOL } from "../generated/protocol.js";
import { NAVIGATION_MS, TOOL_LOOK_MS, TOOL_LOOKS_MAX } from "./limits.js";
import type { Outbox } from "./outbox.js";
import type { Part, Rpc } from "./part.js";
import { program, type Program } from "./program.js";
import type { Realm } from "./realm.js";
import { render } from "./render.js";
import type { Doing } from "../page/verb.js";

export interface Surroundings {
  /** `undefined` if code cannot run; requests for it are then answered by a verb. */
  readonly realm: Realm | undefined;
  /** The realm of a frame, or an answer with the reason why there is none. */
  frame(name: string): Promise<Realm | string>;
  /** The answer to a request that the core does not handle: typed, or a whole response. */
  answer(frame: Rpc, doing: Doing): Promise<string | object>;
  /** An error that this code threw, as an answer. */
  thrown(error: unknown, code: string, made: Program | undefined): Promise<string>;
  /** Whether this code will navigate the browser's history. */
  travels(code: string): boolean;
  after(ms: number, then: () => void): void;
  /** Runs `then` in a task of its own, without a timer. */
  soon(then: () => void): void;
  /** The loaded parts, which see every JSON-RPC frame first. */
  parts(): Iterable<Part>;
  /** Receives the hub's response to `hello`. */
  onWelcome(welcome: unknown): void;
  /** The hub refused `hello` or took the session away. */
  onTaken(message: string): void;
  /**
   * Reports to the parts that a call has run. Its answer is pushed in the same task and sent with it. With `delta`, the
   * state is sent before the answer.
   */
  called(delta: boolean): void;
}

interface Call {
  readonly id: string;
  readonly delta?: boolean;
  aborter?: AbortController;
  cancelled?: boolean;
  /** The call seems to have started a navigation: its answer is held until that turns out wrong. */
  held?: boolean;
  navigating?: boolean;
  /** The call continues in the next document, so a navigation is not attributed to it. */
  stays?: boolean;
  answer?: string | object | undefined;
}

const ID_CHARS_MAX = 19;
const COLON = 0x3a;
/** The id of the first frame of a connection. */
export const HELLO_ID = "hello";
const FIRE = "";
/** Names with dots between them: most code of agents, which needs no closer look. */
const PATH = /^[\w$.]+$/;
const MAY_NAVIGATE = /submit|history|navigation/;
const SUBMITS = /submit\s*\(/;

export interface Page {
  receive(message: string): void;
  notify(method: string, params: object): void;
  /** Sends a JSON-RPC frame, or bytes as they are. */
  send(frame: object): void;
  /** Sends at once: a document that is leaving has no microtasks left. */
  notifyNow(method: string, params: object): void;
  /** The signal of the call whose code runs at this moment. */
  readonly signal: AbortSignal | undefined;
  /** The connection is gone; all open calls are dropped. */
  drop(): void;
  /** The page submits a form; the navigation follows in a later task. */
  submits(): void;
  /** The page is about to leave for `url`. Only after the event is known whether it stays after all. */
  navigates(url: string, stays: () => boolean): void;
}

export function pageWith(outbox: Outbox, around: Surroundings): Page {
  const { after, soon, thrown } = around;
  const pending = new Map<string, Call>();
  let current: Call | undefined;
  let submitted = false;
  let expected: Call | undefined;

  const send = (frame: object): void => {
    if (frame instanceof Blob) outbox.blob(frame);
    else outbox.push({ jsonrpc: "2.0", ...frame });
  };

  const notify = (method: string, params: object): void => send({ method, params });

  const line = (frame: string): void => {
    const colon = idLength(frame);
    const code = colon < 0 ? frame : frame.slice(colon + 1);
    if (code !== "" || colon > 0) evaluate(colon < 0 ? FIRE : frame.slice(0, colon), code, around.realm);
  };

  const isAt = (revision: number): boolean => [...around.parts()].some((part) => part.isAt?.(revision) === true);

  const rpc = (frame: Rpc, looks = TOOL_LOOKS_MAX): void => {
    const { id, method, params, error } = frame;
    if (typeof params?.ifRevision === "number" && !isAt(params.ifRevision)) {
      if (id !== undefined) send({ id, error: { code: CODE_CONFLICT, message: "the state has changed" } });
      return;
    }
    for (const part of around.parts()) if (part.take?.(frame) === true) return;
    if (method === "tools/call" && id !== undefined) awaitTool(frame, String(id), looks);
    else if (method === "eval") void evaluateRpc(id === undefined ? FIRE : String(id), params ?? {});
    else if (method === "ping" && id !== undefined) send({ id, result: { pong: true } });
    else if (method === "call/cancel") {
      const cancelled = String(params?.id);
      cancel(pending.get(cancelled));
      pending.delete(cancelled);
    } else if (method !== undefined) {
      if (id !== undefined) verb(frame, String(id));
    } else if (error !== undefined) around.onTaken(error.message);
    else if (id === HELLO_ID) around.onWelcome(frame.result);
  };

  const verb = (frame: Rpc, id: string): void => {
    const call: Call = { id, delta: frame.params?.delta === true, stays: frame.method === "page/wait" };
    const own = <T>(act: () => T, travels = false): T => {
      const before = current;
      current = call;
      submitted = false;
      try {
        return act();
      } finally {
        current = before;
        if (submitted) expect(call, soon);
        else if (travels) expect(call, (then) => after(NAVIGATION_MS, then));
      }
    };
    pending.set(id, call);
    around.answer(frame, { signal: signalOf(call), own }).then(
      (answer) => finish(call, answer),
      (error: unknown) => finish(call, unloaded(error)),
    );
  };

  /** Waits for a tool: agents may call a tool of a reloaded page before the page has offered it again. */
  const awaitTool = (frame: Rpc, id: string, looks: number): void => {
    if (looks === 0) {
      send({ id, error: { code: CODE_TOOL, message: `Tool not found: ${frame.params?.name}` } });
      return;
    }
    const call: Call = { id };
    pending.set(id, call);
    after(TOOL_LOOK_MS, () => {
      // The call may have been cancelled, or dropped with its connection.
      if (pending.get(id) !== call) return;
      pending.delete(id);
      rpc(frame, looks - 1);
    });
  };

  const evaluateRpc = async (id: string, { code, frame, delta }: NonNullable<Rpc["params"]>): Promise<void> => {
    let { realm }: { realm: Realm | string | undefined } = around;
    if (realm !== undefined && frame !== undefined && frame !== null) {
      // The call may be cancelled, or dropped with its connection, while the frame is looked up.
      const call: Call = { id };
      if (id !== FIRE) pending.set(id, call);
      realm = await around.frame(String(frame)).catch(unloaded);
      if (call.cancelled === true) return;
      pending.delete(id);
    }
    if (typeof code !== "string") realm = failure(CODE_PARAMS, "eval needs code");
    if (typeof realm === "string") outbox.answer(id, realm);
    else evaluate(id, String(code), realm, delta === true);
  };

  const evaluate = (id: string, code: string, realm: Realm | undefined, delta = false): void => {
    if (realm === undefined) {
      if (id !== FIRE) verb({ id, method: "eval" }, id);
      return;
    }
    const call: Call = { id, delta };
    let made: Program | undefined;
    current = call;
    submitted = false;
    try {
      const isPath = PATH.test(code);
      made = isPath ? undefined : program(realm, code);
      const value = made === undefined ? realm.run(code) : made.run();
      if (isThenable(value)) {
        if (id !== FIRE) pending.set(id, call);
        Promise.resolve(value)
          .then((result) => finish(call, render(result)))
          .catch((error: unknown) => explain(call, error, code, made));
      } else {
        if (submitted || (!isPath && MAY_NAVIGATE.test(code))) linger(call, code);
        finish(call, render(value));
      }
    } catch (error) {
      explain(call, error, code, made);
    } finally {
      current = undefined;
    }
  };

  /** Answers with the error that a call's code has thrown. */
  const explain = (call: Call, error: unknown, code: string, made: Program | undefined): void => {
    if (call.id === FIRE) {
      // Nothing else reports this error; the journal also records what is written to the console.
      console.error("fire:", error);
      finish(call, "");
      return;
    }
    pending.set(call.id, call);
    void thrown(error, code, made)
      .catch(() => unloaded(error))
      .then((answer) => finish(call, answer));
  };

  const finish = (call: Call, answer: string | object): void => {
    around.called(call.delta === true);
    if (call.id === FIRE || call.cancelled === true) return;
    if (pending.size > 0) pending.delete(call.id);
    if (call.held === true) call.answer = answer;
    else deliver(call.id, answer);
  };

  const deliver = (id: string, answer: string | object): void => {
    if (typeof answer === "string") outbox.answer(id, answer);
    else send(answer);
  };

  const linger = (call: Call, code: string): void => {
    if (submitted || SUBMITS.test(code)) expect(call, soon);
    else if (around.travels(code)) expect(call, (then) => after(NAVIGATION_MS, then));
  };

  /** Holds the answer for one more turn: a navigation may follow this call. */
  const expect = (call: Call, turn: (then: () => void) => void): void => {
    call.held = true;
    expected = call;
    turn(() => {
      if (expected === call) expected = undefined;
      if (call.navigating !== true) release(call);
    });
  };

  const culprit = (): Call | undefined => {
    if (current !== undefined) return current.id === FIRE ? undefined : current;
    if (expected !== undefined) return expected;
    const unsent = outbox.takeLast();
    if (unsent !== undefined) {
      const at = unsent.search(/\W/);
      const answer = unsent.slice(at);
      return { id: unsent.slice(0, at), answer };
    }
    const [only, another] = [...pending.values()].filter(({ stays }) => stays !== true);
    return another === undefined ? only : undefined;
  };

  const release = (call: Call): void => {
    const { id, answer, cancelled } = call;
    call.held = call.navigating = false;
    call.answer = undefined;
    if (answer !== undefined && cancelled !== true) deliver(id, answer);
  };

  return {
    send,
    notify,
    get signal() {
      return current && signalOf(current);
    },
    receive(message) {
      type Frame = string | Rpc | null;
      const read = JSON.parse(message) as Frame | Frame[];
      for (const frame of Array.isArray(read) ? read : [read]) {
        if (typeof frame === "string") line(frame);
        else if (frame !== null) rpc(frame);
      }
    },
    notifyNow(method, params) {
      notify(method, params);
      outbox.flush();
    },
    drop() {
      pending.forEach(cancel);
      pending.clear();
      for (const part of around.parts()) part.left?.();
    },
    submits() {
      submitted = true;
    },
    navigates(url, stays) {
      const call = culprit();
      if (call === undefined) return;
      call.held = call.navigating = true;
      queueMicrotask(() => {
        if (stays()) {
          release(call);
        } else {
          notify("call/navigating", { id: call.id, url });
          after(NAVIGATION_MS, () => release(call));
        }
      });
    },
  };
}

/** Used if the part that writes better errors cannot be loaded. */
function unloaded(error: unknown): string {
  return failure(CODE_THREW, String(error));
}

function signalOf(call: Call): AbortSignal {
  return (call.aborter ??= new AbortController()).signal;
}

function cancel(call: Call | undefined): void {
  if (call === undefined) return;
  call.cancelled = true;
  call.aborter?.abort();
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  const mayHave = typeof value === "object" ? value !== null : typeof value === "function";
  return mayHave && typeof (value as { then?: unknown }).then === "function";
}

/** The index of the `:` after an id: 0 for fire and forget with a leading `:`, negative for code without one. */
function idLength(frame: string): number {
  for (let at = 0; at <= ID_CHARS_MAX; at++) {
    const char = frame.charCodeAt(at);
    if (char === COLON) return at;
    if (!isWord(char)) return -1;
  }
  return -1;
}

/** Letters, digits and `_`. A regular expression takes twice as long, for every line. */
function isWord(char: number): boolean {
  const lower = char | 0x20;
  return (char >= 0x30 && char <= 0x39) || (lower >= 0x61 && lower <= 0x7a) || char === 0x5f;
}
