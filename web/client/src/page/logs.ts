// The verb `logs`: the entries of the journal that an agent has not read yet.

import { hint } from "../core/hint.js";
import type { Entry, Journal, Level, Log } from "../core/journal.js";
import { LOG_READERS_MAX } from "../core/limits.js";
import type { Core } from "../core/part.js";
import { misused, type Asking, type Params, type Verbs } from "./verb.js";

/** A level includes the ones before it. */
const LEVELS: readonly Level[] = ["error", "warn", "info", "log", "debug"];

/** Entries after number `n`. */
export function loggedAfter(journal: Journal, n: number): Log[] {
  return folded(since(journal, n).map(logOf));
}

function since({ entries }: Journal, n: number): Entry[] {
  return entries.filter((entry) => entry.n > n);
}

export function logs({ journal, after }: Core): Verbs {
  /** The last number that each agent has read; the latest readers are last. */
  const read = new Map<string, number>();

  const remember = (agent: string, n: number): void => {
    read.delete(agent);
    read.set(agent, n);
    const [oldest] = read.keys();
    if (read.size > LOG_READERS_MAX && oldest !== undefined) read.delete(oldest);
  };

  return {
    async logs({ all, level, follow, timeout }: Params, { agent, signal, progress }: Asking) {
      if (level !== undefined && !LEVELS.includes(level as Level))
        throw misused(`no level ${String(level)}`, hint("levels"));
      const wanted = level === undefined ? LEVELS : LEVELS.slice(0, LEVELS.indexOf(level as Level) + 1);
      // The microtask turns entries of the current task into text.
      await Promise.resolve();
      const from = all === true ? 0 : (read.get(agent) ?? 0);
      const unread = since(journal, from).filter((entry) => wanted.includes(entry.level));
      remember(agent, journal.entries.at(-1)?.n ?? 0);
      if (follow !== true) return folded(unread.map(logOf));
      const report = (entry: Entry): void => {
        if (!wanted.includes(entry.level)) return;
        remember(agent, entry.n);
        progress({ entry: logOf(entry) });
      };
      unread.forEach(report);
      journal.heard.add(report);
      await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve());
        if (typeof timeout === "number") after(timeout, resolve);
      });
      journal.heard.delete(report);
      return [];
    },
  };
}

function logOf({ n, level, at, said }: Entry): Log {
  return { n, level, text: formatted(said.map(String)), at };
}

/** Replaces placeholders in the first text, as the console does. */
function formatted([first = "", ...rest]: readonly string[]): string {
  const text = first.replace(/%([sdifoOc%])/g, (place, kind: string) => {
    if (kind === "%") return "%";
    const value = rest.shift();
    return value === undefined ? place : kind === "c" ? "" : value;
  });
  return [text, ...rest].join(" ");
}

function folded(logs: readonly Log[]): Log[] {
  const kept: Log[] = [];
  for (const log of logs) {
    const last = kept.at(-1);
    if (last?.text === log.text && last.level === log.level)
      kept[kept.length - 1] = { ...log, count: (last.count ?? 1) + 1 };
    else kept.push(log);
  }
  return kept;
}
