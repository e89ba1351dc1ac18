// Formats numbers, times and names. Pure.

import type { CallRow, PageRow } from "./store";

export function duration(us: number | undefined): string {
  if (us === undefined) return "";
  if (us < 1000) return `${String(us)} µs`;
  if (us < 1_000_000) return `${(us / 1000).toFixed(us < 10_000 ? 1 : 0)} ms`;
  return `${(us / 1_000_000).toFixed(1)} s`;
}

export function size(bytes: number | undefined): string {
  if (bytes === undefined) return "";
  if (bytes < 1024) return `${String(bytes)} B`;
  if (bytes < 1024 ** 2) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}

/** An estimate: a token is about four bytes of text. */
export function tokens(bytes: number): number {
  return Math.round(bytes / 4);
}

export function clock(time: string): string {
  const at = new Date(time);
  const two = (n: number): string => String(n).padStart(2, "0");
  const ms = String(at.getMilliseconds()).padStart(3, "0");
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${ms}`;
}

export function ago(seconds: number | undefined, now = Date.now() / 1000): string {
  if (seconds === undefined) return "never";
  const past = Math.max(0, Math.round(now - seconds));
  if (past < 60) return `${String(past)} s ago`;
  return past < 3600 ? `${String(Math.floor(past / 60))} min ago` : `${String(Math.floor(past / 3600))} h ago`;
}

/** A folder is shown by its last part; the tooltip has the whole path. */
export function agentName(name: string | undefined): string {
  if (name === undefined || name === "") return "unnamed";
  return name.startsWith("/") ? (name.split("/").at(-1) ?? name) : name;
}

export function pageName(page: PageRow | undefined, id = ""): string {
  return page === undefined ? id : (page.name ?? page.alias ?? (page.title || page.id));
}

/** The message of an error, with the hub's hint if there is one. */
export function message(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { hint = "" } = error as { hint?: string };
  return hint === "" ? error.message : `${error.message} (${hint})`;
}

/** A page's answer as text. */
export function answerText(answer: unknown): string {
  const value = (answer as { value?: unknown } | null)?.value ?? answer;
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

export function summary(row: CallRow): string {
  if (row.dropped !== undefined) return `${String(row.dropped)} rows are missing here`;
  const what = [row.server, row.tool].filter((part) => part !== undefined).join(" / ");
  return what !== "" ? what : (row.args ?? "");
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export function eyeCommand(page: string, method: string, params: Record<string, unknown>): string {
  const at = page === "" ? "" : ` --page ${quoted(page)}`;
  if (method === "eval") return `eye${at} eval ${quoted(String(params.code ?? ""))}`;
  if (method === "tools/call") {
    const given = JSON.stringify(params.arguments ?? {});
    return `eye${at} call ${quoted(String(params.name))} ${quoted(given)}`;
  }
  const asked = page === "" ? params : { ...params, page };
  return `eye rpc ${quoted(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: asked }))}`;
}

/** MCP's name for a page: its alias if no other page has the same, else its id. */
function provider(id: string, all: readonly PageRow[]): string {
  const alias = all.find((page) => page.id === id)?.alias;
  return alias !== undefined && all.filter((page) => page.alias === alias).length === 1 ? alias : id;
}

export function mcpCall(
  page: string,
  method: string,
  params: Record<string, unknown>,
  all: readonly PageRow[],
): string {
  const calls = (name: string, given: object): string =>
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } }, null, 2);
  if (method === "eval") return calls("eye", { expr: params.code, page });
  if (method !== "tools/call") return calls(method.split("/")[1] ?? method, { ...params, page });
  const tool = String(params.name);
  const name = page === "" ? tool : `page:${provider(page, all)}::${tool}`;
  return calls("mcp_call", { name, arguments: params.arguments ?? {} });
}

export const counted = (count: number, noun: string): string => `${String(count)} ${noun}${count === 1 ? "" : "s"}`;

/** The number of calls that wait because of a pause, as text. */
export const waits = (count: number): string => (count === 1 ? "1 call waits" : `${String(count)} calls wait`);
