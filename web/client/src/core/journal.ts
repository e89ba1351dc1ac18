// Keeps the page's latest logs, errors and failed requests as short texts. One per document, for all connections.
// Reading them is the business of the part `logs`.

import { clip } from "./clip.js";
import { copy } from "./copy.js";
import { withoutSecrets } from "./element.js";
import { listen } from "./lasting.js";
import { LOG_ENTRIES_MAX, LOG_MEMBERS_MAX, LOG_TEXT_CHARS_MAX } from "./limits.js";

export type Level = "error" | "warn" | "info" | "log" | "debug";

export interface Entry {
  /** Counts from 1. */
  readonly n: number;
  /** Unix time in milliseconds. */
  readonly at: number;
  readonly level: Level;
  /** The logged values; turned into texts right after the task that logged them. */
  said: readonly unknown[];
}

/** An entry as agents read it. */
export interface Log {
  /** Counts everything that was logged; gaps are entries that were dropped. */
  readonly n: number;
  readonly level: Level;
  readonly text: string;
  readonly at: number;
  /** How often the same entry was logged in a row. */
  readonly count?: number;
}

export interface Journal {
  /** The newest are last. */
  readonly entries: readonly Entry[];
  /** Called with every entry, when it is text. */
  readonly heard: Set<(entry: Entry) => void>;
  /** The number of requests in progress. */
  open: number;
}

const MARK = Symbol.for("eye.journal");
const LEVELS: readonly Level[] = ["error", "warn", "info", "log", "debug"];
const FAILED = 400;

export function journal(): Journal {
  const marked = globalThis as { [MARK]?: Journal };
  return (marked[MARK] ??= start());
}

function start(): Journal {
  const entries: Entry[] = [];
  const heard: Journal["heard"] = new Set();
  const kept: Journal = { entries, heard, open: 0 };
  let n = 0;

  const note = (level: Level, ...values: unknown[]): void => {
    const entry: Entry = { n: ++n, at: Date.now(), level, said: values };
    if (entries.push(entry) > LOG_ENTRIES_MAX) entries.shift();
    // Deferred, since a framework may observe reads; but to a microtask, so that values are not kept alive and have not
    // changed.
    queueMicrotask(() => {
      entry.said = values.map(brief);
      for (const hear of heard) hear(entry);
    });
  };
  const failed = (method: unknown, url: unknown, why: unknown): void => note("error", `${method} ${url}: ${why}`);

  for (const level of LEVELS) hook(console, level, (values) => note(level, ...values));
  // `table` and `dir` are logged as their first argument.
  for (const shown of ["table", "dir"] as const) hook(console, shown, ([value]) => note("log", value));
  hook(console, "assert", ([holds, ...values]) => holds || note("error", "Assertion failed:", ...values));
  hook(globalThis, "fetch", ([what, how], answer) => {
    const { url = what, method = "GET" } = (what ?? {}) as { url?: unknown; method?: unknown };
    const verb = (how as RequestInit | undefined)?.method ?? method;
    kept.open++;
    (answer as Promise<Response>)
      .then(
        ({ status }) => status >= FAILED && failed(verb, url, status),
        (error: Error) => error.name !== "AbortError" && failed(verb, url, error.message),
      )
      .then(() => kept.open--);
  });
  hook(XMLHttpRequest.prototype, "open", ([method, url], _, request) => {
    request.addEventListener("loadstart", () => kept.open++);
    request.addEventListener("loadend", () => {
      kept.open--;
      if (request.status >= FAILED) failed(method, url, request.status);
    });
    request.addEventListener("error", () => failed(method, url, "no answer"));
  });
  listen(
    window,
    ["error"],
    ({ target, message, filename, lineno, colno }) => {
      const { src, href } = target as { src?: unknown; href?: unknown };
      if (target === window) note("error", `${message} (${filename}:${lineno}:${colno})`);
      else if (src ?? href) failed("GET", src ?? href, "not loaded");
    },
    { capture: true },
  );
  listen(window, ["unhandledrejection"], ({ reason }) => note("error", "Uncaught (in promise)", reason));
  return kept;
}

/** Calls `saw` after every call of a function, which looks unchanged to the page. */
function hook<Owner extends object>(
  owner: Owner,
  name: keyof Owner,
  saw: (args: unknown[], result: unknown, self: Owner) => void,
): void {
  owner[name] = new Proxy(owner[name] as (...args: unknown[]) => unknown, {
    apply(target, self: Owner, args) {
      const result: unknown = Reflect.apply(target, self, args);
      try {
        saw(args, result, self);
      } catch {
        // The page may have replaced the function, with any result; it must not notice our error.
      }
      return result;
    },
  }) as Owner[keyof Owner];
}

function brief(value: unknown): string {
  const text = copy(value, LOG_MEMBERS_MAX);
  return clip(withoutSecrets(typeof text === "string" ? text : JSON.stringify(text)), LOG_TEXT_CHARS_MAX);
}
