// The ways to join a page named in docs/join.md, and the abilities that a joined page must have.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Home, Row } from "../../harness/home.js";
import { until } from "../../harness/until.js";
import { web } from "../../harness/program.js";

export const WAYS = [
  "script tag",
  "import",
  "Vite plugin",
  "proxy path",
  "bookmarklet",
  "userscript",
  "eye open",
] as const;
export type Way = (typeof WAYS)[number];

/**
 * The document of a served page: a counter of web/e2e/projects/plain, with the tag for joining and, where headers are
 * not possible, a policy.
 */
export function counterPage({
  head = "",
  foot = "",
  base = "/",
}: {
  readonly head?: string;
  readonly foot?: string;
  readonly base?: string;
}): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Counter</title><script src="${base}watch.js"></script>${head}</head>
<body><h1>Counter</h1><button>Count</button><output>0</output><script src="${base}page.js"></script>${foot}</body></html>`;
}

/** Logs the violations of a policy, in the same words in every browser. */
export const WATCH = `document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => console.log("policy: " + effectiveDirective + " " + blockedURI));`;

export function clientModule(): string {
  return readFileSync(join(web(), "client/dist/index.js"), "utf8");
}

/** The table of docs/join.md: the result by way of joining and kind of page. */
export function documented(): Map<string, Map<string, string>> {
  const text = readFileSync(join(web(), "../docs/join.md"), "utf8");
  const lines = text.split("\n").filter((line) => line.startsWith("|"));
  const first = lines.findIndex((line) => line.includes("| plain |"));
  const cells = (line: string): string[] =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll("`", ""));
  const [, ...kinds] = cells(lines[first] ?? "");
  const rows = lines.slice(first + 2, first + 2 + WAYS.length).map(cells);
  return new Map(
    rows.map(([way = "", ...outcomes]) => [way, new Map(kinds.map((kind, index) => [kind, outcomes[index] ?? ""]))]),
  );
}

/** Waits for the page whose URL contains this text. */
export function arrived(home: Home, part: string): Promise<Row> {
  return until(`a page with ${part} has joined`, async () =>
    (await home.pages()).find(({ url, state }) => url.includes(part) && state === "connected"),
  );
}

/** Looks, clicks, calls and publishes, which needs no eval; returns whether eval works too. */
export async function exercise(home: Home, { id, url }: Row): Promise<"yes" | "no eval"> {
  const ask = async (...args: string[]): Promise<string> => {
    const { stdout, stderr, code } = await home.eye("--page", id, ...args);
    assert.equal(code, 0, `eye ${args.join(" ")}: ${stderr}`);
    return stdout.trimEnd();
  };
  assert.match(await ask("look"), /# Counter\n(?:.*\n)?.*\[Count\]/);
  assert.match(await ask("click", "text=Count"), /\b1\b/);
  await until("the tool is offered", async () => (await ask("tools")).includes("add(") || undefined);
  assert.equal(await ask("call", "add", "by=2"), "3");
  await until("the hub has the state", async () => (await ask("state", "count")) === "3" || undefined);
  assert.match(await ask("pub", `add${new URL(url).searchParams.get("cell") ?? ""}`, "4"), /delivered/);
  await until("the page did as the message said", async () => (/\b7\b/.test(await ask("look")) ? true : undefined));
  return evaluates(home, id);
}

export async function evaluates(home: Home, id: string): Promise<"yes" | "no eval"> {
  const { stdout, stderr, code } = await home.eye("--page", id, "await 1 + 1");
  if (code === 0) {
    assert.equal(stdout, "2\n");
    return "yes";
  }
  // A policy in the page that comes after the client is noticed only when it blocks something.
  assert.match(
    stderr,
    /does not evaluate code \((?:CSP|Trusted Types)\)\nhint: use verbs and tools|EvalError: .*(?:Content Security Policy|CSP|Trusted Type)/,
  );
  return "no eval";
}

/** The output of `eye join` that a person keeps: the URL of a bookmark, or a userscript. */
export async function toKeep(home: Home, which: "bookmarklet" | "userscript"): Promise<string> {
  const { stdout, stderr, code } = await home.eye("join", which);
  assert.equal(code, 0, stderr);
  return stdout.trimEnd();
}

/** The code that a browser runs when a bookmark with this URL is clicked. */
export function clicked(bookmark: string): string {
  return decodeURIComponent(bookmark.replace(/^javascript:/, ""));
}
