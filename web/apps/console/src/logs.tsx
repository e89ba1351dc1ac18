// The log of a page, and its network requests.

import { useEffect, useState } from "preact/hooks";
import { Copy } from "./copy";
import { ask, pages } from "./store";
import { clock, message, size } from "./words";

interface Entry {
  readonly n: number;
  readonly level: string;
  readonly text: string;
  readonly at: number;
  readonly count?: number;
}

interface Requested {
  readonly url: string;
  readonly by: string;
  readonly status: number;
  readonly at: number;
  readonly ms: number;
  readonly bytes: number;
}

const FAILED = 400;
const time = (at: number): string => clock(new Date(at).toISOString());

/** The rows that a page returns, the failure text, and a function that loads them again. */
function useRows<Row>(method: string, params: object): readonly [readonly Row[] | undefined, string, () => void] {
  const [rows, setRows] = useState<readonly Row[]>();
  const [bad, setBad] = useState("");
  const load = (): void =>
    void ask<{ value?: readonly Row[] } | readonly Row[]>(method, params).then(
      (answer) => {
        const list = Array.isArray(answer) ? answer : (answer as { value?: readonly Row[] }).value;
        setBad("");
        setRows(list ?? []);
      },
      (error: unknown) => setBad(message(error)),
    );
  useEffect(load, []);
  return [rows, bad, load];
}

export function Logs({ page }: { readonly page: string }) {
  const [rows, bad, load] = useRows<Entry>("page/logs", { page, all: true });
  return (
    <>
      <p class="actions">
        <button type="button" onClick={load}>
          Read again
        </button>
        <Copy name="Copy as eye command" text={() => `eye --page ${page} logs --all`} />
      </p>
      {bad === "" ? null : <p class="bad">{bad}</p>}
      {rows?.length === 0 ? <p class="dim">The page has logged nothing.</p> : null}
      <ol class="log" aria-label="Log of the page">
        {rows?.map((row) => (
          <li key={row.n} class={row.level}>
            <span class="mono dim">{time(row.at)}</span> <span class="level">{row.level}</span>
            <span class="mono text">
              {row.text}
              {row.count === undefined ? null : <span class="dim"> × {row.count}</span>}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

/** A URL without the page's own origin; the tooltip shows the whole URL. */
function shortUrl(url: string, origin: string): string {
  if (url.startsWith("data:")) return "data:…";
  return url.startsWith(`${origin}/`) ? url.slice(origin.length) : url.replace(/^https?:\/\//, "");
}

export function Network({ page }: { readonly page: string }) {
  const [rows, bad, load] = useRows<Requested>("page/requests", { page });
  const origin = pages.value.find(({ id }) => id === page)?.origin ?? "";
  const longest = Math.max(1, ...(rows ?? []).map(({ ms }) => ms));
  return (
    <>
      <p class="actions">
        <button type="button" onClick={load}>
          Read again
        </button>
        <Copy name="Copy as eye command" text={() => `eye --page ${page} requests`} />
        <span class="dim">What the page's browser remembers. Failed requests are in the logs, with the reason.</span>
      </p>
      {bad === "" ? null : <p class="bad">{bad}</p>}
      {rows?.length === 0 ? <p class="dim">The page has asked for nothing.</p> : null}
      {rows === undefined || rows.length === 0 ? null : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Requests of the page">
          <table class="requests">
            <thead>
              <tr>
                <th>Time</th>
                <th>Status</th>
                <th>By</th>
                <th>Address</th>
                <th class="num">Size</th>
                <th class="num">Took</th>
                <th class="wide">Share of the longest</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row, n) => (
                <tr key={`${String(n)} ${row.url}`}>
                  <td class="mono dim">{time(row.at)}</td>
                  <td class={row.status >= FAILED ? "bad" : ""}>{row.status === 0 ? "–" : row.status}</td>
                  <td class="dim">{row.by}</td>
                  <td class="mono cut address" title={row.url}>
                    {shortUrl(row.url, origin)}
                  </td>
                  <td class="num">{row.bytes === 0 ? "–" : size(row.bytes)}</td>
                  <td class="num">{row.ms} ms</td>
                  <td class="wide">
                    <svg class="took" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
                      <rect width={Math.max(1, (row.ms / longest) * 100)} height="6" rx="1" />
                    </svg>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
