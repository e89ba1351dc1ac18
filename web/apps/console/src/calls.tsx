// Calls as they happen. Only visible rows are in the document, so that ten thousand rows scroll smoothly.

import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { audit, calls, callsSeen, pages, type CallRow } from "./store";
import { agentName, clock, duration, eyeCommand, mcpCall, pageName, size, summary, tokens } from "./words";
import { Copy } from "./copy";

const ROW_PX = 28;
const BEYOND = 10;

const filter = signal("");
const frozen = signal<readonly CallRow[] | undefined>(undefined);
const chosen = signal<CallRow | undefined>(undefined);

function text(row: CallRow): string {
  return [row.agent, row.page, row.op, row.tool, row.server, row.ending, row.args].join(" ").toLowerCase();
}

/** The rows that contain all words, latest first. `failed` matches every ending except success. */
function shown(all: readonly CallRow[], words: string): CallRow[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (row: CallRow): boolean =>
    wanted.every((word) => (word === "failed" ? row.code !== undefined : text(row).includes(word)));
  return (wanted.length === 0 ? [...all] : all.filter(fits)).reverse();
}

function Detail({ row }: { readonly row: CallRow }) {
  const params = parsed(row);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Time", row.time.replace("T", " ").replace("Z", " UTC")],
    ["Agent", row.agent],
    ["Token", row.token],
    ["By", row.face],
    ["Page", row.page],
    ["Operation", row.op],
    ["Tool", row.tool],
    ["Server", row.server],
    ["Took", duration(row.us)],
    ["Request", `${size(row.bytes)}`],
    ["Answer", `${size(row.answered)}, about ${String(tokens(row.answered ?? 0))} tokens`],
    ["Ending", row.code === undefined ? row.ending : `${row.ending ?? ""} (${String(row.code)})`],
    ["Hash", row.hash],
  ];
  return (
    <aside class="detail" aria-label="The chosen call">
      <button type="button" class="quiet right" onClick={() => (chosen.value = undefined)}>
        Close
      </button>
      <h2>{row.op}</h2>
      <dl class="pairs">
        {facts
          .filter(([, value]) => value !== undefined && value !== "")
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="mono">{value}</dd>
            </div>
          ))}
      </dl>
      <h3>Request</h3>
      {row.args === undefined ? (
        <p class="dim">
          Not kept. The audit log keeps arguments with <code>eye up --audit full</code>; answers never.
        </p>
      ) : (
        <>
          <pre tabIndex={0}>{row.args}</pre>
          <p class="actions">
            <Copy name="Copy as eye command" text={() => eyeCommand(row.page ?? "", row.op ?? "", params)} />
            <Copy name="Copy as MCP call" text={() => mcpCall(row.page ?? "", row.op ?? "", params, pages.value)} />
          </p>
        </>
      )}
    </aside>
  );
}

function parsed(row: CallRow): Record<string, unknown> {
  const given = row.args ?? "{}";
  try {
    const value: unknown = JSON.parse(given);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Code in a line is not JSON.
  }
  return { code: given };
}

export function Calls() {
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  useEffect(() => {
    const watcher = new ResizeObserver(() => setHeight(list.current?.clientHeight ?? 600));
    if (list.current !== null) watcher.observe(list.current);
    return () => watcher.disconnect();
  }, []);
  const seen = callsSeen.value;
  const rows = shown(frozen.value ?? calls, filter.value);
  const first = Math.max(0, Math.floor(top / ROW_PX) - BEYOND);
  const last = Math.min(rows.length, Math.ceil((top + height) / ROW_PX) + BEYOND);
  const byId = new Map(pages.value.map((page) => [page.id, page]));
  const toggle = (): unknown => (frozen.value = frozen.value === undefined ? [...calls] : undefined);
  return (
    <div class="calls" data-seen={seen}>
      <h1 class="hidden">Calls</h1>
      <div class="tools">
        <input
          data-filter
          type="search"
          aria-label="Filter calls"
          placeholder="Filter: agent, page, tool, failed  ( / )"
          value={filter.value}
          onInput={({ currentTarget }) => (filter.value = currentTarget.value)}
        />
        <button type="button" aria-pressed={frozen.value !== undefined} onClick={toggle}>
          {frozen.value === undefined ? "Pause the list" : "Go on"}
        </button>
        <span class="dim" role="status">
          {audit.value === "off"
            ? "The hub runs with --audit off, so calls are not shown."
            : `${String(rows.length)} calls`}
        </span>
      </div>
      <div class={chosen.value === undefined ? "split" : "split open"}>
        <div
          ref={list}
          class="rows"
          role="region"
          aria-label="Calls, latest first"
          tabIndex={0}
          onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
        >
          <svg class="spacer" width="1" height={rows.length * ROW_PX} aria-hidden="true" />
          {rows.slice(first, last).map((row, at) => (
            <button
              type="button"
              key={first + at}
              class={`row${row === chosen.value ? " chosen" : ""}${row.code === undefined ? "" : " failed"}`}
              style={{ top: `${String((first + at) * ROW_PX)}px` }}
              onClick={() => (chosen.value = row)}
            >
              <span class="mono dim">
                {clock(row.time).slice(0, 8)}
                <span class="wide">{clock(row.time).slice(8)}</span>
              </span>
              <span class={row.code === undefined ? "ending good" : "ending bad"}>{row.ending ?? "missing"}</span>
              <span title={row.agent}>{agentName(row.agent)}</span>
              <span class="op">{row.op}</span>
              <span class="cut dim">{summary(row) || pageName(byId.get(row.page ?? ""), row.page)}</span>
              <span class="num mono">{duration(row.us)}</span>
              <span class="num mono dim wide">{size(row.answered)}</span>
              <span class="num mono dim wide">≈{tokens(row.answered ?? 0)} tok</span>
            </button>
          ))}
        </div>
        {chosen.value === undefined ? null : <Detail row={chosen.value} />}
      </div>
    </div>
  );
}
