// The part behind every verb: runs it, or loads the part that has it, and returns the result to the hub or the page. It
// also contains the small things that answer agents: topics, and descriptions of errors.

import { apps } from "./apps.js";
import { failed, threw } from "./failed.js";
import { frameWindow } from "./frames.js";
import { PLACES } from "../generated/operations.js";
import { CODE_METHOD } from "../generated/protocol.js";
import { logs } from "./logs.js";
import type { Core, Rpc, VerbsPart } from "../core/part.js";
import { refusal } from "./refusal.js";
import { requests } from "./requests.js";
import { thrown } from "./thrown.js";
import { topics } from "./topics.js";
import { travels } from "./travel.js";
import { isRefused, misused, type Asking, type Doing, type Params, type Verb, type Verbs } from "./verb.js";
import { waits } from "./wait.js";

/** Methods for the page's own code that are not verbs of the protocol. */
const TOPICS = ["publish", "subscribe", "request", "respond", "tell", "onMessage"] as const;
type TopicName = (typeof TOPICS)[number];

interface Bridge {
  readonly ALGO?: { readonly bridge?: { getState?(): unknown } };
}

export function offer(core: Core): VerbsPart {
  const applications = apps();
  const waiting = waits(core);
  const talk = topics(core);
  const mine: Verbs = {
    ...waiting.verbs,
    ...talk.verbs,
    ...logs(core),
    ...applications.verbs,
    ...travels(core),
    requests,
    shot: () => needsBrowser("a picture"),
    pdf: () => needsBrowser("a PDF"),
    dialog: () => needsBrowser("an answer to a dialog"),
    cookies: () => needsBrowser("what cookies hold"),
    emulate: () => needsBrowser("emulation"),
    storage: () => needsBrowser("a login as a file"),
    net: () => needsBrowser("a request with headers and bodies (eye requests lists what this page remembers)"),
    downloads: () => needsBrowser("a list of downloads"),
    close: () => needsBrowser("closing a tab"),
    "stop-script": () => needsBrowser("stopping a script"),
  };

  const verbOf = async (name: string): Promise<Verb | undefined> => {
    if (!Object.hasOwn(PLACES, name)) return undefined;
    return Object.hasOwn(mine, name) ? mine[name] : (await core.load("hands")).verbs[name];
  };

  /** The state of the original's bridge, which such a page does not publish by itself. */
  const bridgeState = async (id: string | number): Promise<object | undefined> => {
    const { ALGO } = globalThis as Bridge;
    if (typeof ALGO?.bridge?.getState !== "function") return undefined;
    const state = await core.load("state");
    state.state(() => unwrapped((globalThis as Bridge).ALGO?.bridge?.getState?.()));
    return state.answer(id);
  };

  const run = async (method: string, params: Params, asking: Asking): Promise<unknown> => {
    const verb = method.startsWith("page/") ? await verbOf(method.slice(5)) : undefined;
    if (verb === undefined) throw new NoMethod(`no method ${method}`);
    return (await verb(params, asking)) ?? {};
  };

  return {
    frame: (name) => frameWindow(core, name),
    called: waiting.called,
    thrown: thrown(core),
    take: talk.take,
    joined: talk.joined,
    left: talk.left,
    async reply({ id = "", method = "", params = {} }: Rpc, doing: Doing) {
      try {
        // The core passes on `eval` only if it cannot run code.
        if (method === "eval") return refusal(core);
        const state = method === "state/get" ? await bridgeState(id) : undefined;
        if (state !== undefined) return state;
        const progress = (news: object): void => core.send({ method: "call/progress", params: { id, ...news } });
        // A null param counts as absent, except a message.
        const given = Object.fromEntries(
          Object.entries(params).filter(([name, value]) => value !== null || name === "message"),
        );
        return core.render(await run(method, given, { ...doing, agent: String(params.agent ?? ""), progress }));
      } catch (error) {
        // A typed answer.
        if (typeof error === "string") return error;
        const message =
          error instanceof NoMethod
            ? failed("", CODE_METHOD, error.message)
            : isRefused(error)
              ? failed("", error.code, error.message, error.data)
              : threw(core, "", error);
        return { ...message, id };
      }
    },
    async ask(name, args, signal = new AbortController().signal) {
      if (name === "app") return applications.app(args[0]);
      if (TOPICS.includes(name as TopicName)) {
        return (talk[name as TopicName] as (...args: readonly unknown[]) => unknown)(...args);
      }
      const asking: Asking = { signal, own: (act) => act(), agent: "", progress: () => undefined };
      const answer = await run(`page/${name}`, paramsOf(name, args), asking).catch((error: unknown) => {
        // The page's own code gets a readable error.
        throw typeof error === "string" ? new Error(error.replace(/^!\S+ /, "").replaceAll("\x1f", "; ")) : error;
      });
      return answer;
    },
  };
}

/** In a browser that eye drives, the driver handles these verbs before they reach the page. */
function needsBrowser(what: string): never {
  const how = "open this page with eye browse, or grant its tab to the extension with the debugger (eye extension)";
  throw misused(`${what} needs a browser with hands: ${how}`);
}

class NoMethod extends Error {}

/** Converts positional arguments of the page to the protocol's names; a trailing object holds the rest. */
function paramsOf(name: string, args: readonly unknown[]): Params {
  const names = PLACES[name] ?? [];
  const params: Record<string, unknown> = {};
  args.forEach((arg, at) => {
    const place = names[at];
    if (name === "fill" && at === 0 && (Array.isArray(arg) || isPlain(arg)))
      params.fields = Array.isArray(arg) ? arg : Object.entries(arg);
    else if (name === "fill" && at === 1 && "fields" in params) Object.assign(params, arg);
    else if (place === undefined || (place.endsWith("?") && isPlain(arg))) Object.assign(params, arg);
    else params[place.replace("?", "")] = arg;
  });
  // A form has no single target or value.
  const form = name === "fill" && !("fields" in params) ? ["target", "value"] : [];
  const needed = [...form, ...names.filter((place) => !place.endsWith("?"))];
  if (needed.some((place) => !(place in params))) throw misused(`eye.${name} needs ${needed.join(", ")}`);
  return params;
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** The original wraps its answers in `{success, result}`. */
function unwrapped(state: unknown): unknown {
  return isPlain(state) && "success" in state && "result" in state ? state.result : state;
}
